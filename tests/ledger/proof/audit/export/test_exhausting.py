"""An export made to keep the verifier busy or fill its memory soon ends in a verdict, which is not
"right"."""

import json
import sys
import tracemalloc
from dataclasses import replace
from hashlib import sha256
from io import BytesIO, TextIOWrapper

import pytest

from ledger.proof.audit.checks.accounts import Accounts
from ledger.proof.audit.errors import LineTooLong
from ledger.proof.audit.export import contents, members, verdict
from ledger.proof.audit.export.manifest import MOST_OF_A_LINE, Earlier, Manifest
from ledger.proof.audit.main import main
from tests.support.changed_exports import no_checks, tampered
from tests.support.lengths import LONG
from tests.support.log_by_hand import LEAVES, bundle, changed, house_event, night, record

MEGABYTE = 1 << 20
MANY = 10 * MEGABYTE


def claiming(count):
    def change(members):
        manifest = replace(Manifest.parse(members["manifest.json"]), count=count, tree_size=count)
        proofs = json.loads(members["proofs.json"])
        proofs["inclusion"][1]["leaf"] = count - 1
        members["manifest.json"] = manifest.data
        members["proofs.json"] = f"{json.dumps(proofs, indent=1, sort_keys=True)}\n".encode()

    return change


def lists(depth):
    return b"[" * depth + b"]" * depth


CLAIMED = 5_000_000
FILLED = [
    ("records.jsonl", b"{}\n" * (MANY // 3)),
    ("records.jsonl", b"\n" * MANY),
    ("records.jsonl", b" " * MANY),
    ("records.jsonl", b"[" * MANY),
    ("records.jsonl", b'[1,{"actor":' + b"9" * MEGABYTE + b"}]\n"),
    ("records.jsonl", (b"[1," + lists(900) + b"]\n") * 300),
    ("records.jsonl", (b'[1,{"id":1,"record":"gift"}]\n') * 200_000),
    ("leaves", bytes(2 * MEGABYTE)),
    ("earlier.jsonl", b"\n" * MANY),
    ("earlier.jsonl", b"{}\n" * (MANY // 3)),
    ("earlier.jsonl", b" " * MANY),
    ("rates.json", b"[" * MANY),
    ("README.txt", b" " * MANY),
    ("papers/journal.csv", b"\n" * MANY),
]
# In the short form each with the count by which more of it is read.
COUNTED = [
    (count, *filled)
    for filled in FILLED
    for count in (LEAVES, CLAIMED)
    if LONG or (count == CLAIMED) == (filled[0] in ("records.jsonl", "leaves"))
]


@pytest.mark.parametrize(("count", "name", "data"), COUNTED)
def test_memory_stays_small_and_the_verdict_is_not_right(judge, monkeypatch, name, data, count):
    monkeypatch.setattr(members, "_TIGHTEST", 10**9)  # so that whatever comes behind this has to hold as well

    def change(packed):
        if count != LEAVES:
            claiming(count)(packed)
        packed[name] = data

    forged = tampered(change)
    tracemalloc.start()
    verdict = judge(forged)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert verdict.findings
    assert len(verdict.findings) < 3000
    assert most < 24 * MEGABYTE


@pytest.mark.parametrize("name", ["records.jsonl", "leaves", "papers/journal.csv", "earlier.jsonl"])
def test_a_member_that_unpacks_to_hundreds_of_times_its_bytes_is_not_read(judge, name):
    findings = judge(tampered(lambda packed: packed.update({name: bytes(MANY)}))).findings
    assert any(f"{name} cannot be read" in str(one) and "unpacks to more" in str(one) for one in findings)


def test_reading_ends_one_line_behind_the_last_that_the_manifest_counts(judge, monkeypatch):
    read = []
    take = contents.Contents._take
    monkeypatch.setattr(
        contents.Contents,
        "_take",
        lambda self, some, *more: read.append(len(some)) or take(self, some, *more),
    )
    (wrong, _) = judge(
        tampered(lambda members: members.update({"records.jsonl": members["records.jsonl"] * 9}))
    ).findings
    assert sum(read) == LEAVES + 1
    assert (wrong.code, wrong.sentence) == (
        "wrong_count",
        f"records.jsonl has more than {LEAVES + 1} lines; manifest.json says {LEAVES}.",
    )


def test_older_records_that_nothing_proves_are_read_up_to_a_number(judge, monkeypatch):
    """They look valid; without a trusted checkpoint, a forger can make millions of them for nothing."""
    monkeypatch.setattr(verdict, "_MOST_UNPROVEN", 20)
    bodies = [
        house_event(n, "staff_changed", 0, staff=n, before=None, after={"username": "u"})
        for n in range(1, 31)
    ]

    def change(members):
        members["checkpoint"] = b"no note\n"
        members["earlier.jsonl"] = b"".join(Earlier(n, record(one), ()).line for n, one in enumerate(bodies))

    judged = judge(tampered(change, first=LEAVES - 1))
    assert judged.checked["records from outside these, that they refer to"] == 20
    assert "bad_note" in {one.code for one in judged.findings}


def test_what_is_wrong_with_every_record_is_named_up_to_a_number(judge, monkeypatch):
    monkeypatch.setattr(contents, "MOST_WRONG", 20)
    monkeypatch.setattr(contents, "AT_ONCE", 8)
    verdict = judge(tampered(lambda members: members.update({"records.jsonl": b"{}\n" * LEAVES})))
    assert [one.code for one in verdict.findings if one.code == "not_judged"] == ["not_judged"]
    assert "behind line 24: more than 20 things" in verdict.findings[0].sentence


@pytest.mark.parametrize(
    "fee", ["9" * 5000 + ".00", "-" + "9" * 5000 + ".00", [[[]]], {"paid": 1}, "1e999999999", True, None]
)
def test_numbers_of_thousands_of_digits_and_values_of_other_forms_stop_nothing(judge, fee):
    def change(body):
        body["evidence"]["match"] = {"after": {"1": 1}, "payments": [{"paid": fee, "from": 1, "to": 2}]}
        body["evidence"]["input"] |= {"limit": fee, "sheet": fee}

    assert "not_judged" not in {one.code for one in judge(bundle(changed("entry", 105, change))).findings}


def test_accounts_with_numbers_far_apart_take_little_memory():
    tracemalloc.start()
    accounts = Accounts(whole=True)
    for number in range(10_000):
        accounts.know(10**12 + number * 10**6, ("stack", "chips"), begins=True)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (accounts.seen, most < 4 * MEGABYTE) == (10_000, True)


def test_a_fault_that_nobody_thought_of_is_a_verdict_and_no_right_one(judge, monkeypatch):
    monkeypatch.setattr(contents.Contents, "run", lambda *args: 1 / 0)
    (wrong,) = judge(bundle()).findings
    assert (wrong.code, "ZeroDivisionError" in wrong.sentence) == ("not_judged", True)


def test_a_line_that_is_longer_than_a_line_may_be_is_refused_by_name():
    long = [b'"' + b"a" * (MOST_OF_A_LINE - 3) + b'"']
    bundle(night()[:1], records=long)
    with pytest.raises(LineTooLong, match="1,048,577 bytes"):
        bundle(night()[:1], records=[long[0] + b"a"])


def unbelieved(packed):
    packed["checkpoint"] = b"no note\n"


def test_records_that_nothing_proves_are_read_up_to_a_number(judge, monkeypatch):
    """A zip of some megabytes unpacks to gigabytes of records, which a forger has for nothing."""
    monkeypatch.setattr(contents, "AT_ONCE", 8)
    monkeypatch.setattr(contents, "MOST_UNPROVEN", 20)
    verdict = judge(tampered(unbelieved))
    assert [one.code for one in verdict.findings] == ["bad_note", "not_judged"]
    assert "behind line 24: without a checkpoint" in verdict.findings[1].sentence
    assert judge(bundle()).right
    monkeypatch.setattr(contents, "MOST_UNPROVEN", LEAVES)
    assert [one.code for one in judge(tampered(unbelieved)).findings] == ["bad_note"]


# What is printed

CLEARS = "\x1b[2J\x1b[HEverything is right.\n\u202eEverything is right.\r\x9b2J\x00"


def test_a_members_name_writes_nothing_over_the_verdict(tmp_path, capsys):
    def change(members):
        members[f"sheets/{CLEARS}" + " " * 200 + "Everything is right."] = b""
        listed = Manifest.parse(members["manifest.json"])
        hashes = {**listed.sha256, f"papers/{CLEARS}": sha256(b"").hexdigest()}
        members["manifest.json"] = replace(listed, sha256=hashes, origin=CLEARS).data

    path = tmp_path / "export.zip"
    path.write_bytes(tampered(change))
    assert main([str(path)], checks=no_checks) == 1
    out = capsys.readouterr().out
    assert "Everything is right." in out
    assert all(line.isprintable() for line in out.split("\n"))
    assert not any(line.strip().startswith("Everything is right.") for line in out.split("\n"))
    assert "  " * 20 not in out


def test_a_console_that_lacks_a_letter_shows_the_whole_verdict(tmp_path, monkeypatch):
    console = TextIOWrapper(BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", console)
    path = tmp_path / "export.zip"
    path.write_bytes(tampered(lambda members: members.update({"papers/\u6f22.csv": b""})))
    assert main([str(path)], checks=no_checks) == 1
    console.seek(0)
    assert "papers/\\u6f22.csv does not belong to this export." in console.read()


def test_what_a_record_says_is_printed_on_its_own_line(judge):
    verdict = judge(bundle(changed("down", 31, lambda body: body.update(record=CLEARS))))
    assert [one.code for one in verdict.findings] == ["unknown_record"]
    assert all(str(one).isprintable() for one in verdict.findings)
