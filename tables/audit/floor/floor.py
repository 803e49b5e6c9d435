"""The replayed room by the log: the house, its tables, whose chips are where, and open fees. Pure. Nothing
is judged here. A closed table is kept whole for a while (corrections come late), later only what an unpaid
fee needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from ledger.records.findings import name_of
from ledger.rules.undoing import key_of_act
from tables.audit.floor.house import House
from tables.audit.floor.sitting import Body, Mark, Moved, ReplayedSitting, remembered
from tables.audit.floor.table import ReplayedCharge, ReplayedPayment, ReplayedTable
from tables.rules.game.rounds import Library
from tables.rules.game.sheet import Sheet

CLOSED_TABLES: Final = 64
"""This many closed tables are remembered."""


class Problem(NamedTuple):
    """A fault of the current record, or of the one that `mark` names."""

    code: str
    sentence: str
    mark: Mark | None = None


Problems = Iterator[Problem]


def kind_of(body: Body) -> str:
    record = body["record"]
    return f"{record} {body['kind']}" if record in ("entry", "table_event") else str(record)


@dataclass(slots=True)
class Floor:
    """Everything known. `sheets` has the game sheets, None for an unreadable one.

    `whole`: the log is read from its first leaf. `leaf` is the current one. `forgotten` are tables that
    closed long ago, `unknown` those reported without a known beginning, `strays` the rounds that started
    there. `persons` has the player who stands for each merged one. `numbers` are the possible next ones of
    each series: after a gap also the one expected without it, except among merges; `gap` is why this record's
    is wrong. `unpaid` are the house's open fees by charge. `lost`: a record could not be read. `places` are
    the open places on waiting lists, `place_numbers` each day's last number. `claims_sure` and `moves_sure`:
    the claims after a correction, and the chips arriving with a move, are known."""

    sheets: Mapping[tuple[str, int], Sheet | None]
    whole: bool
    libraries: Mapping[tuple[str, int], Library] = field(default_factory=dict)
    leaf: int = 0
    forgotten: set[int] = field(default_factory=set)
    unknown: set[object] = field(default_factory=set)
    strays: set[object] = field(default_factory=set)
    claims_sure: bool = True
    moves_sure: bool = True
    lost: bool = False
    house: House = field(default_factory=House)
    tables: dict[int, ReplayedTable] = field(default_factory=dict)
    closed: dict[int, ReplayedTable] = field(default_factory=dict)
    stacks: dict[int, ReplayedSitting] = field(default_factory=dict)
    players: dict[int, ReplayedSitting] = field(default_factory=dict)
    persons: dict[int, int] = field(default_factory=dict)
    charges: dict[int, ReplayedCharge | None] = field(default_factory=dict)
    unpaid: dict[int, ReplayedCharge] = field(default_factory=dict)
    fills: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    tokes: dict[int, int] = field(default_factory=dict)
    numbers: dict[str, set[int]] = field(default_factory=dict)
    gap: str = ""
    places: dict[int, tuple[Any, ...]] = field(default_factory=dict)
    place_numbers: dict[str, int] = field(default_factory=dict)
    checked: dict[str, int] = field(default_factory=dict)

    def count(self, words: str, number: int = 1) -> None:
        self.checked[words] = self.checked.get(words, 0) + number

    def mark(self, body: Body) -> Mark:
        return Mark(self.leaf, name_of(body))

    def find(self, session: object) -> ReplayedTable | None:
        if type(session) is not int:
            return None
        return self.tables.get(session) or self.closed.get(session)

    def every(self) -> Iterator[ReplayedTable]:
        yield from self.tables.values()
        yield from self.closed.values()

    # -- chips and seats -------------------------------------------------------------------------------------

    def move(self, body: Body) -> None:
        stacks, moved = self.stacks, list[ReplayedSitting]()
        for line in body["transfers"]:
            cents = line["cents"]
            if (giver := stacks.get(line["from"])) is not None:
                giver.cents -= cents
                moved.append(giver)
            if (taker := stacks.get(line["to"])) is not None:
                taker.cents += cents
                moved.append(taker)
        act = key_of_act(body["key"])
        for sitting in moved:
            if sitting.moved is None or sitting.moved.act != act:
                sitting.moved = Moved(act, body["id"])

    def doubt(self, lines: Iterable[Mapping[str, Any]], *sittings: ReplayedSitting | None) -> None:
        """Let the next record set the stacks that an entry moved, or should have moved."""
        for line in lines:
            for end in ("from", "to"):
                if (touched := self.stacks.get(line[end])) is not None:
                    touched.counted = False
        for sitting in sittings:
            if sitting is not None:
                sitting.counted = False

    def sit(self, table: ReplayedTable, sitting: ReplayedSitting) -> None:
        """Seat a player; a sitting that is known to be in that seat keeps it."""
        if sitting.sure or sitting.seat not in table.seats:
            table.seats[sitting.seat] = sitting
        table.sittings[sitting.id] = sitting
        if sitting.stack is not None:
            self.stacks[sitting.stack] = sitting
        self.players[sitting.player] = sitting

    def stand_up(self, table: ReplayedTable, sitting: ReplayedSitting) -> None:
        for seat in [seat for seat, other in table.seats.items() if other is sitting]:
            del table.seats[seat]
        if sitting.stack is not None:
            self.stacks.pop(sitting.stack, None)
        if self.players.get(sitting.player) is sitting:
            del self.players[sitting.player]

    def leave(self, table: ReplayedTable, sitting: ReplayedSitting, at: str) -> None:
        self.stand_up(table, sitting)
        sitting.left_at, sitting.cents = at, 0
        table.last_left[table.person(sitting.player)] = sitting

    def merge(self, merged: int, into: int) -> None:
        into = self.persons.get(into, into)
        for player in [merged, *(one for one, other in self.persons.items() if other == merged)]:
            self.persons[player] = into
        for table in self.every():
            table.merge(merged, into)

    # -- tables and fees -------------------------------------------------------------------------------------

    def charge(self, charge: ReplayedCharge) -> None:
        self.charges.setdefault(charge.id, charge)
        if charge.table.charges.setdefault(charge.id, charge) is charge:
            self.unpaid[charge.id] = charge

    def take_fee(self, charge: ReplayedCharge, body: Body) -> None:
        charge.paid = ReplayedPayment(
            body["id"], body.get("kind", ""), body["recorded_at"], remembered(body.get("evidence", {}))
        )
        self.unpaid.pop(charge.id, None)
        if self.find(charge.table.session) is not charge.table:
            self.charges.pop(charge.id, None)

    def reopen_fee(self, charge: ReplayedCharge) -> None:
        charge.paid, charge.reopened = None, True
        self.charges.setdefault(charge.id, charge)
        self.unpaid[charge.id] = charge

    def reopen_unknown(self, charge: int) -> None:
        """Reopen a payment of which too little is known to judge it: taking the fee again is not reported."""
        if (known := self.charges.setdefault(charge, None)) is not None:
            self.reopen_fee(known)

    def open_fees(self, player: int) -> list[ReplayedCharge]:
        if not self.unpaid:
            return []
        person = self.persons.get(player, player)
        return [
            charge
            for charge in self.unpaid.values()
            if not charge.table.lost
            and charge.table.person(charge.table.payer(charge)) == person
            and charge.table.owes(charge) is not False
        ]

    def fees_sure(self, table: ReplayedTable) -> bool:
        return all(charge.sure for charge in self.unpaid.values() if charge.table is table)

    @property
    def fees_complete(self) -> bool:
        """Whether no unknown fee can be open in the house: every table was opened and read in this log."""
        return self.whole and not self.lost and not self.unknown

    @property
    def fees_known(self) -> bool:
        return self.fees_complete and all(charge.sure for charge in self.unpaid.values())

    def close(self, table: ReplayedTable) -> None:
        for sitting in list(table.seats.values()):
            self.leave(table, sitting, "")
        self.tables.pop(table.session, None)
        self.closed[table.session] = table
        if len(self.closed) > CLOSED_TABLES:
            old = self.closed.pop(next(iter(self.closed)))
            self.forgotten.add(old.session)
            for charge in old.charges.values():
                if charge.taken:
                    self.charges.pop(charge.id, None)
            old.slim()
