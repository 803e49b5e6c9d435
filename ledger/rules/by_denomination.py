"""Chips by denomination: those that were made, against those that are known piece by piece where they are.
Chips that were recorded by amount alone have no pieces, and none are invented. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ledger.rules.denominations import Pieces, value_text

Number = Mapping[int, int]
"""Denomination in cents -> pieces; below zero where more left than came."""

MADE = {"opening": 1, "in": 1, "out": -1, "chip_purchase": 1, "destruction": -1}
"""The slips and documents by which chips of the house come and go, with their sign."""


@dataclass(frozen=True)
class OfValue:
    """One denomination: the pieces made, those in each place that is known by pieces, and the rest elsewhere:
    with patrons, at tables, in boxes, and wherever only the amount is known."""

    value: int
    made: int
    known: tuple[int, ...]

    @property
    def label(self) -> str:
        return value_text(self.value)

    @property
    def elsewhere(self) -> int:
        return self.made - sum(self.known)

    @property
    def differs(self) -> bool:
        """Whether the pieces are impossible: more in the places than were made, or fewer than none
        somewhere."""
        return self.elsewhere < 0 or min(self.known, default=0) < 0


@dataclass(frozen=True)
class ChipsNow:
    """Each denomination, and the titles of the places that are known by pieces. `contradiction` is a sentence
    if the last two counts of the vault differ though nothing moved it between; else ""."""

    titles: tuple[str, ...]
    lines: tuple[OfValue, ...]
    contradiction: str = ""

    @property
    def elsewhere(self) -> Number:
        return {line.value: line.elsewhere for line in self.lines}

    @property
    def wrong(self) -> list[str]:
        """The contradictions, a sentence for each denomination."""
        found = [sentence for line in self.lines for sentence in _wrong(line, self.titles)]
        return [self.contradiction, *found] if self.contradiction else found


def compared_with_made(made: Number, places: Mapping[str, Number], contradiction: str = "") -> ChipsNow:
    """Return the chips that were made beside those of each place by its title, the largest first."""
    values = sorted({*made, *(value for place in places.values() for value in place)}, reverse=True)
    lines = (
        OfValue(value, made.get(value, 0), tuple(place.get(value, 0) for place in places.values()))
        for value in values
    )
    return ChipsNow(
        tuple(places), tuple(line for line in lines if line.made or any(line.known)), contradiction
    )


def not_destroyed(
    made: Number, gone: Mapping[int, str], places: Mapping[str, Number], unknown_cents: int
) -> dict[int, int]:
    """Return how many more pieces are counted than were made of those denominations of which some are `gone`,
    by the paper that says so; none if they are worth no more than `unknown_cents`, the chips that came by
    their amount alone: found over, or beyond the books."""
    lines = compared_with_made(made, places).lines
    more = {line.value: -line.elsewhere for line in lines if line.value in gone and line.elsewhere < 0}
    return more if sum(value * number for value, number in more.items()) > unknown_cents else {}


def _wrong(line: OfValue, titles: tuple[str, ...]) -> Iterator[str]:
    for title, number in zip(titles, line.known, strict=True):
        if number < 0:
            yield f"{title}: {-number} more of {line.label} went out than came in by any paper."
    if line.elsewhere < 0:
        yield f"{-line.elsewhere} more of {line.label} are counted than were ever made."


def contradiction(before: Pieces, now: Pieces) -> str:
    """Return a sentence if two counts of a place contradict each other though nothing moved it between them;
    "" if they agree. If their amounts differ, over/short already says so."""
    for asset in ("chips", "cash"):
        values = sorted({*before.of(asset), *now.of(asset)}, reverse=True)
        first, second = before.of(asset), now.of(asset)
        if sum(value * (first.get(value, 0) - second.get(value, 0)) for value in values):
            continue
        for value in values:
            had, has = first.get(value, 0), second.get(value, 0)
            if had != has:
                return (
                    f"Nothing moved it since the count before, which had {had} of {value_text(value)} in"
                    f" {asset}; this has {has}."
                )
    return ""
