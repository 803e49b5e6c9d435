"""The cash of signed-off boxes on its way to the bank: each box is on one deposit, unless that was voided."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet

from ledger.errors import BoxDeposited, BoxNotSigned
from ledger.journal import records
from ledger.models import Document, DocumentBox, DropBox, DropSignOff, Site
from ledger.rules.documents import Step


def undeposited(site: Site) -> QuerySet[DropSignOff]:
    """Return the sign-offs of boxes with cash that is on no deposit, with the boxes, in order."""
    signed = DropSignOff.objects.filter(box__site=site, counted_cash__gt=0)
    return signed.exclude(box__in=_named(site)).select_related("box").order_by("box__number")


def signed_of(document: Document) -> QuerySet[DropSignOff]:
    """Return the sign-offs of the boxes in a deposit, with the boxes, in order."""
    named = document.boxes.values("box")
    return DropSignOff.objects.filter(box__in=named).select_related("box").order_by("box__number")


def boxes_of(document: Document) -> list[int]:
    return sorted(document.boxes.values_list("box", flat=True))


def require_undeposited(site: Site, boxes: Sequence[int]) -> list[int]:
    """Return the cash counted in each of these boxes, in cents. Raises BoxNotSigned, BoxDeposited. Called
    under the house's lock."""
    if not boxes:
        return []
    signed = DropSignOff.objects.filter(box__site=site, box__in=boxes).select_related("box")
    if signed.count() != len(set(boxes)):
        raise BoxNotSigned("One of these boxes has not been signed off.", field="boxes")
    gone = signed.filter(Q(box__in=_named(site)) | Q(counted_cash=0)).order_by("box__number")
    if gone:
        names = "; ".join(str(one.box) for one in gone)
        raise BoxDeposited(f"On another deposit, or without cash: {names}.", field="boxes")
    return [one.counted_cash for one in signed]


def write(document: Document, boxes: Sequence[int], now: datetime) -> None:
    for box in sorted(set(boxes)):
        before = DocumentBox.objects.filter(box=box).count()
        linked = DocumentBox.objects.create(
            site_id=document.site_id, document=document, box_id=box, attempt=before + 1
        )
        records.keep(document.site_id, now, linked)


def deposit_of(box: DropBox) -> Document | None:
    """Return the deposit that has the box's cash; None while there is none."""
    found = _live(box.site).filter(box=box).select_related("document").first()
    return found.document if found else None


def _named(site: Site) -> QuerySet[Any, Any]:
    return _live(site).values("box")


def _live(site: Site) -> QuerySet[DocumentBox]:
    return DocumentBox.objects.filter(site=site).exclude(document__steps__step=Step.VOIDED)
