"""Filters of the books' papers: shares, and the names of kinds of entries and accounts."""

from decimal import ROUND_HALF_UP, Decimal

from django import template

from ledger.chart import EVENTS, EntryKind
from ledger.templatetags.figures import MINUS

register = template.Library()

ACCOUNTS = {
    "vault": "Vault",
    "table_bank": "Table banks",
    "stack": "Stacks of players",
    "drop_box": "Drop boxes",
    "tokes": "Tokes of dealers",
    "over_short": "Over/short",
    "patrons": "Patrons' chips",
    "public": "The public's cash",
    "bank": "The bank",
    "chip_maker": "The chip maker",
}


@register.filter
def percent_of(cents: int | None, whole: int) -> str:
    """Return the share as `−0.50 %`; empty without a share or if the whole is zero."""
    if cents is None or not whole:
        return ""
    share = (Decimal(cents) * 100 / whole).quantize(Decimal("0.01"), ROUND_HALF_UP)
    return f"{share}".replace("-", MINUS) + " %"


@register.filter
def entry_title(kind: str) -> str:
    return EVENTS[EntryKind(kind)].title if kind in set(EntryKind) else ACCOUNTS.get(kind, kind)


@register.filter
def account_title(kind: str) -> str:
    return ACCOUNTS.get(kind, kind)
