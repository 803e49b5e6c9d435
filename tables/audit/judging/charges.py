"""Every charge, recomputed from recorded times (R60-R65). Pure. A charge must follow from the down, the
entry, the clock's stops and the rate recorded before."""

from datetime import datetime, timedelta
from decimal import Decimal

from tables.audit.floor.fees import ReplayedCharge, ReplayedDown, remembered
from tables.audit.floor.floor import Floor
from tables.audit.floor.house import moment
from tables.audit.floor.sitting import ReplayedSitting
from tables.audit.floor.table import ReplayedTable
from tables.audit.judging.contradiction import Contradiction
from tables.audit.judging.moments import clock_is_sure
from tables.audit.records.events import Seated
from tables.audit.records.rows import ChargeRecord
from tables.rules.table import downs
from tables.rules.table.moves import PaidFee, cover

_UNKNOWN = -1  # the id of no session


def all_charged(floor: Floor, table: ReplayedTable, down: ReplayedDown, round_id: int) -> None:
    """Judge what must come before a round: everybody seated was charged for its down (R61)."""
    all_dealt(table, round_id)
    floor.count("fees due at a round", len(table.seats))
    for seat, sitting in table.seats.items():
        if table.charge_for(sitting.player, down) is None:
            who = f"Player {sitting.player} in seat {seat}"
            raise Contradiction("charge_missing", f"{who} was not charged for down {down.number}.")


def all_dealt(table: ReplayedTable, round_id: int | None) -> None:
    """Judge that no fee was charged for a round that then does not start."""
    for charge in table.for_round:
        named = charge.body["round_id"]
        if named != round_id:
            sentence = f"It was charged before round {named}, which did not start then."
            raise Contradiction("charge_differs", sentence, charge.mark)
    table.for_round.clear()


# -- a charge ------------------------------------------------------------------------------------------------


def charged(floor: Floor, table: ReplayedTable, body: ChargeRecord, _: ChargeRecord) -> None:
    clock_is_sure(floor, body)
    table.late_fee = True
    sitting = table.sittings.get(body["sitting"])
    if sitting is None:
        sentence = f"It charges sitting {body['sitting']}, which no record seats at its table."
        raise Contradiction("charge_differs", sentence)
    down = next((one for one in reversed(table.downs) if one.id == body["down_id"]), None)
    # A late entry is charged before it is recorded that the player sat down.
    late = table.awaits is not None and table.awaits.sitting is sitting
    if down is None:
        raise Contradiction("charge_differs", "No record begins its down.")
    if wrong := _wrong_names(body, table, sitting, down):
        raise Contradiction("charge_differs", wrong)
    if table.charge_for(sitting.player, down) is not None:
        already = f"Player {sitting.player} had been charged for down {down.number} already (R62)."
        raise Contradiction("charge_twice", already)
    if wrong := _wrong_figures(floor, body, table, sitting, down):
        raise Contradiction("charge_differs", wrong)
    if late and (wrong := _wrong_first_round(body, sitting, down)):
        raise Contradiction("charge_differs", wrong)
    charge = ReplayedCharge(floor.mark(body), remembered(body), sitting, down)
    if not late and body["round_id"] is not None:
        table.for_round.append(charge)
    floor.charge(charge)


def _wrong_names(
    body: ChargeRecord, table: ReplayedTable, sitting: ReplayedSitting, down: ReplayedDown
) -> str:
    if body["session"] != table.session:
        return f"It is of session {body['session']}; sitting {sitting.id} is at that of {table.session}."
    if body["player"] != sitting.player:
        return f"It charges player {body['player']}; in sitting {sitting.id} is player {sitting.player}."
    if sitting.left:
        return f"It charges sitting {sitting.id}, which had left."
    if (body["down"], moment(body["down_started_at"])) != (down.number, down.start):
        return f"Its down is not as recorded: {body['down']}, begun at {body['down_started_at']}."
    if moment(body["entered_at"]) != moment(sitting.entered_at):
        return f"It says the player entered at {body['entered_at']}; that was at {sitting.entered_at}."
    return ""


def _wrong_figures(
    floor: Floor, body: ChargeRecord, table: ReplayedTable, sitting: ReplayedSitting, down: ReplayedDown
) -> str:
    rate = down.rate
    if body["rate"] != {"id": rate.id, "option": rate.option, "version": rate.version}:
        return "Its rate is not that of its down (R64)."
    if body["charged_at"] != body["recorded_at"]:
        return f"It was charged at {body['charged_at']}, but recorded at {body['recorded_at']}."
    right = _figures(rate.fee_cents, down.start, sitting, table.stops)
    charged = body["rule"], body["cents"], body["fee_cents"], body["minute_seconds"]
    if charged != right:
        return f"It says {_in_words(*charged)}; by the recorded times it is {_in_words(*right)}."
    days = floor.house.days_of(body["down_started_at"])
    return wrong_day(floor, body["gaming_day"], body["recorded_at"], days, "charge")


def _figures(
    fee: int, start: datetime, sitting: ReplayedSitting, stops: list[downs.Stop]
) -> tuple[str, int, int, str | None]:
    """Return what a player owes, as in a charge: rule, cents, full fee, minute of entry in seconds."""
    owed = downs.owed(fee, start, moment(sitting.entered_at), stops)
    if sitting.unused_cover is not None:
        owed = downs.covered(owed)
    if owed.minute is None:
        return owed.rule, owed.cents, fee, None
    return owed.rule, owed.cents, fee, f"{Decimal(owed.minute // timedelta(microseconds=1)) / 1_000_000:.6f}"


def _in_words(rule: str, cents: int, fee: int, second: str | None) -> str:
    return f"{rule}, {cents} cents of {fee}, entered at second {second}"


def _wrong_first_round(body: ChargeRecord, sitting: ReplayedSitting, down: ReplayedDown) -> str:
    """Judge the round of a late entry: the first of the down that started with the player seated."""
    entered, named = moment(sitting.entered_at), body["round_id"]
    first = next((number for at, number in down.rounds if at >= entered), None)
    return "" if named == first else f"It is for round {named}; the first with the player seated was {first}."


def wrong_day(floor: Floor, day: str, recorded_at: str, days: set[str], what: str) -> str:
    """Return why a fee's gaming day is wrong: it is the down's or, once that is closed, that of recording."""
    closed, today = floor.house.closed_day, floor.house.days_of(recorded_at)
    if not days or not today:
        floor.count(f"gaming days of a {what}, without the house's clock")
        return ""
    right = {one if one >= now or one > closed else now for one in days for now in today}
    if day in right or (not floor.whole and day in today):
        return ""
    return f"It is dated {day}; it belongs to {' or '.join(sorted(right))}."


# -- which charge covers the first fee after a move (R62) ----------------------------------------------------


def cover_is_right(floor: Floor, table: ReplayedTable, data: Seated, at: datetime) -> None:
    """Judge which charge covers the first fee of a new sitting."""
    right, session = None, data.get("from_session")
    if session is not None:
        old = floor.find(session)
        if old is None:
            floor.count("covers from tables that are not judged")
            return
        here, there = old.down_at(at), table.down_at(at)
        charge = None if here is None else old.charge_for(data["player"], here)
        right = cover(
            ordered=data["ordered"],
            charged_there=there is not None and table.charge_for(data["player"], there) is not None,
            paid_here=None if charge is None or charge.paid is None else PaidFee(charge.id, session),
            unused=_unused_cover(floor, old, data["from_sitting"]),
            to_session=table.session,
        )
    if data["covered_by"] != right:
        by_rule = f"by R62 it is {right} (None: it is not covered)."
        sentence = f"Charge {data['covered_by']} covers the first fee; {by_rule}"
        raise Contradiction("seated_differs", sentence)


def _unused_cover(floor: Floor, old: ReplayedTable, number: int | None) -> PaidFee | None:
    sitting = None if number is None else old.sittings.get(number)
    unused = None if sitting is None else sitting.unused_cover
    if unused is None:
        return None
    charge = floor.charges.get(unused)
    return PaidFee(unused, _UNKNOWN if charge is None else charge.session)
