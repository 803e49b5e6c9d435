"""Amounts of money as the score format writes them: decimal texts with two places, whole cents inside.

Never a float. Limits, stacks and results alike are `int` cents; only text meets the decimal point, here.
"""

from __future__ import annotations

import re
from functools import lru_cache

# Thirteen digits are ten trillion: beyond any stack, and far below what `int` and a database column can hold.
_AMOUNT = re.compile(r"([0-9]{1,13})\.([0-9]{2})", re.ASCII)
LONGEST_AMOUNT = 16


@lru_cache(maxsize=4096)
def _cents(text: str) -> int | None:
    match = _AMOUNT.fullmatch(text)
    return int(match[1] + match[2]) if match else None


def cents_of(amount: object) -> int | None:
    """Cents of a text such as `45.00`; None for whatever is not such a text."""
    # The length is looked at first, so that the memory of amounts seen never keeps a long text.
    if type(amount) is not str or len(amount) > LONGEST_AMOUNT:
        return None
    return _cents(amount)


@lru_cache(maxsize=4096)
def text_of(cents: int) -> str:
    """The amount as text with two places, `-45.00` below zero."""
    whole, rest = divmod(abs(cents), 100)
    return f"{'-' if cents < 0 else ''}{whole}.{rest:02d}"
