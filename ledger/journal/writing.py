"""Write entries, transfers, audit records and changed balances in as few statements as the database
allows. Part of `posting`, which has locked and checked everything. PostgreSQL needs one statement, whose
text never changes; SQLite, where a statement costs almost nothing, gets one per table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from operator import attrgetter
from typing import Any

from django.db import connection

from ledger.db.compiled import executed, insert, placeholders, vendor
from ledger.errors import KeyReused
from ledger.journal import keys, records, trace
from ledger.journal.records import ENTRY, Line, entry_text_around
from ledger.models import JournalEntry

_COLUMNS = (
    "site_id, key, content_hash, kind, occurred_at, recorded_at, gaming_day, actor_id, terminal, "
    "approver_id, reason, reverses_id"
)
_values = attrgetter(*_COLUMNS.split(", "))
_TRANSFER_COLUMNS = "entry_id, line, source_id, target_id, asset, cents"
# `written` is empty unless every entry is new, so that nothing is written for only some. Numbers are passed
# as arrays; long texts are not, because quoting them in an array takes longer than everything else.
_ONE_STATEMENT = """
WITH entry AS (
  INSERT INTO ledger_journalentry ({columns}) VALUES {entries}
  ON CONFLICT (site_id, key) DO NOTHING RETURNING key, id, site_id
), written AS (
  SELECT key, id FROM entry WHERE (SELECT count(*) FROM entry) = {count}
), moved AS (
  INSERT INTO ledger_transfer ({transfer_columns})
  SELECT id, line, source, target, asset, cents
  FROM unnest(%s::text[], %s::smallint[], %s::bigint[], %s::bigint[], %s::text[], %s::bigint[])
    AS move (key, line, source, target, asset, cents) JOIN written USING (key)
  ORDER BY id, line
), changed AS (
  UPDATE ledger_account SET balance_cents = balance_cents + change.cents
  FROM unnest(%s::bigint[], %s::bigint[]) AS change (account, cents)
  WHERE id = change.account AND EXISTS (SELECT FROM written)
), recorded AS (
  INSERT INTO ledger_auditrecord (site_id, kind, subject, recorded_at, text)
  SELECT %s, %s, id, %s, before || id || after
  FROM (VALUES {records}) AS record (key, before, after) JOIN written USING (key)
  ORDER BY id
){extra}
SELECT key, id, {taken} FROM entry
"""
_CHANGED = """
WITH change (account, cents) AS (VALUES {changes})
UPDATE ledger_account SET balance_cents = balance_cents + change.cents FROM change WHERE id = change.account
"""


@dataclass(frozen=True)
class ExtraStatement:
    """The caller's own statement, executed with the entries: `INSERT INTO ... SELECT %s, id FROM written`.
    `written` has the id of each entry, or nothing if no entry is written because a key was used before."""

    sql: str
    values: Sequence[Any]


@dataclass(frozen=True)
class Posting:
    """Everything written together: entries, the lines of each, and account id -> change in cents."""

    site_id: int
    now: datetime
    entries: Sequence[JournalEntry]
    lines: Sequence[Sequence[Line]]
    changes: Mapping[int, int]
    extra: Sequence[ExtraStatement] = ()

    @property
    def pairs(self) -> list[tuple[JournalEntry, Sequence[Line]]]:
        return list(zip(self.entries, self.lines, strict=True))


def write(posting: Posting) -> int:
    """Write everything unless a key was used before, set the entries' ids, and return how many keys were new.
    PostgreSQL checks the keys in the same statement: raises KeyReused if a row of another kind has one that
    no entry has. On SQLite, which queues writers, `posting` has checked them."""
    ids = _write_in_one_statement(posting) if vendor() == "postgresql" else _write_by_table(posting)
    trace.wrote(ids)
    return len(ids)


def _write_in_one_statement(posting: Posting) -> list[int]:
    moves = [
        (entry.key, number, source, target, asset, cents)
        for entry, lines in posting.pairs
        for number, (asset, cents, source, _, target, _) in enumerate(lines, start=1)
    ]
    values = [value for entry in posting.entries for value in _values(entry)]
    values += [[row[column] for row in moves] for column in range(6)]
    values += (list(posting.changes), list(posting.changes.values()))
    values += (posting.site_id, ENTRY, posting.now)
    for entry, lines in posting.pairs:
        values += (entry.key, *entry_text_around(entry, entry.evidence, lines))
    for statement in posting.extra:
        values += statement.values
    records.write_waiting()
    taken = keys.used_elsewhere("entry.key", "entry.site_id")
    statements = (statement.sql for statement in posting.extra)
    written = executed(_statement(len(posting.entries), taken, *statements), values)
    if any(used for _, _, used in written):
        raise KeyReused(keys.USED, field="key")
    ids = {key: pk for key, pk, _ in written}
    for entry in posting.entries:
        entry.pk = ids.get(entry.key)
        entry._state.adding, entry._state.db = False, connection.alias
    return list(ids.values())


@cache
def _statement(count: int, taken: str, *extra: str) -> str:
    """Return the statement for `count` entries and extra statements; `taken` asks for other rows' keys."""
    return _ONE_STATEMENT.format(
        columns=_COLUMNS,
        transfer_columns=_TRANSFER_COLUMNS,
        entries=placeholders(count, 12),
        count=count,
        records=placeholders(count, 3, "%s::text"),
        taken=taken,
        extra="".join(f", extra_{number} AS (\n  {sql}\n)" for number, sql in enumerate(extra)),
    )


def _write_by_table(posting: Posting) -> list[int]:
    insert(posting.entries)
    ids = [entry.pk for entry in posting.entries]
    moves = [
        (pk, number, source, target, asset, cents)
        for pk, lines in zip(ids, posting.lines, strict=True)
        for number, (asset, cents, source, _, target, _) in enumerate(lines, start=1)
    ]
    if moves:
        rows = placeholders(len(moves), 6)
        executed(
            f"INSERT INTO ledger_transfer ({_TRANSFER_COLUMNS}) VALUES {rows}",  # noqa: S608 (names of ours)
            [value for move in moves for value in move],
        )
    if posting.changes:
        changes = placeholders(len(posting.changes), 2)
        executed(
            _CHANGED.format(changes=changes),
            [value for change in posting.changes.items() for value in change],
        )
    texts = []
    for pk, (entry, lines) in zip(ids, posting.pairs, strict=True):
        before, after = entry_text_around(entry, entry.evidence, lines)
        texts.append((ENTRY, pk, f"{before}{pk}{after}"))
    records.insert(posting.site_id, posting.now, texts)
    for statement in posting.extra:
        written = placeholders(len(ids), 1)
        executed(f"WITH written (id) AS (VALUES {written}) {statement.sql}", [*ids, *statement.values])
    return ids
