"""Write a table's event log, of events that move no money, and number the house's series."""

from datetime import datetime
from typing import Any

from django.db.models import Max, QuerySet

from ledger.db.compiled import Compiled, among, insert, new
from ledger.errors import KeyReused
from ledger.journal import keys, posting, records
from ledger.journal.acts import Act
from tables.models import Rate, TableEvent, TableSession


def record(
    session: TableSession, kind: str, *, at: datetime | None = None, act: Act, **data: Any
) -> TableEvent:
    event = new(
        TableEvent,
        site_id=session.table.site_id,
        session=session,
        kind=kind,
        at=at or act.now,
        recorded_at=act.now,
        actor=act.actor,
        data=data,
    )
    insert([event])
    records.keep(session.table.site_id, act.now, event)
    return event


def recorded_before(session: TableSession, kind: str, act: Act, **data: Any) -> bool:
    """Return whether the key recorded this event. Refuses `key_reused` if its data differ."""
    alike = {"session_id": session.pk, "actor_id": act.actor.pk, "kind": kind}
    earlier = keys.made_before(TableEvent, session.table.site_id, act.key, **alike)
    if earlier is not None and any(earlier.data.get(name) != value for name, value in data.items()):
        raise KeyReused(keys.USED, field="key")
    return earlier is not None


def newest_of(kind: str, *, joined: str) -> Compiled[TableEvent]:
    """Return the query for each session's newest event of this kind, with what is `joined`."""

    def newest() -> QuerySet[TableEvent]:
        events = TableEvent.objects.filter(among("session_id"), kind=kind).order_by()
        pks = events.values("session").annotate(newest=Max("pk")).values("newest")
        return TableEvent.objects.filter(pk__in=pks)

    return Compiled(lambda _: newest(), joined=joined)


def rate_data(rate: Rate, max_buy_in_cents: int) -> dict[str, Any]:
    return {
        "rate": {
            "id": rate.pk,
            "option": rate.option,
            "version": rate.version,
            "fee_cents": rate.fee_cents,
            "limit_cents": rate.limit_cents,
        },
        "limit_cents": rate.limit_cents,
        "max_buy_in_cents": max_buy_in_cents,
    }


def next_number(series: Any, site: Any) -> int:
    """Return the next number of a site's series without gaps, from 1, until the transaction ends. Locks the
    house: a verb that moves chips first must lock the house before it moves them."""
    posting.lock_house(site)
    return posting.next_number(series.objects.filter(site=site))
