"""The act behind a request: the person, the part of the house, the device."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from django.utils import timezone

from ledger.journal.acts import Act
from ledger.journal.posting import LABEL_LENGTH


def terminal_of(request: HttpRequest, room: str) -> str:
    """Return the recorded terminal: `dealer Table 3` if enrolled, else the address, `cage 10.0.0.7`."""
    terminal = getattr(request, "terminal", None) or request.META.get("REMOTE_ADDR", "")
    return f"{room} {terminal}".strip()[:LABEL_LENGTH]


def act_of(
    request: HttpRequest,
    room: str,
    *,
    key: str = "",
    reason: str = "",
    approver: Any = None,
    now: datetime | None = None,
) -> Act:
    """Return the act of the person who sent this request from `room`, now or when the page was begun."""
    return Act(request.user, now or timezone.now(), key, terminal_of(request, room), approver, reason)
