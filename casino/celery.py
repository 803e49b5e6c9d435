"""The Celery app and its recurring tasks. The tasks themselves are in each app's tasks.py. Nothing that is
owed or recorded depends on a task having run: tasks only tell screens what is due."""

import os
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import Any

from celery import Celery, Task
from celery.exceptions import Ignore
from celery.schedules import schedule
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings")
# What `--skip-checks` sets. Celery would open the database for its checks, and go on whatever they find;
# casino/serving/starting.py runs them before worker and beat.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")

BROKER_SECONDS = 3.0
# Seconds between two runs of each task.
RECURRING = {
    "casino.tasks.heartbeat": 5.0,
    "tables.tasks.watch_clock": 5.0,
    "casino.tasks.tend_attempts": 60.0,
    "casino.tasks.send_notices": 10.0,
    "casino.tasks.clear_sessions": 3600.0,
    "tables.tasks.announce_boundaries": 5.0,
    "tables.tasks.tend_attention": 5.0,
    "tables.tasks.expire_places": 5.0,
    "tables.tasks.write_papers": 60.0,
    "tables.tasks.note_sheets": 60.0,
    "ledger.tasks.seal_logs": 3.0,
    "ledger.tasks.ask_witnesses": 60.0,
    "ledger.tasks.make_papers": 1.0,
}


class Recurring(Task[Any, Any]):
    """A recurring task. When several copies queued up while no worker ran, only the first of them runs.
    Expiry dates would compare the clocks of two machines: a worker whose clock is ahead would drop every
    task. A worker therefore measures the time since its own last run."""

    began_at: float | None = None

    def before_start(self, *_: Any) -> None:
        """Drop the task if this worker ran it less than half an interval ago, if it is in RECURRING."""
        now, began_at = monotonic(), self.began_at
        if began_at is not None and now - began_at < RECURRING.get(self.name, 0) / 2:
            raise Ignore
        self.began_at = now


_STARTED_AT, _STARTED = datetime.now(UTC), monotonic()


def steady_now() -> datetime:
    """Return a time for beat that never jumps back with the clock; beat would stall after a jump."""
    return _STARTED_AT + timedelta(seconds=monotonic() - _STARTED)


BEAT = {
    name: {"task": name, "schedule": schedule(seconds, nowfun=steady_now)}
    for name, seconds in RECURRING.items()
}


def broker_url(redis_url: str) -> str:
    """Return the broker's URL in kombu's notation; without Redis, tasks travel inside this process."""
    if not redis_url:
        return "memory://localhost/"
    if redis_url.startswith("unix://"):
        return redis_url.replace("unix://", "redis+socket://", 1).replace("?db=", "?virtual_host=", 1)
    return redis_url


def transport_options(redis_url: str) -> dict[str, Any]:
    """Return the broker's options; the key prefix separates the queues of houses that share a Redis. In
    memory a worker polls, by default only once a second. Workers wait for tasks inside a Redis call, so its
    timeout is longer than elsewhere."""
    if not redis_url:
        return {"polling_interval": 0.02}
    waits = {"socket_timeout": BROKER_SECONDS, "socket_connect_timeout": BROKER_SECONDS}
    return {"global_keyprefix": f"{settings.HOUSE_MARK}:", **waits}


app: "Celery[Task[Any, Any]]" = Celery("casino", task_cls=Recurring)
app.conf.update(
    broker_url=broker_url(settings.REDIS_URL),
    broker_transport_options=transport_options(settings.REDIS_URL),
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,  # retry for ever: a worker waits for Redis
    beat_schedule=BEAT,
    # state in memory: runs missed while beat was down are not made up
    beat_scheduler="casino.serving.watchdog:Ticking",
    beat_max_loop_interval=1,
    task_ignore_result=True,
    result_expires=None,
    timezone="UTC",
    worker_hijack_root_logger=False,
    worker_send_task_events=False,
)
app.autodiscover_tasks()
