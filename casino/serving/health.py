"""How the service does, told within a second whatever is broken: database and disk are asked in a thread that may hang, and a
row is really written. Nothing here tells what is in the house."""

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
from ledger.log.state import log_state
from tables.floor.house_clock import jumped_here
from tables.live.breaker import breaker

PATIENCE_SECONDS = 0.8
LATE_AFTER_SECONDS = 15.0
"""Three missed beats: one may be slow, three mean that screens are told late."""
LOW_BYTES = 1 << 29
"""Less free space than this is a night's warning."""

ROOM_BYTES = 1 << 20
"""What the probe takes from each disk for a moment. A row that is changed in place still fits where nothing else does."""
TOLD_SECONDS = 1.0
JUST_NOW_SECONDS = 10.0
"""An act that could not be written so lately, and none since that could, means that none can; else it is told beside what the
probe has found since."""

_asking = threading.Lock()


def unheard() -> dict[str, Any]:
    """What is told of database and disk before they have said anything: `database` is then `ok`, or the code of a fault."""
    return {
        "database": "silent",
        "disk": {"status": "silent", "free_megabytes": None},
        "clock": "unknown",
        "redis": "none",
        "scheduler": {"status": "unknown"},
        "audit_log": {"status": "unknown"},
    }


class Told:
    """What was found at the last look. Whoever asks within a second hears the same: asking costs acts their time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._found: dict[str, Any] = {}
        self._found_at = -math.inf

    def health(self) -> dict[str, Any]:
        """Return the state of the service, as `health` does, as it was a second ago or is now."""
        if connection.in_atomic_block:  # asked of this transaction, which nobody else sees
            return health()
        with self._lock:
            if time.monotonic() - self._found_at >= TOLD_SECONDS:
                self._found = health()
                self._found_at = time.monotonic()
            return self._found


told = Told()


def health() -> dict[str, Any]:
    """Return the state of the service; `status` is `ok`, `degraded` (it works, wake somebody) or `down` (nothing can be done)."""
    found = _ask_machine()
    if jumped_here() is not None:
        found["clock"] = "jumped"
    if settings.REDIS_URL:
        found["redis"] = "away" if breaker.away else "ok"
    met = reports.met()
    found["faults"] = {code: round(seconds, 1) for code, seconds in met.items()}
    well = (
        found["disk"]["status"] == "ok"
        and found["redis"] != "away"
        and found["clock"] in ("ok", "unknown")
        and found["scheduler"]["status"] == "ok"
        and found["audit_log"]["status"] in ("ok", "unknown")
        and not met
    )
    ready = found["database"] == "ok" and found["disk"]["status"] in ("ok", "low")
    lately = min(JUST_NOW_SECONDS, reports.wrote_seconds_ago())
    refuses_acts = any(met.get(fault.code, math.inf) < lately for fault in (DISK_FULL, NOT_WRITABLE))
    ready = ready and not refuses_acts
    return {"status": "ok" if ready and well else "degraded" if ready else "down", **found}


def _ask_machine() -> dict[str, Any]:
    """Ask in a thread, and wait for a moment. Inside a transaction, ask of that transaction."""
    found = unheard()
    if connection.in_atomic_block:
        _ask(found)
        return found
    if not _asking.acquire(timeout=PATIENCE_SECONDS):
        return found  # whoever asked before is waiting still

    def ask() -> None:
        try:
            _ask(found)
        finally:
            connection.close()
            _asking.release()

    asking = threading.Thread(target=ask, name="health", daemon=True)
    asking.start()
    asking.join(PATIENCE_SECONDS)
    return dict(found)  # what is heard later is for nobody


def _ask(found: dict[str, Any]) -> None:
    """Ask both; what one has said is known while the other hangs."""
    now = timezone.now()
    try:
        Pulse.beat("probe", now)
        require_room()
        tick = Pulse.last("scheduler")
        sites = list(houses())
        doubted = any(site.clock_doubted_at is not None for site in sites)
        found["scheduler"], found["audit_log"] = scheduler_state(tick, now), audit_log_state(sites, now)
        found["clock"] = "doubted" if doubted else "ok"
        found["database"] = "ok"
    except Exception as error:  # whatever is wrong with the database is what is asked
        found["database"] = (fault_of(error) or AWAY).code
    found["disk"] = disk_state()


def require_room() -> None:
    """Raise what the database says where it finds no room on its own disk: it is made to spill a megabyte into a file, which
    takes the space and gives it back. On SQLite the disk is that of the folder (`disk_state`)."""
    if connection.vendor != "postgresql":
        return
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL work_mem = '64kB'")
        cursor.execute(
            # PostgreSQL 18 sorts a megabyte in 64 kB; what is materialized is a file in every version.
            "WITH room AS MATERIALIZED (SELECT repeat(md5(n::text), 32) AS text FROM generate_series(1, %s) n)"
            " SELECT sum(length(text)) FROM room",
            [ROOM_BYTES >> 10],
        )


def scheduler_state(tick: datetime | None, now: datetime) -> dict[str, Any]:
    """How long ago (seconds) the scheduler last ran its heartbeat: ok, late, or unknown before its first."""
    if tick is None:
        return {"status": "unknown", "last_tick_seconds_ago": None}
    age = round(max(0.0, (now - tick).total_seconds()), 1)
    return {"status": "ok" if age <= LATE_AFTER_SECONDS else "late", "last_tick_seconds_ago": age}


def audit_log_state(sites: list[Any], now: datetime) -> dict[str, Any]:
    """How the audit log does, of the house that is furthest behind: ok, late, or stopped because something contradicts it."""
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
    """Whether the folder of the house can be written, and how much space is left on the disks that it uses."""
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
