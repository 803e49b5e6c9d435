"""Statements that are made once and executed often: making the SQL takes Django longer than the database takes to answer.

For what stands between a dealer and the next round, and for screens that poll all night. `Compiled` reads the rows that a
query itself would return, including everything that `select_related` joins and `annotate` adds; `insert` writes new rows;
`executed` is the one door for both, and for SQL written by hand.
"""

import json
import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cache, cached_property, lru_cache, partial
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.backends.utils import CursorWrapper
from django.db.models import DateField, DecimalField, F, JSONField, Lookup, Model, QuerySet
from django.db.models.base import ModelState
from django.db.models.query import get_related_populators

Row = TypeVar("Row", bound=Model)
Asked = int | str | Collection[int]
# Stands for the id while a query is compiled: no row has it, and every column of ids could hold it. As text where ids are text.
_ASKED = 2**53 - 111
_SINCE = 2**53 - 222  # and this for a moment
_CONVERTED_ON_SQLITE = (
    DecimalField,
    JSONField,
)  # beside dates and fields of ours; all else is stored as it is
PREPARED_AFTER = 1  # executions on a connection before a statement is prepared


class Compiled(Generic[Row]):
    """A query for the rows that belong to one id: `Compiled(lambda pk: Hand.objects.filter(round=pk))`.

    The id may be text where the column is. For any number of ids it has `among("round_id")` as a condition and is called with
    a list; with `after("until")` it is called with a datetime as well. A query without an id is called without arguments.
    Anything else that the query depends on must not change while the process runs.
    """

    def __init__(self, ask: Callable[[int], QuerySet[Row]]) -> None:
        self._ask = ask

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

    def values(
        self, asked: Asked = (), since: datetime | None = None, *, on: str = DEFAULT_DB_ALIAS
    ) -> list[Sequence[Any]]:
        """Execute the query and return the raw columns of each row, to compare results or to build rows with `made`."""
        return self._statement.values(asked, since, on)

    def made(self, values: Sequence[Sequence[Any]]) -> list[Row]:
        """Build rows from raw values."""
        return self._statement.made(values) if values else []

    def column(self, name: str) -> int:
        """Return the index of a field (`session_id`) or an annotation in the raw values."""
        return self._statement.columns[name]

    @cached_property
    def _statement(self) -> "_Statement":
        return _compile(self._ask(_ASKED))


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


@cache
def vendor() -> str:
    """Return which database it is: the same as long as the process runs. A connection that is asked each time takes its time."""
    return connection.vendor


def planned_cursor(on: str = DEFAULT_DB_ALIAS) -> CursorWrapper:
    """Return a cursor for statements whose text never varies: PostgreSQL plans each once per connection."""
    database: Any = connections[on]
    if database.vendor != "postgresql" or database.queries_logged:
        # The query log would not contain a prepared statement's text.
        cursor: CursorWrapper = database.cursor()
        return cursor
    # Imported here because a house with SQLite need not have the driver.
    from django.db.backends.postgresql.base import ServerBindingCursor

    database.ensure_connection()
    driver = database.connection
    if driver.prepare_threshold is None:
        # Django's own cursors interpolate parameters and so never prepare anything.
        driver.prepare_threshold = PREPARED_AFTER
    planned: CursorWrapper = database._prepare_cursor(ServerBindingCursor(driver))  # type: ignore[call-arg]
    return planned


def executed(sql: str, values: Sequence[Any], on: str = DEFAULT_DB_ALIAS) -> list[Any]:
    """Execute a statement whose text never varies and return its rows, if any."""
    database = connections[on]  # looked up once: `connection` resolves its thread on every access
    if database.vendor == "sqlite" and not (database.queries_logged or database.execute_wrappers):
        # Django's cursor would convert the placeholders on every call.
        if database.connection is None:
            database.ensure_connection()
        try:
            rows: list[Any] = database.connection.execute(_for_sqlite(sql), values).fetchall()
        except sqlite3.Error:
            with database.wrap_database_errors:
                raise
        return rows
    with planned_cursor(on) as cursor:
        cursor.execute(sql, values)
        return cursor.fetchall() if cursor.description else []


@lru_cache(maxsize=2048)
def _for_sqlite(sql: str) -> str:
    return sql.replace("%s", "?")


def new(model: type[Row], **values: Any) -> Row:
    """Return a row that is not written yet, as `model(**values)` does, several times as fast: no field is asked."""
    plain, made, relations = _defaults(model)
    row = model.__new__(model)
    row._state = state = ModelState()
    columns = row.__dict__
    columns |= plain
    for name, make in made:
        columns[name] = make()
    for name, value in values.items():
        if name in relations:
            columns[relations[name]] = None if value is None else value.id  # as `pk`, without a property
            state.fields_cache[name] = value
        else:
            columns[name] = value
    return row


@cache
def _defaults(
    model: type[Model],
) -> tuple[dict[str, Any], list[tuple[str, Callable[[], Any]]], dict[str, str]]:
    """Return the defaults of a model's columns, those that are made for each row, and the column of each relation."""
    fields = _fields(model)
    making = [field for field in fields if field.has_default() and callable(field.default)]
    plain = {field.attname: field.get_default() for field in fields if field not in making}
    made = [(field.attname, field.default) for field in making]
    relations = {field.name: field.attname for field in fields if field.is_relation}
    return {"id": None} | plain, made, relations


def insert(rows: Sequence[Model]) -> None:
    """Write new rows of one model in one statement, and set their ids."""
    if not rows:
        return
    model = type(rows[0])
    columns = _columns(model, vendor())
    # Read past the properties of ids and relations, which take longer than everything else here.
    written = [row.__dict__ for row in rows]
    values = [
        row[name] if prepare is None else prepare(row[name]) for row in written for name, prepare in columns
    ]
    for row, (pk,) in zip(written, executed(_insertion(model, len(rows)), values), strict=True):
        row["id"], row["_state"].adding, row["_state"].db = pk, False, DEFAULT_DB_ALIAS


@cache
def _insertion(model: type[Model], count: int) -> str:
    fields = _fields(model)
    columns = ", ".join(f'"{field.column}"' for field in fields)
    values = placeholders(count, len(fields))
    return f"INSERT INTO {model._meta.db_table} ({columns}) VALUES {values} RETURNING id"  # noqa: S608 (names of ours)


@cache
def placeholders(rows: int, columns: int, one: str = "%s") -> str:
    """Return `(%s, %s), (%s, %s)`, for so many rows and columns: no value ever becomes part of a statement."""
    return ", ".join([f"({', '.join([one] * columns)})"] * rows)


@cache
def _columns(model: type[Model], vendor: str) -> list[tuple[str, Callable[[Any], Any] | None]]:
    """Return the attribute of each column, and what brings its value into the database's form, where it has another."""
    return [(field.attname, _preparing(field, vendor)) for field in _fields(model)]


def _preparing(field: Any, vendor: str) -> Callable[[Any], Any] | None:
    if isinstance(field, DateField):
        return adapted
    if (
        vendor == "sqlite"
        and type(field).__module__.startswith("django.")
        and not isinstance(field, _CONVERTED_ON_SQLITE)
    ):
        return None
    return partial(field.get_db_prep_save, connection=connection)


@lru_cache(maxsize=1024)
def adapted(at: date | None) -> Any:
    """Return a moment or a day as the database takes it; an act writes few of them many times."""
    if isinstance(at, datetime):
        return connection.ops.adapt_datetimefield_value(at)
    return connection.ops.adapt_datefield_value(at)


def _fields(model: type[Model]) -> list[Any]:
    return [field for field in model._meta.concrete_fields if not (field.primary_key or field.generated)]


@dataclass(frozen=True)
class _Statement:
    """SQL with its parameters, and what turns a result row into a model instance; without a model it stays a list.

    `for_one` is the same for a single id.
    """

    sql: str
    for_one: str
    parameters: Sequence[Any]
    converters: Sequence[tuple[int, Callable[[Any], Any]]]
    model: type[Model] | None
    own: slice
    names: Sequence[str]
    related: Sequence[Any]
    annotated: Mapping[str, int]
    columns: Mapping[str, int]

    def values(self, asked: Asked, since: datetime | None, on: str) -> list[Sequence[Any]]:
        sql = self.sql
        if not isinstance(asked, int | str):
            if len(asked) == 1:
                sql, (asked,) = self.for_one, asked
            else:
                asked = _listed(asked)
        given: dict[Any, Any] = {_ASKED: asked, str(_ASKED): asked}
        if since is not None:
            given[_SINCE] = adapted(since)
        parameters: list[Any] = [
            given.get(value, value) if isinstance(value, int | str) else value for value in self.parameters
        ]
        return executed(sql, parameters, on)

    def made(self, raw_rows: Iterable[Sequence[Any]]) -> list[Any]:
        alias, model = DEFAULT_DB_ALIAS, self.model
        rows: list[Any] = []
        for values in map(list, raw_rows):
            for place, converted in self.converters:
                values[place] = converted(values[place])
            if model is None:
                rows.append(values)
                continue
            row = _row_of(model, alias, self.names, values[self.own])
            row.__dict__.update({name: values[column] for name, column in self.annotated.items()})
            for populator in self.related:
                populator.populate(values, row)
            rows.append(row)
        return rows


def _listed(ids: Collection[int]) -> Any:
    """Return ids as `_Among` needs them: an array, or JSON if the database has no arrays."""
    return list(ids) if vendor() == "postgresql" else json.dumps(list(ids))


def _compile(query: QuerySet[Any]) -> _Statement:
    """Do once what Django does for every query (ModelIterable, ValuesListIterable, SQLCompiler.results_iter)."""
    compiler = query.query.get_compiler(using=connection.alias)
    sql, parameters = compiler.as_sql()
    whole = compiler.klass_info if query.query.default_cols else None  # None: values_list
    chosen = whole["select_fields"] if whole else range(len(compiler.select))
    own = slice(chosen[0], chosen[-1] + 1)
    names = [column.target.attname for column, *_ in compiler.select[own]] if whole else []
    annotated = compiler.annotation_col_map or {}
    converters = compiler.get_converters([column for column, *_ in compiler.select])
    return _Statement(
        sql=sql,
        for_one=sql.replace(_ONE_OF[connection.vendor], _THE_ONE),
        parameters=parameters,
        converters=[(place, _converting(*converter)) for place, converter in converters.items()],
        model=whole["model"] if whole else None,
        own=own,
        names=names,
        related=_populators(whole, compiler.select) if whole else (),
        annotated=annotated,
        columns={name: own.start + place for place, name in enumerate(names)} | annotated,
    )


def _populators(whole: Any, selected: Any) -> list[Any]:
    """Return what makes the rows that `select_related` joins, in our way."""
    # The stubs are of a later Django, where it takes one more.
    populators = get_related_populators(whole, selected, connection.alias)  # type: ignore[call-arg]
    waiting = list(populators)
    while waiting:
        populator: Any = waiting.pop()
        populator.model_cls = _Making(populator.model_cls)
        waiting += populator.related_populators
    return populators


class _Making:
    """Stands for a model where Django asks it for rows."""

    def __init__(self, model: type[Model]) -> None:
        self.from_db = partial(_row_of, model)


def _row_of(model: type[Model], alias: str, names: Sequence[str], values: Sequence[Any]) -> Any:
    """Return a row as `Model.from_db` does, several times as fast: no field is asked, because none of ours minds.

    Fields without a value are read when somebody asks for them, as after `only` and `defer`.
    """
    row = model.__new__(model)
    state = ModelState()
    state.adding, state.db = False, alias
    row.__dict__.update(zip(names, values, strict=True), _state=state)
    return row


def _converting(converters: Sequence[Any], expression: Any) -> Callable[[Any], Any]:
    """Return what brings a column's value into Python's form."""
    # The most of them, on SQLite, where Django's take several times as long.
    if converters == [getattr(connection.ops, "convert_datetimefield_value", None)]:
        return _moment
    if converters == [getattr(connection.ops, "convert_booleanfield_value", None)]:
        return _truth

    def converted(value: Any) -> Any:
        for converter in converters:
            value = converter(value, expression, connection)
        return value

    return converted


def _moment(value: Any) -> datetime | None:
    """Return the moment that SQLite's driver has read, which has no zone, or that a subquery gives as text, in UTC."""
    if isinstance(value, str):
        value = datetime.fromisoformat(value)
    return None if value is None else value.replace(tzinfo=UTC)


def _truth(value: Any) -> bool | None:
    """Return the truth that SQLite's driver has read, or that a condition gives as a number."""
    return None if value is None else bool(value)
