"""The log replayed: one room, one dispatch by the kind of record, and the findings about each. Pure. A
wrong record gives one finding and is believed as far as it may be right, so that no later record is
reported for it. After an unreadable record its table is not judged further, and counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from ledger.records.findings import UNREADABLE, Finding, name_of, unreadable
from tables.audit import papers as _papers  # noqa: F401 (whoever replays a log knows what the floor declares)
from tables.audit import records as _records  # noqa: F401
from tables.audit.floor.floor import Floor, Problem, Problems, kind_of
from tables.audit.floor.sitting import Body, Mark, ReplayedSitting
from tables.audit.floor.table import ReplayedTable
from tables.audit.judging import (
    between,
    charges,
    chip_corrections,
    collections,
    leaving,
    moments,
    places,
    rates,
    requests,
    rounds,
    sessions,
    sitting_down,
    starts,
    taking_back,
)
from tables.rules.game.sheet import Library, parse_sheet

Sheets = Mapping[tuple[str, int], bytes | None]


class Judging(NamedTuple):
    """The judge of a kind of record at its table, and the word under which such records are counted."""

    judge: Callable[[Floor, ReplayedTable, Body], Problems]
    counted: str = ""


_AT_TABLE: Final = {
    "table_event seated": Judging(sitting_down.seated),
    "table_event left": Judging(leaving.left),
    "table_event seat_changed": Judging(sitting_down.seat_changed),
    "table_event sat_out": Judging(sitting_down.sat_out),
    "table_event returned": Judging(sitting_down.sat_out),
    "table_event round_started": Judging(starts.round_started, "rounds begun"),
    "table_event round_voided": Judging(starts.round_voided),
    "table_event match_called_off": Judging(starts.match_called_off),
    "table_event correction_asked": Judging(requests.correction),
    "table_event correction_refused": Judging(requests.correction),
    "table_event hand_settlement_asked": Judging(requests.by_hand),
    "table_event hand_settlement_refused": Judging(requests.by_hand_refused),
    "table_event time_called": Judging(between.time_called, "times called"),
    "table_event chips_counted": Judging(between.chips_counted, "chip counts"),
    "table_event fee_uncollected": Judging(collections.uncollected, "uncollected fees"),
    "table_event claim_paid": Judging(requests.claim_paid),
    "table_event box_changed": Judging(sessions.box_changed),
    "table_event pushed": Judging(sessions.pushed),
    "table_event rate_announced": Judging(rates.announced, "changes of rate announced"),
    "table_event rate_withdrawn": Judging(rates.withdrawn),
    "table_event rate_changed": Judging(rates.changed),
    "table_event clock_stopped": Judging(charges.clock_changed),
    "table_event clock_started": Judging(charges.clock_changed),
    "table_event must_move_set": Judging(sessions.must_move_set),
    "table_event closed": Judging(sessions.closed),
    "down": Judging(charges.down, "downs"),
    "charge": Judging(charges.charged, "charges"),
    "entry buy_in": Judging(sitting_down.buy_in, "buy-ins"),
    "entry add_on": Judging(sitting_down.add_on, "add-ons"),
    "entry cash_out": Judging(leaving.cash_out, "cash-outs"),
    "entry table_move": Judging(leaving.table_move, "moves between tables"),
    "entry toke": Judging(between.toke, "tokes"),
    "entry bank_return": Judging(sessions.bank_return),
}
_OWN_MOMENT: Final = frozenset(("seated", "round_started", "rate_changed", "clock_stopped", "clock_started"))
"""Events whose own judge checks their time; all others must happen when they are recorded."""
_CLAIMED: Final = Judging(requests.claimed, "claims")
_CHIPS_BACK: Final = Judging(chip_corrections.reversal)
_CHIPS_AGAIN: Final = Judging(chip_corrections.correction, "chips corrected")
_TOKE_BACK: Final = Judging(taking_back.toke, "tokes undone")
_OF_HOUSE: Final = frozenset(
    (
        *("house_event", "rate", "closed_day", "count", "sign_off", "withheld"),
        *("cage_slip", "cage_slip_result", "player_change"),
    )
)
_SETTLES: Final = frozenset(("round", "hand_settlement", "correction"))
_MOVES_STACKS: Final = _SETTLES.union(
    ("buy_in", "add_on", "cash_out", "table_move", "toke", "collection", "waiver", "reversal", "undo")
)
"""Entries that may move stacks; the check of the books reports others."""
_OLDER: Final = "records of tables opened before this part of the log, which are not judged"
_LOST: Final = "records of tables that could not be judged any further"
_COUNTED: Final = ("charges", "collections", "downs", "fees due at a round", rounds.SCORED, rounds.FOLLOWED)


class Replay:
    """The check of everything at the tables. `sheets`: the bytes of each game sheet by code and version, None
    if unreadable. `whole`: the records begin with the first leaf. Tables are remembered until some time after
    they close, fees until they are paid."""

    def __init__(self, sheets: Sheets, *, whole: bool) -> None:
        read = {
            key: None if data is None else parse_sheet(data, f"{key[0]}.toml") for key, data in sheets.items()
        }
        libraries = {key: Library.of(sheet) for key, sheet in read.items() if sheet is not None}
        self._floor = Floor(read, whole, libraries)
        self.checked = self._floor.checked
        self.checked |= dict.fromkeys(_COUNTED, 0)

    def take(self, leaf: int, body: Body) -> Iterable[Finding]:
        problems: list[Problem] = []
        floor = self._floor
        floor.leaf = leaf
        try:
            floor.gap = collections.wrong_number(floor, body)
            problems.extend(self._judged(body))
            if floor.gap:
                problems.append(Problem("number_gap", floor.gap))
            if body["record"] == "entry" and body["kind"] in _MOVES_STACKS:
                floor.move(body)
        except UNREADABLE as error:
            self._lose(body)
            return _findings(leaf, body, problems) or [unreadable(leaf, body, error)]
        return _findings(leaf, body, problems) if problems else ()

    def finish(self) -> Iterable[Finding]:
        """Report promises at the end of the log without the record that keeps them."""
        problems = [
            Problem(table.awaits.code, table.awaits.sentence, table.awaits.mark)
            for table in self._floor.every()
            if table.awaits is not None and not table.lost
        ]
        for table in self._floor.tables.values():
            problems += charges.never_dealt(table, None) if not table.lost else ()
        return _findings(0, {}, problems)

    def seated(self) -> Iterator[ReplayedSitting]:
        for table in self._floor.tables.values():
            if not table.lost:
                yield from (sitting for sitting in table.seats.values() if sitting.sure)

    # -- one dispatch ----------------------------------------------------------------------------------------

    def _judged(self, body: Body) -> Iterable[Problem]:
        floor, record = self._floor, body["record"]
        if record == "entry":
            return self._entry(body)
        if record == "charge":
            return self._at(charges.table_of(floor, body), _AT_TABLE[record], body)
        if record in ("table_event", "down"):
            if body.get("kind") == "opened":
                return sessions.opened(floor, body)
            return self._at(floor.find(body["session"]), _AT_TABLE[kind_of(body)], body)
        if record == "claim":
            return self._claim(body)
        if record == "player_merge":
            floor.count("merged players")
            return between.merged(floor, body)
        if record not in _OF_HOUSE:
            raise LookupError(record)
        floor.house.take(body)
        return places.changed(floor, body) if body.get("kind") == "place_changed" else ()

    def _entry(self, body: Body) -> Iterable[Problem]:
        floor, kind, said = self._floor, body["kind"], body["evidence"]
        if kind in _SETTLES and "round_id" in said:
            return self._settlement(body)
        if kind in ("collection", "waiver"):
            return self._collection(body)
        if kind in ("reversal", "undo"):
            return self._reversal(body)
        if kind == "correction" and "of" in said:
            return self._at(chip_corrections.table_of(floor, said), _CHIPS_AGAIN, body)
        if kind == "bank_fill":
            return sessions.bank_fill(floor, body)
        if kind == "toke_payout":
            return between.toke_payout(floor, body)
        if kind in _SETTLES:
            return (Problem("bad_record", "It does not say what it settles or corrects."),)
        if (judging := _AT_TABLE.get(f"entry {kind}")) is None:
            return ()
        table = floor.find(said["session"])
        if kind == "table_move" and (table is None or table.lost):
            floor.count(judging.counted)
            return leaving.table_move(floor, None, body)
        return self._at(table, judging, body)

    def _at(self, table: ReplayedTable | None, judging: Judging, body: Body) -> Iterable[Problem]:
        floor = self._floor
        if table is not None and not table.lost:
            if judging.counted:
                floor.count(judging.counted)
            return _in_order(table, body, judging.judge(floor, table, body))
        if table is None:
            return self._unknown(body)
        floor.count(_LOST)
        if kind_of(body) == "table_event closed":
            floor.close(table)
        return ()

    def _unknown(self, body: Body) -> Problems:
        """Judge a record of a table that no record has opened."""
        floor, session = self._floor, _session_of(body)
        floor.count(_OLDER)
        if not floor.whole or session in floor.forgotten:
            return
        fees = body["record"] in ("down", "charge") or body.get("kind") in ("collection", "waiver")
        if fees and session in floor.unknown:
            return  # reported once
        floor.unknown.add(session)
        if body.get("kind") == "round_started":
            floor.strays.add(body["data"]["round_id"])
        yield Problem("unknown_table", "Its table had not been opened, or had closed.")

    # -- records whose table is found in another way ---------------------------------------------------------

    def _settlement(self, body: Body) -> Iterable[Problem]:
        table, round_ = rounds.dealt(self._floor, body["evidence"])
        if table is None or round_ is None or table.lost:
            return rounds.settled_alone(self._floor, table, body)
        return _in_order(table, body, rounds.settled(self._floor, table, round_, body))

    def _reversal(self, body: Body) -> Iterable[Problem]:
        floor, number, round_id = self._floor, body["reverses"], body["evidence"].get("round_id")
        if body["evidence"].get("of") in taking_back.FEES:
            return self._fee_taken_back(body)
        for table in floor.every():
            if number in table.chips and round_id is None:
                return self._at(table, _TOKE_BACK if body["kind"] == "undo" else _CHIPS_BACK, body)
            round_ = table.settled.get(number) or table.rounds.get(round_id)
            if round_ is not None and round_id is not None and not table.lost:
                return _in_order(table, body, requests.round_reversed(floor, table, round_, body))
        return ()

    def _collection(self, body: Body) -> Iterable[Problem]:
        floor, told = self._floor, body["evidence"]
        charge, table = floor.charges.get(told["charge"]), floor.find(told["session"])
        if charge is not None and charge.sure and not collections.followed(told):
            table = charge.table
        if table is None and charge is None:
            return self._unknown(body)
        if table is not None and table.lost:
            floor.count(_LOST)
            if charge is not None:
                floor.take_fee(charge, body)
            return ()
        judged = collections.collected(floor, table, charge, body)
        return judged if table is None else _in_order(table, body, judged)

    def _fee_taken_back(self, body: Body) -> Iterable[Problem]:
        floor, said = self._floor, body["evidence"]
        charge, table = floor.charges.get(said["charge"]), floor.find(said["session"])
        if table is None and charge is not None:
            table = charge.table
        if table is None or table.lost:
            floor.count(_OLDER if table is None else _LOST)
            floor.reopen_unknown(said["charge"])
            return ()
        floor.count("fees taken back")
        return _in_order(table, body, taking_back.fee(floor, table, charge, body))

    def _claim(self, body: Body) -> Iterable[Problem]:
        floor, table = self._floor, requests.table_of_claim(self._floor, body)
        if table is not None:
            return self._at(table, _CLAIMED, body)
        if floor.whole and floor.claims_sure and not floor.forgotten:
            return (Problem("no_claim", "No correction left this claim (R58)."),)
        return ()

    # -- records that cannot be read -------------------------------------------------------------------------

    def _lose(self, body: Body) -> None:
        """Stop judging a table: something of it could not be read."""
        floor = self._floor
        floor.lost = True
        for holder in (body, body.get("evidence"), body.get("data")):
            for name in ("session", "to_session", "due_session"):
                session = holder.get(name) if isinstance(holder, dict) else None
                table = floor.find(session)
                if table is not None:
                    table.lost = True
                    for sitting in table.seats.values():
                        sitting.sure = False
                elif type(session) is int:
                    floor.unknown.add(session)
        if body.get("kind") == "correction":
            floor.claims_sure = False
        if body.get("record") == "charge" and type(body.get("id")) is int:
            floor.charges.setdefault(body["id"], None)


def _in_order(table: ReplayedTable, body: Body, judged: Problems) -> Problems:
    """Judge a record of a table: missing predecessors, the record itself, its time."""
    yield from _before(table, body)
    yield from judged
    if body["record"] == "table_event" and body["kind"] not in _OWN_MOMENT:
        yield from moments.wrong_moment(body)
    yield from moments.out_of_turn(table, body)


def _before(table: ReplayedTable, body: Body) -> list[Problem]:
    problems = rates.next_record(table, body)
    awaited = table.awaits
    if awaited is not None and kind_of(body) not in awaited.kinds:
        problems.append(Problem(awaited.code, awaited.sentence, awaited.mark))
        table.due = table.reversed = None
        table.reversed_chips.clear()
        if (sitting := table.awaited_sitting()) is not None:
            sitting.sure = False
        table.awaits = None
        table.doubt()
    return problems


def _session_of(body: Body) -> object:
    said = body["evidence"] if body["record"] == "entry" else body
    return said.get("session")


def _findings(leaf: int, body: Body, problems: Iterable[Problem]) -> list[Finding]:
    found: dict[Mark, Finding] = {}
    own = Mark(leaf, name_of(body))
    for problem in problems:
        mark = problem.mark or own
        found.setdefault(mark, Finding(problem.code, problem.sentence, mark.leaf, mark.record))
    return list(found.values())
