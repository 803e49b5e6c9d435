"""Documents of custody recomputed from a log: whatever is not as a right opener has it is named."""

import pytest

from ledger.proof.audit.checks.accounts import Accounts
from ledger.proof.audit.checks.banks import EvidenceGiven
from ledger.proof.audit.checks.documents import Documents
from ledger.rules.bank_signing import difference, is_large, small_ones
from tests.support.books_by_hand import before_closing, codes, field, run
from tests.support.entries_by_hand import (
    BANK_CHIPS,
    OVER_CHIPS,
    VAULT_CHIPS,
    WAY_CHIPS,
    document_step,
    entry,
)
from tests.support.log_by_hand import night, table_event

FIRST, END = 8, 15
"""The leaves of the opener: asked for by 5, authorised by 3, sent by 4 as 101, received by 5 as 96."""
SHORT = {"pieces": {"cash": [], "chips": [[2_500, 79]]}, "chips_cents": 197_500}
BY_TWO = {"second": 3, "reason": "one chip is missing"}


def upto(leaves, *after):
    """The night's first leaves, and then other records."""
    return [*night()[:leaves], *after]


def said(**more):
    def change(body):
        body["evidence"] = body["evidence"] | more

    return change


def line(**more):
    def change(body):
        body["transfers"][0].update(more)

    return change


def test_a_right_opener_is_judged_and_nothing_is_wrong():
    found, check = run(night())
    assert found == []
    assert (check.checked["documents begun"], check.checked["documents ended"]) == (2, 2)


@pytest.mark.parametrize(
    ("record", "number", "change", "expected"),
    [
        ("document", 121, field(number=2), ["number_gap"]),
        (
            "document",
            121,
            field(pieces={"cash": [[2_000, 100]], "chips": []}),
            ["wrong_document", "wrong_sum"],
        ),
        ("document", 121, field(kind="gift"), ["unknown_kind"]),
        ("document", 121, field(chips_cents=200_001), ["wrong_sum"]),
        ("document", 121, field(cash_cents=1), ["wrong_sum"]),
        ("document", 121, field(transit_chips=VAULT_CHIPS), ["wrong_account"]),
        ("document_step", 131, field(ordinal=1), ["wrong_step"]),
        ("document_step", 131, field(step="authorised"), ["wrong_step"]),
        ("document_step", 132, field(after=130), ["wrong_step"]),
        ("document_step", 132, field(person=5), ["second_person"]),
        ("document_step", 132, field(step="voided", **BY_TWO | {"second": 4}), []),
        ("document_step", 132, field(step="received"), ["wrong_step", "wrong_step", "wrong_step"]),
        ("document_step", 132, field(reason="why not"), ["wrong_step"]),
        ("document_step", 132, field(second=4), ["wrong_step"]),
        ("document_step", 132, field(chips_cents=1), ["wrong_sum"]),
        ("document_step", 133, field(person=3), ["second_person", "second_person"]),
        ("document_step", 133, field(person=6), ["second_person"]),
        ("document_step", 133, field(entry=None), ["wrong_step"]),
        ("document_step", 133, field(entry=102), ["wrong_step"]),
        ("document_step", 133, field(**SHORT), ["wrong_step", "wrong_sum"]),
        ("document_step", 133, field(document=122), ["no_document"]),
        ("document_step", 134, field(person=4), ["second_person", "second_person"]),
        (
            "document_step",
            134,
            field(step="differed", **BY_TWO),
            ["second_person", "wrong_step", "wrong_step"],
        ),
        ("document_step", 134, field(**SHORT), ["wrong_step", "wrong_step"]),
        ("entry", 101, said(document=122), ["no_document"]),
        ("entry", 101, said(kind="fill"), ["wrong_document"]),
        ("entry", 101, said(number=2), ["wrong_document"]),
        ("entry", 101, said(step="received"), ["wrong_step", "wrong_sum"]),
        ("entry", 101, line(cents=199_999), ["wrong_sum"]),
        ("entry", 96, line(cents=199_999), ["wrong_sum"]),
        ("entry", 101, line(to=19), ["wrong_account"]),
        ("entry", 96, line(**{"from": 19}), ["below_zero", "wrong_account"]),
        ("entry", 96, line(to=19), ["wrong_account"]),
    ],
)
def test_what_a_document_its_steps_or_its_entries_say_otherwise_is_named(record, number, change, expected):
    bodies = before_closing(record, number, change)
    found, _ = run(bodies)
    name = f"{record.replace('_', ' ')} {number}"
    assert sorted(one.code for one in found if one.record == name) == expected


def test_the_missing_document_of_a_number_shows_and_each_kind_has_its_own_numbers():
    again = night()[FIRST] | {"id": 122, "number": 3, "transit_chips": 21, "transit_cash": 22}
    assert codes(upto(END, again)) == [("number_gap", 122)]
    assert codes(upto(END, again | {"number": 2})) == []
    assert codes(upto(END, again | {"number": 1, "kind": "fill"})) == []


def test_a_document_whose_accounts_are_those_of_another_is_named_even_when_that_has_ended():
    again = night()[FIRST] | {"id": 122, "number": 2}
    assert codes(upto(END - 2, again)) == [("wrong_account", 122)]
    assert codes(upto(END, again)) == [("wrong_account", 122)]


# The order of steps


def test_a_document_is_voided_before_it_is_sent_and_never_after():
    voided = document_step(135, "voided", 6, ordinal=3, after=133, **BY_TWO)
    assert codes(upto(END - 2, voided)) == [("wrong_step", 135), ("not_empty", 135)]
    assert codes(upto(END - 4, voided | {"ordinal": 2, "after": 132})) == []


def test_a_document_is_received_once():
    again = document_step(135, "received", 5, ordinal=4, after=134, entry=None)
    assert codes(upto(END, again)) == [("no_document", 135)]
    twice = night()[END - 2] | {"id": 97, "key": "key-97"}
    assert codes(upto(END, twice))[:1] == [("no_document", 97)]


def test_a_document_that_has_not_ended_is_right_wherever_it_waits():
    for leaves in (FIRST + 1, FIRST + 2, FIRST + 3, FIRST + 5):
        assert codes(upto(leaves)) == []


# Entries and their steps


def test_an_entry_without_its_step_is_named():
    found, _ = run(upto(END - 3))
    assert [(one.code, one.record) for one in found] == [("no_step", "entry 101")]
    again = night()[END - 4] | {"id": 95, "key": "key-95"}
    found, _ = run(upto(END - 3, again))
    assert [(one.code, one.record) for one in found] == [("no_step", "entry 95")] * 2


def test_a_step_without_its_entry_is_named():
    bodies = [body for leaf, body in enumerate(night()[:END]) if leaf != END - 2]
    assert codes(bodies) == [("wrong_step", 134), ("not_empty", 134)]


# A count that is not what was sent


def differed(cents, *lines, step="differed", posted=(), **more):
    """The opener, received with so many cents in $25 chips; `posted` is what its entry says otherwise."""
    posted = dict(posted)
    pieces = {"pieces": {"cash": [], "chips": [[2_500, cents // 2_500]] if cents else []}}
    signed = BY_TWO | more
    by_two = {"approver": signed["second"], "reason": signed["reason"]}
    evidence = {"document": 121, "kind": "opener", "number": 1, "step": "differed", **pieces}
    return upto(
        END - 2,
        entry(96, "document_received", 2, *lines, actor=5, evidence=evidence, **by_two | posted),
        document_step(
            134,
            step,
            5,
            **pieces | {"chips_cents": cents, "ordinal": 3, "after": 133, "entry": 96} | signed,
        ),
    )


MISSING = (197_500, (WAY_CHIPS, BANK_CHIPS, 197_500), (WAY_CHIPS, OVER_CHIPS, 2_500))
TOO_MANY = (202_500, (WAY_CHIPS, BANK_CHIPS, 200_000), (OVER_CHIPS, BANK_CHIPS, 2_500))
NOTHING = (0, (WAY_CHIPS, OVER_CHIPS, 200_000))


@pytest.mark.parametrize("count", [MISSING, TOO_MANY, NOTHING])
def test_a_difference_goes_to_over_short_and_is_right(count):
    assert codes(differed(*count)) == []


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"second": None}, ["second_person"]),
        ({"second": 5, "posted": {"approver": 4}}, ["second_person", "second_person"]),
        ({"second": 4}, ["second_person"]),  # who sent it
        ({"reason": " "}, ["reason_required"]),
        ({"step": "received"}, ["wrong_step", "wrong_step", "wrong_step"]),
    ],
)
def test_a_difference_is_signed_by_two_with_a_reason(more, expected):
    assert codes(differed(*MISSING, **more)) == [(code, 134) for code in expected]


LARGE = {"evidence": "clip 7", "threshold_cents": 2_500}


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"second": 6}, []),
        ({"second": 3}, ["counted_by_signer"]),  # who authorised it
        ({"second": 6, "evidence": ""}, ["evidence_required"]),
        ({"second": 3, "threshold_cents": 2_501}, []),
    ],
)
def test_a_large_difference_has_its_evidence_and_somebody_uninvolved(said, expected):
    assert codes(differed(*MISSING, **LARGE | said)) == [(code, 134) for code in expected]


@pytest.mark.parametrize(
    ("day", "of", "large"),
    [
        ("1", {"person": 5, "table": 9}, True),
        ("1", {"person": 6, "table": 8}, True),
        ("1", {"person": 5, "table": 8}, True),
        ("1", {"person": 6, "table": None}, False),
        ("2", {"person": 5, "table": 8}, False),
    ],
)
def test_slices_of_one_day_by_one_person_or_at_one_table_are_one(day, of, large):
    before = [difference("1", 5, 8, (-50, 10), 100), difference("1", 7, 7, (-500, 0), 100)]
    assert is_large(difference(day, **of, over=(0, 40), threshold=100), small_ones(before)) is large


def test_a_slice_that_nobody_uninvolved_signed_is_named_and_one_finding():
    first, half = differed(*MISSING, **LARGE | {"second": 3, "threshold_cents": 2_501}), []
    check = Documents(Accounts(whole=False), EvidenceGiven(), whole=False)
    for number in (0, 1):
        asked = {"id": 121 + number, "number": 1 + number}
        for body in [first[FIRST], *first[FIRST + 1 : END]]:
            if body["record"] == "document":
                [*check.take(body | asked)]
            elif body["record"] == "document_step":
                half += check.take(body | {"document": asked["id"], "number": 1 + number})
    assert [code for code, _ in half if code == "counted_by_signer"] == ["counted_by_signer"]


@pytest.mark.parametrize("posted", [{"approver": 6}, {"approver": None}, {"reason": "it was stolen"}])
def test_an_entry_that_names_another_second_person_or_reason_than_its_step_is_named(posted):
    assert codes(differed(*MISSING, posted=posted)) == [("second_person", 134)]


def test_what_is_left_under_way_when_a_document_has_ended_is_named():
    left = differed(MISSING[0], MISSING[1])
    assert codes(left) == [("wrong_sum", 96), ("not_empty", 134)]


def reserve_set_opened(read, **more):
    """A set that was sealed under 71 and 72 and is opened by somebody who read these seals; its entries are
    left out."""
    bodies = []
    for number, kind in enumerate(("reserve_set", "reserve_release")):
        asked = night()[FIRST] | {"id": 150 + number, "kind": kind, "number": 1, "place": "Reserve sets"}
        steps = (("requested", 4), ("authorised", 3), ("sent", 4), ("received", 3))
        said = {"document": asked["id"], "series": kind, "place": "Reserve sets"}
        references = ("", "", "", "seals 71, 72") if not number else ("", "", read, "")
        first = 160 + 10 * number
        bodies += [asked | {"transit_chips": first, "transit_cash": first + 1}] + [
            document_step(
                *(first + ordinal, step, person, 3),
                **said | {"ordinal": ordinal, "after": first + ordinal - 1, "reference": references[ordinal]},
                **(more if ordinal == 2 and number else {}),
            )
            for ordinal, (step, person) in enumerate(steps)
        ]
    return bodies


@pytest.mark.parametrize(
    ("read", "signed", "expected"),
    [
        ("seal 72", {}, set()),
        ("seal 73", {}, {"seal_differs"}),
        ("seals 71, 73", BY_TWO | {"second": 4}, {"seal_differs"}),  # who broke them
        ("seals 71, 73", BY_TWO, set()),
        ("they were there", {}, {"reference_required"}),
    ],
)
def test_seals_that_are_broken_are_those_that_were_put_on_or_two_say_why(read, signed, expected):
    found = {code for code, number in codes(reserve_set_opened(read, **signed)) if number == 172}
    assert found - {"wrong_step", "wrong_sum"} == expected
    assert codes(reserve_set_opened(read)[5:], whole=False).count(("seal_differs", 172)) == 0


# A part of a log


@pytest.mark.parametrize("begin", range(FIRST + 1, END))
def test_a_part_of_a_log_that_begins_in_the_middle_of_a_document_accuses_nobody(begin):
    found, check = run(night()[begin:], whole=False)
    assert found == []
    steps = [body for body in night()[begin:] if body["record"] == "document_step"]
    older = check.checked["steps of documents begun before these records, not judged"]
    assert (older, check.checked["documents begun"]) == (len(steps) - 3, 1)


def test_a_day_that_is_closed_while_a_document_waits_is_named():
    gone = {137, 95}
    records = [
        body for body in night() if not (body["record"] in ("document_step", "entry") and body["id"] in gone)
    ]
    assert ("not_ended", 98) in codes(records)


# Past its steps


def test_a_table_that_closes_while_a_document_of_its_bank_waits_is_named():
    closing = table_event(57, "closed", 3)
    for leaves in (FIRST + 1, FIRST + 2, FIRST + 3, FIRST + 5):
        assert codes(upto(leaves, closing)) == [("not_ended", 57)]
    assert codes(upto(END, closing)) == [("not_empty", 57)]
    again = night()[FIRST] | {"id": 122, "number": 2, "chips": 31, "transit_chips": 21, "transit_cash": 22}
    assert codes(upto(END, again, closing)) == [("not_empty", 57)]  # of another table


def test_what_is_under_way_is_neither_corrected_nor_taken_back():
    two = {"approver": 5, "reason": "to the table without a count"}
    taken = entry(95, "correction", 3, (WAY_CHIPS, BANK_CHIPS, 200_000), **two)
    assert codes(upto(END - 2, taken)) == [("not_in_chart", 95)]
    more = entry(95, "correction", 3, (VAULT_CHIPS, WAY_CHIPS, 5_000), **two)
    assert codes(upto(END - 2, more)) == [("not_in_chart", 95)]
    for kind, evidence in (("reversal", {"reverses": 101}), ("undo", {"reverses": 101, "slip": 1})):
        back = entry(95, kind, 3, (WAY_CHIPS, VAULT_CHIPS, 200_000), reverses=101, evidence=evidence, **two)
        assert ("not_in_chart", 95) in codes(upto(END - 2, back))
