"""Corrections and settlements by hand as asked for, refused and carried out, and their claims (R58). Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tables.audit.floor.floor import Floor, Problem, Problems
from tables.audit.floor.round import (
    REVERSED,
    SETTLED,
    DueClaims,
    ReplayedClaim,
    ReplayedRound,
    Request,
    ReversedRound,
)
from tables.audit.floor.sitting import Body
from tables.audit.floor.table import Awaited, ReplayedTable
from tables.audit.judging.moments import wrong_reason
from tables.rules.errors import BadPoints
from tables.rules.game.by_hand import normal_points
from tables.rules.table.corrections import PairChange, missing, new_claims

_CORRECTION: Final = frozenset({"entry correction"})
_CLAIMS: Final = frozenset({"claim"})
_ACCUSED: Final = -1


def correction(floor: Floor, table: ReplayedTable, body: Body) -> Problems:
    data, number = body["data"], body["data"]["round"]
    request = Request(data["correction"], body["actor"], data["reason"])
    yield from wrong_reason(body)
    if not any(number in (round_.number, round_.said) for round_ in table.settled.values()):
        yield Problem("not_settled", f"Round {number} had not been settled.")
    if body["kind"] == "correction_asked":
        table.asked[number] = request
    else:
        yield from _refused(table.asked.pop(number, None), request, "correction", "correction")


def _refused(asked: Request | None, refused: Request, what: str, rule: str) -> Problems:
    if asked is None or asked.id != refused.id:
        yield Problem("not_asked", f"Nobody had asked for this {rule}.")
    elif asked.actor == refused.actor:
        yield Problem("second_person", f"Who asked for a {what} cannot refuse it.")


def by_hand(floor: Floor, table: ReplayedTable, body: Body) -> Problems:
    data = body["data"]
    yield from wrong_reason(body)
    yield from _wrong_round(table, data)
    table.by_hand[data["round_id"]] = Request(data["request"], body["actor"], data["reason"], data["points"])


def _wrong_round(table: ReplayedTable, data: Body) -> Problems:
    """Judge the round: running, or settled by hand before; and the points: of its players."""
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
    data, round_ = body["data"], table.numbers.get(body["data"]["round"])
    request = Request(data["request"], body["actor"], data["reason"])
    yield from wrong_reason(body)
    asked = table.by_hand.pop(data["round_id"], None)
    yield from _refused(asked, request, "settlement by hand", "settlement by hand (R58)")
    if round_ is not None and round_.id != data["round_id"]:
        yield Problem("other_round", f"Round {data['round']} has another id.")


def wrong_by_hand(table: ReplayedTable, body: Body) -> Problems:
    said = body["evidence"]
    request = table.by_hand.pop(said["round_id"], None)
    own = Request(said["request"], body["actor"], body["reason"], said["input"]["points"])
    if request is None:
        yield Problem("not_asked", "Nobody had asked for this settlement by hand (R58).")
    elif request != own:
        wrong = "It is not the settlement that was asked for: by whom, why, and the points (R58)."
        yield Problem("not_asked", wrong)


def round_reversed(floor: Floor, table: ReplayedTable, round_: ReplayedRound, body: Body) -> Problems:
    """Judge a reversal, which a correction was asked for; the round's next settlement must name it."""
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
    table.reversed = ReversedRound((own,) if by is None else (own, by), not wrong)
    not_again = "The round was not settled again after it."
    table.awaits = Awaited(floor.mark(body), "not_settled_again", not_again, _CORRECTION)
    yield from wrong


def _asked_by(table: ReplayedTable, round_: ReplayedRound) -> tuple[int, str] | None:
    """Return who asked for a correction of a round and why; one by hand stays until it is posted again.
    Points that were asked for before the cards turned up do not count as a correction of these."""
    request = table.by_hand.get(round_.id) if round_.by_hand else table.asked.pop(round_.number, None)
    return None if request is None else (request.actor, request.reason)


def wrong_correction(table: ReplayedTable, body: Body) -> Problems:
    """Judge a corrected round: by who reversed its settlement, for the same reason."""
    back = table.reversed
    by_hand = list(wrong_by_hand(table, body)) if body["evidence"].get("by_hand") is True else []
    if back is None or back.sure:
        yield from by_hand  # otherwise the reversal was reported
    if back is not None and (body["actor"], body["reason"]) not in back.by:
        yield Problem("not_asked", "It is not by who took the settlement back, or not for that reason.")


# -- what a correction could not move, and two players owe each other ----------------------------------------


def expect(
    floor: Floor, table: ReplayedTable, round_: ReplayedRound, changes: list[PairChange] | None, body: Body
) -> None:
    """Expect claims for what a correction could not move; `changes` are None if they were wrong."""
    claimed, round_.claimed = round_.claimed, None
    floor.claims_sure = changes is not None and claimed is not None
    if changes is None or claimed is None:
        return
    round_.claimed = missing(changes)
    players = {seat: sitting.player for seat, sitting in table.players_of(round_).items()}
    due = [(players[one], players[other], cents) for one, other, cents in new_claims(changes, claimed)]
    if due:
        table.due = DueClaims(round_.id, due)
        sentence = "What it could not move was not claimed (R58)."
        table.awaits = Awaited(floor.mark(body), "claim_missing", sentence, _CLAIMS)


def table_of_claim(floor: Floor, body: Body) -> ReplayedTable | None:
    waiting = [table for table in floor.every() if table.due is not None]
    own = [table for table in waiting if table.due is not None and table.due.round_id == body["round_id"]]
    return next(iter([*own, *waiting]), None)


def claimed(floor: Floor, table: ReplayedTable, body: Body) -> Problems:
    due = table.due
    table.claims[body["id"]] = ReplayedClaim(_figures(body))
    if due is None:
        return
    if body["round_id"] != due.round_id:
        yield Problem("other_round", f"The correction before it was of round {due.round_id}.")
    debtor, creditor, cents = due.claims.pop(0)
    if (body["debtor"], body["creditor"], body["cents"]) != (debtor, creditor, cents):
        owes = f"Player {debtor} owes player {creditor} {cents} cents by the correction (R58)."
        yield Problem("wrong_claim", owes)
    if due.settlement not in (None, _ACCUSED, body["settlement"]):
        yield Problem("wrong_claim", "The claims of one correction name one settlement.")
        due.settlement = _ACCUSED
    due.settlement = due.settlement or body["settlement"]
    if not due.claims:
        table.due = table.awaits = None


def claim_paid(floor: Floor, table: ReplayedTable, body: Body) -> Problems:
    """Judge the payment of a claim: once, with the claim's figures."""
    data = body["data"]
    known, said = table.claims.get(data["claim"]), _figures(data)
    if known is None:
        if floor.whole and floor.claims_sure:
            yield Problem("no_claim", "No correction at this table left this claim (R58).")
        return
    if known.paid:
        yield Problem("claim_paid", f"Claim {data['number']} had been paid before.")
    elif known.figures != said:
        yield Problem("wrong_claim", "Its number, its players or its amount are not those of the claim.")
    known.paid = True


def _figures(said: Body) -> tuple[int, int, int, int]:
    return said["number"], said["debtor"], said["creditor"], said["cents"]
