"""A round and a match by the log. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from tables.audit.floor.sitting import ReplayedSitting
from tables.audit.records.events import PairStake
from tables.rules.game.matches import Win, total_points
from tables.rules.table.corrections import Pair

RUNNING, SETTLED, VOID, REVERSED = "running", "settled", "void", "taken back"


class ReplayedHand(NamedTuple):
    position: int
    seat: int
    sitting: int
    stack_cents: int
    fantasy_land: bool


class Request(NamedTuple):
    """A request for a correction or a settlement by hand (R58); `points` are those of the latter."""

    id: int
    actor: int
    reason: str
    points: list[list[int]] | None = None


@dataclass(slots=True, eq=False)
class ReplayedRound:
    """A round of a table, dealt to `sittings` by seat. `paid` are the chips between pairs of seats by the
    settlement in force, the `ordinal`-th, whose entry is `entry`. `stacks` is what the players of its match
    could pay from, `win` how it ended that match. `points` are those of a settlement by hand. `claimed` is
    what seats owe each other beyond that (R58)."""

    id: int
    number: int
    started_at: str
    button: int
    hands: tuple[ReplayedHand, ...]
    hands_each: int
    limit_cents: int
    stakes: list[PairStake] | None
    reserved_from: int | None
    match: int | None
    sittings: dict[int, ReplayedSitting] = field(default_factory=dict)
    state: str = RUNNING
    ordinal: int = 0
    entry: int = 0
    paid: dict[Pair, int] = field(default_factory=dict)
    claimed: dict[Pair, int] = field(default_factory=dict)
    cards: frozenset[str] = frozenset()
    stacks: dict[int, int] | None = None
    win: Win | None = None
    by_hand: bool = False
    points: list[list[int]] | None = None


@dataclass(slots=True)
class ReplayedMatch:
    """A match of a race (R42). `players` are its sittings by seat, `points` those of the settlements in force
    by round, `ended_by` the round that has a winner."""

    number: int
    stake_cents: int
    players: dict[int, ReplayedSitting]
    called_off: bool = False
    points: dict[int, Mapping[int, int]] = field(default_factory=dict)
    ended_by: int | None = None

    @property
    def over(self) -> bool:
        return self.called_off or self.ended_by is not None

    def settle(self, number: int, *, won: bool) -> None:
        if won:
            self.ended_by = number
        elif self.ended_by == number:
            self.ended_by = None

    def total(self, without: int | None = None) -> dict[int, int]:
        return total_points(self.players, (each for number, each in self.points.items() if number != without))


class ReversedRound(NamedTuple):
    """A round whose settlement was taken back: by whom and why."""

    actor: int
    reason: str


@dataclass(slots=True)
class ReplayedClaim:
    figures: tuple[int, int, int, int]
    paid: bool = False


@dataclass(slots=True)
class DueClaims:
    """The claims that must follow a correction: (debtor, creditor, cents), all of one settlement."""

    round_id: int
    claims: list[tuple[int, int, int]]
    settlement: int | None = None
