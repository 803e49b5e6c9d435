"""Rows read by the thousand for comparisons: tuples of columns nearly as stored, without model instances.
Moments keep the database's own form, which is text on SQLite (`moment_of`); all else is as in a model."""

import json
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, date, datetime
from functools import cache, lru_cache
from typing import Any

from django.db import connection
from django.db.models import BinaryField, BooleanField, DateField, DateTimeField, Func, JSONField, TextField

from ledger.db import snapshots
from ledger.db.columns import field_at as field_at
from ledger.db.compiled import Compiled, among
from ledger.db.packed_text import PackedTextField, unpacked

_LARGEST = 2**63


class AsStored(Func):
    """A column read as stored. Expressions have no declared type, so the driver does not convert them."""

    template = "%(expressions)s"
    output_field = TextField()

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, template="+%(expressions)s", **context)


class StoredRows:
    """The rows of a model that have one of the given numbers in column `by`. Columns may be reached through
    others (`sheet__code`). Reads the open snapshot, if any."""

    def __init__(self, model: Any, columns: Sequence[str], by: str = "pk", order: Sequence[str] = ()) -> None:
        self._query: Compiled[Any] = Compiled(
            lambda _: model._base_manager.filter(among(by)).order_by(*order),
            plain=True,
            read=[AsStored(name) for name in columns],
        )
        read = [(at, _reading(field_at(model, name))) for at, name in enumerate(columns)]
        self._read = [(at, one) for at, one in read if one is not None]

    def of(self, numbers: Collection[int]) -> list[Any]:
        possible = [number for number in numbers if -_LARGEST <= number < _LARGEST]
        rows = self._query.values(possible, on=snapshots.alias()) if possible else []
        return [*map(self._converted, rows)] if self._read else rows

    def _converted(self, row: Sequence[Any]) -> Sequence[Any]:
        values = list(row)
        for at, read in self._read:
            if values[at] is not None:
                values[at] = read(values[at])
        return values


@cache
def stored_rows(model: Any, columns: tuple[str, ...], by: str) -> StoredRows:
    """Return the rows of a comparison, whose statement is compiled once for all verifications."""
    return StoredRows(model, columns, by)


@lru_cache(maxsize=1024)
def moment_of(stored: str | datetime) -> datetime:
    return stored if isinstance(stored, datetime) else datetime.fromisoformat(stored).replace(tzinfo=UTC)


@lru_cache(maxsize=64)
def _day_of(stored: str | date) -> date:
    return stored if isinstance(stored, date) else date.fromisoformat(stored)


def _json_of(stored: str) -> Any:
    """Return a JSON value. Raises ValueError for a repeated key, which SQL and Python read differently."""
    return json.loads(stored, object_pairs_hook=_once)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("a key is there twice")
    return fields


def _reading(field: Any) -> Callable[[Any], Any] | None:
    if isinstance(field, DateField):
        return None if isinstance(field, DateTimeField) else _day_of
    if isinstance(field, BooleanField) and connection.vendor == "sqlite":
        return bool
    readers = ((JSONField, _json_of), (BinaryField, bytes), (PackedTextField, unpacked))
    return next((read for kind, read in readers if isinstance(field, kind)), None)
