"""Queries that are asked in every round, made into SQL once: that takes the program longer than asking takes the database.

For what stands between a dealer and the next round, and nothing else. The rows are those that the query itself would
give, with everything that `select_related` joins.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db import connection
from django.db.backends.utils import CursorWrapper
from django.db.models import Model, QuerySet
from django.db.models.query import get_related_populators

Row = TypeVar("Row", bound=Model)
# Stands for the id while a query is compiled: no row has it, and every column of ids could hold it.
_ASKED = 2**53 - 111
PREPARED_AFTER = 1  # times that a connection has executed a statement before it is prepared


class Compiled(Generic[Row]):
    """A query for the rows that belong to one id: `Compiled(lambda pk: Hand.objects.filter(round=pk))`."""

    def __init__(self, ask: Callable[[int], QuerySet[Row]]) -> None:
        self._ask = ask
        self._by_vendor: dict[str, _Statement] = {}

    def rows(self, pk: int) -> list[Row]:
        """Ask, and return every row."""
        statement = self._by_vendor.get(connection.vendor)
        if statement is None:
            statement = self._by_vendor[connection.vendor] = _compile(self._ask(_ASKED))
        return statement.rows(pk)

    def get(self, pk: int) -> Row:
        """Ask, and return the one row. Raises DoesNotExist of its model."""
        for row in self.rows(pk):
            return row
        raise self._ask(pk).model.DoesNotExist


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
    return connection._prepare_cursor(ServerBindingCursor(driver))


@dataclass(frozen=True)
class _Statement:
    """SQL with its parameters, and what makes a row of the answer into a row of the model."""

    sql: str
    parameters: Sequence[Any]
    compiler: Any
    converters: Any
    model: type[Model]
    columns: slice
    names: Sequence[str]
    related: Sequence[Any]

    def rows(self, pk: int) -> list[Any]:
        with planned_cursor() as cursor:
            cursor.execute(self.sql, [pk if value == _ASKED else value for value in self.parameters])
            found = cursor.fetchall()
        if self.converters:
            found = self.compiler.apply_converters(found, self.converters)
        return [self._row(values) for values in found]

    def _row(self, values: Sequence[Any]) -> Model:
        row = self.model.from_db(connection.alias, self.names, values[self.columns])
        for populator in self.related:
            populator.populate(values, row)
        return row


def _compile(query: QuerySet[Any]) -> _Statement:
    """What Django does for every query (ModelIterable, SQLCompiler.results_iter), done once."""
    compiler = query.query.get_compiler(using=connection.alias)
    sql, parameters = compiler.as_sql()
    chosen = compiler.klass_info["select_fields"]
    columns = slice(chosen[0], chosen[-1] + 1)
    return _Statement(
        sql=sql,
        parameters=parameters,
        compiler=compiler,
        converters=compiler.get_converters([column for column, *_ in compiler.select]),
        model=compiler.klass_info["model"],
        columns=columns,
        names=[column.target.attname for column, *_ in compiler.select[columns]],
        related=get_related_populators(compiler.klass_info, compiler.select, connection.alias),
    )
