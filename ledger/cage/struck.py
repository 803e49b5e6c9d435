"""Counts of what arrived that were refused, since they were not what was sent, or what the counters found:
each stays on its paper, struck through, and the third calls a supervisor. None says what was expected."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction
from django.db.models import Q, QuerySet

from ledger.cage import stocking
from ledger.cage.documents import trail_of
from ledger.errors import (
    CountedBySigner,
    CountsDiffer,
    EvidenceRequired,
    NotAllowed,
    NotAsSent,
    RanTheTable,
    SecondPerson,
)
from ledger.journal import posting, records
from ledger.journal.acts import Act
from ledger.models import CountSheet, CountSheetReceipt, Document, Site, StruckCount
from ledger.rules.count_sheets import CALLED_AT, calls_supervisor
from ledger.rules.denominations import Pieces, checked_count, pieces_of
from ledger.rules.documents import Step, wrong_step

_UNSIGNED = (SecondPerson, CountedBySigner, RanTheTable, EvidenceRequired, NotAllowed)
"""What is refused of a count that comes with a reason: whoever tries figures so leaves a trace too."""
CALL = "This is so for the third time or more: call a supervisor."


def of(paper: CountSheet | Document) -> QuerySet[StruckCount]:
    """Return the refused counts of a paper, in order."""
    return paper.struck.select_related("person").order_by("attempt")


@contextmanager
def kept(paper: CountSheet | Document, pieces: Pieces | None, act: Act) -> Iterator[None]:
    """Keep the count if what is done inside refuses it. Outside any transaction, which the refusal undoes."""
    try:
        yield
    except (NotAsSent, CountsDiffer, *_UNSIGNED) as refused:
        if isinstance(refused, _UNSIGNED) and not _differs(paper, pieces or Pieces(), act):
            raise
        if calls_supervisor(_keep(paper, pieces or Pieces(), act) + 1, agree=False):
            refused.message = f"{refused.message} {CALL}"
        raise


def called(site: Site) -> list[CountSheet | Document]:
    """Return the papers that wait for a count after so many refused ones that a supervisor is called."""
    waits = Q(sheet__isnull=False, sheet__receipt=None)
    waits |= Q(document__transit_chips__closed_at=None, document__isnull=False)
    often = StruckCount.objects.filter(waits, site=site, attempt=CALLED_AT).order_by("pk")
    papers = (one.sheet or one.document for one in often.select_related("sheet", "document"))
    return [paper for paper in papers if paper is not None]


def _keep(paper: CountSheet | Document, pieces: Pieces, act: Act) -> int:
    """Write the next attempt, and return its number. The same request again is no other attempt, and neither
    is the same figure with a reason."""
    with transaction.atomic():
        posting.lock_house(paper.site)
        pieces = checked_count(pieces, **stocking.denominations(paper.site))
        last = of(paper).last()
        before = 0 if last is None else last.attempt
        if not _waits(paper) or (last is not None and _is_same(last, pieces, act)):
            return before
        struck = StruckCount.objects.create(
            site_id=paper.site_id,
            sheet=paper if isinstance(paper, CountSheet) else None,
            document=paper if isinstance(paper, Document) else None,
            attempt=before + 1,
            pieces=pieces.data,
            chips_cents=pieces.chips_cents,
            cash_cents=pieces.cash_cents,
            person=act.actor,
            at=act.now,
            terminal=act.terminal,
            request=act.key,
        )
        records.keep(paper.site_id, act.now, struck)
    return struck.attempt


def _is_same(last: StruckCount, pieces: Pieces, act: Act) -> bool:
    alike = (last.person_id, last.pieces) == (act.actor.pk, pieces.data)
    return alike and (last.request == act.key or bool(act.reason.strip()))


def _differs(paper: CountSheet | Document, pieces: Pieces, act: Act) -> bool:
    """Return whether somebody who may receive a document counted otherwise than was sent."""
    if isinstance(paper, CountSheet):
        return False
    trail = trail_of(paper)
    rule = trail.kind.rule(trail.last.step, Step.RECEIVED)
    may = rule is not None and any(map(act.actor.has_perm, rule.rights))
    alike = trail.sent is None or pieces == pieces_of(trail.sent.pieces)
    return may and not alike and not wrong_step(trail.kind, trail.taken, Step.RECEIVED, act.actor.pk)


def _waits(paper: CountSheet | Document) -> bool:
    """Return whether nobody has received it meanwhile."""
    if isinstance(paper, CountSheet):
        return not CountSheetReceipt.objects.filter(sheet=paper).exists()
    last = paper.steps.order_by("ordinal").last()
    return last is not None and last.step == Step.SENT
