"""The state of the audit log, for screens and monitoring: sealed, late, or stopped by a contradiction."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.core.cache import cache

from ledger.log import sealing
from ledger.models import Site

LATE_AFTER = timedelta(minutes=1)
REFUSED_KEY = "sealing-refused"


@dataclass(frozen=True)
class LogState:
    """`status` is `ok`, `late` or `stopped`; `waiting` records are unsealed, the oldest for `seconds`; `size` are sealed."""

    status: str
    waiting: int
    seconds: int
    size: int
    signed_at: datetime | None
    refusal: str = ""


def log_state(site: Site, now: datetime) -> LogState:
    """Return how far behind sealing is, and whether it has stopped."""
    lag = sealing.lag(site)
    behind = max(now - lag.since, timedelta()) if lag.since else timedelta()
    refusal = refusal_of(site)
    status = "stopped" if refusal else "late" if behind > LATE_AFTER else "ok"
    return LogState(status, lag.waiting, int(behind.total_seconds()), lag.size, lag.signed_at, refusal)


def note_refusal(site: Site, sentence: str) -> None:
    """Store why sealing stopped, or an empty text if it goes on. Without the cache, only the log file has it."""
    cache.set(f"{REFUSED_KEY}-{site.pk}", sentence, timeout=None)


def refusal_of(site: Site) -> str:
    """Return why sealing stopped, or an empty text."""
    return cache.get(f"{REFUSED_KEY}-{site.pk}") or ""
