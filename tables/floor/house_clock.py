"""The house's clock: doubted when it jumps, trusted again once somebody confirms it.

In doubt no round starts and nothing is charged (`tables.state.locks.require_true_time`). Web processes check
before each act, a worker every few seconds."""

import socket
import time
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef

from ledger.journal import clock
from ledger.journal.acts import Act
from ledger.journal.clock import Reading
from ledger.journal.particulars import houses
from ledger.rights import require
from tables.errors import NothingChanges
from tables.live import HOUSE, publish
from tables.models import ClockStop, Sitting, TableSession
from tables.rights import RUN_FLOOR
from tables.rules.table.moments import act_moment, jump, starts_wrong

_BOOT = Path("/proc/sys/kernel/random/boot_id")
# This clock counts sleep; without one, a machine that slept has jumped.
_RUNNING = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def read() -> Reading:
    running = timedelta(seconds=time.clock_gettime(_RUNNING))
    try:
        boot = _BOOT.read_text().strip()
    except OSError:
        boot = socket.gethostname()
    return Reading(datetime.now(UTC), running, boot)


class Watch:
    """Compares readings of the clock with the first of this process, or a confirmed one."""

    def __init__(self, began: Reading) -> None:
        self.began = began

    def jumped(self, reading: Reading) -> timedelta | None:
        """Return by how much the clock has jumped, or None. No query."""
        return jump(self.began.now, reading.now, reading.running - self.began.running)

    def look(self, reading: Reading) -> None:
        """Doubt every house's clock after a jump, unless this very time was confirmed on this machine."""
        moved = self.jumped(reading)
        if moved is None:
            return
        for site in houses():
            confirmed = clock.confirmed_on(site, reading.boot)
            if confirmed is not None and Watch(confirmed).jumped(reading) is None:
                self.began = confirmed
                return
            _doubt(site, reading, reading.now - moved)

    def look_at_start(self, reading: Reading) -> None:
        """Doubt the clock of each house whose newest record contradicts it; demos are exempt."""
        for site in houses():
            newest = None if site.demo else clock.newest_record(site)
            if newest is not None and starts_wrong(reading.now, newest, playing=_is_playing(site)):
                _doubt(site, reading, newest)


_watch: Watch | None = None


def begin() -> None:
    global _watch
    reading = read()
    _watch = Watch(reading)
    _watch.look_at_start(reading)


def look() -> None:
    if _watch is not None:
        _watch.look(read())


def jumped_here() -> timedelta | None:
    """Return by how much the clock of this process has jumped, or None."""
    return _watch.jumped(read()) if _watch is not None else None


def _doubt(site: Any, reading: Reading, expected: datetime) -> None:
    with transaction.atomic():
        if clock.doubt(site, reading=reading, expected=expected):
            publish(HOUSE)


def _is_playing(site: Any) -> bool:
    seated = Sitting.objects.filter(session__table__site=site, session__closed_at=None, left_at=None)
    stopped = ClockStop.objects.filter(session=OuterRef("session"), started_at=None)
    return seated.filter(~Exists(stopped)).exists()


def ahead_of(site: Any, sessions: Iterable[TableSession], now: datetime) -> datetime | None:
    """Return the newest moment at these tables if `now` is too far before it to act there (R65)."""
    newest = max((session.latest_at for session in sessions), default=now)
    return newest if act_moment(now, newest, site.ahead_until) is None else None


def confirm_time(*, site: Any, reading: Reading, act: Act) -> None:
    """Trust the clock again after somebody compared it (R65). Tables with later records go on at their newest
    moment until the time has caught up. Refuses `nothing_changes`."""
    require(act.actor, RUN_FLOOR)

    def ahead(site: Any) -> datetime | None:
        opened = TableSession.objects.filter(table__site=site, closed_at=None)
        return ahead_of(site, opened, reading.now)

    with transaction.atomic():
        if not clock.confirm(site, reading=reading, ahead_of=ahead, act=act):
            raise NothingChanges("Nobody doubts the clock.")
        publish(HOUSE)
