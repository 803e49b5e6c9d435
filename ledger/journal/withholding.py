"""What the log proves without disclosing it: the look-ups in the exclusion list, when they were made, and the
people added.

Each text is written with its act (`withhold`). New texts go under one commitment, whose record comes at
intervals that follow from other records alone (`commit`): neither a record, nor its time, nor its neighbours
in the log reveal that anybody was looked up."""

import json
import secrets
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from ledger import lengths
from ledger.journal import house_events, records
from ledger.journal.acts import Act
from ledger.journal.posting import checked_text, lock_house
from ledger.models import HouseEvent, Site, Withheld, WithheldBatch, WithheldInBatch
from ledger.records import canonical
from ledger.records.withheld import Text, commitment_of_batch
from ledger.rights import OPEN_WITHHELD, require

EVERY = timedelta(minutes=10)
"""The time between two batches. Until a withheld text is in one, only triggers protect it."""
PERSON_ANSWER = Withheld.What.PERSON_ANSWER
"""The kind that the floor withholds: whether somebody is a player of the register."""
HANDED_OVER = Withheld.What.HANDED_OVER
"""The kind of the sentences of a handover, which name players; the floor withholds it too."""
LOOK_BACK = 1000  # texts before the newest in a batch, among which one may be committed late


def withhold(site: Site, what: str, payload: Mapping[str, Any], now: datetime) -> Withheld:
    text = canonical.text({"what": str(what), "at": records.moment(now), **payload})
    salt = secrets.token_hex(32)
    return Withheld.objects.create(
        site=site,
        what=what,
        salt=salt,
        text=text,
        commitment=canonical.commitment(salt, text),
        recorded_at=now,
    )


def payload_of(row: Withheld) -> dict[str, Any]:
    """Return the payload in a row's text; empty if it is no longer JSON, which verifying reports."""
    try:
        payload = json.loads(row.text)
    except ValueError:
        return {}
    return payload if isinstance(payload, dict) else {}


def open_batch(*, batch: WithheldBatch, act: Act) -> list[Withheld]:
    """Return the texts of a batch in the order of writing, and record the opening with its reason. Raises
    NotAllowed, ReasonRequired, BadText."""
    require(act.actor, OPEN_WITHHELD)
    act = act.stated("Enter why this is opened.")
    checked_text(act.reason, lengths.POSTED_REASON, "reason")
    kind = HouseEvent.Kind.WITHHELD_OPENED
    data: dict[str, Any] = {"record": batch.pk, "reason": act.reason}
    with transaction.atomic():
        lock_house(batch.site)
        if not house_events.noted_before(batch.site, kind, act, data):
            house_events.note(batch.site, kind, act=act, key=act.key, **data)
    return list(_texts_of(batch.pk))


def _texts_of(batch_id: int) -> QuerySet[Withheld]:
    return Withheld.objects.filter(in_batch__batch=batch_id).order_by("pk")


def opening_of(batch_id: int) -> tuple[str, list[Text]]:
    """Return the salt of a batch, and its texts with salts in order. Raises WithheldBatch.DoesNotExist."""
    found = _texts_of(batch_id).values_list("salt", "text")
    return WithheldBatch.objects.get(pk=batch_id).salt, [Text(*one) for one in found]


def is_due(site: Site, now: datetime) -> bool:
    """Return whether EVERY has passed since the last batch, or the clock was put back behind it."""
    last = WithheldBatch.objects.filter(site=site).order_by("-pk").first()
    return last is None or not timedelta() <= now - last.recorded_at < EVERY


def commit(site: Site, *, now: datetime) -> WithheldBatch:
    """Write the next batch and its record, even if nothing was withheld. Call it in a transaction that
    excludes others of this house."""
    own = Withheld.objects.filter(site=site)
    batched = own.filter(in_batch__isnull=False).order_by("-pk").values_list("pk", flat=True)
    since = next(iter(batched[LOOK_BACK : LOOK_BACK + 1]), 0)
    found = own.filter(pk__gt=since, in_batch__isnull=True)
    texts, salt = list(found.order_by("pk")), secrets.token_hex(32)
    batch = WithheldBatch.objects.create(
        site=site,
        salt=salt,
        commitment=commitment_of_batch(salt, (one.commitment for one in texts)),
        recorded_at=now,
    )
    WithheldInBatch.objects.bulk_create(WithheldInBatch(batch=batch, withheld=one) for one in texts)
    records.keep(site.pk, now, batch)
    return batch
