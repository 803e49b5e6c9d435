"""Corrections and settlements by hand as asked for, refused and carried out, and their claims (R58);
disputes and complaints. Pure."""

from collections.abc import Collection
from contextlib import suppress
from typing import Any, Final

from ledger.records.books import EntryRecord
from tables.audit.floor.floor import Floor
from tables.audit.floor.round import (
    REVERSED,
    SETTLED,
    DueClaims,
    ReplayedClaim,
    ReplayedRound,
    Request,
    ReversedRound,
)
from tables.audit.floor.table import Awaited, ReplayedTable
from tables.audit.judging.contradiction import Contradiction
from tables.audit.judging.moments import has_reason
from tables.audit.records.entries import RoundTakenBack, SettledByHandEvidence
from tables.audit.records.events import (
    ByHandAsked,
    ByHandRefused,
    ClaimPaidData,
    CorrectionAsked,
    RoundHandedIn,
)
from tables.audit.records.rows import ClaimRecord, TableEventRecord
from tables.rules.errors import BadPoints
from tables.rules.game.by_hand import normal_points
from tables.rules.table.corrections import PairChange, missing, new_claims, wrong_decider
from tables.rules.table.disputes import WHAT, Decided, wrong_decision

_CORRECTION: Final = frozenset({"entry correction"})
_CLAIMS: Final = frozenset({"claim"})


def correction(floor: Floor, table: ReplayedTable, event: TableEventRecord, data: CorrectionAsked) -> None:
    number = data["round"]
    request, round_ = Request(data["correction"], event["actor"], data["reason"]), table.numbers.get(number)
    has_reason(data["reason"])
    if round_ is None or round_.state != SETTLED:
        raise Contradiction("not_settled", f"Round {number} had not been settled.")
    if event["kind"] == "correction_asked":
        table.asked[number] = request
    else:
        left = floor.handed_in.get(round_.id, ())
        _refused(table.asked.pop(number, None), request, "correction", "correction", left)


def _refused(asked: Request | None, refused: Request, what: str, rule: str, left: Collection[int]) -> None:
    if asked is None or asked.id != refused.id:
        raise Contradiction("not_asked", f"Nobody had asked for this {rule}.")
    by_somebody_else(what, asked.actor, refused.actor, left)


def by_somebody_else(what: str, asked_by: int, by: int, left: Collection[int]) -> None:
    """Judge who decided on a correction or a settlement by hand."""
    wrong = wrong_decider(what, asked_by, by, left)
    if wrong is not None:
        raise Contradiction("second_person", wrong)


def round_handed_in(floor: Floor, table: ReplayedTable, event: TableEventRecord, data: RoundHandedIn) -> None:
    """Remember who played a round without the house, and who sent it."""
    round_ = table.rounds.get(data["round_id"])
    if round_ is None or round_.number != data["round"]:
        raise Contradiction("no_round", f"Round {data['round']} was not started at its table.")
    if data["played_by"] == event["actor"]:
        raise Contradiction("bad_record", "Nobody sends their own round for another.")
    floor.handed_in.setdefault(round_.id, set()).update((data["played_by"], event["actor"]))


def by_hand(floor: Floor, table: ReplayedTable, event: TableEventRecord, data: ByHandAsked) -> None:
    """Judge the round: running, or settled by hand before; and the points: of its players."""
    number, points, round_ = data["round"], data["points"], table.numbers.get(data["round"])
    has_reason(data["reason"])
    again = round_ is not None and round_.points is not None
    if round_ is None or round_.id != data["round_id"] or not (again or round_ is table.running):
        sentence = f"Round {number} was not being played, nor settled by hand."
        raise Contradiction("not_running", sentence)
    if round_.points == points:
        raise Contradiction("nothing_changes", "These are the points by which it was settled.")
    normal: list[list[int]] | None = None
    with suppress(BadPoints):
        normal = [list(one) for one in normal_points(points, round_.sittings)]
    if points != normal:
        sentence = "Its points are not one whole number for every two players (R58)."
        raise Contradiction("bad_points", sentence)
    table.by_hand[round_.id] = Request(data["request"], event["actor"], data["reason"], points)


def by_hand_refused(floor: Floor, table: ReplayedTable, event: TableEventRecord, data: ByHandRefused) -> None:
    round_ = table.numbers.get(data["round"])
    request = Request(data["request"], event["actor"], data["reason"])
    has_reason(data["reason"])
    asked = table.by_hand.pop(data["round_id"], None)
    left = floor.handed_in.get(data["round_id"], ())
    _refused(asked, request, "settlement by hand", "settlement by hand (R58)", left)
    if round_ is not None and round_.id != data["round_id"]:
        raise Contradiction("other_round", f"Round {data['round']} has another id.")


def asked_by_hand(table: ReplayedTable, entry: EntryRecord) -> None:
    evidence: SettledByHandEvidence = entry["evidence"]  # type: ignore[assignment]
    request = table.by_hand.pop(evidence["round_id"], None)
    own = Request(evidence["request"], entry["actor"], entry["reason"], evidence["input"]["points"])
    if request is None:
        raise Contradiction("not_asked", "Nobody had asked for this settlement by hand (R58).")
    if request != own:
        wrong = "It is not the settlement that was asked for: by whom, why, and the points (R58)."
        raise Contradiction("not_asked", wrong)


def round_reversed(floor: Floor, table: ReplayedTable, entry: EntryRecord, evidence: RoundTakenBack) -> None:
    """Judge a reversal that a correction asked for: the round's next settlement must name that correction. A
    request for points made before the cards turned up is no such correction."""
    own = ReversedRound(entry["actor"], entry["reason"])
    round_ = table.rounds.get(evidence["round_id"])
    if round_ is None:
        raise Contradiction(
            "not_standing", f"No round with id {evidence['round_id']} was settled at its table."
        )
    if round_.state != SETTLED or entry["reverses"] != round_.entry:
        which = f"The settlement of round {round_.number} that stands is another one."
        raise Contradiction("not_standing", which)
    if evidence["reverses"] != entry["reverses"]:
        raise Contradiction("other_entry", f"Its evidence is not about entry {entry['reverses']}.")
    if table.running is not None:
        sentence = "A round was running: its stacks may not change (R58)."
        raise Contradiction("round_running", sentence)
    # One by hand stays until it is posted again.
    asked = table.by_hand.get(round_.id) if round_.by_hand else table.asked.pop(round_.number, None)
    if asked is None:
        nobody = f"Nobody had asked for a correction of round {round_.number} (R58)."
        raise Contradiction("not_asked", nobody)
    if (asked.actor, asked.reason) != own:
        other = "It is not the correction that was asked for: by whom, and why (R58)."
        raise Contradiction("not_asked", other)
    round_.state, table.reversed = REVERSED, own
    not_again = "The round was not settled again after it."
    table.awaits = Awaited(floor.mark(entry), "not_settled_again", not_again, _CORRECTION)


# -- what a correction could not move, and two players owe each other ----------------------------------------


def expect(
    floor: Floor, table: ReplayedTable, round_: ReplayedRound, changes: list[PairChange], entry: EntryRecord
) -> None:
    """Expect claims for what a correction could not move."""
    players = {seat: sitting.player for seat, sitting in table.players_of(round_).items()}
    owed = new_claims(changes, round_.claimed)
    round_.claimed = missing(changes)
    if owed:
        due = [(players[debtor], players[creditor], cents) for debtor, creditor, cents in owed]
        table.due = DueClaims(round_.id, due)
        sentence = "What it could not move was not claimed (R58)."
        table.awaits = Awaited(floor.mark(entry), "claim_missing", sentence, _CLAIMS)


def claimed(floor: Floor, table: ReplayedTable, claim: ClaimRecord, _: ClaimRecord) -> None:
    due = table.due
    if due is None:
        raise Contradiction("no_claim", "No correction left this claim (R58).")
    if claim["round_id"] != due.round_id:
        raise Contradiction("other_round", f"The correction before it was of round {due.round_id}.")
    debtor, creditor, cents = due.claims.pop(0)
    if (claim["debtor"], claim["creditor"], claim["cents"]) != (debtor, creditor, cents):
        owes = f"Player {debtor} owes player {creditor} {cents} cents by the correction (R58)."
        raise Contradiction("wrong_claim", owes)
    if due.settlement not in (None, claim["settlement"]):
        raise Contradiction("wrong_claim", "The claims of one correction name one settlement.")
    due.settlement = claim["settlement"]
    table.claims[claim["id"]] = ReplayedClaim((claim["number"], debtor, creditor, cents))
    if not due.claims:
        table.due = table.awaits = None


def claim_paid(floor: Floor, table: ReplayedTable, event: TableEventRecord, data: ClaimPaidData) -> None:
    """Judge the payment of a claim: once, with the claim's figures."""
    known = table.claims.get(data["claim"])
    if known is None:
        raise Contradiction("no_claim", "No correction at this table left this claim (R58).")
    if known.paid:
        raise Contradiction("claim_paid", f"Claim {data['number']} had been paid before.")
    if known.figures != (data["number"], data["debtor"], data["creditor"], data["cents"]):
        sentence = "Its number, its players or its amount are not those of the claim."
        raise Contradiction("wrong_claim", sentence)
    known.paid = True


def disputed(floor: Floor, body: Any) -> None:
    """Judge a dispute or a complaint: it is decided once, by somebody who may."""
    if body["record"] == "dispute_decision":
        _decided(floor, body)
        return
    floor.count("disputes and complaints")
    floor.disputes[body["id"]] = body
    if body["what"] not in WHAT:
        raise Contradiction("bad_record", f"Nothing is disputed as {body['what']!r}.")
    if body["session"] is None and not body["text"].strip():
        raise Contradiction("reason_required", "The complaint has no text.")


def _decided(floor: Floor, body: Any) -> None:
    taken = floor.disputes.pop(body["dispute"], None)
    if taken is None:
        if floor.whole:
            raise Contradiction("not_asked", "No dispute was open that it decides.")
        return
    if not body["text"].strip():
        raise Contradiction("reason_required", "It has no text.")
    at_table = taken["session"] is not None
    people = (body["decided_by"], at_table, taken["taken_by"], taken["entered_by"])
    left = {taken.get("played_by"), *floor.handed_in.get(taken["round_id"], ())}
    wrong = wrong_decision(Decided(body["outcome"], body["entry"], *people, left))
    if wrong is not None:
        raise Contradiction(*wrong)
