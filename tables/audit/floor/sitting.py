"""A player in a seat by the log, with the chips brought and taken away. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ledger.records.books import EntryRecord


class Mark(NamedTuple):
    """A reference to a record: its leaf and its name, `entry 512`."""

    leaf: int
    record: str


class Moved(NamedTuple):
    """The last act that moved a stack: its key, and the first of its entries that did."""

    act: str
    entry: int


@dataclass(slots=True, eq=False)
class ReplayedSitting:
    """A player in a seat. Times are texts of the log; `mark` is the entry that brought the player.

    `stack` is None until the event, for a move without chips. `out`: sits out, None if only the table before
    could tell. `fantasy_land`: the next hand is one (R41). `covered_by` is the charge that covers the first
    fee (R62), until one was `charged`. `claimed`: the entry was recorded late, `approved` by a second person.
    `cashed`: the chips have left; `left_at` and `taken_away` are set at the end. `more` are cents by which a
    correction changed that later."""

    id: int
    session: int
    seat: int
    player: int
    stack: int | None
    entered_at: str
    mark: Mark
    covered_by: int | None = None
    from_sitting: int | None = None
    cents: int = 0
    out: bool | None = False
    fantasy_land: bool = False
    charged: bool = False
    cashed: bool = False
    left_at: str | None = None
    taken_away: int = 0
    more: int = 0
    moved_to: ReplayedSitting | None = None
    moved: Moved | None = None
    claimed: bool = False
    approved: bool = False

    @property
    def left(self) -> bool:
        return self.left_at is not None

    @property
    def unused_cover(self) -> int | None:
        return None if self.charged else self.covered_by


class BroughtBounds(NamedTuple):
    """What R52 bounds a buy-in by: limit, most on a stack, stack before, sitting returned from."""

    at: str
    limit: int
    most: int
    before: int
    returned: ReplayedSitting | None


class EntryChips(NamedTuple):
    """An entry that brought or took away a sitting's chips: cents, also net of the table's bank. `at` is when
    it was recorded, `dealer` and `account` are a toke's; `first` is the entry that was corrected to it, or it
    itself."""

    first: int
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
    """Chips taken back that must be posted again, by the same two people for the same reason."""

    chips: EntryChips
    by: tuple[int, int | None, str]


def transfers_of(entry: EntryRecord) -> list[tuple[int, int, int]]:
    return [(line["from"], line["to"], line["cents"]) for line in entry["transfers"]]
