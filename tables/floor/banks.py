"""Chips and cash to and from a table's bank: openers, fills, credits and closers, as documents of custody."""

from collections.abc import Iterable
from typing import Any

from django.db.models import QuerySet

from ledger.cage import documents, struck
from ledger.cage.documents import Document, DocumentStep
from ledger.errors import DocumentUnderWay, WrongStep
from ledger.journal.acts import Act
from ledger.rights import READ_BOOKS, require
from ledger.rules.denominations import Pieces
from ledger.rules.documents import KINDS, Step
from tables.errors import NotYourTable
from tables.models import TableSession
from tables.rights import DEAL
from tables.rounds.pushes import only_deals, require_sight
from tables.state.locks import at_table, require_open

ASKED_FOR = ("opener", "fill", "credit")
"""The kinds that the table asks for. A closer is written when the table closes (closing.py)."""


def ask(*, session_id: int, kind: str, pieces: Pieces, dealer: Any = None, act: Act) -> Document:
    """Ask for a fill of a table's bank, or for the cage to take chips and cash back (`credit`). With a
    `dealer`, that dealer asks (the table's own or, before one is pushed in, a dealer without a table), and
    the actor takes the next step: authorises a fill, sends a credit. Refuses `table_closed`,
    `not_your_table`, `bad_amount`, `key_reused`, `wrong_step`."""
    if kind not in ASKED_FOR:
        raise WrongStep(f"Nobody asks for a {kind}: it is begun as its table closes.")
    with at_table(session_id, act) as (session, act):
        require_open(session)
        require_sight(act.actor, session)
        place = place_of(session)
        asked: dict[str, Any] = {"site": session.table.site, "kind": kind, "place": place, "pieces": pieces}
        if dealer is None:
            return documents.begin(**asked, act=act)
        require(dealer, DEAL)
        require_dealer_of(session, dealer)
        asking = Act(dealer, act.now, f"{act.key}/asked", act.terminal)
        document = documents.begin(**asked, act=asking)
        follows = KINDS[kind].after(Step.REQUESTED)[0].step
        documents.take(document=document, step=follows, act=act)
        return document


def require_dealer_of(session: TableSession, dealer: Any) -> None:
    """Refuse somebody who only deals, and at another table (`not_your_table`)."""
    if only_deals(dealer) and not _stands_at(session, dealer):
        raise NotYourTable(f"{dealer} is not the dealer of {session.table}.", field="second")


def _stands_at(session: TableSession, dealer: Any) -> bool:
    if session.dealer_id is not None:
        return bool(session.dealer_id == dealer.pk)
    return not TableSession.objects.filter(dealer=dealer, closed_at=None).exists()


def take_step(
    *, document: Document, step: str, pieces: Pieces | None = None, reference: str = "", act: Act
) -> DocumentStep:
    """Take a step of a document; one of a table's bank is taken under the table's lock. Refuses
    `not_your_table` to a dealer who is at another table, and what `documents.take` refuses. A count that
    differs from what was sent is recorded."""
    taken: dict[str, Any] = {"document": document, "step": step, "pieces": pieces, "reference": reference}
    at = session_of(document)
    with struck.kept(document, pieces, act):
        if at is None:
            return documents.take(**taken, act=act)
        with at_table(at.pk, act) as (session, act):
            require_sight(act.actor, session)
            return documents.take(**taken, act=act)


def place_of(session: TableSession) -> documents.HoldingPlace:
    return documents.HoldingPlace(str(session.table), session.bank_chips, session.bank_cash)


def closer_of(session: TableSession) -> Document | None:
    """Return the document on which a closed table's bank went to the cage; None if it was empty."""
    return documents_of(session).filter(kind="closer").first()


def session_of(document: Document) -> TableSession | None:
    """Return the session whose bank a document is about; None for one between the vault and somebody else."""
    sessions = TableSession.objects.select_related("table__site", "dealer")
    return sessions.filter(bank_chips=document.chips_id).first()


def sessions_of(found: Iterable[Document]) -> QuerySet[TableSession]:
    """Return the sessions whose banks these documents are about."""
    return TableSession.objects.filter(bank_chips__in=[one.chips_id for one in found])


def require_sight_of(person: Any, document: Document, session: TableSession | None) -> None:
    """Refuse a document to people who neither see its table nor may take one of its steps."""
    if session is not None:
        require_sight(person, session)
    else:
        rules = KINDS[document.kind].rules
        require(person, READ_BOOKS, *(right for rule in rules for right in rule.rights))


def documents_of(session: TableSession) -> QuerySet[Document]:
    return documents.of_place(session.bank_chips)


def require_nothing_under_way(session: TableSession) -> None:
    """Refuse `document_under_way` while a document of the table waits for a step."""
    waiting = list(documents.waiting_at(session.bank_chips))
    if waiting:
        several = ", ".join(map(str, waiting))
        raise DocumentUnderWay(f"{several} of {session.table} must be received or voided first.")
