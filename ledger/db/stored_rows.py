"""Rows read by the thousand, for whoever compares them: tuples of columns nearly as they are stored, and no model made of them.

A moment stays in the database's own form, which is a text on SQLite (`moment_of`); all else is what a model would have.
"""

import json
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Any

from django.db import connection
from django.db.models import BinaryField, BooleanField, DateField, DateTimeField, Func, JSONField, TextField

from ledger.db import snapshots
from ledger.db.columns import field_at as field_at
from ledger.db.compiled import Compiled, among
from ledger.db.packed_text import PackedTextField, unpacked

_LARGEST = 2**63


class AsStored(Func):
    """A column that neither Django nor SQLite's driver converts: an expression has no type by which that would."""

    template = "%(expressions)s"
    output_field = TextField()

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, template="+%(expressions)s", **context)


class StoredRows:
    """The rows of a model by one of their numbers: `of` returns those that have one of these as `by`.

    Columns may be reached through others (`sheet__code`). The snapshot that is open is read (`snapshots`).
    """

    def __init__(self, model: Any, columns: Sequence[str], by: str = "pk", order: Sequence[str] = ()) -> None:
        self._query: Compiled[Any] = Compiled(
            lambda _: model._base_manager.filter(among(by)).order_by(*order),
            plain=True,
            read=[AsStored(name) for name in columns],
        )
        read = [(at, _reading(field_at(model, name))) for at, name in enumerate(columns)]
        self._read = [(at, one) for at, one in read if one is not None]

    def of(self, numbers: Collection[int]) -> list[Any]:
        """Return the rows of these numbers."""
        possible = [number for number in numbers if -_LARGEST <= number < _LARGEST]
        rows = self._query.values(possible, on=snapshots.alias()) if possible else []
        return [*map(self._converted, rows)] if self._read else rows

    def _converted(self, row: Sequence[Any]) -> Sequence[Any]:
        values = list(row)
        for at, read in self._read:
            if values[at] is not None:
                values[at] = read(values[at])
        return values


@lru_cache(maxsize=1024)
def moment_of(stored: str | datetime) -> datetime:
    """Return a moment that is stored."""
    return stored if isinstance(stored, datetime) else datetime.fromisoformat(stored).replace(tzinfo=UTC)


@lru_cache(maxsize=64)
def _day_of(stored: str | date) -> date:
    return stored if isinstance(stored, date) else date.fromisoformat(stored)


def _json_of(stored: str) -> Any:
    """Return a JSON value. Raises ValueError where a key is there twice: SQL would read the first, and Python the last."""
    return json.loads(stored, object_pairs_hook=_once)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    said = dict(pairs)
    if len(said) != len(pairs):
        raise ValueError("a key is there twice")
    return said


def _reading(field: Any) -> Callable[[Any], Any] | None:
    """Return what makes of a stored value what a model has; None where they are the same, and for a moment."""
    if isinstance(field, DateField):
        return None if isinstance(field, DateTimeField) else _day_of
    if isinstance(field, BooleanField) and connection.vendor == "sqlite":
        return bool
    readers = ((JSONField, _json_of), (BinaryField, bytes), (PackedTextField, unpacked))
    return next((read for kind, read in readers if isinstance(field, kind)), None)
