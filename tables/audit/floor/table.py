"""A session of a table by the log: sittings, rate, clock, fees, rounds and matches. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tables.audit.floor.clock import RateChange, ReplayedDown, ReplayedRate, TableClock
from tables.audit.floor.house import moment
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
from tables.audit.floor.sitting import Body, EntryChips, Mark, ReplayedSitting, ReversedChips
from tables.rules.game.sheet import Sheet
from tables.rules.table.buy_ins import most_on_a_stack
from tables.rules.table.downs import is_owed


class Awaited(NamedTuple):
    """What must follow a record at its table, and the kinds of records that may come before it."""

    mark: Mark
    code: str
    sentence: str
    kinds: frozenset[str]


class ReplayedPayment(NamedTuple):
    """The entry that paid or waived a charge, when, and its evidence."""

    entry: int
    kind: str
    at: str
    said: Mapping[str, Any]


@dataclass(slots=True, eq=False)
class ReplayedCharge:
    """A fee that was charged. `sure` is false after a fault. `uncollected` is the number under which its
    player left without paying. `paid` is what took or waived it, while in force; `reopened`: an earlier
    payment was taken back."""

    id: int
    mark: Mark
    body: Body
    table: ReplayedTable
    sure: bool = True
    uncollected: int | None = None
    paid: ReplayedPayment | None = None
    reopened: bool = False

    @property
    def name(self) -> str:
        return self.mark.record

    @property
    def taken(self) -> bool:
        return self.paid is not None


@dataclass(slots=True, eq=False)
class ReplayedTable:
    """A session of a table. `lost`: a record of it could not be read, so it is not judged any more.

    `newest_at` is the time of its last record. `number`, `bank_chips`, `bank_cash` and `box` are None if only
    a faulty record names them. `rates` are the table's possible rates, nearly always one; `announced` those
    of the next down. `charged` has the charge by person and index of the down, None if unknown. `persons` has
    the player who stands for each merged one in the house. `vacated` are seats that players left for another
    one here, and when. `settled` has the rounds by settling entry, `chips` the entries that may be corrected,
    `reversed_chips` those that must be posted again."""

    session: int
    opened_at: str
    newest_at: str
    sheet: Sheet | None
    rates: tuple[ReplayedRate, ...]
    number: int | None = None
    bank_chips: int | None = None
    bank_cash: int | None = None
    box: int | None = None
    box_chips: set[int] = field(default_factory=set)
    box_cash: set[int] = field(default_factory=set)
    lost: bool = False
    awaits: Awaited | None = None
    persons: dict[int, int] = field(default_factory=dict)
    # who sits there
    seats: dict[int, ReplayedSitting] = field(default_factory=dict)
    sittings: dict[int, ReplayedSitting] = field(default_factory=dict)
    last_left: dict[int, ReplayedSitting] = field(default_factory=dict)
    vacated: list[tuple[int, str]] = field(default_factory=list)
    chips: dict[int, EntryChips] = field(default_factory=dict)
    reversed_chips: dict[int, ReversedChips] = field(default_factory=dict)
    # rate, clock and fees
    announced: tuple[ReplayedRate, ...] = ()
    announced_sure: bool = True
    changed: RateChange | None = None
    clock: TableClock = field(default_factory=TableClock)
    charges: dict[int, ReplayedCharge] = field(default_factory=dict)
    charged: dict[tuple[int, int], ReplayedCharge | None] = field(default_factory=dict)
    for_round: list[ReplayedCharge] = field(default_factory=list)
    late_fee: bool = False
    # rounds and matches
    rounds: dict[int, ReplayedRound] = field(default_factory=dict)
    numbers: dict[int, ReplayedRound] = field(default_factory=dict)
    last: ReplayedRound | None = None
    matches: dict[int, ReplayedMatch] = field(default_factory=dict)
    matches_known: bool = True
    settled: dict[int, ReplayedRound] = field(default_factory=dict)
    asked: dict[int, Request] = field(default_factory=dict)
    by_hand: dict[int, Request] = field(default_factory=dict)
    reversed: ReversedRound | None = None
    due: DueClaims | None = None
    claims: dict[int, ReplayedClaim] = field(default_factory=dict)
    counted: dict[str, Any] | None = None
    dealer: int | None = None

    # -- who sits there --------------------------------------------------------------------------------------

    def person(self, player: int) -> int:
        return self.persons.get(player, player)

    def merge(self, merged: int, into: int) -> None:
        """Transfer what is known of one player to the other (R52, R62)."""
        for player, place in [key for key in self.charged if key[0] == merged]:
            charge = self.charged.pop((player, place))
            if self.charged.get((into, place)) is None:
                self.charged[into, place] = charge
        gone = self.last_left.pop(merged, None)
        last = self.last_left.get(into)
        if gone is not None and (last is None or (last.left_at or "") < (gone.left_at or "")):
            self.last_left[into] = gone

    @property
    def sure(self) -> bool:
        return all(sitting.sure or sitting.left_at is not None for sitting in self.sittings.values())

    def doubt(self) -> None:
        """Let the next record set the stacks here."""
        for sitting in self.seats.values():
            sitting.counted = False

    def awaited_sitting(self) -> ReplayedSitting | None:
        mark = self.awaits.mark if self.awaits is not None else None
        return next((one for one in self.sittings.values() if mark is not None and one.mark == mark), None)

    def is_dealt_in(self, sitting: ReplayedSitting) -> bool:
        return self.running is not None and sitting in self.running.sittings.values()

    def has_played_match(self, sitting: ReplayedSitting) -> bool:
        return any(sitting.id in match.players.values() for match in self.matches.values())

    def plays_match(self, sitting: ReplayedSitting) -> bool:
        match = self.running_match
        return match is not None and any(
            self.sittings.get(number) is sitting for number in match.players.values()
        )

    # -- rate and fees ---------------------------------------------------------------------------------------

    @property
    def rate(self) -> ReplayedRate:
        """The table's rate; the first of several possible ones."""
        return self.rates[0]

    @property
    def most(self) -> int:
        """The most that a stack may hold when chips are brought; the highest possible one (R52, R64)."""
        announced = max((rate.max_buy_in_cents for rate in self.announced), default=None)
        return most_on_a_stack(max(rate.max_buy_in_cents for rate in self.rates), announced)

    @property
    def limit_cents(self) -> int:
        """The table's limit; the lowest of several possible ones."""
        rates = self.rates
        return rates[0].limit_cents if len(rates) == 1 else min(rate.limit_cents for rate in rates)

    def payer(self, charge: ReplayedCharge) -> int:
        sitting = self.sittings.get(charge.body["sitting"])
        player: int = charge.body["player"] if sitting is None else sitting.player
        return player

    def charged_for(self, player: int, down: ReplayedDown) -> tuple[bool, ReplayedCharge | None]:
        key = (self.person(player), down.place)
        return key in self.charged, self.charged.get(key)

    def mark_charged(self, player: int, down: ReplayedDown, charge: ReplayedCharge | None) -> None:
        key = (self.person(player), down.place)
        if self.charged.get(key) is None:
            self.charged[key] = charge

    def down_of(self, body: Body) -> ReplayedDown | None:
        return self.clock.down_of(body["down_id"], body["down"], moment(body["down_started_at"]))

    def owes(self, charge: ReplayedCharge) -> bool | None:
        """Return whether a charge of this table is owed by now (R61); None if its down is unknown."""
        if charge.body["round_id"] is not None or charge.uncollected is not None:
            return True
        down = self.down_of(charge.body)
        if down is None:
            return None
        person = self.person(self.payer(charge))
        there = [sitting for sitting in self.sittings.values() if self.person(sitting.player) == person]
        stays = [(moment(one.entered_at), moment(one.left_at) if one.left_at else None) for one in there]
        return is_owed((at for at, _ in down.rounds), stays)

    # -- rounds and matches ----------------------------------------------------------------------------------

    @property
    def running(self) -> ReplayedRound | None:
        return self.last if self.last is not None and self.last.state == RUNNING else None

    @property
    def next_number(self) -> int:
        return self.last.number + 1 if self.last is not None else 1

    @property
    def latest_match(self) -> ReplayedMatch | None:
        return self.matches[max(self.matches)] if self.matches else None

    @property
    def running_match(self) -> ReplayedMatch | None:
        match = self.latest_match
        return None if match is None or match.over else match

    def players_of(self, round_: ReplayedRound) -> dict[int, ReplayedSitting]:
        """Return the sittings that a settlement may concern, by seat: of the round, or of its match."""
        match = self.matches.get(round_.match) if round_.match is not None else None
        numbers = {**round_.seats, **(match.players if match else {})}
        return {seat: self.sittings[number] for seat, number in numbers.items()}

    def mark_fantasy_land(self, round_: ReplayedRound, earned: set[int] | None) -> None:
        """Give the next hand in fantasy land to those who `earned` it (R41; None: unknown), unless a later
        round was dealt to them."""
        later: set[int] = set()
        if round_ is not self.last:
            for other in self.rounds.values():
                if other.number > round_.number and other.state != VOID:
                    later.update(other.seats.values())
                    earned = earned if other.right else None
        for seat, number in round_.seats.items():
            sitting = self.sittings.get(number)
            if sitting is not None and number not in later and not sitting.left:
                sitting.fantasy_land = None if earned is None else seat in earned

    def sharing(self, round_: ReplayedRound) -> Iterator[ReplayedRound]:
        """Yield the settled rounds that were dealt from the same deck as this one (R43)."""
        before, after = self.numbers.get(round_.reserved_from or 0), self.numbers.get(round_.number + 1)
        if before is not None and before.state == SETTLED:
            yield before
        if after is not None and after.reserved_from == round_.number and after.state == SETTLED:
            yield after

    def slim(self) -> None:
        self.clock = TableClock(lost=True)
        forgotten: tuple[dict[Any, Any], ...] = (
            *(self.rounds, self.numbers, self.matches, self.settled, self.asked, self.by_hand),
            *(self.seats, self.chips, self.reversed_chips, self.charges, self.charged, self.last_left),
        )
        for kept in forgotten:
            kept.clear()
        self.last = None
        self.for_round.clear()
