"""What of the program's own log is worth a line. That Redis is away is said once by whoever notices it first in a process."""

import logging
from typing import Any

import redis
from celery.signals import after_task_publish, task_prerun
from kombu.exceptions import OperationalError

from tables.live.breaker import breaker

AWAY = (OSError, redis.RedisError, OperationalError)
TASKS = ("celery", "kombu")
WORDS = ("Connection to broker lost", "Cannot connect to", "Connection error", "Restoring connection")


class OncePerOutage(logging.Filter):
    """Drops what Celery says each time it finds no Redis; the breaker says that it is away, and that it is back."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is written."""
        if not record.name.startswith(TASKS):
            return True
        error = record.exc_info[1] if record.exc_info else None
        if not isinstance(error, AWAY) and not any(words in record.getMessage() for words in WORDS):
            return True
        breaker.failed()
        return False


def connect() -> None:
    """A task that was sent, or came, says that Redis answers."""
    for signal in (after_task_publish, task_prerun):
        signal.connect(_answered, weak=False)


def _answered(**_: Any) -> None:
    breaker.worked()
