"""Notices by mail about one's own sign-in, for people with an address, where the house has set up mail. A
notice is a row written with its event, and a task mails it: nobody waits, and no outage loses one."""

import logging
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.core.mail import send_mail
from django.utils import timezone

from casino.models import Notice, Staff

SENTENCES = {
    "password_set": "Your password was set.",
    "pin_set": "Your PIN was set.",
    "code_made": "A manager made a one-time code for you. Your password and PIN have stopped working.",
    "factor_added": "A second step, or new recovery codes, were set up for you.",
    "factor_removed": "A second step of yours was removed.",
    "factors_reset": "A manager removed your second steps. You set up a new one when you sign in.",
    "attempts_locked": "Signing in as you is locked after too many wrong attempts. A manager lifts the lock.",
    "token_made": "A token was made with which a program reads the books in your name.",
    "mail_set": "Your address for notices was set.",
}
AGAIN_AFTER, DROPPED_AFTER = timedelta(minutes=10), timedelta(days=2)

log = logging.getLogger(__name__)


def tell(kind: str, data: dict[str, Any]) -> None:
    if not settings.MAIL_HOST or kind not in SENTENCES or not data.get("staff"):
        return
    address = Staff.objects.filter(pk=data["staff"]).values_list("email", flat=True).first()
    if address:
        now = timezone.now()
        Notice.objects.create(address=address, sentence=SENTENCES[kind], made_at=now, next_at=now)


def send_waiting(now: datetime) -> None:
    """Mail waiting notices, oldest first. Retry failed ones later, and drop them after two days."""
    Notice.objects.filter(made_at__lt=now - DROPPED_AFTER).delete()
    for notice in Notice.objects.filter(next_at__lte=now).order_by("pk"):
        taken = Notice.objects.filter(pk=notice.pk, next_at=notice.next_at)
        if not taken.update(next_at=now + AGAIN_AFTER):  # another worker has it
            continue
        text = f"{notice.sentence}\n\nIf that was not you, tell a manager of the house at once.\n"
        try:
            send_mail("Your sign-in", text, None, [notice.address])
        except OSError as error:
            log.warning("A notice cannot be mailed: %s", error)
            return
        notice.delete()
