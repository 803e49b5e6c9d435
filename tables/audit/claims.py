"""Corrections as they were asked for, and the claims that they leave between two players (R58). Pure.

What a correction moves, and whether its changes are right, is not asked here: the claims follow from what it says.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ledger.money import cents_of
from tables.audit.corrections import Changes, Pair, by_pair
from tables.audit.seatings import Await, Body, Due, Floor, Problem, Problems, Table, TakenBack, mark_of

CORRECTION: Final = frozenset({"entry correction"})
CLAIMS: Final = frozenset({"claim"})
_TOLD: Final = -1


def settled(floor: Floor, table: Table, place: int, body: Body) -> Problems:
    """A round is settled."""
    said = body["evidence"]
    table.settled[body["id"]] = table.begun
    ended = said.get("match")
    if ended is not None and ended["won_by"] is not None:
        table.match_over = True
    table.running = None
    paid, moved = _payments(said), _moves(table, table.begun, body)
    # Nearly every one moves its payments one by one.
    if moved is None or (moved != [one for one in paid if one[2]] and _owing(moved) != _owing(paid)):
        table.doubt()
    floor.move(body["transfers"])
    return iter(())


def _payments(said: Body) -> list[tuple[int, int, int]]:
    """What a settlement says that its seats pay: (payer, receiver, cents)."""
    paid = (said.get("match") or said["answer"])["payments"]
    return [(one["from"], one["to"], cents_of(one["paid"]) or 0) for one in paid]


def _moves(table: Table, number: int, body: Body) -> list[tuple[int, int, int]] | None:
    """What an entry moves from seat to seat of a round, (from, to, cents); None where it cannot be told."""
    seats = {sitting.stack: seat for seat, sitting in table.played.get(number, {}).items()}
    try:
        return [(seats[line["from"]], seats[line["to"]], line["cents"]) for line in body["transfers"]]
    except KeyError:
        return None


def _owing(payments: Iterable[tuple[int, int, int]]) -> dict[Pair, int]:
    return {pair: cents for pair, cents in by_pair(payments).items() if cents}


def asked(floor: Floor, table: Table, place: int, body: Body) -> Problems:
    """Somebody asks for a correction, or another one refuses it."""
    data = body["data"]
    number, open_request = data["round"], table.asked.get(data["round"])
    if body["at"] != body["recorded_at"]:
        yield Problem("other_time", "It happened at another time than it was recorded.")
    if number not in table.settled.values():
        yield Problem("not_settled", f"Round {number} had not been settled.")
    if not str(data["reason"]).strip():
        yield Problem("reason_required", "It has no reason (R58).")
    if body["kind"] == "correction_asked":
        table.asked[number] = (data["correction"], body["actor"], data["reason"])
        return
    if open_request is None or open_request[0] != data["correction"]:
        yield Problem("not_asked", "Nobody had asked for this correction.")
    elif open_request[1] == body["actor"]:
        yield Problem("second_person", "Who asked for a correction cannot refuse it.")
    table.asked.pop(number, None)


def reversal(floor: Floor, table: Table, place: int, body: Body) -> Problems:
    """A settlement is taken back, as it was asked for."""
    mark, number = mark_of(place, body), table.settled.pop(body["reverses"])
    wrong = []
    if body["evidence"]["reverses"] != body["reverses"]:
        wrong.append(Problem("other_entry", f"Its evidence is not about entry {body['reverses']}."))
    if table.running is not None:
        wrong.append(Problem("round_running", "A round was running: its stacks may not change (R58)."))
    own = (body["actor"], body["reason"])
    by = _asked_by(table, number)
    if by is None:
        wrong.append(Problem("not_asked", f"Nobody had asked for a correction of round {number} (R58)."))
    elif by != own:
        wrong.append(
            Problem("not_asked", "It is not the correction that was asked for: by whom, and why (R58).")
        )
    yield from wrong
    floor.move(body["transfers"])
    table.taken_back = TakenBack(number, (own,) if by is None else (own, by), not wrong)
    table.awaits = Await(mark, "not_settled_again", "The round was not settled again after it.", CORRECTION)


def _asked_by(table: Table, number: int) -> tuple[int, str] | None:
    """By whom and why a correction of a round was asked for; one by hand is asked for until it is made anew."""
    by_hand = table.by_hand.get(table.round_ids.get(number, -1))
    if by_hand is not None:
        return by_hand.actor, by_hand.reason
    request = table.asked.pop(number, None)
    return None if request is None else request[1:]


def correction(floor: Floor, table: Table, place: int, body: Body) -> Problems:
    """The round is settled anew; what cannot be moved has to be claimed."""
    said, back = body["evidence"], table.taken_back
    table.taken_back = table.awaits = None
    floor.count("corrections")
    if back is None:
        floor.claims_sure = False
        table.doubt()
        floor.move(body["transfers"])
        return
    table.settled[body["id"]] = back.number
    if (body["actor"], body["reason"]) not in back.by:
        yield Problem("not_asked", "It is not by who took the settlement back, or not for that reason.")
    ended = said.get("match")
    if ended is not None and ended["number"] == table.match:
        table.match_over = ended["won_by"] is not None
    missing = _missing(table, back.number, body)
    floor.claims_sure = back.sure and missing is not None and back.number in table.claims
    if missing is None or not floor.claims_sure:
        table.claims.pop(back.number, None)
        table.doubt()
    else:
        sittings, claimed = table.played[back.number], table.claims[back.number]
        table.claims[back.number] = missing
        if owing := _beyond(missing, claimed):
            players = [(sittings[one].player, sittings[other].player, cents) for one, other, cents in owing]
            table.due = Due(table.round_ids[back.number], players)
            sentence = "What it could not move was not claimed (R58)."
            table.awaits = Await(mark_of(place, body), "claim_missing", sentence, CLAIMS)
    floor.move(body["transfers"])


def _missing(table: Table, number: int, body: Body) -> dict[Pair, int] | None:
    """What a correction could not move: by its changes, and by its answer less what it moves; None if these differ."""
    said, moves = body["evidence"], _moves(table, number, body)
    if moves is None:
        return None
    changes = Changes.read(said["changes"]).every
    by_changes = _owing((change.payer, change.receiver, change.owed - change.moved) for change in changes)
    due, moved = _owing(_payments(said)), _owing(moves)
    by_answer = {pair: due.get(pair, 0) - moved.get(pair, 0) for pair in due.keys() | moved.keys()}
    return by_changes if by_changes == {pair: cents for pair, cents in by_answer.items() if cents} else None


def _beyond(missing: dict[Pair, int], claimed: dict[Pair, int]) -> list[tuple[int, int, int]]:
    """The claims beyond what was claimed of the round before, (debtor's seat, creditor's seat, cents), in order of pairs."""
    found = []
    for pair in sorted(missing.keys() | claimed.keys()):
        cents = missing.get(pair, 0) - claimed.get(pair, 0)
        if cents:
            found.append((*pair, cents) if cents > 0 else (pair[1], pair[0], -cents))
    return found


def table_of_claim(floor: Floor, body: Body) -> Table | None:
    """The table whose correction this claim follows; by its round, or else the one that waits for a claim."""
    waiting = [table for table in (*floor.tables.values(), *floor.closed.values()) if table.due is not None]
    own = [table for table in waiting if table.due is not None and table.due.round_id == body["round_id"]]
    return next(iter([*own, *waiting]), None)


def claim(floor: Floor, table: Table, place: int, body: Body) -> Problems:
    """A player owes another one what could not be moved."""
    due = table.due
    floor.count("claims")
    if due is None:
        return
    if body["round_id"] != due.round_id:
        yield Problem("other_round", f"The correction before it was of round {due.round_id}.")
    debtor, creditor, cents = due.claims.pop(0)
    if (body["debtor"], body["creditor"], body["cents"]) != (debtor, creditor, cents):
        yield Problem(
            "wrong_claim", f"Player {debtor} owes player {creditor} {cents} cents by the correction (R58)."
        )
    if due.settlement not in (None, _TOLD, body["settlement"]):
        yield Problem("wrong_claim", "The claims of one correction name one settlement.")
        due.settlement = _TOLD
    due.settlement = due.settlement or body["settlement"]
    if not due.claims:
        table.due = table.awaits = None


def called_off(floor: Floor, table: Table, place: int, body: Body) -> Problems:
    """The floor called a match off."""
    if body["at"] != body["recorded_at"]:
        yield Problem("other_time", "It happened at another time than it was recorded.")
    table.match_over = True
