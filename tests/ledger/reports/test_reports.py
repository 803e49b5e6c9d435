"""Reports: every transfer once, with people and places, and nothing that a spreadsheet would run."""

import csv
import json
from datetime import UTC, date, datetime, timedelta
from io import StringIO

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ledger.cage import boxes
from ledger.journal import balances
from ledger.journal.acts import Act
from ledger.journal.posting import post
from ledger.journal.records import moment
from ledger.models import Account
from ledger.money import amount_text
from ledger.reports import journal_csv, journal_jsonl, statements, trial_balance
from tests.support.acting import recorded_at
from tests.support.counting import sign_sheet

SATURDAY = date(2026, 11, 21)


@pytest.fixture
def written(stacks, stocked, draft, floor, now):
    """Saturday: float, two buy-ins, a round with two transfers, a push and a reversal. Sunday: one round."""
    ann, bob = stacks
    played = draft(
        *("r1", "round", (ann.pk, bob.pk, 4500), (bob.pk, ann.pk, 1250)),
        terminal="tablet 3",
        evidence={"cards": ["As", "Kd"], "session": 5, "round": 12, "down": 3, "player": 7},
    )
    entry = post(site=stocked, draft=played)
    post(site=stocked, draft=draft("push", "round"))
    back = draft(
        *("v1", "reversal", (bob.pk, ann.pk, 4500), (ann.pk, bob.pk, 1250)),
        reverses=entry,
        reason="=HYPERLINK(1)",
        approver=floor,
    )
    post(site=stocked, draft=back)
    sunday = datetime(2026, 11, 22, 20, 0, tzinfo=UTC)
    post(
        site=stocked,
        draft=recorded_at(draft("r2", "round", (ann.pk, bob.pk, 100), occurred_at=sunday), sunday),
    )
    return entry


def as_csv(site, day=SATURDAY):
    text = b"".join(journal_csv.blocks(site, day)).decode()
    return list(csv.DictReader(StringIO(text, newline="")))


def as_jsonl(site, day=SATURDAY):
    lines = list(journal_jsonl.jsonl_lines(site, day))
    assert all(line.count("\n") == 1 and line.endswith("\n") for line in lines)
    return [json.loads(line) for line in lines]


def test_the_journal_has_a_row_for_each_transfer_and_one_for_a_push(written, stocked):
    rows = as_csv(stocked)
    assert list(rows[0]) == list(journal_csv.COLUMNS)
    assert [(row["key"], row["line"], row["amount"]) for row in rows] == [
        ("float", "1", "50000.00"),
        ("float", "2", "20000.00"),
        ("drawer-filled", "1", "10000.00"),
        ("drawer-filled", "2", "10000.00"),
        ("in pockets", "1", "2000.00"),
        ("buy-in Ann", "1", "1000.00"),
        ("buy-in Bob", "1", "1000.00"),
        ("r1", "1", "45.00"),
        ("r1", "2", "12.50"),
        ("push", "0", ""),
        ("v1", "1", "45.00"),
        ("v1", "2", "12.50"),
    ]


def test_the_journal_of_a_day_has_what_is_dated_in_it(written, stocked):
    days = [len(as_csv(stocked, day)) for day in (SATURDAY, date(2026, 11, 22), date(2026, 11, 23))]
    assert days == [12, 1, 0]


def test_people_places_and_times_are_there(written, stacks, stocked, dealer, floor):
    ann, bob = stacks
    played, back = (next(row for row in as_csv(stocked) if row["key"] == key) for key in ("r1", "v1"))
    who = (str(dealer.pk), str(floor.pk), str(written.pk))
    assert (back["actor"], back["approver"], back["reverses"]) == who
    assert (back["asset"], back["from_kind"], back["to_kind"]) == ("chips", "stack", "stack")
    assert (back["from"], back["to"]) == (str(bob.pk), str(ann.pk))
    assert (played["occurred_at"], played["gaming_day"]) == ("2026-11-22T04:00:00.000000Z", "2026-11-21")
    assert played["local_time"] == "2026-11-21T20:00:00.000000-08:00"
    assert (played["terminal"], played["approver"], played["reverses"]) == ("tablet 3", "", "")
    assert (played["session"], played["round"], played["down"], played["player"]) == ("5", "12", "3", "7")


def test_the_journal_taken_away_is_the_one_on_the_pages(written, stocked, draft, now):
    odd = draft('a, "key"\r\nwith all', "round", reason="-2 + é\n=1", terminal="@3")
    post(site=stocked, draft=recorded_at(odd, now + timedelta(microseconds=120)))
    shown = []
    for entry in statements.journal_page(stocked, SATURDAY).entries:
        said = {
            "entry": entry.pk,
            "kind": entry.kind,
            "gaming_day": entry.gaming_day,
            "occurred_at": moment(entry.occurred_at),
            "recorded_at": moment(entry.recorded_at),
            "actor": entry.actor_id,
            "approver": entry.approver_id,
            "terminal": entry.terminal,
            "reason": entry.reason,
            "reverses": entry.reverses_id,
            "key": entry.key,
        }
        nothing = dict.fromkeys(("from_kind", "from", "to_kind", "to", "asset", "amount")) | {"line": "0"}
        for line in entry.transfers.all():
            moved = {"line": line.line, "asset": line.asset, "amount": amount_text(line.cents)}
            ends = {"from_kind": line.source.kind, "from": line.source_id}
            shown.append(said | ends | moved | {"to_kind": line.target.kind, "to": line.target_id})
        if not entry.transfers.all():
            shown.append(said | nothing)
    taken = [{name: row[name] for name in shown[0]} for row in as_csv(stocked)]
    assert taken == [{name: trial_balance.cell(value) for name, value in row.items()} for row in shown]
    assert as_csv(stocked)[-1]["recorded_at"] == "2026-11-22T04:00:00.000120Z"


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t=", "\r="])
def test_a_cell_that_a_spreadsheet_would_run_begins_with_a_quote(start, stocked, draft, now):
    post(site=stocked, draft=draft("x", "round", reason=f"{start}1+1"))
    (reason,) = (row["reason"] for row in as_csv(stocked) if row["key"] == "x")
    assert reason == f"'{start}1+1"


def test_the_json_lines_have_an_object_for_each_entry_with_its_evidence(written, stocked):
    entries = as_jsonl(stocked)
    assert [(entry["key"], len(entry["transfers"])) for entry in entries] == [
        *(
            ("float", 2),
            ("drawer-filled", 2),
            ("in pockets", 1),
            ("buy-in Ann", 1),
            ("buy-in Bob", 1),
            ("r1", 2),
            ("push", 0),
            ("v1", 2),
        ),
    ]
    played = entries[5]
    assert played["evidence"]["cards"] == ["As", "Kd"]
    assert played["transfers"][0] == {
        "line": 1,
        "source": {"kind": "stack", "label": "Stack of Ann"},
        "target": {"kind": "stack", "label": "Stack of Bob"},
        "asset": "chips",
        "amount": "45.00",
    }
    assert (played["content_hash"], played["occurred_at"]) == (written.content_hash, "2026-11-22T04:00:00Z")


def test_a_day_without_entries_has_headings_alone(stocked):
    assert as_csv(stocked, date(2020, 1, 1)) == []
    assert as_jsonl(stocked, date(2020, 1, 1)) == []


def test_another_site_has_a_journal_of_its_own(written):
    from ledger.models import Site

    other = Site.objects.create(name="Another room", licence="2")
    assert as_csv(other) == []
    assert as_jsonl(other) == []
    assert trial_balance.trial_balance(other) == []


def test_the_trial_balance_adds_up_to_nothing(written, stocked):
    rows = trial_balance.trial_balance(stocked)
    for asset in ("chips", "cash"):
        assert sum(row.balance_cents for row in rows if row.asset == asset) == 0
    assert [(row.kind, row.label, row.balance_cents) for row in rows if row.asset == "chips"] == [
        ("chip_maker", "The chip maker", -5_200_000),
        ("drawer", "Drawer 1", 1_000_000),
        ("patrons", "Patrons", 0),
        ("stack", "Stack of Ann", 99_900),
        ("stack", "Stack of Bob", 100_100),
        ("vault", "Vault", 4_000_000),
    ]
    assert balances.asset_sums(stocked) == {"chips": 0, "cash": 0}


def test_closed_accounts_are_left_out_of_the_trial_balance(
    pulled, counter1, counter2, cashier, count_of, now
):
    count_of(pulled, counter1, 2500, 1500)
    count_of(pulled, counter2, 2500, 1500)
    sign_sheet(pulled, (counter1, counter2), now)
    boxes.sign_off(box=pulled, cause="", act=Act(actor=cashier, key="s", now=now))
    assert "drop_box" not in {row.kind for row in trial_balance.trial_balance(pulled.site)}


def test_what_somebody_made_from_nothing_shows_in_the_sums(written, stocked):
    Account.objects.filter(label="Stack of Ann").update(balance_cents=1)
    assert balances.asset_sums(stocked)["chips"] == 1 - 99_900


def test_the_journal_in_json_lines_costs_the_same_for_a_short_day_and_a_long_one(
    stacks, stocked, draft, now, monkeypatch
):
    monkeypatch.setattr(journal_jsonl, "ROWS_AT_A_TIME", 3)
    ann, bob = stacks
    for night in range(3):
        for number in range(7):
            key = f"{night} {number}"
            post(site=stocked, draft=draft(key, "round", *[(ann.pk, bob.pk, 1)] * (number % 3)))
        with CaptureQueriesContext(connection) as queries:
            assert as_jsonl(stocked)
        statements = [query["sql"] for query in queries if query["sql"].startswith(("SELECT", "DECLARE"))]
        assert (
            len(statements) == 2 or connection.vendor == "postgresql"
        )  # whose cursor of its own is not logged


@pytest.mark.django_db(transaction=True)
def test_every_entry_is_whole_though_others_are_posted_while_it_is_read(
    written, stacks, stocked, draft, at_once, now, monkeypatch
):
    monkeypatch.setattr(journal_jsonl, "ROWS_AT_A_TIME", 1)
    ann, bob = stacks
    stream = journal_jsonl._journal_objects(stocked, SATURDAY)
    read = [next(stream)]
    meanwhile = draft("meanwhile", "round", *[(ann.pk, bob.pk, 1)] * 3)
    (posted,) = at_once([lambda: post(site=stocked, draft=meanwhile)])
    assert posted.pk
    read += stream
    lines = {entry["key"]: len(entry["transfers"]) for entry in read}
    assert lines.pop("meanwhile", 3) == 3
    assert lines == {
        "float": 2,
        "drawer-filled": 2,
        "in pockets": 1,
        "buy-in Ann": 1,
        "buy-in Bob": 1,
        "r1": 2,
        "push": 0,
        "v1": 2,
    }
