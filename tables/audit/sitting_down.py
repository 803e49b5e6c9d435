"""Players sit down, add on, sit out, move and leave: each seat and each chip of a stack in the log (R51, R52, R55, R63). Pure."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from tables.audit.chip_corrections import bounds_of, remember
from tables.audit.house import moment, same_moment
from tables.audit.seatings import Await, Body, Floor, Problem, Problems, Sitting, Table, mark_of, transfers_of
from tables.rules.table.dealing import SEATS
from tables.rules.table.downs import owed

_DOWNS: Final = ("table_event rate_changed", "down")
TO_BE_SEATED: Final = frozenset({*_DOWNS, "charge", "table_event seated"})
TO_ARRIVE: Final = frozenset({*_DOWNS, "table_event seated"})
TO_LEAVE: Final = frozenset({*_DOWNS, "table_event left"})


# -- the first buy-in ---------------------------------------------------------------------------------------------


def buy_in(floor: Floor, table: Table, place: int, body: Body) -> Problems:
    """A player sits down with a first buy-in. Who sits where is said once more by the event behind it."""
    said, mark = body["evidence"], mark_of(place, body)
    lines = transfers_of(body)
    stack = lines[-1][1] if lines else None
    wrong = list(_wrong_buy_in(floor, table, body, stack))
    yield from wrong
    floor.count("buy-ins")
    sitting = Sitting(
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
        remember(table, body, sitting, bounds=bounds_of(table, body, sitting.player))
    floor.move(body["transfers"])
    table.awaits, table.late_fee = Await(mark, "not_seated", "Nobody sat down with it.", TO_BE_SEATED), False


def _wrong_buy_in(floor: Floor, table: Table, body: Body, stack: int | None) -> Problems:
    said, occurred_at, recorded_at = body["evidence"], body["occurred_at"], body["recorded_at"]
    yield from _wrong_chips(table, body, stack)
    if stack in floor.stacks:
        yield Problem("other_stack", "Its chips go to a stack that belongs to somebody else.")
    before = table.sittings.get(said["sitting"])
    if before is not None and before.sure:
        yield Problem("other_stack", f"Sitting {said['sitting']} had begun before.")
    if said["seat"] not in SEATS:
        yield Problem("unknown_seat", "A table has seats 1 to 5.")
    elif said["seat"] in table.seats and table.seats[said["seat"]].sure:
        yield Problem("seat_taken", f"Seat {said['seat']} was taken (R51).")
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


def _overlaps(table: Table, said: Body, entered_at: str) -> bool:
    """Whether somebody else was still in the seat then, or the player still in another one of the table."""
    return any(
        sitting.left_at is not None
        and sitting.left_at > entered_at
        and (sitting.seat == said["seat"] or sitting.player == said["player"])
        for sitting in table.sittings.values()
        if sitting.sure
    )


def _wrong_chips(table: Table, body: Body, stack: int | None) -> Problems:
    """Chips from the table's bank for as much cash, or from outside, onto a stack."""
    said, lines = body["evidence"], transfers_of(body)
    cents = said["cents"]
    if said["source"] == "cash" and len(lines) == 2 and lines[0][1] != table.bank_cash:
        yield Problem("other_bank", "The cash does not go to the table's bank.")
        table.bank_cash = lines[0][1]  # told once: it may be the opening that is wrong
        return
    match said["source"]:
        case "cash":
            right = (
                len(lines) == 2
                and lines[0][1:] == (table.bank_cash, cents)
                and lines[1] == (table.bank_chips, stack, cents)
            )
        case "chips":
            right = (
                len(lines) == 1
                and lines[0][1:] == (stack, cents)
                and body["transfers"][0]["from_kind"] == "outside"
            )
        case _:
            right = False
    if not right:
        yield Problem(
            "wrong_amount",
            f"It does not bring {cents} cents of chips, for as much money, from where it says.",
        )


def wrong_bounds(floor: Floor, table: Table, player: int, cents: int, now: str) -> Problems:
    """The bounds of a first buy-in; who comes back within the interval brings what they took away (R52)."""
    least, most = 30 * table.limit_cents, table.most
    left = table.last_left.get(player)
    if left is not None:
        minutes = floor.house.return_minutes
        if minutes is None or not left.left_at:
            return
        if moment(left.left_at) >= moment(now) - timedelta(minutes=minutes):
            if (taken := _taken_away(left)) is None:
                return
            least, most = max(least, taken), max(most, taken)
    if cents < least:
        yield Problem(
            "buy_in_too_small", f"It brings {cents} cents; at least {least} were to be brought (R52)."
        )
    if cents > most:
        yield Problem("buy_in_too_large", f"It brings {cents} cents; at most {most} may be brought (R52).")


def _taken_away(left: Sitting) -> int | None:
    """What somebody took away, or what is left of it where it was carried to another table; None if that is not known."""
    cents, sitting = left.taken_away, left
    while True:
        if not (sitting.sure and sitting.counted):
            return None
        if sitting.moved_to is None:
            return cents
        sitting = sitting.moved_to
        cents = min(cents, sitting.taken_away if sitting.cashed else sitting.cents)


def seated(floor: Floor, table: Table, place: int, body: Body) -> Problems:
    """Somebody sits down: as the buy-in, or the move, before it says."""
    data = body["data"]
    sitting = table.sittings.get(data["sitting"])
    awaited = table.awaits
    if awaited is not None and sitting is None:
        # Its number is wrong: it is whoever was about to sit down.
        sitting = next((other for other in table.seats.values() if other.mark == awaited.mark), None)
    wrong = list(_wrong_seat(floor, table, body, sitting))
    yield from wrong
    yield from _late_entry(table, sitting, body["recorded_at"]) if sitting is not None and not wrong else ()
    table.awaits = None
    if sitting is None:
        sitting = Sitting(
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


def _take_over(floor: Floor, table: Table, sitting: Sitting, body: Body) -> None:
    """Believe the event, where what came before it was accused or is older than what is known."""
    data = body["data"]
    for seat in [seat for seat, other in table.seats.items() if other is sitting]:
        del table.seats[seat]
    if floor.players.get(sitting.player) is sitting:
        del floor.players[sitting.player]
    sitting.id, sitting.seat, sitting.player = data["sitting"], data["seat"], data["player"]
    sitting.entered_at, sitting.covered_by = data["entered_at"], data["covered_by"]
    if sitting.stack is not None:
        floor.stacks.pop(sitting.stack, None)
    sitting.stack, sitting.sure = data["stack"], True
    floor.sit(table, sitting)


def _wrong_seat(floor: Floor, table: Table, body: Body, sitting: Sitting | None) -> Problems:
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


def _late_entry(table: Table, sitting: Sitting, recorded_at: str) -> Problems:
    """A time of entry that was claimed, and changes a fee, has been approved by a second person (R61)."""
    if not (sitting.claimed and sitting.sure) or sitting.approved:
        return
    changed = table.late_fee
    if table.down is not None:
        fee, start = table.schedule["fee_cents"], moment(table.down[1])
        by_claim = owed(fee, start, moment(sitting.entered_at), table.stops)
        changed = changed or by_claim.cents != owed(fee, start, moment(recorded_at), table.stops).cents
    if changed:
        sentence = "The time of entry that was claimed changes the fee, and nobody approved it (R61)."
        yield Problem("second_person", sentence, sitting.mark)


# -- between rounds -----------------------------------------------------------------------------------------------


def add_on(floor: Floor, table: Table, place: int, body: Body) -> Problems:
    """A player adds chips to the stack."""
    said = body["evidence"]
    sitting = table.sittings.get(said["sitting"])
    wrong = list(_wrong_add_on(table, body, sitting))
    yield from wrong
    floor.count("add-ons")
    if wrong:
        floor.doubt(body["transfers"], sitting)
    elif sitting is not None:
        remember(table, body, sitting, bounds=bounds_of(table, body, sitting.player, sitting.cents))
    floor.move(body["transfers"])


def _wrong_add_on(table: Table, body: Body, sitting: Sitting | None) -> Problems:
    said = body["evidence"]
    if sitting is None or sitting.left_at is not None:
        yield Problem("not_seated", "It is for somebody who does not sit at the table.")
        return
    yield from _wrong_chips(table, body, sitting.stack)
    if sitting.sure and said["seat"] != sitting.seat:
        yield Problem("other_seat", f"The player sits in seat {sitting.seat}.")
    if table.is_dealt_in(sitting):
        yield Problem("round_running", "The player had a hand in a running round (R52).")
    if sitting.counted and sitting.cents + said["cents"] > table.most:
        yield Problem("buy_in_too_large", f"The stack is above {table.most} cents after it (R52).")


def sat_out(floor: Floor, table: Table, place: int, body: Body) -> Problems:
    """A player sits out, or is back."""
    data, sitting = body["data"], table.sittings.get(body["data"]["sitting"])
    if sitting is None or sitting.left_at is not None:
        yield Problem("not_seated", "The player does not sit at the table.")
        sitting = table.seats.get(data["seat"])
    elif sitting.sure and sitting.seat != data["seat"]:
        yield Problem("other_seat", f"The player sits in seat {sitting.seat}.")
    if body["at"] != body["recorded_at"]:
        yield Problem("other_time", "It happened at another time than it was recorded.")
    if sitting is not None:
        sitting.out = body["kind"] == "sat_out"


# -- leaving and moving -------------------------------------------------------------------------------------------


def cash_out(floor: Floor, table: Table, place: int, body: Body) -> Problems:
    """A player leaves with the whole stack, after the fees that it could pay."""
    said = body["evidence"]
    wrong = list(_wrong_leaving(table, body, table.sittings.get(said["sitting"]), said["seat"]))
    sitting = _who_leaves(floor, table, body, said["seat"])
    lines = body["transfers"]
    if any(line["to_kind"] != "outside" for line in lines):
        wrong.append(Problem("wrong_amount", "It does not go outside."))
    yield from wrong
    floor.count("cash-outs")
    mark = mark_of(place, body)
    if wrong:
        floor.doubt(body["transfers"], sitting)
    elif sitting is not None:
        remember(table, body, sitting, cents=sum(line["cents"] for line in lines))
    _go(floor, body, sitting)
    table.awaits = Await(mark, "not_seated", "Nobody left the table with it.", TO_LEAVE)


def _who_leaves(floor: Floor, table: Table, body: Body, seat: int) -> Sitting | None:
    """Whose chips go: of who is named and whose stack it is the one in that seat."""
    named = table.sittings.get(body["evidence"]["sitting"])
    lines = body["transfers"]
    holder = floor.stacks.get(lines[0]["from"]) if lines else None
    if holder is None or holder.session != table.session:
        return named
    return holder if holder.seat == seat or named is None else named


def _go(floor: Floor, body: Body, sitting: Sitting | None) -> None:
    if sitting is not None:
        sitting.taken_away = sum(line["cents"] for line in body["transfers"])
        sitting.cashed = True
    floor.move(body["transfers"])


def _wrong_leaving(table: Table, body: Body, sitting: Sitting | None, seat: int) -> Problems:
    """The whole stack goes, at a time when it may, and what it could pay of fees has been paid (R52, R63)."""
    said, lines = body["evidence"], transfers_of(body)
    if sitting is None or sitting.left_at is not None or sitting.cashed:
        yield Problem("not_seated", "It is for somebody who does not sit at the table.")
        return
    if sitting.sure and seat != sitting.seat:
        yield Problem("other_seat", f"The player sits in seat {sitting.seat}.")
    if sitting.counted:
        whole = [(sitting.stack, sitting.cents)] if sitting.cents else []
        if [(source, cents) for source, _, cents in lines] != whole:
            yield Problem("wrong_amount", f"It is not the whole stack of {sitting.cents} cents (R52).")
    elif len(lines) > 1 or any(source != sitting.stack for source, _, _ in lines):
        yield Problem("wrong_amount", "It is not the player's stack.")
    if table.is_dealt_in(sitting):
        yield Problem("round_running", "The player had a hand in a running round (R52).")
    if table.plays_match(sitting):
        yield Problem("match_running", f"The player plays match {table.match}, which is not over (R42).")
    owing = table.fees_of(sitting.player)
    if sitting.sure and sorted(said["unpaid_fees"]) != sorted(fee.id for fee in owing):
        yield Problem(
            "unpaid_fees", "The fees that it leaves unpaid are others than those that are open (R63)."
        )
    elif sitting.counted and any(fee.cents <= sitting.cents for fee in owing):
        yield Problem("unpaid_fees", "A fee is left unpaid that the stack could pay (R63).")


def left(floor: Floor, table: Table, place: int, body: Body) -> Problems:
    """A player has left the table."""
    data = body["data"]
    sitting = table.sittings.get(data["sitting"])
    if sitting is None or sitting.left_at is not None or not sitting.cashed:
        yield Problem(
            "not_cashed_out", "The player's chips had not left the table, or sat at another one (R52)."
        )
        # Whose chips have is who has left.
        sitting = next((other for other in table.seats.values() if other.cashed), None)
    else:
        if sitting.sure and data["seat"] != sitting.seat:
            yield Problem("other_seat", f"The player sat in seat {sitting.seat}.")
        moved = sitting.moved_to
        if moved is not None and moved.sure:
            there = (moved.session, moved.seat, moved.player)
            if (data["to_session"], data["to_seat"], data["player"]) != there:
                yield Problem(
                    "other_seat", f"The player moved to seat {moved.seat} of session {moved.session}."
                )
    if body["at"] != body["recorded_at"]:
        yield Problem("other_time", "It happened at another time than it was recorded.")
    table.awaits = None
    if sitting is not None:
        floor.leave(table, sitting, body["recorded_at"])


def table_move(floor: Floor, table: Table | None, place: int, body: Body) -> Problems:
    """A player goes to another table with the whole stack (R55). Either table may be older than what is known."""
    said, mark = body["evidence"], mark_of(place, body)
    new = floor.find(said["to_session"])
    sitting = table.sittings.get(said["sitting"]) if table is not None else None
    wrong = []
    if table is not None and not table.lost:
        wrong += list(_wrong_leaving(table, body, sitting, said["from_seat"]))
        sitting = _who_leaves(floor, table, body, said["from_seat"])
    wrong += list(_wrong_move(floor, table, new, body, sitting))
    yield from wrong
    floor.count("moves between tables")
    floor.moves_sure = not wrong and table is not None
    if wrong:
        floor.doubt(body["transfers"], sitting)
    if table is not None:
        if sitting is not None and not wrong:
            remember(table, body, sitting)
        _go(floor, body, sitting)
        table.awaits = Await(mark, "not_seated", "Nobody left the table with it.", TO_LEAVE)
    if new is None:
        return
    arrived = Sitting(
        id=said["to_sitting"],
        session=new.session,
        seat=said["seat"],
        player=-1 if sitting is None else sitting.player,
        stack=body["transfers"][0]["to"] if body["transfers"] else None,
        entered_at=body["occurred_at"],
        covered_by=said["covered_by"],
        from_sitting=said["sitting"],
        cents=said["cents"],
        out=False if sitting is None else sitting.out,
        mark=mark,
        sure=not wrong and sitting is not None and sitting.sure,
        counted=not wrong,
    )
    if sitting is not None:
        sitting.moved_to = arrived
    if new.session in floor.tables:
        floor.sit(new, arrived)
        new.awaits = Await(mark, "not_seated", "Nobody sat down with it.", TO_ARRIVE)


def _wrong_move(
    floor: Floor, old: Table | None, new: Table | None, body: Body, sitting: Sitting | None
) -> Problems:
    said, lines, now = body["evidence"], transfers_of(body), body["recorded_at"]
    if [cents for _, _, cents in lines] != ([said["cents"]] if said["cents"] else []):
        yield Problem("wrong_amount", f"It does not move the {said['cents']} cents that it says.")
    if body["occurred_at"] != now:
        yield Problem("other_time", "It happened at another time than it was recorded.")
    if new is None:
        if floor.whole:
            yield Problem("unknown_table", "It goes to a table that is not open.")
        return
    if new is old or new.session not in floor.tables:
        yield Problem("unknown_table", "It goes to a table that is not open, or to the same one.")
    if any(floor.stacks.get(target) is not None for _, target, _ in lines):
        yield Problem("other_stack", "Its chips go to a stack that belongs to somebody else.")
    before = new.sittings.get(said["to_sitting"])
    if before is not None and before.sure:
        yield Problem("other_stack", f"Sitting {said['to_sitting']} had begun before.")
    if said["seat"] not in SEATS:
        yield Problem("unknown_seat", "A table has seats 1 to 5.")
    elif said["seat"] in new.seats and new.seats[said["seat"]].sure:
        yield Problem("seat_taken", f"Seat {said['seat']} was taken (R51).")
    if sitting is None or old is None:
        return
    if not said["ordered"]:
        yield from wrong_bounds(floor, new, sitting.player, said["cents"], now)
