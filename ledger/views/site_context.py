"""Context of every page: the house's name, its zone, and the state of its audit log."""

from typing import Any

from django.db import DatabaseError
from django.http import HttpRequest
from django.utils import timezone
from django.utils.functional import SimpleLazyObject

from ledger.db.compiled import Compiled
from ledger.models import Site
from ledger.proof.log.state import LogState, log_state

_SITE = Compiled(lambda _: Site.objects.order_by("pk")[:1])


def site_here() -> Site | None:
    return next(iter(_SITE.rows()), None)


def house(request: HttpRequest) -> dict[str, Any]:
    """Context processor: the house (also as `site`) and `audit_log`; None before set-up, queried if shown."""
    house = SimpleLazyObject(_house)
    return {"house": house, "site": house, "audit_log": SimpleLazyObject(lambda: _audit_log(house))}


def _house() -> Site | None:
    try:
        return site_here()
    except DatabaseError:  # the error page is made of the same templates
        return None


def _audit_log(house: Any) -> LogState | None:
    return log_state(house, timezone.now()) if house else None
