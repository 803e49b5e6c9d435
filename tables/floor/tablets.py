"""Whether the tablet of a table is there. While it is away a dealer may play on (R57), and what nobody sends
from it is in no book: the floor is told since when a tablet is silent, and from when to when it was."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db.models import Q

from ledger.db.compiled import Compiled
from tables.models import TableEvent, TableSession, TabletContact
from tables.state.held_seats import clock_text

SILENT = timedelta(minutes=3)  # a tablet asks for its plan every minute
NOTED_EVERY = timedelta(minutes=1)


class Silence(NamedTuple):
    """From when a tablet was not heard, and until when; None where it is silent still."""

    since: datetime
    until: datetime | None

    def said(self, site: Any, table: Any) -> str:
        since = clock_text(site, self.since)
        if self.until is None:
            lost = "What is played there is in no book yet."
            return f"The tablet of {table} has not been heard since {since}. {lost}"
        until = clock_text(site, self.until)
        ask = "Ask what was played, and count the chips."
        return f"The tablet of {table} was not heard from {since} to {until}. {ask}"


_NEWEST = Compiled(lambda session: TabletContact.objects.filter(session=session).order_by("-pk"))


def hear(session: TableSession, now: datetime) -> None:
    """Note that the tablet of a table's dealer has just asked, at most once a minute."""
    last = _NEWEST.first(session.pk)
    if last is not None and now - last.heard_at < NOTED_EVERY:
        return
    silent = None if last is None else _silence(session, last.heard_at, now)
    if last is None or silent is not None:
        since, until = silent or (None, None)
        TabletContact.objects.create(session=session, heard_at=now, silent_from=since, silent_until=until)
    else:
        TabletContact.objects.filter(pk=last.pk).update(heard_at=now)


def _silence(session: TableSession, since: datetime, now: datetime) -> Silence | None:
    """Return how long nothing was heard while somebody dealt to at least two players, if it was long."""
    left = session.events.filter(kind=TableEvent.Kind.PUSHED, at__gt=since, data__dealer=None)
    until = left.order_by("pk").values_list("at", flat=True).first() or now
    if until - since < SILENT:
        return None
    there = session.sittings.filter(Q(left_at=None) | Q(left_at__gt=since), entered_at__lt=until)
    return Silence(since, until) if there.count() > 1 else None


_OF_OPEN = Compiled(
    lambda site: TabletContact.objects.filter(
        session__closed_at__isnull=True, session__table__site=site
    ).order_by("pk")
)


def silences(site: Any, dealt: Iterable[int], now: datetime) -> Mapping[int, list[Silence]]:
    """Return the silences of each open table's tablet, by session, in one query. A table of `dealt`, where
    somebody deals to at least two players, may be silent right now."""
    found, heard = defaultdict[int, list[Silence]](list), dict[int, datetime]()
    for one in _OF_OPEN.rows(site.pk):
        heard[one.session_id] = one.heard_at
        if one.silent_from is not None:
            found[one.session_id].append(Silence(one.silent_from, one.silent_until))
    for session in dealt:
        if session in heard and now - heard[session] >= SILENT:
            found[session].append(Silence(heard[session], None))
    return found
