"""Text to whole cents and back. Pure: no database, no clock, no framework, and no float anywhere.

Everything inside the house is an int of cents; Decimal and text end here, at the door.
"""

import re
from functools import lru_cache

from ledger.errors import BadAmount

MOST_CENTS = 10**12
"""Ten billion dollars: more than any room holds, and far from the end of a 64-bit column."""

_WRITTEN = re.compile(r"\$?(?P<dollars>[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.(?P<cents>[0-9]{2}))?", re.ASCII)

# Thirteen digits are ten trillion: beyond any stack, and far below what `int` and a database column can hold.
_TEXT = re.compile(r"([0-9]{1,13})\.([0-9]{2})", re.ASCII)
_LONGEST_TEXT = 16


def parse_amount(text: str) -> int:
    """Cents of an amount that a person or a device wrote: `45`, `45.00`, `$1,234.50`; spaces around it do not count.

    Raises BadAmount for anything else: three decimals or one, a sign, words, misplaced commas, and more than
    MOST_CENTS. Zero is an amount; whether it may be used is for the verb to say.
    """
    found = _WRITTEN.fullmatch(text.strip()) if len(text) <= 40 else None
    if found is None:
        raise BadAmount("An amount is written like 45 or 45.00, without a sign.")
    cents = int(found["dollars"].replace(",", "")) * 100 + int(found["cents"] or 0)
    return checked_cents(cents)


def checked_cents(cents: int) -> int:
    """The same cents, if they are a whole number from 0 to MOST_CENTS; otherwise BadAmount."""
    if type(cents) is not int:  # a bool is an int, and True is no dollar
        raise BadAmount("An amount is a whole number of cents.")
    if not 0 <= cents <= MOST_CENTS:
        raise BadAmount(f"An amount lies between 0.00 and {amount_text(MOST_CENTS)}.")
    return cents


@lru_cache(maxsize=4096)
def amount_text(cents: int) -> str:
    """Cents as the text that travels in JSON and CSV: `45.00`, `-7.50`."""
    whole, rest = divmod(abs(cents), 100)
    return f"{'-' if cents < 0 else ''}{whole}.{rest:02d}"


def cents_of(amount: object) -> int | None:
    """Cents of a text such as `45.00`, as `amount_text` writes it; None for whatever is not such a text, or below zero."""
    # The length is looked at first, so that the memory of amounts seen never keeps a long text.
    if type(amount) is not str or len(amount) > _LONGEST_TEXT:
        return None
    return _cents(amount)


def net_cents_of(amount: str) -> int:
    """Cents of a result as `amount_text` wrote it, which may be below zero. Raises ValueError for any other text."""
    cents = cents_of(amount.removeprefix("-"))
    if cents is None:
        raise ValueError(f"{amount!r} is no amount")
    return -cents if amount.startswith("-") else cents


@lru_cache(maxsize=4096)
def _cents(text: str) -> int | None:
    found = _TEXT.fullmatch(text)
    return int(found[1] + found[2]) if found else None


def dollars(cents: int) -> str:
    """Cents as people read them: `$1,234.50`, `-$7.50`."""
    sign = "-" if cents < 0 else ""
    return f"{sign}${abs(cents) // 100:,}.{abs(cents) % 100:02d}"
