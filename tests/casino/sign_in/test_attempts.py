"""Wrong passwords and PINs, counted by name and by terminal, with growing waits and a lock."""

from collections import Counter
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.db import OperationalError
from django.test import Client
from django.utils import timezone

from casino.models import Attempts, Staff
from casino.sign_in import attempts, passwords
from casino.sign_in.attempts import OF_NAME, OF_TERMINAL, At, wait_after
from casino.sign_in.hashing import TooBusy
from casino.sign_in.pins import PinBackend
from casino.staff import hiring
from ledger.journal.acts import Act
from ledger.models import HouseEvent
from tests.support.cast import PIN

pytestmark = pytest.mark.django_db
WRONG = "not the password"


def sign_in(username, password, address="10.0.0.7"):
    answer = Client().post("/sign-in/", {"username": username, "password": password}, REMOTE_ADDR=address)
    return answer.status_code


def noted(kind):
    return [event.data for event in HouseEvent.objects.filter(kind=kind).order_by("pk")]


def told(*kinds):
    attempts.tend(timezone.now() + timedelta(minutes=5))
    return [(kind, data["username"], data["count"]) for kind in kinds for data in noted(kind)]


@pytest.fixture
def clock():
    with time_machine.travel(timezone.now(), tick=False) as moved:
        yield moved


@pytest.fixture
def guess(rf):
    """`guess(name)`: count a wrong password, or with `right=True` a right one."""

    def count(name, address="10.0.0.7", *, right=False):
        with attempts.Attempt(At.PASSWORD, name, rf.post("/", REMOTE_ADDR=address)) as attempt:
            if right:
                attempt.succeeded()

    return count


@pytest.fixture
def lock(clock, guess):
    """`lock("floor")`: guess wrong, waiting as long as it takes, until it is locked."""

    def until_locked(username):
        for judged in range(1, OF_NAME.lock + 1):
            guess(username, f"10.0.1.{judged}")
            clock.shift(wait_after(judged, OF_NAME))

    return until_locked


def test_waits_begin_after_five_and_double_up_to_a_quarter_of_an_hour():
    waits = [wait_after(judged, OF_NAME).total_seconds() for judged in range(4, 13)]
    assert waits == [0, 30, 60, 120, 240, 480, 900, 900, 900]
    assert wait_after(OF_TERMINAL.free - 1, OF_TERMINAL) == timedelta(0)


def test_who_waits_is_let_in_afterwards_and_starts_from_nothing(site, floor, clock):
    for _ in range(5):
        assert sign_in("floor", WRONG) == 400
    assert sign_in("floor", "floor signs in") == 429
    clock.shift(31)
    assert sign_in("floor", "floor signs in") == 302
    assert not Attempts.objects.filter(person=floor).exists()
    assert sign_in("floor", WRONG) == 400


def test_guesses_from_many_addresses_are_one_run_at_the_name(site, floor):
    for number in range(5):
        sign_in("floor", WRONG, f"10.0.0.{number}")
    assert sign_in("floor", "floor signs in", "10.9.9.9") == 429


def test_being_sent_away_makes_no_wait_longer(site, floor, clock):
    for _ in range(12):
        sign_in("floor", WRONG)
    run = Attempts.objects.get(person=floor)
    assert (run.judged, run.refused) == (5, 12)
    clock.shift(31)
    assert sign_in("floor", "floor signs in") == 302


def test_names_that_nobody_has_wait_like_all_others(site, db):
    assert [sign_in("ghost", WRONG) for _ in range(6)] == [400] * 5 + [429]


def test_three_hundred_and_twenty_junk_names_lift_nothing(site, floor, clock, guess):
    for _ in range(5):
        sign_in("floor", WRONG)
    for number in range(320):
        guess(f"junk{number}", f"10.0.{number % 16}.9")
    assert sign_in("floor", "floor signs in") == 429


def test_one_terminal_runs_out_of_patience_whatever_names_it_tries(site, floor, clock, guess):
    for number in range(OF_TERMINAL.free):
        guess(f"junk{number}")
    assert sign_in("junk", WRONG) == 429
    assert sign_in("floor", "floor signs in") == 429
    assert sign_in("floor", "floor signs in", "10.0.0.8") == 302


def test_a_terminal_where_people_come_in_all_day_never_waits(site, floor, guess):
    for _ in range(OF_TERMINAL.free + 5):
        guess("floor", right=True)
    assert Attempts.objects.get().judged == 0


@pytest.fixture
def impatient(monkeypatch):
    """A terminal with fewer free guesses, so that a test needs no hundred."""
    monkeypatch.setattr(attempts, "OF_TERMINAL", replace(OF_TERMINAL, free=4, lock=12))
    return attempts.OF_TERMINAL


def test_a_terminal_in_use_day_and_night_forgets_what_was_mistyped_there(site, impatient, clock, guess):
    """One in fifteen, every two minutes: a wrong one each half hour, and no quiet hour in days."""
    for number in range(impatient.lock + 3):
        guess(f"junk{number}")
        clock.shift(timedelta(minutes=30))
        guess("floor", right=True)
    assert Attempts.objects.get(at=At.TERMINAL).judged < impatient.free


def test_who_waits_and_guesses_on_has_nothing_forgotten_and_a_right_one_brings_no_wait(
    site, impatient, clock, guess
):
    for number in range(impatient.free + 2):
        guess(f"junk{number}")
        clock.shift(wait_after(number + 1, impatient))
    assert Attempts.objects.get(at=At.TERMINAL).judged == impatient.free + 2
    for _ in range(3):
        guess("floor", right=True)


def test_a_manager_sees_a_terminal_that_waits_and_lifts_it(site, impatient, manager, client, guess):
    for number in range(impatient.free):
        guess(f"junk{number}")
    client.force_login(manager)
    (run,) = attempts.held_up(timezone.now())
    page = client.get("/house/staff/").content.decode()
    assert "Everybody at 10.0.0.7:" in page
    assert client.post(f"/house/staff/locks/{run.pk}/", {"key": "lift-this-wait"}).url == "/house/staff/"
    guess("junk")


@pytest.mark.parametrize("kind", [TooBusy, OperationalError])
def test_who_is_turned_away_by_the_machine_has_typed_nothing_wrong(site, floor, monkeypatch, kind):
    sign_in("floor", WRONG)
    before = list(Attempts.objects.order_by("pk").values())

    def fail(*_):
        raise kind("not now")

    monkeypatch.setattr(Staff, "check_password", fail)
    monkeypatch.setattr(Staff, "has_pin", fail)
    for _ in range(OF_NAME.free):
        assert sign_in("floor", "floor signs in") == 503
        with pytest.raises(kind):
            PinBackend().authenticate(None, username="floor", pin=PIN)
    assert list(Attempts.objects.filter(judged__gt=0).order_by("pk").values()) == before
    monkeypatch.undo()
    assert sign_in("floor", "floor signs in") == 302


def test_a_name_that_was_tried_before_its_owner_came_is_theirs_then(site, manager, employ, lock, guess):
    lock("zoe")
    assert attempts.held_up(timezone.now()) == []
    zoe = employ("zoe", "dealer")
    assert sign_in("zoe", "zoe signs in") == 403
    (run,) = attempts.held_up(timezone.now())
    assert run.person == zoe


def test_whoever_is_hired_under_a_name_that_was_tried_comes_in(site, manager, lock):
    lock("zoe")
    facts = {"full_name": "Zoe", "badge": "", "badge_expires": None, "roles": frozenset({"dealer"})}
    _, code = hiring.hire(username="zoe", act=Act(actor=manager, now=timezone.now()), **facts)
    assert sign_in("zoe", code) == 302


def test_a_run_is_one_row_of_the_log_with_its_count(site, floor):
    for _ in range(9):
        sign_in("floor", WRONG)
    for number in range(7):
        sign_in(f"junk{number}", WRONG)
    assert noted("sign_in_refused") == []
    assert told("sign_in_refused") == [("sign_in_refused", "floor", 9), ("sign_in_refused", "", 7)]
    attempts.tend(timezone.now() + timedelta(hours=1))
    assert len(noted("sign_in_refused")) == 2


def test_a_run_that_ends_well_is_noted_before_the_sign_in(site, floor):
    for _ in range(2):
        sign_in("floor", WRONG)
    sign_in("floor", "floor signs in")
    kinds = list(HouseEvent.objects.order_by("pk").values_list("kind", flat=True))[-2:]
    assert kinds == ["sign_in_refused", "signed_in"]
    assert noted("sign_in_refused")[0]["count"] == 2


def test_what_was_typed_as_a_name_is_kept_nowhere(site):
    sign_in("floor signs in", "oops")
    row = Attempts.objects.get(at="password")
    assert "floor" not in f"{row.subject} {row.terminal} {row}"
    assert told("sign_in_refused") == [("sign_in_refused", "", 1)]


def test_after_twenty_wrong_ones_only_a_manager_helps(site, floor, manager, client, clock, lock):
    lock("floor")
    clock.shift(timedelta(days=3))
    attempts.tend(timezone.now())
    assert sign_in("floor", "floor signs in") == 403
    assert noted("attempts_locked") == [{"guessed": "password", "staff": floor.pk, "count": 20}]
    assert {data["guessed"] for data in noted("sign_in_refused")} == {"password"}
    client.force_login(manager)
    (run,) = attempts.held_up(timezone.now())
    path = f"/house/staff/locks/{run.pk}/"
    assert path in client.get("/house/staff/").content.decode()
    assert "21 refused" in client.get(path).content.decode()
    assert client.post(path, {"key": "lift-this-lock"}).url == "/house/staff/"
    assert client.post(path, {"key": "lift-this-lock"}).status_code == 409
    event = HouseEvent.objects.get(kind="attempts_lifted")
    assert (event.actor, event.data["staff"], event.data["count"]) == (manager, floor.pk, 21)
    assert sign_in("floor", "floor signs in") == 302


def test_no_manager_lifts_a_lock_on_their_own_name(site, manager, employ, client, lock):
    lock("manager")
    run = Attempts.objects.get(person=manager)
    path = f"/house/staff/locks/{run.pk}/"
    client.force_login(manager)
    answer = client.post(path, {"key": "lift-this-lock"})
    assert (answer.status_code, "own_account" in answer.text) == (403, True)
    assert Attempts.objects.filter(pk=run.pk).exists()
    client.force_login(employ("max", "manager"))
    assert client.post(path, {"key": "lift-this-lock"}).url == "/house/staff/"


def test_a_one_time_code_lifts_the_lock(site, floor, lock):
    lock("floor")
    assert sign_in("floor", passwords.give_code(floor, passwords.new_code(), timezone.now())) == 302


def test_the_command_line_lifts_the_managers_own_lock(site, manager, lock):
    lock("manager")
    call_command("lift_lock", "manager")
    assert sign_in("manager", "manager signs in") == 302
    with pytest.raises(CommandError, match="Nothing is locked"):
        call_command("lift_lock", "manager")


def test_the_command_line_lifts_what_is_named_and_nothing_beside_it(site, floor, impatient, guess, lock):
    lock("floor")
    for number in range(impatient.free):
        guess(f"junk{number}", "10.0.1.20")  # from where the floor was tried last
    for name, held in (("None", ["floor", "10.0.1.20"]), ("10.0.1.20", ["floor"])):
        with suppress(CommandError):
            call_command("lift_lock", name)
        assert {attempts.name_of(run) for run in attempts.held_up(timezone.now())} == set(held)


def test_nobody_but_managers_lifts_a_lock(site, floor, employ, client, lock):
    lock("floor")
    client.force_login(employ("zoe", "floor"))
    (run,) = attempts.held_up(timezone.now())
    assert client.post(f"/house/staff/locks/{run.pk}/", {"key": "lift-this-lock"}).status_code == 403
    assert attempts.held_up(timezone.now()) == [run]


def test_old_runs_of_names_that_nobody_has_go(site, clock):
    sign_in("ghost", WRONG)
    attempts.tend(timezone.now() + timedelta(minutes=5))
    attempts.tend(timezone.now() + timedelta(days=2))
    assert not Attempts.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_sixteen_at_once_count_sixteen_and_five_are_looked_at(site, floor, at_once):
    results = at_once([lambda: sign_in("floor", WRONG)] * 16)
    assert Counter(results) == {400: 5, 429: 11}
    run = Attempts.objects.get(person=floor)
    assert (run.judged, run.refused, run.unnoted) == (5, 16, 16)
    assert told("sign_in_refused") == [("sign_in_refused", "floor", 16)]
