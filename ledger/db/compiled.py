"""Queries that are asked in every round, made into SQL once: that takes the program longer than asking takes the database.

For what stands between a dealer and the next round, and for screens that are fetched again all night. The rows are those
that the query itself would give, with everything that `select_related` joins and `annotate` adds.
"""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from django.db import connection
from django.db.backends.utils import CursorWrapper
from django.db.models import F, Lookup, Model, QuerySet
from django.db.models.query import get_related_populators

Row = TypeVar("Row", bound=Model)
# Stands for the id while a query is compiled: no row has it, and every column of ids could hold it.
_ASKED = 2**53 - 111
_SINCE = 2**53 - 222  # and this for a moment
PREPARED_AFTER = 1  # times that a connection has executed a statement before it is prepared


class Compiled(Generic[Row]):
    """A query for the rows that belong to one id: `Compiled(lambda pk: Hand.objects.filter(round=pk))`.

    Or to any number of ids, `Compiled(lambda _: Hand.objects.filter(among("round_id")))`, which is then asked with a list;
    with `after("until")` in it, with a moment besides. A query that belongs to none is asked with nothing. Whatever else
    its rows depend on must not change while we run.
    """

    def __init__(self, ask: Callable[[int], QuerySet[Row]]) -> None:
        self._ask = ask
        self._by_vendor: dict[str, _Statement] = {}

    def rows(self, asked: int | Collection[int] = (), since: datetime | None = None) -> list[Row]:
        """Ask, and return every row."""
        return self.made(self.values(asked, since))

    def get(self, pk: int) -> Row:
        """Ask, and return the one row. Raises DoesNotExist of its model."""
        for row in self.rows(pk):
            return row
        raise self._ask(pk).model.DoesNotExist  # type: ignore[attr-defined]

    def values(self, asked: int | Collection[int] = (), since: datetime | None = None) -> list[Sequence[Any]]:
        """Ask, and return what the database says, column by column: what two answers are compared by, and rows made from."""
        return self._statement.values(asked, since)

    def made(self, values: Sequence[Sequence[Any]]) -> list[Row]:
        """The rows that these values say."""
        return self._statement.made(values) if values else []

    def column(self, name: str) -> int:
        """Where a field of the row itself (`session_id`), or an annotation, stands in the values."""
        return self._statement.columns[name]

    @property
    def _statement(self) -> "_Statement":
        statement = self._by_vendor.get(connection.vendor)
        if statement is None:
            statement = self._by_vendor[connection.vendor] = _compile(self._ask(_ASKED))
        return statement


class _Among(Lookup):
    """Whether a column is one of the ids that are asked for, of which there may be any number in the same statement."""

    lookup_name = "among"
    prepare_rhs = False

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        column, parameters = self.process_lhs(compiler, connection)
        return f"{column} IN (SELECT value FROM json_each(%s))", (*parameters, self.rhs)  # noqa: S608 (a column of ours)

    def as_postgresql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        column, parameters = self.process_lhs(compiler, connection)
        return f"{column} = ANY(%s::bigint[])", (*parameters, self.rhs)


def among(column: str) -> Any:
    """A condition for `Compiled`: the column (`session_id`, `pk`) is one of the ids that are asked for."""
    return _Among(F(column), _ASKED)


class _After(Lookup):
    """Whether a moment lies after the one that is asked for."""

    lookup_name = "after"
    prepare_rhs = False

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        column, parameters = self.process_lhs(compiler, connection)
        return f"{column} > %s", (*parameters, self.rhs)


def after(column: str) -> Any:
    """A condition for `Compiled`: the column (`until`) is after the moment that is asked for."""
    return _After(F(column), _SINCE)


def planned_cursor() -> CursorWrapper:
    """A cursor for statements whose text is always the same: PostgreSQL plans each once for every connection."""
    if connection.vendor != "postgresql" or connection.queries_logged:
        return connection.cursor()  # of a prepared statement the log would not have the text
    # Needs the driver, which a house with SQLite may do without.
    from django.db.backends.postgresql.base import ServerBindingCursor

    connection.ensure_connection()
    driver = connection.connection
    if driver.prepare_threshold is None:
        # Django's own cursors put parameters into the text, and prepare nothing whatever this says.
        driver.prepare_threshold = PREPARED_AFTER
    planned: CursorWrapper = connection._prepare_cursor(  # type: ignore[attr-defined]
        ServerBindingCursor(driver)  # type: ignore[call-arg]
    )
    return planned


@dataclass(frozen=True)
class _Statement:
    """SQL with its parameters, and what makes a row of the answer into a row of the model."""

    sql: str
    marked: str
    parameters: Sequence[Any]
    compiler: Any
    converters: Any
    model: type[Model]
    own: slice
    names: Sequence[str]
    related: Sequence[Any]
    annotated: Mapping[str, int]
    columns: Mapping[str, int]

    def values(self, asked: int | Collection[int], since: datetime | None) -> list[Sequence[Any]]:
        given = {_ASKED: asked if isinstance(asked, int) else _listed(asked)}
        if since is not None:
            given[_SINCE] = connection.ops.adapt_datetimefield_value(since)
        parameters = [
            given.get(value, value) if isinstance(value, int) else value for value in self.parameters
        ]
        found: list[Sequence[Any]]
        if connection.vendor == "sqlite" and not (connection.queries_logged or connection.execute_wrappers):
            # Django's own cursor searches the text for its marks each time it is asked.
            connection.ensure_connection()
            with connection.wrap_database_errors:
                found = connection.connection.execute(self.marked, parameters).fetchall()
                return found
        with planned_cursor() as cursor:
            cursor.execute(self.sql, parameters)
            found = cursor.fetchall()
        return found

    def made(self, found: Iterable[Sequence[Any]]) -> list[Any]:
        alias = connection.alias
        if self.converters:
            found = self.compiler.apply_converters(found, self.converters)
        rows = []
        for values in found:
            row = self.model.from_db(alias, self.names, values[self.own])
            for name, column in self.annotated.items():
                setattr(row, name, values[column])
            for populator in self.related:
                populator.populate(values, row)
            rows.append(row)
        return rows


def _listed(ids: Collection[int]) -> Any:
    """Ids as `_Among` has them: an array, or where the database has none its JSON."""
    return list(ids) if connection.vendor == "postgresql" else json.dumps(list(ids))


def _compile(query: QuerySet[Any]) -> _Statement:
    """What Django does for every query (ModelIterable, SQLCompiler.results_iter), done once."""
    compiler = query.query.get_compiler(using=connection.alias)
    sql, parameters = compiler.as_sql()
    chosen = compiler.klass_info["select_fields"]
    own = slice(chosen[0], chosen[-1] + 1)
    names = [column.target.attname for column, *_ in compiler.select[own]]
    annotated = compiler.annotation_col_map or {}
    return _Statement(
        sql=sql,
        marked=sql.replace("%s", "?"),
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
