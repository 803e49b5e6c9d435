"""The scheduler: which tasks come round, and how they travel. The tasks themselves are in each app's tasks.py.

Nothing that is owed or recorded depends on a task having run: tasks tell screens what has become due.
"""

import os
from typing import Any

from celery import Celery
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings")

BROKER_SECONDS = 3.0
# Every so many seconds. A task that no worker took by the time of the next one is dropped.
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
    "ledger.tasks.seal_logs": 3.0,
    "ledger.tasks.ask_witnesses": 60.0,
}
BEAT = {
    name: {"task": name, "schedule": seconds, "options": {"expires": seconds}}
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


app = Celery("casino")
app.conf.update(
    broker_url=broker_url(settings.REDIS_URL),
    broker_transport_options=transport_options(settings.REDIS_URL),
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,  # a worker waits for Redis for as long as it takes
    beat_schedule=BEAT,
    beat_scheduler="celery.beat:Scheduler",  # in memory: what was missed while beat was down is not made up
    beat_max_loop_interval=1,
    task_ignore_result=True,
    result_expires=None,
    timezone="UTC",
    worker_hijack_root_logger=False,
    worker_send_task_events=False,
)
app.autodiscover_tasks()
