"""The house's own recurring tasks; the floor's are in tables/tasks.py."""

import time

from celery import shared_task
from django.core.cache import cache
from django.utils import timezone

from casino.sign_in import attempts

HEARTBEAT_KEY = "scheduler-heartbeat"
# Three missed beats: one may be slow, three mean that screens are told late.
LATE_AFTER_SECONDS = 15.0


@shared_task
def heartbeat() -> None:
    """Leave the time (seconds since 1970) where /healthz reads it: proof that beat and a worker both run."""
    cache.set(HEARTBEAT_KEY, time.time(), timeout=None)


@shared_task
def tend_attempts() -> None:
    """Note the runs of refused attempts that are over, each as one row of the audit log."""
    attempts.tend(timezone.now())
