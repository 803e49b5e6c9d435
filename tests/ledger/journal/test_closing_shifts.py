"""Closing shifts: in order, by two, with nothing of them open; the last with its day. Saturday evening is in
the second of three."""

from datetime import UTC, date, datetime, timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from ledger.cage import boxes, drawers
from ledger.errors import LedgerError
from ledger.journal import closing
from ledger.journal.acts import Act
from ledger.journal.closing_shifts import close_shift, shift_state, shift_states
from ledger.journal.posting import post
from ledger.models import ClosedDay, ClosedShift
from ledger.proof.log import sealing, verifying
from tests.support.acting import acting
from tests.support.cage import close_cage, count_vault
from tests.support.counting import count_box

DAY = date(2026, 11, 21)
TWO = datetime(2026, 11, 21, 22, 0, tzinfo=UTC)  # in the afternoon, in Los Angeles
TEN = datetime(2026, 11, 22, 6, 0, tzinfo=UTC)  # in the evening
SIX = datetime(2026, 11, 22, 14, 0, tzinfo=UTC)  # in the morning
GRACE = timedelta(minutes=5)


def code_of(call, *args, **given):
    with pytest.raises(LedgerError) as error:
        call(*args, **given)
    return error.value.code


@pytest.fixture
def three(stocked, monkeypatch):
    """The stocked house with three shifts since the day before; its drawer was opened at eight."""
    stocked.shifts = 3
    with monkeypatch.context() as earlier:
        earlier.setattr(timezone, "now", lambda: TWO - timedelta(days=1))
        stocked.save()
    return stocked


@pytest.fixture
def close(three, cashier, floor):
    """`close()`: the cashier and the floor close the second shift at half past ten."""

    def close(number=2, **changes):
        given = {"site": three, "day": DAY, "number": number, "actor": cashier, "approver": floor}
        given |= {"now": TEN + timedelta(minutes=30), "key": f"close shift {number}"} | changes
        return acting(close_shift, **given)

    return close


@pytest.fixture
def drawer_closed(three):
    close_cage(three, TEN)


@pytest.fixture
def findings(three):
    def find():
        sealing.seal(three, now=SIX + timedelta(hours=2), whole=True)
        return [str(one) for one in verifying.Verification(three).run()]

    return find


# --- When, and in which order


def test_a_shift_is_closed_five_minutes_after_its_end_and_not_before(close, drawer_closed):
    for early in (TWO, TEN, TEN + GRACE - timedelta(microseconds=1)):
        assert code_of(close, now=early) == "shift_not_over"
    closed = close(now=TEN + GRACE)
    assert (closed.gaming_day, closed.number, closed.closed_at) == (DAY, 2, TEN + GRACE)


@pytest.mark.parametrize(("number", "code"), [(3, "last_shift"), (4, "no_such_shift"), (0, "no_such_shift")])
def test_the_last_shift_is_closed_with_its_day_and_no_other_exists(close, number, code):
    assert code_of(close, number, now=SIX + timedelta(hours=1)) == code
    assert not ClosedShift.objects.exists()


def test_a_house_of_one_shift_closes_none(stocked, cashier, floor):
    act = Act(cashier, SIX, "one", approver=floor)
    assert code_of(close_shift, site=stocked, day=DAY, number=1, act=act) == "no_such_shift"
    assert shift_states(stocked, DAY, SIX) == []


def test_an_earlier_shift_that_saw_an_entry_comes_first(three, close, drawer_closed, draft):
    post(site=three, draft=draft("at noon", "collection", occurred_at=TWO - timedelta(hours=2)))
    with pytest.raises(LedgerError) as refusal:
        close(2)
    assert refusal.value.code == "shift_not_closed"
    assert "Close Shift 1, 06:00 to 14:00, of gaming day 2026-11-21, first" in refusal.value.message
    close(1)
    assert close(2).number == 2


def test_an_earlier_shift_without_an_entry_is_covered_and_not_closed_again(three, close, drawer_closed):
    close(2)
    assert code_of(close, 1, key="again") == "shift_already_closed"
    assert shift_state(three, DAY, 1, SIX).closed.number == 2


def test_a_shift_is_closed_once_and_its_request_sent_again_finds_it(close, drawer_closed, manager):
    closed = close()
    assert close() == closed
    assert code_of(close, key="another") == "shift_already_closed"
    assert code_of(close, approver=manager) == "key_reused"
    assert ClosedShift.objects.get() == closed


# --- What is open


def test_a_drawer_that_was_opened_in_it_is_closed_first(three, close):
    assert code_of(close) == "drawer_open"
    close_cage(three, TEN)
    assert close().number == 2


def test_a_drawer_of_the_next_shift_does_not_keep_it_open(three, close, drawer_closed, cashier):
    drawers.open_drawer(site=three, act=Act(cashier, TEN, "next"))
    assert close().number == 2


def test_a_box_that_is_still_at_its_table_is_changed_first(three, close, drawer_closed, box, floor, dealer):
    assert code_of(close) == "box_not_pulled"
    later = Act(floor, TEN + timedelta(minutes=1))
    boxes.pull_box(box=box, second=dealer, act=later)
    boxes.install_box(site=three, place="Table 3", act=later)
    assert close().number == 2


# --- Who


@pytest.mark.parametrize("who", ["floor", "dealer", "counter1", "regulator", "manager"])
def test_only_who_signs_drops_off_closes_shifts(close, drawer_closed, request, who):
    assert code_of(close, actor=request.getfixturevalue(who)) == "not_allowed"


@pytest.mark.parametrize("who", ["floor", "floor2", "manager"])
def test_the_floor_or_a_manager_closes_it_with_the_only_cashier(close, drawer_closed, request, who):
    assert close(approver=request.getfixturevalue(who)).closed_with.username == who


@pytest.mark.parametrize("who", ["dealer", "counter1", "regulator"])
def test_nobody_else_does(close, drawer_closed, request, who):
    assert code_of(close, approver=request.getfixturevalue(who)) == "not_allowed"


def test_it_takes_two_people_and_the_second_signed_off_no_box(
    three, close, drawer_closed, pulled, counter1, counter2, cashier, employ
):
    other = employ("cashier2", "cashier")
    count_box(pulled, (counter1, counter2), TEN, chips=2500, cash=1500)
    boxes.sign_off(box=pulled, cause="", act=Act(other, TEN, "sign"))
    assert code_of(close, approver=None) == "second_person"
    assert code_of(close, approver=cashier) == "second_person"
    assert code_of(close, approver=other) == "second_person"
    assert close(actor=other, approver=cashier).closed_with == cashier


# --- The day


def test_a_day_is_not_closed_before_its_shifts_that_saw_an_entry(three, close, cashier, floor, findings):
    close_cage(three, TEN)
    morning = SIX + timedelta(minutes=30)
    count_vault(three, morning)

    def close_day():
        return closing.close_day(site=three, day=DAY, act=Act(cashier, morning, "day", approver=floor))

    with pytest.raises(LedgerError) as refusal:
        close_day()
    assert refusal.value.code == "shift_not_closed"
    assert "Shift 2, 14:00 to 22:00" in refusal.value.message
    assert not closing.day_state(three, DAY, morning).ready
    assert not ClosedDay.objects.exists()
    close(now=morning)
    closed = close_day()
    assert [one.closed for one in shift_states(three, DAY, morning)] == [*ClosedShift.objects.all()] * 2 + [
        closed
    ]
    assert findings() == []


def test_a_shift_of_a_closed_day_has_been_closed_with_it(three, close, drawer_closed, cashier, floor):
    close()
    count_vault(three, SIX)
    act = Act(cashier, SIX + GRACE, "day", approver=floor)
    closing.close_day(site=three, day=DAY, act=act)
    assert code_of(close, 1, key="late", now=SIX + GRACE) == "shift_already_closed"


def test_the_states_of_a_day_cost_the_same_whatever_is_open(three, cashier):
    with CaptureQueriesContext(connection) as queries:
        states = shift_states(three, DAY, TEN + GRACE)
    assert len(queries) <= 9
    assert [(one.number, one.over, one.last, one.waits) for one in states] == [
        (1, True, False, 0),
        (2, True, False, 1),
        (3, False, True, 1),
    ]
    assert states[1].wrong is None
    assert not states[1].ready


# --- The row


def test_no_row_is_changed_deleted_or_written_twice(close, drawer_closed):
    closed = close()
    row = ClosedShift.objects.filter(pk=closed.pk).values().get()
    for change in (lambda: ClosedShift.objects.update(number=1), closed.delete):
        with pytest.raises(IntegrityError), transaction.atomic():
            change()
    for again in (
        {},
        {"number": 1, "closed_with_id": row["closed_by_id"], "key": "k"},
        {"number": 4, "key": "k"},
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            ClosedShift.objects.create(**row | {"id": closed.pk + 1} | again)


@pytest.mark.django_db(transaction=True)
def test_two_who_close_a_shift_at_once_close_it_once(close, drawer_closed, at_once):
    results = at_once([lambda n=n: close(key=f"close {n}") for n in range(4)])
    assert sum(isinstance(result, ClosedShift) for result in results) == 1
    assert {getattr(result, "code", None) for result in results} == {None, "shift_already_closed"}
