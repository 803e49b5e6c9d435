"""The rows of an entry in as few statements as the database can do: entries, transfers, records, and changed balances.

Part of `posting`, which has locked and checked everything before. PostgreSQL takes all of it in one statement, whose
text never changes; SQLite, where asking costs nothing, takes one a table.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from django.db import connection

from ledger.compiled import planned_cursor
from ledger.models import JournalEntry
from ledger.records import ENTRY, Line, entry_text_around, insert

_COLUMNS = (
    "site_id, key, content_hash, kind, occurred_at, recorded_at, gaming_day, actor_id, terminal, approver_id, reason,"
    " reverses_id, evidence"
)
_TRANSFER_COLUMNS = "entry_id, line, source_id, target_id, asset, cents"
# `whole` is empty unless every entry was new, so that nothing is written for some of them alone. Numbers come as arrays,
# however many there are; long texts do not, for quoting them inside of one takes longer than all the rest.
_AT_ONCE = """
WITH entry AS (
  INSERT INTO ledger_journalentry ({columns}) VALUES {entries}
  ON CONFLICT (site_id, key) DO NOTHING RETURNING key, id
), whole AS (
  SELECT key, id FROM entry WHERE (SELECT count(*) FROM entry) = {count}
), moved AS (
  INSERT INTO ledger_transfer ({transfer_columns})
  SELECT id, line, source, target, asset, cents
  FROM unnest(%s::text[], %s::smallint[], %s::bigint[], %s::bigint[], %s::text[], %s::bigint[])
    AS move (key, line, source, target, asset, cents) JOIN whole USING (key)
  ORDER BY id, line
), changed AS (
  UPDATE ledger_account SET balance_cents = balance_cents + change.cents
  FROM unnest(%s::bigint[], %s::bigint[]) AS change (account, cents)
  WHERE id = change.account AND EXISTS (SELECT FROM whole)
), recorded AS (
  INSERT INTO ledger_auditrecord (site_id, kind, subject, recorded_at, text)
  SELECT %s, %s, id, %s, before || id || after
  FROM (VALUES {records}) AS record (key, before, after) JOIN whole USING (key)
  ORDER BY id
)
SELECT key, id FROM entry
"""


@dataclass(frozen=True)
class Posting:
    """What is written together: entries with the lines of each, and account id -> change in cents. None is there yet."""

    site_id: int
    now: datetime
    entries: Sequence[JournalEntry]
    lines: Sequence[Sequence[Line]]
    changes: Mapping[int, int]

    @property
    def pairs(self) -> list[tuple[JournalEntry, Sequence[Line]]]:
        return list(zip(self.entries, self.lines, strict=True))


def write(posting: Posting) -> int:
    """Write all of it unless a key is known, and give the entries their ids; how many keys were not known."""
    ids = _write_at_once(posting) if connection.vendor == "postgresql" else _write_by_table(posting)
    for entry in posting.entries:
        entry.pk = ids.get(entry.key)
        entry._state.adding, entry._state.db = False, connection.alias
    return len(ids)


def _write_at_once(posting: Posting) -> dict[str, int]:
    moves = [
        (entry.key, number, source, target, asset, cents)
        for entry, lines in posting.pairs
        for number, (asset, cents, source, _, target, _) in enumerate(lines, start=1)
    ]
    values = [value for entry in posting.entries for value in _values(entry)]
    values += _by_column(moves, 6)
    values += (list(posting.changes), list(posting.changes.values()))
    values += (posting.site_id, ENTRY, posting.now)
    for entry, lines in posting.pairs:
        values += (entry.key, *entry_text_around(entry, lines))
    with planned_cursor() as cursor:
        cursor.execute(_statement(len(posting.entries)), values)
        return dict(cursor.fetchall())


@cache
def _statement(count: int) -> str:
    """The statement for so many entries."""
    return _AT_ONCE.format(
        columns=_COLUMNS,
        transfer_columns=_TRANSFER_COLUMNS,
        entries=_rows(count, ["%s"] * 13),
        count=count,
        records=_rows(count, ["%s::text"] * 3),
    )


def _write_by_table(posting: Posting) -> dict[str, int]:
    at, on = connection.ops.adapt_datetimefield_value, connection.ops.adapt_datefield_value
    rows = []
    for entry in posting.entries:
        site, key, hashed, kind, occurred_at, recorded_at, day, *rest = _values(entry)
        rows.append((site, key, hashed, kind, at(occurred_at), at(recorded_at), on(day), *rest))
    with connection.cursor() as cursor:
        unless_known = "ON CONFLICT (site_id, key) DO NOTHING RETURNING key, id"
        cursor.execute(*_insert("ledger_journalentry", _COLUMNS, rows, unless_known))
        ids = dict(cursor.fetchall())
        if len(ids) < len(posting.entries):
            return ids
        moves = [
            (ids[entry.key], number, source, target, asset, cents)
            for entry, lines in posting.pairs
            for number, (asset, cents, source, _, target, _) in enumerate(lines, start=1)
        ]
        if moves:
            cursor.execute(*_insert("ledger_transfer", _TRANSFER_COLUMNS, moves))
        if posting.changes:
            change = "UPDATE ledger_account SET balance_cents = balance_cents + %s WHERE id = %s"
            cursor.executemany(change, [(cents, account) for account, cents in posting.changes.items()])
    texts = ((ids[entry.key], entry_text_around(entry, lines)) for entry, lines in posting.pairs)
    insert(
        posting.site_id, posting.now, [(ENTRY, pk, f"{before}{pk}{after}") for pk, (before, after) in texts]
    )
    return ids


def _values(entry: JournalEntry) -> tuple[Any, ...]:
    """What `_COLUMNS` hold of an entry."""
    return (
        *(entry.site_id, entry.key, entry.content_hash, entry.kind, entry.occurred_at, entry.recorded_at),
        *(
            entry.gaming_day,
            entry.actor_id,
            entry.terminal,
            entry.approver_id,
            entry.reason,
            entry.reverses_id,
        ),
        entry.evidence,
    )


def _by_column(rows: Sequence[Sequence[Any]], count: int) -> list[list[Any]]:
    """The values of each column, one list after the other."""
    return [[row[column] for row in rows] for column in range(count)]


def _insert(table: str, columns: str, rows: Sequence[Sequence[Any]], then: str = "") -> tuple[str, list[Any]]:
    """One INSERT and its values. Placeholders alone: no value ever becomes part of a statement."""
    placeholders = _rows(len(rows), ["%s"] * len(rows[0]))
    sql = f"INSERT INTO {table} ({columns}) VALUES {placeholders} {then}"  # noqa: S608 (names of ours)
    return sql, [value for row in rows for value in row]


def _rows(count: int, row: Sequence[str]) -> str:
    return ", ".join([f"({', '.join(row)})"] * count)
