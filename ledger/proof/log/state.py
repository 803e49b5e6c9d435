"""The state of the audit log for screens and monitoring: sealed, late, or stopped by a contradiction."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.core.cache import cache
from django.db import transaction
from django.utils.timesince import timesince

from ledger.errors import LedgerError
from ledger.journal import house_events
from ledger.journal.acts import Act
from ledger.journal.posting import lock_house
from ledger.models import HouseEvent, Site
from ledger.proof.log import sealing

LATE_AFTER = timedelta(minutes=1)
REFUSED_AGAIN = timedelta(hours=1)
REFUSED_KEY = "sealing-refused"
NO_KEY = "sealing-without-key"


@dataclass(frozen=True)
class LogState:
    """`status` is `ok`, `late` or `stopped`; `waiting` are unsealed, the oldest for `seconds`; `size`
    sealed."""

    status: str
    waiting: int
    seconds: int
    size: int
    signed_at: datetime | None
    refusal: str = ""

    @property
    def behind(self) -> str:
        """`seconds` in words, as `2 hours, 5 minutes`."""
        oldest = datetime.fromtimestamp(0, UTC)
        return timesince(oldest, oldest + timedelta(seconds=self.seconds))


def log_state(site: Site, now: datetime) -> LogState:
    """Return how far behind sealing is. A worker without the key stops nothing while another one seals."""
    lag = sealing.lag(site)
    behind = max(now - lag.since, timedelta()) if lag.since else timedelta()
    late = behind > LATE_AFTER
    refusal = _noted(site, REFUSED_KEY) or (_noted(site, NO_KEY) if late else "")
    status = "stopped" if refusal else "late" if late else "ok"
    return LogState(status, lag.waiting, int(behind.total_seconds()), lag.size, lag.signed_at, refusal)


def note_refusal(site: Site, sentence: str, *, of_key: bool = False) -> bool:
    """Note why sealing stopped, or "" once it goes on; return whether that is new. Lost with the cache."""
    name = NO_KEY if of_key else REFUSED_KEY
    new = _noted(site, name) != sentence
    if new:
        cache.set(f"{name}-{site.pk}", sentence, timeout=None)
    return new


def record_refusal(site: Site, error: LedgerError, *, now: datetime) -> None:
    """Record why sealing was refused, once an hour at most for each reason until a checkpoint is signed. (Of
    two workers, one may lack the key while the other signs.)"""
    refusal: dict[str, Any] = {"code": error.code, "sentence": error.message}
    refused = site.events.filter(kind=HouseEvent.Kind.SEALING_REFUSED)
    signed = sealing.latest(sealing.log_of(site))
    if signed is not None:
        refused = refused.filter(recorded_at__gt=min(signed.signed_at, now - REFUSED_AGAIN))
    with transaction.atomic():
        lock_house(site)
        if refusal not in refused.values_list("data", flat=True):
            house_events.note(site, HouseEvent.Kind.SEALING_REFUSED, act=Act(actor=None, now=now), **refusal)


def _noted(site: Site, name: str) -> str:
    return cache.get(f"{name}-{site.pk}") or ""
