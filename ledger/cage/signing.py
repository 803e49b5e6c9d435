"""Who signs off a box, a difference between a count and the books, or one between what was sent under a
document and what arrived: nobody who handled it or ran the table, and from an amount that the jurisdiction
names two people, with evidence."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import date

from django.db.models import Q

from ledger import lengths
from ledger.chart import AccountKind, EntryKind
from ledger.errors import CountedBySigner, EvidenceRequired, RanTheTable, SecondPerson
from ledger.journal import posting
from ledger.journal.acts import Act
from ledger.journal.closing import SECOND
from ledger.journal.days import gaming_day
from ledger.jurisdiction import jurisdiction
from ledger.models import Document, DocumentStep, DropBox, JournalEntry, Site
from ledger.rights import require
from ledger.rules import bank_signing
from ledger.rules.documents import KINDS, Step

_REFUSALS = {one.code: one for one in (CountedBySigner, EvidenceRequired, RanTheTable, SecondPerson)}
_Ran = Collection[int]
UNINVOLVED = (
    "A difference this large, by itself or with those before it of the gaming day, needs evidence and the"
    " signature of a cashier, the floor or a manager who took no step of this document, did not count it,"
    " and neither dealt at its table nor ran it. Until then it stays under way."
)
OWNERLESS = (
    "This much without a known owner is handed out only with evidence (a camera's clip, a paper's number)"
    " and with a second person, of the cage, the floor or a manager, who did not find it and took no step of"
    " this document. Until then the cage keeps it."
)


@dataclass
class _Floor:
    of_box: Callable[[DropBox], _Ran]
    of_session: Callable[[int], _Ran]
    of_document: Callable[[Document], _Ran]


_floor: list[_Floor] = []


def register_floor(
    of_box: Callable[[DropBox], _Ran],
    of_session: Callable[[int], _Ran],
    of_document: Callable[[Document], _Ran],
) -> None:
    """Register the functions that return the people who ran the table of a box, of a session, and of a
    document. Called in AppConfig.ready."""
    _floor[:] = [_Floor(of_box, of_session, of_document)]


def ran_box(box: DropBox) -> set[int]:
    """Return the ids of the people who dealt at the table of a box or ran it while the box stood there, or
    posted anything into or out of it."""
    accounts = (box.chips_id, box.cash_id)
    moved = Q(transfers__source__in=accounts) | Q(transfers__target__in=accounts)
    entries = JournalEntry.objects.filter(moved).exclude(kind=EntryKind.DROP)
    posted = {one for row in entries.values_list("actor", "approver") for one in row if one is not None}
    return posted | {one for floor in _floor for one in floor.of_box(box)}


def ran_session(session: int | None) -> set[int]:
    return set() if session is None else {one for floor in _floor for one in floor.of_session(session)}


def checked_evidence(text: str) -> str:
    return posting.checked_text(text.strip(), lengths.EVIDENCE, "evidence", empty=True)


def require_signers(
    *,
    site: Site,
    over: tuple[int, int],
    barred: Collection[int | None],
    ran: Collection[int],
    evidence: str,
    act: Act,
) -> int:
    """Return from how many cents on two people must sign, after checking that this act's people may sign such
    a difference, `over` in chips and in cash, with this evidence. Raises NotAllowed, CountedBySigner,
    RanTheTable, SecondPerson, EvidenceRequired."""
    if act.approver is not None:
        require(act.approver, *SECOND)
    threshold = jurisdiction(site.jurisdiction).signed_by_two
    two = bank_signing.needs_two(*over, threshold)
    second = act.approver and act.approver.pk
    wrong = (
        bank_signing.wrong_signers(signer=act.actor.pk, second=second, barred=barred, needs_two=two)
        or bank_signing.ran_the_table(act.actor.pk, second, ran)
        or bank_signing.lacks_evidence(evidence, needs_two=two)
    )
    if wrong is not None:
        refusal, beside = _REFUSALS[wrong[0]], "second" if act.approver or two else None
        raise refusal(wrong[1], field="evidence" if refusal is EvidenceRequired else beside)
    return threshold


def large_from(document: Document, step: str, over: tuple[int, int], act: Act) -> tuple[int, bool]:
    """Return from how many cents on a step needs somebody uninvolved, and whether `over`, in chips and in
    cash, is so large: by itself, or with the earlier differences of the gaming day."""
    threshold = jurisdiction(document.site.jurisdiction).signed_by_two
    if step != Step.DIFFERED:
        return threshold, bank_signing.needs_two(*over, threshold)
    day = gaming_day(document.site, act.now)
    before = DocumentStep.objects.filter(site=document.site_id, gaming_day=day, step=Step.DIFFERED)
    earlier = (
        _difference(one.document, one.person_id, (one.over_chips, one.over_cash), one.threshold_cents, day)
        for one in before.select_related("document").order_by("pk")
    )
    now = _difference(document, act.actor.pk, over, threshold, day)
    return threshold, bank_signing.is_large(now, bank_signing.small_ones(earlier))


def _difference(
    document: Document, person: int, over: tuple[int, int], threshold: int | None, day: date
) -> bank_signing.Difference:
    at_table = KINDS[document.kind].place == AccountKind.TABLE_BANK
    table = document.chips_id if at_table else None
    return bank_signing.difference(day.isoformat(), person, table, over, threshold or 0)


def require_witness(document: Document, handled: Collection[int], act: Act, *, found: bool = False) -> None:
    """Refuse an approver who may not sign a large difference between what was sent under a document and what
    arrived, or the handing on of a large amount that was `found` without an owner. `handled` are the people
    of its earlier steps. Raises SecondPerson, CountedBySigner, RanTheTable, EvidenceRequired."""
    second, asked = act.approver, OWNERLESS if found else UNINVOLVED
    if not any(map(second.has_perm, SECOND)):
        raise SecondPerson(f"{second} may not sign this. {asked}", field="second")
    wrong = bank_signing.wrong_witness(
        second=second.pk,
        handled={*handled, *document.struck.values_list("person", flat=True)},
        ran={one for floor in _floor if not found for one in floor.of_document(document)},
        evidence=act.evidence,
    )
    if wrong is not None:
        refusal = _REFUSALS[wrong[0]]
        if refusal is EvidenceRequired:
            raise refusal(OWNERLESS if found else wrong[1], field="evidence")
        raise refusal(f"{wrong[1]} {asked}", field="second")
