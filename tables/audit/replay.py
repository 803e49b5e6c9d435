"""The log replayed: one room, one dispatch by the kind of record, and the findings about each. Pure. A
session is judged up to its first contradiction. The contradiction is named, and one finding says how many
later records were not judged; other sessions are judged on."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from ledger.records.findings import UNREADABLE, Body, Finding, unreadable
from tables.audit import (
    cash_papers as _papers,  # noqa: F401 (a replay knows what the floor declares)
    reconciling as _reconciling,  # noqa: F401
    records as _records,  # noqa: F401
    table_papers as _table_papers,  # noqa: F401
)
from tables.audit.floor.floor import Floor
from tables.audit.floor.runners import SignedBy
from tables.audit.floor.sitting import ReplayedSitting
from tables.audit.floor.table import ReplayedTable
from tables.audit.judging import (
    between,
    charges,
    chip_corrections,
    collections,
    downs,
    handovers,
    keeping,
    leaving,
    moments,
    orders,
    places,
    rates,
    requests,
    rounds,
    series,
    sessions,
    sitting_down,
    starts,
    taking_back,
)
from tables.audit.judging.contradiction import Contradiction, concerned
from tables.rules.game.sheet import Library, parse_sheet

Sheets = Mapping[tuple[str, int], bytes | None]


class Judging(NamedTuple):
    """The judge of a kind of record at its table, and the word under which such records are counted. It is
    called with the record and with its data or evidence, and raises `Contradiction`."""

    judge: Callable[[Floor, ReplayedTable, Any, Any], None]
    counted: str = ""


_EVENTS: Final = {
    "seated": Judging(sitting_down.seated),
    "left": Judging(leaving.left),
    "seat_changed": Judging(sitting_down.seat_changed),
    "sat_out": Judging(sitting_down.sat_out),
    "returned": Judging(sitting_down.sat_out),
    "round_started": Judging(starts.round_started, "rounds begun"),
    "round_handed_in": Judging(requests.round_handed_in, "rounds sent for another"),
    "round_voided": Judging(starts.round_voided),
    "match_called_off": Judging(starts.match_called_off),
    "correction_asked": Judging(requests.correction),
    "correction_refused": Judging(requests.correction),
    "hand_settlement_asked": Judging(requests.by_hand),
    "hand_settlement_refused": Judging(requests.by_hand_refused),
    "time_called": Judging(between.time_called, "times called"),
    "chips_counted": Judging(between.chips_counted, "chip counts"),
    "fee_uncollected": Judging(collections.uncollected, "uncollected fees"),
    "claim_paid": Judging(requests.claim_paid),
    "box_changed": Judging(sessions.box_changed),
    "pushed": Judging(sessions.pushed),
    "rate_announced": Judging(rates.announced, "changes of rate announced"),
    "rate_withdrawn": Judging(rates.withdrawn),
    "rate_changed": Judging(rates.changed),
    "clock_stopped": Judging(downs.clock_stopped),
    "clock_started": Judging(downs.clock_started),
    "must_move_set": Judging(sessions.must_move_set),
    "closed": Judging(sessions.closed),
}
_ENTRIES: Final = {
    "buy_in": Judging(sitting_down.buy_in, "buy-ins"),
    "add_on": Judging(sitting_down.add_on, "add-ons"),
    "cash_out": Judging(leaving.cash_out, "cash-outs"),
    "toke": Judging(between.toke, "tokes"),
    "bank_count": Judging(sessions.bank_count),
}
_DOWN: Final = Judging(downs.down, "downs")
_CHARGE: Final = Judging(charges.charged, "charges")
_SETTLED: Final = Judging(rounds.settled)
_CORRECTED: Final = Judging(chip_corrections.correction, "chips corrected")
_CHIPS_BACK: Final = Judging(chip_corrections.reversal)
_TOKE_BACK: Final = Judging(taking_back.toke, "tokes undone")
_FEE_BACK: Final = Judging(taking_back.fee, "fees taken back")
_ROUND_BACK: Final = Judging(requests.round_reversed)
_COLLECTED: Final = Judging(collections.collected)
_CLAIMED: Final = Judging(requests.claimed, "claims")
_AFTER_CLOSING: Final = frozenset(
    (
        *("correction_asked", "correction_refused", "hand_settlement_asked", "hand_settlement_refused"),
        *("match_called_off", "claim_paid", "reversal", "correction", "collection", "waiver", "claim"),
        "fee_uncollected",
    )
)
"""The kinds of events and entries that may still come at a closed table."""
_OWN_MOMENT: Final = frozenset(("seated", "round_started", "rate_changed", "clock_stopped", "clock_started"))
"""Events whose own judge checks their time; all others must happen when they are recorded."""
_OF_HOUSE: Final = (
    *("house_event", "rate", "closed_day", "closed_shift", "sign_off", "bank_sign_off", "withheld"),
    *("count_sheet", "count", "count_note", "count_sheet_signed", "count_sheet_received", "box_received"),
    "struck_count",
    *("drawer", "cage_slip", "cage_slip_result", "document_box", "document_step", "player_change"),
)
_FEES: Final = ("collection", "waiver")
_SETTLES: Final = frozenset(("round", "hand_settlement", "correction"))
_MOVES_STACKS: Final = _SETTLES.union(
    (*_FEES, "buy_in", "add_on", "cash_out", "table_move", "toke", "reversal", "undo")
)
"""Entries that may move stacks; the check of the books reports others."""
_AT_NO_TABLE: Final[Mapping[str, Callable[[Floor, Any], None]]] = {
    "player_merge": between.merged,
    "document": sessions.bank_document,
    **dict.fromkeys(("dispute", "dispute_decision"), requests.disputed),
}
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
        self._signed_by = SignedBy()
        self._orders = orders.Orders()
        self.checked = self._floor.checked
        self.checked |= dict.fromkeys(_COUNTED, 0)

    def take(self, leaf: int, body: Body) -> Iterable[Finding]:
        floor = self._floor
        floor.leaf = leaf
        try:
            gap = series.wrong_number(floor, body)
            signed = self._signed_by.take(body)
            ordered = self._orders.take(body, floor.house, whole=floor.whole)
            if (judge := _AT_NO_TABLE.get(body["record"])) is not None:
                judge(floor, body)
            else:
                _BY_RECORD[body["record"]](self, body)
            if gap:
                raise Contradiction("number_gap", gap)
            if signed:
                raise Contradiction(*signed)
            if ordered:
                raise Contradiction("order_differs", ordered)
        except Contradiction as wrong:
            return [self._stop(body, wrong)]
        except UNREADABLE as error:
            floor.stop(concerned(floor, body), floor.mark(body))
            return [unreadable(leaf, body, error)]
        return ()

    def finish(self) -> Iterable[Finding]:
        """Report records that were due but missing at the end of the log, and what was not judged."""
        floor = self._floor
        for table in list(floor.every()):
            try:
                if (awaited := table.awaits) is not None:
                    raise Contradiction(awaited.code, awaited.sentence, awaited.mark)
                charges.all_dealt(table, None)
            except Contradiction as wrong:
                yield Finding(wrong.code, wrong.sentence, *(wrong.mark or ()))
        for session, stopped in floor.stopped.items():
            if stopped.records:
                yield stopped.finding(session)

    def seated(self) -> Iterator[ReplayedSitting]:
        for table in self._floor.tables.values():
            yield from table.seats.values()

    def _stop(self, body: Body, wrong: Contradiction) -> Finding:
        """Stop the sessions that a wrong record concerns. If an earlier one is at fault, this one was not
        judged."""
        floor = self._floor
        mark, stopping = wrong.mark or floor.mark(body), concerned(floor, body)
        floor.stop(stopping, mark)
        for session in stopping if wrong.mark is not None else ():
            floor.stopped[session].take(body)
        return Finding(wrong.code, wrong.sentence, *mark)

    # -- one dispatch ----------------------------------------------------------------------------------------

    def _at(self, table: ReplayedTable | None, judging: Judging, body: Any, evidence: Any) -> None:
        """Judge a record at its table: its order, its content, its time."""
        if table is None:
            self._unjudged(body, (body["evidence"] if body["record"] == "entry" else body).get("session"))
            return
        if judging.counted:
            self._floor.count(judging.counted)
        if table.session in self._floor.closed and body.get("kind", body["record"]) not in _AFTER_CLOSING:
            raise Contradiction("unknown_table", "Its table had closed.")
        moments.in_turn(table, body)
        judging.judge(self._floor, table, body, evidence)
        if body["record"] == "table_event" and body["kind"] not in _OWN_MOMENT:
            moments.happened_when_recorded(body)
        moments.in_order(table, body)

    def _unjudged(self, body: Any, session: int) -> None:
        if not self._floor.is_unknown(session):
            raise Contradiction("unknown_table", "Its table had not been opened, or had closed.")
        self._floor.leave_unjudged(session, body)

    def _event(self, body: Any) -> None:
        floor, kind, session = self._floor, body["kind"], body["session"]
        if kind == "opened" and session not in floor.stopped:
            sessions.opened(floor, body, body["data"])
        else:
            self._at(floor.find(session), _EVENTS[kind], body, body["data"])

    def _down(self, body: Any) -> None:
        self._at(self._floor.find(body["session"]), _DOWN, body, body)

    def _charge(self, body: Any) -> None:
        known = (table for table in self._floor.every() if body["sitting"] in table.sittings)
        self._at(self._floor.find(body["session"]) or next(known, None), _CHARGE, body, body)

    def _claim(self, body: Any) -> None:
        floor, round_id = self._floor, body["round_id"]
        waiting = [table for table in floor.every() if table.due is not None]
        own = [table for table in floor.every() if round_id in table.rounds]
        stopped = next((one for one in floor.stopped.values() if round_id in one.rounds), None)
        if stopped is not None:
            stopped.take(body)
        elif own or waiting:
            self._at((own or waiting)[0], _CLAIMED, body, body)
        elif floor.whole and not floor.forgotten and not floor.stopped:
            raise Contradiction("no_claim", "No correction left this claim (R58).")

    def _of_house(self, body: Any) -> None:
        if body.get("kind") == "place_changed":
            places.changed(self._floor, body["actor"], body["data"], body["recorded_at"])
        elif body.get("kind") == "handed_over":
            handovers.handed(self._floor, body)
        else:
            keeping.changed(self._floor, body)

    # -- entries ---------------------------------------------------------------------------------------------

    def _entry(self, body: Any) -> None:
        floor, kind, evidence = self._floor, body["kind"], body["evidence"]
        if kind in _ENTRIES:
            self._at(floor.find(evidence["session"]), _ENTRIES[kind], body, evidence)
        elif kind in _SETTLES and "round_id" in evidence:
            self._settlement(body, evidence)
        elif kind == "correction" and "of" in evidence:
            taken = (table for table in floor.every() if evidence["corrects"] in table.reversed_chips)
            self._at(next(taken, None) or floor.find(evidence["session"]), _CORRECTED, body, evidence)
        elif kind in _SETTLES:
            raise Contradiction("bad_record", "It does not say what it settles or corrects.")
        elif kind in _FEES:
            self._collection(body, evidence)
        elif kind in ("reversal", "undo"):
            self._taken_back(body, evidence)
        elif kind == "table_move":
            self._table_move(body, evidence)
        elif kind == "toke_payout":
            between.toke_payout(floor, body, evidence)
        if kind in _MOVES_STACKS:
            floor.move(body)

    def _settlement(self, body: Any, evidence: Any) -> None:
        floor, session = self._floor, evidence["session"]
        known = (table for table in floor.every() if evidence["round_id"] in table.rounds)
        table = floor.find(session) or next(known, None)
        self._at(table, _SETTLED, body, evidence)
        if table is None and session not in floor.stopped:
            rounds.settled_elsewhere(floor, evidence)

    def _collection(self, body: Any, evidence: Any) -> None:
        floor, session = self._floor, evidence["session"]
        table, charge = floor.find(session), floor.charges.get(evidence["charge"])
        if table is None and charge is not None and charge.session == session:
            collections.collected(floor, None, body, evidence)
            return
        self._at(table, _COLLECTED, body, evidence)
        if table is None and charge is not None:
            floor.take_fee(charge, body, evidence)

    def _taken_back(self, body: Any, evidence: Any) -> None:
        """Judge what is taken back at a table: a fee, chips or a settlement. The books judge the window."""
        floor, number = self._floor, body["reverses"]
        if evidence.get("of") in _FEES:
            table, charge = floor.find(evidence["session"]), floor.charges.get(evidence["charge"])
            self._at(table, _FEE_BACK, body, evidence)
            if table is None and charge is not None:
                floor.reopen_fee(charge)
        elif "round_id" in evidence:
            of_entry = (table for table in floor.every() if table.round_of(number) is not None)
            round_id = evidence["round_id"]
            of_id = (table for table in floor.every() if round_id in table.rounds)
            table = next(of_id, None) or next(of_entry, None)
            stopped = next(
                (one for one in floor.stopped.values() if evidence["round_id"] in one.rounds), None
            )
            if table is not None:
                self._at(table, _ROUND_BACK, body, evidence)
            elif stopped is not None:
                stopped.take(body)
        elif "session" in evidence:
            known = (table for table in floor.every() if number in table.chips)
            judging = _TOKE_BACK if body["kind"] == "undo" else _CHIPS_BACK
            self._at(next(known, None) or floor.find(evidence["session"]), judging, body, evidence)

    def _table_move(self, body: Any, evidence: Any) -> None:
        """Judge each half of a move whose table is judged."""
        floor = self._floor
        old, new = floor.find(evidence["session"]), floor.find(evidence["to_session"])
        for session, table in ((evidence["session"], old), (evidence["to_session"], new)):
            if table is None:
                self._unjudged(body, session)
            else:
                moments.in_turn(table, body)
        if old is None and new is None:
            return
        floor.count("moves between tables")
        leaving.table_move(floor, old, new, body, evidence)
        if old is not None:
            moments.in_order(old, body)


_BY_RECORD: Final[Mapping[str, Callable[[Replay, Body], None]]] = {
    "entry": Replay._entry,
    "table_event": Replay._event,
    "down": Replay._down,
    "charge": Replay._charge,
    "claim": Replay._claim,
    **dict.fromkeys(_OF_HOUSE, Replay._of_house),
}
