"""Compile frequent queries to SQL once: building the SQL takes Django longer than the database takes to answer.

For queries between a dealer and the next round, and for screens that poll all night. The rows are those that the query
itself would return, including everything that `select_related` joins and `annotate` adds.
"""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.backends.utils import CursorWrapper
from django.db.models import F, Lookup, Model, QuerySet
from django.db.models.query import get_related_populators

Row = TypeVar("Row", bound=Model)
Asked = int | str | Collection[int]
# Stands for the id while a query is compiled: no row has it, and every column of ids could hold it. As text where ids are text.
_ASKED = 2**53 - 111
_SINCE = 2**53 - 222  # and this for a moment
PREPARED_AFTER = 1  # executions on a connection before a statement is prepared


class Compiled(Generic[Row]):
    """A query for the rows that belong to one id: `Compiled(lambda pk: Hand.objects.filter(round=pk))`.

    The id may be text where the column is. Or for any number of ids, `Compiled(lambda _: Hand.objects.filter(among("round_id")))`, called with a list; with
    `after("until")` in it, called with a datetime as well. A query without an id is called without arguments. Anything
    else that the query depends on must not change while the process runs.
    """

    def __init__(self, ask: Callable[[int], QuerySet[Row]]) -> None:
        self._ask = ask
        self._by_vendor: dict[str, _Statement] = {}

    def rows(self, asked: Asked = (), since: datetime | None = None) -> list[Row]:
        """Execute the query and return every row."""
        return self.made(self.values(asked, since))

    def get(self, pk: int) -> Row:
        """Execute the query and return its only row. Raises the model's DoesNotExist."""
        row = self.first(pk)
        if row is None:
            raise self._ask(pk).model.DoesNotExist  # type: ignore[attr-defined]
        return row

    def first(self, pk: int | str, since: datetime | None = None) -> Row | None:
        """Execute the query and return its first row, or None."""
        return next(iter(self.rows(pk, since)), None)

    def values(self, asked: Asked = (), since: datetime | None = None) -> list[Sequence[Any]]:
        """Execute the query and return the raw columns of each row, to compare results or to build rows with `made`."""
        return self._statement.values(asked, since)

    def made(self, values: Sequence[Sequence[Any]]) -> list[Row]:
        """Build rows from raw values."""
        return self._statement.made(values) if values else []

    def column(self, name: str) -> int:
        """Return the index of a field (`session_id`) or an annotation in the raw values."""
        return self._statement.columns[name]

    @property
    def _statement(self) -> "_Statement":
        statement = self._by_vendor.get(connection.vendor)
        if statement is None:
            statement = self._by_vendor[connection.vendor] = _compile(self._ask(_ASKED))
        return statement


# How one of many ids is asked for. PostgreSQL plans a statement with an array anew each time, because the plan depends on
# how many there are; a screen of one table asks for one id, which has a statement of its own.
_ONE_OF = {"postgresql": " = ANY(%s::bigint[])", "sqlite": " IN (SELECT value FROM json_each(%s))"}
_THE_ONE = " = %s"


class _Among(Lookup):
    """Lookup: a column is one of the requested ids; the statement is the same for any number of them."""

    lookup_name = "among"
    prepare_rhs = False

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        column, parameters = self.process_lhs(compiler, connection)
        return f"{column}{_ONE_OF[connection.vendor]}", (*parameters, self.rhs)


def among(column: str) -> Any:
    """Return a condition for `Compiled`: the column (`session_id`, `pk`) is one of the requested ids."""
    return _Among(F(column), _ASKED)


class _After(Lookup):
    """Lookup: a column is after the requested moment."""

    lookup_name = "after"
    prepare_rhs = False

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        column, parameters = self.process_lhs(compiler, connection)
        return f"{column} > %s", (*parameters, self.rhs)


def after(column: str) -> Any:
    """Return a condition for `Compiled`: the column (`until`) is after the requested moment."""
    return _After(F(column), _SINCE)


def planned_cursor() -> CursorWrapper:
    """Return a cursor for statements whose text never varies: PostgreSQL plans each once per connection."""
    if connection.vendor != "postgresql" or connection.queries_logged:
        return connection.cursor()  # the query log would not contain a prepared statement's text
    # Imported here because a house with SQLite need not have the driver.
    from django.db.backends.postgresql.base import ServerBindingCursor

    connection.ensure_connection()
    driver = connection.connection
    if driver.prepare_threshold is None:
        # Django's own cursors interpolate parameters and so never prepare anything.
        driver.prepare_threshold = PREPARED_AFTER
    planned: CursorWrapper = connection._prepare_cursor(  # type: ignore[attr-defined]
        ServerBindingCursor(driver)  # type: ignore[call-arg]
    )
    return planned


def executed(sql: str, values: Sequence[Any]) -> list[Any]:
    """Execute a statement whose text never varies and return its rows, if any."""
    database = connections[
        DEFAULT_DB_ALIAS
    ]  # looked up once: `connection` resolves its thread on every access
    if database.vendor == "sqlite" and not (database.queries_logged or database.execute_wrappers):
        # Django's cursor would convert the placeholders on every call.
        database.ensure_connection()
        with database.wrap_database_errors:
            rows: list[Any] = database.connection.execute(sql.replace("%s", "?"), values).fetchall()
            return rows
    with planned_cursor() as cursor:
        cursor.execute(sql, values)
        return cursor.fetchall() if cursor.description else []


@dataclass(frozen=True)
class _Statement:
    """SQL with its parameters, and what turns a result row into a model instance. `for_one` is the same for a single id."""

    sql: str
    for_one: str
    parameters: Sequence[Any]
    compiler: Any
    converters: Any
    model: type[Model]
    own: slice
    names: Sequence[str]
    related: Sequence[Any]
    annotated: Mapping[str, int]
    columns: Mapping[str, int]

    def values(self, asked: Asked, since: datetime | None) -> list[Sequence[Any]]:
        sql = self.sql
        if not isinstance(asked, int | str):
            if len(asked) == 1:
                sql, (asked,) = self.for_one, asked
            else:
                asked = _listed(asked)
        given: dict[Any, Any] = {_ASKED: asked, str(_ASKED): asked}
        if since is not None:
            given[_SINCE] = connection.ops.adapt_datetimefield_value(since)
        parameters: list[Any] = [
            given.get(value, value) if isinstance(value, int | str) else value for value in self.parameters
        ]
        found: list[Sequence[Any]]
        if connection.vendor == "sqlite" and not (connection.queries_logged or connection.execute_wrappers):
            # Django's cursor would convert the placeholders on every call.
            connection.ensure_connection()
            with connection.wrap_database_errors:
                found = connection.connection.execute(sql.replace("%s", "?"), parameters).fetchall()
                return found
        with planned_cursor() as cursor:
            cursor.execute(sql, parameters)
            found = cursor.fetchall()
        return found

    def made(self, raw_rows: Iterable[Sequence[Any]]) -> list[Any]:
        alias = connection.alias
        if self.converters:
            raw_rows = self.compiler.apply_converters(raw_rows, self.converters)
        rows = []
        for values in raw_rows:
            row = self.model.from_db(alias, self.names, values[self.own])
            for name, column in self.annotated.items():
                setattr(row, name, values[column])
            for populator in self.related:
                populator.populate(values, row)
            rows.append(row)
        return rows


def _listed(ids: Collection[int]) -> Any:
    """Return ids as `_Among` needs them: an array, or JSON if the database has no arrays."""
    return list(ids) if connection.vendor == "postgresql" else json.dumps(list(ids))


def _compile(query: QuerySet[Any]) -> _Statement:
    """Do once what Django does for every query (ModelIterable, SQLCompiler.results_iter)."""
    compiler = query.query.get_compiler(using=connection.alias)
    sql, parameters = compiler.as_sql()
    chosen = compiler.klass_info["select_fields"]
    own = slice(chosen[0], chosen[-1] + 1)
    names = [column.target.attname for column, *_ in compiler.select[own]]
    annotated = compiler.annotation_col_map or {}
    return _Statement(
        sql=sql,
        for_one=sql.replace(_ONE_OF[connection.vendor], _THE_ONE),
        parameters=parameters,
        compiler=compiler,
        converters=compiler.get_converters([column for column, *_ in compiler.select]),
        model=compiler.klass_info["model"],
        own=own,
        names=names,
        # The stubs are of a later Django, where it takes one more.
        related=get_related_populators(compiler.klass_info, compiler.select, connection.alias),  # type: ignore[call-arg]
        annotated=annotated,
        columns={name: own.start + place for place, name in enumerate(names)} | annotated,
    )
