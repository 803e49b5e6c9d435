"""`manage.py seed`: the demo has something to do on every screen, and its books are right."""

import pytest
from django.core.management import call_command
from django.db import transaction
from django.test import override_settings
from django.utils import timezone

from casino.demo import people
from casino.models import Staff
from ledger.cage import boxes
from ledger.journal import balances
from ledger.journal.closing_shifts import shift_states
from ledger.journal.days import clock_of
from ledger.models import ClosedDay, DropBox, DropSignOff, Site
from ledger.reports.box_log import box_row
from ledger.rules.shifts import shift_of
from tables.models import Charge, CorrectionRequest, Rate, Round, Table
from tables.rules.game.sheet import library
from tables.state.plan import plan_round
from tables.state.table_state import load_states, sessions
from tests.support.balances import differences


@pytest.fixture(scope="module")
def demo_room(django_db_setup, django_db_blocker):
    with django_db_blocker.unblock(), transaction.atomic():
        with override_settings(DEMO=True):
            call_command("seed")
        yield Site.objects.get()
        transaction.set_rollback(True)


@pytest.fixture
def room(demo_room, db):
    return demo_room


def open_tables():
    return load_states(sessions().filter(closed_at__isnull=True))


def reasons():
    return [seat.reason for state in open_tables() for seat in plan_round(state, timezone.now()).waiting]


def test_the_house_is_a_demo_with_its_people_tables_and_rates(room):
    assert room.demo
    assert room.time_zone == "America/Los_Angeles"
    assert set(dict(people.PEOPLE)) <= set(Staff.objects.values_list("username", flat=True))
    assert Staff.objects.get(username="floor").check_password("demo")
    assert Table.objects.count() == 8
    assert Rate.objects.count() == 8


def test_the_shifts_of_the_closed_day_and_of_last_night_are_closed(room):
    assert room.shifts == 3
    closed = ClosedDay.objects.get()
    assert all(state.closed for state in shift_states(room, closed.gaming_day, timezone.now()))
    first = room.boxes.earliest("installed_at")
    number = shift_of(first.installed_at, first.gaming_day, clock_of(room))
    state = shift_states(room, first.gaming_day, timezone.now())[number - 1]
    assert state.closed or state.last  # the last waits for its day


def test_five_tables_are_in_the_middle_of_play_and_others_free(room):
    assert len(open_tables()) == 5
    assert all(state.last_round is not None for state in open_tables())


def test_somebody_is_short_somebody_owes_a_fee_and_somebody_waits_as_the_fifth(room):
    assert {"short", "fee_due", "fifth"} <= set(reasons())
    assert Charge.objects.open().filter(sitting__left_at=None).exists()


def test_every_built_in_game_has_been_played(room):
    settled = Round.objects.filter(state="settled", session__table__site=room)
    assert set(settled.values_list("session__sheet__code", flat=True)) == set(library().newest)


def test_a_round_waits_for_its_cards(room):
    running = Round.objects.filter(state="dealt")
    assert any(len(round_.draft) == 1 < round_.hands.count() for round_ in running)


def test_a_correction_waits_for_floor2(room):
    request = CorrectionRequest.objects.get(state="asked")
    assert request.asked_by.username == "floor"
    assert not request.round.session.rounds.filter(state="dealt").exists()


def test_boxes_wait_for_counters_and_one_lies_short_before_the_cashier(room):
    counter = Staff.objects.get(username="counter1")
    assert len(boxes.boxes_to_count(counter)) == 2
    pulled = DropBox.objects.filter(pulled_at__isnull=False, sign_off=None)
    (waiting,) = [state for state in map(boxes.count_state, pulled) if state.agreed]
    assert [line.difference for line in box_row(waiting.box.pk).lines] == [-500, 0]
    assert waiting.attempt == 2
    assert DropSignOff.objects.count() >= 2


def test_nothing_lies_in_the_future_and_the_books_balance(room):
    assert not Round.objects.filter(started_at__gt=timezone.now()).exists()
    assert not room.entries.filter(recorded_at__gt=timezone.now()).exists()
    assert balances.asset_sums(room) == {"chips": 0, "cash": 0}
    assert differences(room) == {}


def test_a_room_that_is_there_is_left_alone(room, capsys):
    before = room.entries.count()
    with override_settings(DEMO=True):
        call_command("seed")
    assert room.entries.count() == before
    assert "nothing was changed" in capsys.readouterr().out
