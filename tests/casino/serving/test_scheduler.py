"""Recurring tasks, and how they travel."""

import time
from collections import Counter
from datetime import UTC, datetime
from time import monotonic

import pytest
import time_machine
from celery.app.trace import build_tracer
from celery.beat import Scheduler

from casino import celery
from casino.models import Pulse
from casino.serving.scheduler import embedded_scheduler


def test_every_recurring_task_exists():
    celery.app.loader.import_default_modules()
    assert set(celery.RECURRING) <= set(celery.app.tasks)


@pytest.fixture
def passes(monkeypatch):
    """`passes(seconds)`: let monotonic time pass, whatever the clock says."""
    passed = [monotonic()]
    monkeypatch.setattr(celery, "monotonic", lambda: passed[0])

    def pass_(seconds):
        passed[0] += seconds

    return pass_


class Beat(Scheduler):
    producer = None

    def __init__(self):
        super().__init__(celery.app)
        self.sent = Counter()

    def apply_entry(self, entry, producer=None):
        self.sent[entry.name] += 1


@pytest.mark.parametrize("jump", [-3600, 3600])
def test_beat_keeps_its_rhythm_when_the_clock_jumps(passes, jump):
    """After a jump an hour back it would otherwise be silent for an hour."""
    with time_machine.travel(datetime(2026, 3, 7, 20, tzinfo=UTC), tick=False) as clock:
        beat = Beat()
        for second in range(61):
            clock.shift(jump if second == 30 else 1)
            while beat.tick() == 0:
                pass
            passes(1)
    assert beat.sent["casino.tasks.heartbeat"] == 12
    assert beat.sent["ledger.tasks.ask_witnesses"] == 1


def test_no_task_travels_with_a_date():
    """A worker whose clock is ahead of beat's would drop each of them as expired."""
    assert [entry.options for entry in Beat().schedule.values() if entry.options] == []


def test_what_lay_in_the_queue_is_done_once(passes, monkeypatch):
    """An hour without a worker leaves 720 of them."""
    did = []
    task = celery.app.tasks["casino.tasks.heartbeat"]
    monkeypatch.setattr(task, "run", lambda: did.append(1))
    monkeypatch.setattr(task, "began_at", None)
    take = build_tracer(task.name, task, app=celery.app)
    for _ in range(720):
        take("an-id", (), {}, {"delivery_info": {}})
        passes(0.001)
    assert len(did) == 1
    for _ in range(3):
        passes(5)
        take("an-id", (), {}, {"delivery_info": {}})
    assert len(did) == 4


@pytest.mark.parametrize(
    ("redis_url", "broker"),
    [
        ("", "memory://localhost/"),
        ("redis://cache.example:6379/0", "redis://cache.example:6379/0"),
        ("unix:///run/redis.sock", "redis+socket:///run/redis.sock"),
        ("unix:///run/redis.sock?db=3", "redis+socket:///run/redis.sock?virtual_host=3"),
    ],
)
def test_tasks_travel_through_redis_where_there_is_one(redis_url, broker):
    assert celery.broker_url(redis_url) == broker


@pytest.mark.django_db(transaction=True, databases=["default", "reading"])
def test_the_embedded_scheduler_ticks_stops_and_leaves_no_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with embedded_scheduler():
        deadline = time.monotonic() + 60
        while Pulse.last("scheduler") is None:
            assert time.monotonic() < deadline
            time.sleep(0.02)
    assert list(tmp_path.iterdir()) == []


def test_two_houses_on_one_redis_have_queues_of_their_own(settings):
    mine = celery.transport_options("redis://cache.example")["global_keyprefix"]
    settings.HOUSE_MARK = "casino-another"
    assert celery.transport_options("redis://cache.example")["global_keyprefix"] != mine
