"""What comes round, and how it travels."""

import time

import pytest

from casino import celery
from casino.models import Pulse
from casino.serving.scheduler import embedded_scheduler


def test_every_recurring_task_exists():
    celery.app.loader.import_default_modules()
    assert set(celery.RECURRING) <= set(celery.app.tasks)


def test_a_task_that_nobody_took_is_dropped_when_the_next_is_due():
    for entry in celery.BEAT.values():
        assert entry["options"]["expires"] == entry["schedule"]


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
        deadline = time.monotonic() + 10
        while Pulse.last("scheduler") is None:
            assert time.monotonic() < deadline
            time.sleep(0.02)
    assert list(tmp_path.iterdir()) == []


def test_two_houses_on_one_redis_have_queues_of_their_own(settings):
    mine = celery.transport_options("redis://cache.example")["global_keyprefix"]
    settings.HOUSE_MARK = "casino-another"
    assert celery.transport_options("redis://cache.example")["global_keyprefix"] != mine
