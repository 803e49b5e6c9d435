"""The journal as CSV, of a gaming day or of all days, one row per transfer. Reads only.

One SELECT formats every line, so that Python only adds the line end. It reads one consistent state of the database along
the indexes: nothing is sorted or buffered, and the first rows arrive immediately.
"""

from collections.abc import Generator, Iterator
from datetime import date
from itertools import islice
from typing import Any

from django.contrib.auth import get_user_model

from ledger.db import snapshots

ROWS_AT_A_TIME = 1000
"""Rows per block: enough to keep the database busy, few enough for memory."""
_OF_ENTRY = {
    "entry": ("id", "entry.id"),
    "kind": ("plain", "entry.kind"),
    "gaming_day": ("day", "entry.gaming_day"),
    "occurred_at": ("moment", "entry.occurred_at"),
    "recorded_at": ("moment", "entry.recorded_at"),
    "actor": ("text", "actor.username"),
    "approver": ("text", "approver.username"),
    "terminal": ("text", "entry.terminal"),
    "reason": ("text", "entry.reason"),
    "reverses": ("plain", "entry.reverses_id"),
    "key": ("text", "entry.key"),
}
_OF_TRANSFER = {
    "line": ("plain", "coalesce(transfer.line, 0)"),
    "source_kind": ("plain", "source.kind"),
    "source": ("text", "source.label"),
    "target_kind": ("plain", "target.kind"),
    "target": ("text", "target.label"),
    "asset": ("plain", "transfer.asset"),
    "amount": ("amount", "coalesce(transfer.cents, 0)"),
}
COLUMNS = ("entry", "line", *list(_OF_ENTRY)[1:], *list(_OF_TRANSFER)[1:])
# A text that starts with tab, LF, CR, + - = or @ would be a formula in a spreadsheet. It gets a ' in front.
_FORMULAS = "(9, 10, 13, 43, 45, 61, 64)"
# How a value becomes a cell. PostgreSQL itself quotes values with commas, quotes or line ends and leaves NULL empty;
# for SQLite it is spelled out.
_CELLS = {
    "postgresql": {
        "id": "{0}",
        "plain": "{0}",
        "day": "to_char({0}, 'YYYY-MM-DD')",
        "moment": """replace(to_char({0} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), '.000000Z', 'Z')""",
        "text": "CASE WHEN ascii({0}) IN " + _FORMULAS + " THEN '''' || {0} ELSE nullif({0}, '') END",
        "amount": "{0} * 0.01",
    },
    "sqlite": {
        "id": "{0}",
        "plain": "coalesce({0}, '')",
        "day": "{0}",
        "moment": "replace({0}, ' ', 'T') || 'Z'",
        "text": """coalesce(
            CASE WHEN unicode({0}) IN """
        + _FORMULAS
        + """ THEN CASE WHEN {0} GLOB '*[",' || char(10, 13) || ']*'
              THEN '"''' || replace({0}, '"', '""') || '"' ELSE '''' || {0} END
            WHEN {0} GLOB '*[",' || char(10, 13) || ']*' THEN '"' || replace({0}, '"', '""') || '"' ELSE {0} END, '')""",
        "amount": "printf('%%d.%%02d', {0} / 100, {0} %% 100)",
    },
}
# With these settings PostgreSQL walks along the indexes; otherwise it would sort a whole day before the first row.
_WALK = {"enable_sort": "off", "enable_hashjoin": "off", "max_parallel_workers_per_gather": "0", "jit": "off"}


def blocks(site: Any, day: date | None) -> Generator[bytes, None, None]:
    """Yield the journal as blocks of UTF-8: the header (COLUMNS), then a line per transfer and per entry without any.

    Of one gaming day, or of all (None), in the order of recording. One query, read while the blocks are consumed.
    """
    with snapshots.connected() as connection, connection.cursor() as cursor:
        lines = _copied if connection.vendor == "postgresql" else _fetched
        yield from lines(cursor, site, day)


def _copied(cursor: Any, site: Any, day: date | None) -> Iterator[bytes]:
    """Yield the lines that PostgreSQL sends: one per message, with its line end."""
    for name, value in _WALK.items():
        cursor.execute("SELECT set_config(%s, %s, true)", [name, value])
    # COPY takes no parameters, so the driver interpolates them.
    select = cursor.mogrify(*_select("postgresql", site, day))
    with cursor.copy(f"COPY ({select}) TO STDOUT (FORMAT csv, HEADER)") as copy:
        lines = iter(copy)
        while some := [line[:-1] for line in islice(lines, ROWS_AT_A_TIME)]:
            yield b"\r\n".join([*some, b""])
    for name in _WALK:
        cursor.execute(f"SET LOCAL {name} TO DEFAULT")


def _fetched(cursor: Any, site: Any, day: date | None) -> Iterator[bytes]:
    """Yield the lines that SQLite builds, one per row."""
    cursor.execute(*_select("sqlite", site, day))
    some = [(",".join(COLUMNS),)]
    while some:
        yield "\r\n".join([*[line for (line,) in some], ""]).encode()
        some = cursor.fetchmany(ROWS_AT_A_TIME)


def _select(vendor: str, site: Any, day: date | None) -> tuple[str, list[Any]]:
    """Return the SELECT and its parameters: on PostgreSQL one column per cell, on SQLite one per line."""
    ours = {
        name: _CELLS[vendor][how].format(value) for name, (how, value) in (_OF_ENTRY | _OF_TRANSFER).items()
    }
    of_entry = ", ".join(f"{ours[name]} AS {name}" for name in _OF_ENTRY)
    cells = [f"entry.{name}" if name in _OF_ENTRY else ours[name] for name in COLUMNS]
    if vendor == "postgresql":
        line = ", ".join(f"{cell} AS {name}" for cell, name in zip(cells, COLUMNS, strict=True))
    else:
        line = " || ',' || ".join(cells)
    people = get_user_model()._meta.db_table
    of_day, days = ("", []) if day is None else ("AND entry.gaming_day = %s", [day])
    # OFFSET makes PostgreSQL format an entry once, not again for each of its transfers.
    once = "ORDER BY entry.id OFFSET 0" if vendor == "postgresql" else ""
    return (
        f"""SELECT {line} FROM (
          SELECT {of_entry} FROM ledger_journalentry entry
          JOIN {people} actor ON actor.id = entry.actor_id
          LEFT JOIN {people} approver ON approver.id = entry.approver_id
          WHERE entry.site_id = %s {of_day} {once}
        ) entry
        LEFT JOIN ledger_transfer transfer ON transfer.entry_id = entry.entry
        LEFT JOIN ledger_account source ON source.id = transfer.source_id
        LEFT JOIN ledger_account target ON target.id = transfer.target_id
        ORDER BY entry.entry, transfer.line""",  # noqa: S608
        [site.pk, *days],
    )
