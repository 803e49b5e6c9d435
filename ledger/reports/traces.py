"""Where to find something on a page again: in the camera room by the house's clock and the place, in the log
by its record, leaf and proof. Reads only. Only readers of the books see records, and the text of a count only
people who may see the count's own page."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Q, QuerySet

from ledger import models
from ledger.cage import documents
from ledger.reports.custody import row_for
from ledger.rights import READ_BOOKS
from ledger.rules.searches import camera_index

CAGE, COUNT_ROOM = "Cage", "Count room"
MOST = 60
"""How many moments of one page are listed; the journal and the account have the others."""


@dataclass(frozen=True, slots=True)
class Moment:
    """Something that happened: what, where and when, and its record, by kind and row."""

    what: str
    place: str
    at: datetime
    kind: str = ""
    subject: int = 0
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Trace:
    """A moment as the camera room and the log know it. `kind` is "" if the reader may see no record; `leaf`
    is None until the record is sealed."""

    what: str
    camera: str
    kind: str
    subject: int
    leaf: int | None


def traces(site: models.Site, person: Any, moments: Iterable[Moment]) -> list[Trace]:
    """Return where to find these moments again. One query for readers of the books, none for others."""
    shown, zone = list(moments)[:MOST], ZoneInfo(site.time_zone)
    leaves = _leaves(shown) if person.has_perm(READ_BOOKS) else {}
    found = []
    for one in shown:
        record = (one.kind, one.subject)
        known = record if record in leaves else ("", 0)
        camera = camera_index(one.place, one.at, one.until, zone)
        found.append(Trace(one.what, camera, *known, leaves.get(record)))
    return found


def _leaves(moments: Sequence[Moment]) -> dict[tuple[str, int], int | None]:
    """Return the leaves of records by kind and row; None for those not sealed yet."""
    by_kind: dict[str, set[int]] = {}
    for one in moments:
        if one.kind:
            by_kind.setdefault(one.kind, set()).add(one.subject)
    if not by_kind:
        return {}
    meant = Q()
    for kind, subjects in by_kind.items():
        meant |= Q(kind=kind, subject__in=subjects)
    rows = models.AuditRecord.objects.filter(meant).values_list("kind", "subject", "leaf__number")
    return {(kind, subject): leaf for kind, subject, leaf in rows}


def record_of(site: models.Site, kind: str, subject: int) -> models.AuditRecord | None:
    return models.AuditRecord.objects.filter(site=site, kind=kind, subject=subject).first()


def sealed(site: models.Site) -> QuerySet[models.Leaf]:
    return models.Leaf.objects.filter(log__site=site).select_related("record")


def is_blind(record: models.AuditRecord, person: Any) -> bool:
    """Return whether a record has figures that its own page does not show this reader yet: a count before its
    sheet is signed, a slip before its second count, a document that they may count."""
    match record.kind:
        case "count":
            sheets = models.Count.objects.filter(pk=record.subject).values("sheet")
            return not models.CountSheetSignature.objects.filter(sheet__in=sheets).exists()
        case "cage_slip":
            return not models.CageSlipResult.objects.filter(slip=record.subject).exists()
        case "document":
            return _is_blind(record.subject, person)
        case "document_step":
            step = models.DocumentStep.objects.get(pk=record.subject)
            return _is_blind(step.document_id, person)
    return False


def _is_blind(document: int, person: Any) -> bool:
    return row_for(documents.trail_of(models.Document.objects.get(pk=document)), person).blind


# -- what happened to the papers of the books ----------------------------------------------------------------


def of_entry(entry: Any, place: str, what: str = "Happened") -> list[Moment]:
    """Return the moment of an entry and, if it was recorded later, that moment too."""
    record = ("entry", entry.pk)
    if abs((entry.recorded_at - entry.occurred_at).total_seconds()) < 1:
        return [Moment(what, place, entry.recorded_at, *record)]
    written = Moment("Recorded", entry.terminal or place, entry.recorded_at, *record)
    return [Moment(what, place, entry.occurred_at), written]


def of_bank(entry: Any, signed: Any) -> list[Moment]:
    """Return the moments at which a bank, drawer or vault was counted with a difference, and the difference
    was signed off."""
    counted = of_entry(entry, entry.terminal or CAGE, "Counted")
    if signed is not None:
        counted.append(Moment("Signed off", CAGE, signed.signed_at, "bank_sign_off", signed.pk))
    return counted


def of_document(trail: documents.DocumentTrail) -> list[Moment]:
    """Return a document's steps, each at the terminal where it was taken, if that has a name."""
    document = trail.document
    asked = Moment("The document", document.place, trail.steps[0].at, "document", document.pk)
    steps = [
        Moment(step.get_step_display(), step.terminal or document.place, step.at, "document_step", step.pk)
        for step in trail.steps
    ]
    return [asked, *steps]


def of_slip(slip: Any, result: Any) -> list[Moment]:
    found = [Moment("First count", slip.terminal or CAGE, slip.counted_at, "cage_slip", slip.pk)]
    if result is not None:
        found.append(
            Moment(
                result.get_outcome_display(), slip.terminal or CAGE, result.at, "cage_slip_result", result.pk
            )
        )
    return found


def of_drawer(drawer: Any, slips: Iterable[Any]) -> list[Moment]:
    opened = Moment("Opened", drawer.terminal or CAGE, drawer.opened_at, "drawer", drawer.pk)
    return [opened, *(moment for slip in slips for moment in of_slip(slip, getattr(slip, "result", None)))]


def of_sheet(row: Any) -> list[Moment]:
    """Return what happened in the count room on a sheet (`SheetRow`)."""
    sheet, signed, got = row.sheet, row.signature, row.receipt
    found = [Moment("Begun", COUNT_ROOM, sheet.begun_at, "count_sheet", sheet.pk)]
    for line in row.here:
        for one in line.counts:
            what = f"Box {line.box.number}, count {one.count.attempt}"
            found.append(Moment(what, COUNT_ROOM, one.count.counted_at, "count", one.count.pk))
    found += [
        Moment(note.get_kind_display(), COUNT_ROOM, note.at, "count_note", note.pk) for note in row.notes
    ]
    if signed:
        found.append(Moment("Signed", COUNT_ROOM, signed.signed_at, "count_sheet_signed", signed.pk))
    if got:
        found.append(
            Moment("Received by the cashier", COUNT_ROOM, got.received_at, "count_sheet_received", got.pk)
        )
    return sorted(found, key=lambda one: one.at)


def of_box(box: Any, sign_off: Any) -> list[Moment]:
    """Return what happened to a drop box, from its table to its sign-off."""
    events = dict(
        models.HouseEvent.objects.filter(
            site=box.site_id,
            kind__in=(models.HouseEvent.Kind.BOX_INSTALLED, models.HouseEvent.Kind.BOX_PULLED),
            recorded_at__in=[at for at in (box.installed_at, box.pulled_at) if at],
            data__box=box.pk,
        ).values_list("kind", "pk")
    )

    def event(kind: str, what: str, at: datetime) -> Moment:
        return Moment(what, box.place, at, "house_event" if kind in events else "", events.get(kind, 0))

    found = [event(models.HouseEvent.Kind.BOX_INSTALLED, "Installed", box.installed_at)]
    if box.pulled_at:
        found.append(event(models.HouseEvent.Kind.BOX_PULLED, "Pulled", box.pulled_at))
    found += [
        Moment("Received", one.get_place_display(), one.at, "box_received", one.pk)
        for one in box.receipts.all()
    ]
    found += [
        Moment(f"Count {one.attempt}", COUNT_ROOM, one.counted_at, "count", one.pk)
        for one in box.counts.all()
    ]
    if sign_off:
        found.append(Moment("Signed off", CAGE, sign_off.signed_at, "sign_off", sign_off.pk))
    return found
