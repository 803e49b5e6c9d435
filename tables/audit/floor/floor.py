"""The replayed room by the log: the house, its tables, whose chips are where, and open fees. Pure. Nothing
is judged here. A closed table is kept for a while (corrections come late), then its uncollected fees."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ledger.records.books import EntryRecord
from ledger.records.findings import Body, Finding, name_of
from ledger.rules.undoing import key_of_act
from tables.audit.floor.fees import ReplayedCharge, ReplayedPayment, remembered
from tables.audit.floor.house import House, moment
from tables.audit.floor.sitting import Mark, Moved, ReplayedSitting
from tables.audit.floor.table import ReplayedTable
from tables.audit.records.entries import Fee
from tables.audit.records.house_events import PlaceChanged
from tables.rules.game.rounds import Library
from tables.rules.game.sheet import Sheet
from tables.rules.table.downs import is_owed

CLOSED_TABLES: Final = 64
"""This many closed tables are remembered."""
_OLDER: Final = "records of tables opened before this part of the log or closed long before, not judged"


def kind_of(body: Body) -> str:
    record = body["record"]
    return f"{record} {body['kind']}" if record in ("entry", "table_event") else str(record)


def numbers_in(body: Body, name: str) -> set[int]:
    """Return the whole numbers under this name in a record, its evidence and its data."""
    holders = [body, *(body[part] for part in ("evidence", "data") if isinstance(body.get(part), dict))]
    return {holder[name] for holder in holders if type(holder.get(name)) is int}


@dataclass(slots=True)
class Stopped:
    """A session that is no longer judged since `mark`: the ids of its rounds, and how many of its records
    were skipped, by kind."""

    mark: Mark
    is_open: bool
    rounds: set[int]
    records: dict[str, int] = field(default_factory=dict)

    def take(self, body: Body) -> None:
        kind = kind_of(body)
        self.records[kind] = self.records.get(kind, 0) + 1
        self.rounds |= numbers_in(body, "round_id")
        self.is_open = self.is_open and kind != "table_event closed"

    def finding(self, session: int) -> Finding:
        number, leaf, record = sum(self.records.values()), *self.mark
        kinds = ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in sorted(self.records.items()))
        sentence = (
            f"After the contradiction at leaf {leaf} ({record}), {number} records of this session were not"
            f" judged ({kinds}), nor what follows from them at other tables: its fees, moves and claims."
        )
        return Finding("not_judged", sentence, None, f"table session {session}")


@dataclass(slots=True)
class Floor:
    """Everything known. `sheets` has the game sheets, None for an unreadable one.

    `whole`: the log is read from its first leaf. `leaf` is the current one. `tables` are open, `closed` the
    last that closed, `forgotten` those before; `stopped` are judged no more. `stacks` has the sitting of each
    account, `players` of each player who sits somewhere; `persons` has the player who stands for each merged
    one. `unpaid` are the house's open fees by charge. `tokes` has each dealer's account. `numbers` are the
    possible next ones of each series. `disputes` are those not decided. `handed_in` has who played and who
    sent each round that another sent. `places` are those on waiting lists, `place_numbers` each day's last
    number."""

    sheets: Mapping[tuple[str, int], Sheet | None]
    whole: bool
    libraries: Mapping[tuple[str, int], Library] = field(default_factory=dict)
    leaf: int = 0
    house: House = field(default_factory=House)
    tables: dict[int, ReplayedTable] = field(default_factory=dict)
    closed: dict[int, ReplayedTable] = field(default_factory=dict)
    forgotten: set[int] = field(default_factory=set)
    stopped: dict[int, Stopped] = field(default_factory=dict)
    stacks: dict[int, ReplayedSitting] = field(default_factory=dict)
    players: dict[int, ReplayedSitting] = field(default_factory=dict)
    persons: dict[int, int] = field(default_factory=dict)
    charges: dict[int, ReplayedCharge] = field(default_factory=dict)
    unpaid: dict[int, ReplayedCharge] = field(default_factory=dict)
    tokes: dict[int, int] = field(default_factory=dict)
    numbers: dict[str, set[int]] = field(default_factory=dict)
    disputes: dict[int, Any] = field(default_factory=dict)
    handed_in: dict[int, set[int]] = field(default_factory=dict)
    places: dict[int, PlaceChanged] = field(default_factory=dict)
    place_numbers: dict[str, int] = field(default_factory=dict)
    checked: dict[str, int] = field(default_factory=dict)

    def count(self, words: str, number: int = 1) -> None:
        self.checked[words] = self.checked.get(words, 0) + number

    def mark(self, body: Mapping[str, object]) -> Mark:
        return Mark(self.leaf, name_of(body))

    # -- sessions --------------------------------------------------------------------------------------------

    def find(self, session: int) -> ReplayedTable | None:
        """Return a session that is judged, if it is open or closed recently."""
        return self.tables.get(session) or self.closed.get(session)

    def every(self) -> Iterator[ReplayedTable]:
        yield from self.tables.values()
        yield from self.closed.values()

    def is_unknown(self, session: int) -> bool:
        """Whether a session that `find` does not return may still have existed."""
        return session in self.stopped or session in self.forgotten or not self.whole

    def stop(self, sessions: Iterable[int], mark: Mark) -> None:
        """Stop judging these sessions and forget their state."""
        for session in sessions:
            if session in self.stopped:
                continue
            table, is_open = self.find(session), self.tables.pop(session, None) is not None
            self.closed.pop(session, None)
            self.stopped[session] = Stopped(mark, is_open, {*table.rounds} if table else set())
            for sitting in table.seats.values() if table else ():
                self.stand_up(sitting)
            for number in [one.id for one in self.charges.values() if one.session == session]:
                del self.charges[number]
                self.unpaid.pop(number, None)

    def leave_unjudged(self, session: int, body: Body) -> None:
        """Count a record of a session that is not judged."""
        if session in self.stopped:
            self.stopped[session].take(body)
        else:
            self.count(_OLDER)

    def close(self, table: ReplayedTable) -> None:
        self.closed[table.session] = self.tables.pop(table.session)
        if len(self.closed) > CLOSED_TABLES:
            old = self.closed.pop(next(iter(self.closed)))
            self.forgotten.add(old.session)
            for charge in [one for one in self.charges.values() if one.session == old.session]:
                if charge.paid is not None or charge.uncollected is None:
                    del self.charges[charge.id]
                    self.unpaid.pop(charge.id, None)

    # -- chips and seats -------------------------------------------------------------------------------------

    def move(self, entry: EntryRecord) -> None:
        stacks, moved = self.stacks, list[ReplayedSitting]()
        for line in entry["transfers"]:
            cents = line["cents"]
            if (giver := stacks.get(line["from"])) is not None:
                giver.cents -= cents
                moved.append(giver)
            if (taker := stacks.get(line["to"])) is not None:
                taker.cents += cents
                moved.append(taker)
        act = key_of_act(entry["key"])
        for sitting in moved:
            if sitting.moved is None or sitting.moved.act != act:
                sitting.moved = Moved(act, entry["id"])

    def sit(self, table: ReplayedTable, sitting: ReplayedSitting) -> None:
        table.seats[sitting.seat] = table.sittings[sitting.id] = sitting
        if sitting.stack is not None:
            self.stacks[sitting.stack] = sitting
        self.players[sitting.player] = sitting

    def stand_up(self, sitting: ReplayedSitting) -> None:
        if sitting.stack is not None:
            self.stacks.pop(sitting.stack, None)
        if self.players.get(sitting.player) is sitting:
            del self.players[sitting.player]

    def leave(self, table: ReplayedTable, sitting: ReplayedSitting, at: str) -> None:
        self.stand_up(sitting)
        del table.seats[sitting.seat]
        sitting.left_at, sitting.cents = at, 0

    def person(self, player: int) -> int:
        return self.persons.get(player, player)

    def merge(self, merged: int, into: int) -> None:
        into = self.person(into)
        for player in [merged, *(one for one, other in self.persons.items() if other == merged)]:
            self.persons[player] = into

    # -- fees ------------------------------------------------------------------------------------------------

    def charge(self, charge: ReplayedCharge) -> None:
        self.charges[charge.id] = self.unpaid[charge.id] = charge
        charge.down.charges.append(charge)
        charge.sitting.charged = True

    def take_fee(self, charge: ReplayedCharge, entry: EntryRecord, evidence: Fee) -> None:
        evidence = remembered(evidence)
        charge.paid = ReplayedPayment(entry["id"], entry["kind"], entry["recorded_at"], evidence)
        self.unpaid.pop(charge.id, None)
        if self.find(charge.session) is None:
            self.charges.pop(charge.id, None)

    def reopen_fee(self, charge: ReplayedCharge) -> None:
        charge.paid, charge.reopened = None, True
        self.unpaid[charge.id] = charge

    def owes(self, charge: ReplayedCharge) -> bool:
        """Return whether a charge is owed by now (R61)."""
        table = self.find(charge.session)
        if table is None or charge.body["round_id"] is not None or charge.uncollected is not None:
            return True
        person = self.person(charge.sitting.player)
        stays = [
            (moment(one.entered_at), None if one.left_at is None else moment(one.left_at))
            for one in table.sittings.values()
            if self.person(one.player) == person
        ]
        return is_owed((at for at, _ in charge.down.rounds), stays)

    def open_fees(self, player: int) -> list[ReplayedCharge]:
        person = self.person(player)
        return [
            charge
            for charge in self.unpaid.values()
            if self.person(charge.sitting.player) == person and self.owes(charge)
        ]

    @property
    def fees_known(self) -> bool:
        """Whether no unknown fee can be open in the house: every table was opened and is judged."""
        return self.whole and not self.stopped
