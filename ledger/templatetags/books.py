"""Filters of the books' papers: shares, and the names of kinds of entries and accounts."""

from decimal import ROUND_HALF_UP, Decimal

from django import template

from ledger.chart import EVENTS, TITLES, AccountKind, EntryKind
from ledger.templatetags.figures import MINUS

register = template.Library()


@register.filter
def percent_of(cents: int | None, whole: int) -> str:
    """Return the share as `−0.50 %`; empty without a share or if the whole is zero."""
    if cents is None or not whole:
        return ""
    share = (Decimal(cents) * 100 / whole).quantize(Decimal("0.01"), ROUND_HALF_UP)
    return f"{share}".replace("-", MINUS) + " %"


@register.filter
def entry_title(kind: str) -> str:
    return EVENTS[EntryKind(kind)].title if kind in set(EntryKind) else account_title(kind)


@register.filter
def account_title(kind: str) -> str:
    return TITLES[AccountKind(kind)] if kind in set(AccountKind) else kind
