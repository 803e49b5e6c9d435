"""A departed player's stack: picked up for the cage, and handed to that player later. The steps between, and
chips found without an owner, are documents of the cage alone (ledger/cage/documents.py)."""

from dataclasses import replace
from typing import Any

from ledger.cage import documents, struck
from ledger.cage.documents import Document, DocumentStep, LeftBehind
from ledger.errors import NotTheirs, SecondPerson
from ledger.journal import posting
from ledger.journal.acts import Act
from ledger.rights import require
from ledger.rules.denominations import Pieces
from ledger.rules.documents import Step, wrong_pick_up
from tables.errors import PlayerUnknown, StackDiffers
from tables.floor.banks import require_dealer_of
from tables.floor.closing import agreed
from tables.models import Player, Sitting
from tables.rights import DEAL, RUN_FLOOR
from tables.seats.players import Person
from tables.seats.sitting import cash_out
from tables.state.locks import at_seat
from tables.state.persons import person_of

KIND = "unclaimed"
SECOND = (DEAL, RUN_FLOOR)
"""Who counts a stack with the floor that picks it up."""


def pick_up(*, sitting_id: int, count: Pieces, second_count: Pieces, second: Any, act: Act) -> Document:
    """Cash an absent player out, take the fees due, and send the rest of the stack to the cage as two people
    counted it. If the count differs from the books, the act needs a reason, and the difference stays with
    patrons. Two counts that differ are recorded, like those of a table's bank. Refuses `second_person`,
    `not_your_table`, `counts_differ`, `stack_differs`, `bad_amount`, and what `cash_out` refuses."""
    require(act.actor, RUN_FLOOR)
    require(second, *SECOND)
    if second.pk == act.actor.pk:
        raise SecondPerson("Two people must count the stack.", field="second")
    left = Sitting.objects.select_related("session__table", "stack").get(pk=sitting_id)
    kept = struck.kept(
        *(left.stack, count, replace(act, approver=second)),
        place=f"{left.session.table}, seat {left.seat}",
        by_second=second_count,
    )
    with kept, at_seat(sitting_id, act) as (session, sitting, act):
        site = session.table.site
        posting.lock_house(site)
        require_dealer_of(session, second)
        pieces = agreed(site, count, second_count)
        stack = cash_out(sitting_id=sitting_id, act=act).taken_away_cents or 0
        if wrong_pick_up(stack, pieces.chips_cents, act.reason):
            raise StackDiffers(
                "By the books the stack has another amount, after the fees. Count again, both of you; if it"
                " stays so, say why.",
                field="reason",
            )
        document = documents.begin(
            site=site,
            kind=KIND,
            place=LeftBehind(f"{session.table}, seat {sitting.seat}", sitting.player_id),
            pieces=pieces,
            act=replace(act, actor=second, key=f"{act.key}/counted", reason=""),
        )
        documents.take(document=document, step=Step.SENT, act=act.under(f"{act.key}/sent"))
    return document


def claim(*, document: Document, who: Person, act: Act) -> DocumentStep:
    """Hand unclaimed chips to the player for whom they are held, by a cashier and a second person, with the
    identity that they saw as the reason. Refuses `player_unknown`, `not_theirs`, and what a step refuses."""
    owner, claimant = documents.trail_of(document).owner, _known(document, who)
    if owner is not None:
        left = Player.objects.select_related("merged_into").get(pk=owner)
        if claimant is None or person_of(claimant).pk != person_of(left).pk:
            raise NotTheirs("These chips are held for another player.", field="name")
        claimant = left
    player = None if claimant is None else claimant.pk
    return documents.take(document=document, step=Step.CLAIMED, player=player, act=act)


def _known(document: Document, who: Person) -> Player | None:
    """Return the entry of this name or card number; None where none is given."""
    site = document.site
    found = who.chosen(site) or who.listed(site) or (None if who.number else who.named(site))
    if found is None and who.given():
        raise PlayerUnknown("The register has nobody of this name or card number.", field="name")
    return found
