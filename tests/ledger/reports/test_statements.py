"""Statements: an account from page to page and between two moments, a past trial balance, a day's journal."""

import csv
import io
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from random import Random

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ledger.cage import boxes
from ledger.journal.acts import Act
from ledger.journal.posting import post
from ledger.models import Account, JournalEntry
from ledger.money import amount_text
from ledger.reports import statements, trial_balance
from ledger.views.forms import MomentForm
from tests.support.acting import recorded_at
from tests.support.balances import balance_at
from tests.support.cage import in_pockets
from tests.support.counting import sign_sheet
from tests.support.kept import kept
from tests.support.lengths import ENTRIES

LOS_ANGELES = "America/Los_Angeles"
SECOND = timedelta(seconds=1)


@pytest.fixture
def move(stacks, stocked, house, draft, cashier, floor, now):
    """`move(600)`: random entries between Ann, Bob and other patrons, a second apart;
    some move several times."""

    def post_entries(count):
        chance = Random(7)
        ann, bob = stacks
        others = house("patrons")
        in_pockets(stocked, 10_000_000, by=cashier, second=floor, now=now, key="many in pockets")
        held = {account.pk: account.balance_cents for account in stacks}
        for number in range(count):
            one, other = (ann.pk, bob.pk) if chance.random() < 0.5 else (bob.pk, ann.pk)
            kind, cents = chance.choice(("round", "round", "add_on", "cash_out")), chance.randint(3, 20_000)
            if kind == "round" and cents <= held[one]:
                moves = [(one, other, cents), (other, one, 1)]
                held[one], held[other] = held[one] - cents + 1, held[other] + cents - 1
            elif kind == "cash_out" and cents <= held[one]:
                moves = [(one, others, cents)]
                held[one] -= cents
            else:
                kind, moves = "add_on", [(others, one, cents)]
                held[one] += cents
            post(site=stocked, draft=recorded_at(draft(f"{number:08d}", kind, *moves), now + number * SECOND))
        for account in stacks:
            account.refresh_from_db()
        assert {account.pk: account.balance_cents for account in stacks} == held
        return stacks

    return post_entries


@kept
def busy(move):
    """Ann's and Bob's stacks after six hundred entries in ten minutes."""
    return move(600)


def later(now):
    return now + timedelta(days=1)


def pages(account, until, **period):
    """Every page of an account, from the first one on by `after`."""
    page = statements.account_statement(account, until=until, **period)
    found = [page]
    while page.place.after is not None:
        page = statements.account_statement(account, until=until, after=page.place.after, **period)
        found.append(page)
    return found


def test_running_balances_lead_to_what_the_account_holds_after_very_many_entries(move, now):
    for account in move(ENTRIES):
        found = pages(account, later(now))
        assert len(found) > ENTRIES / 150
        lines = [line for page in found for line in page.lines]
        balance = 0
        for line in lines:
            balance += line.cents
            assert line.balance_cents == balance
        assert balance == account.balance_cents == found[0].closing_cents
        assert found[0].transfers == len(lines)
        assert found[0].came_cents - found[0].went_cents == account.balance_cents


def test_each_page_carries_on_where_the_one_before_it_ended(busy, now):
    found = pages(busy[0], later(now))
    for page, following in pairwise(found):
        assert page.ends_cents == following.carried_cents
    assert found[0].carried_cents == 0
    assert found[-1].ends_cents == busy[0].balance_cents


def test_pages_turned_back_are_those_turned_forward(busy, now):
    forward = [line for page in pages(busy[0], later(now)) for line in page.lines]
    page = statements.account_statement(busy[0], until=later(now), before=2**31 - 1)
    backward = [*page.lines]
    while page.place.before is not None:
        page = statements.account_statement(busy[0], until=later(now), before=page.place.before)
        backward = [*page.lines, *backward]
        assert page.ends_cents == page.lines[-1].balance_cents
    assert backward == forward


def test_a_period_opens_and_closes_with_the_balances_of_its_moments(busy, now):
    chance = Random(3)
    for _ in range(12):
        since, until = sorted(now + chance.randint(-5, 700) * SECOND for _ in range(2))
        for account in busy:
            found = statements.account_statement(account, since=since, until=until)
            assert found.opening_cents == balance_at(account, since)
            assert found.closing_cents == balance_at(account, until)
            assert all(since < line.entry.recorded_at <= until for line in found.lines)


def test_one_period_after_the_other_leaves_nothing_out_and_has_nothing_twice(busy, now):
    middle = now + 299 * SECOND
    first = [line for page in pages(busy[0], middle) for line in page.lines]
    second = [line for page in pages(busy[0], later(now), since=middle) for line in page.lines]
    whole = [line for page in pages(busy[0], later(now)) for line in page.lines]
    assert [*first, *second] == whole


def test_an_entry_recorded_by_an_earlier_clock_is_in_the_period_of_that_clock(stacks, stocked, draft, now):
    ann, bob = stacks
    # Two terminals: the second one asked first, and waited for the first one's lock.
    post(
        site=stocked, draft=recorded_at(draft("first one", "round", (ann.pk, bob.pk, 300)), now + 2 * SECOND)
    )
    post(site=stocked, draft=recorded_at(draft("waited", "round", (bob.pk, ann.pk, 100)), now + SECOND))
    until = statements.account_statement(ann, until=now + SECOND)
    assert until.closing_cents == balance_at(ann, now + SECOND) == 100_100
    after = statements.account_statement(ann, since=now + SECOND, until=later(now))
    assert [line.cents for line in after.lines] == [-300]
    assert after.closing_cents == 99_800


def test_an_empty_period_has_its_balance_and_no_line(busy, now):
    found = statements.account_statement(busy[0], since=later(now), until=later(now) + SECOND)
    assert (found.lines, found.transfers, found.place.alone) == ((), 0, True)
    assert found.opening_cents == found.ends_cents == found.closing_cents == busy[0].balance_cents


def test_a_long_account_costs_as_many_queries_as_a_short_one(busy, house, now):
    def cost(account, **place):
        with CaptureQueriesContext(connection) as queries:
            statements.account_statement(account, until=later(now), **place)
        return len(queries)

    cage = Account.objects.get(pk=house("vault"))
    assert cost(cage) == cost(busy[0]) == 6
    assert cost(busy[0], after=busy[0].incoming.order_by("pk")[200].pk) == 7


def test_the_csv_has_every_line_and_ends_in_the_balance(busy, now, monkeypatch):
    monkeypatch.setattr(statements, "ROWS_AT_A_TIME", 50)
    text = "".join(statements.account_csv(busy[0], now + 10 * SECOND, later(now)))
    opening, *rows = csv.DictReader(io.StringIO(text))
    found = pages(busy[0], later(now), since=now + 10 * SECOND)
    assert opening["kind"] == "opening"
    assert opening["balance"] == amount_text(found[0].opening_cents)
    lines = [line for page in found for line in page.lines]
    assert [(row["entry"], row["amount"], row["balance"]) for row in rows] == [
        (str(line.entry.pk), amount_text(line.cents), amount_text(line.balance_cents)) for line in lines
    ]
    assert any(row["amount"].startswith("-") for row in rows)


def test_the_trial_balance_of_a_moment_has_each_accounts_balance_then(busy, stocked, now):
    chance = Random(5)
    for at in (now - SECOND, *(now + chance.randint(0, 600) * SECOND for _ in range(5)), later(now)):
        rows = trial_balance.trial_balance(stocked, at)
        accounts = Account.objects.in_bulk([row.account for row in rows])
        assert {row.account: row.balance_cents for row in rows} == {
            pk: balance_at(account, at) for pk, account in accounts.items()
        }
        assert trial_balance.sums_of(rows) == {"chips": 0, "cash": 0}
    assert rows == trial_balance.trial_balance(stocked)


def test_the_trial_balance_of_a_moment_does_not_ask_what_is_stored(busy, stocked, now):
    before = trial_balance.trial_balance(stocked, later(now))
    Account.objects.filter(pk=busy[0].pk).update(balance_cents=1)
    assert trial_balance.trial_balance(stocked, later(now)) == before != trial_balance.trial_balance(stocked)


def test_a_box_that_is_closed_now_stands_in_the_trial_balance_of_when_it_was_full(
    pulled, counter1, counter2, cashier, count_of, stocked, now
):
    for counter in (counter1, counter2):
        count_of(pulled, counter, 2500, 1500)
    sign_sheet(pulled, (counter1, counter2), now)
    boxes.sign_off(box=pulled, cause="", act=Act(actor=cashier, key="signed off", now=now + SECOND))
    then = {row.account: row.balance_cents for row in trial_balance.trial_balance(stocked, now)}
    assert (then[pulled.chips_id], then[pulled.cash_id]) == (2500, 1500)
    assert pulled.chips_id not in {row.account for row in trial_balance.trial_balance(stocked, now + SECOND)}


def test_the_csv_of_a_trial_balance_ends_in_its_sums(busy, stocked, now):
    rows = trial_balance.trial_balance(stocked, later(now))
    *said, chips, cash = csv.DictReader(
        io.StringIO("".join(trial_balance.trial_balance_lines(rows, later(now))))
    )
    assert [row["balance"] for row in said] == [amount_text(row.balance_cents) for row in rows]
    assert [(row["kind"], row["asset"], row["balance"]) for row in (chips, cash)] == [
        ("together", "chips", "0.00"),
        ("together", "cash", "0.00"),
    ]


def test_a_days_journal_from_page_to_page_has_every_entry_once(busy, stocked, now):
    day = date(2026, 11, 21)
    wanted = list(JournalEntry.objects.filter(gaming_day=day).order_by("pk").values_list("pk", flat=True))
    page = statements.journal_page(stocked, day)
    found = [entry.pk for entry in page.entries]
    assert page.count == len(wanted) > 600
    while page.place.after is not None:
        page = statements.journal_page(stocked, day, after=page.place.after)
        found += [entry.pk for entry in page.entries]
    assert found == wanted
    assert statements.journal_page(stocked, date(2020, 1, 1)).entries == ()


def test_a_days_journal_of_one_kind_has_that_alone(busy, stocked):
    day = date(2026, 11, 21)
    rounds = statements.journal_page(stocked, day, kind="round")
    assert {entry.kind for entry in rounds.entries} == {"round"}
    assert rounds.count == JournalEntry.objects.filter(kind="round").count()


def test_a_journal_page_costs_three_queries_with_its_lines(busy, stocked):
    with CaptureQueriesContext(connection) as queries:
        page = statements.journal_page(stocked, date(2026, 11, 21), before=2**31 - 1)
        said = [
            (entry.actor.username, entry.approver, getattr(entry, "reversed_by", None), moved.source.label)
            for entry in page.entries
            for moved in entry.transfers.all()
        ]
    assert len(said) >= statements.ENTRIES
    assert len(queries) == 3


def test_an_entry_names_what_took_it_back_and_what_it_takes_back(stacks, stocked, draft, floor, now):
    ann, bob = stacks
    played = post(site=stocked, draft=draft("played 1", "round", (ann.pk, bob.pk, 500)))
    mirrored = {"reverses": played, "reason": "misread", "approver": floor}
    back = draft("back again", "reversal", (bob.pk, ann.pk, 500), **mirrored)
    taken_back = post(site=stocked, draft=back)
    assert statements.entry_of(stocked, played.pk).reversed_by == taken_back
    assert statements.entry_of(stocked, taken_back.pk).reverses == played
    assert [moved.cents for moved in statements.entry_of(stocked, played.pk).transfers.all()] == [500]


def test_entries_and_accounts_of_another_house_are_not_there(busy):
    from ledger.models import Site

    other = Site.objects.create(name="Another room", licence="2")
    assert statements.account_of(other, busy[0].pk) is None
    assert statements.entry_of(other, JournalEntry.objects.first().pk) is None
    assert statements.journal_page(other, date(2026, 11, 21)).count == 0


def moment(on, time, **more):
    form = MomentForm({"on": on, "time": time, **more}, zone=LOS_ANGELES)
    form.full_clean()
    return form


def test_a_moment_is_read_on_the_clock_of_the_house():
    assert moment("2026-11-21", "20:00:05").moment == datetime(2026, 11, 22, 4, 0, 5, tzinfo=UTC)
    assert moment("2026-07-21", "20:00").moment == datetime(2026, 7, 22, 3, 0, tzinfo=UTC)
    assert moment("", "").moment is None
    assert not moment("", "").errors


def test_a_time_that_the_clock_showed_twice_is_the_first_unless_the_second_is_meant():
    first, second = moment("2026-11-01", "01:30"), moment("2026-11-01", "01:30", again="on")
    assert first.twice
    assert first.moment == datetime(2026, 11, 1, 8, 30, tzinfo=UTC)
    assert second.moment == first.moment + timedelta(hours=1)
    assert not moment("2026-11-01", "03:30").twice


@pytest.mark.parametrize(
    ("on", "time"),
    [
        ("2026-11-21", ""),
        ("", "20:00"),
        ("21 November", "20:00"),
        ("2026-11-21", "late"),
        ("1999-12-31", "20:00"),
        ("2026-03-08", "02:30"),  # the clock went from two to three
    ],
)
def test_what_is_no_moment_is_refused(on, time):
    form = moment(on, time)
    assert form.moment is None
    assert [error.code for errors in form.errors.values() for error in errors.as_data()] == ["bad_text"]
