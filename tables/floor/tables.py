"""Keep the house's tables: enter, turn, retire, restore. A table is never removed.

Its number never changes: books and log know the table by it."""

from typing import Any

from django.db import transaction

from ledger.journal import house_events, posting
from ledger.journal.acts import Act
from ledger.rights import require
from tables.errors import BadTableNumber, NothingChanges, TableNumberTaken, TableOpen, TableRetired
from tables.models import Table, TableSession
from tables.rights import MANAGE_HOUSE

ADDED, TURNED, RETIRED, RESTORED = "table_added", "table_turned", "table_retired", "table_restored"
KINDS = (ADDED, TURNED, RETIRED, RESTORED)
HIGHEST = 999


def add_table(*, site: Any, number: int, seat_one: str, act: Act) -> Table:
    """Enter a table; `seat_one` is the side of the dealer at which seat 1 is. Refuses `bad_table_number`, and
    `table_number_taken` even by a retired table."""
    require(act.actor, MANAGE_HOUSE)
    if not 1 <= number <= HIGHEST:
        raise BadTableNumber(f"A table has a number from 1 to {HIGHEST}.", field="number")
    data = {"number": number, "seat_one": Table.Side(seat_one).value}
    with transaction.atomic():
        posting.lock_house(site)
        if house_events.noted_before(site, ADDED, act, data, among=KINDS):
            return Table.objects.get(site=site, number=number)
        known = Table.objects.filter(site=site, number=number).first()
        if known is not None:
            again = " It has been retired: bring it back." if known.retired_at else ""
            raise TableNumberTaken(f"There is a table {number} already.{again}", field="number")
        return write_table(site=site, number=number, seat_one=seat_one, act=act)


def write_table(*, site: Any, number: int, seat_one: str = Table.Side.LEFT, act: Act) -> Table:
    """Write a table with its event in the caller's transaction. A demo calls this directly."""
    table = Table.objects.create(site=site, number=number, seat_one=seat_one)
    _note(table, ADDED, act, seat_one=Table.Side(seat_one).value)
    return table


def turn_table(*, table_id: int, seat_one: str, act: Act) -> Table:
    """Set the side of seat 1. Refuses `nothing_changes`, and `table_open` while it is open."""
    with transaction.atomic():
        table = _locked(table_id, act)
        side = Table.Side(seat_one)
        if _noted_before(table, TURNED, act, seat_one=side.value):
            return table
        if table.seat_one == side:
            raise NothingChanges("Seat 1 is on that side already.", field="seat_one")
        _require_closed(table)
        before, table.seat_one = table.seat_one, side
        table.save(update_fields=["seat_one"])
        _note(table, TURNED, act, seat_one=side.value, before={"seat_one": before})
    return table


def retire_table(*, table_id: int, act: Act) -> Table:
    """Take a table out of use. Refuses `table_open`, and `table_retired` the second time."""
    with transaction.atomic():
        table = _locked(table_id, act)
        if _noted_before(table, RETIRED, act):
            return table
        if table.retired_at is not None:
            raise TableRetired(f"{table} has been retired already.")
        _require_closed(table)
        table.retired_at = act.now
        table.save(update_fields=["retired_at"])
        _note(table, RETIRED, act)
    return table


def restore_table(*, table_id: int, act: Act) -> Table:
    """Bring a retired table back. Refuses `nothing_changes`."""
    with transaction.atomic():
        table = _locked(table_id, act)
        if _noted_before(table, RESTORED, act):
            return table
        if table.retired_at is None:
            raise NothingChanges(f"{table} is in use already.")
        table.retired_at = None
        table.save(update_fields=["retired_at"])
        _note(table, RESTORED, act)
    return table


def _locked(table_id: int, act: Act) -> Table:
    """Return the table, locked as for its opening, then the house."""
    require(act.actor, MANAGE_HOUSE)
    table = Table.objects.select_for_update(no_key=True, of=("self",)).select_related("site").get(pk=table_id)
    posting.lock_house(table.site)
    return table


def _noted_before(table: Table, kind: str, act: Act, **data: Any) -> Any:
    return house_events.noted_before(table.site, kind, act, {"table": table.pk, **data}, among=KINDS)


def _require_closed(table: Table) -> None:
    if TableSession.objects.filter(table=table, closed_at__isnull=True).exists():
        raise TableOpen(f"{table} is open: close it first.")


def _note(table: Table, kind: str, act: Act, **data: Any) -> None:
    known: dict[str, Any] = {"table": table.pk, "number": table.number, "key": act.key}
    house_events.note(table.site, kind, act=act, **known | data)
