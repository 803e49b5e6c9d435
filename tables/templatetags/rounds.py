"""What papers say of rounds and downs: why a seat was not dealt in, and which rule made a fee what it is.

Words alone; nothing is decided here.
"""

from decimal import Decimal
from typing import Any

from django import template

from tables.rules.table.eligibility import WAITS
from tables.rules.table.paying import WORDS

register = template.Library()


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
    return WORDS.get(method, method)


@register.filter
def wait_text(reason: str) -> str:
    """Why a seat was not dealt in, in the words of a round's record."""
    return WAITS[reason].record if reason in WAITS else reason


@register.filter
def wait_badge(reason: str) -> str:
    """Why a seat waits, on a badge; empty for what is no reason to wait."""
    return WAITS[reason].badge if reason in WAITS else ""
