"""Players leave or move: with the whole stack, after the fees it can pay (R52, R55, R63). Pure."""

from __future__ import annotations

from typing import Final

from tables.audit.floor.floor import Floor, Problem, Problems
from tables.audit.floor.sitting import Body, ReplayedSitting, transfers_of
from tables.audit.floor.table import Awaited, ReplayedTable
from tables.audit.judging.chip_corrections import keep
from tables.audit.judging.collections import left_unpaid
from tables.audit.judging.moments import dealt_in, other_seat, wrong_moment
from tables.audit.judging.sitting_down import DOWNS, wrong_bounds, wrong_place

TO_ARRIVE: Final = frozenset({*DOWNS, "table_event seated"})
TO_LEAVE: Final = frozenset({*DOWNS, "table_event left"})


def cash_out(floor: Floor, table: ReplayedTable, body: Body) -> Problems:
    said = body["evidence"]
    wrong = list(_wrong_leaving(floor, table, body, table.sittings.get(said["sitting"]), said["seat"]))
    sitting = _who_leaves(floor, table, body, said["seat"])
    if any(line["to_kind"] != "outside" for line in body["transfers"]):
        wrong.append(Problem("wrong_amount", "It does not go outside."))
    yield from wrong
    keep(floor, table, body, sitting, wrong)
    _go(body, sitting)
    table.awaits = Awaited(floor.mark(body), "not_seated", "Nobody left the table with it.", TO_LEAVE)


def _who_leaves(floor: Floor, table: ReplayedTable, body: Body, seat: int) -> ReplayedSitting | None:
    """Return whose chips go: of the named player and the stack's owner, the one in that seat."""
    named = table.sittings.get(body["evidence"]["sitting"])
    lines = body["transfers"]
    holder = floor.stacks.get(lines[0]["from"]) if lines else None
    if holder is None or holder.session != table.session:
        return named
    return holder if holder.seat == seat or named is None else named


def _go(body: Body, sitting: ReplayedSitting | None) -> None:
    if sitting is not None:
        sitting.taken_away = sum(line["cents"] for line in body["transfers"])
        sitting.cashed = True


def _wrong_leaving(
    floor: Floor, table: ReplayedTable, body: Body, sitting: ReplayedSitting | None, seat: int
) -> Problems:
    """Judge a departure: the whole stack, at an allowed time, after the fees that it could pay (R52, R63)."""
    lines = transfers_of(body)
    if sitting is None or sitting.left or sitting.cashed:
        yield Problem("not_seated", "It is for somebody who does not sit at the table.")
        return
    yield from other_seat(sitting, seat, body["evidence"]["player"])
    if sitting.counted:
        whole = [(sitting.stack, sitting.cents)] if sitting.cents else []
        if [(source, cents) for source, _, cents in lines] != whole:
            yield Problem("wrong_amount", f"It is not the whole stack of {sitting.cents} cents (R52).")
    elif len(lines) > 1 or any(source != sitting.stack for source, _, _ in lines):
        yield Problem("wrong_amount", "It is not the player's stack.")
    yield from dealt_in(table, sitting)
    if table.plays_match(sitting):
        yield Problem("match_running", "The player plays a match, which is not over (R42).")
    if floor.fees_sure(table):
        yield from _wrong_fees(floor, body["evidence"]["unpaid_fees"], sitting)


def _wrong_fees(floor: Floor, unpaid: list[int], sitting: ReplayedSitting) -> Problems:
    """Judge the unpaid fees: all that are open anywhere, and none that the stack could pay (R51, R63)."""
    owing = {charge.id: charge for charge in floor.open_fees(sitting.player) if charge.sure}
    strange = set(unpaid) - owing.keys()
    if not floor.fees_known:  # a fee of an unknown table may be open too
        known = (floor.charges.get(number) for number in strange)
        strange = {charge.id for charge in known if charge is not None and charge.sure}
    if sitting.sure and (strange or not owing.keys() <= set(unpaid) or len(set(unpaid)) != len(unpaid)):
        yield Problem(
            "unpaid_fees", "The fees that it leaves unpaid are others than those that are open (R63)."
        )
    elif sitting.counted and any(charge.body["cents"] <= sitting.cents for charge in owing.values()):
        yield Problem("unpaid_fees", "A fee is left unpaid that the stack could pay (R63).")


def left(floor: Floor, table: ReplayedTable, body: Body) -> Problems:
    data = body["data"]
    sitting = table.sittings.get(data["sitting"])
    if sitting is None or sitting.left or not sitting.cashed:
        yield Problem(
            "not_cashed_out", "The player's chips had not left the table, or sat at another one (R52)."
        )
        # The player whose chips have gone is the one who left.
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
    table.awaits = None
    if sitting is not None:
        yield from left_unpaid(table, sitting.player)
        floor.leave(table, sitting, body["recorded_at"])


def table_move(floor: Floor, table: ReplayedTable | None, body: Body) -> Problems:
    """Judge a move with the whole stack to another table (R55); either may be unknown."""
    said, mark = body["evidence"], floor.mark(body)
    new = floor.find(said["to_session"])
    sitting = table.sittings.get(said["sitting"]) if table is not None else None
    wrong = []
    if table is not None:
        wrong += list(_wrong_leaving(floor, table, body, sitting, said["from_seat"]))
        sitting = _who_leaves(floor, table, body, said["from_seat"])
    wrong += list(_wrong_move(floor, table, new, body, sitting))
    yield from wrong
    floor.moves_sure = not wrong and table is not None
    if table is None and wrong:
        floor.doubt(body["transfers"], sitting)
    if table is not None:
        keep(floor, table, body, sitting, wrong)
        _go(body, sitting)
        table.awaits = Awaited(mark, "not_seated", "Nobody left the table with it.", TO_LEAVE)
    if new is None:
        return
    arrived = ReplayedSitting(
        id=said["to_sitting"],
        session=new.session,
        seat=said["seat"],
        player=-1 if sitting is None else sitting.player,
        stack=body["transfers"][0]["to"] if body["transfers"] else None,
        entered_at=body["occurred_at"],
        covered_by=said["covered_by"],
        from_sitting=said["sitting"],
        out=False if sitting is None else sitting.out,
        mark=mark,
        sure=not wrong and sitting is not None and sitting.sure,
        counted=not wrong,
    )
    if sitting is not None:
        sitting.moved_to = arrived
    if new.session in floor.tables:
        floor.sit(new, arrived)
        new.awaits = Awaited(mark, "not_seated", "Nobody sat down with it.", TO_ARRIVE)


def _wrong_move(
    floor: Floor,
    old: ReplayedTable | None,
    new: ReplayedTable | None,
    body: Body,
    sitting: ReplayedSitting | None,
) -> Problems:
    said, lines, now = body["evidence"], transfers_of(body), body["recorded_at"]
    to_stack = all(line["to_kind"] == "stack" for line in body["transfers"])
    if [cents for _, _, cents in lines] != ([said["cents"]] if said["cents"] else []) or not to_stack:
        yield Problem("wrong_amount", f"It does not move the {said['cents']} cents that it says.")
    yield from wrong_moment(body)
    if new is None:
        if floor.whole:
            yield Problem("unknown_table", "It goes to a table that is not open.")
        return
    if new is old or new.session not in floor.tables:
        yield Problem("unknown_table", "It goes to a table that is not open, or to the same one.")
    yield from wrong_place(floor, new, said["to_sitting"], said["seat"], [target for _, target, _ in lines])
    if sitting is None or old is None:
        return
    if not said["ordered"]:
        yield from wrong_bounds(floor, new, sitting.player, said["cents"], now)
