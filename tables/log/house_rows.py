"""The rows that a manager keeps, against the log: the tables, and the games on offer. Nothing is written."""

import heapq
from collections.abc import Iterator
from typing import Any

from ledger.audit.findings import Finding
from ledger.journal.clock import state_of
from tables.models import GameOffer, Table

HOUSE = "house_event"
ADDED, TURNED, RETIRED, RESTORED = OF_TABLES = tuple(
    (HOUSE, kind) for kind in ("table_added", "table_turned", "table_retired", "table_restored")
)
CHOSEN = (HOUSE, "games_offered")
CLOCK = DOUBTED, CONFIRMED = (HOUSE, "clock_doubted"), (HOUSE, "time_confirmed")


def tables(site: Any, log: Any) -> Iterator[Finding]:
    """Compare each table's number, the side of its seat 1, and whether it is in use, with what managers did last."""
    recorded = _tables_in(log)
    for table in Table.objects.filter(site=site).order_by("pk"):
        row = {"number": table.number, "seat_one": table.seat_one, "retired": table.retired_at is not None}
        # A table without an event was there before events told of tables: its number is its own.
        last = {"number": table.number, "seat_one": "left", "retired": False} | recorded.pop(table.pk, {})
        if row != last:
            yield Finding(
                "row_differs", f"its row is {row}, but {last} in the log.", None, str(table).lower()
            )
    for last in recorded.values():
        name = f"table {last.get('number')}"
        yield Finding("row_missing", "is in the log, but its row is missing.", None, name)


def _tables_in(log: Any) -> dict[Any, dict[str, Any]]:
    """Return what the log says of each table, by its id."""
    found: dict[Any, dict[str, Any]] = {}
    for event in heapq.merge(*(log.of(*kind) for kind in OF_TABLES), key=lambda event: event["id"]):
        data, kind = event["data"], (HOUSE, event["kind"])
        table = found.setdefault(data.get("table"), {})
        table["number"] = data.get("number")
        if kind in (ADDED, TURNED):
            table["seat_one"] = data.get("seat_one")
        else:
            table["retired"] = kind == RETIRED
    return found


def offers(site: Any, log: Any) -> Iterator[Finding]:
    """Compare the games that the house has taken off with the choice that was made last."""
    recorded: list[str] = []
    for event in log.of(*CHOSEN):
        recorded = event["data"].get("taken_off", [])
    rows = GameOffer.objects.filter(site=site, offered=False)
    there = sorted(rows.values_list("code", flat=True))
    if there != sorted(recorded):
        sentence = f"taken off are {there}, but {recorded} in the log."
        yield Finding("row_differs", sentence, None, "games on offer")


def clock(site: Any, log: Any) -> Iterator[Finding]:
    """Compare what the house makes of its clock with the log: doubted, or confirmed, and until when records are ahead."""
    doubted = ahead = None
    for event in heapq.merge(*(log.of(*kind) for kind in CLOCK), key=lambda event: event["id"]):
        data = event["data"]
        doubted = data.get("clock") if event["kind"] == DOUBTED[1] else None
        ahead = data.get("ahead_until", ahead)
    there = [at and at.isoformat() for at in state_of(site)]
    if there != [doubted, ahead]:
        yield Finding(
            "row_differs", f"its clock is {there}, but {[doubted, ahead]} in the log.", None, "house"
        )
