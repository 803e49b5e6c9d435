"""Custody of a pulled box until it is counted: two people bring it into storage or the count room, and the
first of them receives it there and reads its seal."""

from django.db import transaction

from ledger import lengths
from ledger.cage.boxes import in_count_room, receipts
from ledger.cage.seals import SEAL_LENGTH, Pulling
from ledger.errors import BadText, BoxNotPulled, BoxReceived, SealDiffers, SecondPerson
from ledger.journal import keys, posting, records
from ledger.journal.acts import Act
from ledger.journal.closing import unsigned_boxes
from ledger.models import BoxReceipt, DropBox, Site
from ledger.rights import COUNT_BOXES, DEAL, RUN_FLOOR, WORK_CAGE, require
from ledger.rules.box_custody import COUNT_ROOM, wrong_bringers, wrong_seal

BRINGERS = (RUN_FLOOR, DEAL, COUNT_BOXES, WORK_CAGE)
Place = BoxReceipt.Place


def under_way(site: Site) -> list[DropBox]:
    """Return the pulled boxes with a seal that are not in the count room, in order."""
    pulled = unsigned_boxes().filter(chips__site=site, pulled_at__isnull=False).exclude(seal="")
    found = pulled.exclude(receipts__place=Place.COUNT_ROOM).select_related("pulled_by", "pulled_with")
    return list(found.prefetch_related(receipts()).order_by("pulled_at", "pk"))


def receive_box(*, box: DropBox, place: str, read: Pulling, act: Act) -> BoxReceipt:
    """Receive a pulled box at a place, brought by `act.actor` and `act.approver`. `read` has the seal, and
    the reason if it is not the box's. In the count room a counter receives it. The same request again returns
    the first receipt. Raises NotAllowed, SecondPerson, BoxNotPulled, BoxReceived, SealDiffers, BadText,
    KeyReused."""
    if place not in Place:
        raise BadText("Choose where the box is received.", field="place")
    require(act.actor, *((COUNT_BOXES,) if place == COUNT_ROOM else BRINGERS))
    posting.check_texts(act)
    seal = posting.checked_text(read.seal.strip(), SEAL_LENGTH, "seal", empty=True)
    reason = posting.checked_text(read.seal_reason.strip(), lengths.REASON, "seal_reason", empty=True)
    second = act.approver
    with transaction.atomic():
        posting.lock_house(box.site)
        box = DropBox.objects.select_related("site").prefetch_related("receipts").get(pk=box.pk)
        same = {"box_id": box.pk, "place": place, "seal": seal, "person_id": act.actor.pk}
        if earlier := keys.made_before(BoxReceipt, box.site_id, act.key, **same):
            return earlier
        if box.pulled_at is None:
            raise BoxNotPulled(f"{box} is still at its table.")
        if box.seal and in_count_room(box):
            raise BoxReceived(f"{box} has been received in the count room.")
        before = box.receipts.count()
        both = (box.pulled_by_id, box.pulled_with_id)
        pulled_by = () if before else tuple(one for one in both if one is not None)
        if wrong := wrong_bringers(place, act.actor.pk, second and second.pk, pulled_by):
            raise SecondPerson(wrong[1], field="second")
        require(second, *BRINGERS)
        if wrong := wrong_seal(box.seal, seal, reason):
            raise SealDiffers(f"{box}: {wrong[1]}", field="seal" if not seal else "seal_reason")
        received = BoxReceipt.objects.create(
            site_id=box.site_id,
            box=box,
            ordinal=before + 1,
            place=Place(place),
            seal=seal,
            reason=reason if seal != box.seal else "",
            person=act.actor,
            second=second,
            at=act.now,
            terminal=act.terminal,
            key=act.key,
        )
        records.keep(box.site_id, act.now, received)
    return received
