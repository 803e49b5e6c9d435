"""Who dealt at a table or ran it while a drop box was there, by its rows: these people sign off neither the
box nor the table's bank. The books ask for them when a box or a bank is signed off
(`ledger/cage/signing.py`)."""

from datetime import datetime
from operator import attrgetter
from typing import Any

from django.db.models import Q

from ledger.rules.documents import KINDS, table_of
from tables.models import FeePayment, TableEvent, TableSession
from tables.rules.table.paying import Method
from tables.rules.table.runners import Runners


def of_box(box: Any) -> set[int]:
    """Return the ids of everybody who dealt at the box's table, acted there or waived a fee there while the
    box was in place. The books themselves know who took fees into it."""
    people: set[int] = set()
    for session in sessions_of(box):
        runners = _runners(session.pk)
        if box.number in runners.of_box:
            people |= runners.of_box[box.number] | _waived(session.pk, box.installed_at, box.pulled_at)
    return people


def sessions_of(box: Any) -> list[TableSession]:
    """Return the sessions of the box's table while the box was in place, if only for an instant."""
    there = Q(closed_at__isnull=True) | Q(closed_at__gte=box.installed_at)
    found = TableSession.objects.filter(there, table__site=box.site_id)
    if box.pulled_at is not None:
        found = found.filter(opened_at__lte=box.pulled_at)
    return [one for one in found.select_related("table") if str(one.table) == box.place]


def of_session(session_id: int) -> set[int]:
    """Return the same people for all boxes of a session: they do not sign off its bank."""
    session = TableSession.objects.get(pk=session_id)
    return _runners(session_id).everybody | _waived(session_id, session.opened_at, session.closed_at)


def of_document(document: Any) -> set[int]:
    """Return the same people for the session of a document: the one whose bank it fills or empties, or at
    whose open table unclaimed chips were found."""
    session = TableSession.objects.filter(bank_chips=document.chips_id).first()
    if session is None and KINDS[document.kind].is_held:
        begun = document.steps.get(ordinal=0).at
        there = Q(closed_at__isnull=True) | Q(closed_at__gte=begun)
        found = TableSession.objects.filter(there, table__site=document.site_id, opened_at__lte=begun)
        named = [one for one in found.select_related("table") if str(one.table) == table_of(document.place)]
        session = max(named, key=attrgetter("opened_at"), default=None)
    return set() if session is None else of_session(session.pk)


def _runners(session_id: int) -> Runners:
    runners = Runners()
    events = TableEvent.objects.filter(session=session_id).order_by("pk")
    for kind, actor, data in events.values_list("kind", "actor", "data"):
        runners.take(kind, actor, data)
    return runners


def _waived(session_id: int, since: datetime, until: datetime | None) -> set[int]:
    at = {"entry__recorded_at__gte": since} | ({"entry__recorded_at__lte": until} if until else {})
    waived = FeePayment.objects.filter(method=Method.WAIVED, sitting__session=session_id, **at)
    rows = waived.values_list("entry__actor", "entry__approver")
    return {one for row in rows for one in row if one is not None}
