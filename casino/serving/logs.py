"""Filters for the program's log: a fault or outage is not repeated by everything that meets it."""

import logging
import time
from typing import Any

import redis
from celery.beat import SchedulingError
from celery.signals import after_task_publish, task_prerun
from kombu.exceptions import OperationalError

from casino.serving import faults
from tables.live.breaker import breaker

AWAY = (OSError, redis.RedisError, OperationalError)
TASKS = ("celery", "kombu")
POOL_TRIES = ("error connecting", "reconnection attempt")
WORDS = ("Connection to broker lost", "Cannot connect to", "Connection error", "Restoring connection")


class OncePerOutage(logging.Filter):
    """Drop repeated messages about faults that `faults` or the circuit breaker report once. Covered are
    failed requests and tasks, Celery without Redis, and the connection pool without a database. Other errors
    that keep beat from sending tasks, 200 lines each time, pass once a minute for each kind."""

    def __init__(self) -> None:
        super().__init__()
        self._sending: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name == "django.request":
            return getattr(record, "status_code", None) != faults.STATUS
        if record.name == "psycopg.pool" and record.getMessage().startswith(POOL_TRIES):
            faults.reports.report(faults.AWAY, record.getMessage())
            return False
        if not record.name.startswith(TASKS):
            return True
        error = record.exc_info[1] if record.exc_info else None
        unsent = isinstance(error, SchedulingError)
        if error is not None and unsent:
            error = error.__cause__ or error.__context__
        if error is not None and record.name == "celery.app.trace" and (fault := faults.fault_of(error)):
            faults.reports.report(fault, error)
            return False
        if not isinstance(error, AWAY) and not any(words in record.getMessage() for words in WORDS):
            return not unsent or self._is_new(type(error).__name__)
        breaker.failed()
        return False

    def _is_new(self, kind: str) -> bool:
        now = time.monotonic()
        if now - self._sending.get(kind, -faults.LINE_SECONDS) < faults.LINE_SECONDS:
            return False
        self._sending[kind] = now
        return True


@after_task_publish.connect(weak=False)
@task_prerun.connect(weak=False)
def _answered(**_: Any) -> None:
    """Sending or receiving a task proves that Redis answers."""
    breaker.worked()
