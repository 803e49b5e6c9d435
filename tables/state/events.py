"""Write a table's event log: events that move no money."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from ledger.db.compiled import insert, new
from ledger.errors import KeyReused
from ledger.journal import keys, records
from ledger.journal.acts import Act
from tables.models import Rate, TableEvent, TableSession


def record(
    session: TableSession,
    kind: str,
    *,
    at: datetime | None = None,
    act: Act,
    **data: Any,
) -> TableEvent:
    """Write an event that moves no money to the table's log."""
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


def recorded_before(session: TableSession, kinds: Collection[str], act: Act, **data: Any) -> bool:
    """Whether this event was already recorded under the act's key. Refuses `key_reused` if its data differ."""
    if not keys.known(session.table.site_id, [act.key]):
        return False
    alike = session.events.filter(key=act.key, actor=act.actor, kind__in=kinds)
    earlier = alike.order_by("pk").first()
    if earlier is None or any(earlier.data.get(name) != value for name, value in data.items()):
        raise KeyReused("This key was used for something else.", field="key")
    return True


def rate_data(rate: Rate, max_buy_in_cents: int) -> dict[str, Any]:
    """Return a table's rate as event data: logged at opening, and when a change is announced and takes effect."""
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
