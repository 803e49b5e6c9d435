"""Corrections and settlements by hand as they were asked for, refused, and carried out (R58). Pure."""

from __future__ import annotations

from collections.abc import Iterable

from tables.audit.floor.floor import Floor, Problem, Problems
from tables.audit.floor.round import REVERSED, SETTLED, HandRequest, ReplayedRound, ReversedRound
from tables.audit.floor.sitting import Body
from tables.audit.floor.table import Awaited, ReplayedTable
from tables.audit.judging.moments import wrong_moment, wrong_reason
from tables.rules.errors import BadPoints
from tables.rules.game.by_hand import normal_points

CORRECTION = frozenset({"entry correction"})


def correction(floor: Floor, table: ReplayedTable, body: Body) -> Problems:
    """Somebody asks for a correction, or another one refuses it."""
    data = body["data"]
    number, open_request = data["round"], table.asked.get(data["round"])
    yield from wrong_moment(body)
    yield from wrong_reason(body)
    if not any(number in (round_.number, round_.said) for round_ in table.settled.values()):
        yield Problem("not_settled", f"Round {number} had not been settled.")
    if body["kind"] == "correction_asked":
        table.asked[number] = (data["correction"], body["actor"], data["reason"])
        return
    if open_request is None or open_request[0] != data["correction"]:
        yield Problem("not_asked", "Nobody had asked for this correction.")
    elif open_request[1] == body["actor"]:
        yield Problem("second_person", "Who asked for a correction cannot refuse it.")
    table.asked.pop(number, None)


def by_hand(floor: Floor, table: ReplayedTable, body: Body) -> Problems:
    """Somebody asks for a round to be settled by hand."""
    data = body["data"]
    yield from wrong_moment(body)
    yield from wrong_reason(body)
    yield from _wrong_round(table, data)
    request = HandRequest(data["request"], body["actor"], data["reason"], data["points"])
    table.by_hand[data["round_id"]] = request


def _wrong_round(table: ReplayedTable, data: Body) -> Problems:
    """It is the running round, or one that was settled by hand before, and the points are of those who play it."""
    number, points, running = data["round"], data["points"], table.running
    before = table.numbers.get(number)
    if before is not None and before.points is not None and before.id == data["round_id"]:
        round_ = before
        if before.points == points:
            yield Problem("nothing_changes", "These are the points by which it was settled.")
    elif running is None or running.id != data["round_id"] or running.said != number:
        yield Problem("not_running", f"Round {number} was not being played, nor settled by hand.")
        return
    else:
        round_ = running
    if round_.sure and points != _kept(points, round_.seats):
        yield Problem("bad_points", "Its points are not one whole number for every two players (R58).")


def _kept(points: list[list[int]], seats: Iterable[int]) -> list[list[int]] | None:
    try:
        return [list(one) for one in normal_points(points, seats)]
    except BadPoints:
        return None


def by_hand_refused(floor: Floor, table: ReplayedTable, body: Body) -> Problems:
    """Another one refuses to have it settled by hand."""
    data = body["data"]
    yield from wrong_moment(body)
    yield from wrong_reason(body)
    request, round_ = table.by_hand.pop(data["round_id"], None), table.numbers.get(data["round"])
    if request is None or request.id != data["request"]:
        yield Problem("not_asked", "Nobody had asked for this settlement by hand (R58).")
    elif request.actor == body["actor"]:
        yield Problem("second_person", "Who asked for a settlement by hand cannot refuse it.")
    if round_ is not None and round_.id != data["round_id"]:
        yield Problem("other_round", f"Round {data['round']} has another id.")


def wrong_by_hand(table: ReplayedTable, body: Body) -> Problems:
    """A settlement by hand is the one that was asked for."""
    said = body["evidence"]
    request = table.by_hand.pop(said["round_id"], None)
    own = HandRequest(said["request"], body["actor"], body["reason"], said["input"]["points"])
    if request is None:
        yield Problem("not_asked", "Nobody had asked for this settlement by hand (R58).")
    elif request != own:
        wrong = "It is not the settlement that was asked for: by whom, why, and the points (R58)."
        yield Problem("not_asked", wrong)


def round_reversed(floor: Floor, table: ReplayedTable, round_: ReplayedRound, body: Body) -> Problems:
    """A settlement is reversed, as a correction of it was asked for; the next one of its round has to name it."""
    said, own = body["evidence"], (body["actor"], body["reason"])
    by, wrong = _asked_by(table, round_), list[Problem]()
    if (
        round_.state != SETTLED
        or body["reverses"] != round_.entry
        or table.rounds.get(said["round_id"]) is not round_
    ):
        which = f"The settlement of round {round_.number} that stands is another one."
        wrong.append(Problem("not_standing", which))
    if said["reverses"] != body["reverses"]:
        wrong.append(Problem("other_entry", f"Its evidence is not about entry {body['reverses']}."))
    if table.running is not None:
        wrong.append(Problem("round_running", "A round was running: its stacks may not change (R58)."))
    if by is None:
        nobody = f"Nobody had asked for a correction of round {round_.number} (R58)."
        wrong.append(Problem("not_asked", nobody))
    elif by != own:
        other = "It is not the correction that was asked for: by whom, and why (R58)."
        wrong.append(Problem("not_asked", other))
    round_.state = REVERSED
    table.settled.pop(round_.entry, None)
    floor.move(body["transfers"])
    table.reversed = ReversedRound(round_, (own,) if by is None else (own, by), not wrong)
    missing = "The round was not settled again after it."
    table.awaits = Awaited(floor.mark(body), "not_settled_again", missing, CORRECTION)
    yield from wrong


def _asked_by(table: ReplayedTable, round_: ReplayedRound) -> tuple[int, str] | None:
    """By whom and why a correction of a round was asked for; one by hand is asked for until it is posted again.

    Points that were asked for before the cards turned up after all are no correction of these.
    """
    if round_.by_hand:
        by_hand = table.by_hand.get(round_.id)
        return None if by_hand is None else (by_hand.actor, by_hand.reason)
    request = table.asked.pop(round_.number, None)
    return None if request is None else request[1:]


def wrong_correction(table: ReplayedTable, body: Body) -> Problems:
    """A round is corrected by who reversed its settlement, for the same reason."""
    back = table.reversed
    by_hand = list(wrong_by_hand(table, body)) if body["evidence"].get("by_hand") is True else []
    if back is None or back.sure:
        yield from by_hand  # otherwise it was told of the reversal
    if back is not None and (body["actor"], body["reason"]) not in back.by:
        yield Problem("not_asked", "It is not by who took the settlement back, or not for that reason.")
