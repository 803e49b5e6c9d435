"""A player in a seat as the log tells it, with the chips that were brought and taken away. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from sys import intern
from typing import Any, NamedTuple

Body = Mapping[str, Any]


class Mark(NamedTuple):
    """Which record it is."""

    leaf: int
    record: str


class Moved(NamedTuple):
    """The last act that moved a stack: its key, and the first of its entries that did."""

    act: str
    entry: int


@dataclass(slots=True, eq=False)
class ReplayedSitting:
    """A player in a seat. Times are texts of the log.

    `sure` is false of a sitting that was accused; `counted` tells whether `cents` is what its stack holds.
    `fantasy_land` is whether the next hand is one (R41), None if unknown. `covers` are the charges (None: no charge) of
    which one may cover the first fee (R62), `charged` whether a fee has used them. `claimed` is an entry that was
    recorded late, `approved` by a second person. `cashed` tells that its chips have gone; `left_at` and `taken_away` are
    there once it has ended. `more` are cents that a correction added after that, or took. `moved` is what moved its stack
    last.
    """

    id: int
    session: int
    seat: int
    player: int
    stack: int | None
    entered_at: str
    covered_by: int | None = None
    from_sitting: int | None = None
    cents: int = 0
    out: bool = False
    fantasy_land: bool | None = False
    covers: set[int | None] = field(default_factory=lambda: {None})
    charged: bool = False
    cashed: bool = False
    left_at: str | None = None
    taken_away: int = 0
    more: int = 0
    moved_to: ReplayedSitting | None = None
    moved: Moved | None = None
    claimed: bool = False
    approved: bool = False
    mark: Mark | None = None
    sure: bool = True
    counted: bool = True

    @property
    def left(self) -> bool:
        """Whether it has ended."""
        return self.left_at is not None

    @property
    def unused(self) -> set[int | None]:
        """The covers while no fee has used them."""
        return {None} if self.charged else self.covers


class BroughtBounds(NamedTuple):
    """What R52 asks by when chips were brought: the limit, the most on a stack, what it held before, who had come back."""

    at: str
    limit: int
    most: int
    before: int
    returned: ReplayedSitting | None


class EntryChips(NamedTuple):
    """An entry that brought a sitting its chips, or took them away: cents, also net of the table's bank.

    `at` is when it was recorded, `dealer` and `account` are whose tokes a toke went to.
    """

    kind: str
    sitting: ReplayedSitting
    cents: int
    source: str
    over_short: int
    bank_cash: int
    bank_chips: int
    bounds: BroughtBounds | None
    at: str
    dealer: int | None = None
    account: int | None = None


class ReversedChips(NamedTuple):
    """Such an entry that was reversed just now: by whom, with whom, and why."""

    chips: EntryChips
    by: tuple[int, int | None, str]


def remembered(body: Body) -> dict[str, Any]:
    """Return what a record says for keeping: thousands are kept at a time, and the names of their fields only once."""
    return {
        intern(name): remembered(value) if isinstance(value, dict) else value for name, value in body.items()
    }


def transfers_of(body: Body) -> list[tuple[int, int, int]]:
    """What an entry moves: (from, to, cents), line by line."""
    return [(line["from"], line["to"], line["cents"]) for line in body["transfers"]]
