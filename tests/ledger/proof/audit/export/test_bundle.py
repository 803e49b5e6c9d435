"""An export that was tampered with: every change in any member is named, and nothing else."""

import base64
import io
import json
import sys
import zipfile
import zlib

import pytest

from ledger.papers.paper import declared, later_names
from ledger.proof.audit.errors import BadBundle
from ledger.proof.audit.export.manifest import Manifest
from ledger.proof.audit.main import report
from ledger.proof.audit.tree.merkle import leaf_hash
from ledger.records.findings import Finding
from tests.support.changed_exports import lines_of, members_of, put_lines, tampered
from tests.support.lengths import LONG
from tests.support.log_by_hand import (
    KEY,
    LEAVES,
    OTHER_KEY,
    SHEET,
    bundle,
    changed,
    checkpoint,
    leaf_of,
    night,
    record,
)

# What is right


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"first": 7},
        {"first": 5, "end": 28},
        {"since": 10},
        {"since": LEAVES},
        {"end": 1},
        {"first": LEAVES - 1},
    ],
)
def test_an_export_that_nobody_has_touched_is_right(judge, options):
    verdict = judge(bundle(**options))
    assert (verdict.findings, verdict.left_out) == ([], [])
    assert verdict.signed_by == (KEY,)
    assert verdict.checked["records"] == verdict.manifest.count


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"first": 7}, "what comes before leaf 7 is not here"),
        ({"end": 50}, "what comes after leaf 49 is not here"),
        (
            {"to_day": "2026-11-21"},
            "gaming day 2026-11-21 had not been closed when this was exported",
        ),
    ],
)
def test_an_export_that_may_lack_something_says_so_and_is_right(judge, options, said):
    verdict = judge(bundle(**options))
    assert verdict.findings == []
    assert said in verdict.incomplete
    assert report(verdict, pinned=False)[0].startswith("NOT COMPLETE: ")


def test_an_entry_that_is_missing_at_the_start_of_a_closed_day_is_told_by_its_closing(found):
    day = "2026-11-20"
    assert [code for code, _ in found(bundle(first=20, from_day=day, to_day=day))] == ["wrong_total"]


def test_packing_it_anew_is_no_tampering(found):
    assert found(tampered(lambda members: None)) == []


# Records


def some(begin):
    """Return every leaf; in the short form the first, the last and each fourth."""
    return range(LEAVES) if LONG else sorted({0, *range(begin, LEAVES, 4), LEAVES - 1})


@pytest.mark.parametrize("leaf", some(0))
def test_a_changed_record_is_named_and_no_other(found, leaf):
    def change(members):
        lines = lines_of(members)
        lines[leaf] = lines[leaf].replace(b'"recorded_at":"2026', b'"recorded_at":"2025')
        put_lines(members, lines)

    assert found(tampered(change)) == [("record_changed", leaf)]


@pytest.mark.parametrize("leaf", some(2))
def test_a_record_that_was_taken_out_is_named_by_its_leaf(found, leaf):
    def change(members):
        put_lines(members, [line for at, line in enumerate(lines_of(members)) if at != leaf])

    assert found(tampered(change)) == [("record_missing", leaf)]


@pytest.mark.parametrize("line", [0, 19, LEAVES])
def test_a_record_that_was_put_in_is_named_by_its_line(judge, line):
    def change(members):
        lines = lines_of(members)
        put_lines(members, [*lines[:line], record(night()[19] | {"id": 999}) + b"\n", *lines[line:]])

    (finding,) = judge(tampered(change)).findings
    assert (finding.code, finding.record) == (
        "record_extra",
        f"{night()[19]['record'].replace('_', ' ')} 999",
    )
    assert f"Line {line + 1} " in finding.sentence


def test_a_record_that_is_there_twice_is_named(judge):
    def change(members):
        lines = lines_of(members)
        put_lines(members, [*lines[:28], lines[15], *lines[28:]])

    (finding,) = judge(tampered(change)).findings
    assert (finding.code, finding.record) == ("record_extra", "entry 102")


@pytest.mark.parametrize(("one", "two"), [(19, 20), (5, 38), (0, LEAVES - 1)])
def test_records_that_were_swapped_are_named(found, one, two):
    def change(members):
        lines = lines_of(members)
        lines[one], lines[two] = lines[two], lines[one]
        put_lines(members, lines)

    assert found(tampered(change)) in (
        [("record_moved", one)],
        [("record_changed", one), ("record_changed", two)],
    )


def test_a_tail_that_was_cut_is_one_finding(judge):
    (finding,) = judge(tampered(lambda members: put_lines(members, lines_of(members)[:20]))).findings
    assert (finding.code, finding.leaf) == ("record_missing", 20)
    assert f"up to leaf {LEAVES - 1}" in finding.sentence


def test_a_line_that_was_cut_is_named(found):
    def change(members):
        members["records.jsonl"] = members["records.jsonl"][:-10]

    assert found(tampered(change)) == [("member_damaged", None), ("record_changed", LEAVES - 1)]


def test_two_changed_records_are_both_named(found):
    def change(members):
        lines = lines_of(members)
        for leaf in (11, 36):
            lines[leaf] = lines[leaf].replace(b'"terminal":"T1"', b'"terminal":"T2"').replace(b"T21", b"T22")
        lines[36] = lines[36].replace(b"2026-11-20T2", b"2026-11-20T1", 1)
        put_lines(members, lines)

    assert found(tampered(change)) == [("record_changed", 11), ("record_changed", 36)]


def test_the_records_of_another_log_are_not_taken(found):
    other = [record(body | {"recorded_at": "2027-01-01T00:00:00.000000Z"}) + b"\n" for body in night()]
    said = found(tampered(lambda members: put_lines(members, other)))
    assert said == [("record_changed", leaf) for leaf in range(LEAVES)]


def test_a_record_that_was_changed_with_its_leaf_is_found_though_nobody_can_tell_which(judge):
    def change(members):
        lines = lines_of(members)
        lines[26] = lines[26].replace(b'"cents":9000', b'"cents":9001')
        put_lines(members, lines)
        leaves = members["leaves"]
        members["leaves"] = leaves[: 26 * 32] + leaf_hash(lines[26][:-1]) + leaves[27 * 32 :]

    found = {finding.code for finding in judge(tampered(change)).findings}
    assert "not_proven" in found


def test_a_record_that_the_house_sealed_wrong_is_named_with_what_follows_from_it(judge):
    bodies = changed("sign_off", 97, lambda body: body.update(cause=" "))
    (finding,) = judge(bundle(bodies)).findings
    assert (finding.code, finding.leaf, finding.record) == (
        "cause_required",
        leaf_of("sign_off", 97),
        "sign off 97",
    )


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda body: body.update(record="gift"), "unknown_record"),
        (lambda body: body.update(site=2), "other_site"),
        (lambda body: body.pop("number"), "bad_record"),
        (lambda body: body.update(number="1"), "bad_record"),
        (lambda body: body.update(recorded_at="today"), "bad_record"),
    ],
)
def test_a_sealed_record_of_no_known_form_is_named(judge, change, code):
    found = judge(bundle(changed("down", 31, change))).findings
    assert [(finding.code, finding.leaf) for finding in found] == [(code, 20)]


def test_sealed_bytes_that_are_no_record_are_named(found):
    from ledger.proof.audit.tree.merkle import inclusion_proof
    from tests.support.trees import in_memory

    lines = [record(body) for body in night()]
    lines[20] = lines[20].replace(b",", b", ", 1)

    def change(members):
        leaves = [leaf_hash(line) for line in lines]
        members["records.jsonl"] = b"".join(line + b"\n" for line in lines)
        members["leaves"] = b"".join(leaves)
        members["checkpoint"] = checkpoint(leaves)
        proofs = json.loads(members["proofs.json"])
        for one in proofs["inclusion"]:
            hashes = inclusion_proof(one["leaf"], LEAVES, in_memory(leaves))
            one["hashes"] = [base64.b64encode(hashed).decode() for hashed in hashes]
        members["proofs.json"] = (
            json.dumps(proofs, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
        ).encode()

    assert found(tampered(change)) == [("not_canonical", 20)]


# The other members


LATER = {f"papers/{name}" for name in later_names()}
"""An export of 0.2.0 has none of these."""


@pytest.mark.parametrize("name", sorted(members_of(bundle(since=10)).keys() - LATER))
def test_a_missing_member_is_named(judge, name):
    findings = judge(tampered(lambda members: members.pop(name), since=10)).findings
    assert findings
    assert any(name in finding.sentence for finding in findings)
    assert len(findings) <= 2


@pytest.mark.parametrize(
    "name", sorted(name for name in members_of(bundle(since=10)) if name not in ("records.jsonl", "leaves"))
)
def test_one_byte_more_in_a_member_is_found_and_the_member_named(judge, name):
    def change(members):
        members[name] += b" "

    findings = judge(tampered(change, since=10)).findings
    assert [name in str(finding) for finding in findings] == [True]


PAPERS = {name: data for name, data in members_of(bundle()).items() if name.startswith("papers/")}


@pytest.mark.parametrize("name", sorted(name for name, data in PAPERS.items() if data.count(b"\n") > 2))
def test_a_changed_paper_is_named_with_its_line(judge, name):
    def change(members):
        lines = members[name].splitlines(keepends=True)
        lines[2] = lines[2][:-2] + b"7\r\n"
        members[name] = b"".join(lines)

    (finding,) = judge(tampered(change)).findings
    assert finding.code == "paper_differs"
    assert finding.sentence.startswith(f"{name} does not say in line 3 ")


def test_a_paper_that_was_cut_is_named(judge):
    def change(members):
        members["papers/journal.csv"] = b"".join(members["papers/journal.csv"].splitlines(keepends=True)[:5])

    assert [finding.code for finding in judge(tampered(change)).findings] == ["paper_differs"]


def test_a_changed_leaf_is_told_from_a_changed_record(found):
    def change(members):
        members["leaves"] = members["leaves"][:320] + bytes(32) + members["leaves"][352:]

    assert found(tampered(change)) == [("leaves_changed", None)]


@pytest.mark.parametrize(
    "leaves", [lambda data: data[32:], lambda data: data[:-32], lambda data: data + bytes(32)]
)
def test_leaves_that_are_too_few_or_too_many_are_named(found, leaves):
    def change(members):
        members["leaves"] = leaves(members["leaves"])

    assert found(tampered(change)) == [("leaves_changed", None)]


def test_a_member_more_is_named(found):
    assert found(tampered(lambda members: members.update({"note.txt": b"trust me"}))) == [
        ("member_unknown", None)
    ]
    assert found(bundle() + b"trust me") == [("bad_bundle", None)]
    assert found(b"trust me" + bundle()) == [("bad_bundle", None)]


def test_a_member_that_is_there_twice_is_named(found):
    out = io.BytesIO(bundle())
    with zipfile.ZipFile(out, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("checkpoint", members_of(bundle())["checkpoint"])
    assert found(out.getvalue()) == [("member_twice", None)]


def test_a_changed_sheet_is_named_and_no_round_accused(found):
    class Accusing:
        checked: dict[str, int] = {}

        def take(self, leaf, body):
            return [Finding("round", "It comes out otherwise.", leaf)]

        def finish(self):
            return []

    def change(members):
        members["sheets/western.1.toml"] = SHEET + b"\n"

    assert found(tampered(change), checks=lambda sheets: [Accusing()]) == [("member_changed", None)]
    swapped = bundle(sheets={("western", 1): SHEET + b"\n"})
    said = found(swapped, checks=lambda sheets: [Accusing()])
    assert [leaf for code, leaf in said if code == "member_changed"] == [7]
    assert max(leaf for code, leaf in said if code == "round") < 7


def test_checks_get_the_sheets_of_the_export(judge):
    given = []
    judge(bundle(), checks=lambda sheets: given.append(sheets) or [])
    assert given == [{("western", 1): SHEET}]


def test_a_sheet_that_nobody_can_read_is_a_finding(found):
    def failing(sheets):
        raise ValueError("no TOML")

    assert found(bundle(), checks=failing) == [("bad_sheet", None)]


ONE_CENT = {"id": 8, "option": 4, "fee_cents": 1}


@pytest.mark.parametrize("part", [{}, {"first": 7}])
@pytest.mark.parametrize(
    "change",
    [
        lambda rates: [*rates, rates[0] | ONE_CENT],
        lambda rates: [rates[0] | {"fee_cents": 1}],
        lambda rates: [],
    ],
)
def test_a_rate_that_no_record_publishes_is_named(found, change, part):
    def tamper(members):
        rates = change(json.loads(members["rates.json"]))
        members["rates.json"] = f"{json.dumps(rates, indent=1, sort_keys=True)}\n".encode()

    assert found(tampered(tamper, **part)) == [("member_changed", None)]


def test_a_table_of_a_part_whose_rate_is_not_among_the_older_records_is_named(found):
    bodies = changed("table_event", 51, lambda body: body["data"]["rate"].update(fee_cents=1000))
    assert found(bundle(bodies, first=7)) == [("other_rate", 7)]


def test_a_key_that_the_log_notes_and_the_manifest_leaves_out_is_named(found):
    bodies = changed("house_event", 2, lambda body: body["data"].update(verifier_key=OTHER_KEY.text))
    assert found(bundle(bodies)) == [("bad_verifier_key", 1)]


@pytest.mark.parametrize(
    "more",
    [
        {"count": LEAVES - 1},
        {"first_leaf": 1, "count": LEAVES - 1},
        {"tree_size": LEAVES - 1},
        {"origin": "other/house/1"},
        {"site": 2},
        {"from_day": "2026-11-01"},
        {"withheld": 3},
        {"offsets": (("", "+01:00"),)},
        {"verifier_keys": (OTHER_KEY.text,)},
        {"verifier_version": "9"},
    ],
)
def test_a_manifest_that_says_something_else_is_found(found, more):
    def change(members):
        from dataclasses import replace

        members["manifest.json"] = replace(Manifest.parse(members["manifest.json"]), **more).data

    local = [paper for paper in declared(players=False) if {"local_time", "shift"} & {*paper.columns}]
    assert 1 <= len(found(tampered(change))) <= len(local)


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b"{", b'{"format": 1}', b"\xff", b"[" * 100_000])
def test_a_manifest_that_is_none_is_one_finding(found, data):
    assert found(tampered(lambda members: members.update({"manifest.json": data}))) == [("bad_bundle", None)]


@pytest.mark.parametrize("end", [0, 1])
@pytest.mark.parametrize("place", range(5))
def test_a_changed_proof_is_found(found, end, place):
    def change(members):
        proofs = json.loads(members["proofs.json"])
        hashes = proofs["inclusion"][end]["hashes"]
        hashes[place % len(hashes)] = base64.b64encode(bytes(32)).decode()
        members["proofs.json"] = (
            json.dumps(proofs, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
        ).encode()

    codes = [code for code, _ in found(tampered(change, first=15, end=29))]
    assert codes in (["bad_proof"], ["not_proven"])


def test_a_proof_that_is_too_short_is_found(found):
    def change(members):
        proofs = json.loads(members["proofs.json"])
        proofs["inclusion"][0]["hashes"].pop()
        members["proofs.json"] = (
            json.dumps(proofs, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
        ).encode()

    assert found(tampered(change)) == [("bad_proof", None)]


# Broken files


@pytest.mark.parametrize("data", [b"", b"PK", b"no zip at all", bundle()[:2000]])
def test_a_file_that_is_no_zip_is_one_finding(found, data):
    assert found(data) == [("bad_bundle", None)]


@pytest.mark.parametrize("share", [number / 40 for number in range(0, 40, 1 if LONG else 4)])
def test_a_flipped_bit_anywhere_in_the_zip_raises_nothing(judge, share):
    data = bytearray(bundle())
    data[int(len(data) * share)] ^= 0x10
    judge(bytes(data))


def test_a_flipped_bit_in_a_packed_member_is_found(judge):
    data = bundle()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        infos = archive.infolist()
    for info in filter(lambda info: info.file_size, infos):  # an export of all has no older records
        broken = bytearray(data)
        broken[info.header_offset + 30 + len(info.filename) + 30] ^= 0x40
        assert judge(bytes(broken)).findings, info.filename


@pytest.mark.parametrize("name", ["verifier_keys", "offsets"])
def test_a_manifest_of_lists_deep_within_lists_is_refused(monkeypatch, name):
    deep = []
    for _ in range(2 * sys.getrecursionlimit()):
        deep = [deep]
    manifest = json.loads(members_of(bundle())["manifest.json"]) | {name: deep}
    monkeypatch.setattr(json, "loads", lambda text: manifest)  # newer Pythons read JSON as deep as this
    with pytest.raises(BadBundle):
        Manifest.parse(b"")


def test_a_member_that_is_called_otherwise_in_its_own_place_is_found(judge):
    data = bundle()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        infos = archive.infolist()
    for info in infos:  # some programs would unpack it, and what it says has been compared with nothing
        broken = bytearray(data)
        broken[info.header_offset + 30] ^= 0x01
        assert any(info.filename in str(wrong) for wrong in judge(bytes(broken)).findings)


def test_a_member_that_unpacks_without_end_is_refused(found):
    bomb = b" " * (1 << 27)
    assert found(tampered(lambda members: members.update({"manifest.json": bomb}))) == [("bad_bundle", None)]
    assert zlib.crc32(bomb)
