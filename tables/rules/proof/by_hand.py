"""Rounds whose cards are gone, as they were asked to be settled by hand, and settled (R58). Pure.

What the points come to is worked out again by the check of rounds.
"""

from __future__ import annotations

from tables.rules.by_hand import kept_points
from tables.rules.errors import BadPoints
from tables.rules.proof import claims
from tables.rules.proof.seatings import Body, Floor, HandRequest, Problem, Problems, Table


def asked(floor: Floor, table: Table, place: int, body: Body) -> Problems:
    """Somebody asks for the running round to be settled by hand."""
    data = body["data"]
    yield from _told(body)
    running = table.running
    if running is None or running.id != data["round_id"] or running.number != data["round"]:
        yield Problem("not_running", f"Round {data['round']} was not being played.")
    elif running.sure and data["points"] != _kept(data["points"], running.sittings.keys()):
        yield Problem("bad_points", "Its points are not one whole number for every two players (R58).")
    request = HandRequest(data["request"], body["actor"], data["reason"], data["points"])
    table.by_hand[data["round_id"]] = request


def _kept(points: list[list[int]], seats: object) -> list[list[int]] | None:
    try:
        return [list(one) for one in kept_points(points, seats)]  # type: ignore[arg-type]
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
    said = body["evidence"]
    request = table.by_hand.pop(said["round_id"], None)
    own = HandRequest(said["request"], body["actor"], body["reason"], said["input"]["points"])
    if request is None:
        yield Problem("not_asked", "Nobody had asked for this settlement by hand (R58).")
    elif request != own:
        yield Problem(
            "not_asked", "It is not the settlement that was asked for: by whom, why, and the points (R58)."
        )
    floor.count("rounds settled by hand")
    yield from claims.settled(floor, table, place, body)
    table.last_by_hand = True


def _told(body: Body) -> Problems:
    if body["at"] != body["recorded_at"]:
        yield Problem("other_time", "It happened at another time than it was recorded.")
    if not str(body["data"]["reason"]).strip():
        yield Problem("reason_required", "It has no reason (R58).")
