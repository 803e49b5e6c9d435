"""Ways around Django where it is slower than the database: settling and starting rounds, the tablet's plan,
the board.

Django's SQLite cursor rewrites the placeholders at every call, the PostgreSQL one prepares nothing, and an
instance asks each of its fields. The Django internals used here are undocumented, so they are used nowhere
else; `tests/test_frameworks.py` says with which versions they were tried."""

import sqlite3
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import Any, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import Model
from django.db.models.base import ModelState

from ledger.db.columns import columns_to_write

Row = TypeVar("Row", bound=Model)
PREPARED_AFTER = 1  # executions on a connection before a statement is prepared


def executed(sql: str, values: Sequence[Any], on: str = DEFAULT_DB_ALIAS) -> list[Any]:
    """Execute a statement whose text never varies and return its rows, if any."""
    database: Any = connections[on]  # looked up once: `connection` resolves its thread on every access
    if database.queries_logged or database.execute_wrappers:  # they must see every statement
        with database.cursor() as cursor:
            cursor.execute(sql, values)
            return cursor.fetchall() if cursor.description else []
    if database.connection is None:
        database.ensure_connection()
    if database.vendor == "sqlite":
        try:
            rows: list[Any] = database.connection.execute(_for_sqlite(sql), values).fetchall()
        except sqlite3.Error:
            with database.wrap_database_errors:
                raise
        return rows
    # Imported here because a house with SQLite need not have the driver.
    from psycopg import Cursor

    if database.connection.prepare_threshold is None:
        # Django's own cursors interpolate parameters and so never prepare anything.
        database.connection.prepare_threshold = PREPARED_AFTER
    with database.wrap_database_errors, Cursor(database.connection) as planned:
        planned.execute(sql, values)
        return planned.fetchall() if planned.description else []


@lru_cache(maxsize=2048)
def _for_sqlite(sql: str) -> str:
    return sql.replace("%s", "?")


def row_of(model: type[Row], names: Sequence[str], values: Sequence[Any]) -> Row:
    """Return a row as `Model.from_db` does. Fields without a value are read on access."""
    row = model.__new__(model)
    state = ModelState()
    state.adding, state.db = False, DEFAULT_DB_ALIAS
    row.__dict__.update(zip(names, values, strict=True), _state=state)
    return row


def join(row: Model, name: str, related: Model | None) -> None:
    row._state.fields_cache[name] = related


def new(model: type[Row], **values: Any) -> Row:
    """Return an unsaved row as `model(**values)` does."""
    plain, made, relations = _defaults(model)
    row = model.__new__(model)
    row._state = ModelState()
    columns = row.__dict__
    columns |= plain
    for name, make in made:
        columns[name] = make()
    for name, value in values.items():
        if name in relations:
            columns[relations[name]] = None if value is None else value.id  # as `pk`, without a property
            join(row, name, value)
        else:
            columns[name] = value
    return row


@cache
def _defaults(
    model: type[Model],
) -> tuple[dict[str, Any], list[tuple[str, Callable[[], Any]]], dict[str, str]]:
    fields = columns_to_write(model)
    making = [field for field in fields if field.has_default() and callable(field.default)]
    plain = {field.attname: field.get_default() for field in fields if field not in making}
    made = [(field.attname, field.default) for field in making]
    relations = {field.name: field.attname for field in fields if field.is_relation}
    return {"id": None} | plain, made, relations
