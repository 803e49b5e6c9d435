"""Whether the tablet of a table is there. While it is away a dealer may play on (R57), and what nobody sends
from it is in no book: the floor is told since when a tablet is silent, and from when to when it was. Each
device on which a round was begun is heard for itself; until then the dealer's devices are one."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db.models import OuterRef, Q, Subquery

from ledger.db.compiled import Compiled, in_utc
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


def hear(session: TableSession, device: str, now: datetime) -> None:
    """Note that the tablet of a table's dealer has just asked, at most once a minute."""
    last = next((one for one in _NEWEST.rows(session.pk) if one.device == device), None)
    if last is not None and now - last.heard_at < NOTED_EVERY:
        return
    silent = None if last is None else _silence(session, device, last.heard_at, now)
    if last is None or silent is not None:
        since, until = silent or (None, None)
        silence = {"silent_from": since, "silent_until": until}
        TabletContact.objects.create(session=session, device=device, heard_at=now, **silence)
    else:
        TabletContact.objects.filter(pk=last.pk).update(heard_at=now)


def _silence(session: TableSession, device: str, since: datetime, now: datetime) -> Silence | None:
    """Return how long nothing was heard while somebody dealt to at least two players, if it was long. A push
    ends it: whoever comes may have a device of their own."""
    left = session.events.filter(kind=TableEvent.Kind.PUSHED, at__gt=since)
    if not device:
        left = left.filter(data__dealer=None)
    until = left.order_by("pk").values_list("at", flat=True).first() or now
    if until - since < SILENT:
        return None
    there = session.sittings.filter(Q(left_at=None) | Q(left_at__gt=since), entered_at__lt=until)
    return Silence(since, until) if there.count() > 1 else None


_PUSHED = TableEvent.objects.filter(
    session=OuterRef("session"), kind=TableEvent.Kind.PUSHED, at__gt=OuterRef("heard_at")
)
_OF_OPEN = Compiled(
    lambda site: (
        TabletContact.objects.filter(session__closed_at__isnull=True, session__table__site=site)
        .annotate(pushed_at=Subquery(_PUSHED.order_by("pk").values("at")[:1]))
        .order_by("pk")
    ),
    added="pushed_at",
)


def silences(site: Any, dealt: Iterable[int], now: datetime) -> Mapping[int, list[Silence]]:
    """Return the silences of each open table's tablet, by session, in one query. A table of `dealt`, where
    somebody deals to at least two players, may be silent right now."""
    found = defaultdict[int, list[Silence]](list)
    newest = defaultdict[int, dict[str, Any]](dict)
    for one in _OF_OPEN.rows(site.pk):
        newest[one.session_id][one.device] = one
        if one.silent_from is not None:
            found[one.session_id].append(Silence(one.silent_from, one.silent_until))
    for session in dealt:
        heard = newest.get(session, {})
        for one in [heard[device] for device in heard if device] or heard.values():
            until = in_utc(one.pushed_at) if one.device and one.pushed_at else None
            if (until or now) - one.heard_at >= SILENT:
                found[session].append(Silence(one.heard_at, until))
    return found
