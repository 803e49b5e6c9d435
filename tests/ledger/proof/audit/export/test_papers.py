"""The papers of an export are worked out from the records, and safe to open in a spreadsheet."""

import csv
import io
from datetime import UTC, datetime
from functools import partial

import pytest
from hypothesis import given, strategies as st

from ledger.papers.controls import controls
from ledger.papers.paper import Papers, PaperSource, names_of
from tests.support.drawers_by_hand import night_of_a_closed_drawer, signed_off
from tests.support.entries_by_hand import (
    ANNA,
    BANK_CASH,
    BERT,
    BOX_CASH,
    DRAWER_CASH,
    OVER_CASH,
    OVER_CHIPS,
    PUBLIC,
    WAY_CHIPS,
    entry,
    other,
)
from tests.support.log_by_hand import DAY, at, changed, charge, find, night, round_evidence, table_event


def papers(bodies, source=None):
    made, out = Papers(source or PaperSource()), dict.fromkeys(names_of(players=False), b"")
    for lines in (made.begin(), *(made.take(body) for body in bodies), made.finish()):
        for name, line in lines:
            out[name] += line
    return out


def rows(bodies, name, *, source=None):
    return list(csv.DictReader(io.StringIO(papers(bodies, source)[name].decode(), newline="")))


def test_the_journal_has_a_line_for_each_transfer_with_who_and_why():
    lines = rows(night(), "journal.csv")
    assert len(lines) == 27
    back = next(line for line in lines if line["kind"] == "reversal")
    assert (back["from_kind"], back["from"], back["to"], back["amount"]) == (
        "stack",
        str(ANNA),
        str(BERT),
        "90.00",
    )
    assert (back["actor"], back["approver"], back["reverses"]) == ("3", "4", "105")


def test_a_text_that_a_spreadsheet_would_take_for_a_formula_is_made_safe_and_amounts_stay_numbers():
    lines = rows(night(), "journal.csv")
    assert next(line for line in lines if line["kind"] == "reversal")["reason"] == "'=misread the back"
    for text in ("+1", "-1", "@x", "\tx", "\rx", "\nx"):
        (*_, last) = rows([entry(1, "round", 1, (ANNA, BERT, 5), reason=text)], "journal.csv")
        assert last["reason"] == f"'{text}"
    assert rows(night(), "rounds.csv")[0]["seat_2"] == "-90.00"


def test_an_entry_that_moves_nothing_is_in_the_journal_too():
    (line,) = rows([entry(1, "collection", 1, evidence={"charge": 9, "method": "covered"})], "journal.csv")
    assert (line["entry"], line["asset"], line["amount"]) == ("1", "", "")


def test_a_charge_comes_with_its_taking_and_an_open_one_at_the_end():
    lines = rows(night(), "collections.csv")
    assert [(line["charge"], line["taken_by"], line["entry"]) for line in lines] == [
        ("81", "stack", "104"),
        ("82", "cash", "106"),
        ("83", "open", ""),
    ]
    assert (lines[0]["table"], lines[0]["player"], lines[0]["amount"], lines[0]["version"]) == (
        "1",
        "71",
        "15.00",
        "1",
    )


AHEAD = {"round_id": None, "down_id": 32}
"""A fee paid before the first round of the second down."""
START, LEFT = ("round_started", {"down_id": 32}), ("left", {"sitting": 61})


@pytest.mark.parametrize(
    ("events", "state"),
    [
        ([], "not owed"),
        ([START], "open"),
        ([LEFT, START], "not owed"),
        ([LEFT, ("seated", {"sitting": 64, "player": 71}), START], "open"),
        ([("left", {"sitting": 62}), ("round_started", {"down_id": 31})], "not owed"),
        ([START, ("fee_uncollected", {"charge": 81, "number": 1})], "uncollected"),
    ],
)
def test_r61_what_was_paid_ahead_and_taken_back_is_open_only_once_a_round_has_made_it_due(events, state):
    ahead = charge(81, 61, 71, 10) | AHEAD
    known = {
        "charge": 81,
        "method": "cash",
        **{name: ahead[name] for name in ("session", "sitting", "down", "rate")},
    }
    known |= {"fee_cents": 1500, "cents": 1500, "charge_day": DAY}
    paid = entry(1, "collection", 1, (PUBLIC, BOX_CASH, 1500), evidence=known)
    back = entry(2, "undo", 2, (BOX_CASH, PUBLIC, 1500), reverses=1, evidence=known | {"of": "collection"})
    later = [table_event(90 + turn, kind, 3, **data) for turn, (kind, data) in enumerate(events)]
    lines = rows([ahead, paid, back, *later], "collections.csv")
    assert [line["taken_by"] for line in lines] == ["cash", "cash", state]


def test_the_minute_on_the_table_s_clock_is_written_as_one():
    for seconds, minute in (
        ("1200.000000", "20:00.000000"),
        ("59.500000", "0:59.500000"),
        (None, ""),
        ("x", "x"),
    ):
        (line,) = rows([charge(81, 61, 71, 10) | {"minute_seconds": seconds}], "collections.csv")
        assert line["minute"] == minute


def test_a_charge_made_before_these_records_is_known_by_its_taking():
    evidence = {"charge": 9, "method": "cage", "session": 5, "down": 2, "sitting": 61, "rule": "half"}
    evidence |= {"fee_cents": 1500, "cents": 750, "rate": {"option": 3, "version": 1}}
    (line,) = rows(
        [entry(1, "collection", 1, (PUBLIC, DRAWER_CASH, 750), evidence=evidence)], "collections.csv"
    )
    assert (line["charge"], line["player"], line["amount"], line["taken_by"]) == ("9", "1", "7.50", "cage")


def test_rounds_say_what_every_seat_won_and_a_race_what_the_match_came_to():
    first, second = rows(night(), "rounds.csv")
    assert (first["kind"], first["sheet"], first["limit"], first["seat_1"]) == (
        "round",
        "western",
        "5.00",
        "90.00",
    )
    assert (second["kind"], second["seat_1"], second["seat_3"]) == ("correction", "45.00", "")
    match = {"after": {"1": 3, "2": 11}, "payments": [{"from": 1, "to": 2, "paid": "100.00"}]}
    race = round_evidence(0) | {"result": {"1": [3, 0]}, "match": match}
    (won,) = rows([entry(1, "round", 1, (ANNA, BERT, 10_000), evidence=race)], "rounds.csv")
    assert (won["seat_1"], won["seat_2"]) == ("-100.00", "100.00")


def test_a_cage_slip_has_a_line_for_each_denomination_with_both_counts():
    lines = rows(night(), "cage_slips.csv")
    named = ("asset", "denomination", "first_count", "second_count", "amount")
    assert [tuple(line[name] for name in named) for line in lines] == [
        ("chips", "100.00", "80", "80", "8000.00"),
        ("chips", "25.00", "80", "80", "2000.00"),
        ("cash", "100.00", "50", "50", "5000.00"),
        ("chips", "25.00", "20", "20", "500.00"),
        ("chips", "100.00", "93", "93", "9300.00"),
        ("chips", "1.00", "15", "15", "15.00"),
        ("cash", "100.00", "52", "52", "5200.00"),
        ("cash", "1.00", "14", "14", "14.00"),
    ]
    told = ("number", "way", "outcome", "counted_by", "person", "entry")
    assert {tuple(line[name] for name in told) for line in lines} == {
        ("1", "in", "posted", "3", "4", "100"),
        ("2", "to_drawer", "posted", "3", "4", "97"),
        ("3", "count", "posted", "3", "4", "114"),
    }


def test_a_cage_slip_that_waits_is_listed_without_its_count():
    slip = next(body for body in night() if body["record"] == "cage_slip")
    (line,) = rows([slip], "cage_slips.csv")
    assert (line["number"], line["outcome"], line["asset"], line["amount"]) == ("1", "waiting", "", "")


def test_a_cage_slip_begun_before_these_records_has_its_second_count():
    end = next(body for body in night() if body["record"] == "cage_slip_result")
    line = rows([end], "cage_slips.csv")[0]
    assert (line["number"], line["first_count"], line["second_count"]) == ("", "", "80")


def said(line, *names):
    return tuple(line[name] for name in names)


def test_a_count_sheet_has_its_counts_notes_and_signatures():
    lines = rows(night(), "count_sheets.csv")
    named = ("line", "box", "place", "attempt", "state", "person", "second")
    assert [said(line, *named) for line in lines] == [
        ("begun", "", "", "", "", "5", ""),
        ("told", "", "", "", "", "5", ""),
        ("count", "1", "Table 1", "1", "stands", "5", ""),
        ("count", "1", "Table 1", "1", "stands", "6", ""),
        ("signed", "", "", "", "", "5", "6"),
    ]
    assert {said(line, "gaming_day", "sheet") for line in lines} == {(DAY, "1")}
    counted = ("chips", "cash", "chips_pieces", "cash_pieces")
    assert said(lines[2], *counted) == ("15.00", "14.00", "3 x $5", "1 x $10, 4 x $1")
    assert lines[1]["text"] == "'=the count begins"
    assert said(lines[-1], "installed", "pulled", "counted", "without_box") == ("1", "1", "1", "Table 2")


def test_a_count_before_the_last_attempt_at_a_box_is_struck():
    bodies = night()
    for number, counter in ((98, 5), (99, 6)):
        again = {**find(bodies, "count", 95), "id": number, "counter": counter, "attempt": 2}
        bodies.insert(bodies.index(find(bodies, "count_sheet_signed", 153)), again)
    states = [line["state"] for line in rows(bodies, "count_sheets.csv") if line["line"] == "count"]
    assert states == ["struck", "struck", "stands", "stands"]


def test_a_sheet_that_is_not_signed_is_on_no_paper():
    bodies = [body for body in night() if body["record"] != "count_sheet_signed"]
    assert rows(bodies, "count_sheets.csv") == []


def test_a_document_has_a_line_for_each_step_with_who_and_how_much():
    lines = rows(night(), "documents.csv")[:4]
    named = ("step", "person", "second", "chips", "cash", "over_chips", "over_cash", "entry")
    assert [said(line, *named) for line in lines] == [
        ("requested", "5", "", "2000.00", "0.00", "", "", ""),
        ("authorised", "3", "", "", "", "", "", ""),
        ("sent", "4", "", "2000.00", "0.00", "", "", "101"),
        ("received", "5", "", "2000.00", "0.00", "0.00", "0.00", "96"),
    ]
    told = ("gaming_day", "kind", "number", "place", "at")
    assert {said(line, *told) for line in lines} == {(DAY, "opener", "1", "Table 1", at(2))}


def test_a_closer_has_its_lines_in_the_day_of_the_closing():
    lines = rows(night(), "documents.csv")[4:]
    named = ("kind", "step", "person", "chips", "cash", "over_chips", "over_cash", "entry")
    assert [said(line, *named) for line in lines] == [
        ("closer", "requested", "4", "1800.00", "200.00", "", "", ""),
        ("closer", "sent", "3", "1800.00", "200.00", "", "", "94"),
        ("closer", "received", "7", "1800.00", "200.00", "0.00", "0.00", "95"),
    ]


def test_a_step_of_a_document_has_the_houses_local_time_beside_it():
    made = Papers(PaperSource(offsets=(("", "-08:00"),)))
    steps = [body for body in night() if body["record"] == "document_step"]
    (line, *_) = [line for body in steps for name, line in made.take(body) if name == "documents.csv"]
    assert b"2026-11-20T20:02:00.000000Z,2026-11-20T12:02:00.000000-08:00" in line


OF_SHIFTS = {
    "collections.csv": {"1"},
    "cage_slips.csv": {"1"},
    "documents.csv": {"1"},
    "drawers.csv": {"1"},
    "over_short.csv": {"1", ""},
}
"""The night is played between noon and one: in the first of two shifts; sums have none."""


def test_papers_of_the_cage_and_of_fees_say_the_shift_beside_the_day():
    bodies = night_of_a_closed_drawer()
    bodies[0]["data"]["shifts"] = 2
    fresh = partial(PaperSource, offsets=(("", "-08:00"),))
    for name, shifts in OF_SHIFTS.items():
        assert {line["shift"] for line in rows(bodies, name, source=fresh())} == shifts
        assert {line["shift"] for line in rows(bodies, name)} == {""}  # the offsets are not known
        bodies[0]["data"]["day_starts_at"] = 0  # shifts from midnight and noon on
        assert "2" in {line["shift"] for line in rows(bodies, name, source=fresh())}
        bodies[0]["data"]["day_starts_at"] = 6


def test_a_box_is_of_the_shift_in_which_it_was_installed_and_says_in_which_later_one_it_was_pulled():
    source = PaperSource(offsets=(("", "-08:00"),))
    source.clocks.take(datetime(2026, 11, 1, tzinfo=UTC), {"day_starts_at": 6, "shifts": 2})
    box = {"number": 4, "installed_at": at(2), "pulled_at": at(8 * 60)}
    lines = rows([entry(1, "drop", 8 * 60, evidence=box)], "reconciliation.csv", source=source)
    assert [said(line, "what", "shift", "shift_to") for line in lines] == [
        *(("drop_box", "1", "2"), ("table", "", ""), ("shift", "1", "")),
        *(("boxes", "", ""), ("together", "", "")),
    ]


@pytest.mark.parametrize("wrong", ["never", None, 5, "2026-11-20T12:00:00"])
def test_a_line_of_no_moment_or_day_or_of_an_unknown_clock_has_no_shift(wrong):
    source = PaperSource(offsets=(("", "-08:00"),))
    assert source.shift(DAY, at(2)) == ""
    source.clocks.take(datetime(2026, 11, 1, tzinfo=UTC), {"day_starts_at": 6, "shifts": 2})
    assert source.shift(DAY, at(2)) == "1"
    assert (source.shift(DAY, wrong), source.shift(wrong, at(2))) == ("", "")


def short_opener():
    """The night in which a second person and a reason stand for an opener with one chip missing."""
    bodies, counted = night(), {"pieces": {"chips": [[2500, 79]], "cash": []}, "chips_cents": 197_500}
    arrived = find(bodies, "entry", 96)
    missing = entry(96, "x", 2, (WAY_CHIPS, OVER_CHIPS, 2_500))["transfers"]
    arrived["transfers"] = [arrived["transfers"][0] | {"cents": 197_500}, *missing]
    arrived["evidence"] |= {"step": "differed", "pieces": counted["pieces"]}
    arrived |= {"approver": 3, "reason": "a chip is missing"}
    last = find(bodies, "document_step", 134)
    last |= counted | {"step": "differed", "second": 3, "reason": "a chip is missing"}
    return bodies


def test_what_arrived_of_a_document_says_what_it_is_over_or_short():
    last = rows(short_opener(), "documents.csv")[3]
    named = ("step", "second", "reason", "chips", "over_chips", "over_cash")
    assert said(last, *named) == ("differed", "3", "a chip is missing", "1975.00", "-25.00", "0.00")


def test_a_step_of_a_document_begun_before_these_records_has_what_it_says_itself():
    step = find(night(), "document_step", 133)
    (line,) = rows([step], "documents.csv")
    assert said(line, "kind", "number", "step", "chips") == ("opener", "1", "sent", "2000.00")


def test_over_and_short_has_each_box_and_bank_with_cause_and_signer_and_the_sums_last():
    box_21, signers = "a dollar is missing", ("cause", "signed_by", "second", "entry")
    bank, box, vault, sums = rows(night(), "over_short.csv")
    places, figures = ("what", "number"), ("expected_chips", "expected_cash", "counted_chips", "counted_cash")
    over = ("over_chips", "over_cash", "over_short")
    assert said(bank, *places, *figures) == ("table_bank", "1", "1800.00", "200.00", "1800.00", "200.00")
    assert said(bank, *over, *signers) == ("0.00", "0.00", "0.00", "", "", "", "112")
    assert said(box, *places, *figures) == ("drop_box", "1", "15.00", "15.00", "15.00", "14.00")
    assert said(box, *over, *signers) == ("0.00", "-1.00", "-1.00", box_21, "7", "", "113")
    assert said(vault, *places, *figures) == ("vault", "3", "9315.00", "5214.00", "9315.00", "5214.00")
    assert said(vault, *over, *signers) == ("0.00", "0.00", "0.00", "", "", "", "114")
    assert said(sums, *places, *figures) == ("together", "", "11130.00", "5429.00", "11130.00", "5428.00")
    assert said(sums, *over, *signers) == ("0.00", "-1.00", "-1.00", "", "", "", "")


def test_over_and_short_has_a_document_that_was_received_with_a_difference():
    first, *_, sums = rows(short_opener(), "over_short.csv")
    named = (
        "what",
        "number",
        "expected_chips",
        "counted_chips",
        "over_short",
        "cause",
        "signed_by",
        "second",
    )
    amounts = ("2000.00", "1975.00", "-25.00")
    assert said(first, *named) == ("opener", "1", *amounts, "a chip is missing", "5", "3")
    assert said(sums, "over_chips", "over_cash", "over_short") == ("-25.00", "-1.00", "-26.00")


def test_over_and_short_has_a_drawer_that_was_closed_with_a_difference():
    signed = night_of_a_closed_drawer(signed_off(signed_with=8))
    places, figures = ("what", "number"), ("expected_chips", "expected_cash", "counted_chips", "counted_cash")
    over, why = ("over_chips", "over_cash", "over_short"), ("cause", "signed_by", "second", "entry")
    bank, box, line, vault, sums = rows(signed, "over_short.csv")
    assert said(line, *places, *figures) == ("drawer", "1", "400.00", "100.00", "400.00", "90.00")
    assert said(line, *over, *why) == ("0.00", "-10.00", "-10.00", "a ten stuck to another", "7", "8", "200")
    assert said(sums, *places, *figures) == ("together", "", "11930.00", "5619.00", "11930.00", "5608.00")
    assert said(sums, *over) == ("0.00", "-11.00", "-11.00")
    open_still = rows(night_of_a_closed_drawer(), "over_short.csv")
    assert said(open_still[2], *over, *why) == ("0.00", "-10.00", "-10.00", "", "", "", "200")
    assert [*open_still[:2], *open_still[3:]] == [bank, box, vault, sums]


def test_a_closed_drawer_has_a_line_of_what_came_and_went_and_who_counted():
    assert rows(night(), "drawers.csv") == []
    (line,) = rows(night_of_a_closed_drawer(), "drawers.csv")
    assert said(line, "gaming_day", "number", "cashier", "opened_at", "closed_at") == (
        *(DAY, "1", "3"),
        *(at(18), at(70)),
    )
    moved = ("chips_in", "cash_in", "chips_out", "cash_out")
    assert said(line, *moved) == ("500.00", "100.00", "100.00", "0.00")
    figures = ("expected_chips", "expected_cash", "counted_chips", "counted_cash", "over_chips", "over_cash")
    assert said(line, *figures) == ("400.00", "100.00", "400.00", "90.00", "0.00", "-10.00")
    assert said(line, "first", "second", "entry") == ("3", "4", "200")


def test_the_cause_of_a_banks_difference_is_the_one_that_the_cage_gave_afterwards():
    back = entry(
        *(1, "bank_count", 40, (OVER_CASH, BANK_CASH, 300)),
        evidence={"session": 5, "table": 4, "pieces": {"chips": [[500, 2]], "cash": [[100, 3]]}},
    )
    signed = {"entry": 1, "cause": "a patron's change", "signed_by": 7, "signed_with": 8}
    signed = other("bank_sign_off", 1, 45, **signed, over_chips=0, over_cash=300)
    named = ("number", "expected_cash", "counted_cash", "over_cash", "cause", "signed_by", "second")
    amounts = ("4", "0.00", "3.00", "3.00")
    lines = [rows(bodies, "over_short.csv")[0] for bodies in ([back], [back, signed])]
    assert said(lines[0], *named) == (*amounts, "", "", "")
    assert said(lines[1], *named) == (*amounts, "a patron's change", "7", "8")


def test_a_gaming_day_on_which_nothing_was_counted_has_its_sums_and_one_that_waits_is_closed_with_the_next():
    closing = find(night(), "closed_day", 98)
    (line,) = rows([closing], "over_short.csv")
    assert said(line, "gaming_day", "what", "over_short") == (DAY, "together", "0.00")
    drop = find(night(), "entry", 113)
    later = rows([drop, closing | {"gaming_day": "2026-11-21"}], "over_short.csv")
    days = [said(line, "gaming_day", "what") for line in later]
    assert days == [(DAY, "drop_box"), (DAY, "together"), ("2026-11-21", "together")]


def test_the_trial_balance_goes_from_day_to_day_and_adds_up_to_nothing():
    late = entry(300, "chip_sale", 1500, (PUBLIC, DRAWER_CASH, 500), gaming_day="2026-11-21")
    lines = rows([*night(), late], "trial_balance.csv")
    balances = {(line["gaming_day"], line["account_kind"], line["asset"]): line["balance"] for line in lines}
    assert balances["2026-11-20", "vault", "cash"] == "5214.00"
    assert balances["2026-11-21", "drawer", "cash"] == "105.00"
    for asset in ("cash", "chips"):
        of_day = [
            line["balance"] for line in lines if (line["gaming_day"], line["asset"]) == ("2026-11-20", asset)
        ]
        assert sum(round(float(balance) * 100) for balance in of_day) == 0


def test_columns_stand_in_one_order_and_lines_end_as_csv_has_it():
    made = papers([])
    lines = {name: made[name].count(b"\n") for name in names_of(players=False)}
    assert all(data.endswith(b"\r\n") for data in made.values())
    assert lines.pop("controls.csv") == len(controls()) + 1
    assert set(lines.values()) == {1}


anything = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.text(), st.sampled_from(["1.00", "entry", "round"])
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(), inner, max_size=3)),
    max_leaves=8,
)


@given(st.integers(0, 36), st.data())
def test_papers_are_made_of_whatever_records_say(leaf, data):
    body = dict(night()[leaf])
    for name in data.draw(st.lists(st.sampled_from(sorted(body)), max_size=4)):
        body[name] = data.draw(anything)
    made = papers([*night()[:leaf], body])
    for name in names_of(players=False):
        assert len(list(csv.reader(io.StringIO(made[name].decode(), newline="")))) >= 1


def test_one_changed_amount_changes_the_papers():
    other = changed("entry", 110, lambda body: body["transfers"][0].update(cents=22_999))
    differ = {name for name in names_of(players=False) if papers(other)[name] != papers(night())[name]}
    assert differ == {"journal.csv", "trial_balance.csv"}


def test_a_receipt_of_the_window_says_which_chips_and_whose():
    pieces = {"chips": [[2_500, 3], [500, 5]], "cash": []}
    said = {"cents": 10_000, "receipt": 7, "pieces": pieces, "patron_from": 300_000, "player": 4}
    given = {"given": {"chips": [[10_000, 1]], "cash": []}}
    one = entry(160, "chip_change", 10, actor=3, evidence=said | given)
    (line,) = rows([one], "receipts.csv")
    assert (line["number"], line["kind"], line["amount"]) == ("7", "chip_change", "100.00")
    assert (line["chips_pieces"], line["given_chips"]) == ("3 x $25, 5 x $5", "1 x $100")
    assert (line["cash_pieces"], line["player"], line["entry"]) == ("", "4", "160")
