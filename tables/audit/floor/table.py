"""A session of a table by the log: sittings, rate, clock, fees, rounds and matches. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from tables.audit.floor.fees import RateChange, ReplayedCharge, ReplayedDown, ReplayedRate
from tables.audit.floor.round import (
    RUNNING,
    SETTLED,
    VOID,
    DueClaims,
    ReplayedClaim,
    ReplayedMatch,
    ReplayedRound,
    Request,
    ReversedRound,
)
from tables.audit.floor.sitting import EntryChips, Mark, ReplayedSitting, ReversedChips
from tables.audit.records.events import Closed
from tables.rules.game.sheet import Sheet
from tables.rules.table.buy_ins import most_on_a_stack
from tables.rules.table.downs import Stop, down_ends


class Awaited(NamedTuple):
    """The record that must come next at a table: which kinds may come before it, and who is about to sit down
    or leave."""

    mark: Mark
    code: str
    sentence: str
    kinds: frozenset[str]
    sitting: ReplayedSitting | None = None


@dataclass(slots=True, eq=False)
class ReplayedTable:
    """A session of a table; `opened_at` and `newest_at` are the times of its first and its last record.

    `announced` is the rate from the next down on, `changed` the change that this down must begin with.
    `persons` has the player who stands for each merged one in the house. `vacated` are seats that players
    left for another one here, and when. `chips` are the entries that may be corrected, `reversed_chips` those
    that must be posted again. `for_round` are charges for a round that must start next; `late_fee`: a charge
    came between a buy-in and its event."""

    session: int
    number: int
    opened_at: str
    newest_at: str
    sheet: Sheet
    rate: ReplayedRate
    bank_chips: int
    bank_cash: int
    box: int
    box_chips: int
    box_cash: int
    persons: dict[int, int]
    awaits: Awaited | None = None
    # who sits there
    seats: dict[int, ReplayedSitting] = field(default_factory=dict)
    sittings: dict[int, ReplayedSitting] = field(default_factory=dict)
    vacated: list[tuple[int, str]] = field(default_factory=list)
    chips: dict[int, EntryChips] = field(default_factory=dict)
    reversed_chips: dict[int, ReversedChips] = field(default_factory=dict)
    # rate, clock and fees
    announced: ReplayedRate | None = None
    changed: RateChange | None = None
    downs: list[ReplayedDown] = field(default_factory=list)
    stops: list[Stop] = field(default_factory=list)
    for_round: list[ReplayedCharge] = field(default_factory=list)
    late_fee: bool = False
    # rounds and matches
    rounds: dict[int, ReplayedRound] = field(default_factory=dict)
    numbers: dict[int, ReplayedRound] = field(default_factory=dict)
    last: ReplayedRound | None = None
    matches: dict[int, ReplayedMatch] = field(default_factory=dict)
    asked: dict[int, Request] = field(default_factory=dict)
    by_hand: dict[int, Request] = field(default_factory=dict)
    reversed: ReversedRound | None = None
    due: DueClaims | None = None
    claims: dict[int, ReplayedClaim] = field(default_factory=dict)
    counted: Closed | None = None
    bank_counted: int = 0  # the entry in which two people counted its bank last
    dealer: int | None = None

    # -- who sits there --------------------------------------------------------------------------------------

    def person(self, player: int) -> int:
        return self.persons.get(player, player)

    def seated(self, number: int) -> ReplayedSitting | None:
        """Return a sitting that has not ended."""
        sitting = self.sittings.get(number)
        return None if sitting is None or sitting.left else sitting

    def last_left(self, player: int) -> ReplayedSitting | None:
        """Return this person's last sitting here that has ended (R52)."""
        person = self.person(player)
        theirs = (one for one in self.sittings.values() if one.left and self.person(one.player) == person)
        return max(theirs, key=lambda one: one.left_at or "", default=None)

    def is_dealt_in(self, sitting: ReplayedSitting) -> bool:
        return self.running is not None and sitting in self.running.sittings.values()

    def has_played_match(self, sitting: ReplayedSitting) -> bool:
        return any(sitting in match.players.values() for match in self.matches.values())

    def plays_match(self, sitting: ReplayedSitting) -> bool:
        match = self.running_match
        return match is not None and sitting in match.players.values()

    # -- rate, clock and fees --------------------------------------------------------------------------------

    @property
    def most(self) -> int:
        """The most that a stack may hold when chips are brought (R52, R64)."""
        announced = None if self.announced is None else self.announced.max_buy_in_cents
        return most_on_a_stack(self.rate.max_buy_in_cents, announced)

    @property
    def stopped(self) -> bool:
        return bool(self.stops) and self.stops[-1].end is None

    @property
    def down(self) -> ReplayedDown | None:
        return self.downs[-1] if self.downs else None

    @property
    def down_end(self) -> datetime | None:
        """When the newest down ends; None if there is none, or the clock stands still in it."""
        return down_ends(self.downs[-1].start, self.stops) if self.downs else None

    def down_at(self, at: datetime) -> ReplayedDown | None:
        """Return the newest down if it runs at a moment, and does not wait at its end (R61)."""
        end = self.down_end
        return self.down if end is None or at < end else None

    def charge_for(self, player: int, down: ReplayedDown) -> ReplayedCharge | None:
        person = self.person(player)
        return next((one for one in down.charges if self.person(one.sitting.player) == person), None)

    # -- rounds and matches ----------------------------------------------------------------------------------

    @property
    def running(self) -> ReplayedRound | None:
        return self.last if self.last is not None and self.last.state == RUNNING else None

    @property
    def running_match(self) -> ReplayedMatch | None:
        match = self.matches[max(self.matches)] if self.matches else None
        return None if match is None or match.over else match

    def round_of(self, entry: int | None) -> ReplayedRound | None:
        return next((one for one in self.rounds.values() if one.entry == entry), None)

    def players_of(self, round_: ReplayedRound) -> dict[int, ReplayedSitting]:
        """Return the sittings that a settlement may concern, by seat: of the round, or of its match."""
        match = {} if round_.match is None else self.matches[round_.match].players
        return {**round_.sittings, **match}

    def mark_fantasy_land(self, round_: ReplayedRound, earned: set[int]) -> None:
        """Give the next hand in fantasy land to seats that `earned` it (R41), unless dealt a later round."""
        dealt = {
            sitting
            for other in (self.rounds.values() if round_ is not self.last else ())
            if other.number > round_.number and other.state != VOID
            for sitting in other.sittings.values()
        }
        for seat, sitting in round_.sittings.items():
            if sitting not in dealt and not sitting.left:
                sitting.fantasy_land = seat in earned

    def sharing(self, round_: ReplayedRound) -> Iterator[ReplayedRound]:
        """Yield the settled rounds that were dealt from the same deck as this one (R43)."""
        before, after = self.numbers.get(round_.reserved_from or 0), self.numbers.get(round_.number + 1)
        if before is not None and before.state == SETTLED:
            yield before
        if after is not None and after.reserved_from == round_.number and after.state == SETTLED:
            yield after
