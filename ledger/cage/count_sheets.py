"""Count sheets: a counter begins one for the pulled boxes of a gaming day; two people who counted sign it
once all of them agree (4 CCR 12385). Nobody else sees the counts before that."""

from collections.abc import Collection, Sequence
from datetime import date

from django.db import transaction

from ledger import errors, lengths
from ledger.cage import struck
from ledger.cage.boxes import CountState, boxes_of, counted_together, lock_boxes, open_sheet as open_sheet
from ledger.cage.stocking import denominations, meant
from ledger.chart import AccountKind
from ledger.journal import keys, posting, records
from ledger.journal.acts import Act
from ledger.models import (
    Count,
    CountNote as CountNote,
    CountSheet as CountSheet,
    CountSheetReceipt,
    CountSheetSignature,
    Site,
)
from ledger.rights import COUNT_BOXES, MANAGE_HOUSE, RUN_FLOOR, WORK_CAGE, require
from ledger.rules.box_custody import wrong_receipt
from ledger.rules.count_sheets import wrong_signers
from ledger.rules.denominations import Pieces, checked_count

SECOND_AT_RECEIPT = (COUNT_BOXES, RUN_FLOOR, MANAGE_HOUSE)
"""The second person needs one of these rights, to sign that a cashier's count differs from the counters'."""
_REFUSALS = {
    one.code: one
    for one in (errors.SecondPerson, errors.DidNotCount, errors.CountsDiffer, errors.CountedBySigner)
}


def begin_sheet(*, site: Site, day: date, act: Act) -> CountSheet:
    """Begin the count of a gaming day's pulled boxes under the next number. The same request again returns
    the first. Raises NoBoxWaits, SheetBegun while one of the day is open, KeyReused."""
    require(act.actor, COUNT_BOXES)
    posting.check_texts(act)
    with transaction.atomic():
        posting.lock_house(site)
        same = {"begun_by_id": act.actor.pk, "gaming_day": day}
        if earlier := keys.made_before(CountSheet, site.pk, act.key, **same):
            return earlier
        if found := open_sheet(site, day):
            raise errors.SheetBegun(f"{found} of gaming day {day} is open. Count on it.")
        if not boxes_of(site, day).waiting:
            raise errors.NoBoxWaits(f"No box of gaming day {day} waits to be counted.")
        sheet = CountSheet.objects.create(
            site=site,
            number=posting.next_number(CountSheet.objects.filter(site=site)),
            gaming_day=day,
            begun_by=act.actor,
            begun_at=act.now,
            terminal=act.terminal,
            key=act.key,
            to_cashier=True,
        )
        records.keep(site.pk, act.now, sheet)
    return sheet


def note_on_sheet(*, sheet: CountSheet, kind: str, text: str, act: Act) -> CountNote:
    """Note on an open sheet that somebody came or went, that surveillance was told or that an empty box was
    shown. The same request again returns the first note. Raises SheetSigned, BadText, KeyReused."""
    require(act.actor, COUNT_BOXES)
    posting.check_texts(act)
    if kind not in CountNote.Kind:
        raise errors.BadText("Choose what happened.", field="kind")
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
    posting.check_texts(act)
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


def receive_sheet(*, sheet: CountSheet, pieces: Pieces, act: Act) -> CountSheetReceipt:
    """Receive the money of a signed sheet by a cashier's own count. If it differs from the counters',
    `act.approver` signs too, with the reason; until then nothing shows how it differs, and the refused count
    is kept. The same request again returns the first receipt. Raises SheetNotSigned, SheetReceived,
    CountsDiffer, CountedBySigner, SecondPerson, BadAmount, KeyReused."""
    require(act.actor, WORK_CAGE)
    posting.check_texts(act)
    pieces = meant(checked_count(pieces, **denominations(sheet.site)), sheet.site, AccountKind.DRAWER)
    reason = posting.checked_text(act.reason.strip(), lengths.POSTED_REASON, "reason", empty=True)
    first, second = act.actor, act.approver
    if second is not None:
        require(second, *SECOND_AT_RECEIPT)
    with struck.kept(sheet, pieces, act), transaction.atomic():
        posting.lock_house(sheet.site)
        same = {"sheet_id": sheet.pk, "received_by_id": first.pk, "pieces": pieces.data}
        if earlier := keys.made_before(CountSheetReceipt, sheet.site_id, act.key, **same):
            return earlier
        if not is_signed(sheet):
            raise errors.SheetNotSigned(f"{sheet} has not been signed by its two counters.")
        if is_received(sheet):
            raise errors.SheetReceived(f"What was counted on {sheet} has been received.")
        counted = counted_together(sheet)
        if counted == pieces:
            second, reason = None, ""
        told = (first.pk, second and second.pk, reason)
        if wrong := wrong_receipt(counted, pieces, *told, counters_of(sheet)):
            raise _REFUSALS[wrong[0]](
                wrong[1], field="second" if wrong[0] == errors.SecondPerson.code else None
            )
        received = CountSheetReceipt.objects.create(
            site_id=sheet.site_id,
            sheet=sheet,
            **pieces.columns,
            received_by=first,
            received_with=second,
            reason=reason,
            received_at=act.now,
            terminal=act.terminal,
            key=act.key,
        )
        records.keep(sheet.site_id, act.now, received)
    return received


def is_signed(sheet: CountSheet) -> bool:
    return CountSheetSignature.objects.filter(sheet=sheet).exists()


def is_received(sheet: CountSheet) -> bool:
    return CountSheetReceipt.objects.filter(sheet=sheet).exists()


def require_open(sheet: CountSheet) -> None:
    if is_signed(sheet):
        raise errors.SheetSigned(f"{sheet} is signed. Nothing is added to it.")


def counters_of(sheet: CountSheet) -> set[int]:
    """Return the ids of those who counted on a sheet."""
    return set(Count.objects.filter(sheet=sheet).values_list("counter", flat=True))


def is_ready(states: Collection[CountState]) -> bool:
    """Return whether the sheet of these boxes can be signed."""
    return bool(states) and all(state.agreed for state in states)


def _require_agreed(states: Collection[CountState]) -> None:
    for state in states:
        if not state.agreed:
            raise errors.CountOpen(f"{state.box} has not been counted twice with the same result.")
