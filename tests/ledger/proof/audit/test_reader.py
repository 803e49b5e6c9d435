"""Reading a log record by record, and what is deferred to its end."""

import re
from itertools import chain
from pathlib import Path

from hypothesis import given, settings, strategies as st

from ledger.proof.audit.checks import spill
from ledger.proof.audit.checks.books import BooksCheck
from ledger.proof.audit.checks.spill import Spill
from ledger.proof.audit.export.alignment import AHEAD, Alignment
from ledger.proof.audit.reader import Reader, named
from ledger.proof.audit.tree.merkle import leaf_hash
from ledger.records import declaring
from tests.support.lengths import tries
from tests.support.log_by_hand import LEAVES, changed, night, record


def log(bodies):
    return [(leaf, record(body), leaf_hash(record(body))) for leaf, body in enumerate(bodies)]


def codes(records, site=1):
    reader = Reader([BooksCheck(whole=True)], site=site)
    found = [*chain(*(reader.take(leaf, data) for leaf, data, _ in records)), *reader.finish()]
    return [(finding.code, finding.leaf, finding.record) for finding in found]


def test_a_log_that_is_right_has_nothing_wrong():
    assert codes(log(night())) == []


def test_a_record_of_another_house_is_named_and_of_a_second_one_too():
    bodies = night()
    for leaf, site in ((14, 2), (15, 2), (16, 3)):
        bodies[leaf]["site"] = site
    found = [(code, leaf) for code, leaf, _ in codes(log(bodies))]
    assert found == [("other_site", 14), ("other_site", 16)]


def test_a_version_that_is_not_known_is_not_read_as_one_that_is():
    records = log(night())
    newer = records[20][1].replace(b"[1,", b"[2,", 1)
    records[20] = (20, newer, leaf_hash(newer))
    assert codes(records) == [("unknown_version", 20, "down 31")]


class Failing:
    """A check that fails on what it did not expect."""

    checked: dict[str, int] = {}

    def take(self, leaf, body):
        return body["evidence"]["findings"]

    def finish(self):
        return []


def test_what_a_check_stumbles_over_is_a_finding_about_the_record():
    reader = Reader([Failing()], site=1)
    data = record(night()[4])
    assert [finding.code for finding in reader.take(3, data)] == ["bad_record"]


def test_what_bytes_say_they_are_is_asked_of_records_alone():
    assert named(record(night()[4])) == "entry 100"
    assert named(b"[1,7]") == named(b"nonsense") == ""


def test_counts_of_the_checks_are_added_to_those_of_reading():
    reader = Reader([BooksCheck(whole=True)], site=1)
    for leaf, data, _ in log(changed("entry", 105, lambda body: None)):
        assert list(reader.take(leaf, data)) == []
    assert list(reader.finish()) == []
    assert (reader.checked["records"], reader.checked["entries"]) == (LEAVES, 20)


# Facts put aside


@settings(max_examples=tries(50))
@given(
    st.lists(st.tuples(st.integers(-5, 300), st.integers(0, 3), st.integers(0, 2**64 - 1), st.integers(0, 9)))
)
def test_facts_of_one_key_meet_again_whether_they_were_put_into_files_or_not(facts):
    mask = 2**64 - 1
    expected = sorted((key & mask, sort, value, leaf, 7) for key, sort, value, leaf in facts)
    for in_memory in (1, 7, 1 << 17):
        spill.IN_MEMORY, before = in_memory, spill.IN_MEMORY
        try:
            aside = Spill()
            for fact in facts:
                aside.put(*fact, 7)
        finally:
            spill.IN_MEMORY = before
        groups = list(aside.groups(range(4)))
        assert sorted(fact for group in groups for fact in group) == expected
        assert all(group == sorted(group) and len({fact[0] for fact in group}) == 1 for group in groups)
        assert len(groups) == len({fact[0] for fact in expected})


# Lines against leaves


def aligned(lines, leaves):
    alignment = Alignment(0)
    for at in range(max(len(lines), len(leaves))):
        line = lines[at] if at < len(lines) else None
        alignment.take(at + 1, line, b"", leaves[at] if at < len(leaves) else None)
    return [(finding.code, finding.leaf) for finding in alignment.finish()]


def hashes(*numbers):
    return [leaf_hash(b"%d" % number) for number in numbers]


def test_lines_that_are_those_of_the_leaves_have_nothing_wrong():
    assert aligned(hashes(*range(500)), hashes(*range(500))) == []
    assert aligned([], []) == []


@settings(max_examples=tries(200))
@given(st.integers(1, 400), st.data())
def test_one_thing_done_to_the_lines_is_one_finding(count, data):
    leaves = hashes(*range(count))
    at = data.draw(st.integers(0, count - 1))
    out, put, other = leaves[:at] + leaves[at + 1 :], leaves[:at] + hashes(9999) + leaves[at:], hashes(9999)
    assert aligned(out, leaves) == [("record_missing", at)]
    assert aligned(put, leaves) == [("record_extra", None)]
    assert aligned([*leaves[:at], *other, *leaves[at + 1 :]], leaves) == [("record_changed", at)]
    assert aligned(leaves[:at], leaves) == [("record_missing", at)]


@settings(max_examples=tries(100))
@given(st.integers(2, 400), st.data())
def test_a_record_that_was_moved_within_sight_is_one_finding_that_says_so(count, data):
    leaves = hashes(*range(count))
    begin = data.draw(st.integers(0, count - 2))
    end = data.draw(st.integers(begin + 1, min(count - 1, begin + AHEAD - 1)))
    moved = [*leaves[:begin], *leaves[begin + 1 : end + 1], leaves[begin], *leaves[end + 1 :]]
    assert [code for code, _ in aligned(moved, leaves)] == ["record_moved"]


def test_lines_that_have_nothing_to_do_with_the_leaves_are_named_up_to_a_number():
    found = aligned(hashes(*range(5000, 6500)), hashes(*range(1500)))
    assert len(found) == 1001
    assert found[-1] == ("record_changed", None)


# What is documented

PAGE = (Path(__file__).resolve().parents[4] / "docs" / "audit-format.md").read_text()
BOOKS = Path(declaring.__file__).parents[1]
SOURCES = [path for room in ("papers", "proof/audit", "records") for path in (BOOKS / room).rglob("*.py")]
SOURCES.remove(BOOKS / "papers" / "exceptions.py")  # the kinds of exceptions look like codes


def test_the_page_lists_every_code_that_is_found():
    codes = set()
    for path in SOURCES:
        codes |= set(re.findall(r"(?:inding|_wrong)\(\s*\"([a-z_]+)\"", path.read_text()))
        told = r"(?:_about\(\w+, |yield |return |\()\"([a-z_]+)\", (?:f?\"[A-Z{]|sentence)"
        codes |= set(re.findall(told, path.read_text()))
    assert len(codes) > 65
    assert {code for code in codes if f"`{code}`" not in PAGE} == {"more"}
