"""Every charge and every collection of a log, worked out again from recorded times (R60-R65). Pure.

A charge has to say what follows from the down, the entry, the clock's stops and the schedule that were recorded before;
a collection takes a charge once, to the cent, from where and to where it is paid. Of whatever was accused the record's own
word is taken from then on: one wrong record is one finding. Which chips a stack holds is not known here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Final

from ledger.audit.findings import UNREADABLE, Finding, name_of, unreadable
from tables.audit.charged import (
    Body,
    Charge,
    Sitting,
    Table,
    accuse,
    change_rate,
    charged_for,
    leave,
    mark_charged,
    mark_unseated,
    mark_vague,
    never_dealt,
    note_charged,
    rate_in,
    seconds_of,
    take_over_accounts,
    wrong_names,
    wrong_payer,
    wrong_rate,
    wrong_round,
    wrong_transfers,
)
from tables.audit.house import House, moment, same_moment
from tables.audit.table_clock import Down, TableClock
from tables.audit.unpaid import REASONS, Serials, mark_uncollected, wrong_recovery, wrong_uncollected
from tables.rules.table import downs

KEPT: Final = timedelta(hours=24)
"""So long is known, after a table has closed, which of its charges were taken."""
FIGURES: Final = ("rule", "fee_cents", "cents", "down", "session")
IDS: Final = ("id", "session", "sitting", "player", "down", "down_id")
SCHEDULE: Final = ("id", "option", "version")


class ChargesCheck:
    """Works out every charge and collection again. `whole`: the log is read from its first leaf on.

    Kept are the open tables, those that closed within a day, and charges that nobody has taken yet.
    """

    def __init__(self, *, whole: bool) -> None:
        self.checked: dict[str, int] = {"charges": 0, "collections": 0, "downs": 0, "fees due at a round": 0}
        self._whole = whole
        self._house = House()
        self._serials = Serials(whole)
        self._tables: dict[int, Table] = {}
        self._charges: dict[int, Charge] = {}
        self._forgotten: deque[tuple[datetime, Table | None, list[int]]] = deque()
        self._unknown: set[object] = set()
        self._unseated: list[Charge] = []

    def take(self, place: int, body: Body) -> Iterator[Finding]:
        """What is wrong with this record, seen after those before it."""
        try:
            match body["record"]:
                case "charge":
                    yield from self._charge(place, body)
                case "down":
                    yield from self._down(place, body)
                case "table_event":
                    yield from self._event(place, body)
                case "entry" if body["kind"] in ("collection", "waiver"):
                    yield from self._collection(place, body)
                case "closed_day":
                    self._house.closed_day = max(self._house.closed_day, body["gaming_day"])
                case "house_event" if body["kind"] in ("house_opened", "house_changed"):
                    self._house.set_up(body["data"])
                case "house_event" if body["kind"] in REASONS:
                    self._serials.reason(body)
        except UNREADABLE as error:
            self._give_up(body)
            yield unreadable(place, body, error)

    def finish(self) -> Iterator[Finding]:
        """Charges to a sitting that no record has seated."""
        for table in [None, *self._tables.values()]:
            yield from self._never_seated(table)
        for table in self._tables.values():
            yield from never_dealt(table, None)

    def _give_up(self, body: Body) -> None:
        """What rests on a record that cannot be read is not accused for it."""
        id_, session, data = body.get("id"), body.get("session"), body.get("data")
        if body.get("record") == "charge" and type(id_) is int and id_ not in self._charges:
            self._charges[id_] = Charge(id_, 0, "", body, None, sure=False)
        table = self._tables.get(session) if type(session) is int else None
        if table and isinstance(data, Mapping) and type(data.get("sitting")) is int:
            table.accused.add(data["sitting"])
        elif table and body.get("record") == "down":
            table.clock.gap = True
        elif body.get("kind") == "opened" and type(session) is int:
            self._unknown.add(session)

    def _count(self, words: str) -> None:
        self.checked[words] = self.checked.get(words, 0) + 1

    # -- tables ----------------------------------------------------------------------------------------------------

    def _table(self, place: int, body: Body, session: Any) -> Iterator[Finding]:
        """Say once that no record has opened a table."""
        if not self._whole:
            self._count(f"records of tables opened before this part of the log ({body['record']})")
        elif session not in self._unknown:
            self._unknown.add(session)
            yield accuse(
                "table_unknown",
                f"No record before it opens session {session}, or it has closed.",
                place,
                body,
            )

    def _down(self, place: int, body: Body) -> Iterator[Finding]:
        table = self._tables.get(body["session"])
        if table is None:
            yield from self._table(place, body, body["session"])
            return
        self.checked["downs"] += 1
        wrong = table.clock.begin(body)
        down = table.clock.latest
        wrong_too = wrong_rate(table, down, body) if down is not None else ""
        wrong = wrong or wrong_too
        if wrong:
            yield accuse("down_differs", wrong, place, body)

    def _event(self, place: int, body: Body) -> Iterator[Finding]:
        kind, session, data = body["kind"], body["session"], body["data"]
        if kind == "opened":
            self._open(session, data)
            return
        table = self._tables.get(session)
        if table is None:
            yield from self._table(place, body, session)
            return
        match kind:
            case "seated":
                yield from self._seat(place, body, table)
            case "left":
                yield from leave(place, body, table)
            case "round_started":
                yield from self._round(place, body, table)
            case "clock_stopped" | "clock_started":
                wrong = table.clock.stop(body) if kind == "clock_stopped" else table.clock.go_on(body)
                if wrong:
                    yield accuse("clock_differs", wrong, place, body)
            case "fee_uncollected":
                yield from self._uncollected(place, body, table)
            case "rate_announced":
                table.announced = (rate_in(data),)
            case "rate_withdrawn":
                table.announced = ()
            case "rate_changed":
                change_rate(table, data)
            case "box_changed":
                table.box_chips, table.box_cash = {data["box_chips"]}, {data["box_cash"]}
            case "closed":
                yield from self._close(body, table)

    def _open(self, session: int, data: Body) -> None:
        boxes = {data["box_chips"]}, {data["box_cash"]}
        self._tables[session] = Table(session, (rate_in(data),), *boxes)

    def _close(self, body: Body, table: Table) -> Iterator[Finding]:
        """Slim a table that has closed, and forget those that did so long before."""
        yield from self._never_seated(table)
        yield from never_dealt(table, None)
        at = moment(body["recorded_at"])
        taken = [charge.id for charge in self._charges.values() if charge.table is table and charge.taken]
        table.clock, table.charged, table.seated = TableClock(lost=True), {}, {}
        self._forgotten.append((at, table, taken))
        self._forget(at)

    def _forget(self, now: datetime) -> None:
        while self._forgotten and self._forgotten[0][0] + KEPT < now:
            _, table, charges = self._forgotten.popleft()
            for id_ in charges:
                self._charges.pop(id_, None)
            if table is not None and self._tables.get(table.session) is table:
                del self._tables[table.session]

    # -- seats -----------------------------------------------------------------------------------------------------

    def _seat(self, place: int, body: Body, table: Table) -> Iterator[Finding]:
        data = body["data"]
        at, entered, recorded = moment(body["at"]), moment(data["entered_at"]), moment(body["recorded_at"])
        cover, wrong = data["covered_by"], ""
        expected = self._covers(table, data, at)
        if entered != at:
            wrong = (
                f"It says that the player entered at {data['entered_at']}, and that this was at {body['at']}."
            )
        elif at > recorded:
            wrong = f"The player entered at {body['at']}, after it was recorded."
        elif cover not in expected and "known" in expected:
            worked_out = next(iter(expected - {"known"}))
            wrong = (
                f"Charge {cover} covers the first fee; by R62 it is {worked_out} (None: it is not covered)."
            )
        mine = [charge for charge in self._unseated if charge.body["sitting"] == data["sitting"]]
        self._unseated = [charge for charge in self._unseated if charge not in mine]
        believed = recorded == entered or any(moment(charge.body["entered_at"]) == entered for charge in mine)
        sitting = Sitting(
            data["sitting"],
            data["seat"],
            data["player"],
            {data["stack"]},
            entered if believed else at,
            table,
            {cover, *(one for one in expected if one != "known")} if wrong else {cover},
        )
        table.sittings[sitting.id] = table.seated[sitting.seat] = sitting
        if wrong:
            yield accuse("seated_differs", wrong, place, body)
        for charge in mine:
            yield from self._judged(charge, sitting, claimed=True)

    def _never_seated(self, table: Table | None) -> Iterator[Finding]:
        """Charges at a table that were written before their sitting, which then did not come."""
        mine = [charge for charge in self._unseated if charge.table in (table, None)]
        self._unseated = [charge for charge in self._unseated if charge not in mine]
        for charge in mine:
            body, charge.sure = charge.body, False
            accused = charge.table.accused if charge.table else self._unknown
            if charge.table is not None:
                mark_unseated(charge, charge.table)
            elif body["session"] in self._unknown:
                continue
            if body["sitting"] not in accused:
                accused.add(body["sitting"] if charge.table else body["session"])
                sentence = f"It charges sitting {body['sitting']}, which no record seats at its table."
                yield Finding("charge_differs", sentence, charge.place, charge.name)

    def _covers(self, table: Table, data: Body, at: datetime) -> set[Any]:
        """The cover that a sitting has to have, with the word `known`; without that word it is not known (R62)."""
        session = data.get("from_session")
        if session is None:
            return {None, "known"}
        old = self._tables.get(session)
        if old is None or old.clock.lost or table.clock.lost:
            if old is None and self._whole and session not in self._unknown:
                return {None, "known"}
            if not self._whole:
                self._count("covers from tables opened before this part of the log")
            return {None}
        player, here, there = data["player"], old.clock.latest, table.clock.latest
        if data["ordered"] is not True:
            return {None, "known"}
        if there and table.clock.runs_at(at) and charged_for(table, player, there)[0]:
            return {None, "known"}
        if here and old.clock.runs_at(at):
            charged, charge = charged_for(old, player, here)
            if charged and (charge is None or not charge.sure):
                return {None}
            if charge is not None and charge.taken:
                return {charge.id, "known"}
        before = old.sittings.get(data["from_sitting"])
        unused = before.unused if before else {None}
        if len(unused) > 1:
            return {None}
        (cover,) = unused
        elsewhere = self._charges.get(cover) if cover is not None else None
        return {None if elsewhere and elsewhere.table is table else cover, "known"}

    # -- rounds ----------------------------------------------------------------------------------------------------

    def _round(self, place: int, body: Body, table: Table) -> Iterator[Finding]:
        """Everybody who is seated when a round starts has been charged for its down (R61)."""
        yield from self._never_seated(table)
        wrong = table.clock.start_round(moment(body["at"]), body)
        if wrong:
            yield accuse("round_differs", wrong, place, body)
        yield from never_dealt(table, body["data"]["round_id"])
        down = table.clock.latest
        if down is None:
            return
        for sitting in table.seated.values():
            self.checked["fees due at a round"] += 1
            if charged_for(table, sitting.player, down)[0]:
                continue
            mark_charged(table, sitting.player, down, None)
            sitting.charged = True
            yield accuse(
                "charge_missing",
                f"Player {sitting.player} in seat {sitting.seat} was not charged for down {body['data']['down']}.",
                place,
                body,
            )

    # -- charges ---------------------------------------------------------------------------------------------------

    def _charge(self, place: int, body: Body) -> Iterator[Finding]:
        if any(type(body[name]) is not int for name in IDS) or type(body["round_id"]) not in (
            int,
            type(None),
        ):
            raise TypeError("ids are whole numbers")
        _ = moment(body["down_started_at"]), moment(body["entered_at"])
        charge = Charge(body["id"], place, name_of(body), body, self._tables.get(body["session"]))
        sitting = self._sitting_of(charge)
        self._charges.setdefault(charge.id, charge)
        if sitting is not None:
            yield from self._judged(charge, sitting, claimed=False)
        elif charge.table is not None or self._whole:
            self._unseated.append(charge)
        else:
            charge.sure = False
            yield from self._table(place, body, body["session"])

    def _sitting_of(self, charge: Charge) -> Sitting | None:
        """The sitting at the charge's own table, or, where it names another, wherever it is."""
        wanted = charge.body["sitting"]
        tables = [charge.table] if charge.table and wanted in charge.table.sittings else self._tables.values()
        found = (table.sittings.get(wanted) for table in tables if table is not None)
        return next((sitting for sitting in found if sitting is not None), None)

    def _judged(self, charge: Charge, sitting: Sitting, *, claimed: bool) -> Iterator[Finding]:
        """As `_judge`; a charge that cannot be read stands for one that was right."""
        try:
            yield from self._judge(charge, sitting, claimed=claimed)
        except UNREADABLE as error:
            charge.sure, sitting.charged = False, True
            mark_vague(charge.body, sitting.table, sitting)
            yield unreadable(charge.place, charge.body, error)

    def _judge(self, charge: Charge, sitting: Sitting, *, claimed: bool) -> Iterator[Finding]:
        """Hold a charge against what is known. `claimed`: it was written before its sitting, for an entry claimed late."""
        body, table = charge.body, sitting.table
        self.checked["charges"] += 1
        said = charge.table
        charge.table, charge.seated, start = table, True, moment(body["down_started_at"])
        down = table.clock.down_of(body["down_id"], body["down"], start)
        if down is None:
            gap, lost = table.clock.gap, table.clock.lost
            down = table.clock.add(body["down_id"], {body["down"]}, {start})
            down.rates = table.rates
            if not gap and not lost:
                charge.sure = False
                yield Finding("charge_differs", "No record begins its down.", charge.place, charge.name)
        wrong = wrong_names(body, sitting, down) if charge.sure else ""
        if wrong and body["player"] != sitting.player:
            charge.sure = False
            mark_vague(body, said or table, sitting)
            yield Finding("charge_differs", wrong, charge.place, charge.name)
            return
        if not wrong and charged_for(table, sitting.player, down)[1] is not None:
            charge.sure = False
            sentence = f"Player {sitting.player} had been charged for down {body['down']} already (R62)."
            yield Finding("charge_twice", sentence, charge.place, charge.name)
            return
        if charge.sure:
            wrong = wrong or self._wrong_figures(charge, sitting, down, start)
            wrong = wrong or wrong_round(charge, sitting, down, claimed)
        if wrong:
            charge.sure = False
            yield Finding("charge_differs", wrong, charge.place, charge.name)
        if charge.sure and not claimed and body["round_id"] is not None:
            table.for_round.append(charge)
        mark_charged(table, sitting.player, down, charge)
        sitting.charged = True

    def _wrong_figures(self, charge: Charge, sitting: Sitting, down: Down, start: datetime) -> str:
        body, table = charge.body, sitting.table
        told = {name: body["schedule"].get(name) for name in SCHEDULE}
        fees = [fee for rate, fee in down.rates if rate == told]
        if not fees:
            return "Its schedule is not that of its down (R64)."
        if body["charged_at"] != body["recorded_at"]:
            return f"It was charged at {body['charged_at']}, but recorded at {body['recorded_at']}."
        right = []
        for fee in fees:
            by_entry = downs.owed(fee, start, sitting.entered, table.clock.stops)
            for cover in sitting.unused:
                owed = downs.covered(by_entry) if cover is not None else by_entry
                right.append((fee, owed.rule, owed.cents, seconds_of(owed)))
        said = tuple(body[name] for name in ("fee_cents", "rule", "cents", "minute_seconds"))
        if said not in right and not table.clock.lost:
            due = f"{right[0][1]}, {right[0][2]} cents of {right[0][0]}, entered at second {right[0][3]}"
            is_ = f"{said[1]}, {said[2]} cents of {said[0]}, entered at second {said[3]}"
            return f"It says {is_}; by the recorded times it is {due}."
        return self._wrong_day(body, self._house.days_of(body["down_started_at"]), "charge")

    def _wrong_day(self, body: Body, days: set[str], what: str) -> str:
        """A fee is of the day its down began in, or, where that was closed, of the day in which it is written."""
        said, closed, today = (
            body["gaming_day"],
            self._house.closed_day,
            self._house.days_of(body["recorded_at"]),
        )
        if not days or not today:
            self._count(f"gaming days of a {what}, without the house's clock")
            return ""
        right = {day if day >= now or day > closed else now for day in days for now in today}
        if said in right or (not self._whole and said in today):
            return ""
        return f"It is dated {said}; it belongs to {' or '.join(sorted(right))}."

    # -- collections -----------------------------------------------------------------------------------------------

    def _uncollected(self, place: int, body: Body, table: Table) -> Iterator[Finding]:
        """A fee that somebody left unpaid: numbered, once, of a charge that is open."""
        data = body["data"]
        gap, charge = self._serials.gap_of_uncollected(body), self._charges.get(data["charge"])
        wrong = wrong_uncollected(charge, table, data, whole=self._whole)
        if not wrong and charge is not None and charge.sure:
            dated = {"gaming_day": data["gaming_day"], "recorded_at": body["recorded_at"]}
            wrong = self._wrong_day(dated, {charge.body["gaming_day"]}, "uncollected fee")
        mark_uncollected(charge, table, data, sure=not (wrong or gap))
        if wrong or gap:
            yield accuse("uncollected_differs" if wrong else "number_gap", wrong or gap, place, body)

    def _collection(self, place: int, body: Body) -> Iterator[Finding]:
        """A fee is taken or waived; a number that does not come next is told where nothing else is wrong."""
        gap, found = self._serials.gap_of_entry(body), list(self._taking(place, body))
        yield from found or ([accuse("number_gap", gap, place, body)] if gap else [])

    def _taking(self, place: int, body: Body) -> Iterator[Finding]:
        told = body["evidence"]
        charge = self._charges.get(told["charge"])
        if charge is None:
            yield from self._of_no_charge(place, body, told)
            return
        self.checked["collections"] += 1
        if charge.taken:
            sentence = f"{charge.name or 'Its charge'} had been taken already."
            yield accuse("collection_twice", sentence, place, body)
            return
        charge.taken = True
        table = charge.table if charge.sure else self._tables.get(told["session"])
        if table is None:
            return
        if not charge.sure:
            note_charged(table, told)
        else:
            wrong = self._wrong_collection(charge, table, body, told)
            if wrong:
                take_over_accounts(table, told, body)
                yield accuse("collection_differs", wrong, place, body)
        if self._tables.get(table.session) is not table or not table.clock.downs:
            self._forgotten.append((moment(body["recorded_at"]), None, [charge.id]))

    def _of_no_charge(self, place: int, body: Body, told: Body) -> Iterator[Finding]:
        table = self._tables.get(told["session"])
        if table is None and not self._whole:
            self._count("collections of tables opened before this part of the log")
            return
        if table is None and told["session"] in self._unknown:
            return
        if table is not None and note_charged(table, told):
            return  # that it is missing was said when its round started
        sentence = f"It takes charge {told['charge']}, and no such charge is due."
        yield accuse("charge_missing", sentence, place, body)

    def _wrong_collection(self, charge: Charge, table: Table, body: Body, told: Body) -> str:
        due = charge.body
        for name in FIGURES:
            if told[name] != due[name]:
                return f"It says {name} {told[name]}; {charge.name} says {due[name]}."
        for name in ("down_started_at", "entered_at"):
            if not same_moment(told[name], due[name]):
                return f"It says {name} {told[name]}; {charge.name} says {due[name]}."
        minutes = [
            None if one is None else Decimal(one) for one in (told["minute_seconds"], due["minute_seconds"])
        ]
        if minutes[0] != minutes[1]:
            return f"It says minute_seconds {told['minute_seconds']}; {charge.name} says {due['minute_seconds']}."
        if told["schedule"] != {name: due["schedule"][name] for name in ("option", "version")}:
            return f"Its schedule is not that of {charge.name}."
        days, waived = self._house.days_of(body["recorded_at"]), body["kind"] == "waiver"
        return (
            wrong_payer(charge, table, told)
            or wrong_transfers(charge, table, body, told)
            or (self._serials.wrong_waiver(body, days) if waived else "")
            or wrong_recovery(charge, told)
            or self._wrong_day(body, {due["gaming_day"]}, "collection")
        )
