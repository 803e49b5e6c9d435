"""What the log proves without telling it: who was looked up on the exclusion list and when, and who was put on it.

Each text is written with its act (`withhold`). What was written since the last time goes under one commitment, whose record
comes at intervals that follow from other records alone (`commit`): so neither a record, nor its time, nor its neighbours
in the log tell that anybody was looked up.
"""

import json
import secrets
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from ledger.audit.tree import canonical
from ledger.audit.withheld import commitment_of_batch
from ledger.db.compiled import Compiled
from ledger.journal import records
from ledger.models import Site, Withheld, WithheldBatch, WithheldInBatch

EVERY = timedelta(minutes=10)
"""Between two batches. Until it is in one, a withheld text is held by triggers alone."""
LOOK_BACK = 1000  # ids before the one batched last of which a text may have been committed late

_LAST = Compiled(lambda site: WithheldBatch.objects.filter(site=site).order_by("-pk")[:1])


def withhold(site: Site, what: str, payload: Mapping[str, Any], now: datetime) -> Withheld:
    """Write a text that stays in the house, in the transaction of its act."""
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
    """Return what the text of a row says; nothing if it is no longer JSON, which verifying names."""
    try:
        payload = json.loads(row.text)
    except ValueError:
        return {}
    return payload if isinstance(payload, dict) else {}


def is_due(site: Site, now: datetime) -> bool:
    """Whether the next batch is due: the interval has passed since the last one, or the clock was put back behind it."""
    last = next(iter(_LAST.rows(site.pk)), None)
    return last is None or not timedelta() <= now - last.recorded_at < EVERY


def commit(site: Site, *, now: datetime) -> WithheldBatch:
    """Write the next batch and its record, even if nothing was withheld. Belongs into a transaction that no other one of this
    house runs beside."""
    last = WithheldInBatch.objects.order_by("-withheld").values_list("withheld", flat=True).first() or 0
    found = Withheld.objects.filter(site=site, pk__gt=last - LOOK_BACK, in_batch__isnull=True)
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
