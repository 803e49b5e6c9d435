"""Chips and cash by denomination: how many pieces of each, and their value. Pure."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ledger.errors import BadAmount, ConfirmCount
from ledger.money import MOST_CENTS, amount_text, checked_cents, dollars, in_words, parse_amount

MOST_VALUES = 20
"""More denominations than any house has of one asset."""


@dataclass(frozen=True, slots=True)
class Pieces:
    """Counted chips and cash: denomination in cents -> number of pieces, without zeros. `meant`: the counter
    was asked once more, and confirmed it."""

    chips: Mapping[int, int] = field(default_factory=dict)
    cash: Mapping[int, int] = field(default_factory=dict)
    meant: bool = field(default=False, compare=False)

    @property
    def chips_cents(self) -> int:
        return value_of(self.chips)

    @property
    def cash_cents(self) -> int:
        return value_of(self.cash)

    @property
    def data(self) -> dict[str, list[list[int]]]:
        """The pieces as records contain them: [denomination, pieces] by asset, the largest first."""
        return {"cash": _lines(self.cash), "chips": _lines(self.chips)}

    @property
    def columns(self) -> dict[str, Any]:
        """The pieces as rows have them, with their amounts in cents."""
        return {"pieces": self.data, "chips_cents": self.chips_cents, "cash_cents": self.cash_cents}

    def of(self, asset: str) -> Mapping[int, int]:
        return self.chips if asset == "chips" else self.cash


@dataclass(frozen=True, slots=True)
class Compared:
    """One denomination in two counts, with its number of pieces in each."""

    asset: str
    value: int
    first: int
    second: int

    @property
    def label(self) -> str:
        return value_text(self.value)

    @property
    def differs(self) -> bool:
        return self.first != self.second

    @property
    def cents(self) -> int:
        return self.value * self.first

    @property
    def over(self) -> int:
        """The second count's value beyond the first, in cents; may be negative."""
        return self.value * (self.second - self.first)


def value_of(pieces: Mapping[int, int]) -> int:
    return sum(value * number for value, number in pieces.items())


def pieces_of(data: Mapping[str, Any]) -> Pieces:
    """Return the pieces in a record. Raises KeyError, TypeError or ValueError if malformed."""
    read = {}
    for asset in ("chips", "cash"):
        read[asset] = dict(data[asset])
        if not all(type(part) is int and part > 0 for line in data[asset] for part in line):
            raise ValueError(f"{asset}: a denomination and its pieces are whole numbers above zero")
        if _lines(read[asset]) != [list(line) for line in data[asset]]:
            raise ValueError(f"{asset}: denominations come once each, the largest first")
    return Pieces(read["chips"], read["cash"])


def checked_pieces(pieces: Pieces, chips: Iterable[int], cash: Iterable[int]) -> Pieces:
    """Return the pieces without zeros, if a house with these denominations can have them. Raises BadAmount
    for another denomination, a negative or fractional number, no pieces, or too many."""
    known = {"chips": frozenset(chips), "cash": frozenset(cash)}
    for asset, values in known.items():
        for value, number in pieces.of(asset).items():
            if value not in values:
                raise BadAmount(
                    f"This house has no {dollars(value)} in {asset}.", field=field_of(asset, value)
                )
            if type(number) is not int or not 0 <= number <= MOST_CENTS:
                raise BadAmount("Count whole pieces, from 0 up.", field=field_of(asset, value))
    found = Pieces(_some(pieces.chips), _some(pieces.cash), pieces.meant)
    if not found.chips and not found.cash:
        raise BadAmount("Nothing was counted: enter how many pieces there are.")
    checked_cents(found.chips_cents)
    checked_cents(found.cash_cents)
    return found


def checked_count(pieces: Pieces, chips: Iterable[int], cash: Iterable[int]) -> Pieces:
    """Return a count of a whole place, checked like pieces; it may be empty."""
    if not any((*pieces.chips.values(), *pieces.cash.values())):
        return Pieces()
    return checked_pieces(pieces, chips, cash)


def unusual(pieces: Pieces, most: int) -> list[tuple[str, int, int]]:
    """Return asset, denomination and number if there are more than `most` pieces of one kind: perhaps one
    digit too many. The question does not depend on what the books expect, so it gives nothing away."""
    lines = ((one.asset, one.value, one.first) for one in compared(pieces, Pieces()))
    return [line for line in lines if line[2] > most]


def question(pieces: Pieces, most: int) -> str:
    """Return the question about a count, in words; "" if no kind has more than `most` pieces."""
    asked = (
        f"{in_words(number)} times {value_text(value)} in {asset}"
        for asset, value, number in unusual(pieces, most)
    )
    return f"Is it {several}?" if (several := " and ".join(asked)) else ""


def require_meant(pieces: Pieces, most: int, *, prefix: str = "") -> None:
    """Raise ConfirmCount for a count with more than `most` pieces of one kind that was not confirmed. The
    names of its fields begin with `prefix`."""
    if not pieces.meant and (asked := question(pieces, most)):
        asset, value, _ = unusual(pieces, most)[0]
        raise ConfirmCount(f"{asked} Then send it again.", field=prefix + field_of(asset, value))


def compared(first: Pieces, second: Pieces) -> Iterator[Compared]:
    """Yield every denomination in one of two counts, chips before cash, the largest first."""
    for asset in ("chips", "cash"):
        one, other = first.of(asset), second.of(asset)
        for value in sorted({*one, *other}, reverse=True):
            yield Compared(asset, value, one.get(value, 0), other.get(value, 0))


def field_of(asset: str, value: int) -> str:
    """Return the name of the form field for a denomination: `chips_500`."""
    return f"{asset}_{value}"


def foreign(field: str, known: Collection[str]) -> str:
    """Return a sentence if this is a field for a denomination that the form with the `known` fields lacks,
    else ""."""
    named = re.fullmatch(r"(|[a-z]+_)(chips|cash)_([0-9]{1,9})", field, re.ASCII)
    if named is None:
        return ""
    begins = field.removesuffix(named[3])
    values = [int(one.removeprefix(begins)) for one in known if re.fullmatch(f"{begins}[0-9]+", one)]
    if not values:
        return ""
    of = ", ".join(map(value_text, sorted(values)))
    return f"There is no {value_text(int(named[3]))} in {named[2]} here. The house counts {of}."


def fewest_pieces(cents: int, values: Iterable[int]) -> dict[int, int]:
    """Return the fewest pieces of this value, rounded up to whole pieces of the smallest denomination."""
    pieces = {}
    ordered = sorted(values, reverse=True)
    left = -(-cents // ordered[-1]) * ordered[-1]
    for value in ordered:
        number, left = divmod(left, value)
        if number:
            pieces[value] = number
    return pieces


def parse_values(text: str) -> tuple[int, ...]:
    """Parse `0.50 1 5 25`; return cents, the smallest first. Raises BadAmount, also for repeated values."""
    values: list[int] = []
    for part in text.split():
        value = _value(part)
        if value in values:
            raise BadAmount(f"{part} is there twice: write each denomination once, as 0.50 1 5 25.")
        values.append(value)
    if not values:
        raise BadAmount("Write what each is worth in dollars, as 0.50 1 5 25.")
    if len(values) > MOST_VALUES:
        raise BadAmount(f"A house has at most {MOST_VALUES} denominations.")
    return tuple(sorted(values))


def _value(text: str) -> int:
    try:
        value = parse_amount(text)
    except BadAmount:
        value = 0
    if not value:
        raise BadAmount(f"{text[:20]} is no denomination: write dollars above zero, as 0.50 1 5 25.")
    return value


def value_text(cents: int) -> str:
    """Format a denomination as on a chip or note: `$5`, `$0.50`."""
    return f"${amount_text(cents).removesuffix('.00')}"


def listed(data: Mapping[str, Any] | None) -> str:
    """Return the pieces of a record in words, `3 × $100, 2 × $5`; "" if it has none."""
    if data is None:
        return ""
    pieces = pieces_of(data)
    lines = (*_lines(pieces.chips), *_lines(pieces.cash))
    return ", ".join(f"{number} × {value_text(value)}" for value, number in lines)


def _some(pieces: Mapping[int, int]) -> dict[int, int]:
    return {value: number for value, number in pieces.items() if number}


def _lines(pieces: Mapping[int, int]) -> list[list[int]]:
    return [[value, pieces[value]] for value in sorted(pieces, reverse=True)]
