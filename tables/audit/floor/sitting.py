"""A player in a seat by the log, with the chips brought and taken away. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from sys import intern
from typing import Any, NamedTuple

Body = Mapping[str, Any]


class Mark(NamedTuple):
    leaf: int
    record: str


class Moved(NamedTuple):
    """The last act that moved a stack: its key, and the first of its entries that did."""

    act: str
    entry: int


@dataclass(slots=True, eq=False)
class ReplayedSitting:
    """A player in a seat. Times are texts of the log.

    `sure` is false after a fault; `counted`: `cents` is what the stack holds. `fantasy_land`: the next hand
    is one (R41), None if unknown. `covers` are the charges (None: no charge) one of which may cover the first
    fee (R62); `charged`: a fee has used them. `claimed`: the entry was recorded late, `approved` by a second
    person. `cashed`: the chips have left; `left_at` and `taken_away` are set at the end. `more` are cents by
    which a correction changed that later. `moved` is what last moved the stack."""

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
        return self.left_at is not None

    @property
    def unused(self) -> set[int | None]:
        """The covers while no fee has used them."""
        return {None} if self.charged else self.covers


class BroughtBounds(NamedTuple):
    """The bounds of R52 when chips are brought: limit, most on a stack, stack before, sitting returned
    from."""

    at: str
    limit: int
    most: int
    before: int
    returned: ReplayedSitting | None


class EntryChips(NamedTuple):
    """An entry that brought or took away a sitting's chips: cents, also net of the table's bank. `at` is when
    it was recorded, `dealer` and `account` are a toke's."""

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
    chips: EntryChips
    by: tuple[int, int | None, str]


def remembered(body: Body) -> dict[str, Any]:
    """Return a record's values for keeping, with shared field names: thousands are kept at a time."""
    return {
        intern(name): remembered(value) if isinstance(value, dict) else value for name, value in body.items()
    }


def transfers_of(body: Body) -> list[tuple[int, int, int]]:
    return [(line["from"], line["to"], line["cents"]) for line in body["transfers"]]
