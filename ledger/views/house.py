"""What every page can know of the house: its name and its zone, and how its audit log does."""

from typing import Any

from django.db import DatabaseError
from django.http import HttpRequest
from django.utils import timezone
from django.utils.functional import SimpleLazyObject

from ledger.log_state import LogState, log_state
from ledger.models import Site


def house(request: HttpRequest) -> dict[str, Any]:
    """Context processor: `house`, the establishment, and `audit_log`, how its log does; None before set-up.

    Both are asked for only by pages that show them.
    """
    return {"house": SimpleLazyObject(_house), "audit_log": SimpleLazyObject(_audit_log)}


def _house() -> Site | None:
    try:
        return Site.objects.order_by("pk").first()
    except DatabaseError:  # the page that says so is made of the same templates
        return None


def _audit_log() -> LogState | None:
    site = _house()
    return None if site is None else log_state(site, timezone.now())
