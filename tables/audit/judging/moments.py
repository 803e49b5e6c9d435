"""Faults of any record: its time, its reason, its player. Pure."""

from __future__ import annotations

from tables.audit.floor.floor import Floor, Problem, Problems
from tables.audit.floor.house import moment
from tables.audit.floor.sitting import Body, ReplayedSitting
from tables.audit.floor.table import ReplayedTable
from tables.rules.table.moments import runs_back, was_under_way


def wrong_moment(body: Body) -> Problems:
    """Judge the time: everything happens when it is recorded."""
    if (body["occurred_at"] if body["record"] == "entry" else body["at"]) != body["recorded_at"]:
        yield Problem("other_time", "It happened at another time than it was recorded.")


def out_of_turn(table: ReplayedTable, body: Body) -> list[Problem]:
    """Judge the order of a table's records by time (R65)."""
    at, newest = body["recorded_at"], table.newest_at
    table.newest_at = at
    if not runs_back(moment(at), moment(newest)):
        return []
    return [
        Problem(
            "time_runs_back", f"It was recorded at {at}, after a record of {newest} at the same table (R65)."
        )
    ]


def in_doubt(floor: Floor, body: Body) -> Problems:
    """Judge acts while the clock is in doubt (R65): no round starts, nothing is charged. What was under way
    may end; at a table known to be ahead nobody can tell."""
    house, at = floor.house, moment(body["recorded_at"])
    if house.doubted is None or (house.ahead_until is not None and at <= house.ahead_until):
        return
    if not was_under_way(at, *house.doubted):
        clock = house.doubted[0].isoformat()
        yield Problem("clock_doubted", f"The clock had been in doubt since it showed {clock} (R65).")


def wrong_reason(body: Body) -> Problems:
    if not str(body["data"]["reason"]).strip():
        yield Problem("reason_required", "It has no reason (R58).")


def other_seat(sitting: ReplayedSitting, seat: int, player: int) -> Problems:
    if sitting.sure and (seat, player) != (sitting.seat, sitting.player):
        yield Problem("other_seat", f"It is player {sitting.player} who sits in seat {sitting.seat}.")


def dealt_in(table: ReplayedTable | None, sitting: ReplayedSitting) -> Problems:
    """Judge the time of moving chips: between rounds (R52)."""
    if table is not None and table.is_dealt_in(sitting):
        yield Problem("round_running", "The player had a hand in a running round (R52).")
