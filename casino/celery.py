"""The scheduler: which tasks come round, and how they travel. The tasks themselves are in each app's tasks.py.

Nothing that is owed or recorded depends on a task having run: tasks tell screens what has become due.
"""

import os
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import Any

from celery import Celery, Task
from celery.exceptions import Ignore
from celery.schedules import schedule
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings")

BROKER_SECONDS = 3.0
# Every so many seconds.
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
}


class Recurring(Task[Any, Any]):
    """A task that comes round. Of those that lay in the queue while no worker took any, the first does it for all of them.

    A date of expiry would compare the clock of beat's machine with that of the worker's: a worker that is ahead would drop every
    task. Here a worker asks how long ago it began the same task, by the time that has passed.
    """

    began_at: float | None = None

    def before_start(self, *_: Any) -> None:
        """Drop it if this worker began one like it less than half an interval ago; a call from elsewhere is no such task."""
        now, began_at = monotonic(), self.began_at
        if began_at is not None and now - began_at < RECURRING.get(self.name, 0) / 2:
            raise Ignore
        self.began_at = now


_STARTED_AT, _STARTED = datetime.now(UTC), monotonic()


def steady_now() -> datetime:
    """Return the time for beat: what has passed since the start, whatever the clock says. After a jump back it would be silent."""
    return _STARTED_AT + timedelta(seconds=monotonic() - _STARTED)


BEAT = {
    name: {"task": name, "schedule": schedule(seconds, nowfun=steady_now)}
    for name, seconds in RECURRING.items()
}


def broker_url(redis_url: str) -> str:
    """Where tasks travel: through Redis, or inside this process without one. A Redis socket has other names here."""
    if not redis_url:
        return "memory://localhost/"
    if redis_url.startswith("unix://"):
        return redis_url.replace("unix://", "redis+socket://", 1).replace("?db=", "?virtual_host=", 1)
    return redis_url


def transport_options(redis_url: str) -> dict[str, Any]:
    """How tasks travel. Two houses on one Redis have queues of their own.

    In memory a worker polls; at the default of a second every task would wait that long. No request waits for these calls, and
    a worker waits for its next task in one, so they have longer than the others.
    """
    if not redis_url:
        return {"polling_interval": 0.02}
    waits = {"socket_timeout": BROKER_SECONDS, "socket_connect_timeout": BROKER_SECONDS}
    return {"global_keyprefix": f"{settings.HOUSE_MARK}:", **waits}


app: "Celery[Task[Any, Any]]" = Celery("casino", task_cls=Recurring)
app.conf.update(
    broker_url=broker_url(settings.REDIS_URL),
    broker_transport_options=transport_options(settings.REDIS_URL),
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,  # a worker waits for Redis for as long as it takes
    beat_schedule=BEAT,
    beat_scheduler="casino.serving.watchdog:Ticking",  # in memory: what was missed while beat was down is not made up
    beat_max_loop_interval=1,
    task_ignore_result=True,
    result_expires=None,
    timezone="UTC",
    worker_hijack_root_logger=False,
    worker_send_task_events=False,
)
app.autodiscover_tasks()
