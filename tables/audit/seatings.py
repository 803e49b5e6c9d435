"""What the log has said of seats so far: tables, who sits at them with how many chips, open fees, what has to come next. Pure.

Nothing is judged here. What is kept of a table goes when it closes, but for the last few (corrections come late). `sure` and
`counted` are false of whatever was accused: what follows from it is taken over as the records say it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from ledger.audit.findings import name_of
from tables.audit.corrections import Pair
from tables.audit.house import House
from tables.rules.game.sheet import Sheet
from tables.rules.table.downs import Stop

Body = Mapping[str, Any]
CLOSED_TABLES: Final = 64
"""So many closed tables are remembered."""


class Mark(NamedTuple):
    """Which record it is."""

    place: int
    record: str


class Problem(NamedTuple):
    """What is wrong: of the record that is being taken, or of the one that `mark` says."""

    code: str
    sentence: str
    mark: Mark | None = None


Problems = Iterator[Problem]


class Await(NamedTuple):
    """What has to follow a record at its table, and what may come before that: kinds of records."""

    mark: Mark
    code: str
    sentence: str
    kinds: frozenset[str]


def kind_of(body: Body) -> str:
    """The kind of a record, with that of its event or entry: `entry round`, `down`."""
    record = body["record"]
    return f"{record} {body['kind']}" if record in ("entry", "table_event") else str(record)


@dataclass(slots=True, eq=False)
class Sitting:
    """A player in a seat. Times are texts of the log; `counted` is whether its chips are known for sure.

    `claimed` is an entry that was recorded late, `approved` by a second person. `left_at` and `taken_away` are there once
    it has ended; `cashed` once its chips have gone. `more` are cents that a correction brought after that, or took.
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
    cashed: bool = False
    left_at: str | None = None
    taken_away: int = 0
    more: int = 0
    moved_to: Sitting | None = None
    claimed: bool = False
    approved: bool = False
    mark: Mark | None = None
    sure: bool = True
    counted: bool = True


class Fee(NamedTuple):
    """A charge that is open."""

    id: int
    sitting: int
    down: int
    player: int
    cents: int


class Start(NamedTuple):
    """A round that began: its seats, whose sittings played it, and what it needs to be followed by another one."""

    number: int
    id: int
    button: int
    sittings: dict[int, Sitting]
    hands_each: int
    reserved: bool
    match: int | None
    sure: bool


class HandRequest(NamedTuple):
    """A settlement by hand that was asked for (R58): by whom, why, and with which points."""

    id: int
    actor: int
    reason: str
    points: list[list[int]]


class Bounds(NamedTuple):
    """What R52 asked when chips were brought at a moment: cents, what the stack held before, who had come back."""

    at: str
    least: int
    most: int
    before: int
    returned: Sitting | None


class Chips(NamedTuple):
    """What an entry says that brought a sitting its chips, or took them away: cents, also net of the table's bank."""

    kind: str
    sitting: Sitting
    cents: int
    source: str
    over_short: int
    bank_cash: int
    bank_chips: int
    bounds: Bounds | None


class TakenChips(NamedTuple):
    """Such an entry that was taken back just now: by whom, with whom, and why."""

    chips: Chips
    by: tuple[int, int | None, str]


class TakenBack(NamedTuple):
    """A settlement that was reversed just now: the round's number, and by whom and why it was asked for, and taken back."""

    number: int
    by: tuple[tuple[int, str], ...]
    sure: bool


class Changed(NamedTuple):
    """A change of rate that holds with the down that has to begin next: its number, and when."""

    mark: Mark
    down: int
    at: str


@dataclass(slots=True)
class Due:
    """The claims that have to follow a correction: (debtor, creditor, cents), all of one settlement."""

    round_id: int
    claims: list[tuple[int, int, int]]
    settlement: int | None = None


@dataclass(slots=True)
class Table:
    """One opening of a table. `lost`: something it rests on cannot be believed, so that it is not judged any more.

    Rounds are numbered as they `begun`. `played` are the players by seat of every round and of its match, where that is known
    for sure, `claims` what they owe each other beside the chips. `chips` are the entries that may be corrected, `taken_chips`
    those that have to be made anew. `hand_settled` has the points by which rounds, by number, stand settled by hand.
    """

    session: int
    number: int
    opened_at: str
    sheet: Sheet | None
    limit_cents: int
    max_buy_in_cents: int
    schedule: Mapping[str, Any]
    bank_chips: int
    bank_cash: int
    box: int
    lost: bool = False
    awaits: Await | None = None
    seats: dict[int, Sitting] = field(default_factory=dict)
    sittings: dict[int, Sitting] = field(default_factory=dict)
    last_left: dict[int, Sitting] = field(default_factory=dict)
    announced: Mapping[str, Any] | None = None
    changed: Changed | None = None
    down: tuple[int, str] | None = None
    stops: list[Stop] = field(default_factory=list)
    fees: dict[int, Fee] = field(default_factory=dict)
    late_fee: bool = False
    begun: int = 0
    running: Start | None = None
    last: Start | None = None
    last_voided: bool = False
    last_by_hand: bool = False
    settled: dict[int, int] = field(default_factory=dict)
    played: dict[int, dict[int, Sitting]] = field(default_factory=dict)
    in_match: dict[int, dict[int, Sitting]] = field(default_factory=dict)
    match: int | None = None
    match_over: bool = True
    round_ids: dict[int, int] = field(default_factory=dict)
    claims: dict[int, dict[Pair, int]] = field(default_factory=dict)
    asked: dict[int, tuple[int, int, str]] = field(default_factory=dict)
    by_hand: dict[int, HandRequest] = field(default_factory=dict)
    hand_settled: dict[int, list[list[int]]] = field(default_factory=dict)
    taken_back: TakenBack | None = None
    chips: dict[int, Chips] = field(default_factory=dict)
    taken_chips: dict[int, TakenChips] = field(default_factory=dict)
    due: Due | None = None
    counted: dict[str, Any] | None = None
    dealer: int | None = None

    @property
    def sure(self) -> bool:
        """Whether it is known who sits where."""
        return all(sitting.sure or sitting.left_at is not None for sitting in self.sittings.values())

    @property
    def most(self) -> int:
        """The most that a stack may hold when chips are brought: the announced maximum where that is higher (R52, R64)."""
        announced = 0 if self.announced is None else self.announced["max_buy_in_cents"]
        return max(self.max_buy_in_cents, announced)

    @property
    def nine_points(self) -> int:
        """The least stack that is dealt in, in cents (R53)."""
        return 9 * self.limit_cents

    def doubt(self) -> None:
        """Take over what the next record says of the stacks here."""
        for sitting in self.seats.values():
            sitting.counted = False

    def is_dealt_in(self, sitting: Sitting) -> bool:
        """Whether a player has a hand in the running round."""
        return self.running is not None and sitting in self.running.sittings.values()

    def plays_match(self, sitting: Sitting) -> bool:
        """Whether a player is one of the match that runs."""
        return not self.match_over and sitting in self.in_match.get(self.match or 0, {}).values()

    def fees_of(self, player: int) -> list[Fee]:
        """The fees that a player owes here."""
        return [fee for fee in self.fees.values() if fee.player == player]


@dataclass(slots=True)
class Floor:
    """Everything that is known. `whole`: the log is read from its first leaf on; `forgotten`: of some tables it is gone."""

    sheets: Mapping[tuple[str, int], Sheet]
    whole: bool
    forgotten: bool = False
    claims_sure: bool = True
    moves_sure: bool = True
    house: House = field(default_factory=House)
    tables: dict[int, Table] = field(default_factory=dict)
    closed: OrderedDict[int, Table] = field(default_factory=OrderedDict)
    stacks: dict[int, Sitting] = field(default_factory=dict)
    players: dict[int, Sitting] = field(default_factory=dict)
    fills: dict[int, tuple[int, int]] = field(default_factory=dict)
    tokes: dict[int, int] = field(default_factory=dict)
    checked: dict[str, int] = field(default_factory=dict)

    def count(self, words: str) -> None:
        """One more of these was looked at."""
        self.checked[words] = self.checked.get(words, 0) + 1

    def find(self, session: object) -> Table | None:
        """The table of a session, open or closed not long ago."""
        if type(session) is not int:
            return None
        return self.tables.get(session) or self.closed.get(session)

    def move(self, transfers: Iterable[Mapping[str, Any]]) -> None:
        """Chips go from stack to stack."""
        stacks = self.stacks
        for line in transfers:
            cents = line["cents"]
            giver, taker = stacks.get(line["from"]), stacks.get(line["to"])
            if giver is not None:
                giver.cents -= cents
            if taker is not None:
                taker.cents += cents

    def sit(self, table: Table, sitting: Sitting) -> None:
        """A player sits down."""
        table.seats[sitting.seat] = sitting
        table.sittings[sitting.id] = sitting
        if sitting.stack is not None:
            self.stacks[sitting.stack] = sitting
        self.players[sitting.player] = sitting

    def leave(self, table: Table, sitting: Sitting, at: str) -> None:
        """A player is gone."""
        for seat in [seat for seat, other in table.seats.items() if other is sitting]:
            del table.seats[seat]
        if sitting.stack is not None:
            self.stacks.pop(sitting.stack, None)
        if self.players.get(sitting.player) is sitting:
            del self.players[sitting.player]
        sitting.left_at, sitting.cents = at, 0
        table.last_left[sitting.player] = sitting

    def doubt(self, lines: Iterable[Mapping[str, Any]], *sittings: Sitting | None) -> None:
        """Take over what the next record says of stacks that an entry moved, or was to move."""
        for line in lines:
            for end in ("from", "to"):
                if (touched := self.stacks.get(line[end])) is not None:
                    touched.counted = False
        for sitting in sittings:
            if sitting is not None:
                sitting.counted = False

    def close(self, table: Table) -> None:
        """Forget a table, but not yet its rounds."""
        for sitting in list(table.seats.values()):
            self.leave(table, sitting, "")
        self.tables.pop(table.session, None)
        self.closed[table.session] = table
        if len(self.closed) > CLOSED_TABLES:
            self.closed.popitem(last=False)
            self.forgotten = True


def mark_of(place: int, body: Body) -> Mark:
    """Where a record stands, and what it is called."""
    return Mark(place, name_of(body))


def transfers_of(body: Body) -> list[tuple[int, int, int]]:
    """What an entry moves: (from, to, cents), line by line."""
    return [(line["from"], line["to"], line["cents"]) for line in body["transfers"]]
