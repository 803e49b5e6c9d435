"""The check of seats: who sits where with which chips, who is dealt in, what tables are opened with, and claims. Pure.

Beside rounds and charges, which have checks of their own: buy-ins within their bounds, add-ons, moves and leaving with the
whole stack, seats and the reasons to wait, the way of the buttons, boxes, corrections as they were asked for, and the claims that they leave. One
record that is wrong gives one finding; a table of which something cannot be read is not judged any further, and counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from ledger.audit.findings import UNREADABLE, Finding, name_of, unreadable
from tables.audit import (
    between,
    by_hand,
    chip_corrections,
    claims,
    openings,
    rates,
    sitting_down,
    starts,
    unpaid,
)
from tables.audit.house import moment
from tables.audit.seatings import Body, Fee, Floor, Mark, Problem, Problems, Table, kind_of
from tables.rules.errors import BadSheet
from tables.rules.game.sheet import Sheet, parse_sheet
from tables.rules.table.downs import Stop

AtTable = Callable[[Floor, Table, int, Body], Problems]

_HANDLERS: Final[dict[str, AtTable]] = {
    "table_event seated": sitting_down.seated,
    "table_event left": sitting_down.left,
    "table_event sat_out": sitting_down.sat_out,
    "table_event returned": sitting_down.sat_out,
    "table_event round_started": starts.round_started,
    "table_event round_voided": starts.round_voided,
    "table_event correction_asked": claims.asked,
    "table_event correction_refused": claims.asked,
    "table_event hand_settlement_asked": by_hand.asked,
    "table_event hand_settlement_refused": by_hand.refused,
    "table_event time_called": between.time_called,
    "table_event chips_counted": between.chips_counted,
    "table_event box_changed": openings.box_changed,
    "table_event pushed": openings.pushed,
    "table_event match_called_off": claims.called_off,
    "table_event rate_announced": rates.announced,
    "table_event rate_withdrawn": rates.withdrawn,
    "table_event rate_changed": rates.changed,
    "table_event fee_uncollected": unpaid.uncollected,
    "table_event must_move_set": openings.must_move_set,
    "table_event closed": openings.closed,
    "entry buy_in": sitting_down.buy_in,
    "entry add_on": sitting_down.add_on,
    "entry cash_out": sitting_down.cash_out,
    "entry toke": between.toke,
    "entry round": claims.settled,
    "entry hand_settlement": by_hand.settled,
    "entry correction": claims.correction,
    "entry bank_return": openings.bank_return,
}
_ENTRIES: Final = frozenset(
    ("buy_in", "add_on", "cash_out", "toke", "round", "hand_settlement", "correction", "bank_return")
)
_OF_HOUSE: Final = frozenset(("house_event", "schedule", "closed_day", "count", "sign_off", "withheld"))
_SETTLES: Final = frozenset(("round", "hand_settlement", "correction"))
_OLDER: Final = "records of tables opened before these records, whose seats are not judged"
_LOST: Final = "records of tables whose seats could not be judged any further"


class SeatsCheck:
    """See above. `sheets`: the bytes of every sheet by code and version. `whole`: the records begin with the first leaf.

    Tables are remembered from their opening until some time after their closing.
    """

    def __init__(self, sheets: Mapping[tuple[str, int], bytes], *, whole: bool) -> None:
        self._floor = Floor(_readable(sheets), whole)
        self.checked = self._floor.checked

    def take(self, place: int, body: Mapping[str, Any]) -> Iterable[Finding]:
        """What is wrong with this record, seen after those before it."""
        problems: list[Problem] = []
        try:
            self._take(place, body, problems)
        except UNREADABLE as error:
            self._lose(body)
            return _findings(place, body, problems) or [unreadable(place, body, error)]
        return _findings(place, body, problems) if problems else ()

    def finish(self) -> Iterable[Finding]:
        """What the last records promised, and nothing kept."""
        tables = (*self._floor.tables.values(), *self._floor.closed.values())
        awaited = [table.awaits for table in tables if table.awaits is not None and not table.lost]
        return [Finding(one.code, one.sentence, one.mark.place, one.mark.record) for one in awaited]

    def _take(self, place: int, body: Body, problems: list[Problem]) -> None:
        floor, record = self._floor, body["record"]
        if record in _OF_HOUSE:
            self._of_house(body)
        elif record in ("down", "charge"):
            self._follow(body, problems)
        elif record == "claim":
            table = claims.table_of_claim(floor, body)
            if table is None and floor.whole and floor.claims_sure and not floor.forgotten:
                problems.append(Problem("no_claim", "No correction left this claim (R58)."))
            elif table is not None:
                self._at(table, claims.claim, place, body, problems)
        elif record == "entry":
            self._entry(place, body, problems)
        elif body["kind"] == "opened":
            problems += openings.opened(floor, place, body)
        elif body["kind"] in ("clock_stopped", "clock_started"):
            self._follow(body, problems)
        else:
            self._at(floor.find(body["session"]), _HANDLERS[kind_of(body)], place, body, problems)

    def _of_house(self, body: Body) -> None:
        house = self._floor.house
        match body["record"], body.get("kind"):
            case "house_event", "house_opened" | "house_changed":
                house.set_up(body["data"])
            case "house_event", "box_installed":
                data = body["data"]
                house.boxes[data["number"]] = (data["chips"], data["cash"])
            case "house_event", "box_pulled":
                house.boxes.pop(body["data"]["number"], None)
            case "schedule", _:
                house.rates[body["id"]] = dict(body)

    def _entry(self, place: int, body: Body, problems: list[Problem]) -> None:
        floor, kind, said = self._floor, body["kind"], body["evidence"]
        if kind == "correction" and "of" in said:
            table = chip_corrections.table_of(floor, said)
            if table is None:
                floor.move(body["transfers"])  # it may have moved a stack of another table
            self._at(table, chip_corrections.correction, place, body, problems)
        elif kind in _ENTRIES:
            if kind == "correction" and "session" not in said:
                return
            floor.claims_sure = floor.claims_sure and kind != "correction"
            anew = kind == "correction" and said.get("by_hand") is True
            handle = by_hand.settled_anew if anew else _HANDLERS[kind_of(body)]
            self._at(floor.find(said["session"]), handle, place, body, problems)
        elif kind == "table_move":
            table = floor.find(said["session"])
            if table is None or table.lost:
                problems += sitting_down.table_move(floor, None, place, body)
            else:
                self._at(table, sitting_down.table_move, place, body, problems)
        elif kind == "reversal":
            tables = (*floor.tables.values(), *floor.closed.values())
            number = body["reverses"]
            table = next((one for one in tables if number in one.settled or number in one.chips), None)
            if table is None:
                floor.move(body["transfers"])
            else:
                takes_back = claims.reversal if number in table.settled else chip_corrections.reversal
                self._at(table, takes_back, place, body, problems)
        elif kind == "bank_fill":
            problems += openings.bank_fill(floor, place, body)
        elif kind == "toke_payout":
            problems += between.toke_payout(floor, body)
        elif kind in ("collection", "waiver"):
            self._follow(body, problems)

    def _follow(self, body: Body, problems: list[Problem]) -> None:
        """What the check of charges judges: here it is only taken over."""
        floor, record = self._floor, body["record"]
        said = body["evidence"] if record == "entry" else body
        table = floor.find(said["session"])
        if table is None or table.lost:
            return
        self._before(table, body, problems)
        if record == "down":
            table.down = (body["id"], body["started_at"])
            if table.stops and table.stops[-1].end is None:
                table.stops[-1] = Stop(table.stops[-1].start, moment(body["started_at"]))
        elif record == "charge":
            sitting = table.sittings.get(body["sitting"])
            player = body["player"] if sitting is None else sitting.player
            table.fees[body["id"]] = Fee(body["id"], body["sitting"], body["down"], player, body["cents"])
            table.late_fee = True
        elif record == "entry":
            self._take_fee(table, said, body)
        elif body["kind"] == "clock_stopped":
            table.stops.append(Stop(moment(body["at"])))
        elif table.stops:
            table.stops[-1] = Stop(table.stops[-1].start, moment(body["at"]))

    def _take_fee(self, table: Table, said: Body, body: Body) -> None:
        alike = [
            fee.id
            for fee in table.fees.values()
            if (fee.sitting, fee.down) == (said["sitting"], said["down"])
        ]
        number = said["charge"] if said["charge"] in table.fees else next(iter(alike), None)
        fee = table.fees.pop(number, None) if number is not None else None
        taken = [line["cents"] for line in body["transfers"]]
        if fee is None or taken != ([fee.cents] if fee.cents and said["method"] != "waived" else []):
            self._floor.doubt(body["transfers"], table.sittings.get(said["sitting"]))
        self._floor.move(body["transfers"])

    def _at(
        self, table: Table | None, handle: AtTable, place: int, body: Body, problems: list[Problem]
    ) -> None:
        floor = self._floor
        if table is None:
            if floor.whole and not floor.forgotten and body["kind"] not in _SETTLES:
                problems.append(Problem("unknown_table", "Its table had not been opened."))
            floor.count(_OLDER)
        elif table.lost:
            floor.count(_LOST)
            if kind_of(body) == "table_event closed":
                floor.close(table)
        else:
            self._before(table, body, problems)
            problems += handle(floor, table, place, body)

    def _before(self, table: Table, body: Body, problems: list[Problem]) -> None:
        """Whether something else had to come first."""
        problems += rates.next_record(table, body)
        awaited = table.awaits
        if awaited is not None and kind_of(body) not in awaited.kinds:
            problems.append(Problem(awaited.code, awaited.sentence, awaited.mark))
            table.awaits = table.due = table.taken_back = None
            table.taken_chips.clear()
            table.doubt()

    def _lose(self, body: Body) -> None:
        """Judge a table no further: something of it could not be read."""
        for holder in (body, body.get("evidence"), body.get("data")):
            for name in ("session", "to_session"):
                table = self._floor.find(holder.get(name)) if isinstance(holder, dict) else None
                if table is not None:
                    table.lost = True


def _readable(sheets: Mapping[tuple[str, int], bytes]) -> dict[tuple[str, int], Sheet]:
    """The sheets; one that is none is left out, and what it says of dealing is not asked."""
    found = {}
    for (code, version), data in sheets.items():
        try:
            found[code, version] = parse_sheet(data, f"{code}.toml")
        except BadSheet:
            continue
    return found


def _findings(place: int, body: Body, problems: list[Problem]) -> list[Finding]:
    """One finding for each record that is accused, the first one."""
    found: dict[Mark, Finding] = {}
    own = Mark(place, name_of(body))
    for problem in problems:
        mark = problem.mark or own
        found.setdefault(mark, Finding(problem.code, problem.sentence, mark.place, mark.record))
    return list(found.values())
