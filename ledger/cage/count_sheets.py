"""Count sheets: begun by a counter for the pulled boxes of a gaming day, signed by two who counted once all
of them agree (4 CCR 12385). What was counted is shown to nobody else before that."""

from collections.abc import Collection, Sequence
from datetime import date

from django.db import transaction
from django.db.models import Max

from ledger import lengths
from ledger.cage.boxes import CountState, boxes_of, lock_boxes
from ledger.cage.boxes import open_sheet as open_sheet
from ledger.errors import (
    BadText,
    CountOpen,
    DidNotCount,
    NoBoxWaits,
    SecondPerson,
    SheetBegun,
    SheetSigned,
)
from ledger.journal import keys, posting, records
from ledger.journal.acts import Act
from ledger.models import Count, CountSheetSignature, Site
from ledger.models import CountNote as CountNote
from ledger.models import CountSheet as CountSheet
from ledger.rights import COUNT_BOXES, require
from ledger.rules.count_sheets import wrong_signers

_REFUSALS = {one.code: one for one in (SecondPerson, DidNotCount)}


def begin_sheet(*, site: Site, day: date, act: Act) -> CountSheet:
    """Begin the count of a gaming day's pulled boxes under the next number. The same request again returns
    the first. Raises NoBoxWaits, SheetBegun while one of the day is open, KeyReused."""
    require(act.actor, COUNT_BOXES)
    _check_texts(act)
    with transaction.atomic():
        posting.lock_house(site)
        same = {"begun_by_id": act.actor.pk, "gaming_day": day}
        if earlier := keys.made_before(CountSheet, site.pk, act.key, **same):
            return earlier
        if found := open_sheet(site, day):
            raise SheetBegun(f"{found} of gaming day {day} is open. Count on it.")
        if not boxes_of(site, day).waiting:
            raise NoBoxWaits(f"No box of gaming day {day} waits to be counted.")
        last = CountSheet.objects.filter(site=site).aggregate(last=Max("number"))["last"]
        sheet = CountSheet.objects.create(
            site=site,
            number=(last or 0) + 1,
            gaming_day=day,
            begun_by=act.actor,
            begun_at=act.now,
            terminal=act.terminal,
            key=act.key,
        )
        records.keep(site.pk, act.now, sheet)
    return sheet


def note_on_sheet(*, sheet: CountSheet, kind: str, text: str, act: Act) -> CountNote:
    """Note on an open sheet who came or went, that surveillance was told or an empty box shown. The same
    request again returns the first note. Raises SheetSigned, BadText, KeyReused."""
    require(act.actor, COUNT_BOXES)
    _check_texts(act)
    if kind not in CountNote.Kind:
        raise BadText("Choose what happened.", field="kind")
    text = posting.checked_text(text.strip(), lengths.REASON, "text")
    with transaction.atomic():
        posting.lock_house(sheet.site)
        same = {"sheet_id": sheet.pk, "kind": kind, "text": text, "person_id": act.actor.pk}
        if earlier := keys.made_before(CountNote, sheet.site_id, act.key, **same):
            return earlier
        require_open(sheet)
        written = CountNote.objects.create(
            site_id=sheet.site_id,
            sheet=sheet,
            kind=CountNote.Kind(kind),
            text=text,
            person=act.actor,
            at=act.now,
            key=act.key,
        )
        records.keep(sheet.site_id, act.now, written)
    return written


def sign_sheet(*, sheet: CountSheet, without_box: Sequence[str], act: Act) -> CountSheetSignature:
    """Sign a sheet by `act.actor` and `act.approver`, who both counted on it, once every pulled box of its
    day agrees. `without_box` are the tables that had none. The same request again returns the first
    signatures. Raises NotAllowed, SecondPerson, DidNotCount, CountOpen, SheetSigned, KeyReused."""
    require(act.actor, COUNT_BOXES)
    _check_texts(act)
    first, second = act.actor, act.approver
    with transaction.atomic():
        lock_boxes(sheet.site, sheet.gaming_day)
        posting.lock_house(sheet.site)
        same = {"sheet_id": sheet.pk, "signed_by_id": first.pk, "signed_with_id": second and second.pk}
        if earlier := keys.made_before(CountSheetSignature, sheet.site_id, act.key, **same):
            return earlier
        require_open(sheet)
        counters = counters_of(sheet)
        if wrong := wrong_signers(first.pk, second and second.pk, counters):
            raise _REFUSALS[wrong[0]](wrong[1], field="second" if first.pk in counters else None)
        require(second, COUNT_BOXES)
        found = boxes_of(sheet.site, sheet.gaming_day)
        _require_agreed(found.on(sheet))
        signed = CountSheetSignature.objects.create(
            site_id=sheet.site_id,
            sheet=sheet,
            signed_by=first,
            signed_with=second,
            signed_at=act.now,
            installed=len(found.boxes),
            pulled=sum(box.pulled_at is not None for box in found.boxes),
            counted=sum(state.agreed for state in found.states),
            without_box=list(without_box),
            terminal=act.terminal,
            key=act.key,
        )
        records.keep(sheet.site_id, act.now, signed)
    return signed


def is_signed(sheet: CountSheet) -> bool:
    return CountSheetSignature.objects.filter(sheet=sheet).exists()


def require_open(sheet: CountSheet) -> None:
    if is_signed(sheet):
        raise SheetSigned(f"{sheet} is signed. Nothing is added to it.")


def counters_of(sheet: CountSheet) -> set[int]:
    """Return the ids of those who counted on a sheet."""
    return set(Count.objects.filter(sheet=sheet).values_list("counter", flat=True))


def is_ready(states: Collection[CountState]) -> bool:
    """Return whether a sheet on which these boxes stand can be signed."""
    return bool(states) and all(state.agreed for state in states)


def _require_agreed(states: Collection[CountState]) -> None:
    for state in states:
        if not state.agreed:
            raise CountOpen(f"{state.box} has not been counted twice with the same result.")


def _check_texts(act: Act) -> None:
    posting.checked_text(act.key, posting.KEY_LENGTH, "key")
    posting.checked_text(act.terminal, posting.LABEL_LENGTH, "terminal", empty=True)
