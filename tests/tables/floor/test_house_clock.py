"""A wrong clock charges nobody: what it shows is held against the time that has passed,
and a person confirms it (R65)."""

from datetime import datetime, timedelta

import pytest

from ledger.errors import NotAllowed
from ledger.journal.acts import Act
from ledger.models import HouseEvent
from ledger.proof.log import sealing, verifying
from tables.collection import taking
from tables.errors import ClockBehind, ClockDoubted, NothingChanges
from tables.floor import attention, house_clock
from tables.floor.house_clock import Reading, Watch
from tables.models import Charge, Round, TableSession
from tests.support.acting import acting
from tests.support.behind import behind_the_triggers
from tests.support.kept import kept
from tests.support.replayed import bodies, replayed

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)
HERE = "the boot of this machine"


class Machine:
    """A machine whose clock the test sets: `true` time passes by itself,
    and its clock is `off` by so much."""

    def __init__(self, game, boot=HERE):
        self.game, self.off, self.boot = game, timedelta(), boot
        self.began = game.now

    def reads(self):
        now = self.game.now
        return Reading(now + self.off, timedelta(days=3) + (now - self.began), self.boot)


@pytest.fixture
def machine(game):
    return Machine(game)


@pytest.fixture
def watch(machine):
    return Watch(machine.reads())


@kept
def playing(game):
    """Four players, one round played."""
    game.seat("Ann", "Bob", "Cat", "Dan")
    game.play()
    game.minute(5)
    return game


def confirm(game, machine, key="confirm-it"):
    act = Act(game.floor, machine.reads().now, key)
    house_clock.confirm_time(site=game.site, reading=machine.reads(), act=act)


def kinds(game, now=None):
    return [item.kind for item in attention.waiting_now(fresh(game), now or game.now, but=("log",))]


def fresh(game):
    game.site.refresh_from_db()
    return game.site


def wrong(game):
    sealing.seal(game.site, now=game.now)
    return [str(finding) for finding in verifying.Verification(game.site).run()]


def test_a_clock_that_runs_as_time_passes_is_believed_and_costs_no_query(
    playing, machine, watch, django_assert_num_queries
):
    playing.minute(300)
    machine.off = timedelta(seconds=45)
    with django_assert_num_queries(0):
        watch.look(machine.reads())
    playing.start()


@pytest.mark.parametrize("off", [HOUR, -HOUR])
def test_r65_a_clock_that_jumps_charges_nobody_and_starts_no_round(playing, machine, watch, off):
    charged = Charge.objects.count()
    machine.off = off
    watch.look(machine.reads())
    for now in (machine.reads().now, playing.now):
        with pytest.raises((ClockDoubted, ClockBehind)):
            playing.start(now=now)
    assert (Charge.objects.count(), Round.objects.count()) == (charged, 1)
    assert kinds(playing)[0] == "clock_doubted"
    event = HouseEvent.objects.get(kind="clock_doubted")
    assert event.data["clock"] == machine.reads().now.isoformat()
    assert event.data["expected"] == playing.now.isoformat()


def test_r65_no_fee_is_charged_ahead_of_a_round_by_a_doubted_clock(playing, machine, watch):
    machine.off = HOUR
    watch.look(machine.reads())
    paid = {"sitting_id": playing.sitting(1).pk, "method": "cash", "actor": playing.dealer}
    with pytest.raises(ClockDoubted):
        acting(taking.pay_fees, key="ahead", now=machine.reads().now, **paid)


def test_what_does_not_charge_goes_on_while_the_clock_is_in_doubt(playing, machine, watch):
    round_ = playing.start()
    machine.off = HOUR
    watch.look(machine.reads())
    playing.settle(round_)
    playing.cash_out(4)


def test_a_jump_is_recorded_once_however_many_see_it(playing, machine, watch):
    machine.off = HOUR
    for _ in range(3):
        watch.look(machine.reads())
        Watch(Machine(playing).reads()).look(machine.reads())
    assert HouseEvent.objects.filter(kind="clock_doubted").count() == 1


def test_r65_play_goes_on_when_the_floor_has_confirmed_the_time(playing, machine, watch):
    machine.off = HOUR
    watch.look(machine.reads())
    machine.off = timedelta()
    confirm(playing, machine)
    event = HouseEvent.objects.get(kind="time_confirmed")
    assert (event.data["clock"], event.data["doubted"]) == (
        playing.now.isoformat(),
        (playing.now + HOUR).isoformat(),
    )
    assert event.actor == playing.floor
    watch.look(machine.reads())
    playing.start()
    assert "clock_doubted" not in kinds(playing)
    assert wrong(playing) == []


def test_a_time_that_was_confirmed_is_believed_by_every_process_of_that_machine(playing, machine, watch):
    """Where the clock was wrong before and has been set right, it stays where it jumped to."""
    other = Watch(machine.reads())
    machine.off = HOUR
    watch.look(machine.reads())
    confirm(playing, machine)
    for process in (watch, other):
        process.look(machine.reads())
        assert process.jumped(machine.reads()) is None
    assert fresh(playing).clock_doubted_at is None
    machine.off = 2 * HOUR
    other.look(machine.reads())
    assert fresh(playing).clock_doubted_at == machine.reads().now


def test_another_machine_is_not_believed_for_what_was_confirmed_on_this_one(playing, machine, watch):
    elsewhere = Machine(playing, boot="another machine")
    there = Watch(elsewhere.reads())
    machine.off = HOUR
    watch.look(machine.reads())
    confirm(playing, machine)
    elsewhere.off = HOUR
    there.look(elsewhere.reads())
    assert fresh(playing).clock_doubted_at is not None


def test_r65_a_table_whose_records_are_ahead_goes_on_at_its_newest_moment(playing, machine, watch):
    """The clock was an hour ahead when a round was settled, and is right again."""
    round_, ahead = playing.start(), playing.now + HOUR
    playing.settle(round_, now=ahead)
    with pytest.raises(ClockBehind):
        playing.start()
    assert kinds(playing)[0] == "clock_doubted"
    confirm(playing, machine)
    charged = Charge.objects.count()
    started = playing.start()
    assert started.started_at == ahead
    assert (
        Charge.objects.count() > charged
    )  # the records say that a down began: taken back by two people, not unsaid
    playing.settle(started)
    charged = Charge.objects.count()
    playing.settle(playing.minute(20).start())
    assert Charge.objects.count() == charged
    assert TableSession.objects.get(pk=playing.session.pk).latest_at == ahead
    playing.minute(70).start()
    assert TableSession.objects.get(pk=playing.session.pk).latest_at == playing.now
    assert wrong(playing) == []


@pytest.mark.parametrize(("later", "doubted"), [(-HOUR, True), (timedelta(minutes=1), False), (HOUR, True)])
def test_a_process_that_starts_holds_its_clock_against_the_newest_record(playing, machine, later, doubted):
    machine.off = later
    Watch(machine.reads()).look_at_start(machine.reads())
    assert (fresh(playing).clock_doubted_at is not None) is doubted


def test_a_start_after_a_quiet_day_doubts_nothing(playing, machine, floor2):
    for seat in (1, 2, 3, 4):
        playing.cash_out(seat)
    playing.minute(24 * 60)
    Watch(machine.reads()).look_at_start(machine.reads())
    assert fresh(playing).clock_doubted_at is None


def test_only_the_floor_confirms_and_only_what_is_in_doubt(playing, machine, watch):
    with pytest.raises(NothingChanges):
        confirm(playing, machine)
    machine.off = HOUR
    watch.look(machine.reads())
    act = Act(playing.dealer, playing.now, "confirm")
    with pytest.raises(NotAllowed):
        house_clock.confirm_time(site=playing.site, reading=machine.reads(), act=act)
    confirm(playing, machine)
    confirm(playing, machine)  # the same key: the same act
    assert HouseEvent.objects.filter(kind="time_confirmed").count() == 1


def test_a_doubt_that_is_taken_away_behind_the_log_is_named(playing, machine, watch):
    machine.off = HOUR
    watch.look(machine.reads())
    assert wrong(playing) == []
    with behind_the_triggers("ledger_site"):
        type(playing.site).objects.update(clock_doubted_at=None)
    assert [finding for finding in wrong(playing) if "clock_doubted_at is" in finding]


def offline(records):
    return [(finding.code, records[finding.leaf]["record"]) for finding in replayed(records)[0]]


def test_r65_a_round_that_started_while_the_clock_was_in_doubt_is_named(playing, machine, watch, monkeypatch):
    """As by a program that does not ask: the live check and the offline one know it from the log alone."""
    machine.off = HOUR
    watch.look(machine.reads())
    for lock in ("tables.rounds.starting", "tables.collection.taking"):
        monkeypatch.setattr(f"{lock}.require_true_time", lambda session: None)
    playing.minute(50).start()
    assert offline(bodies()) == [("clock_doubted", "charge")]  # the first of them; the round is behind it
    first, unjudged = wrong(playing)
    assert "The clock had been in doubt" in first
    assert "1 table event round started" in unjudged


@pytest.mark.parametrize("off", [HOUR, -HOUR])
def test_r65_a_round_whose_time_is_not_yet_confirmed_is_named_and_one_under_way_is_not(
    playing, machine, watch, off
):
    machine.off = off
    watch.look(machine.reads())
    machine.off = timedelta()
    playing.minute(6)
    confirm(playing, machine)
    playing.minute(7).start()
    log = bodies()
    assert offline(log) == []
    assert offline([body for body in log if body.get("kind") != "time_confirmed"]) == [
        ("clock_doubted", "table_event")
    ]
    doubt = next(body for body in log if body.get("kind") == "clock_doubted")
    started = next(at for at, body in enumerate(log) if body.get("kind") == "round_started")
    clock = datetime.fromisoformat(log[started]["at"]) - timedelta(seconds=20)
    data = {"clock": (clock + off).isoformat(), "expected": clock.isoformat(), "host": "here"}
    doubt = {**doubt, "id": 10**6, "data": data}
    assert offline([*log[:started], doubt, *log[started : started + 1]]) == []


def test_the_floor_confirms_it_on_a_page(playing, machine, watch, client, monkeypatch):
    machine.off = HOUR
    watch.look(machine.reads())
    monkeypatch.setattr(house_clock, "read", machine.reads)
    client.force_login(playing.floor)
    assert "Confirm the time" in client.get("/floor/").content.decode()
    page = client.get("/floor/time/").content.decode()
    assert "The server&#x27;s clock shows" in page
    client.post("/floor/time/", {"key": "a-key-of-this-page"})
    assert fresh(playing).clock_doubted_at is None


def test_a_request_that_changes_something_looks_at_the_clock_first(
    playing, machine, watch, client, monkeypatch
):
    monkeypatch.setattr(house_clock, "_watch", watch)
    monkeypatch.setattr(house_clock, "read", machine.reads)
    machine.off = HOUR
    client.force_login(playing.floor)
    client.get("/floor/")
    assert fresh(playing).clock_doubted_at is None
    client.post(f"/floor/sessions/{playing.session.pk}/start/", {"key": "a-key-of-this-page"})
    assert fresh(playing).clock_doubted_at is not None
    assert Round.objects.count() == 1
