"""How the audit log does, for whoever watches over the house: sealed, late, or stopped because something contradicts it."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.core.cache import cache
from redis import RedisError

from ledger.log import sealing
from ledger.models import Site

LATE_AFTER = timedelta(minutes=1)
REFUSED_KEY = "sealing-refused"


@dataclass(frozen=True)
class LogState:
    """`status` is `ok`, `late` or `stopped`; `waiting` records are not sealed, the oldest for `seconds`; `size` are."""

    status: str
    waiting: int
    seconds: int
    size: int
    signed_at: datetime | None
    refusal: str = ""


def log_state(site: Site, now: datetime) -> LogState:
    """How far behind sealing is, and whether it refuses to go on."""
    lag = sealing.lag(site)
    behind = max(now - lag.since, timedelta()) if lag.since else timedelta()
    refusal = refusal_of(site)
    status = "stopped" if refusal else "late" if behind > LATE_AFTER else "ok"
    return LogState(status, lag.waiting, int(behind.total_seconds()), lag.size, lag.signed_at, refusal)


def note_refusal(site: Site, sentence: str) -> None:
    """Keep why sealing stopped, or that it goes on (an empty sentence). Without its cache nobody is told but the log file."""
    try:
        cache.set(f"{REFUSED_KEY}-{site.pk}", sentence, timeout=None)
    except RedisError:
        return


def refusal_of(site: Site) -> str:
    """Why sealing stopped, or nothing."""
    try:
        return cache.get(f"{REFUSED_KEY}-{site.pk}") or ""
    except RedisError:
        return ""
