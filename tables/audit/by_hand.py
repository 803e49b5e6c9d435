"""Rounds whose cards are gone, as they were asked to be settled by hand, and settled (R58). Pure.

What the points come to is worked out again by the check of rounds.
"""

from __future__ import annotations

from tables.audit import claims
from tables.audit.seatings import Body, Floor, HandRequest, Problem, Problems, Table
from tables.rules.errors import BadPoints
from tables.rules.game.by_hand import normal_points


def asked(floor: Floor, table: Table, place: int, body: Body) -> Problems:
    """Somebody asks for the running round to be settled by hand."""
    data = body["data"]
    yield from _told(body)
    yield from _wrong_round(table, data)
    request = HandRequest(data["request"], body["actor"], data["reason"], data["points"])
    table.by_hand[data["round_id"]] = request


def _wrong_round(table: Table, data: Body) -> Problems:
    """It is the running round, or one that was settled by hand before, and the points are of those who play it."""
    number, points, running = data["round"], data["points"], table.running
    before = table.hand_settled.get(number)
    if before is not None and table.round_ids.get(number) == data["round_id"]:
        seats, sure = table.played.get(number, {}).keys(), number in table.played
        if before == points:
            yield Problem("nothing_changes", "These are the points by which it was settled.")
    elif running is None or running.id != data["round_id"] or running.number != number:
        yield Problem("not_running", f"Round {number} was not being played, nor settled by hand.")
        return
    else:
        seats, sure = running.sittings.keys(), running.sure
    if sure and points != _kept(points, seats):
        yield Problem("bad_points", "Its points are not one whole number for every two players (R58).")


def _kept(points: list[list[int]], seats: object) -> list[list[int]] | None:
    try:
        return [list(one) for one in normal_points(points, seats)]  # type: ignore[arg-type]
    except BadPoints:
        return None


def refused(floor: Floor, table: Table, place: int, body: Body) -> Problems:
    """Another one refuses it."""
    data = body["data"]
    yield from _told(body)
    request = table.by_hand.pop(data["round_id"], None)
    if request is None or request.id != data["request"]:
        yield Problem("not_asked", "Nobody had asked for this settlement by hand (R58).")
    elif request.actor == body["actor"]:
        yield Problem("second_person", "Who asked for a settlement by hand cannot refuse it.")
    if table.round_ids and data["round_id"] != table.round_ids.get(data["round"], data["round_id"]):
        yield Problem("other_round", f"Round {data['round']} has another id.")


def settled(floor: Floor, table: Table, place: int, body: Body) -> Problems:
    """The round is settled by hand, as it was asked for."""
    yield from _as_asked(table, body)
    floor.count("rounds settled by hand")
    table.hand_settled[table.begun] = body["evidence"]["input"]["points"]
    yield from claims.settled(floor, table, place, body)
    table.last_by_hand = True


def settled_anew(floor: Floor, table: Table, place: int, body: Body) -> Problems:
    """Other points take the place of those by which the round was settled by hand."""
    back, wrong = table.taken_back, list(_as_asked(table, body))
    if back is not None:
        table.hand_settled[back.number] = body["evidence"]["input"]["points"]
    yield from wrong if back is None or back.sure else ()  # told of its reversal
    yield from claims.correction(floor, table, place, body)


def _as_asked(table: Table, body: Body) -> Problems:
    said = body["evidence"]
    request = table.by_hand.pop(said["round_id"], None)
    own = HandRequest(said["request"], body["actor"], body["reason"], said["input"]["points"])
    if request is None:
        yield Problem("not_asked", "Nobody had asked for this settlement by hand (R58).")
    elif request != own:
        yield Problem(
            "not_asked", "It is not the settlement that was asked for: by whom, why, and the points (R58)."
        )


def _told(body: Body) -> Problems:
    if body["at"] != body["recorded_at"]:
        yield Problem("other_time", "It happened at another time than it was recorded.")
    if not str(body["data"]["reason"]).strip():
        yield Problem("reason_required", "It has no reason (R58).")
