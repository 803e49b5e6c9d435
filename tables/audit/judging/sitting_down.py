"""Players sit down, add on and sit out: seats, and chips that are brought (R51, R52, R61, R62). Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tables.audit.floor.floor import Floor, Problem, Problems
from tables.audit.floor.house import moment, same_moment
from tables.audit.floor.sitting import Body, ReplayedSitting, transfers_of
from tables.audit.floor.table import Awaited, ReplayedTable
from tables.audit.judging.charges import covers
from tables.audit.judging.chip_corrections import keep, remember
from tables.audit.judging.moments import dealt_in, other_seat
from tables.rules.table.buy_ins import (
    NOTHING,
    TakenAway,
    buy_in_bounds,
    came_back_since,
    taken_away,
    wrong_add_on,
    wrong_buy_in,
)
from tables.rules.table.dealing import SEATS
from tables.rules.table.downs import owed
from tables.rules.table.moves import wrong_seat_change

DOWNS: Final = ("table_event rate_changed", "down")
TO_BE_SEATED: Final = frozenset({*DOWNS, "charge", "table_event seated"})


# -- the first buy-in ----------------------------------------------------------------------------------------


def buy_in(floor: Floor, table: ReplayedTable, body: Body) -> Problems:
    """Judge a first buy-in. The event after it repeats who sits where."""
    said, mark = body["evidence"], floor.mark(body)
    lines = transfers_of(body)
    stack = lines[-1][1] if lines else None
    wrong = list(_wrong_buy_in(floor, table, body, stack))
    yield from wrong
    sitting = ReplayedSitting(
        id=said["sitting"],
        session=table.session,
        seat=said["seat"],
        player=said["player"],
        stack=stack,
        entered_at=body["occurred_at"],
        claimed=said["entered_at"] is not None,
        approved=body["approver"] is not None,
        mark=mark,
        sure=not wrong,
        counted=not wrong,
    )
    floor.sit(table, sitting)
    if not wrong:
        remember(table, body, sitting)
    table.awaits = Awaited(mark, "not_seated", "Nobody sat down with it.", TO_BE_SEATED)
    table.late_fee = False


def _wrong_buy_in(floor: Floor, table: ReplayedTable, body: Body, stack: int | None) -> Problems:
    said, occurred_at, recorded_at = body["evidence"], body["occurred_at"], body["recorded_at"]
    yield from _wrong_chips(table, body, stack)
    yield from wrong_place(floor, table, said["sitting"], said["seat"], [stack])
    if said["player"] in floor.persons:
        yield Problem("player_merged", f"Player {said['player']} had been merged into another entry.")
    seated = floor.players.get(said["player"])
    if seated is not None and seated.sure:
        yield Problem("player_seated", f"Player {said['player']} sat somewhere already.")
    if not same_moment(said["recorded_at"], recorded_at):
        yield Problem("other_time", "Its evidence says another time of recording.")
    if said["entered_at"] is None:
        if occurred_at != recorded_at:
            yield Problem(
                "other_time", "It happened at another time than it was recorded, which nobody claimed."
            )
    elif not same_moment(said["entered_at"], occurred_at):
        yield Problem("other_time", "It happened at another time than was claimed (R61).")
    elif not table.opened_at <= occurred_at <= recorded_at or _overlaps(table, said, occurred_at):
        yield Problem("bad_time", "At the time that was claimed, the seat or the player was not free (R61).")
    yield from wrong_bounds(floor, table, said["player"], said["cents"], recorded_at)


def wrong_place(
    floor: Floor, table: ReplayedTable, number: int, seat: int, stacks: Iterable[int | None]
) -> Problems:
    """Judge a new sitting: a stack, a sitting and a seat of its own."""
    if any(stack in floor.stacks for stack in stacks):
        yield Problem("other_stack", "Its chips go to a stack that belongs to somebody else.")
    before = table.sittings.get(number)
    if before is not None and before.sure:
        yield Problem("other_stack", f"Sitting {number} had begun before.")
    if seat not in SEATS:
        yield Problem("unknown_seat", "A table has seats 1 to 5.")
    elif seat in table.seats and table.seats[seat].sure:
        yield Problem("seat_taken", f"Seat {seat} was taken (R51).")


def _overlaps(table: ReplayedTable, said: Body, entered_at: str) -> bool:
    """Return whether the seat was still taken then, or the player still in another one of the table."""
    if any(seat == said["seat"] and at > entered_at for seat, at in table.vacated):
        return True
    return any(
        (sitting.left_at or "") > entered_at
        and (sitting.seat == said["seat"] or sitting.player == said["player"])
        for sitting in table.sittings.values()
        if sitting.sure
    )


def _wrong_chips(table: ReplayedTable, body: Body, stack: int | None) -> Problems:
    """Judge the chips: from the table's bank for as much cash, or from outside, onto a stack."""
    said, lines = body["evidence"], transfers_of(body)
    cents = said["cents"]
    if said["source"] == "cash" and len(lines) == 2:
        known, table.bank_cash = table.bank_cash, lines[0][1]  # reported once: the opening may be wrong
        if table.bank_chips is None:
            table.bank_chips = lines[1][0]
        if known not in (None, lines[0][1]):
            yield Problem("other_bank", "The cash does not go to the table's bank.")
            return
    moved = [line[1:] for line in lines]
    match said["source"]:
        case "cash":
            right = moved == [(table.bank_cash, cents), (stack, cents)] and lines[1][0] == table.bank_chips
        case "chips":
            right = moved == [(stack, cents)] and body["transfers"][0]["from_kind"] == "outside"
        case _:
            right = False
    if not right or body["transfers"][-1]["to_kind"] != "stack":
        amount = f"It does not bring {cents} cents of chips, for as much money, from where it says."
        yield Problem("wrong_amount", amount)


def wrong_bounds(floor: Floor, table: ReplayedTable, player: int, cents: int, now: str) -> Problems:
    """Judge the bounds of a first buy-in; returning within the interval needs what was taken away (R52)."""
    taken, left, minutes = NOTHING, table.last_left.get(table.person(player)), floor.house.return_minutes
    if left is not None:
        if minutes is None or not left.left_at:
            return
        if moment(left.left_at) >= came_back_since(moment(now), minutes):
            if (away := _taken_away(left)) is None:
                return
            taken = away
    bounds = buy_in_bounds(table.limit_cents, table.most, taken)
    if code := wrong_buy_in(cents, bounds):
        between = f"at least {bounds.least} and at most {bounds.most} may be brought (R52)."
        yield Problem(code, f"It brings {cents} cents; {between}")


def _taken_away(left: ReplayedSitting) -> TakenAway | None:
    """Return what a player took away, or has left of it after carrying it on; None if unknown."""
    cents, sitting = [left.taken_away], left
    while sitting.sure and sitting.counted:
        if sitting.moved_to is None:
            return taken_away(cents)
        sitting = sitting.moved_to
        cents.append(sitting.taken_away if sitting.cashed else sitting.cents)
    return None


def seated(floor: Floor, table: ReplayedTable, body: Body) -> Problems:
    data = body["data"]
    sitting = table.sittings.get(data["sitting"])
    if sitting is None:
        sitting = table.awaited_sitting()  # its number is wrong: it is the player who was about to sit down
    wrong = list(_wrong_seat(floor, table, body, sitting))
    yield from wrong
    if sitting is not None and not wrong:
        yield from _late_entry(table, sitting, body["recorded_at"])
    cover, known = covers(floor, table, data, moment(body["at"]))
    table.awaits = None
    if sitting is None:
        sitting = ReplayedSitting(
            id=data["sitting"],
            session=table.session,
            seat=data["seat"],
            player=data["player"],
            stack=data["stack"],
            entered_at=data["entered_at"],
            counted=False,
            sure=False,
        )
        floor.sit(table, sitting)
    if sitting.stack is None:
        sitting.stack = data["stack"]
        floor.stacks[data["stack"]] = sitting
    if wrong:
        sitting.sure = False
        table.sittings.setdefault(data["sitting"], sitting)
    elif not sitting.sure:
        _take_over(floor, table, sitting, body)
    sitting.covers = {data["covered_by"]}
    if known and cover != data["covered_by"]:
        sitting.covers.add(cover)
        by_rule = f"by R62 it is {cover} (None: it is not covered)."
        yield Problem("seated_differs", f"Charge {data['covered_by']} covers the first fee; {by_rule}")


def _take_over(floor: Floor, table: ReplayedTable, sitting: ReplayedSitting, body: Body) -> None:
    """Believe the event, if what came before it was wrong or is unknown."""
    data = body["data"]
    floor.stand_up(table, sitting)
    sitting.id, sitting.seat, sitting.player = data["sitting"], data["seat"], data["player"]
    sitting.entered_at, sitting.covered_by = data["entered_at"], data["covered_by"]
    sitting.stack, sitting.sure = data["stack"], True
    floor.sit(table, sitting)


def _wrong_seat(floor: Floor, table: ReplayedTable, body: Body, sitting: ReplayedSitting | None) -> Problems:
    data = body["data"]
    if sitting is None or table.awaits is None:
        if "from_session" in data and not floor.moves_sure:
            return
        yield Problem("no_buy_in", "No chips were brought to this seat before.")
        return
    if body["at"] != data["entered_at"] or not body["at"] <= body["recorded_at"]:
        yield Problem("other_time", "It happened at another time than the player entered.")
    if not sitting.sure:
        return
    found = {
        "sitting": sitting.id,
        "seat": sitting.seat,
        "player": sitting.player,
        "stack": data["stack"] if sitting.stack is None else sitting.stack,
        "entered_at": sitting.entered_at,
        "covered_by": sitting.covered_by,
        "from_sitting": sitting.from_sitting,
    }
    for name, value in found.items():
        if data[name] != value:
            where = "" if sitting.mark is None else f"; by {sitting.mark.record} it is {value}"
            yield Problem("other_seat", f"Its {name} is {data[name]}{where}.")


def _late_entry(table: ReplayedTable, sitting: ReplayedSitting, recorded_at: str) -> Problems:
    """Judge a claimed time of entry: a second person approves it if it changes a fee (R61)."""
    if not (sitting.claimed and sitting.sure) or sitting.approved:
        return
    changed = table.late_fee
    if (down := table.clock.latest) is not None:
        by_claim, by_record = (
            owed(table.rate.fee_cents, min(down.starts), moment(at), table.clock.stops).cents
            for at in (sitting.entered_at, recorded_at)
        )
        changed = changed or by_claim != by_record
    if changed:
        sentence = "The time of entry that was claimed changes the fee, and nobody approved it (R61)."
        yield Problem("second_person", sentence, sitting.mark)


# -- between rounds ------------------------------------------------------------------------------------------


def add_on(floor: Floor, table: ReplayedTable, body: Body) -> Problems:
    sitting = table.sittings.get(body["evidence"]["sitting"])
    wrong = list(_wrong_add_on(table, body, sitting))
    yield from wrong
    keep(floor, table, body, sitting, wrong)


def _wrong_add_on(table: ReplayedTable, body: Body, sitting: ReplayedSitting | None) -> Problems:
    said = body["evidence"]
    if sitting is None or sitting.left:
        yield Problem("not_seated", "It is for somebody who does not sit at the table.")
        return
    yield from _wrong_chips(table, body, sitting.stack)
    yield from other_seat(sitting, said["seat"], said["player"])
    yield from dealt_in(table, sitting)
    if sitting.counted and (code := wrong_add_on(sitting.cents, said["cents"], table.most)):
        yield Problem(code, f"The stack is above {table.most} cents after it (R52).")


def sat_out(floor: Floor, table: ReplayedTable, body: Body) -> Problems:
    data, sitting = body["data"], table.sittings.get(body["data"]["sitting"])
    if sitting is None or sitting.left:
        yield Problem("not_seated", "The player does not sit at the table.")
        sitting = table.seats.get(data["seat"])
    elif sitting.sure and sitting.seat != data["seat"]:
        yield Problem("other_seat", f"The player sits in seat {sitting.seat}.")
    if sitting is not None:
        sitting.out = body["kind"] == "sat_out"


def seat_changed(floor: Floor, table: ReplayedTable, body: Body) -> Problems:
    data = body["data"]
    sitting, seat = table.sittings.get(data["sitting"]), data["to_seat"]
    if sitting is None or sitting.left:
        yield Problem("not_seated", "The player does not sit at the table.")
        return
    if sitting.sure and sitting.seat != data["seat"]:
        yield Problem("other_seat", f"The player sits in seat {sitting.seat}.")
    taken = [at for at, other in table.seats.items() if other.sure and other is not sitting]
    played = table.matches_known and table.has_played_match(sitting)
    code = wrong_seat_change(
        data["seat"], seat, taken, round_running=table.running is not None, played_match=played
    )
    if code:
        yield Problem(code, f"The player could not change to seat {seat} then (R50).")
    _reseat(table, sitting, seat, body["at"])


def _reseat(table: ReplayedTable, sitting: ReplayedSitting, seat: int, at: str) -> None:
    for before in [before for before, other in table.seats.items() if other is sitting]:
        del table.seats[before]
        table.vacated.append((before, at))
    sitting.seat = seat
    table.seats.setdefault(seat, sitting)
