"""Compare rows that have no record of their own with the records they follow from, column by column.

A declaration (`Follows`) names, for each kind of record, the row it is about and the columns it sets. A
column must have the value of the last record that sets it: a difference is remembered until a later record
sets the column, and what remains at the end is a finding. So memory does not grow with the log."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from operator import itemgetter
from typing import Any, NamedTuple

from django.apps import apps
from django.db.models import DateField, DateTimeField, Exists, OuterRef, Q, QuerySet

from ledger.db.columns import columns_to_write
from ledger.db.stored_rows import field_at, stored_rows
from ledger.journal.records import moment, moment_or_none
from ledger.models import Site
from ledger.records import declaring
from ledger.records.findings import Finding, name_of

AT_ONCE = 1000  # rows in memory
_CHUNK_BITS = 15

Kind = tuple[str, str]
"""A kind of record, and the kind of the event or entry it describes: `table_event`, `opened`."""
Columns = Mapping[str, Collection[str]]
"""Columns by model (`tables.Round`), under the names of the model's fields or columns."""

Body = Mapping[str, Any]
Read = Callable[[Any], Any]
"""Reads a value from the body of a record, or from the part of it that is about one row."""


def of(name: str) -> Read:
    return lambda body: body.get(name)


def data(name: str) -> Read:
    return lambda body: body["data"].get(name)


def evidence(name: str) -> Read:
    return lambda body: body["evidence"].get(name)


def always(value: Any) -> Read:
    return lambda body: value


def fields(read: Callable[[str], Read], *same: str, **others: str) -> dict[str, Read]:
    return {name: read(name) for name in same} | {column: read(name) for column, name in others.items()}


def declared(kind: Kind, model: str) -> dict[str, Read]:
    """Return the columns of a model that this kind of record sets by its declaration. An optional field that
    a record does not have leaves the column at its default."""
    defaults = {column.attname: column.get_default() for column in columns_to_write(_model(model))}
    read = {
        column: (one, _at(place, None if one.required else defaults.get(column)))
        for column, (place, one) in declaring.columns_of(*kind, model, defaults).items()
    }
    return {
        column: time_in(value) if one.look.words.startswith("time of any form") else value
        for column, (one, value) in read.items()
    }


def _model(label: str) -> Any:
    return apps.get_model(label)


def _at(place: tuple[str, ...], default: Any) -> Read:
    *above, name = place

    def read(body: Any) -> Any:
        for one in above:
            body = body.get(one) or {}
        return body.get(name, default)

    return read


def nothing(*columns: str) -> dict[str, Read]:
    return dict.fromkeys(columns, always(None))


def time_in(read: Read) -> Read:
    """Read a time in any form of ISO 8601 and return it as records write it; None for None."""
    return lambda body: None if (recorded := read(body)) is None else moment(datetime.fromisoformat(recorded))


def _whole(body: Body) -> Iterable[Any]:
    return (body,)


@dataclass(frozen=True)
class Says:
    """The row a record is about (`key`, in the order of the model's key columns) and the columns it sets.
    `begins`: the row is written with this record and must exist. `each` yields one part for each row of a
    record that is about several, or nothing if it is about none."""

    key: tuple[Read, ...]
    columns: Mapping[str, Read] = field(default_factory=dict)
    begins: bool = False
    each: Callable[[Body], Iterable[Any]] = _whole


@dataclass(frozen=True)
class Follows:
    """A model whose rows follow from records; `says` has what each kind of record sets.

    Columns may be reached through others (`sheet__code`). `site` leads to the row's house; rows without one
    are judged with the log of the first house. A row that no record begins was written past the log. `whole`
    filters the rows that are searched for such; None if another check looks for them. `name` is what findings
    call a row, followed by its id.

    `open` filters the rows that a later record may still change; None for no rows. `memory` is what `says`
    remembers of the records so far: dicts, sets and objects."""

    model: str
    says: Mapping[Kind, Says | tuple[Says, ...]]
    key: tuple[str, ...] = ("pk",)
    site: str = "site"
    whole: Mapping[str, Any] | None = field(default_factory=dict)
    name: str = ""
    open: Mapping[str, Any] | None = None
    memory: tuple[Any, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(column for says in self.every() for column in says.columns))

    def every(self) -> Iterator[Says]:
        for says in self.says.values():
            yield from _several(says)


class _Form(NamedTuple):
    says: Says
    reads: tuple[Read, ...]
    places: tuple[int, ...]
    pick: Callable[[Any], Any]

    @classmethod
    def of(cls, says: Says, columns: Sequence[str]) -> "_Form":
        places = tuple(map(columns.index, says.columns))
        return cls(says, tuple(says.columns.values()), places, _picking(places))


class _RecordedRow(NamedTuple):
    key: tuple[Any, ...]
    form: _Form
    values: tuple[Any, ...]
    body: Body


class Seen:
    """A set of ids that needs one byte for each, however many it has."""

    def __init__(self) -> None:
        self._chunks: dict[int, bytearray] = {}
        self.count = 0

    def __contains__(self, number: int) -> bool:
        chunk = self._chunks.get(number >> _CHUNK_BITS)
        return chunk is not None and chunk[number & (1 << _CHUNK_BITS) - 1] == 1

    def add(self, number: int) -> None:
        if number not in self:
            self._chunks.setdefault(number >> _CHUNK_BITS, bytearray(1 << _CHUNK_BITS))[
                number & (1 << _CHUNK_BITS) - 1
            ] = 1
            self.count += 1


class FollowingRows:
    def __init__(self, follows: Follows, site: Any) -> None:
        self.kinds = tuple(follows.says)
        self.follows, self._site = follows, site
        self._columns = ("pk", *follows.key, *follows.columns)
        self._begin = len(follows.key) + 1
        model = _model(follows.model)
        self._name = follows.name or str(model._meta.verbose_name)
        self._rows = model._base_manager.order_by()
        self._stored = stored_rows(model, self._columns, follows.key[0])
        self._days, self._moments = _dated(model, self._columns)
        self._forms = {
            kind: [_Form.of(one, self._columns) for one in _several(says)]
            for kind, says in follows.says.items()
        }
        self._recorded: list[_RecordedRow] = []
        self._met = Seen()
        self._wrong: dict[int, dict[int, tuple[Any, Any]]] = {}
        self._watched: frozenset[int] = frozenset()
        self.set_later: set[tuple[int, str]] = set()

    def remembered(self) -> tuple[Any, ...]:
        """Return what later records need to be compared, once those so far were (`settle`)."""
        return self._met, self._wrong, self.follows.memory

    def go_on(self, remembered: tuple[Any, ...], open_rows: Iterable[int]) -> None:
        """Resume after the last record that this state covers; `set_later` collects what is set later."""
        self._met, self._wrong, memory = remembered
        for mine, theirs in zip(self.follows.memory, memory, strict=True):
            if isinstance(mine, dict | set):
                mine.clear()
                mine.update(theirs)
            else:
                vars(mine).update(vars(theirs))
        self._watched = frozenset(open_rows)

    def open_rows(self, there: Iterable[int] | None = None) -> dict[int, dict[str, Any]]:
        """Return the columns of the rows that may still change, or of these ids, by id."""
        condition = self.follows.open if there is None else {"pk__in": list(there)}
        if condition is None:
            return {}
        first = [one for one in self.follows.every() if one.begins] or [*self.follows.every()]
        names = dict.fromkeys((*self.follows.key, *(name for one in first for name in one.columns)))
        found = self._rows.filter(**condition).values_list("pk", *names)
        return {pk: dict(zip(names, map(_as_recorded, row), strict=True)) for pk, *row in found}

    @property
    def holds(self) -> Mapping[str, frozenset[str]]:
        named = (column.partition("__")[0] for column in self._columns)
        return {self.follows.model: frozenset(named)}

    def take(self, body: Body) -> Iterable[Finding]:
        for form in self._forms[body["record"], body.get("kind", "")]:
            says = form.says
            for part in says.each(body):
                key = tuple([read(part) for read in says.key])
                hash(key)
                self._recorded.append(
                    _RecordedRow(key, form, tuple([read(part) for read in form.reads]), body)
                )
        return self.settle() if len(self._recorded) >= AT_ONCE else ()

    def finish(self) -> Iterator[Finding]:
        """Compare the last records; yield differences that remain, and rows that no record began."""
        yield from self.settle()
        for pk, columns in sorted(self._wrong.items()):
            at, (value, recorded) = min(columns.items())
            sentence = f"{self._columns[at]} is {value}, but {recorded} in the log."
            yield Finding("row_differs", sentence, None, f"{self._name} {pk}")
        site, whole = self.follows.site, self.follows.whole
        others = Site.objects.exclude(pk=self._site.pk)
        if whole is None or (not site and others.filter(pk__lt=self._site.pk).exists()):
            return
        rows = self._rows.filter(**whole)
        if site and others.exists():
            rows = rows.exclude(pk__in=self._rows.filter(**{f"{site}__in": others}).values("pk"))
        if rows.count() != self._met.count:
            for pk in rows.order_by("pk").values_list("pk", flat=True).iterator(AT_ONCE):
                if pk not in self._met:
                    sentence = "no record says that it was written: it was written past the log."
                    yield Finding("no_record", sentence, None, f"{self._name} {pk}")

    def settle(self) -> Iterator[Finding]:
        recorded, self._recorded = self._recorded, []
        rows = self._read({one.key[0] for one in recorded if type(one.key[0]) is int})
        for key, form, values, body in recorded:
            row = rows.get(key)
            if row is None:
                if form.says.begins:
                    yield self._missing(key, name_of(body))
                continue
            pk = row[0]
            if form.says.begins:
                self._met.add(pk)
            if pk in self._watched:
                self.set_later.update((pk, self._columns[at]) for at in form.places)
            if pk not in self._wrong and form.pick(row) == values:
                continue
            for at, value in zip(form.places, values, strict=True):
                if row[at] != value:
                    self._wrong.setdefault(pk, {})[at] = (row[at], value)
                elif pk in self._wrong:  # only the last record that sets a column counts
                    self._wrong[pk].pop(at, None)
                    if not self._wrong[pk]:
                        del self._wrong[pk]

    def _missing(self, key: tuple[Any, ...], record: str) -> Finding:
        if self.follows.key == ("pk",):
            sentence = f"its row is missing: {record} says that it was written."
            return Finding("row_missing", sentence, None, f"{self._name} {key[0]}")
        return Finding("row_missing", f"its {self._name} is missing.", None, record)

    def _read(self, first: set[int]) -> dict[tuple[Any, ...], list[Any]]:
        """Return the rows whose key begins with one of these numbers, by key, with values as in records."""
        rows = {}
        for row in map(list, self._stored.of(first)):
            for at in self._moments:
                row[at] = moment_or_none(row[at])
            for at in self._days:
                row[at] = _as_recorded(row[at])
            rows[tuple(row[1 : self._begin])] = row
        return rows


def _dated(model: Any, columns: Sequence[str]) -> tuple[list[int], list[int]]:
    fields = [(at, field_at(model, column)) for at, column in enumerate(columns)]
    dates = [(at, isinstance(field, DateTimeField)) for at, field in fields if isinstance(field, DateField)]
    return [at for at, timed in dates if not timed], [at for at, timed in dates if timed]


def _picking(places: Sequence[int]) -> Callable[[Any], Any]:
    if len(places) > 1:
        return itemgetter(*places)
    return lambda row: tuple([row[at] for at in places])


def _several(says: Says | tuple[Says, ...]) -> tuple[Says, ...]:
    return says if isinstance(says, tuple) else (says,)


def _as_recorded(value: Any) -> Any:
    if isinstance(value, datetime):
        return moment(value)
    return value.isoformat() if isinstance(value, date) else value


def following(make: Callable[[], Follows]) -> Callable[[Any], FollowingRows]:
    """Return a maker of comparisons; `make` returns a new declaration for each, with an empty memory."""
    return lambda site: FollowingRows(make(), site)


Note = Callable[[Body, dict[Any, Any]], None]
"""Keeps what a record says, in a dict that does not grow with the log."""


class AtEnd:
    """A comparison that runs after the log has been read. `notes` keep what it needs of the records."""

    def __init__(
        self, site: Any, compare: Callable[..., Iterable[Finding]], holds: Columns, notes: Mapping[Kind, Note]
    ) -> None:
        self.kinds, self.holds = tuple(notes), holds
        self._site, self._compare, self._notes = site, compare, notes
        self._known: dict[Any, Any] = {}

    def take(self, body: Body) -> Iterable[Finding]:
        self._notes[body["record"], body["kind"]](body, self._known)
        return ()

    def finish(self) -> Iterable[Finding]:
        return self._compare(self._site, self._known) if self._notes else self._compare(self._site)


RowCheck = FollowingRows | AtEnd
Question = tuple[str, Callable[[Any], RowCheck]]
"""The subject of a comparison in words, and what makes the comparison for a site."""


def at_end(
    compare: Callable[..., Iterable[Finding]], holds: Columns, notes: Mapping[Kind, Note] | None = None
) -> Callable[[Any], AtEnd]:
    """Return a maker of comparisons of the columns `holds`, which call `compare(site)` at the end, or
    `compare(site, known)` if there are notes."""
    return lambda site: AtEnd(site, compare, holds, notes or {})


def without(model: Any, *names: str) -> QuerySet[Any]:
    gone = Q()
    for name in names:
        field = model._meta.get_field(name)
        there = field.related_model._base_manager.filter(pk=OuterRef(field.attname))
        gone |= ~Exists(there) & Q(**{f"{field.attname}__isnull": False})
    rows: QuerySet[Any] = model._base_manager.filter(gone).order_by("pk")
    return rows


def named(rows: Iterable[Any], sentence: str) -> Iterator[Finding]:
    for row in rows:
        yield Finding("no_record", sentence, None, f"{row._meta.verbose_name} {row.pk}")
