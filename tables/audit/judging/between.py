"""Between rounds: tokes, chip counts, time called on a hand, and merged players (R52, R57, R62). Pure."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from tables.audit.floor.floor import Floor, Problem, Problems
from tables.audit.floor.house import moment
from tables.audit.floor.sitting import Body, ReplayedSitting, transfers_of
from tables.audit.floor.table import ReplayedTable
from tables.audit.judging.chip_corrections import keep
from tables.audit.judging.moments import dealt_in, other_seat

CALLED_FOR: Final = timedelta(seconds=60)


def toke(floor: Floor, table: ReplayedTable, body: Body) -> Problems:
    """Judge a toke: from the stack to that dealer's account, and nowhere else."""
    sitting = table.sittings.get(body["evidence"]["sitting"])
    wrong = list(_wrong_toke(floor, table, body, sitting))
    yield from wrong
    keep(floor, table, body, sitting, wrong)


def _wrong_toke(floor: Floor, table: ReplayedTable, body: Body, sitting: ReplayedSitting | None) -> Problems:
    said = body["evidence"]
    if sitting is None or sitting.left:
        yield Problem("not_seated", "It is from somebody who does not sit at the table.")
        return
    yield from other_seat(sitting, said["seat"], said["player"])
    yield from dealt_in(table, sitting)
    if transfers_of(body) != [(sitting.stack, said["account"], said["cents"])]:
        yield Problem("wrong_amount", f"It does not bring {said['cents']} cents from the stack to the tokes.")
    yield from _wrong_account(floor, body)


def _wrong_account(floor: Floor, body: Body) -> Problems:
    """Judge a dealer's account of tokes, which is the dealer's only one and nobody else's."""
    dealer, account = body["evidence"]["dealer"], body["evidence"]["account"]
    known = floor.tokes.get(dealer)
    if known is None and account in floor.tokes.values():
        yield Problem("other_account", f"Account {account} has the tokes of another dealer (R52).")
    elif floor.tokes.setdefault(dealer, account) != account:
        yield Problem("other_account", f"The tokes of person {dealer} are in account {known} (R52).")


def toke_payout(floor: Floor, body: Body) -> Problems:
    said, lines = body["evidence"], transfers_of(body)
    floor.count("tokes paid out")
    if len(lines) != 1 or (lines[0][0], lines[0][2]) != (said["account"], said["cents"]):
        yield Problem("wrong_amount", f"It does not bring {said['cents']} cents out of the tokes.")
    if body["actor"] == said["dealer"]:
        yield Problem("second_person", "Nobody pays out their own tokes.")
    yield from _wrong_account(floor, body)


def chips_counted(floor: Floor, table: ReplayedTable, body: Body) -> Problems:
    """Judge a count of all stacks, between rounds, against their balances. It changes nothing."""
    data = body["data"]
    if table.running is not None:
        yield Problem("round_running", "A round was running: its chips were on their way.")
    counted = {int(seat): cents for seat, cents in data["counted"].items()}
    seats = [one["seat"] for one in data["stacks"]]
    if (
        len(seats) != len(counted)
        or {*seats} != counted.keys()
        or (table.sure and {*seats} != table.seats.keys())
    ):
        yield Problem("other_seats", "The stacks that were counted are not those of who sits there.")
        return
    for one in data["stacks"]:
        yield from _wrong_stack(table, one, counted[one["seat"]])


def _wrong_stack(table: ReplayedTable, one: Body, counted: int) -> Problems:
    sitting, expected = table.sittings.get(one["sitting"]), one["expected_cents"]
    if sitting is None or sitting.left or (sitting.sure and sitting.seat != one["seat"]):
        yield Problem("other_seat", f"Sitting {one['sitting']} is not in seat {one['seat']}.")
    elif sitting.counted and sitting.cents != expected:
        yield Problem("stack_differs", f"Seat {one['seat']} has {sitting.cents} cents, not {expected}.")
    elif counted < 0 or counted - expected != one["difference_cents"]:
        yield Problem("wrong_difference", f"Seat {one['seat']} differs by {counted - expected} cents.")


def time_called(floor: Floor, table: ReplayedTable, body: Body) -> Problems:
    data, running = body["data"], table.running
    if moment(data["ends_at"]) - moment(body["at"]) != CALLED_FOR:
        yield Problem("other_time", "The player did not have sixty seconds (R57).")
    if running is None or (running.said, running.id) != (data["round"], data["round_id"]):
        yield Problem("not_running", f"Round {data['round']} was not being played.")
    elif running.sure and data["seat"] not in running.sittings:
        yield Problem("other_seat", f"Seat {data['seat']} was not dealt in.")


def merged(floor: Floor, body: Body) -> Problems:
    """Merge a player into another one: fees and chips taken away follow the person (R52, R62)."""
    merged, into = body["merged"], body["into"]
    if merged == into:
        yield Problem("same_player", "It merges an entry with itself.")
        return
    if body["actor"] == body["approver"]:
        yield Problem("second_person", "Nobody else approved it.")
    for player in (merged, into):
        if player in floor.persons:
            yield Problem("player_merged", f"Player {player} had been merged before.")
    seated = floor.players.get(merged)
    if seated is not None and seated.sure:
        yield Problem(
            "player_seated", f"Player {merged} sat in seat {seated.seat} of session {seated.session}."
        )
    if not body["reason"].strip():
        yield Problem("reason_required", "It has no reason.")
    floor.merge(merged, into)
