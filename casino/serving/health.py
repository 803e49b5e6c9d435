"""The health of the service, reported within a second whatever is broken, without facts about the house. A
thread that may hang asks database and disk, and writes a row."""

import math
import os
import shutil
import tempfile
import threading
import time
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from casino.models import Pulse
from casino.serving.faults import AWAY, DISK_FULL, NOT_WRITABLE, fault_of, reports
from ledger.journal.particulars import houses
from ledger.proof.log.state import log_state
from tables.floor.house_clock import jumped_here
from tables.live.breaker import breaker

PATIENCE_SECONDS = 0.8
LATE_AFTER_SECONDS = 15.0
"""Three missed beats: one may be slow, three delay screens."""
LOW_BYTES = 1 << 29
"""Warn below this much free space: enough for a night."""

ROOM_BYTES = 1 << 20
"""Space the probe takes on each disk for a moment: an in-place update would fit where nothing else does."""
TOLD_SECONDS = 1.0
JUST_NOW_SECONDS = 10.0
"""If an act failed to be written within this time and none succeeded since, none can be: `down`."""

_asking = threading.Lock()


def unheard() -> dict[str, Any]:
    """Return what is reported until database and disk answer; `database` becomes `ok` or a fault's code."""
    return {
        "database": "silent",
        "disk": {"status": "silent", "free_megabytes": None},
        "clock": "unknown",
        "redis": "none",
        "scheduler": {"status": "unknown"},
        "audit_log": {"status": "unknown"},
    }


class LastHealth:
    """Caches the last result for a second, so that probes do not slow down acts."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._found: dict[str, Any] = {}
        self._found_at = -math.inf

    def health(self) -> dict[str, Any]:
        if connection.in_atomic_block:  # run within this transaction, which nobody else sees
            return health()
        with self._lock:
            if time.monotonic() - self._found_at >= TOLD_SECONDS:
                self._found = health()
                self._found_at = time.monotonic()
            return self._found


told = LastHealth()


def health() -> dict[str, Any]:
    """Return the state; `status` is `ok`, `degraded` (works, but alert somebody) or `down`."""
    state = _ask_machine()
    if jumped_here() is not None:
        state["clock"] = "jumped"
    if settings.REDIS_URL:
        state["redis"] = "away" if breaker.away else "ok"
    met = reports.met()
    state["faults"] = {code: round(seconds, 1) for code, seconds in met.items()}
    well = (
        state["disk"]["status"] == "ok"
        and state["redis"] != "away"
        and state["clock"] in ("ok", "unknown")
        and state["scheduler"]["status"] == "ok"
        and state["audit_log"]["status"] in ("ok", "unknown")
        and not met
    )
    ready = state["database"] == "ok" and state["disk"]["status"] in ("ok", "low")
    lately = min(JUST_NOW_SECONDS, reports.wrote_seconds_ago())
    refuses_acts = any(met.get(fault.code, math.inf) < lately for fault in (DISK_FULL, NOT_WRITABLE))
    ready = ready and not refuses_acts
    return {"status": "ok" if ready and well else "degraded" if ready else "down", **state}


def _ask_machine() -> dict[str, Any]:
    state = unheard()
    if connection.in_atomic_block:
        _ask(state)
        return state
    if not _asking.acquire(timeout=PATIENCE_SECONDS):
        return state  # an earlier probe is still waiting

    def ask() -> None:
        try:
            _ask(state)
        finally:
            connection.close()
            _asking.release()

    asking = threading.Thread(target=ask, name="health", daemon=True)
    asking.start()
    asking.join(PATIENCE_SECONDS)
    return dict(state)  # later answers are ignored


def _ask(state: dict[str, Any]) -> None:
    """Ask both; `found` keeps the first answer while the other hangs."""
    now = timezone.now()
    try:
        Pulse.beat("probe", now)
        require_room()
        tick = Pulse.last("scheduler")
        sites = list(houses())
        doubted = any(site.clock_doubted_at is not None for site in sites)
        state["scheduler"], state["audit_log"] = scheduler_state(tick, now), audit_log_state(sites, now)
        state["clock"] = "doubted" if doubted else "ok"
        state["database"] = "ok"
    except Exception as error:  # any error here is the state of the database
        state["database"] = (fault_of(error) or AWAY).code
    state["disk"] = disk_state()


def require_room() -> None:
    """Raise the database's error if its disk is full: make it spill a megabyte (SQLite: `disk_state`)."""
    if connection.vendor != "postgresql":
        return
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL work_mem = '64kB'")
        cursor.execute(
            # PostgreSQL 18 sorts a megabyte in 64 kB; a materialized CTE spills in every version.
            "WITH room AS MATERIALIZED (SELECT repeat(md5(n::text), 32) AS text FROM generate_series(1, %s) "
            "n) SELECT sum(length(text)) FROM room",
            [ROOM_BYTES >> 10],
        )


def scheduler_state(tick: datetime | None, now: datetime) -> dict[str, Any]:
    """Return the age of the scheduler's heartbeat in seconds: `ok`, `late`, or `unknown` before the first."""
    if tick is None:
        return {"status": "unknown", "last_tick_seconds_ago": None}
    age = round(max(0.0, (now - tick).total_seconds()), 1)
    return {"status": "ok" if age <= LATE_AFTER_SECONDS else "late", "last_tick_seconds_ago": age}


def audit_log_state(sites: list[Any], now: datetime) -> dict[str, Any]:
    """Return the state of the log furthest behind: `ok`, `late`, or `stopped` by a contradiction."""
    states = [log_state(site, now) for site in sites]
    if not states:
        return {"status": "unknown"}
    worst = max(states, key=lambda state: (state.status == "stopped", state.seconds))
    signed = worst.signed_at
    return {
        "status": worst.status,
        "records_waiting": worst.waiting,
        "oldest_seconds": worst.seconds,
        "records_sealed": worst.size,
        "checkpoint_seconds_ago": None if signed is None else max(0, int((now - signed).total_seconds())),
    }


def disk_state() -> dict[str, Any]:
    """Return whether the house's folders can be written, and the least free space on their disks."""
    places = [settings.PAPERS]
    if connection.vendor == "sqlite":
        places.append(Path(str(connection.settings_dict["NAME"])).parent)
    used = {settings.VAR_DIR, *filter(Path.exists, places)}
    try:
        free = min(shutil.disk_usage(folder).free for folder in used)
        for folder in used:
            with tempfile.TemporaryFile(dir=folder) as probe:
                os.posix_fallocate(probe.fileno(), 0, ROOM_BYTES)
    except OSError as error:
        fault = fault_of(error)
        return {"status": fault.code if fault else "unreadable", "free_megabytes": None}
    return {"status": "ok" if free >= LOW_BYTES else "low", "free_megabytes": free >> 20}
