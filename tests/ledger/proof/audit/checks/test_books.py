"""The books recomputed from a log: every broken posting rule is named, and nothing else."""

import copy

import pytest
from hypothesis import given, settings, strategies as st

from ledger.records.findings import Finding
from tests.support.books_by_hand import before_closing, codes, field, run, sale
from tests.support.entries_by_hand import (
    ANNA,
    BANK,
    BANK_CASH,
    BERT,
    BOX_CASH,
    BOX_CHIPS,
    DRAWER_CASH,
    DRAWER_CHIPS,
    MAKER,
    OVER_CASH,
    PATRONS,
    PUBLIC,
    TOKES,
    VAULT_CASH,
    VAULT_CHIPS,
    entry,
    other,
)
from tests.support.lengths import tries
from tests.support.log_by_hand import LEAVES, at, changed, drawer, find, house_event, night


def test_a_night_that_is_right_has_nothing_wrong_and_leaves_what_the_house_holds():
    found, check = run(night())
    assert found == []
    assert check.checked["entries"] == 20
    assert check.checked["gaming days closed"] == 1
    assert check.balances == {
        VAULT_CHIPS: 931_500,
        VAULT_CASH: 521_400,
        DRAWER_CHIPS: 40_000,
        DRAWER_CASH: 10_000,
        PATRONS: 43_500,
        MAKER: -1_015_000,
        PUBLIC: -31_500,
        BANK: -500_000,
        OVER_CASH: 100,
    }


@pytest.mark.parametrize("begin", range(57))
def test_no_part_of_a_right_night_is_accused_for_what_was_before_it(begin):
    assert codes(night()[begin:], whole=False) == []


def line(number, **more):
    def change(body):
        body["transfers"][number].update(more)

    return change


PAID_FOR_NOTHING = {"from": PUBLIC, "from_kind": "public", "to": DRAWER_CASH, "to_kind": "drawer"}


@pytest.mark.parametrize(
    ("number", "change", "code"),
    [
        (105, field(kind="gift"), "unknown_kind"),
        (105, line(0, asset="cash"), "not_in_chart"),
        (105, line(0, to_kind="drop_box"), "not_in_chart"),
        (105, line(0, cents=0), "bad_amount"),
        (105, line(0, cents=-5), "bad_amount"),
        (105, line(0, cents=True), "bad_amount"),
        (105, line(0, cents=10**12 + 1), "bad_amount"),
        (105, line(0, **{"from": ANNA}), "same_account"),
        (105, field(approver=3), "second_person"),
        (105, field(reverses=104), "not_the_mirror"),
        (105, field(key=" "), "no_key"),
        (105, field(key="key-104"), "key_reused"),
        (105, field(occurred_at=at(14, 1)), "before_its_time"),
        (105, field(gaming_day="2026-11-21"), "wrong_day"),
        (107, field(reason=" "), "reason_required"),
        (108, field(approver=None), "second_person"),
        (108, field(evidence={"corrects": 104}), "not_reversed"),
        (108, line(0, asset="cash", **PAID_FOR_NOTHING), "not_in_chart"),
        (94, line(0, cents=180_001), "below_zero"),
        (94, line(1, **{"from": BOX_CASH, "from_kind": "table_bank"}), "account_changed"),
        (113, line(0, cents=1499), "wrong_count"),
        (113, line(2, **{"from": BANK_CASH, "from_kind": "drop_box"}), "account_changed"),
    ],
)
def test_an_entry_that_breaks_a_rule_is_named(number, change, code):
    bodies = before_closing("entry", number, change)
    found, _ = run(bodies[: bodies.index(find(bodies, "entry", number)) + 1])
    assert (code, f"entry {number}") in [(one.code, one.record) for one in found]


@pytest.mark.parametrize(("approver", "wrong"), [(5, []), (4, ["second_person"]), (None, ["second_person"])])
def test_tokes_that_somebody_else_than_their_dealer_signed_for_are_named(approver, wrong):
    said = {"dealer": 5, "account": TOKES, "cents": 500}
    paid = entry(1, "toke_payout", 1, (TOKES, PATRONS, 500), approver=approver, evidence=said)
    assert codes([paid], whole=False) == [(code, 1) for code in wrong]


def test_a_receipt_that_is_missing_is_named_and_so_is_a_gap_between_two():
    late = {"gaming_day": "2026-11-21"}
    assert codes([*night(), sale(200, 1500, **late), sale(201, 1501, **late)]) == []
    assert codes([*night(), sale(200, 1500, receipt=3, **late)]) == [("number_gap", 200)]
    paid = entry(200, "collection", 1500, (PUBLIC, DRAWER_CASH, 500), evidence={"method": "cage"}, **late)
    assert codes([*night(), paid]) == [("no_receipt", 200)]


def without(number):
    def change(body):
        del body["transfers"][number]

    return change


@pytest.mark.parametrize(
    ("number", "change"),
    [
        *((109, without(side)) for side in (0, 1)),
        *((109, line(side, cents=9_999)) for side in (0, 1)),
        (109, field(transfers=[])),
        *((102, without(side)) for side in (0, 1)),
        *((102, line(side, cents=20_001)) for side in (0, 1)),
        (103, without(0)),
    ],
)
def test_an_entry_that_lacks_one_of_its_sides_is_named(number, change):
    bodies = before_closing("entry", number, change)
    assert codes(bodies[: bodies.index(find(bodies, "entry", number)) + 1]) == [("not_in_chart", number)]


def test_a_document_that_is_sent_without_chips_is_named():
    bodies = before_closing("entry", 101, without(0))
    end = bodies.index(find(bodies, "entry", 101)) + 2
    assert codes(bodies[:end]) == [("not_in_chart", 101), ("wrong_sum", 101)]


def test_an_entry_that_is_not_what_a_verb_writes_is_named_and_stops_nothing():
    for change in (field(transfers=[7]), field(evidence=None, kind="drop"), field(occurred_at=5)):
        bodies = before_closing("entry", 113, change)
        end = bodies.index(find(bodies, "entry", 113)) + 1
        assert codes(bodies[:end]) == [("bad_record", 113)]


@given(st.integers(0, 46), st.data())
@settings(max_examples=tries(200))
def test_no_content_makes_the_check_raise(leaf, data):
    bodies = copy.deepcopy(night())
    anything = st.one_of(st.none(), st.integers(), st.text(), st.lists(st.integers()), st.booleans())
    anything = st.one_of(anything, st.dictionaries(st.text(), anything))
    body = bodies[leaf]
    inner = data.draw(st.sampled_from([body, *(value for value in body.values() if isinstance(value, dict))]))
    if inner:
        inner[data.draw(st.sampled_from(sorted(inner)))] = data.draw(anything)
    found, _ = run(bodies)
    assert all(isinstance(finding, Finding) for finding in found)


# Balances


def test_a_stack_below_zero_is_named_once_until_it_recovers():
    bodies = [
        *night()[:19],
        entry(200, "round", 8, (ANNA, BERT, 20_001)),
        entry(201, "round", 9, (ANNA, BERT, 5)),
        entry(202, "round", 10, (BERT, ANNA, 1_000)),
        entry(203, "round", 11, (ANNA, BERT, 2_000)),
    ]
    assert codes(bodies) == [("below_zero", 200), ("below_zero", 203)]


def test_a_reversal_may_pass_below_zero_when_its_correction_makes_it_good():
    two = {"approver": 4, "reason": "misread"}
    begin = [
        *night()[:19],
        *drawer(7),
        entry(200, "round", 8, (BERT, ANNA, 9_000)),
        entry(201, "cash_out", 9, (ANNA, PATRONS, 29_000)),
    ]
    back = entry(202, "reversal", 12, (ANNA, BERT, 9_000), reverses=200, **two)
    anew = entry(203, "correction", 12, (BERT, ANNA, 9_000), evidence={"corrects": 200}, **two)
    elsewhere = sale(204, 12, 500)
    assert codes([*begin, back, elsewhere, anew]) == []
    assert codes([*begin, back]) == [("below_zero", 202)]
    later = {**anew, "recorded_at": at(13), "occurred_at": at(13)}
    assert codes([*begin, back, later]) == [("below_zero", 202)]
    less = entry(203, "correction", 12, (BERT, ANNA, 4_000), evidence={"corrects": 200}, **two)
    assert codes([*begin, back, less]) == [("below_zero", 203)]


def test_a_house_has_one_public():
    bodies = [*night()[:19], *drawer(7), sale(200, 7, 500)]
    bodies[-1]["transfers"][0]["from"] = 99
    assert codes(bodies) == [("account_changed", 200)]


def test_nobody_redeems_more_than_patrons_hold_and_no_drawer_pays_what_it_has_not():
    begin = [*night()[:6], *drawer(1)]
    redeemed = (PATRONS, DRAWER_CHIPS, 500_001), (DRAWER_CASH, PUBLIC, 500_001)
    assert codes([*begin, entry(200, "chip_redemption", 5, *redeemed)]) == [("below_zero", 200)] * 2
    little = (PATRONS, DRAWER_CHIPS, 1), (DRAWER_CASH, PUBLIC, 1)
    assert codes([*begin, entry(200, "chip_redemption", 5, *little)]) == [("below_zero", 200)] * 2
    assert codes(begin) == []


def test_in_a_part_of_a_log_a_stack_that_is_bought_in_it_is_judged():
    bodies = [*night()[15:18], entry(200, "round", 8, (ANNA, BERT, 20_001))]
    assert codes(bodies, whole=False) == [("below_zero", 200)]


# What records say of each other


def says(**more):
    def change(body):
        body.get("data", body.get("evidence")).update(more)

    return change


@pytest.mark.parametrize(
    "change",
    [
        says(number=2),
        says(place="Table 2"),
        says(installed_at=at(3)),
        says(pulled_at=at(41)),
        says(pulled_by=[3, 5]),
        says(counts=[]),
        lambda body: body["evidence"]["counts"][0].update(chips=1499),
        lambda body: body["evidence"]["counts"][1].update(counter=5),
        lambda body: body["evidence"]["counts"][1].update(counted_at=at(52)),
        says(expected={"chips": 1500, "cash": 1400}),
        says(counted={"chips": 1500, "cash": 1500}),
        says(cause=""),
    ],
)
def test_a_drop_says_of_its_box_what_was_recorded_of_it(change):
    assert codes(before_closing("entry", 113, change)) == [("other_box", 113)]


def test_a_box_is_pulled_under_its_own_number():
    assert codes(changed("house_event", 4, says(number=2))) == [("other_box", 4)]


def test_a_sale_says_the_amount_that_it_moves():
    assert codes(changed("entry", 109, says(cents=10_001))) == [("wrong_sum", 109)]


# Once in a whole log


def test_a_second_entry_of_one_key_and_a_second_record_of_one_row_are_named():
    again = {**sale(200, 19), "key": "key-109"}
    found, _ = run([*night()[:-1], again, copy.deepcopy(night()[16])])
    assert [(one.code, one.leaf) for one in found] == [("key_reused", LEAVES - 1), ("id_reused", LEAVES)]


def test_a_reversal_moves_back_exactly_what_its_entry_moved_and_once():
    two = {"approver": 4, "reason": "wrong stack"}
    begin = night()[:19]
    back = entry(200, "reversal", 8, (BERT, PATRONS, 15_000), reverses=103, **two)
    assert codes([*begin, back]) == []
    less = entry(200, "reversal", 8, (BERT, PATRONS, 14_999), reverses=103, **two)
    assert codes([*begin, less]) == [("not_the_mirror", 200)]
    assert codes([*begin, {**back, "reverses": 999}]) == [("not_the_mirror", 200)]
    assert codes([*begin, {**back, "reverses": 999}], whole=False) == []
    first, second = ({**back, "id": number, "key": f"key-{number}"} for number in (200, 202))
    between = entry(201, "buy_in", 9, (PATRONS, BERT, 15_000))
    assert codes([*begin, first, between, second]) == [("already_reversed", 202)]


def test_an_entry_is_corrected_once_and_only_when_it_was_reversed():
    bodies = night()[:-1]
    two = {"approver": 4, "reason": "again"}
    again = entry(200, "correction", 20, (BERT, ANNA, 100), evidence={"corrects": 105}, **two)
    leaf = bodies.index(find(bodies, "entry", 110))
    found, _ = run([*bodies[:leaf], again])
    assert [(finding.code, finding.leaf) for finding in found] == [("already_corrected", leaf)]
    assert codes([*night()[:26], again]) == [("not_reversed", 200)]


# Boxes


UNSIGNED = ("sheet_not_signed", 97)
NOT_COUNTED = [("not_counted", 153), ("wrong_count", 153), ("not_counted", 113), ("wrong_count", 97)]
OF_ONE = [("did_not_count", 153), ("wrong_count", 153)]
OF_ANOTHER_DAY = [("other_sheet", 95), ("other_sheet", 96), ("wrong_count", 153)]


@pytest.mark.parametrize(
    ("record", "number", "change", "expected"),
    [
        ("house_event", 3, lambda body: body["data"].update(number=2), [("number_gap", 3)]),
        ("house_event", 4, lambda body: body["data"].update(second=3), [("second_person", 4)]),
        ("count", 96, field(counter=5), [("did_not_count", 153), *NOT_COUNTED]),
        ("count", 96, field(cash_cents=1500), [("wrong_sum", 96)]),
        ("count", 96, field(pieces={"chips": [[500, 3]], "cash": [[100, 14]]}), NOT_COUNTED),
        ("count", 96, field(sheet=152), [("unknown_sheet", 96), ("other_sheet", 96), *OF_ONE, UNSIGNED]),
        ("count_sheet", 151, field(number=2), [("number_gap", 151)]),
        ("count_sheet", 151, field(gaming_day="2026-11-19"), OF_ANOTHER_DAY),
        ("count_note", 152, field(sheet=152), [("unknown_sheet", 152)]),
        ("count_sheet_signed", 153, field(signed_with=5), [("second_person", 153)]),
        ("count_sheet_signed", 153, field(signed_with=4), [("did_not_count", 153)]),
        ("count_sheet_signed", 153, field(signed_by=4), [("did_not_count", 153)]),
        ("count_sheet_signed", 153, field(pulled=2), [("wrong_count", 153)]),
        ("count_sheet_signed", 153, field(installed=0), [("wrong_count", 153)]),
        ("count_sheet_signed", 153, field(counted=0), [("wrong_count", 153)]),
        (
            "count_sheet_signed",
            153,
            field(sheet=152),
            [("unknown_sheet", 153), UNSIGNED, ("sheet_not_signed", 98)],
        ),
        ("sign_off", 97, field(expected_cash=1400), [("wrong_expected", 97)]),
        ("sign_off", 97, field(counted_cash=1500), [("wrong_count", 97)]),
        ("sign_off", 97, field(signed_by=6), [("second_person", 97), ("counted_by_signer", 97)]),
        ("sign_off", 97, field(signed_by=4), [("second_person", 97), ("counted_by_signer", 97)]),
        ("sign_off", 97, field(signed_by=9), [("second_person", 97)]),  # another than posted the drop
        ("sign_off", 97, field(signed_with=3), [("second_person", 97), ("counted_by_signer", 97)]),
        ("sign_off", 97, field(threshold_cents=100), [("second_person", 97)]),  # from a dollar on, two sign
        ("sign_off", 97, field(cause=" "), [("cause_required", 97)]),
        ("sign_off", 97, field(entry=112), [("not_dropped", 97)]),
        ("sign_off", 97, field(box=22), [("unknown_box", 97)]),
        ("claim", 91, field(number=2), [("number_gap", 91)]),
        ("claim", 91, field(creditor=71), [("bad_amount", 91)]),
    ],
)
def test_custody_that_is_not_as_it_should_be_is_named(record, number, change, expected):
    assert codes(changed(record, number, change)) == expected


def piece(value, number):
    def change(body):
        part = copy.deepcopy(body.get("evidence", body)["pieces"])
        part["chips"][0] = [value, number]
        body.get("evidence", body)["pieces"] = part

    return change


def said(**more):
    def change(body):
        body["evidence"] = {**body["evidence"], **more}

    return change


@pytest.mark.parametrize(
    ("record", "number", "change", "expected"),
    [
        ("entry", 100, piece(5000, 80), ["wrong_sum", "wrong_denomination"]),
        ("entry", 100, piece(10_000, 79), ["wrong_sum", "wrong_denomination"]),
        ("entry", 100, line(0, cents=1_000_001), ["wrong_sum"]),
        ("entry", 100, field(approver=None), ["second_person"]),
        ("entry", 100, field(approver=3), ["second_person", "second_person"]),
        ("entry", 100, field(approver=5), ["second_person"]),
        ("entry", 100, said(counted_by=[3, 3]), ["second_person"]),
        ("entry", 100, said(way="out"), ["wrong_slip", "wrong_slip"]),
        ("entry", 100, said(number=2), ["wrong_slip"]),
        ("entry", 100, field(evidence={}), ["no_slip"]),
        ("cage_slip", 111, piece(10_000, 81), ["wrong_sum"]),
        ("cage_slip", 111, field(chips_cents=1_000_001), ["wrong_sum"]),
        ("cage_slip", 111, field(number=2), ["number_gap"]),
        ("cage_slip_result", 112, piece(5_000, 160), ["wrong_denomination"]),
        ("cage_slip_result", 112, field(cash_cents=0), ["wrong_sum"]),
        ("cage_slip_result", 112, field(person=3), ["second_person"]),
        ("cage_slip_result", 112, field(person=5), ["second_person"]),
        ("cage_slip_result", 112, field(outcome="differed"), ["wrong_slip", "wrong_slip"]),
        ("cage_slip_result", 112, field(entry=99), ["wrong_slip"]),
    ],
)
def test_a_float_that_was_not_counted_as_it_should_be_is_named(record, number, change, expected):
    found = codes(before_closing(record, number, change))
    assert [code for code, named in found if named == number] == expected


def test_a_changed_denomination_is_named_with_both_numbers():
    found, _ = run(before_closing("cage_slip_result", 112, piece(10_000, 79)))
    assert "Of $100 in chips, cage slip 1 has 80 pieces, and this has 79." in [one.sentence for one in found]


def test_a_float_whose_slip_never_ended_is_named():
    bodies = [body for body in night() if body["record"] != "cage_slip_result"]
    found, _ = run(bodies)
    assert {one.code for one in found} == {"no_slip"}
    assert [one.record for one in found] == ["entry 100", "entry 97", "entry 114"]


def test_a_slip_that_differed_or_was_withdrawn_posts_nothing_and_is_right():
    first, _, last = night()[3:6]
    ends = (
        {
            "outcome": "differed",
            "pieces": {"chips": [[100, 1]], "cash": []},
            "chips_cents": 100,
            "cash_cents": 0,
        },
        {
            "outcome": "withdrawn",
            "pieces": {"chips": [], "cash": []},
            "chips_cents": 0,
            "cash_cents": 0,
            "person": 3,
            "reason": "the van was late",
        },
    )
    for end in ends:
        bodies = [*night()[:3], first, {**last, "entry": None, **end}]
        assert codes(bodies) == []
    bodies[-1] = {**bodies[-1], "reason": " "}
    assert codes(bodies) == [("reason_required", 112)]
    bodies[-1] = {**last, "entry": None, "outcome": "differed"}
    assert codes(bodies) == [("wrong_slip", 112)]
    for end in ({**ends[0], "outcome": "lost"}, {**ends[1], "pieces": ends[0]["pieces"], "chips_cents": 100}):
        bodies[-1] = {**last, "entry": None, **end}
        assert codes(bodies) == [("wrong_slip", 112)]


def test_what_goes_into_a_pulled_box_is_named():
    bodies = night()
    leaf = bodies.index(find(bodies, "count", 95))
    late = entry(200, "collection", 45, (PUBLIC, BOX_CASH, 1500), evidence={"charge": 83, "method": "cash"})
    assert codes([*bodies[:leaf], late]) == [("box_pulled", 200)]
    box = house_event(9, "box_installed", 41, box=22, number=2, chips=BOX_CHIPS, cash=BOX_CASH)
    assert codes([*bodies[:leaf], box]) == [("box_not_empty", 9)]
    early = [body for body in bodies[:-5] if (body["record"], body["id"]) != ("house_event", 4)]
    assert ("box_not_pulled", 95) in codes(early)


def test_the_missing_box_of_a_number_shows():
    more = house_event(9, "box_installed", 41, box=23, number=3, chips=31, cash=32)
    assert codes([*night(), more]) == [("number_gap", 9)]


BEYOND = (
    (field(evidence={"cents": 15_000, "number": 2}), "number_gap"),
    (field(evidence={"cents": 14_999, "number": 1}), "wrong_sum"),
    *((field(approver=None), "second_person"), (field(reason=""), "reason_required")),
)


@pytest.mark.parametrize(("change", "code"), BEYOND)
def test_chips_beyond_the_books_are_numbered_and_accepted_by_two_with_a_reason(change, code):
    bodies = night()
    change(find(bodies, "entry", 99))
    assert (code, 99) in codes(bodies)


def test_a_house_is_opened_once_and_each_of_its_changes_begins_where_the_one_before_ended():
    opened = night()[0]
    assert codes([opened, {**opened, "id": 80}]) == [("opened_twice", 80)]

    def change(number, name, before):
        said = {**opened["data"], "name": name, "before": {"name": before}, "key": ""}
        return {**opened, "id": number, "kind": "house_changed", "data": said}

    right = [opened, change(80, "Sixth", opened["data"]["name"]), change(81, "Seventh", "Sixth")]
    assert codes(right) == []
    assert codes([*right, change(82, "Eighth", "Sixth")]) == [("identity_differs", 82)]


def test_a_change_of_a_player_begins_where_the_one_before_ended():
    def change(number, before, after, player=71):
        return other("player_change", number, 1, player=player, before=before, after=after, actor=None)

    right, wrong = (
        [change(1, "", "a"), change(2, "", "b", player=72), change(3, "a", "c")],
        change(4, "a", "d"),
    )
    assert codes(right) == []
    assert codes([*right, wrong]) == codes([wrong]) == [("identity_differs", 4)]
    assert codes([wrong], whole=False) == []
