"""The offer to undo what a message reports, and the seconds left for it."""

from typing import Any

from django import template
from django.utils import timezone

from tables.reports.undo_offers import UndoOffer, offer_in

register = template.Library()


@register.filter
def undo_offer(message: Any) -> UndoOffer | None:
    return offer_in(message.extra_tags or "")


@register.filter
def seconds_left(offer: UndoOffer | None) -> int:
    return 0 if offer is None else offer.seconds_left(timezone.now())
