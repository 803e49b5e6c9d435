"""The project's recurring tasks; the floor's are in tables/tasks.py."""

from celery import shared_task
from django.contrib.sessions.backends.db import SessionStore
from django.utils import timezone

from casino.models import Pulse
from casino.sign_in import attempts, noting


@shared_task
def heartbeat() -> None:
    """Write the time for /healthz: proof that beat and a worker run, and that a worker can write."""
    Pulse.beat("scheduler", timezone.now())


@shared_task
def send_notices() -> None:
    noting.send_waiting(timezone.now())


@shared_task
def tend_attempts() -> None:
    attempts.tend(timezone.now())


@shared_task
def clear_sessions() -> None:
    SessionStore.clear_expired()
