"""Downs, clock stops and every charge, recomputed from recorded times (R60-R65). Pure. A charge must
follow from the down, the entry, the clock's stops and the rate recorded before. After a fault the record's
own word is believed, so that one wrong record is one finding."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Final

from tables.audit.floor.clock import ReplayedDown
from tables.audit.floor.floor import Floor, Problem, Problems
from tables.audit.floor.house import moment
from tables.audit.floor.sitting import Body, ReplayedSitting, remembered
from tables.audit.floor.table import ReplayedCharge, ReplayedTable
from tables.audit.judging.moments import in_doubt
from tables.audit.judging.rates import wrong_down_rate
from tables.rules.table import downs
from tables.rules.table.moves import PaidFee, cover

IDS: Final = ("id", "session", "sitting", "player", "down", "down_id")
_UNKNOWN: Final = -1  # the id of no row


def down(floor: Floor, table: ReplayedTable, body: Body) -> Problems:
    """Judge a down: it begins where the one before ended, at the table's rate."""
    wrong, wrong_rate = table.clock.begin(body), wrong_down_rate(table, body)
    if wrong or wrong_rate:
        yield Problem("down_differs", wrong or wrong_rate)


def clock_changed(floor: Floor, table: ReplayedTable, body: Body) -> Problems:
    clock = table.clock
    if wrong := clock.stop(body) if body["kind"] == "clock_stopped" else clock.go_on(body):
        yield Problem("clock_differs", wrong)


def round_started(floor: Floor, table: ReplayedTable, body: Body, round_id: int) -> Problems:
    """Judge a round's down: it is the newest, and everybody seated has been charged for it (R61)."""
    if wrong := table.clock.start_round(moment(body["at"]), body):
        yield Problem("round_differs", wrong)
    yield from never_dealt(table, round_id)
    latest = table.clock.latest
    if latest is None:
        return
    floor.count("fees due at a round", len(table.seats))
    for sitting in table.seats.values():
        if sitting.sure and not table.charged_for(sitting.player, latest)[0]:
            table.mark_charged(sitting.player, latest, None)
            sitting.charged = True
            who = f"Player {sitting.player} in seat {sitting.seat}"
            yield Problem("charge_missing", f"{who} was not charged for down {body['data']['down']}.")


def never_dealt(table: ReplayedTable, round_id: object) -> Problems:
    """Yield charges for a round that did not start after them; one finding for each such round."""
    accused: list[object] = []
    for charge in table.for_round:
        named = charge.body["round_id"]
        if named != round_id and named not in accused:
            accused.append(named)
            sentence = f"It was charged before round {named}, which did not start then."
            yield Problem("charge_differs", sentence, charge.mark)
    table.for_round = []


# -- charges -------------------------------------------------------------------------------------------------


def table_of(floor: Floor, body: Body) -> ReplayedTable | None:
    table, number = floor.find(body["session"]), body["sitting"]
    return table or next((one for one in floor.every() if number in one.sittings), None)


def charged(floor: Floor, table: ReplayedTable, body: Body) -> Problems:
    if any(type(body[name]) is not int for name in IDS) or type(body["round_id"]) not in (int, type(None)):
        raise TypeError("ids are whole numbers")
    yield from in_doubt(floor, body)
    table.late_fee = True
    charge = ReplayedCharge(body["id"], floor.mark(body), remembered(body), table)
    number = body["sitting"]
    elsewhere = (one.sittings[number] for one in floor.every() if number in one.sittings)
    sitting = table.sittings.get(number) or next(elsewhere, None) or table.awaited_sitting()
    if sitting is not None:
        charge.table = floor.find(sitting.session) or table
    floor.charge(charge)
    if sitting is None:
        charge.sure = False
        _mark_unseated(charge, table)
        yield Problem("charge_differs", f"It charges sitting {number}, which no record seats at its table.")
        return
    _adopt(floor, sitting, body)
    yield from _judged(floor, charge, sitting, claimed=sitting is charge.table.awaited_sitting())


def _adopt(floor: Floor, sitting: ReplayedSitting, body: Body) -> None:
    if not sitting.sure:
        if floor.players.get(sitting.player) is sitting:
            del floor.players[sitting.player]
        sitting.player, sitting.entered_at = body["player"], body["entered_at"]
        floor.players.setdefault(sitting.player, sitting)


def _mark_unseated(charge: ReplayedCharge, table: ReplayedTable) -> None:
    body = charge.body
    meant = table.down_of(body)
    if meant is not None:
        table.mark_charged(body["player"], meant, charge)
    for sitting in table.seats.values():
        if sitting.player == body["player"]:
            sitting.covers.add(None)


def _mark_vague(floor: Floor, charge: ReplayedCharge, table: ReplayedTable, one: ReplayedSitting) -> None:
    body = charge.body
    for sitting in [one, *(other for other in table.seats.values() if other.player == body["player"])]:
        there = floor.find(sitting.session) or table
        meant = there.down_of(body)
        if meant is not None:
            there.mark_charged(sitting.player, meant, None)
        sitting.covers.add(None)


def _judged(floor: Floor, charge: ReplayedCharge, sitting: ReplayedSitting, *, claimed: bool) -> Problems:
    """Compare a charge with what is known. `claimed`: it was written before its sitting, for a late entry."""
    body, table = charge.body, charge.table
    meant, start = table.down_of(body), moment(body["down_started_at"])
    wrong = ""
    if meant is None:
        meant = table.clock.add(body["down_id"], {body["down"]}, {start})
        meant.rates = table.rates
        wrong = "" if table.clock.lost else "No record begins its down."
    wrong = wrong or _wrong_names(charge, sitting, meant)
    if body["player"] != sitting.player:
        charge.sure = False
        _mark_vague(floor, charge, floor.find(body["session"]) or table, sitting)
        yield Problem("charge_differs", wrong)
        return
    if not wrong and table.charged_for(sitting.player, meant)[1] is not None:
        charge.sure = False
        if floor.charges.get(charge.id) is charge:
            floor.take_fee(charge, body)
        already = f"Player {sitting.player} had been charged for down {body['down']} already (R62)."
        yield Problem("charge_twice", already)
        return
    wrong = (
        wrong
        or _wrong_figures(floor, charge, sitting, meant)
        or _wrong_round(charge, sitting, meant, claimed)
    )
    if wrong:
        charge.sure = False
        yield Problem("charge_differs", wrong)
    elif not claimed and body["round_id"] is not None:
        table.for_round.append(charge)
    table.mark_charged(sitting.player, meant, charge)
    sitting.charged = True


def _wrong_names(charge: ReplayedCharge, sitting: ReplayedSitting, meant: ReplayedDown) -> str:
    body, session = charge.body, sitting.session
    if body["session"] != session:
        return f"It is of session {body['session']}; sitting {sitting.id} is at that of {session}."
    if body["player"] != sitting.player:
        return f"It charges player {body['player']}; in sitting {sitting.id} is player {sitting.player}."
    if body["sitting"] != sitting.id and sitting.sure:
        return f"It charges sitting {body['sitting']}; player {sitting.player} is in sitting {sitting.id}."
    if sitting.left:
        return f"It charges sitting {sitting.id}, which had left."
    if meant.likeness(body["down_id"], body["down"], moment(body["down_started_at"])) < 3:
        return f"Its down is not as recorded: {body['down']}, begun at {body['down_started_at']}."
    if moment(body["entered_at"]) != moment(sitting.entered_at):
        return f"It says the player entered at {body['entered_at']}; that was at {sitting.entered_at}."
    return ""


def _wrong_figures(
    floor: Floor, charge: ReplayedCharge, sitting: ReplayedSitting, meant: ReplayedDown
) -> str:
    body, clock = charge.body, charge.table.clock
    named = {name: body["rate"].get(name) for name in ("id", "option", "version")}
    fees = {rate.fee_cents for rate in meant.rates if rate.named == named}
    if not fees:
        return "Its rate is not that of its down (R64)."
    if body["charged_at"] != body["recorded_at"]:
        return f"It was charged at {body['charged_at']}, but recorded at {body['recorded_at']}."
    start, entered = moment(body["down_started_at"]), moment(sitting.entered_at)
    right = [_figures(fee, start, entered, clock.stops, cover) for fee in fees for cover in sitting.unused]
    said = tuple(body[name] for name in ("rule", "cents", "fee_cents", "minute_seconds"))
    if said not in right and not clock.lost:
        return f"It says {_in_words(said)}; by the recorded times it is {_in_words(right[0])}."
    return wrong_day(floor, body, floor.house.days_of(body["down_started_at"]), "charge")


def _figures(
    fee: int, start: datetime, entered: datetime, stops: list[downs.Stop], cover: int | None
) -> tuple[str, int, int, str | None]:
    """Return what a player owes, as in a charge: rule, cents, full fee, minute of entry in seconds."""
    owed = downs.owed(fee, start, entered, stops)
    if cover is not None:
        owed = downs.covered(owed)
    if owed.minute is None:
        return owed.rule, owed.cents, fee, None
    return owed.rule, owed.cents, fee, f"{Decimal(owed.minute // timedelta(microseconds=1)) / 1_000_000:.6f}"


def _in_words(figures: tuple[object, ...]) -> str:
    rule, cents, fee, second = figures
    return f"{rule}, {cents} cents of {fee}, entered at second {second}"


def _wrong_round(charge: ReplayedCharge, sitting: ReplayedSitting, meant: ReplayedDown, claimed: bool) -> str:
    """Judge the round of a claimed entry: the first of the down that started with the player seated."""
    if not claimed:
        return ""
    entered, named = moment(sitting.entered_at), charge.body["round_id"]
    first = next((id_ for at, id_ in meant.rounds if at >= entered), None)
    return "" if named == first else f"It is for round {named}; the first with the player seated was {first}."


def wrong_day(floor: Floor, body: Body, days: set[str], what: str) -> str:
    """Return why a fee's day is neither that of its down nor, if that was closed, that of recording."""
    said, closed, today = body["gaming_day"], floor.house.closed_day, floor.house.days_of(body["recorded_at"])
    if not days or not today:
        floor.count(f"gaming days of a {what}, without the house's clock")
        return ""
    right = {day if day >= now or day > closed else now for day in days for now in today}
    if said in right or (not floor.whole and said in today):
        return ""
    return f"It is dated {said}; it belongs to {' or '.join(sorted(right))}."


# -- which charge covers the first fee after a move (R62) ----------------------------------------------------


def covers(floor: Floor, table: ReplayedTable, data: Body, at: datetime) -> tuple[int | None, bool]:
    """Return the charge that covers the first fee of a sitting (or None), and whether that is known (R62)."""
    session = data.get("from_session")
    if session is None:
        return None, True
    old = floor.find(session)
    if old is None or old.lost or old.clock.lost or table.clock.lost:
        if not floor.whole:
            floor.count("covers from tables opened before this part of the log")
        return None, old is None and floor.whole and session not in floor.unknown
    results = {
        cover(
            ordered=data["ordered"] is True,
            charged_there=_charged_now(table, data["player"], at)[0],
            paid_here=paid,
            unused=unused,
            to_session=table.session,
        )
        for paid in _paid_now(old, data["player"], at)
        for unused in _unused(floor, old.sittings.get(data["from_sitting"]))
    }
    return (results.pop(), True) if len(results) == 1 else (None, False)


def _charged_now(table: ReplayedTable, player: int, at: datetime) -> tuple[bool, ReplayedCharge | None]:
    latest = table.clock.latest
    return table.charged_for(player, latest) if latest and table.clock.runs_at(at) else (False, None)


def _paid_now(table: ReplayedTable, player: int, at: datetime) -> set[PaidFee | None]:
    """Return the possible payments of a player for the current down; nearly always one."""
    was_charged, charge = _charged_now(table, player, at)
    if was_charged and (charge is None or not charge.sure):
        return {None, PaidFee(_UNKNOWN, table.session)}
    return {PaidFee(charge.id, table.session) if charge is not None and charge.taken else None}


def _unused(floor: Floor, sitting: ReplayedSitting | None) -> set[PaidFee | None]:
    """Return the possible covers for a player's first fee from an earlier move order."""
    found: set[PaidFee | None] = set()
    for number in sitting.unused if sitting else {None}:
        charge = None if number is None else floor.charges.get(number)
        session = charge.table.session if charge else _UNKNOWN
        found.add(None if number is None else PaidFee(number, session))
    return found
