"""Words for rounds and downs on papers: why a seat was not dealt in, and the rule of a fee."""

from decimal import Decimal
from typing import Any

from django import template

from tables.rules.table.eligibility import WAITS
from tables.rules.table.paying import WORDS

register = template.Library()


@register.filter
def minute_text(seconds: Decimal | None) -> str:
    """Return seconds on a table's clock as `21:30`; empty for an entry before the down."""
    if seconds is None:
        return ""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02d}"


@register.filter
def rule_text(charge: Any) -> str:
    """Return what made a fee full, half (R61) or covered (R62)."""
    if charge.rule == "covered":
        return "covered by a fee at the table before (R62)"
    if charge.rule == "half":
        return f"half, entered at {minute_text(charge.minute_seconds)}"
    if charge.minute_seconds is None:
        return "full, entered before the down"
    return f"full, entered at {minute_text(charge.minute_seconds)}"


@register.filter
def method_text(method: str) -> str:
    return WORDS.get(method, method)


@register.filter
def wait_text(reason: str) -> str:
    """Return why a seat was not dealt in, as in a round's record."""
    return WAITS[reason].record if reason in WAITS else reason


@register.filter
def wait_badge(reason: str) -> str:
    """Return why a seat waits, for a badge, or an empty text."""
    return WAITS[reason].badge if reason in WAITS else ""
