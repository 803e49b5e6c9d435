"""The state of the house's clock: its row says whether the time is in doubt, house events say since when and
who confirmed it. `tables/floor/house_clock.py` decides when to doubt it."""

import socket
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction

from ledger.journal import house_events
from ledger.journal.acts import Act
from ledger.journal.posting import lock_house
from ledger.models import AuditRecord, HouseEvent, Site

DOUBTED, CONFIRMED = HouseEvent.Kind.CLOCK_DOUBTED, HouseEvent.Kind.TIME_CONFIRMED


@dataclass(frozen=True, slots=True)
class Reading:
    """The clock's time, and how long this machine has been running since its start `boot`."""

    now: datetime
    running: timedelta
    boot: str


def newest_record(site: Site) -> datetime | None:
    """Return the time of a house's newest record; None also if that is known to be ahead."""
    recorded = AuditRecord.objects.filter(site=site).order_by("-pk").values_list("recorded_at", flat=True)
    newest = recorded.first()
    ahead = newest is not None and site.ahead_until is not None and newest <= site.ahead_until
    return None if ahead else newest


def confirmed_on(site: Site, boot: str) -> Reading | None:
    """Return the last reading confirmed on this machine since it started."""
    event = site.events.filter(kind=CONFIRMED, data__boot=boot).order_by("-pk").first()
    if event is None:
        return None
    return Reading(event.at, timedelta(seconds=float(event.data["running"])), boot)


def doubt(site: Site, *, reading: Reading, expected: datetime) -> bool:
    """Put the clock in doubt and record what was shown and expected. Return False if it already was."""
    with transaction.atomic():
        if not Site.objects.filter(pk=site.pk, clock_doubted_at=None).update(clock_doubted_at=reading.now):
            return False
        house_events.note(
            site,
            DOUBTED,
            clock=reading.now.isoformat(),
            expected=expected.isoformat(),
            host=socket.gethostname(),
            act=Act(actor=None, now=reading.now),
        )
    return True


def confirm(site: Site, *, reading: Reading, ahead_of: Callable[[Site], datetime | None], act: Act) -> bool:
    """End the doubt and record it. `ahead_of` returns the newest time ahead of the clock, if any. Return
    False if nobody doubts the clock and nothing is ahead of it."""
    with transaction.atomic():
        lock_house(site)
        if house_events.noted_before(site, CONFIRMED, act, {}):
            return True
        site.refresh_from_db()
        ahead, doubted = ahead_of(site), site.clock_doubted_at
        if doubted is None and ahead is None:
            return False
        until = ahead or site.ahead_until
        Site.objects.filter(pk=site.pk).update(clock_doubted_at=None, ahead_until=until)
        house_events.note(
            site,
            CONFIRMED,
            clock=reading.now.isoformat(),
            doubted=doubted and doubted.isoformat(),
            ahead_until=until and until.isoformat(),
            running=str(reading.running.total_seconds()),
            boot=reading.boot,
            key=act.key,
            at=reading.now,
            act=act.at(reading.now),
        )
    return True


def known_ahead_until(site: Site) -> list[datetime]:
    """Return, for each confirmation of a clock ahead, until when it was ahead."""
    told = site.events.filter(kind=CONFIRMED).values_list("data__ahead_until", flat=True)
    return [datetime.fromisoformat(until) for until in told if until]
