"""Find values that do not fit their column, and read on without them.

SQLite stores anything in any column: a text in place of a number, an empty day, bytes that are not text. A
PostgreSQL day may be outside Python's calendar. One such value would end a long reading, so the database
searches for them first; inside `readable` they read as empty values. Nothing is written."""

import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from functools import cache
from typing import Any, NamedTuple

from django.db import connections
from django.db.models import (
    BinaryField,
    BooleanField,
    DateField,
    DateTimeField,
    DecimalField,
    ForeignKey,
    IntegerField,
    JSONField,
)

from ledger.db.columns import columns_of
from ledger.db.packed_text import PackedTextField
from ledger.db.roles import read_columns

AT_ONCE = 2000  # rows whose texts are read together
SHOWN = 60  # characters of a value
_DAY = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]"
_TIME = " [0-2][0-9]:[0-5][0-9]:[0-5][0-9]"
_FIRST, _LAST = "0001-01-01", "9999-12-31"
_DIGITS = 4300  # Python reads no longer number
_LONG_NUMBER = re.compile(f"[0-9]{{{_DIGITS}}}")


class Unreadable(NamedTuple):
    """A value that does not fit its column; `shown` is its beginning."""

    model: Any
    pk: int
    column: str
    shown: str

    @property
    def table(self) -> str:
        return str(self.model._meta.db_table)


class Rows(NamedTuple):
    """A model and some of its rows: those after an id and a few others, or all."""

    model: Any
    behind: int | None = None
    others: Collection[int] = ()

    @property
    def where(self) -> str:
        if self.behind is None:
            return "1 = 1"
        return f'("id" > {self.behind} OR "id" IN ({", ".join(map(str, [*self.others, 0]))}))'


def is_there_any(rows: Iterable[str], using: str) -> bool:
    """Return whether one of these SELECTs has a row, in one statement. They hold no value from outside."""
    asked = " OR ".join(f"EXISTS ({one})" for one in rows)
    with connections[using].cursor() as cursor:
        cursor.execute(f"SELECT {asked or '1 = 0'}")
        return bool(cursor.fetchone()[0])


def unreadable(rows: Iterable[Rows], using: str) -> Iterator[Unreadable]:
    vendor = connections[using].vendor
    for some in rows:
        yield from _malformed(some, using, vendor)
        if vendor == "sqlite":
            yield from _undecodable(some, using)


@contextmanager
def readable(wrong: Collection[Unreadable], using: str) -> Iterator[None]:
    """Read these values as empty inside the block, on this connection."""
    if not wrong:
        yield
        return
    hidden = _on_sqlite if connections[using].vendor == "sqlite" else _on_postgresql
    with hidden(wrong, using):
        yield


# -- looking for them ----------------------------------------------------------------------------------------


def _malformed(rows: Rows, using: str, vendor: str) -> Iterator[Unreadable]:
    columns, asked, is_bad_at_all = _looking_for_malformed(rows.model, vendor)
    if not columns:
        return
    with connections[using].cursor() as cursor:
        cursor.execute(f"{asked} WHERE {rows.where} AND ({is_bad_at_all})")
        for pk, *found in cursor.fetchall():
            for column, is_bad, text in zip(columns, found[::2], found[1::2], strict=True):
                if is_bad:
                    yield Unreadable(rows.model, pk, column, _shown(text))


@cache
def _looking_for_malformed(model: Any, vendor: str) -> tuple[tuple[str, ...], str, str]:
    """Return the columns of a model that may have malformed values, what is asked of them, and the condition;
    no columns if the database excludes such values."""
    meta = model._meta
    bad = {field.column: test for field in _looked_at(meta, vendor) if (test := _bad(field, vendor))}
    if not bad or (vendor == "sqlite" and set(bad) == {meta.pk.column}):
        return (), "", ""
    shown = (
        "substr(CAST({0} AS TEXT), 1, {1})"
        if vendor == "postgresql"
        else "CAST(substr(quote({0}), 1, {1}) AS BLOB)"
    )
    columns = [f"({test}), {shown.format(_quoted(column), SHOWN)}" for column, test in bad.items()]
    asked = (
        f"SELECT {_quoted(meta.pk.column)}, {', '.join(columns)} FROM"  # noqa: S608
        f" {_stored(meta, vendor)}"
    )
    return tuple(bad), asked, " OR ".join(bad.values())


def _looked_at(meta: Any, vendor: str) -> list[Any]:
    """Return the fields to search: on PostgreSQL those that the read-only role may read."""
    if vendor != "postgresql":
        return columns_of(meta.model)
    columns = read_columns()["readable"].get(meta.db_table, ())
    return [field for field in columns_of(meta.model) if field.column in columns]


def _quoted(name: str) -> str:
    return f'"{name}"'


def _stored(meta: Any, vendor: str) -> str:
    return f'main."{meta.db_table}"' if vendor == "sqlite" else _quoted(meta.db_table)


def _bad(field: Any, vendor: str) -> str:
    """Return SQL that is true of malformed values; empty if the database excludes them."""
    column = _quoted(field.column)
    test = (_bad_on_sqlite if vendor == "sqlite" else _bad_on_postgresql)(field, column)
    return f"({column} IS NOT NULL AND ({test}))" if test else ""


def _bad_on_postgresql(field: Any, column: str) -> str:
    if isinstance(field, DateField):
        last = f"{_LAST} 23:59:59.999999+00" if isinstance(field, DateTimeField) else _LAST
        first = f"{_FIRST} 00:00:00+00" if isinstance(field, DateTimeField) else _FIRST
        return f"{column} < '{first}' OR {column} > '{last}'"
    if isinstance(field, JSONField):
        return f"length({column}::text) > {_DIGITS} AND {column}::text ~ '[0-9]{{250}}'"
    return ""


def _bad_on_sqlite(field: Any, column: str) -> str:
    if isinstance(field, DateField):
        return _bad_day(column, timed=isinstance(field, DateTimeField))
    if isinstance(field, JSONField):
        long = f"length({column}) > {_DIGITS} AND {column} GLOB '*{'[0-9]' * 250}*'"
        return f"typeof({column}) <> 'text' OR NOT json_valid({column}) OR {_goes_on(column)} OR ({long})"
    if isinstance(field, BooleanField):
        return f"typeof({column}) <> 'integer' OR {column} NOT IN (0, 1)"
    if isinstance(field, IntegerField | ForeignKey) and _is_number(field):
        return f"typeof({column}) <> 'integer'"
    if isinstance(field, PackedTextField):
        return f"typeof({column}) <> 'blob'"
    if isinstance(field, BinaryField):
        return f"typeof({column}) <> 'blob'"
    if isinstance(field, DecimalField):
        return f"typeof({column}) NOT IN ('integer', 'real')"
    return f"typeof({column}) <> 'text'"


def _bad_day(column: str, *, timed: bool) -> str:
    """Return SQL that is true of a text that is not a day, or a moment, as Django writes it. The calendar is
    only asked about the last days of a month, because that is slow."""
    forms = [_DAY + _TIME, _DAY + _TIME + "." + "[0-9]" * 6] if timed else [_DAY]
    is_formed = " OR ".join(f"{column} GLOB '{form}'" for form in reversed(forms))
    day, month = f"substr({column}, 9, 2)", f"substr({column}, 6, 2)"
    # Only with a modifier does SQLite know that February has no 31st.
    is_day = f"substr({column}, 1, 10) IS date(substr({column}, 1, 10), '+0 days')"
    usual = f"({day} BETWEEN '01' AND '28' AND {month} BETWEEN '01' AND '12')"
    late = f" OR substr({column}, 12, 2) > '23'" if timed else ""
    return (
        f"NOT ({is_formed}) OR {_goes_on(column)} OR {column} < '{_FIRST}' OR NOT ({usual} OR {is_day}){late}"
    )


def _goes_on(column: str) -> str:
    """Return SQL that is true of a text with a zero character, at which SQLite's functions stop."""
    return f"instr({column}, char(0))"


def _is_number(field: Any) -> bool:
    while isinstance(field, ForeignKey):
        field = field.target_field
    return isinstance(field, IntegerField)


def _undecodable(rows: Rows, using: str) -> Iterator[Unreadable]:
    """Yield the texts that are not UTF-8: SQLite's driver refuses a whole result with one."""
    meta = rows.model._meta
    table, pk = _stored(meta, "sqlite"), _quoted(meta.pk.column)
    whole = " || '|' || ".join(f"coalesce(CAST({_quoted(column)} AS TEXT), '')" for column in _texts(meta))
    if not whole:
        return
    part = (
        f"SELECT {pk} AS pk, {whole} AS texts FROM {table} WHERE {rows.where} AND {pk} > %s"  # noqa: S608
        f" ORDER BY 1 LIMIT {AT_ONCE}"
    )
    last: Any = -(2**63)
    query = f"SELECT max(pk), CAST(group_concat(texts, '|') AS BLOB) FROM ({part})"  # noqa: S608
    while True:
        with connections[using].cursor() as cursor:
            cursor.execute(query, [last])
            end, data = cursor.fetchone()
        if end is None:
            return
        if not _is_text(data):
            yield from _undecodable_between(rows.model, last, end, using)
        last = end


def _texts(meta: Any) -> list[str]:
    return [
        field.column
        for field in columns_of(meta.model)
        if not isinstance(field, BinaryField | BooleanField | DateField | PackedTextField | DecimalField)
        and not _is_number(field)
    ]


def _undecodable_between(model: Any, last: Any, end: Any, using: str) -> Iterator[Unreadable]:
    meta = model._meta
    columns = _texts(meta)
    values = ", ".join(f"CAST({_quoted(column)} AS BLOB)" for column in columns)
    pk = _quoted(meta.pk.column)
    with connections[using].cursor() as cursor:
        cursor.execute(
            f"SELECT {pk}, {values} FROM {_stored(meta, 'sqlite')} WHERE {pk} > %s AND {pk} <="  # noqa: S608
            " %s",
            [last, end],
        )
        for number, *found in cursor.fetchall():
            for column, data in zip(columns, found, strict=True):
                if data is not None and not _is_text(data):
                    yield Unreadable(model, number, column, _shown(data[:SHOWN]))


def _shown(text: str | bytes) -> str:
    return text if isinstance(text, str) else text.decode(errors="backslashreplace")


def _is_text(data: bytes | None) -> bool:
    try:
        (data or b"").decode()
    except UnicodeDecodeError:
        return False
    return True


# -- reading on ----------------------------------------------------------------------------------------------


@contextmanager
def _on_sqlite(wrong: Collection[Unreadable], using: str) -> Iterator[None]:
    """Put a view in front of each table with such values: a temporary name takes precedence."""
    with connections[using].cursor() as cursor:
        cursor.execute("SELECT name FROM temp.sqlite_master WHERE type = 'view'")
        hidden = {name for (name,) in cursor.fetchall()}
        models = {one.table: one.model for one in wrong if one.table not in hidden}
        for table, model in models.items():
            columns = ", ".join(_reading(field, wrong) for field in columns_of(model))
            rows = f'SELECT {columns} FROM main."{table}"'  # noqa: S608
            cursor.execute(f'CREATE TEMP VIEW "{table}" AS {rows}')
    try:
        yield
    finally:
        with connections[using].cursor() as cursor:
            for table in models:
                cursor.execute(f'DROP VIEW IF EXISTS temp."{table}"')


def _reading(field: Any, wrong: Collection[Unreadable]) -> str:
    column, meta = _quoted(field.column), field.model._meta
    rows = [str(one.pk) for one in wrong if (one.table, one.column) == (meta.db_table, field.column)]
    if not rows:
        return column
    numbered = f"{_quoted(meta.pk.column)} IN ({', '.join(rows)})" if len(rows) < AT_ONCE else "0"
    bad = f"{_bad(field, 'sqlite') or '0'} OR {numbered}"
    return f"CASE WHEN {bad} THEN {_empty(field)} ELSE {column} END AS {column}"


def _empty(field: Any) -> str:
    if field.null:
        return "NULL"
    if isinstance(field, DateTimeField):
        return "'1970-01-01 00:00:00'"
    if isinstance(field, DateField):
        return "'1970-01-01'"
    if isinstance(field, JSONField):
        return "'{}'"
    if isinstance(field, BooleanField | DecimalField) or _is_number(field):
        return "0"
    return "x''" if isinstance(field, BinaryField) else "''"


@contextmanager
def _on_postgresql(wrong: Collection[Unreadable], using: str) -> Iterator[None]:
    """Let the driver read impossible days as the last day, and unreadable JSON as an empty object."""
    # Imported here because a house with SQLite need not have the driver.
    from psycopg import DataError
    from psycopg.pq import Format
    from psycopg.types.datetime import DateLoader
    from psycopg.types.string import TextLoader

    database: Any = connections[using]
    database.ensure_connection()
    adapters = database.connection.adapters
    names = ("date", "timestamptz", "jsonb")
    before = {name: adapters.get_loader(adapters.types[name].oid, Format.TEXT) for name in names}
    moments: Any = before["timestamptz"]

    class Days(DateLoader):
        def load(self, data: Any) -> date:
            try:
                return super().load(data)
            except DataError:
                return date.max

    class Moments(moments):  # type: ignore[misc]
        def load(self, data: Any) -> datetime:
            try:
                return super().load(data)  # type: ignore[no-any-return]
            except DataError:
                return datetime.max.replace(tzinfo=UTC)

    class Objects(TextLoader):
        def load(self, data: Any) -> str:
            text = str(super().load(data))
            return "{}" if len(text) > _DIGITS and _LONG_NUMBER.search(text) else text

    for name, loader in zip(names, (Days, Moments, Objects), strict=True):
        adapters.register_loader(name, loader)
    try:
        yield
    finally:
        for name, loader in before.items():
            adapters.register_loader(name, loader)
