"""Documents of custody: begin one and take its steps. The order of steps, and who may take each, is decided
in ledger/rules/documents.py. Chips and cash that were sent are in the document's transit accounts until they
are counted at the other end."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from operator import attrgetter
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from ledger import errors, lengths
from ledger.cage import deposits, seals, signing
from ledger.cage.stocking import denominations, meant
from ledger.chart import BEYOND_THE_HOUSE, ONE_PER_SITE, TITLES, AccountKind, Asset
from ledger.journal import keys, posting, records
from ledger.journal.acts import Act
from ledger.journal.closing import last_steps as last_steps, open_documents as open_documents
from ledger.journal.days import gaming_day
from ledger.jurisdiction import jurisdiction
from ledger.models import Account, Document as Document, DocumentStep as DocumentStep, Site
from ledger.money import dollars
from ledger.rights import require
from ledger.rules.denominations import Pieces, checked_pieces, pieces_of
from ledger.rules.documents import (
    BY_TWO,
    COUNTED,
    ENDS,
    HANDED_ON,
    KINDS,
    POSTED_AS,
    Apart,
    DocumentKind,
    Rule,
    Step,
    due_after,
    transfers,
    vouched_for,
    wrong_boxes,
    wrong_hand_over,
    wrong_reference,
    wrong_second,
    wrong_step,
)

PLACE = Document._meta.get_field("place").max_length or 0
REFERENCE = DocumentStep._meta.get_field("reference").max_length or 0
SECOND = seals.SECOND


@dataclass(frozen=True)
class HoldingPlace:
    """A place that is not the cage, by its accounts; `name` is on the paper."""

    name: str
    chips: Account
    cash: Account


@dataclass(frozen=True)
class LeftBehind:
    """Where unclaimed chips were found, and which player left them, if that is known."""

    where: str
    player: int | None = None


@dataclass(frozen=True)
class DocumentTrail:
    document: Document
    steps: tuple[DocumentStep, ...]

    @property
    def kind(self) -> DocumentKind:
        return KINDS[self.document.kind]

    @property
    def last(self) -> DocumentStep:
        return self.steps[-1]

    @property
    def ended(self) -> bool:
        return self.last.step in ENDS

    @property
    def sent(self) -> DocumentStep | None:
        return next((step for step in self.steps if step.step == Step.SENT), None)

    @property
    def under_way(self) -> bool:
        return self.sent is not None and not self.ended

    @property
    def received(self) -> DocumentStep | None:
        return next((step for step in self.steps if step.step in COUNTED), None)

    def vouched(self, step: str, counted: Pieces) -> tuple[int, int] | None:
        """Return for how much a step needs somebody uninvolved, if at all (`vouched_for`)."""
        sent, moved = self.document, _moved(self, step, counted)
        amounts = (sent.chips_cents, sent.cash_cents), (moved.chips_cents, moved.cash_cents)
        return vouched_for(step, self.owner, *amounts)

    @property
    def owner(self) -> int | None:
        """The player whose unclaimed chips these are."""
        return self.steps[0].player

    @property
    def pieces(self) -> Pieces:
        return pieces_of(self.document.pieces)

    def next_for(self, person: Any) -> tuple[Rule, ...]:
        """Return the steps that this person may take now, the expected one first."""
        return tuple(
            rule
            for rule in self.kind.after(self.last.step)
            if any(person.has_perm(right) for right in rule.rights)
            and not wrong_step(self.kind, self.taken, rule.step, person.pk)
        )

    @property
    def taken(self) -> list[tuple[str, int]]:
        return [(step.step, step.person_id) for step in self.steps]


def begin(
    *,
    site: Site,
    kind: str,
    place: HoldingPlace | LeftBehind | None = None,
    pieces: Pieces,
    boxes: Sequence[int] = (),
    act: Act,
) -> Document:
    """Begin a document under the next number of its kind. Without a `place` its other end is outside the
    house. `boxes` are the ids of those whose cash a deposit has. The same request again returns the first.
    Raises NotAllowed, BadAmount, BoxNotSigned, BoxDeposited, DepositDiffers, ReferenceRequired, KeyReused."""
    rule = KINDS[kind].begins
    require(act.actor, *rule.rights)
    _check_texts(act)
    pieces = _checked(site, kind, pieces)
    with transaction.atomic():
        posting.lock_house(site)
        player = place.player if isinstance(place, LeftBehind) else None
        if not isinstance(place, HoldingPlace):
            place = _beyond_the_house(site, kind, place or LeftBehind(""))
        same = {"step": str(rule.step), "person_id": act.actor.pk, "player": player}
        if earlier := keys.made_before(DocumentStep, site.pk, act.key, **same):
            document = earlier.document
            asked = (kind, place.chips.pk, place.name, pieces.data, sorted(set(boxes)))
            begun = document.kind, document.chips_id, document.place, document.pieces
            if asked != (*begun, deposits.boxes_of(document)):
                raise errors.KeyReused(keys.USED, field="key")
            return document
        counted = deposits.require_undeposited(site, boxes)
        if wrong_boxes(KINDS[kind], pieces.cash_cents, counted):
            raise errors.DepositDiffers(
                f"The boxes had {dollars(sum(counted))} in cash; this is {dollars(pieces.cash_cents)}."
            )
        number = posting.next_number(Document.objects.filter(site=site, kind=kind))
        label = f"{KINDS[kind].title} {number}, {place.name}"
        transit = posting.open_accounts(site=site, kind=AccountKind.TRANSIT, label=label, now=act.now)
        document = Document.objects.create(
            site=site,
            kind=kind,
            number=number,
            place=place.name,
            chips=place.chips,
            cash=place.cash,
            **{f"transit_{asset}": account for asset, account in transit.items()},
            gaming_day=gaming_day(site, act.now),
            **pieces.columns,
        )
        records.keep(site.pk, act.now, document)
        deposits.write(document, boxes, act.now)
        said = Pieces().columns | {"player": player}
        _write(document, rule.step, [], None, said, replace(act, approver=None, reason=""))
    return document


def take(
    *,
    document: Document,
    step: str,
    pieces: Pieces | None = None,
    reference: str = "",
    player: int | None = None,
    act: Act,
) -> DocumentStep:
    """Take the next step of a document. `pieces` are what the receiver has counted. If that differs from what
    was sent, the receiver gives a reason, a second person signs, and the step is `differed`. A large
    difference also needs evidence and somebody uninvolved, and so does handing on a large amount without a
    known owner. Some steps need a `reference`. `player` claims what is held. The same request again returns
    the first step. Raises WrongStep, DocumentEnded, NotAllowed, SecondPerson, CountedBySigner, RanTheTable,
    EvidenceRequired, ReasonRequired, ReferenceRequired, SealDiffers, SealInUse, NotTheirs, NotDue, NotAsSent,
    BadAmount, InsufficientFunds, AccountClosed, KeyReused."""
    _check_texts(act)
    act = replace(act, evidence=signing.checked_evidence(act.evidence))
    reference = posting.checked_text(reference.strip(), REFERENCE, "reference", empty=True)
    with transaction.atomic():
        posting.lock_house(document.site)
        trail = trail_of(document)
        counted = _counted(document.site, document.kind, pieces) if step in COUNTED else Pieces()
        if earlier := _taken_before(document, step, counted, reference, act):
            return earlier
        player = player if step == Step.CLAIMED else None
        step = _require_step(trail, step, counted, act)
        reference = _required_reference(trail, step, reference)
        if not (seals.require_seals(trail.kind, document.site, step, reference, act) or step in BY_TWO):
            act = replace(act, approver=None, reason="")
        _require_theirs(trail, step, player, act)
        moved = _moved(trail, step, counted)
        entry = _posted(trail, step, moved, act) if step in POSTED_AS else None
        said = moved.columns | {"reference": reference, "player": player, "due": _due(trail, step, act)}
        said |= _shown(trail, step, counted, act)
        written = _write(document, step, trail.steps, entry, said, act)
        if step in ENDS and not trail.ended:
            for account in (document.transit_chips, document.transit_cash):
                account.refresh_from_db()
                posting.close_account(account, act.now)
    return written


def denominations_of(site: Site, kind: str) -> dict[str, tuple[int, ...]]:
    """Return the denominations in cents that a kind of document may move, by asset."""
    assets = KINDS[kind].assets
    return {asset: values if asset in assets else () for asset, values in denominations(site).items()}


def _beyond_the_house(site: Site, kind: str, left: LeftBehind) -> HoldingPlace:
    place, name = KINDS[kind].place, TITLES[KINDS[kind].place]
    if KINDS[kind].is_held:
        if not left.where.strip():
            raise errors.ReferenceRequired("Say where these chips lay.", field="where")
        name = posting.checked_text(left.where.strip(), PLACE, "where")
    chips = AccountKind.CHIP_MAKER if BEYOND_THE_HOUSE.get(place) == Asset.CASH else place
    return HoldingPlace(
        name,
        posting.house_account(site, chips, Asset.CHIPS),
        posting.house_account(site, AccountKind.BANK, Asset.CASH),
    )


def find(site: Site, document_id: int) -> Document | None:
    return Document.objects.filter(site=site, pk=document_id).first()


def of_place(chips: Account) -> QuerySet[Document]:
    return Document.objects.filter(chips=chips).order_by("pk")


def trail_of(document: Document) -> DocumentTrail:
    steps = document.steps.select_related("person", "second").order_by("ordinal")
    return DocumentTrail(document, tuple(steps))


def trails(documents: Iterable[Document]) -> list[DocumentTrail]:
    """Return documents with their steps, in the order of their beginning; two queries for all of them."""
    found = sorted(documents, key=attrgetter("pk"))
    steps = DocumentStep.objects.filter(document__in=[document.pk for document in found])
    by_document: dict[int, list[DocumentStep]] = {document.pk: [] for document in found}
    for step in steps.select_related("person", "second").order_by("document", "ordinal"):
        by_document[step.document_id].append(step)
    return [DocumentTrail(document, tuple(by_document[document.pk])) for document in found]


def of_day(site: Site, day: date) -> QuerySet[Document]:
    return Document.objects.filter(site=site, gaming_day=day).order_by("pk")


def ended(site: Site, kind: str) -> QuerySet[Document]:
    """Return the documents of a kind that have ended, the latest first."""
    of_kind = Document.objects.filter(site=site, kind=kind, transit_chips__closed_at__isnull=False)
    return of_kind.exclude(pk__in=held(site)).order_by("-number")


def held(site: Site) -> list[int]:
    """Return the documents under which the cage holds chips that nobody has claimed, by id."""
    handed_on = DocumentStep.objects.filter(after=OuterRef("pk"))
    held_kinds = [kind.code for kind in KINDS.values() if kind.is_held]
    # Two questions: all steps of the house would be read for one.
    of_kind = list(Document.objects.filter(site=site, kind__in=held_kinds).values_list("pk", flat=True))
    received = DocumentStep.objects.filter(document__in=of_kind, step__in=COUNTED, chips_cents__gt=0)
    return list(received.filter(~Exists(handed_on)).values_list("document", flat=True))


def waiting_at(chips: Account) -> QuerySet[Document]:
    return open_documents(chips.site).filter(chips=chips)


def _check_texts(act: Act) -> None:
    posting.check_texts(act)
    posting.checked_text(act.reason, lengths.POSTED_REASON, "reason", empty=True)


def _counted(site: Site, kind: str, pieces: Pieces | None) -> Pieces:
    """Return the receiver's count; an empty `Pieces` means that nothing arrived."""
    if pieces is None or not any((*pieces.chips.values(), *pieces.cash.values())):
        return Pieces()
    return _checked(site, kind, pieces)


def _checked(site: Site, kind: str, pieces: Pieces) -> Pieces:
    place = AccountKind.VAULT if KINDS[kind].is_beyond else AccountKind.TABLE_BANK
    return meant(checked_pieces(pieces, **denominations_of(site, kind)), site, place)


def _taken_before(
    document: Document, step: str, counted: Pieces, reference: str, act: Act
) -> DocumentStep | None:
    """Return the step that the same request took, whether or not its count differed."""
    same = {"document_id": document.pk, "person_id": act.actor.pk}
    earlier = keys.made_before(DocumentStep, document.site_id, act.key, **same)
    if earlier is None:
        return None
    alike = earlier.step in COUNTED and pieces_of(earlier.pieces) == counted
    alike = alike if step in COUNTED else earlier.step == step
    if not alike or earlier.reference not in ("", reference):
        raise errors.KeyReused(keys.USED, field="key")
    return earlier


def _require_step(trail: DocumentTrail, step: str, counted: Pieces, act: Act) -> str:
    """Return the step that is taken; `differed` if two people confirm that the count is not what was sent."""
    document, sent = trail.document, trail.sent
    if trail.ended and not (step in HANDED_ON and trail.kind.after(trail.last.step)):
        raise errors.DocumentEnded(f"{document} has ended: {trail.last.get_step_display().lower()}.")
    rule = trail.kind.rule(trail.last.step, step)
    if rule is None:
        raise errors.WrongStep(f"{document} is {trail.last.step}: it cannot be {step} now.")
    require(act.actor, *rule.rights)
    if step in COUNTED and sent is not None:
        differs = counted != pieces_of(sent.pieces)
        if differs and not act.reason.strip():
            raise errors.NotAsSent(
                "This is not what was sent. Count again; if it stays so, a second person and the reason are"
                " needed.",
                field="reason",
            )
        step = Step.DIFFERED if differs else Step.RECEIVED
    if wrong_step(trail.kind, trail.taken, step, act.actor.pk):
        which = "the step" if rule.apart is Apart.BEFORE else "a step of it"
        raise errors.SecondPerson(f"{document}: who took {which} before cannot take this one.")
    if step in BY_TWO:
        _require_two(trail, step, counted, act)
    return step


def _required_reference(trail: DocumentTrail, step: str, reference: str) -> str:
    """Return the reference that is written with a step; "" where it has none."""
    rule = trail.kind.rule(trail.last.step, step)
    if rule is None or not rule.reference:
        return ""
    if wrong_reference(rule, reference):
        raise errors.ReferenceRequired(f"{rule.reference}: this is missing.", field="reference")
    return reference


def _require_two(trail: DocumentTrail, step: str, counted: Pieces, act: Act) -> None:
    if not act.reason.strip():
        raise errors.ReasonRequired("Say why.", field="reason")
    vouched, found = trail.vouched(step, counted), step == Step.CLAIMED
    large = vouched is not None and signing.large_from(trail.document, step, vouched, act)[1]
    second = act.approver and act.approver.pk
    if wrong := wrong_second(trail.taken, step, act.actor.pk, second):
        asked = signing.OWNERLESS if found else signing.UNINVOLVED
        raise errors.SecondPerson(f"{wrong} {asked}" if large else wrong, field="second")
    if large:
        handled = [person for _, person in trail.taken]
        signing.require_witness(trail.document, handled, act, found=found)
    require(act.approver, *SECOND)


def _shown(trail: DocumentTrail, step: str, counted: Pieces, act: Act) -> dict[str, Any]:
    if (vouched := trail.vouched(step, counted)) is None:
        return {}
    threshold, _ = signing.large_from(trail.document, step, vouched, act)
    return {"evidence": act.evidence, "threshold_cents": threshold}


def _require_theirs(trail: DocumentTrail, step: str, player: int | None, act: Act) -> None:
    received = trail.received
    if step not in HANDED_ON or received is None:
        return
    due = None if received.due is None else received.due.isoformat()
    day = gaming_day(trail.document.site, act.now).isoformat()
    if wrong := wrong_hand_over(step, trail.owner, player, due, day):
        raise {"not_theirs": errors.NotTheirs, "not_due": errors.NotDue}[wrong[0]](wrong[1])
    if not received.chips_cents:
        raise errors.WrongStep(f"Nothing of {trail.document} has arrived, and nothing is held.")


def _moved(trail: DocumentTrail, step: str, counted: Pieces) -> Pieces:
    if step == Step.SENT:
        return trail.pieces
    if step in HANDED_ON and trail.received is not None:
        return pieces_of(trail.received.pieces)
    return counted


def _due(trail: DocumentTrail, step: str, act: Act) -> date | None:
    """Return from when the chips received now may be released, if they are to be held."""
    if step not in COUNTED or not trail.kind.is_held:
        return None
    site = trail.document.site
    return due_after(gaming_day(site, act.now), jurisdiction(site.jurisdiction).unclaimed_years)


def _posted(trail: DocumentTrail, step: str, moved: Pieces, act: Act) -> Any:
    document, site = trail.document, trail.document.site
    sent = pieces_of(trail.sent.pieces) if trail.sent else moved
    moves = []
    for source, target, asset, cents in transfers(trail.kind, step, sent, moved):
        ends = _account(document, source, asset), _account(document, target, asset)
        moves.append(posting.Move(*ends, cents))
    evidence = {
        "document": document.pk,
        "kind": document.kind,
        "number": document.number,
        "step": str(step),
        "pieces": moved.data,
    }
    draft = posting.EntryDraft(
        kind=POSTED_AS[Step(step)], moves=tuple(moves), evidence=evidence, content=evidence, act=act
    )
    return posting.post(site=site, draft=draft)


def _account(document: Document, kind: str, asset: str) -> int:
    chips = asset == Asset.CHIPS
    if kind == AccountKind.TRANSIT:
        return document.transit_chips_id if chips else document.transit_cash_id
    if kind in ONE_PER_SITE:
        return posting.house_account(document.site, kind, asset).pk
    return document.chips_id if chips else document.cash_id


def _write(
    document: Document,
    step: str,
    before: Sequence[DocumentStep],
    entry: Any,
    said: Mapping[str, Any],
    act: Act,
) -> DocumentStep:
    written = DocumentStep.objects.create(
        site_id=document.site_id,
        document=document,
        ordinal=len(before),
        step=str(step),
        after=before[-1] if before else None,
        person=act.actor,
        second=act.approver,
        at=act.now,
        gaming_day=gaming_day(document.site, act.now),
        terminal=act.terminal,
        reason=act.reason.strip(),
        entry=entry,
        key=act.key,
        **said,
    )
    records.keep(document.site_id, act.now, written)
    return written
