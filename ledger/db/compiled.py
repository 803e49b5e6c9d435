"""Statements that are compiled once and executed often, because Django takes longer to make SQL than the
database to answer. They serve everything between a dealer and the next round, and screens that poll all
night. `Compiled` keeps the SQL that Django makes of a query at first use; `insert` writes new rows. Both use
`executed`, as handwritten SQL does."""

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache, cached_property, lru_cache, partial
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.models import DateField, DateTimeField, DecimalField, F, JSONField, Lookup, Model, Q, QuerySet

from ledger.db.columns import columns_of, columns_to_write, field_at
from ledger.db.shortcuts import executed as executed, join, new as new, row_of

Row = TypeVar("Row", bound=Model)
Asked = int | str | Collection[int]
# Stands for the id while a query is compiled: in no row, but valid in every column of ids. As text where ids
# are text.
_ASKED = 2**53 - 111
_SINCE = datetime(1902, 3, 4, 5, 6, 7, 891011, UTC)  # stands for a moment
_CONVERTED_ON_SQLITE = (
    DecimalField,
    JSONField,
)  # besides dates and our own fields; all others are returned as stored


class Compiled(Generic[Row]):
    """A query for the rows of one id: `Compiled(lambda pk: Hand.objects.filter(round=pk),
    joined="sitting__player")`.

    Rows have all columns except `unread`, or only those to `read`, with the related rows `joined`;
    annotations `added` become attributes. `plain` returns lists of the columns to `read` instead of rows.

    The id may be text. With the condition `among("round_id")` it is called with a list of ids, with
    `after("until")` also with a datetime, without an id with no arguments. Nothing else that the query
    depends on may change while the process runs. Rows of the table `locks` are locked until the transaction
    ends."""

    def __init__(self, ask: Callable[[int], QuerySet[Row]], *, locks: str = "", **columns: Any) -> None:
        self._ask, self._locks, self._columns = ask, locks, columns
        self._statement: _Statement | None = None

    def rows(self, asked: Asked = (), since: datetime | None = None) -> list[Row]:
        return self.made(self.values(asked, since))

    def get(self, pk: int) -> Row:
        """Return the only row. Raises the model's DoesNotExist."""
        row = self.first(pk)
        if row is None:
            raise self._ask(pk).model.DoesNotExist  # type: ignore[attr-defined]
        return row

    def first(self, pk: int | str, since: datetime | None = None) -> Row | None:
        return next(iter(self.rows(pk, since)), None)

    def values(
        self, asked: Asked = (), since: datetime | None = None, *, on: str = DEFAULT_DB_ALIAS
    ) -> list[Sequence[Any]]:
        """Return the raw columns of each row, to compare results or to build rows with `made`."""
        if self._statement is None:
            return self._first_values(asked, since, on)
        return executed(*self._statement.given(asked, since), on)

    def made(self, values: Sequence[Sequence[Any]]) -> list[Row]:
        return self._shape.made(values) if values else []

    def column(self, name: str) -> int:
        """Return the index in the raw values of a column (`sitting__stack_id`) or annotation."""
        return self._shape.places[name]

    @cached_property
    def _shape(self) -> "_Shape":
        return _shape(self._ask(_ASKED).model, **self._columns)

    def _first_values(self, asked: Asked, since: datetime | None, on: str) -> list[Sequence[Any]]:
        """Let Django execute the query; keep its statement, and take the rows before Django converts them."""
        rows: list[Sequence[Any]] = []

        def take(execute: Any, sql: str, parameters: Sequence[Any], many: bool, context: Any) -> Any:
            database = context["connection"].vendor
            locking = f' FOR NO KEY UPDATE OF "{self._locks}"' if self._locks else ""
            whole = sql + locking if database == "postgresql" else sql
            self._statement = _Statement(whole, whole.replace(_ONE_OF[database], _THE_ONE), parameters)
            result = execute(*self._statement.given(asked, since), many, context)
            rows.extend(context["cursor"].fetchall())
            return result

        # Statements sent when a connection opens are not the query.
        with connections[on].cursor(), connections[on].execute_wrapper(take):
            list(self._ask(_ASKED).using(on).values_list(*self._shape.paths))
        return rows


# The condition for one of many ids. PostgreSQL plans a statement with an array anew each time, since the plan
# depends on its length; a screen of one table asks for one id, which has a statement of its own.
_ONE_OF = {"postgresql": " = ANY(%s::bigint[])", "sqlite": " IN (SELECT value FROM json_each(%s))"}
_THE_ONE = " = %s"


class _Among(Lookup):
    """A condition: a column is one of the requested ids; the same SQL for any number of them."""

    prepare_rhs = False

    def as_sql(self, compiler: Any, connection: Any) -> Any:
        column, before = self.process_lhs(compiler, connection)
        _, asked = self.process_rhs(compiler, connection)
        return column + _ONE_OF[connection.vendor], [*before, *asked]


def among(column: str) -> Any:
    """Return a condition for `Compiled`: the column (`session_id`, `pk`) is one of the requested ids."""
    return Q(_Among(F(column), _ASKED))


def after(column: str) -> Q:
    """Return a condition for `Compiled`: the column (`until`) is after the requested moment."""
    return Q(**{f"{column}__gt": _SINCE})


@cache
def vendor() -> str:
    """Return the database's kind, cached because asking the connection takes time."""
    return connection.vendor


def insert(rows: Sequence[Model]) -> None:
    """Write new rows of one model in one statement, and set their ids."""
    if not rows:
        return
    model = type(rows[0])
    columns = _columns(model, vendor())
    # Bypass the properties of ids and relations, which take longer than everything else here.
    written = [vars(row) for row in rows]
    values = [
        row[name] if prepare is None else prepare(row[name]) for row in written for name, prepare in columns
    ]
    for row, (pk,) in zip(written, executed(_insertion(model, len(rows)), values), strict=True):
        row["id"], row["_state"].adding, row["_state"].db = pk, False, DEFAULT_DB_ALIAS


@cache
def _insertion(model: type[Model], count: int) -> str:
    fields = columns_to_write(model)
    columns = ", ".join(f'"{field.column}"' for field in fields)
    values = placeholders(count, len(fields))
    return f"INSERT INTO {model._meta.db_table} ({columns}) VALUES {values} RETURNING id"  # noqa: S608


@cache
def placeholders(rows: int, columns: int, one: str = "%s") -> str:
    """Return `(%s, %s), (%s, %s)`: no value ever becomes part of a statement."""
    return ", ".join([f"({', '.join([one] * columns)})"] * rows)


@cache
def _columns(model: type[Model], vendor: str) -> list[tuple[str, Callable[[Any], Any] | None]]:
    return [(field.attname, _preparing(field, vendor)) for field in columns_to_write(model)]


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


_MOMENT, _DAY = DateTimeField(), DateField()


@lru_cache(maxsize=1024)
def adapted(at: date | None) -> Any:
    """Return a moment or day in the database's form; cached, since an act writes few of them many times."""
    field = _MOMENT if isinstance(at, datetime) else _DAY
    return field.get_db_prep_value(at, connection, prepared=True)


@dataclass(frozen=True)
class _Statement:
    """SQL with its parameters; `for_one` is the same for a single id."""

    sql: str
    for_one: str
    parameters: Sequence[Any]

    def given(self, asked: Asked, since: datetime | None) -> tuple[str, list[Any]]:
        sql = self.sql
        if not isinstance(asked, int | str):
            if len(asked) == 1:
                sql, (asked,) = self.for_one, asked
            else:  # an array, or JSON if the database has no arrays
                asked = list(asked) if vendor() == "postgresql" else json.dumps(list(asked))
        given: dict[Any, Any] = {_ASKED: asked, str(_ASKED): asked, adapted(_SINCE): adapted(since)}
        return sql, [
            given.get(value, value) if isinstance(value, int | str | datetime) else value
            for value in self.parameters
        ]


@dataclass(frozen=True)
class _Part:
    """The columns of one model within a row; its instances become attribute `name` of those of `whole`."""

    path: str
    whole: str
    name: str
    model: type[Model]
    columns: slice
    names: Sequence[str]
    key: int


@dataclass(frozen=True)
class _Shape:
    """The columns of a row, and what builds instances of them; without `parts` a row stays a list."""

    paths: Sequence[str]
    converters: Sequence[tuple[int, Callable[[Any], Any]]]
    parts: Sequence[_Part]
    added: Sequence[tuple[str, int]]

    @cached_property
    def places(self) -> dict[str, int]:
        return {path: place for place, path in enumerate(self.paths) if isinstance(path, str)}

    def made(self, raw_rows: Sequence[Sequence[Any]]) -> list[Any]:
        rows = []
        for values in map(list, raw_rows):
            for place, converted in self.converters:
                if values[place] is not None:
                    values[place] = converted(values[place])
            rows.append(self._instance(values) if self.parts else values)
        return rows

    def _instance(self, values: list[Any]) -> Any:
        found: dict[str, Any] = {}
        for part in self.parts:
            is_there = values[part.key] is not None
            row = row_of(part.model, part.names, values[part.columns]) if is_there else None
            found[part.path] = row
            if part.path and (whole := found[part.whole]) is not None:
                join(whole, part.name, row)
        own = found[""]
        for name, place in self.added:
            setattr(own, name, values[place])
        return own


def _shape(
    model: type[Model],
    *,
    read: str | Sequence[Any] = "",
    unread: str = "",
    joined: str = "",
    added: str = "",
    plain: bool = False,
) -> _Shape:
    names, but = read.split() if isinstance(read, str) else list(read), unread.split()
    if plain:
        return _Shape(names, _converters(model, names), (), ())
    paths: list[Any] = []
    parts: list[_Part] = []
    for path in ["", *joined.split()]:
        before = f"{path}__" if path else ""
        whole, _, name = path.rpartition("__")
        of: Any = field_at(model, path).related_model if path else model
        columns = [
            field
            for field in columns_of(of)
            if field.primary_key
            or (f"{before}{field.attname}" in names if names else f"{before}{field.attname}" not in but)
        ]
        here = slice(len(paths), len(paths) + len(columns))
        key = here.start + next(at for at, field in enumerate(columns) if field.primary_key)
        parts.append(_Part(path, whole, name, of, here, [field.attname for field in columns], key))
        paths += [f"{before}{field.attname}" for field in columns]
    own = len(paths)
    paths += added.split()
    return _Shape(
        paths,
        _converters(model, paths[:own]),
        parts,
        [(name, own + place) for place, name in enumerate(added.split())],
    )


def _converters(model: type[Model], paths: Sequence[Any]) -> list[tuple[int, Callable[[Any], Any]]]:
    found = [
        (place, _converting(field_at(model, path)))
        for place, path in enumerate(paths)
        if isinstance(path, str)
    ]
    return [(place, converting) for place, converting in found if converting is not None]


def _converting(field: Any) -> Callable[[Any], Any] | None:
    if hasattr(field, "from_db_value"):
        return lambda value: field.from_db_value(value, None, connection)
    if connection.vendor != "sqlite":
        return None
    if isinstance(field, DateTimeField):
        return in_utc
    if isinstance(field, DecimalField):
        return lambda value: Decimal(value).quantize(Decimal(1).scaleb(-field.decimal_places))
    return None


def in_utc(value: datetime | str) -> datetime:
    """Return a moment from SQLite, which has no zone, or from a subquery as text, in UTC."""
    if isinstance(value, str):
        value = datetime.fromisoformat(value)
    return value.replace(tzinfo=UTC)
