"""Closing gaming days: when it is allowed, what it records, and that nothing is dated in a closed day."""

import json
from datetime import UTC, date, datetime, timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from ledger.cage import boxes
from ledger.errors import DayClosed, LedgerError
from ledger.journal import closing
from ledger.journal.acts import Act
from ledger.journal.days import open_day
from ledger.journal.posting import house_account, post
from ledger.models import Account, AuditRecord, ClosedDay, JournalEntry, Site
from tests.support.acting import acting, recorded_at
from tests.support.cage import close_cage, give_drawer, in_pockets, sell
from tests.support.counting import sign_sheet

DAY, NEXT = date(2026, 11, 21), date(2026, 11, 22)
END = datetime(2026, 11, 22, 14, 0, tzinfo=UTC)  # six in the morning in Los Angeles
MORNING = END + timedelta(minutes=30)


def code_of(call, *args, **given):
    with pytest.raises(LedgerError) as error:
        acting(call, *args, **given)
    return error.value.code


@pytest.fixture
def close(stocked, cashier, floor):
    """`close()`: the cashier and the floor close Saturday half an hour after its end, by default."""

    def close(day=DAY, **changes):
        given = {"site": stocked, "actor": cashier, "approver": floor, "now": MORNING, "key": f"close {day}"}
        given |= changes
        close_cage(given["site"], max(given["now"], MORNING))
        return acting(closing.close_day, day=day, **given)

    return close


@pytest.fixture
def sign(counter1, counter2, cashier, count_of, now):
    """`sign(box, chips, cash)`: both counters find this, and the cashier signs it off."""

    def sign(box, chips, cash):
        for counter in (counter1, counter2):
            count_of(box, counter, chips, cash)
        sign_sheet(box, (counter1, counter2), now)
        cause = "" if (chips, cash) == (2500, 1500) else "a note was torn"
        return boxes.sign_off(box=box, cause=cause, act=Act(actor=cashier, key=f"sign {box.number}", now=now))

    return sign


# --- When


def test_a_day_is_closed_five_minutes_after_its_end_and_not_before(close):
    for early in (END - timedelta(hours=9), END, END + timedelta(minutes=5, microseconds=-1)):
        assert code_of(close, now=early) == "day_not_over"
    closed = close(now=END + timedelta(minutes=5))
    assert (closed.gaming_day, closed.closed_at) == (DAY, END + timedelta(minutes=5))


def test_a_day_with_the_clocks_going_back_ends_an_hour_later(stocked, close):
    end = datetime(2026, 11, 1, 14, 0, tzinfo=UTC)  # of the 25 hours of 31 October
    day = date(2026, 10, 31)
    assert code_of(close, day, now=end - timedelta(minutes=50)) == "day_not_over"
    assert close(day, now=end + timedelta(minutes=10)).gaming_day == day


def test_every_box_of_the_day_is_signed_off_first(pulled, sign, close):
    with pytest.raises(LedgerError) as refusal:
        close()
    assert refusal.value.code == "box_not_signed"
    assert "Box 1, Table 3" in refusal.value.message
    sign(pulled, 2500, 1500)
    assert close().gaming_day == DAY


def test_a_box_still_at_its_table_keeps_the_day_open(filled, close):
    assert code_of(close) == "box_not_signed"


def test_a_box_of_the_next_day_does_not(stocked, floor, close):
    boxes.install_box(site=stocked, place="Table 3", act=Act(actor=floor, now=MORNING))
    assert close().gaming_day == DAY


def test_an_earlier_day_with_entries_comes_first(stocked, cashier, close):
    sell(site=stocked, cents=100, act=Act(actor=cashier, now=MORNING, key="sunday"))
    monday = MORNING + timedelta(days=1)
    with pytest.raises(LedgerError) as refusal:
        close(NEXT, now=monday)
    assert refusal.value.code == "earlier_day_open"
    assert str(DAY) in refusal.value.message
    close(now=monday)
    assert close(NEXT, now=monday).gaming_day == NEXT


def test_an_empty_day_is_skipped_and_closed_with_the_later_one(stocked, cashier, close):
    close_cage(stocked, END - timedelta(hours=1))
    close()
    tuesday = date(2026, 11, 24)
    close(tuesday, now=MORNING + timedelta(days=3))
    state = closing.day_state(stocked, NEXT, MORNING + timedelta(days=3))
    assert state.closed.gaming_day == tuesday
    assert code_of(close, NEXT, now=MORNING + timedelta(days=3), key="again") == "day_already_closed"


def test_another_house_closes_its_own_days(stocked, close):
    close()
    other = Site.objects.create(name="Another room", licence="2")
    assert closing.closing_of(other, DAY) is None


# --- Who, and once


@pytest.mark.parametrize("who", ["floor", "dealer", "counter1", "regulator", "manager"])
def test_only_who_signs_drops_off_closes_days(close, request, who):
    assert code_of(close, actor=request.getfixturevalue(who)) == "not_allowed"
    assert not ClosedDay.objects.exists()


@pytest.mark.parametrize("who", ["floor", "floor2", "manager"])
def test_the_floor_or_a_manager_closes_the_day_with_the_only_cashier(
    pulled, sign, close, cashier, who, request
):
    sign(pulled, 2500, 1500)
    closed = close(approver=request.getfixturevalue(who))
    assert (closed.closed_by, closed.closed_with.username) == (cashier, who)


def test_a_cashier_who_signed_no_box_closes_the_day_with_whoever_did(pulled, sign, close, cashier, employ):
    sign(pulled, 2500, 1500)
    other = employ("cashier2", "cashier")
    assert close(approver=other).closed_with == other


def test_nobody_closes_a_day_alone(close, cashier):
    for second in (None, cashier):
        assert code_of(close, approver=second) == "second_person"
    assert not ClosedDay.objects.exists()


def test_who_signed_a_box_of_the_day_is_not_the_second_person(pulled, sign, close, cashier, employ):
    sign(pulled, 2500, 1500)
    with pytest.raises(LedgerError) as refusal:
        close(actor=employ("cashier2", "cashier"), approver=cashier)
    assert (refusal.value.code, refusal.value.field) == ("second_person", "second")
    assert "signed off a box of this day" in refusal.value.message
    assert not ClosedDay.objects.exists()


def test_a_box_of_an_earlier_closing_stands_in_nobody_s_way(pulled, sign, close, cashier, employ):
    sign(pulled, 2500, 1500)
    close()
    another = employ("cashier2", "cashier")
    assert (
        close(NEXT, actor=another, approver=cashier, now=MORNING + timedelta(days=1)).closed_with == cashier
    )


@pytest.mark.parametrize("who", ["dealer", "counter1", "regulator"])
def test_dealers_counters_and_regulators_are_no_second_person(close, request, who):
    assert code_of(close, approver=request.getfixturevalue(who)) == "not_allowed"


def test_the_database_refuses_a_day_closed_by_one(close):
    closed = close()
    row = ClosedDay.objects.filter(pk=closed.pk).values().get() | {
        "id": 99,
        "gaming_day": NEXT,
        "key": "alone",
    }
    with pytest.raises(IntegrityError), transaction.atomic():
        ClosedDay.objects.create(**row | {"closed_with_id": row["closed_by_id"]})


def test_the_same_request_twice_is_one_closing(close):
    assert close(key="once").pk == close(key="once", now=MORNING + timedelta(hours=1)).pk
    assert ClosedDay.objects.count() == 1


def test_a_closed_day_is_not_closed_again(close, cashier, employ):
    close()
    assert code_of(close, key="another") == "day_already_closed"
    assert code_of(close, actor=employ("cashier2", "cashier")) == "key_reused"
    assert code_of(close, NEXT, key=f"close {DAY}") == "key_reused"


# --- What it writes down


def test_the_closing_says_what_the_journal_of_the_day_came_to(stocked, pulled, sign, close):
    sign(pulled, 2500, 1400)
    closed = close()
    entries = JournalEntry.objects.filter(site=stocked, gaming_day=DAY)
    assert (
        closed.entries == entries.count() == 9
    )  # the float, what the drawer took, chips in pockets, two buy-ins, three fees, the drop
    totals = json.loads(closed.totals)
    assert totals["drop_box"] == {"cash": {"in": 1500, "out": 1500}, "chips": {"in": 2500, "out": 2500}}
    assert totals["over_short"] == {"cash": {"in": 100, "out": 0}}
    assert totals["vault"]["cash"] == {"in": 2_001_400, "out": 1_000_000}
    for asset in ("chips", "cash"):
        of = [sums[asset] for sums in totals.values() if asset in sums]
        assert sum(each["in"] for each in of) == sum(each["out"] for each in of) > 0


def test_a_day_is_closed_with_what_its_accounts_hold_and_the_next_days_play_is_not_in_it(
    pulled, sign, close, stocked, cashier
):
    sign(pulled, 2500, 1400)
    stored = Account.objects.filter(site=stocked).exclude(balance_cents=0)
    held = {
        account: (kind, asset, cents)
        for account, kind, asset, cents in stored.values_list("pk", "kind", "asset", "balance_cents")
    }
    sell(site=stocked, cents=500, act=Act(cashier, END + timedelta(minutes=1), key="next-morning"))
    balances = json.loads(close().balances)
    assert balances == sorted(balances)
    assert {account: (kind, asset, cents) for asset, kind, account, cents in balances} == held


def test_each_day_goes_on_from_the_balances_of_the_closing_before(stocked, cashier, floor, close):
    evening = END - timedelta(hours=1)
    sell(site=stocked, cents=100, act=Act(cashier, evening, key="saturday"))
    close_cage(stocked, evening)
    first = json.loads(close().balances)
    taken = {"chips": 1_000_000, "cash": 1_000_000, "by": cashier, "second": floor}
    give_drawer(stocked, **taken, now=MORNING, key="sunday's drawer")
    sell(site=stocked, cents=700, act=Act(cashier, MORNING, key="sunday"))
    close_cage(stocked, MORNING)
    second = json.loads(close(NEXT, now=MORNING + timedelta(days=1)).balances)
    change = {
        ("cash", "vault"): 700,
        ("cash", "public"): -700,
        ("chips", "vault"): -700,
        ("chips", "patrons"): 700,
    }
    assert second == [
        [asset, kind, account, cents + change.get((asset, kind), 0)] for asset, kind, account, cents in first
    ]


def test_the_closing_is_in_the_audit_log(close, cashier):
    closed = close(terminal="cage")
    record = json.loads(AuditRecord.objects.get(kind="closed_day", subject=closed.pk).text)[1]
    assert (record["gaming_day"], record["closed_by"], record["entries"]) == ("2026-11-21", cashier.pk, 2)
    assert record["closed_with"] == closed.closed_with.pk
    assert record["totals"] == json.loads(closed.totals)
    assert record["balances"] == json.loads(closed.balances)


def test_a_closing_is_written_once(close):
    closed = close()
    for change in (lambda: ClosedDay.objects.update(entries=0), closed.delete):
        with pytest.raises(Exception, match="append-only"), transaction.atomic():
            change()


# --- Nothing more for that day


def test_nothing_is_posted_for_a_closed_day(stocked, house, draft, close, cashier, floor, now):
    in_pockets(stocked, 10_000, by=cashier, second=floor, now=now)
    close()
    give_drawer(stocked, cash=10_000, by=cashier, second=floor, now=MORNING, key="sunday's drawer")
    redeemed = (
        (house("patrons"), house("drawer"), 10_000),
        (house("drawer", "cash"), house("public", "cash"), 10_000),
    )
    late = draft("late", "chip_redemption", *redeemed)
    assert code_of(post, site=stocked, draft=recorded_at(late, MORNING)) == "day_closed"
    of_the_day = draft("named", "collection", occurred_at=MORNING, gaming_day=DAY)
    assert code_of(post, site=stocked, draft=recorded_at(of_the_day, MORNING)) == "day_closed"
    assert not JournalEntry.objects.filter(key__in=["late", "named"]).exists()
    today = draft("today", "chip_redemption", *redeemed, gaming_day=NEXT)
    assert post(site=stocked, draft=recorded_at(today, MORNING)).gaming_day == NEXT


def test_a_day_before_a_closed_one_takes_nothing_either(stocked, draft, close):
    close()
    friday = draft("friday", "collection", gaming_day=date(2026, 11, 20))
    assert code_of(post, site=stocked, draft=recorded_at(friday, MORNING)) == "day_closed"


def test_a_past_day_that_is_open_takes_what_comes_late(stocked, draft):
    assert post(site=stocked, draft=recorded_at(draft("late", "collection"), MORNING)).gaming_day == DAY


def test_what_was_posted_before_the_closing_is_found_again_after_it(stocked, draft, close):
    sent = draft("sent", "collection")
    first = post(site=stocked, draft=recorded_at(sent, MORNING))
    close()
    assert post(site=stocked, draft=recorded_at(sent, MORNING + timedelta(minutes=1))).pk == first.pk


def test_what_belongs_to_a_closed_day_is_dated_in_the_day_that_writes_it(stocked, close):
    assert open_day(stocked, DAY, MORNING) == DAY
    close()
    assert open_day(stocked, DAY, MORNING) == NEXT
    assert open_day(stocked, NEXT, MORNING) == NEXT


def test_an_entry_of_today_asks_for_no_closed_day(stocked, stacks, draft, now):
    ann, bob = stacks
    with CaptureQueriesContext(connection) as queries:
        post(site=stocked, draft=draft("r1", "round", (ann.pk, bob.pk, 100)))
    assert not [query for query in queries if '"gaming_day" >=' in query["sql"]]


# --- At once


@pytest.mark.django_db(transaction=True)
def test_a_late_entry_is_counted_by_the_closing_or_refused(stocked, draft, close, at_once, now):
    house_account(stocked, "patrons", "chips")

    def late(number):
        return post(site=stocked, draft=recorded_at(draft(f"late {number}", "collection"), MORNING))

    results = at_once([lambda n=n: late(n) for n in range(5)] + [close])
    *entries, closed = results
    assert isinstance(closed, ClosedDay), closed
    assert all(isinstance(entry, JournalEntry | DayClosed) for entry in entries), entries
    assert closed.entries == JournalEntry.objects.filter(site=stocked, gaming_day=DAY).count()


@pytest.mark.django_db(transaction=True)
def test_two_who_close_a_day_at_once_close_it_once(stocked, close, at_once):
    results = at_once([lambda n=n: close(key=f"close {n}") for n in range(4)])
    assert sum(isinstance(result, ClosedDay) for result in results) == 1
    assert {getattr(result, "code", None) for result in results} == {None, "day_already_closed"}
