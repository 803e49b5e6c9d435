"""What every page knows of the house: its name and its zone."""

from typing import Any

from django.db import DatabaseError
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from ledger.models import Site


def house(request: HttpRequest) -> dict[str, Any]:
    """Context processor: `house`, the establishment, asked for only by pages that show it; None before set-up."""
    return {"house": SimpleLazyObject(_house)}


def _house() -> Site | None:
    try:
        return Site.objects.order_by("pk").first()
    except DatabaseError:  # the page that says so is made of the same templates
        return None
