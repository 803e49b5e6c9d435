"""The journal on paper: the CSV of a gaming day or of all days, a row a transfer. Reads only.

One SELECT makes every line as it is to stand, so that nothing is done here for a row but to end it. It reads one state
of the database, from its first row to its last, along the indexes: nothing is sorted or kept, and the first rows are
there at once.
"""

from collections.abc import Generator, Iterator
from datetime import date
from itertools import islice
from typing import Any

from django.contrib.auth import get_user_model

from ledger.db import snapshots

ROWS_AT_A_TIME = 1000
"""Rows in a block: enough to keep the database busy, little enough to hold."""
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
# What a spreadsheet would take for a formula begins so: tab, LF, CR, + - = @. It gets a ' first.
_FORMULAS = "(9, 10, 13, 43, 45, 61, 64)"
# How a value becomes a cell. PostgreSQL quotes by itself what has commas, quotes or ends of lines in it, and leaves
# NULL out; SQLite is told to.
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
# Asked so, PostgreSQL walks along the indexes; it would else gather and sort a day before it gave the first row of it.
_WALK = {"enable_sort": "off", "enable_hashjoin": "off", "max_parallel_workers_per_gather": "0", "jit": "off"}


def blocks(site: Any, day: date | None) -> Generator[bytes, None, None]:
    """The journal as UTF-8: its heads (COLUMNS), then a line per transfer and one per entry without any, some at a time.

    Of a gaming day, or of all (None), in the order of recording. One query, read while the blocks are taken.
    """
    with snapshots.connected() as connection, connection.cursor() as cursor:
        lines = _copied if connection.vendor == "postgresql" else _fetched
        yield from lines(cursor, site, day)


def _copied(cursor: Any, site: Any, day: date | None) -> Iterator[bytes]:
    """The lines as PostgreSQL sends them: always one a message, with an end of its own."""
    for name, value in _WALK.items():
        cursor.execute("SELECT set_config(%s, %s, true)", [name, value])
    # COPY takes no parameters, so the driver writes them into its text.
    select = cursor.mogrify(*_select("postgresql", site, day))
    with cursor.copy(f"COPY ({select}) TO STDOUT (FORMAT csv, HEADER)") as copy:
        lines = iter(copy)
        while some := [line[:-1] for line in islice(lines, ROWS_AT_A_TIME)]:
            yield b"\r\n".join([*some, b""])
    for name in _WALK:
        cursor.execute(f"SET LOCAL {name} TO DEFAULT")


def _fetched(cursor: Any, site: Any, day: date | None) -> Iterator[bytes]:
    """The lines as SQLite puts them together, a text a row."""
    cursor.execute(*_select("sqlite", site, day))
    some = [(",".join(COLUMNS),)]
    while some:
        yield "\r\n".join([*[line for (line,) in some], ""]).encode()
        some = cursor.fetchmany(ROWS_AT_A_TIME)


def _select(vendor: str, site: Any, day: date | None) -> tuple[str, list[Any]]:
    """The SELECT and its parameters: of PostgreSQL a cell a column, of SQLite a line. Names of this file alone are in it."""
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
    # What is said of an entry PostgreSQL makes once (OFFSET), and not again for each of its transfers.
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
