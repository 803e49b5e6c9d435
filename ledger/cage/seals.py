"""The seals of drop boxes and of reserve sets, and the notes on a box's pull."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from ledger import lengths
from ledger.chart import AccountKind
from ledger.errors import EmergencyDrop, ReferenceRequired, SealDiffers, SealInUse, SealRequired
from ledger.journal import posting
from ledger.journal.acts import Act
from ledger.journal.closing import unsigned_boxes
from ledger.models import DocumentStep, DropBox, Site
from ledger.rights import DEAL, MANAGE_HOUSE, RUN_FLOOR, WORK_CAGE, require
from ledger.rules import box_custody
from ledger.rules.documents import KINDS, DocumentKind, other_seals, seals_of, wrong_seals

SEAL_LENGTH = 20
SECOND = (RUN_FLOOR, DEAL, WORK_CAGE, MANAGE_HOUSE)
"""The rights of the second person at a step of a document that needs two."""


@dataclass(frozen=True)
class Pulling:
    """The notes on a pull: the `seal` that was read, why it is not the box's, and why the box is pulled
    outside the filed times."""

    seal: str = ""
    seal_reason: str = ""
    emergency: str = ""

    @property
    def said(self) -> dict[str, str]:
        """Return what a record of the pull says."""
        named = {"seal": self.seal, "seal_reason": self.seal_reason, "emergency": self.emergency}
        return {name: text for name, text in named.items() if text}


def is_emergency(site: Site, now: datetime) -> bool:
    """Return whether pulling a box now is outside the filed times."""
    local = now.astimezone(ZoneInfo(site.time_zone))
    return box_custody.is_emergency(local, box_custody.drop_times(site.drop_times))


def due_boxes(site: Site, boxes: Collection[int], now: datetime) -> dict[int, tuple[DropBox, datetime]]:
    """Return those of these boxes in use that are due by the filed times, by id, and the local time since."""
    zone, times = ZoneInfo(site.time_zone), box_custody.drop_times(site.drop_times)
    found = DropBox.objects.filter(pk__in=boxes) if times else ()
    since = {
        box: box_custody.due_since(box.installed_at.astimezone(zone), now.astimezone(zone), times)
        for box in found
    }
    return {box.pk: (box, at) for box, at in since.items() if at is not None}


def require_free_seal(site: Site, seal: str) -> None:
    """Refuse a box without a seal in a house that has them, and a seal that is on another box until that is
    signed off. Called under the house's lock."""
    if not seal and site.box_seals:
        raise SealRequired("Note the number of the seal on the new box.", field="new_seal")
    with_it = unsigned_boxes().filter(chips__site=site, seal=seal).first() if seal else None
    if with_it is not None:
        raise SealInUse(f"Seal {seal} is on {with_it}. Read the number again.", field="new_seal")


def checked_pulling(box: DropBox, noted: Pulling, act: Act) -> Pulling:
    """Return the notes on a pull, trimmed, with reasons only where they are needed."""
    seal = posting.checked_text(noted.seal.strip(), SEAL_LENGTH, "seal", empty=True)
    reason = posting.checked_text(noted.seal_reason.strip(), lengths.REASON, "seal_reason", empty=True)
    if wrong := box_custody.wrong_seal(box.seal, seal, reason):
        raise SealDiffers(wrong[1], field="seal" if not seal else "seal_reason")
    emergency = posting.checked_text(noted.emergency.strip(), lengths.REASON, "emergency", empty=True)
    if not is_emergency(box.site, act.now):
        emergency = ""
    elif not emergency:
        raise EmergencyDrop(
            "This is outside the filed times. Say why the box is pulled now.", field="emergency"
        )
    return Pulling(seal, reason if seal != box.seal else "", emergency)


def kept_in_reserve(site: Site) -> frozenset[str]:
    """Return the numbers of the seals in the reserve: those of sets sealed and not opened since."""
    kept: frozenset[str] = frozenset()
    kinds = [kind.code for kind in KINDS.values() if kind.place == AccountKind.RESERVE]
    steps = DocumentStep.objects.filter(site=site, document__kind__in=kinds, reference__gt="")
    for step in steps.select_related("document").order_by("pk"):
        sealed, broken = seals_of(KINDS[step.document.kind], step.step, step.reference)
        kept = (kept | sealed) - broken
    return kept


def require_seals(kind: DocumentKind, site: Site, step: str, reference: str, act: Act) -> bool:
    """Return whether a step of a document breaks a seal that is not in the reserve, for which two people
    sign. Raises ReferenceRequired, SealInUse, SealDiffers."""
    if kind.place != AccountKind.RESERVE:
        return False
    kept, second = kept_in_reserve(site), act.approver and act.approver.pk
    wrong = wrong_seals(kind, step, kept, reference, signed=(act.actor.pk, second, act.reason))
    if wrong is not None:
        refusal = {"seal_differs": SealDiffers, "seal_in_use": SealInUse}.get(wrong[0], ReferenceRequired)
        raise refusal(wrong[1], field="reference")
    other = other_seals(kind, step, kept, reference)
    if other:
        require(act.approver, *SECOND)
    return other
