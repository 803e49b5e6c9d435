"""Counts that were refused: of what arrived, because it differs from what was sent or from the counters'
figures; and of a table's bank or a stack that is picked up, because two people differed. Each stays on its
paper, struck through, and the third calls a supervisor. None shows what was expected. Two counts of a drawer
or of the vault that differ are on a slip of their own (ledger/cage/stocking.py), which counts as an attempt
as well."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction
from django.db.models import Max, Q, QuerySet

from ledger import errors
from ledger.cage import stocking
from ledger.cage.documents import trail_of
from ledger.db.compiled import Compiled
from ledger.journal import posting, records
from ledger.journal.acts import Act
from ledger.journal.bank_differences import counts_of_banks
from ledger.journal.days import gaming_day, last_closed
from ledger.models import (
    Account as Account,
    CageSlip,
    CageSlipResult,
    ClosedDay,
    CountSheet,
    CountSheetReceipt,
    Document,
    Drawer,
    Site,
    StruckCount,
)
from ledger.rules.count_sheets import CALLED_AT, calls_supervisor
from ledger.rules.denominations import Pieces, checked_count, pieces_of
from ledger.rules.documents import Step, wrong_step

_UNSIGNED = (
    errors.SecondPerson,
    errors.CountedBySigner,
    errors.RanTheTable,
    errors.EvidenceRequired,
    errors.NotAllowed,
)
"""The refusals that also apply to a count with a reason: somebody who tries figures leaves a trace in any
case."""
CALL = "This has happened three times or more: call a supervisor."
_Outcome = CageSlipResult.Outcome

Paper = CountSheet | Document | Account
"""The paper that was counted; for a table's bank or a stack, the account of its chips."""


def of(paper: Paper) -> QuerySet[StruckCount]:
    return paper.struck.select_related("person", "second").order_by("attempt")


def since_agreed(paper: Paper) -> list[StruckCount]:
    """Return the refused counts of a waiting paper; for a bank, those since two people last agreed on it."""
    found = list(of(paper))
    while found and isinstance(paper, Account) and _agreed_since(paper, found[0]):
        del found[0]
    return found


def _agreed_since(bank: Account, one: StruckCount) -> bool:
    agreed = counts_of_banks(bank.site, gaming_day(bank.site, one.at), recorded_at__gte=one.at)
    return any(f"Table {count['table']}" == one.place for _, count in agreed)


@contextmanager
def kept(
    paper: Paper, pieces: Pieces | None, act: Act, *, place: str = "", by_second: Pieces | None = None
) -> Iterator[None]:
    """Keep the count if the block refuses it; for a bank, with its table and the approver's count. Use it
    outside any transaction, which the refusal would undo."""
    try:
        yield
    except (errors.NotAsSent, errors.CountsDiffer, *_UNSIGNED) as refused:
        if isinstance(refused, _UNSIGNED) and not _differs(paper, pieces or Pieces(), act):
            raise
        place = place or str(paper)
        _keep(paper, place, pieces or Pieces(), by_second, act)
        if calls_supervisor(len(since_agreed(paper)) + 1, agree=False):
            refused.message = f"{refused.message} {CALL}"
        raise


def _refused_often(site: Site | int) -> QuerySet[StruckCount]:
    waits = Q(sheet__isnull=False, sheet__receipt=None)
    waits |= Q(document__transit_chips__closed_at=None, document__isnull=False)
    waits |= Q(bank__closed_at=None, bank__isnull=False)
    return StruckCount.objects.filter(waits, site=site, attempt=CALLED_AT).order_by("pk")


_REFUSED_OFTEN: Compiled[StruckCount] = Compiled(_refused_often, joined="sheet document bank")


def called(site: Site) -> list[Paper]:
    """Return the papers whose waiting count has been refused so often that a supervisor is called. One query
    where there is none, for every board."""
    papers = (one.sheet or one.document or one.bank for one in _REFUSED_OFTEN.rows(site.pk))
    return [one for one in papers if one is not None and len(since_agreed(one)) >= CALLED_AT]


def slips_before(
    site: Site, way: str, drawer: Drawer | None, number: int | None = None
) -> QuerySet[CageSlip]:
    """Return the slips of a drawer or of the vault whose counts differed since two people last agreed on one
    of this way, in order; with a number, only earlier slips."""
    same = CageSlip.objects.filter(site=site, way=way, drawer=drawer)
    if number is not None:
        same = same.filter(number__lt=number)
    agreed = same.filter(result__outcome=_Outcome.POSTED).aggregate(last=Max("number"))["last"] or 0
    differed = same.filter(number__gt=agreed, result__outcome=_Outcome.DIFFERED)
    return differed.select_related("counted_by", "result__person").order_by("number")


def is_settled(slip: CageSlip) -> bool:
    """Return whether two people agreed on a later slip of this way, or its drawer or gaming day is closed."""
    if ClosedDay.objects.filter(site=slip.site_id, gaming_day__gte=slip.gaming_day).exists():
        return True
    if slip.drawer is not None and slip.drawer.chips.closed_at is not None:
        return True
    later = CageSlip.objects.filter(site=slip.site_id, way=slip.way, drawer=slip.drawer_id)
    return later.filter(number__gt=slip.number, result__outcome=_Outcome.POSTED).exists()


def _differed(site: Site | int) -> QuerySet[CageSlip]:
    opened = Q(drawer=None) | Q(drawer__chips__closed_at=None)
    slips = CageSlip.objects.filter(opened, site=site, result__outcome=_Outcome.DIFFERED)
    return slips.filter(gaming_day__gt=last_closed(site)).order_by("number")


_DIFFERED: Compiled[CageSlip] = Compiled(_differed, joined="drawer")


def called_slips(site: Site) -> list[CageSlip]:
    """Return the last slip of each drawer or vault for which a supervisor is called, until two people agree
    there, or the drawer or the gaming day is closed. One query where no slip differed, for every board."""
    places = {(slip.way, slip.drawer_id): slip for slip in _DIFFERED.rows(site.pk)}
    return [
        slip for slip in places.values() if slips_before(site, slip.way, slip.drawer).count() >= CALLED_AT
    ]


def _keep(paper: Paper, place: str, pieces: Pieces, by_second: Pieces | None, act: Act) -> None:
    """Write the next attempt. The same request again is no new attempt, nor is the same figure with a
    reason."""
    site = Site.objects.get(pk=paper.site_id)
    with transaction.atomic():
        posting.lock_house(site)
        values = stocking.denominations(site)
        pieces = checked_count(pieces, **values)
        others = None if by_second is None else checked_count(by_second, **values).data
        last = of(paper).last()
        before = 0 if last is None else last.attempt
        if not _waits(paper) or (last is not None and _is_same(last, pieces, others, act)):
            return
        struck = StruckCount.objects.create(
            site=site,
            sheet=paper if isinstance(paper, CountSheet) else None,
            document=paper if isinstance(paper, Document) else None,
            bank=paper if isinstance(paper, Account) else None,
            place=place,
            attempt=before + 1,
            **pieces.columns,
            person=act.actor,
            second=None if others is None else act.approver,
            second_pieces=others,
            at=act.now,
            terminal=act.terminal,
            request=act.key,
        )
        records.keep(site.pk, act.now, struck)


def _is_same(last: StruckCount, pieces: Pieces, others: dict[str, list[list[int]]] | None, act: Act) -> bool:
    alike = (last.person_id, last.pieces, last.second_pieces) == (act.actor.pk, pieces.data, others)
    return alike and (last.request == act.key or bool(act.reason.strip()))


def _differs(paper: Paper, pieces: Pieces, act: Act) -> bool:
    """Return whether this count, by somebody who may receive the document, differs from what was sent."""
    if not isinstance(paper, Document):
        return False
    trail = trail_of(paper)
    rule = trail.kind.rule(trail.last.step, Step.RECEIVED)
    may = rule is not None and any(map(act.actor.has_perm, rule.rights))
    alike = trail.sent is None or pieces == pieces_of(trail.sent.pieces)
    return may and not alike and not wrong_step(trail.kind, trail.taken, Step.RECEIVED, act.actor.pk)


def _waits(paper: Paper) -> bool:
    """Return whether the paper still waits: nobody has received it or closed the table meanwhile."""
    match paper:
        case CountSheet():
            return not CountSheetReceipt.objects.filter(sheet=paper).exists()
        case Account():
            return Account.objects.filter(pk=paper.pk, closed_at=None).exists()
    last = paper.steps.order_by("ordinal").last()
    return last is not None and last.step == Step.SENT
