"""The offer to undo what a message says was done, and the seconds that are left for it."""

from typing import Any

from django import template
from django.utils import timezone

from tables.reports.undo_offers import UndoOffer, offer_in

register = template.Library()


@register.filter
def undo_offer(message: Any) -> UndoOffer | None:
    """The offer that a message brings along, if any."""
    return offer_in(message.extra_tags or "")


@register.filter
def seconds_left(offer: UndoOffer | None) -> int:
    """How many seconds are left to undo it."""
    return 0 if offer is None else offer.seconds_left(timezone.now())
