"""Notices by mail about one's own sign-in, to whoever has given an address, where the house has set up mail."""

from typing import Any

from django.conf import settings
from django.db import transaction

from casino.celery import app
from casino.models import Staff

SENTENCES = {
    "password_set": "Your password was set.",
    "pin_set": "Your PIN was set.",
    "code_made": "A manager made a one-time code for you. Your password, PIN and second steps have stopped working.",
    "factor_added": "A second step, or new recovery codes, were set up for you.",
    "factor_removed": "A second step of yours was removed.",
    "attempts_locked": "Signing in as you is locked after too many wrong attempts. A manager lifts the lock.",
    "mail_set": "Your address for notices was set.",
}
TASK = "casino.tasks.send_notice"


def tell(kind: str, data: dict[str, Any]) -> None:
    """Mail the person concerned that this happened, once it is committed. Nothing waits for the mail."""
    if not settings.EMAIL_HOST or kind not in SENTENCES or not data.get("staff"):
        return
    address = Staff.objects.filter(pk=data["staff"]).values_list("email", flat=True).first()
    if address:
        transaction.on_commit(lambda: app.send_task(TASK, [address, SENTENCES[kind]]), robust=True)
