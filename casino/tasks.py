"""The house's own recurring tasks; the floor's are in tables/tasks.py."""

from celery import shared_task
from django.contrib.sessions.backends.db import SessionStore
from django.utils import timezone

from casino.models import Pulse
from casino.sign_in import attempts, notices


@shared_task
def heartbeat() -> None:
    """Leave the time where /healthz reads it: proof that beat and a worker both run, and that a worker can write."""
    Pulse.beat("scheduler", timezone.now())


@shared_task
def send_notices() -> None:
    """Mail people what happened to their sign-in."""
    notices.send_waiting(timezone.now())


@shared_task
def tend_attempts() -> None:
    """Note the runs of refused attempts that are over, each as one row of the audit log."""
    attempts.tend(timezone.now())


@shared_task
def clear_sessions() -> None:
    """Remove the browser sessions that have expired: each is a key that opens nothing, and they would only grow."""
    SessionStore.clear_expired()
