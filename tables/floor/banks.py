"""Chips and cash to and from a table's bank: openers, fills and credits, as documents of custody."""

from collections.abc import Iterable
from typing import Any

from django.db.models import QuerySet

from ledger.cage import documents
from ledger.cage.documents import Document, DocumentStep
from ledger.errors import DocumentUnderWay
from ledger.journal.acts import Act
from ledger.rights import require
from ledger.rules.denominations import Pieces
from ledger.rules.documents import KINDS, Step
from tables.errors import NotYourTable
from tables.models import TableSession
from tables.rights import DEAL
from tables.rounds.pushes import only_deals, require_sight
from tables.state.locks import at_table, require_open

OF_A_BANK = ("opener", "fill", "credit")


def ask(*, session_id: int, kind: str, pieces: Pieces, dealer: Any = None, act: Act) -> Document:
    """Ask for a fill of a table's bank, or for the cage to take chips and cash back (`credit`).

    If a `dealer` signs too, it is the dealer of this table who asks (before one is pushed in, one who deals
    at no other), and who acts takes the next step: a fill is authorised, a credit sent. Refuses
    `table_closed`, `not_your_table`, `bad_amount`, `key_reused`."""
    with at_table(session_id, act) as (session, act):
        require_open(session)
        require_sight(act.actor, session)
        place = documents.HoldingPlace(str(session.table), session.bank_chips, session.bank_cash)
        asked: dict[str, Any] = {"site": session.table.site, "kind": kind, "place": place, "pieces": pieces}
        if dealer is None:
            return documents.begin(**asked, act=act)
        require(dealer, DEAL)
        if only_deals(dealer) and not _stands_at(session, dealer):
            raise NotYourTable(f"{dealer} is not the dealer of {session.table}.", field="second")
        asking = Act(dealer, act.now, f"{act.key}/asked", act.terminal)
        document = documents.begin(**asked, act=asking)
        follows = KINDS[kind].after(Step.REQUESTED)[0].step
        documents.take(document=document, step=follows, act=act)
        return document


def _stands_at(session: TableSession, dealer: Any) -> bool:
    if session.dealer_id is not None:
        return bool(session.dealer_id == dealer.pk)
    return not TableSession.objects.filter(dealer=dealer, closed_at=None).exists()


def take_step(*, document: Document, step: str, pieces: Pieces | None = None, act: Act) -> DocumentStep:
    """Take a step of a bank's document, in the table's turn. Refuses `not_your_table` to a dealer
    who is at another table, and what `documents.take` refuses."""
    with at_table(session_of(document).pk, act) as (session, act):
        require_sight(act.actor, session)
        return documents.take(document=document, step=step, pieces=pieces, act=act)


def session_of(document: Document) -> TableSession:
    return TableSession.objects.select_related("table__site", "dealer").get(bank_chips=document.chips_id)


def documents_of(session: TableSession) -> QuerySet[Document]:
    return documents.of_place(session.bank_chips)


def require_nothing_under_way(session: TableSession) -> None:
    """Refuse `document_under_way` while a document of the table waits for a step."""
    waiting = list(documents.waiting_at(session.bank_chips))
    if waiting:
        raise DocumentUnderWay(f"{_named(waiting)} of {session.table} must be received or voided first.")


def _named(waiting: Iterable[Document]) -> str:
    return ", ".join(str(document) for document in waiting)
