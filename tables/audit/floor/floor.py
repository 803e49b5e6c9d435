"""The replayed room: the house, its tables, whose chips lie where, and open fees, as the log tells them. Pure.

Nothing is judged here. Of a closed table everything is kept for a while (corrections come late), of one that closed
long ago only what an unpaid fee needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from ledger.audit.findings import name_of
from ledger.audit.undoing import key_of_act
from tables.audit.floor.house import House
from tables.audit.floor.sitting import Body, Mark, Moved, ReplayedSitting, remembered
from tables.audit.floor.table import ReplayedCharge, ReplayedPayment, ReplayedTable
from tables.rules.game.rounds import Library
from tables.rules.game.sheet import Sheet

CLOSED_TABLES: Final = 64
"""So many closed tables are remembered."""


class Problem(NamedTuple):
    """What is wrong: with the record that is being taken, or with the one that `mark` names."""

    code: str
    sentence: str
    mark: Mark | None = None


Problems = Iterator[Problem]


def kind_of(body: Body) -> str:
    """The kind of a record, with that of its event or entry: `entry round`, `down`."""
    record = body["record"]
    return f"{record} {body['kind']}" if record in ("entry", "table_event") else str(record)


@dataclass(slots=True)
class Floor:
    """Everything that is known. `sheets` has the game sheets, None for one that cannot be read.

    `whole`: the log is read from its first leaf on. `leaf`: the leaf that is being taken. `forgotten` are the tables that
    closed long ago, `unknown` those whose beginning is not known and was told, `strays` the rounds that started there.
    `persons` has the player who stands for each merged one. `numbers` are those that may come next in a series: after a gap
    also the one that would have come without it, except among merges; `gap`: why that of this record does not come next.
    `unpaid` are the open fees of the whole house, by charge. `lost`: a record could not be read.
    `places` are those on waiting lists that are not over, `place_numbers` the last one of each day.
    `claims_sure` and `moves_sure`: the claims that follow a correction, and the chips that arrive with a move, are known.
    """

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
        """So many more of these were looked at."""
        self.checked[words] = self.checked.get(words, 0) + number

    def mark(self, body: Body) -> Mark:
        """The record that is being taken."""
        return Mark(self.leaf, name_of(body))

    def find(self, session: object) -> ReplayedTable | None:
        """The table of a session, open or closed not long ago."""
        if type(session) is not int:
            return None
        return self.tables.get(session) or self.closed.get(session)

    def every(self) -> Iterator[ReplayedTable]:
        """All tables that are remembered, the open ones first."""
        yield from self.tables.values()
        yield from self.closed.values()

    # -- chips and seats -----------------------------------------------------------------------------------------

    def move(self, body: Body) -> None:
        """Chips go from stack to stack; each remembers the entry that moved it."""
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
        """Take over what the next record says of stacks that an entry moved, or was to move."""
        for line in lines:
            for end in ("from", "to"):
                if (touched := self.stacks.get(line[end])) is not None:
                    touched.counted = False
        for sitting in sittings:
            if sitting is not None:
                sitting.counted = False

    def sit(self, table: ReplayedTable, sitting: ReplayedSitting) -> None:
        """A player sits down; somebody who is known to sit in that seat keeps it."""
        if sitting.sure or sitting.seat not in table.seats:
            table.seats[sitting.seat] = sitting
        table.sittings[sitting.id] = sitting
        if sitting.stack is not None:
            self.stacks[sitting.stack] = sitting
        self.players[sitting.player] = sitting

    def stand_up(self, table: ReplayedTable, sitting: ReplayedSitting) -> None:
        """A player has no seat there any more, and no stack."""
        for seat in [seat for seat, other in table.seats.items() if other is sitting]:
            del table.seats[seat]
        if sitting.stack is not None:
            self.stacks.pop(sitting.stack, None)
        if self.players.get(sitting.player) is sitting:
            del self.players[sitting.player]

    def leave(self, table: ReplayedTable, sitting: ReplayedSitting, at: str) -> None:
        """A player is gone."""
        self.stand_up(table, sitting)
        sitting.left_at, sitting.cents = at, 0
        table.last_left[table.person(sitting.player)] = sitting

    def merge(self, merged: int, into: int) -> None:
        """Two entries are one person from now on; whoever stood behind the merged one follows."""
        into = self.persons.get(into, into)
        for player in [merged, *(one for one, other in self.persons.items() if other == merged)]:
            self.persons[player] = into
        for table in self.every():
            table.merge(merged, into)

    # -- tables and fees -----------------------------------------------------------------------------------------

    def charge(self, charge: ReplayedCharge) -> None:
        """A fee is owed."""
        self.charges.setdefault(charge.id, charge)
        if charge.table.charges.setdefault(charge.id, charge) is charge:
            self.unpaid[charge.id] = charge

    def take_fee(self, charge: ReplayedCharge, body: Body) -> None:
        """A fee is paid, or waived, by this entry."""
        charge.paid = ReplayedPayment(
            body["id"], body.get("kind", ""), body["recorded_at"], remembered(body.get("evidence", {}))
        )
        self.unpaid.pop(charge.id, None)
        if self.find(charge.table.session) is not charge.table:
            self.charges.pop(charge.id, None)

    def reopen_fee(self, charge: ReplayedCharge) -> None:
        """What was paid is taken back: the fee is open again."""
        charge.paid, charge.reopened = None, True
        self.charges.setdefault(charge.id, charge)
        self.unpaid[charge.id] = charge

    def reopen_unknown(self, charge: int) -> None:
        """A payment is taken back of which too little is known to judge it: whoever takes the fee again is not accused."""
        if (known := self.charges.setdefault(charge, None)) is not None:
            self.reopen_fee(known)

    def open_fees(self, player: int) -> list[ReplayedCharge]:
        """The charges that a person owes and has not paid, wherever in the house they fell due (R51)."""
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
        """Whether it is known which fees of a table are open."""
        return all(charge.sure for charge in self.unpaid.values() if charge.table is table)

    @property
    def fees_complete(self) -> bool:
        """Whether no fee can be open in the house that is not known: every table was opened and read in this log."""
        return self.whole and not self.lost and not self.unknown

    @property
    def fees_known(self) -> bool:
        """Whether it is known which fees are open in the whole house."""
        return self.fees_complete and all(charge.sure for charge in self.unpaid.values())

    def close(self, table: ReplayedTable) -> None:
        """A table is closed: it is kept for a while, and the one that closed long ago is forgotten."""
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
