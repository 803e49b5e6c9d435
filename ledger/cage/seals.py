"""The seals of drop boxes, and what is noted as a box is pulled."""

from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from ledger import lengths
from ledger.errors import EmergencyDrop, SealDiffers, SealInUse, SealRequired
from ledger.journal import posting
from ledger.journal.acts import Act
from ledger.journal.closing import unsigned_boxes
from ledger.models import DropBox, Site
from ledger.rules import box_custody

SEAL_LENGTH = 20


@dataclass(frozen=True)
class Pulling:
    """What is noted as a box is pulled: the `seal` that was read, why it is not the box's, and why the box is
    pulled outside the filed times."""

    seal: str = ""
    seal_reason: str = ""
    emergency: str = ""

    @property
    def said(self) -> dict[str, str]:
        """Return what a record of the pull says."""
        named = {"seal": self.seal, "seal_reason": self.seal_reason, "emergency": self.emergency}
        return {name: text for name, text in named.items() if text}


def is_emergency(site: Site, now: datetime) -> bool:
    """Return whether a box that is pulled now is pulled outside the filed times."""
    local = now.astimezone(ZoneInfo(site.time_zone))
    return box_custody.is_emergency(local, box_custody.drop_times(site.drop_times))


def require_free_seal(site: Site, seal: str) -> None:
    """Refuse a box without a seal in a house that has them, and a seal that is on another box until that is
    signed off. Called under the house's lock."""
    if not seal and site.box_seals:
        raise SealRequired("Note the number of the seal on the new box.", field="new_seal")
    with_it = unsigned_boxes().filter(chips__site=site, seal=seal).first() if seal else None
    if with_it is not None:
        raise SealInUse(f"Seal {seal} is on {with_it}. Read the number again.", field="new_seal")


def checked_pulling(box: DropBox, noted: Pulling, act: Act) -> Pulling:
    """Return what is noted of a pull, trimmed; a reason only where one is needed."""
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
