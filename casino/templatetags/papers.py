"""What papers and reconciliations say besides money and cards: shares, minutes, kinds of entries and accounts.

Words alone; figures are computed elsewhere.
"""

from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from django import template

from casino.templatetags.figures import MINUS
from ledger.chart import EVENTS, EntryKind

register = template.Library()

METHODS = {
    "stack": "from the stack",
    "cash": "in cash at the table",
    "cage": "in cash at the cage",
    "covered": "nothing to take",
    "waived": "waived",
}
ACCOUNTS = {
    "cage": "Cage",
    "table_bank": "Table banks",
    "stack": "Stacks of players",
    "drop_box": "Drop boxes",
    "tokes": "Tokes of dealers",
    "over_short": "Over/short",
    "outside": "Outside: patrons, bank, chip maker",
}
WAITS = {
    "short": "below nine points (R53)",
    "fee_due": "a fee is due (R63)",
    "sitting_out": "sits out",
    "declined": "declines this round",
    "fifth": "fifth player (R51)",
    "two_only": "two play at a time (R35)",
    "match": "waits for the next match (R42)",
}


@register.filter
def percent_of(cents: int | None, whole: int) -> str:
    """What share of the whole it is: `−0.50 %`; empty where there is none or the whole is nothing."""
    if cents is None or not whole:
        return ""
    share = (Decimal(cents) * 100 / whole).quantize(Decimal("0.01"), ROUND_HALF_UP)
    return f"{share}".replace("-", MINUS) + " %"


@register.filter
def minute_text(seconds: Decimal | None) -> str:
    """Seconds on a table's clock as `21:30` (minutes and seconds); empty for an entry before the down."""
    if seconds is None:
        return ""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02d}"


@register.filter
def rule_text(charge: Any) -> str:
    """What made a fee full or half (R61): the entry, in minutes and seconds on the clock of the down; or covered (R62)."""
    if charge.rule == "covered":
        return "covered by a fee at the table before (R62)"
    if charge.rule == "half":
        return f"half, entered at {minute_text(charge.minute_seconds)}"
    if charge.minute_seconds is None:
        return "full, entered before the down"
    return f"full, entered at {minute_text(charge.minute_seconds)}"


@register.filter
def method_text(method: str) -> str:
    """How a fee was paid, in words."""
    return METHODS.get(method, method)


@register.filter
def entry_title(kind: str) -> str:
    """A kind of journal entry in words."""
    return EVENTS[EntryKind(kind)].title if kind in set(EntryKind) else ACCOUNTS.get(kind, kind)


@register.filter
def account_title(kind: str) -> str:
    """A kind of account in words."""
    return ACCOUNTS.get(kind, kind)


@register.filter
def wait_text(reason: str) -> str:
    """Why a seat was not dealt in, in words."""
    return WAITS.get(reason, reason)
