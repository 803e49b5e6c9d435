"""Who signed an export, which history it continues, and what the program says of it."""

import base64
import itertools
import json
from datetime import timedelta

import pytest

from ledger.proof.audit.export.held import NEWER
from ledger.proof.audit.export.trust import Pinned
from ledger.proof.audit.kept import folder_of, line_of
from ledger.proof.audit.main import main, report
from ledger.proof.audit.tree.merkle import leaf_hash
from ledger.proof.audit.tree.note import Signature
from tests.support.changed_exports import lines_of, members_of, no_checks, packed, put_lines, tampered
from tests.support.log_by_hand import (
    KEY,
    LEAVES,
    ORIGIN,
    OTHER_KEY,
    OTHER_SIGNER,
    SIGNED_AT,
    SIGNER,
    bundle,
    changed,
    checkpoint,
    house_event,
    leaf_of,
    night,
    record,
)
from tests.support.witnesses import AT, AUDITOR, BUREAU, MadeUp, cosigned, policy

# Checkpoints and keys


def resigned(members):
    leaves = members["leaves"]
    hashes = [leaves[at : at + 32] for at in range(0, len(leaves), 32)]
    members["checkpoint"] = checkpoint(hashes, OTHER_SIGNER)


def test_a_checkpoint_that_another_key_has_signed_is_not_believed(judge):
    verdict = judge(tampered(resigned))
    assert [finding.code for finding in verdict.findings] == ["bad_signature"]
    assert verdict.tree is None


def test_a_forged_export_with_a_key_of_its_own_passes_only_while_nobody_brings_the_key(found):
    bodies = changed("house_event", 2, lambda body: body["data"].update(verifier_key=OTHER_KEY.text))

    def change(members):
        resigned(members)

    forged = members_of(bundle(bodies, verifier_keys=(OTHER_KEY.text,)))
    change(forged)
    assert found(packed(forged)) == []
    for pin in (KEY.text, KEY.fingerprint, KEY.fingerprint[:16].upper()):
        assert found(packed(forged), keys=[Pinned(pin)]) == [("bad_signature", None)]


@pytest.mark.parametrize("pin", [KEY.text, KEY.fingerprint, f"{KEY.fingerprint[:8]} {KEY.fingerprint[8:16]}"])
def test_the_house_s_key_is_known_by_its_text_or_fingerprint(judge, pin):
    assert judge(bundle(), keys=[Pinned(pin)]).right


@pytest.fixture
def replaced():
    """A night in which the house replaces its key just before the day is closed, and what an export of it
    must name."""
    data = {"verifier_key": OTHER_KEY.text, "replaces": KEY.text}
    bodies = night()
    bodies.insert(LEAVES - 1, house_event(9, "audit_key", 70, None, **data))
    return {"bodies": bodies, "verifier_keys": (KEY.text, OTHER_KEY.text)}


@pytest.mark.parametrize("part", [{}, {"first": 8, "end": 20}])
def test_an_export_that_a_replaced_key_has_signed_is_named_whichever_key_is_given(found, replaced, part):
    forged = bundle(**replaced, **part)
    assert found(forged) == [("bad_checkpoint", None)]
    assert found(forged, keys=[Pinned(KEY.text)]) == [("bad_checkpoint", None)]
    assert found(bundle(**replaced, **part, signer=OTHER_SIGNER), keys=[Pinned(OTHER_KEY.text)]) == []


def test_checkpoints_from_before_the_key_was_replaced_stay_right(found, replaced):
    leaves = [leaf_hash(record(body)) for body in replaced["bodies"]]
    export = bundle(**replaced, signer=OTHER_SIGNER)
    for size, signer, wrong in (
        (LEAVES - 1, SIGNER, []),
        (LEAVES, SIGNER, [("bad_checkpoint", None)]),
        (LEAVES, OTHER_SIGNER, []),
        (20, OTHER_SIGNER, [("bad_checkpoint", None)]),
    ):
        assert found(export, held=[checkpoint(leaves[:size], signer)]) == wrong
    assert found(bundle(replaced["bodies"][: leaf_of("table_event", 57) + 1])) == []


@pytest.mark.parametrize("half", [1, 2])
def test_a_signature_that_was_changed_does_not_hold(found, half):
    def change(members):
        signature = members["checkpoint"].splitlines()[-half].split()[-1]
        raw = bytearray(base64.b64decode(signature))
        raw[20] ^= 1
        members["checkpoint"] = members["checkpoint"].replace(signature, base64.b64encode(bytes(raw)))

    assert found(tampered(change)) == [("bad_signature", None)]


def test_a_checkpoint_of_a_longer_tree_or_of_another_one_is_found(found):
    leaves = [leaf_hash(record(body)) for body in night()]
    longer, other = checkpoint([*leaves, bytes(32)]), checkpoint([*leaves[:-1], bytes(32)])
    assert found(tampered(lambda members: members.update(checkpoint=longer))) == [("bad_checkpoint", None)]
    assert found(tampered(lambda members: members.update(checkpoint=other))) == [("not_proven", None)]


def leaves_then(change):
    """The leaves of the night before a record was changed and everything was sealed again."""
    before = [record(body) for body in night()]
    change(before)
    return [leaf_hash(data) for data in before]


@pytest.mark.parametrize("size", [1, 20, LEAVES])
def test_a_checkpoint_that_somebody_holds_is_continued(judge, size):
    leaves = leaves_then(lambda records: None)
    verdict = judge(bundle(), held=[checkpoint(leaves[:size])])
    assert verdict.right
    assert verdict.checked["checkpoints that you hold"] == 1


@pytest.mark.parametrize("size", [20, LEAVES])
def test_history_that_was_written_anew_contradicts_a_checkpoint_that_left(found, size):
    leaves = leaves_then(lambda records: records.__setitem__(8, records[8].replace(b"20000", b"30000")))
    assert found(bundle(), held=[checkpoint(leaves[:size])]) == [("not_continued", None)]


def test_a_checkpoint_longer_than_the_log_shows_that_its_end_is_gone(found):
    leaves = leaves_then(lambda records: records.append(b"more"))
    assert found(bundle(), held=[checkpoint(leaves)]) == [("not_continued", None)]


@pytest.mark.parametrize(
    ("seconds", "wrong"), [(0, []), (60, []), (61, [("wrong_time", None)])], ids=["same", "slack", "back"]
)
def test_times_of_checkpoints_do_not_run_backwards(found, seconds, wrong):
    """A checkpoint over fewer leaves was signed later than the export's: held, inside, or witnessed."""
    leaves = leaves_then(lambda records: None)
    at = SIGNED_AT + timedelta(seconds=seconds)
    earlier = checkpoint(leaves[:10], at=at)
    assert found(bundle(), held=[earlier]) == wrong
    assert found(tampered(lambda members: members.update(since=earlier), since=10)) == wrong
    assert found(bundle(witnessed=earlier)) == wrong


def test_no_checkpoint_was_signed_after_now(judge, found, folder):
    """The verifier's clock may be a minute behind that of the house."""
    for late, wrong in ((60, []), (61, [("wrong_time", None)])):
        assert found(bundle(), now=SIGNED_AT - timedelta(seconds=late)) == wrong
    (finding,) = judge(bundle(), now=SIGNED_AT - timedelta(hours=1)).findings
    assert str(finding).startswith("checkpoint: It says that it was signed at")
    held = [folder(leaves_then(lambda records: None), 10, 20, at=SIGNED_AT + timedelta(hours=1))]
    wrong = judge(bundle(), now=SIGNED_AT, held=held).findings
    assert [(one.code, one.record) for one in wrong] == [
        ("wrong_time", f"2026-11-20.jsonl line {line}") for line in (1, 2)
    ]


@pytest.fixture
def folder(tmp_path):
    """`folder(leaves, 10, 20)`: a house's folder, with checkpoints of these sizes in order."""

    def write(leaves, *sizes, **signed):
        path = folder_of(tmp_path, ORIGIN)
        path.mkdir(exist_ok=True)
        notes = [
            checkpoint(leaves[:size], after=before, **signed).decode()
            for before, size in itertools.pairwise((0, *sizes))
        ]
        (path / "2026-11-20.jsonl").write_bytes(b"".join(map(line_of, notes)))
        return tmp_path

    return write


@pytest.mark.parametrize("part", [{}, {"first": 15}, {"first": 15, "end": 25}])
def test_an_export_is_held_against_all_checkpoints_in_the_folder(judge, folder, part):
    leaves = leaves_then(lambda records: None)
    verdict = judge(bundle(**part), held=[folder(leaves, 10, 20, 30, len(leaves))])
    assert verdict.right
    inside = {1: 4, 2: 3, 3: 1}[1 + len(part)]
    assert verdict.checked["checkpoints in the folder that you hold"] == inside
    assert verdict.left_out == []


def test_history_that_was_written_anew_contradicts_the_folder_once(judge, folder):
    leaves = leaves_then(lambda records: records.__setitem__(8, records[8].replace(b"20000", b"30000")))
    (finding,) = judge(bundle(), held=[folder(leaves, 5, 10, 20, len(leaves))]).findings
    assert (finding.code, finding.record) == ("not_continued", "2026-11-20.jsonl line 2")


def test_an_end_that_was_cut_and_signed_anew_is_not_of_the_folder_s_series(judge, found, folder):
    leaves = leaves_then(lambda records: records.append(b"more"))
    held = [folder(leaves, 10, 20, len(leaves))]
    assert found(bundle(), held=held) == [("not_continued", None)]
    older = judge(bundle(), held=[folder(leaves, 20, len(leaves) - 1, len(leaves))])
    assert older.right
    assert older.left_out == [NEWER]


@pytest.mark.parametrize(
    ("seconds", "wrong"), [(60, []), (61, [("wrong_time", None)])], ids=["slack", "back"]
)
def test_an_export_was_not_signed_before_what_the_folder_has_over_fewer_leaves(
    judge, found, folder, seconds, wrong
):
    leaves = leaves_then(lambda records: None)
    held = [folder(leaves, 10, 20, at=SIGNED_AT + timedelta(seconds=seconds))]
    now = SIGNED_AT + timedelta(hours=1)
    assert found(bundle(), held=held, now=now) == wrong
    for one in judge(bundle(), held=held, now=now).findings:
        assert one.record == "2026-11-20.jsonl line 1"
        assert one.sentence.startswith("checkpoint: It says that it was signed at")


@pytest.mark.parametrize(
    ("seconds", "wrong"), [(60, []), (61, [("wrong_time", None)])], ids=["slack", "back"]
)
def test_an_export_was_not_signed_after_what_the_folder_has_over_more_leaves(found, folder, seconds, wrong):
    leaves = leaves_then(lambda records: records.append(b"more"))
    held = [folder(leaves, LEAVES, LEAVES + 1, at=SIGNED_AT - timedelta(seconds=seconds))]
    assert found(bundle(), held=held, now=SIGNED_AT) == wrong


def test_a_single_checkpoint_and_a_folder_rise_together(found, folder):
    leaves = leaves_then(lambda records: None)
    early, now = SIGNED_AT - timedelta(hours=1), SIGNED_AT + timedelta(hours=1)
    held = [folder(leaves, 10, 30), checkpoint(leaves[:20], at=early)]
    assert found(bundle(), held=held, now=now) == [("wrong_time", None)]


def test_a_line_of_the_folder_that_nobody_signed_moves_no_time(judge, folder):
    """The time of an invalid signature is a fault of the line, not of the export."""
    leaves = leaves_then(lambda records: None)
    root = folder(leaves, 10, 20, at=SIGNED_AT + timedelta(minutes=5))
    (file,) = folder_of(root, ORIGIN).iterdir()
    forged = []
    for line in file.read_bytes().splitlines():
        *lines, first, second = json.loads(line).splitlines()
        raw = bytearray(base64.b64decode(second.split()[-1]))
        raw[-1] ^= 1
        changed_line = second.replace(second.split()[-1], base64.b64encode(bytes(raw)).decode())
        forged.append(line_of("\n".join([*lines, first, changed_line, ""])))
    file.write_bytes(b"".join(forged))
    found = judge(bundle(), held=[root], now=SIGNED_AT + timedelta(hours=1)).findings
    assert {one.code for one in found} == {"bad_checkpoint"}


def test_a_folder_without_this_log_shows_nothing(found, tmp_path):
    assert found(bundle(), held=[tmp_path / "empty"]) == [("not_continued", None)]


def test_what_somebody_else_wrote_into_the_folder_accuses_nobody(found, folder):
    leaves = leaves_then(lambda records: records.__setitem__(7, b"other"))
    held = [folder(leaves, 10, len(leaves), signer=OTHER_SIGNER)]
    assert {code for code, _ in found(bundle(), held=held)} == {"bad_checkpoint"}


def test_a_checkpoint_before_the_slice_needs_its_own_proof(judge, found):
    leaves = leaves_then(lambda records: None)
    assert found(bundle(first=20), held=[checkpoint(leaves[:10])]) == [("not_continued", None)]
    assert judge(bundle(first=20, since=10), held=[checkpoint(leaves[:10])]).right


def test_the_earlier_checkpoint_inside_is_held_to_its_proof(found):
    leaves = leaves_then(lambda records: records.__setitem__(7, b"other"))
    other = checkpoint(leaves[:10])
    assert found(tampered(lambda members: members.update(since=other), since=10)) == [("bad_proof", None)]

    def change(members):
        proofs = json.loads(members["proofs.json"])
        proofs["consistency"]["hashes"][0] = base64.b64encode(bytes(32)).decode()
        members["proofs.json"] = (
            json.dumps(proofs, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
        ).encode()

    assert found(tampered(change, since=10)) == [("bad_proof", None)]


# The program


@pytest.fixture
def run(tmp_path, capsys):
    def run(data, *argv):
        path = tmp_path / "export.zip"
        path.write_bytes(data)
        return main([str(path), *argv], checks=no_checks), *capsys.readouterr()

    return run


def test_the_program_says_what_it_checked_and_which_key_has_signed(run):
    status, out, errors = run(bundle())
    assert (status, errors) == (0, "")
    assert f"{LEAVES} records, leaves 0 to {LEAVES - 1}, of {LEAVES}." in out
    assert "Everything is right." in out
    assert KEY.fingerprint[:8] in out
    assert "compare it with the one that the house has published" in out
    assert "private key" in out
    assert "which is the key that you gave" in run(bundle(), "--key", KEY.fingerprint)[1]


def test_the_program_ends_with_1_and_names_what_is_wrong(run):
    status, out, _ = run(tampered(lambda members: put_lines(members, lines_of(members)[:-1])))
    assert status == 1
    assert f"One thing is wrong:\n  [record_missing] leaf {LEAVES - 1}: Its record is missing." in out
    assert "Not judged:" in out


def test_the_program_takes_a_checkpoint_that_somebody_holds(run, tmp_path):
    held = tmp_path / "held"
    held.write_bytes(checkpoint(leaves_then(lambda records: None)[:9]))
    assert run(bundle(), "--checkpoint", str(held))[0] == 0
    held.write_bytes(b"no checkpoint")
    assert run(bundle(), "--checkpoint", str(held))[0] == 1


@pytest.mark.parametrize(
    "argv", [["--key", "short"], ["--key", "a+b+c"], ["--checkpoint", "/nowhere"], ["--what"]]
)
def test_a_command_that_is_not_understood_ends_with_2(run, argv):
    assert run(bundle(), *argv)[0] == 2


def test_a_file_that_is_not_there_is_not_understood_either(tmp_path):
    assert main([str(tmp_path / "none.zip")], checks=no_checks) == 2


def test_a_number_of_withheld_records_that_the_export_does_not_have_is_found(found):
    assert found(bundle(withheld=2)) == [("wrong_count", None)]


def test_withheld_records_are_said(judge):
    verdict = judge(bundle(withheld=2))
    assert "  Of 2 records the text is withheld: they hold a commitment to it." in report(
        verdict, pinned=False
    )


def test_no_words_of_a_verdict_clear_the_screen_or_begin_a_line(judge):
    verdict = judge(bundle())
    verdict.checked["x\n\nEverything is wrong.\x1b[8m"] = 1
    lines = report(verdict, pinned=False)
    assert all(line.isprintable() for line in lines)
    assert any(r"x\x0a\x0aEverything is wrong.\x1b[8m" in line for line in lines)


# Witnesses


def witnessed_at(size, *witnesses):
    return cosigned(checkpoint(leaves_then(lambda records: None)[:size]), *witnesses)


BOTH = "group both all bureau auditor"


@pytest.mark.parametrize("part", [{}, {"first": 15, "end": 25}])
def test_the_verdict_begins_with_who_has_witnessed_the_log(judge, part):
    data = bundle(witnessed=witnessed_at(20, BUREAU, AUDITOR), **part)
    verdict = judge(data, policy=policy(BOTH, "quorum both"))
    assert verdict.right
    line = "WITNESSED by 2 of 2, newest at 2026-11-21 06:00:00 UTC, over 20 leaves."
    assert report(verdict, pinned=False)[bool(verdict.incomplete)] == line


@pytest.mark.parametrize(
    ("witnesses", "quorum", "wrong"),
    [
        ((BUREAU,), "both", [("not_witnessed", None)]),
        ((BUREAU,), "bureau", []),
        ((MadeUp("stranger.example/w"),), "bureau", [("not_witnessed", None)]),
        (None, "bureau", [("not_witnessed", None)]),
        (None, "none", []),
    ],
)
def test_too_few_witnesses_are_told(judge, witnesses, quorum, wrong):
    note = None if witnesses is None else witnessed_at(20, *witnesses)
    verdict = judge(bundle(witnessed=note), policy=policy(BOTH, f"quorum {quorum}"))
    assert [(finding.code, finding.leaf) for finding in verdict.findings] == wrong
    count = sum(witness in (BUREAU, AUDITOR) for witness in witnesses or ())
    assert report(verdict, pinned=False)[0].startswith(f"WITNESSED by {count} of 2")


@pytest.mark.parametrize(
    ("latest", "seconds", "wrong"),
    [
        ("latest 06:00", 1, []),
        ("latest 06:00", 0, ["witnessed_late"]),  # a day before the last 06:00 that the newest record saw
        ("latest 20:00", 14 * 3600 + 1, []),
        ("latest 20:00", 14 * 3600, ["witnessed_late"]),
        ("latest 20:01", 0, []),
        ("", 0, []),
    ],
)
def test_a_day_that_was_not_witnessed_by_the_policy_s_hour_is_told(judge, latest, seconds, wrong):
    note = cosigned(witnessed_at(20), BUREAU, seconds=AT - 24 * 3600 + seconds)
    verdict = judge(bundle(witnessed=note), policy=policy("quorum bureau", latest))
    assert [finding.code for finding in verdict.findings] == wrong


def test_what_was_witnessed_has_to_be_what_this_log_continues(judge):
    leaves = leaves_then(lambda records: records.__setitem__(7, b"other"))
    other = cosigned(checkpoint(leaves[:20]), BUREAU)
    data = tampered(lambda members: members.update(witnessed=other), witnessed=witnessed_at(20, BUREAU))
    verdict = judge(data, policy=policy("quorum bureau"))
    assert [finding.code for finding in verdict.findings] == ["bad_proof"]
    assert report(verdict, pinned=False)[0] == "WITNESSED by 0 of 2."


def test_a_cosignature_that_does_not_hold_is_told(found):
    line = BUREAU.line(checkpoint([bytes(32)])).line
    note = checkpoint(leaves_then(lambda records: None)[:20]) + f"{line}\n".encode()
    assert found(bundle(witnessed=note), policy=policy("quorum bureau")) == [("bad_signature", None)]


def since_with(lines):
    """A night's export since a checkpoint over ten leaves, with these lines below it."""

    def change(members):
        members["since"] += b"".join(f"{line.line}\n".encode() for line in lines(members["since"]))

    return tampered(change, since=10)


BY_THE_LOG = Signature(ORIGIN, b"\1\2\3\4", bytes(64))
STRANGER = MadeUp("stranger.example/w")


def test_a_line_by_the_log_s_name_that_none_of_its_keys_wrote_is_told(found):
    assert found(since_with(lambda since: [BY_THE_LOG])) == [("bad_note", None)]
    note = witnessed_at(20, BUREAU) + f"{BY_THE_LOG.line}\n".encode()
    assert found(bundle(witnessed=note)) == [("bad_note", None)]


def test_a_cosignature_of_a_witness_under_since_has_to_hold(judge):
    forged = BUREAU.line(checkpoint([bytes(32)]))
    right = judge(since_with(lambda since: [BUREAU.line(since)]), policy=policy("quorum none"))
    assert (right.findings, right.left_out) == ([], [])
    verdict = judge(since_with(lambda since: [forged]), policy=policy("quorum none"))
    assert [finding.code for finding in verdict.findings] == ["bad_signature"]
    assert "since" in str(verdict.findings[0])


def test_whose_lines_nobody_judged_is_said(judge):
    """One has the name of a witness of the policy, and another key."""
    twin = Signature(BUREAU.key.name, b"\1\2\3\4", bytes(72))
    data = since_with(lambda since: [STRANGER.line(since), twin])
    verdict = judge(data, policy=policy("quorum none"))
    assert verdict.right
    assert verdict.left_out == [
        f"The lines under since by whom your policy does not name: {STRANGER.key.short},"
        " bureau.example/w1+01020304."
    ]
    data = bundle(witnessed=witnessed_at(20, BUREAU, STRANGER))
    (said,) = judge(data, policy=policy("quorum bureau")).left_out
    assert said == f"The lines under witnessed by whom your policy does not name: {STRANGER.key.short}."


def test_the_policy_s_log_keys_are_the_keys_that_have_to_have_signed(found):
    keys = [f"log {half.text}" for half in KEY.halves]
    others = [f"log {half.text}" for half in OTHER_KEY.halves]
    assert found(bundle(), policy=policy(*keys, "quorum none")) == []
    assert found(bundle(), policy=policy(*others, "quorum none")) == [("bad_signature", None)]


def test_the_program_takes_a_policy(run, tmp_path):
    path = tmp_path / "policy"
    path.write_text(f"witness bureau {BUREAU.key.text}\nquorum bureau\nlatest 06:00\n")
    data = bundle(witnessed=witnessed_at(20, BUREAU))
    status, out, _ = run(data, "--policy", str(path))
    assert status == 0
    assert out.startswith("WITNESSED by 1 of 1")
    assert run(data)[1].startswith("Witnesses are not judged")
    path.write_text("quorum nobody\n")
    assert run(data, "--policy", str(path))[0] == 2
