"""A gaming day in the regulator's hands: the day's page, its journal taken away,
and that all of it adds up."""

import csv
import io
import json
import re
from urllib.request import Request, urlopen

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ledger.cage import boxes
from ledger.chart import AccountKind
from ledger.journal.acts import Act
from ledger.money import parse_amount
from ledger.reports import trial_balance
from tests.support.evening import DAY
from tests.support.game import HANDS, PLAIN, Game

PAGE = f"/audit/days/{DAY}/"


@pytest.fixture
def reader(at, regulator):
    """`reader(address)`: the regulator reads a page, which is there."""

    def read(address):
        page = at(regulator).get(address)
        assert page.status_code == 200, address
        return page

    return read


@pytest.fixture
def rows(reader):
    """`rows()`: the day's journal as taken away in CSV, as dicts."""

    def take_away():
        text = b"".join(reader(f"{PAGE}journal.csv").streaming_content).decode()
        return list(csv.DictReader(io.StringIO(text)))

    return take_away


def total(rows, kind, **where):
    return sum(
        parse_amount(row["amount"])
        for row in rows
        if row["kind"] == kind and all(row[name] == value for name, value in where.items())
    )


def test_the_collections_taken_away_are_what_the_cashier_saw_as_taken(at, cashier, evening, rows):
    sums = at(cashier).get(f"/cashier/day/?day={DAY}").context["collections"].sums
    collected = rows()
    assert total(collected, "collection") == sums.taken_cents == 7500
    assert total(collected, "collection", to_kind="drop_box", asset="chips") == sums.stack_cents
    assert total(collected, "collection", to_kind="drop_box", asset="cash") == sums.cash_cents
    assert total(collected, "collection", to_kind="drawer") == sums.cage_cents


def test_the_drops_taken_away_are_what_was_counted(cashier, evening, counted, rows):
    box = counted(5500, 1000)
    boxes.sign_off(box=box, cause="short", act=Act(actor=cashier, key="signed off", now=evening.now))
    taken = rows()
    assert total(taken, "drop", to_kind="vault") == 6500
    assert total(taken, "drop", to_kind="over_short") == 500


def test_counts_and_sums_stand_beside_the_download(reader, evening, rows):
    page = reader(PAGE)
    taken = rows()
    lines = b"".join(reader(f"{PAGE}journal.jsonl").streaming_content).decode().splitlines()
    assert page.context["total"]["rows"] == len(taken)
    assert page.context["total"]["entries"] == len(lines) == len({row["entry"] for row in taken})
    for kind in page.context["totals"]:
        assert kind.chips_cents == total(taken, kind.kind, asset="chips"), kind
        assert kind.cash_cents == total(taken, kind.kind, asset="cash"), kind
        assert kind.rows == sum(row["kind"] == kind.kind for row in taken), kind
        assert kind.entries == sum(json.loads(line)["kind"] == kind.kind for line in lines), kind


def test_every_line_of_json_carries_its_evidence(reader, evening):
    lines = b"".join(reader(f"{PAGE}journal.jsonl").streaming_content).decode().splitlines()
    settled = [json.loads(line) for line in lines if json.loads(line)["kind"] == "round"]
    assert len(settled) == 3
    assert settled[0]["evidence"]["input"]["hands"][0]["front"] == HANDS[0]["front"]


@pytest.mark.django_db(transaction=True, databases=["default", "reading"])
def test_a_server_that_streams_gives_the_same_bytes(reader, evening, asgi, client, monkeypatch):
    plain = b"".join(reader(f"{PAGE}journal.csv").streaming_content)
    monkeypatch.setattr("ledger.reports.journal_csv.ROWS_AT_A_TIME", 3)
    asked = Request(
        f"{asgi}{PAGE}journal.csv", headers={"Cookie": f"sessionid={client.cookies['sessionid'].value}"}
    )
    with urlopen(asked, timeout=20) as answer:
        assert answer.headers["Content-Disposition"] == f'attachment; filename="journal-{DAY}.csv"'
        assert answer.headers["Transfer-Encoding"] == "chunked"
        assert answer.read() == plain


def test_no_cell_is_a_formula(evening, rows, floor):
    request = evening.ask(
        evening.session.rounds.first(), [PLAIN, *HANDS[1:2], HANDS[0], HANDS[3]], reason='=HYPERLINK("x")'
    )
    evening.approve(request)
    assert {row["reason"] for row in rows()} == {"", '\'=HYPERLINK("x")'}


def test_the_day_shows_tables_boxes_corrections_and_voids(reader, evening):
    evening.minute(45).void(evening.start(), reason="a card lay face up")
    round_ = evening.session.rounds.first()
    request = evening.ask(round_, [PLAIN, HANDS[1], HANDS[0], HANDS[3]])
    evening.approve(request)
    page = reader(PAGE)
    events = page.context["events"]
    assert [(str(session.table), session.settled, session.void) for session in events.sessions] == [
        ("Table 1", 3, 1)
    ]
    assert [(void.number, void.void_reason) for void in events.voids] == [(4, "a card lay face up")]
    assert [(asked.round_id, asked.state) for asked in events.corrections] == [(round_.pk, "approved")]
    assert [row.box.number for row in page.context["boxes"]] == [1]
    assert page.context["proof"].adds_up


def test_counted_figures_and_differences_of_boxes_are_shown(reader, counted):
    counted(5500, 1000)
    (box,) = reader(PAGE).context["boxes"]
    assert (box.counted, box.difference, box.state) == (6500, -500, "counted")


def test_the_day_is_chosen_from_the_start_page(at, regulator, evening, codes_on):
    home = at(regulator).get("/audit/")
    assert [day.isoformat() for day, _ in home.context["days"]] == [DAY]
    assert at(regulator).get("/audit/", {"day": DAY})["Location"] == PAGE
    wrong = at(regulator).get("/audit/", {"day": "tomorrow"})
    assert (wrong.status_code, codes_on(wrong)) == (400, ["bad_text"])


@pytest.mark.parametrize(
    "address",
    ["/audit/days/2026-02-30/", "/audit/days/x/", "/audit/days/1999-01-01/", "/audit/days/9999-12-31/"],
)
def test_a_day_that_no_calendar_has_leads_nowhere(at, regulator, evening, address):
    assert at(regulator).get(address).status_code == 404


def test_the_trial_balance_shows_that_all_that_came_in_stands_somewhere(reader, evening):
    facts = reader("/audit/balance/").context
    (_, came, sources), (_, stands, places) = facts["came"], facts["stands"]
    assert sources == places
    assert min(sources) > 0
    assert {kind for kind, *_ in came} == {"chip_maker", "bank", "public", "over_short"}
    assert {kind for kind, *_ in (*came, *stands)} == set(AccountKind)


def test_the_trial_balance_is_zero_for_each_asset(reader, evening):
    page = reader("/audit/balance/")
    assert page.context["sums"] == {"chips": 0, "cash": 0}
    by_kind = {kind: (chips, cash) for kind, chips, cash in page.context["stands"][1]}
    assert by_kind["drop_box"] == (6000, 1000)


def test_a_stack_that_has_left_is_no_open_account(evening, site):
    evening.cash_out(1)
    assert "Table 1, seat 1" not in {row.label for row in trial_balance.trial_balance(site)}


def test_a_day_costs_the_same_for_one_table_and_for_six(reader, evening, floor, dealer, players, site):
    addresses = ("/audit/", PAGE, "/audit/balance/", f"{PAGE}journal.csv", f"/audit/rounds/?day={DAY}")

    def costs():
        found = []
        for address in addresses:
            with CaptureQueriesContext(connection) as queries:
                page = reader(address)
                if page.streaming:
                    b"".join(page.streaming_content)
            found.append(len(queries))
        return found

    costs()
    one = costs()
    for number in range(2, 7):
        from tables.models import Player

        guests = {name: Player.objects.create(site=site, name=f"{name} {number}") for name in players}
        game = Game(site, floor, dealer, guests, number=number)
        game.minute(2).seat("Ann", "Bob", "Cat")
        game.void(game.start())
        round_ = game.play()
        game.approve(game.ask(round_, [PLAIN, HANDS[1], HANDS[0]]))
    assert costs() == one


@pytest.mark.parametrize("who", ["floor", "dealer", "cashier", "counter1"])
@pytest.mark.parametrize(
    "address",
    [
        "/audit/",
        PAGE,
        "/audit/balance/",
        "/audit/rounds/",
        "/audit/players/1/",
        f"{PAGE}journal.csv",
        f"{PAGE}journal.jsonl",
        f"{PAGE}staff.csv",
    ],
)
def test_the_books_are_read_by_those_who_may(at, evening, request, who, address):
    answer = at(request.getfixturevalue(who)).get(address)
    assert answer.status_code == 403
    assert not re.search(rb"\$[0-9]", answer.content)
