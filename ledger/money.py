"""Text to whole cents and back, without floats. Elsewhere every amount is an int of cents."""

import re
from functools import lru_cache

from ledger.errors import BadAmount

MINUS = "\N{MINUS SIGN}"
MOST_CENTS = 10**12
"""Ten billion dollars: more than any house has, and far below what a 64-bit column can hold."""

_WRITTEN = re.compile(r"\$?(?P<dollars>[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.(?P<cents>[0-9]{2}))?", re.ASCII)

# Thirteen digits are ten trillion: beyond any stack, and far below what `int` and a database column can hold.
TEXT = re.compile(r"([0-9]{1,13})\.([0-9]{2})", re.ASCII)


def parse_amount(text: str) -> int:
    """Parse an amount that a person or device wrote, `45`, `45.00` or `$1,234.50`; return cents. Raises
    BadAmount for anything else: one or three decimals, a sign, words, misplaced commas, or more than
    MOST_CENTS. Outer spaces are ignored; the verb decides whether zero makes sense."""
    found = _WRITTEN.fullmatch(text.strip()) if len(text) <= 40 else None
    if found is None:
        raise BadAmount("Write the amount as 45 or 45.00, without a sign.")
    cents = int(found["dollars"].replace(",", "")) * 100 + int(found["cents"] or 0)
    return checked_cents(cents)


def checked_cents(cents: int) -> int:
    """Return the cents if they are a whole number from 0 to MOST_CENTS; otherwise raise BadAmount."""
    if type(cents) is not int:  # bool is a subclass of int, and True is not an amount
        raise BadAmount("An amount must be a whole number of cents.")
    if not 0 <= cents <= MOST_CENTS:
        raise BadAmount(f"An amount must be between 0.00 and {amount_text(MOST_CENTS)}.")
    return cents


@lru_cache(maxsize=4096)
def amount_text(cents: int) -> str:
    """Format cents as JSON and CSV contain them: `45.00`, `-7.50`."""
    whole, rest = divmod(abs(cents), 100)
    return f"{'-' if cents < 0 else ''}{whole}.{rest:02d}"


def percent_text(cents: int, whole: int) -> str:
    """Return what share of the whole this is, in per cent with two decimals, `-0.50`; empty of nothing."""
    if not whole:
        return ""
    share = (abs(cents) * 20_000 + abs(whole)) // (2 * abs(whole))
    return amount_text(share if (cents < 0) == (whole < 0) else -share)


@lru_cache(maxsize=4096)
def exact_cents(text: str) -> int:
    """Parse a text of `amount_text`; return cents. Raises ValueError or TypeError, which is not cached."""
    found = TEXT.fullmatch(text)
    if found is None:
        raise ValueError("not an amount with two places")
    return int(found[1] + found[2])


def cents_of(amount: object) -> int | None:
    """Parse a text as `exact_cents` does; return cents, or None for anything else or below zero."""
    try:
        return exact_cents(amount)
    except (TypeError, ValueError):
        return None


def net_cents_of(amount: str) -> int:
    """Parse a result of `amount_text`, which may be negative; return cents. Raises ValueError."""
    cents = cents_of(amount.removeprefix("-"))
    if cents is None:
        raise ValueError(f"{amount!r} is not an amount")
    return -cents if amount.startswith("-") else cents


_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
    " seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_POWERS = ((10**9, "billion"), (10**6, "million"), (10**3, "thousand"), (100, "hundred"))


def in_words(number: int) -> str:
    """Return a whole number from zero up to billions as it is spoken: `three thousand four hundred five`."""
    for size, word in _POWERS:
        if number >= size:
            more, rest = divmod(number, size)
            return f"{in_words(more)} {word}" + (f" {in_words(rest)}" if rest else "")
    if number < 20:
        return _SMALL[number]
    tens, ones = divmod(number, 10)
    return _TENS[tens - 2] + (f"-{_SMALL[ones]}" if ones else "")


def dollars_in_words(cents: int) -> str:
    """Return an amount as it is spoken, to be compared with what was meant: `forty dollars 50 cents`."""
    whole, rest = divmod(cents, 100)
    return f"{in_words(whole)} dollar{'' if whole == 1 else 's'}" + (f" {rest:02d} cents" if rest else "")


def dollars(cents: int) -> str:
    """Format cents for people: `$1,234.50`, `-$7.50`."""
    sign = "-" if cents < 0 else ""
    return f"{sign}${abs(cents) // 100:,}.{abs(cents) % 100:02d}"


def signed_dollars(cents: int) -> str:
    """Format cents won or lost: `+$45.00`, `−$45.00`, `$0.00`."""
    return f"+{dollars(cents)}" if cents > 0 else dollars(cents).replace("-", MINUS)
