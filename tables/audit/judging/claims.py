"""The claims that a correction leaves between two players: what it could not move (R58). Pure."""

from __future__ import annotations

from typing import Final

from tables.audit.floor.floor import Floor, Problem, Problems
from tables.audit.floor.round import DueClaims, ReplayedClaim, ReplayedRound
from tables.audit.floor.sitting import Body
from tables.audit.floor.table import Awaited, ReplayedTable
from tables.audit.judging.moments import wrong_moment
from tables.rules.table.corrections import PairChange, missing, new_claims

CLAIMS: Final = frozenset({"claim"})
_ACCUSED: Final = -1


def expect(
    floor: Floor, table: ReplayedTable, round_: ReplayedRound, changes: list[PairChange] | None, body: Body
) -> None:
    """What a correction could not move has to be claimed; `changes` are None where they were accused."""
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
        table.awaits = Awaited(floor.mark(body), "claim_missing", sentence, CLAIMS)


def table_of(floor: Floor, body: Body) -> ReplayedTable | None:
    """The table whose correction this claim follows; by its round, or else the one that waits for a claim."""
    waiting = [table for table in floor.every() if table.due is not None]
    own = [table for table in waiting if table.due is not None and table.due.round_id == body["round_id"]]
    return next(iter([*own, *waiting]), None)


def claim(floor: Floor, table: ReplayedTable, body: Body) -> Problems:
    """A player owes another one what could not be moved."""
    due = table.due
    floor.count("claims")
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


def paid(floor: Floor, table: ReplayedTable, body: Body) -> Problems:
    """A claim was paid from player to player: once, and as it stands."""
    data = body["data"]
    known, said = table.claims.get(data["claim"]), _figures(data)
    yield from wrong_moment(body)
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
