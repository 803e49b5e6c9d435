"""The papers that say who moved what between which places, worked out from records by hand."""

import copy

import pytest

from ledger.papers.paper import Papers, PaperSource, declared
from tests.ledger.proof.audit.export.test_papers import papers, rows, said
from tests.support.drawers_by_hand import night_of_a_closed_drawer
from tests.support.entries_by_hand import ANNA, BOX_CASH, PUBLIC, entry, house_event, other, table_event
from tests.support.log_by_hand import DAY, RATE, at, charge, find, night

NEXT = "2026-11-21"


def test_a_slip_is_one_line_with_its_denominations_and_everybody_who_took_a_step():
    opener, closer = rows(night(), "slips.csv")
    people = ("requested_by", "authorised_by", "sent_by", "received_by")
    assert said(opener, "kind", "number", "table", "state", *people) == (
        *("opener", "1", "1", "received"),
        *("5", "3", "4", "5"),
    )
    assert said(opener, "chips_pieces", "chips", "over_chips") == ("80 x $25", "2000.00", "0.00")
    assert said(closer, "kind", "chips", "cash", *people) == (
        "closer",
        "1800.00",
        "200.00",
        "4",
        "",
        "3",
        "7",
    )


def voided(bodies):
    """The night in which the opener is voided instead of sent, by 5 and 3."""
    bodies = [body for body in bodies if body.get("id") not in (101, 133, 96)]
    last = find(bodies, "document_step", 134)
    last |= {"step": "voided", "second": 3, "reason": "the table did not open", "entry": None}
    return bodies


def test_a_voided_slip_says_why_and_who_voided_it_with_whom():
    opener = rows(voided(night()), "slips.csv")[0]
    named = ("state", "voided_by", "second", "reason", "sent_by", "chips")
    assert said(opener, *named) == ("voided", "5", "3", "the table did not open", "", "2000.00")


def deposit(step, person, day, **more):
    said = {"document": 500, "series": "deposit", "number": 4, "place": "The bank", "gaming_day": day}
    said |= {
        "second": None,
        "entry": None,
        "reason": "",
        "reference": "",
        "chips_cents": 0,
        "cash_cents": 5_000,
    }
    said |= {"pieces": {"chips": [], "cash": [[100, 50]]}, "person": person, "at": at(1), "step": step}
    return other("document_step", 600 + person, 1, **said | more)


def test_a_deposit_that_the_bank_confirms_days_later_has_a_line_on_each_day():
    asked = other("document", 500, 1, kind="deposit", number=4, gaming_day=DAY, cash_cents=5_000)
    boxes = [other("document_box", 700 + box, 1, document=500, box=box, attempt=1) for box in (21, 22)]
    first = [deposit("requested", 3, DAY), deposit("sent", 4, DAY, reference="Loomis 7")]
    closed = {**find(night(), "closed_day", 98)}
    last = deposit("received", 5, NEXT, reference="slip 88")
    lines = rows([asked, *boxes, *first, closed, last], "deposits.csv")
    named = ("gaming_day", "state", "boxes", "sent_by", "carrier", "received_by", "reference", "cash")
    assert [said(line, *named) for line in lines] == [
        (DAY, "sent", "2", "4", "Loomis 7", "", "", "50.00"),
        (NEXT, "received", "", "", "", "5", "slip 88", "50.00"),
    ]
    alone = rows([closed, last], "deposits.csv")
    assert alone == lines[1:]  # wherever an export begins


def test_the_log_of_boxes_has_who_installed_pulled_brought_and_counted():
    bodies = night()
    find(bodies, "house_event", 4)["data"] |= {"seal": "B2", "seal_reason": "replaced", "emergency": "fire"}
    brought = {"box": 21, "seal": "B2", "reason": "torn", "at": at(44)}
    pulled = bodies.index(find(bodies, "house_event", 4)) + 1
    bodies[pulled:pulled] = [
        other("box_received", 1, 43, **brought, ordinal=1, place="storage", person=3, second=4),
        other("box_received", 2, 44, **brought, ordinal=2, place="count_room", person=5, second=6),
    ]
    (line,) = rows(bodies, "box_log.csv")
    assert said(line, "gaming_day", "box", "table", "installed_by", "installed_at") == (
        *(DAY, "1", "1", "3", at(2)),
    )
    assert said(line, "pulled_by", "pulled_with", "pulled_at") == ("3", "4", at(40))
    assert said(line, "seal_read", "reason", "emergency") == ("B2", "replaced; torn; torn", "fire")
    brought = ("stored_by", "stored_with", "received_by", "received_with", "received_at")
    assert said(line, *brought) == ("3", "4", "5", "6", at(44))
    assert said(line, "counted_by", "counted_with", "entry") == ("5", "6", "113")


def test_a_box_that_nobody_has_pulled_is_in_the_log_of_its_day():
    (line,) = rows(
        [house_event(3, "box_installed", 2, box=9, number=7, place="Bar", gaming_day=DAY)], "box_log.csv"
    )
    assert said(line, "box", "table", "pulled_by") == ("7", "", "")


def test_the_inventory_of_a_table_has_each_denomination_and_both_people():
    lines = rows(night(), "table_inventory.csv")
    named = ("what", "asset", "denomination", "pieces", "amount", "first", "second")
    assert [said(line, *named) for line in lines] == [
        ("opener", "chips", "25.00", "80", "2000.00", "4", "5"),
        ("opener", "together", "", "", "2000.00", "4", "5"),
        ("closer", "chips", "100.00", "18", "1800.00", "3", "4"),
        ("closer", "cash", "100.00", "2", "200.00", "3", "4"),
        ("closer", "together", "", "", "2000.00", "3", "4"),
    ]
    assert {line["table"] for line in lines} == {"1"}


def test_the_vault_is_accounted_for_from_its_opening_to_its_closing():
    lines = rows(night(), "cage_accountability.csv")
    moved = [
        said(line, "kind", "serial", "chips_held", "cash_held") for line in lines if line["what"] == "moved"
    ]
    assert moved == [
        ("float_issue", "1", "10000.00", "5000.00"),
        ("document_sent", "1", "8000.00", "5000.00"),
        ("drawer_issue", "2", "7500.00", "5000.00"),
        ("document_received", "1", "9300.00", "5200.00"),
        ("drop", "1", "9315.00", "5214.00"),
    ]
    assert [said(line, "what", "chips_held") for line in (lines[0], lines[-1])] == [
        ("opening", "0.00"),
        ("closing", "9315.00"),
    ]
    counted = [line for line in lines if line["what"] == "counted"]
    assert sum(float(line["amount"]) for line in counted) == 9315 + 5214
    over = next(line for line in lines if line["what"] == "over_short")
    assert said(over, "over_chips", "over_cash", "actor", "approver") == ("0.00", "0.00", "3", "4")


def test_the_opening_of_a_vault_follows_from_what_its_closing_says():
    last = [body for body in night() if body["record"] == "closed_day" or body["id"] == 113]
    lines = rows(last, "cage_accountability.csv")
    assert [said(line, "what", "chips_held", "cash_held") for line in lines] == [
        ("opening", "9300.00", "5200.00"),
        ("moved", "9315.00", "5214.00"),
        ("closing", "9315.00", "5214.00"),
    ]


def test_the_sheet_of_a_drawer_has_the_balance_after_each_line_and_its_count():
    lines = rows(night_of_a_closed_drawer(), "drawer_sheets.csv")
    named = ("what", "kind", "serial", "chips_held", "cash_held", "pieces")
    assert [said(line, *named) for line in lines] == [
        ("opening", "", "", "0.00", "0.00", ""),
        ("moved", "drawer_issue", "2", "500.00", "0.00", ""),
        ("moved", "chip_sale", "1", "400.00", "100.00", ""),
        ("counted", "drawer_close", "3", "", "", "16"),
        ("counted", "drawer_close", "3", "", "", "9"),
        ("closing", "drawer_close", "3", "400.00", "100.00", ""),
    ]
    assert said(lines[-1], "over_chips", "over_cash", "actor", "approver") == ("0.00", "-10.00", "3", "4")


def test_chips_beyond_the_books_are_listed_and_taken_back_below_zero():
    back = entry(
        901, "reversal", 8, reverses=99, evidence={"of": "chips_beyond_books", "slip": 5, "reverses": 99}
    )
    back["transfers"] = copy.deepcopy(find(night(), "entry", 99)["transfers"])
    lines = rows([find(night(), "entry", 99), back], "beyond_books.csv")
    named = ("state", "number", "amount", "approver", "reverses")
    assert said(lines[0], *named) == ("accepted", "1", "150.00", "4", "")
    assert said(lines[1], *named)[:3] == ("taken_back", "5", "-150.00")


# -- at the tables ---------------------------------------------------------------------------------

SEATED = table_event(52, "seated", 5, seat=2, sitting=61, player=71, stack=ANNA)
STARTED = table_event(54, "round_started", 10, round=7, round_id=41)
LOST = table_event(
    55,
    "fee_uncollected",
    11,
    charge=81,
    number=3,
    cents=1_500,
    gaming_day=DAY,
    player=71,
    seat=2,
    reason="left short",
)
PAID = {"charge": 81, "method": "cash", "cents": 1_500, "session": 5, "player": 71, "seat": 2}


def taken(number=1, **more):
    return entry(number, "collection", 12, (PUBLIC, BOX_CASH, 1_500), evidence=PAID | more)


def test_a_fee_has_one_line_with_seat_round_and_all_that_was_done_about_it():
    back = entry(2, "reversal", 13, (BOX_CASH, PUBLIC, 1_500), evidence=PAID | {"of": "collection"})
    bodies = [SEATED, charge(81, 61, 71, 10), STARTED, taken(), back, taken(3, method="stack")]
    (line,) = rows(bodies, "down_detail.csv")
    assert said(line, "seat", "player", "round", "paid", "taken_by") == ("2", "71", "7", "15.00", "stack")
    assert line["chain"] == "collection 1; reversal 2; collection 3"
    (line,) = rows(bodies[:-1], "down_detail.csv")
    assert said(line, "amount", "paid", "taken_by") == ("15.00", "0.00", "open")


def test_a_fee_of_somebody_who_was_entered_late_has_the_seat_that_is_recorded_behind_it():
    moved = table_event(91, "seat_changed", 12, sitting=61, seat=2, to_seat=4)
    later = charge(82, 61, 71, 13) | {"down": 2}
    first, second = rows([charge(81, 61, 71, 10), SEATED, moved, later], "down_detail.csv")
    assert (first["seat"], second["seat"]) == ("2", "4")
    (alone,) = rows([charge(81, 61, 71, 10)], "down_detail.csv")
    assert alone["seat"] == ""


@pytest.mark.parametrize(
    ("events", "state", "number"), [([], "not owed", ""), ([{"down_id": 31}], "open", "9")]
)
def test_a_fee_paid_ahead_precedes_the_round_that_makes_it_due(events, state, number):
    ahead = charge(81, 61, 71, 10) | {"round_id": None}
    started = [table_event(90, "round_started", 11, round=9, round_id=44, **data) for data in events]
    (line,) = rows([ahead, *started], "down_detail.csv")
    assert said(line, "taken_by", "round") == (state, number)


def test_an_uncollected_fee_and_its_recovery_have_a_line_each_under_its_number():
    opened = table_event(50, "opened", 2, table=6)
    recovered = taken(uncollected=3, recovery=1)
    back = entry(
        2,
        "undo",
        13,
        (BOX_CASH, PUBLIC, 1_500),
        evidence=PAID | {"of": "collection", "uncollected": 3, "recovery": 1},
    )
    lines = rows([opened, LOST, recovered, back], "uncollected.csv")
    named = ("uncollected", "recovery", "table", "player", "state", "owed", "recovered", "way")
    assert [said(line, *named) for line in lines] == [
        ("3", "", "6", "71", "uncollected", "15.00", "", ""),
        ("3", "1", "6", "71", "recovered", "", "15.00", "cash"),
        ("3", "1", "6", "71", "taken_back", "", "-15.00", "cash"),
    ]
    assert lines[0]["reason"] == "left short"


def test_the_master_report_has_a_line_a_table_and_names_what_is_below_zero():
    _, line = rows(night(), "master.csv")  # the first has the fees of tables that are not known
    assert said(line, "table", "openers", "closers", "drop_chips", "drop_cash") == (
        *("1", "2000.00", "2000.00", "15.00", "14.00"),
    )
    assert said(line, "over_box", "over_bank", "variance", "negative") == (
        *("-1.00", "0.00", "-1.00", "over_box, variance"),
    )


def test_the_history_of_a_rate_ends_the_day_before_its_next_version():
    rates = [find(night(), "rate", 7)]
    rates.append(rates[0] | {"id": 8, "version": 2, "fee_cents": 2_000, "effective_from": "2026-11-01"})
    tables = [
        table_event(50, "opened", 2, table=table, rate={"id": 7, "option": 3, "version": 1})
        | {"session": table}
        for table in (12, 2)
    ]
    lines = rows([*rates, *tables], "rates.csv")
    named = ("version", "fee", "reference", "effective_from", "effective_to", "tables")
    assert [said(line, *named) for line in lines] == [
        ("1", "15.00", RATE["approval_reference"], "2026-01-01", "2026-10-31", "2, 12"),
        ("2", "20.00", RATE["approval_reference"], "2026-11-01", "", ""),
    ]


def test_only_an_export_that_names_players_has_the_ledger_of_their_stacks():
    assert "player_ledger.csv" not in papers(night())
    made = Papers(PaperSource(opened=lambda body: {}))
    lines = [
        line.decode() for body in night() for name, line in made.take(body) if name == "player_ledger.csv"
    ]
    of_anna = [line.rstrip() for line in lines if ",71,1,1," in line]
    held = [(cells[7], *cells[10:14]) for cells in (line.split(",") for line in of_anna)]
    assert held == [
        ("collection", "200.00", "0.00", "15.00", "185.00"),
        ("round", "185.00", "90.00", "0.00", "275.00"),
        ("reversal", "275.00", "0.00", "90.00", "185.00"),
        ("correction", "185.00", "45.00", "0.00", "230.00"),
        ("cash_out", "230.00", "0.00", "230.00", "0.00"),
    ]
    assert {paper.name for paper in declared(players=True) if paper.names_players} >= {"player_ledger.csv"}
