"""The form of a record, made from its declaration: its fields, their types, and their units. Pure. A
declaration is a `TypedDict`: the docstring says what happened, each field has its type, its unit (`Cents`,
`Moment` ...) and, unless its name says it, its meaning. Checks may rely on all of it: other records do not
reach them."""

import re
import types
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import lru_cache
from typing import (
    Annotated,
    Any,
    Final,
    NamedTuple,
    NotRequired,
    TypedDict,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from ledger.records.findings import Body

VERSION: Final = 1


@dataclass(frozen=True)
class Unit:
    """What a value is besides its type; its pattern or least number, if any. `read` raises ValueError for a
    text of the pattern that is not one, such as a 31st of February."""

    name: str
    pattern: re.Pattern[str] | None = None
    least: int | None = None
    read: Callable[[str], object] | None = None


@dataclass(frozen=True)
class Column:
    """The column of a field: in the record's own row under another name, `settlement__round_id`; or in a row
    that follows from the record, `Column("reason__code", "tables.Waiver")`."""

    path: str
    of: str = ""


@dataclass(frozen=True)
class Cell:
    """The column of a paper that a field goes into, `Cell("collections.csv", "waiver")`."""

    paper: str
    column: str


_TIME = r"[0-9]{4}-[01][0-9]-[0-3][0-9]T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"

Id = Annotated[int, Unit("id")]
Account = Annotated[int, Unit("account", least=0)]
Cents = Annotated[int, Unit("cents")]
Several = Annotated[int, Unit("number from 1", least=1)]
Seat = Annotated[int, Unit("seat")]
Moment = Annotated[
    str, Unit("time", re.compile(_TIME + r"\.[0-9]{6}Z", re.ASCII), read=datetime.fromisoformat)
]
_ANY_TIME = re.compile(_TIME + r"(\.[0-9]+)?([+-][0-9:.]+|Z)", re.ASCII)
Stamp = Annotated[str, Unit("time of any form", _ANY_TIME, read=datetime.fromisoformat)]
"""A time as Python's `isoformat` writes it."""
_DAY = re.compile(r"[0-9]{4}-[01][0-9]-[0-3][0-9]", re.ASCII)
Day = Annotated[str, Unit("gaming day", _DAY, read=date.fromisoformat)]
Digest = Annotated[str, Unit("SHA-256 in hex")]
Amount = Annotated[str, Unit("dollars and cents")]


class Record(TypedDict):
    """What every record says."""

    record: str
    id: Annotated[Id, "of the row that the record was written for"]
    site: Annotated[Id, "the house"]
    recorded_at: Annotated[Moment, "when it was written down"]


EVERY: Final = frozenset(Record.__annotations__)


class Look(NamedTuple):
    """How to check a value: its types, and a function that returns the faulty place inside (`.cents`) or
    None. `forms` are those of objects."""

    types: frozenset[type]
    deeper: Callable[[Any], str | None] | None
    words: str
    forms: tuple["Form", ...] = ()


@dataclass(frozen=True)
class Field:
    """A field of a form: its check, its meaning if the name does not say it, and its columns."""

    name: str
    look: Look
    required: bool
    meaning: str
    columns: tuple[Column, ...] = ()
    cells: tuple[Cell, ...] = ()


@dataclass
class Form:
    """The fields of a declaration, in order, and what it is about (`says`)."""

    name: str
    says: str
    fields: Mapping[str, Field]
    _right: set[tuple[object, ...]] = field(default_factory=set)

    def wrong(self, data: Mapping[str, Any]) -> str | None:
        """Return the first field that is missing, malformed or unknown, `.stacks.seat`, or None."""
        types_here = (*data, *map(type, data.values()))
        if types_here not in self._right:
            for name in data:
                if name not in self.fields:
                    return f".{name}"
            for name, one in self.fields.items():
                if name not in data:
                    if one.required:
                        return f".{name}"
                elif type(data[name]) not in one.look.types:
                    return f".{name}"
            self._right.add(types_here)
        for name, deeper in self._deeper:
            if name in data and (inside := deeper(data[name])) is not None:
                return f".{name}{inside}"
        return None

    def __post_init__(self) -> None:
        self._deeper = [
            (name, one.look.deeper) for name, one in self.fields.items() if one.look.deeper is not None
        ]


def form_of(declared: Any) -> Form:
    hints = get_type_hints(declared, include_extras=True)
    fields = {name: _field(name, hint, declared) for name, hint in hints.items()}
    return Form(declared.__name__, " ".join((declared.__doc__ or "").split()), fields)


def _field(name: str, hint: Any, declared: Any) -> Field:
    marks: tuple[Any, ...] = ()
    while get_origin(hint) in (NotRequired, Annotated):
        hint, *more = get_args(hint)
        marks += tuple(more)
    units = [one for one in marks if isinstance(one, Unit)]
    look = _of_unit(_look(hint), units[0]) if units else _look(hint)
    meaning = next((one for one in marks if isinstance(one, str)), "")
    columns = tuple(one for one in marks if isinstance(one, Column))
    cells = tuple(one for one in marks if isinstance(one, Cell))
    return Field(name, look, name in declared.__required_keys__, meaning, columns, cells)


def _look(hint: Any) -> Look:
    origin, inside = get_origin(hint), get_args(hint)
    if origin is Annotated:
        unit = next((one for one in hint.__metadata__ if isinstance(one, Unit)), None)
        look = _look(inside[0])
        return look if unit is None else _of_unit(look, unit)
    if origin in (Union, types.UnionType):
        return _any_of([_look(one) for one in inside])
    if origin is list:
        each = _look(inside[0])
        words = f"list of: {each.words}"
        return Look(frozenset({list}), lambda value: _each(each, enumerate(value)), words, each.forms)
    if origin is dict:
        each = _look(inside[1])
        return Look(
            frozenset({dict}), lambda value: _each(each, value.items()), f"object, each: {each.words}"
        )
    if is_typeddict(hint):
        form = form_of(hint)
        listed = ", ".join(f"`{name}`" for name in form.fields)
        return Look(frozenset({dict}), form.wrong, f"object of {listed}", (form,))
    return Look(frozenset({hint}), None, _WORDS[hint])


_WORDS: Final = {
    int: "number",
    str: "text",
    bool: "true or false",
    dict: "object",
    list: "list",
    type(None): "null",
}


def _of_unit(look: Look, unit: Unit) -> Look:
    if unit.least is not None:
        least = unit.least
        return Look(look.types, lambda number: None if number >= least else "", unit.name)
    if unit.pattern is None:
        return Look(look.types, look.deeper, unit.name)
    matches, read = unit.pattern.fullmatch, unit.read

    @lru_cache(maxsize=1024)
    def wrong(text: str) -> str | None:
        if not matches(text):
            return ""
        try:
            if read is not None:
                read(text)
        except ValueError:
            return ""
        return None

    return Look(look.types, wrong, unit.name)


def _any_of(looks: list[Look]) -> Look:
    """Return a check for any of these; faults inside are reported by the first one of the value's type."""
    allowed = frozenset[type]().union(*(one.types for one in looks))
    words = " or ".join(one.words for one in looks)
    forms = tuple(form for one in looks for form in one.forms)
    if all(one.deeper is None for one in looks):
        return Look(allowed, None, words)

    def deeper(value: Any) -> str | None:
        wrong: list[str] = []
        for one in looks:
            if type(value) in one.types:
                inside = None if one.deeper is None else one.deeper(value)
                if inside is None:
                    return None
                wrong.append(inside)
        return wrong[0]

    return Look(allowed, deeper, words, forms)


def _each(look: Look, value: Any) -> str | None:
    for at, one in value:
        if type(one) not in look.types:
            return f".{at}"
        if look.deeper is not None and (inside := look.deeper(one)) is not None:
            return f".{at}{inside}"
    return None


# -- the register --------------------------------------------------------------------------------------------

_RECORDS: dict[str, Form] = {}
_INSIDE: dict[tuple[str, str], tuple[str, Look]] = {}
_WITH_KINDS: set[str] = set()


def declare(records: Mapping[str, Any]) -> None:
    _RECORDS.update({name: form_of(declared) for name, declared in records.items()})


def declare_inside(record: str, field: str, kinds: Mapping[str, Any]) -> None:
    """Declare a field of a record by the record's `kind`: the `data` of events, the `evidence` of entries."""
    _WITH_KINDS.add(record)
    _INSIDE.update({(record, str(kind)): (field, _look(declared)) for kind, declared in kinds.items()})


def is_known(kind: Any) -> bool:
    return isinstance(kind, str) and kind in _RECORDS


def form(kind: str) -> Form:
    return _RECORDS[kind]


def own_fields(kind: str) -> list[Field]:
    return [one for one in _RECORDS[kind].fields.values() if one.name not in EVERY]


def kinds() -> Iterator[str]:
    yield from _RECORDS


def kinds_inside(record: str) -> dict[str, Look]:
    return {kind: look for (of, kind), (_, look) in _INSIDE.items() if of == record}


Place = tuple[str, ...]
"""Where a record says something: `evidence`, `waiver`, `number`."""


def columns_of(record: str, kind: str, model: str, names: Container[str]) -> dict[str, tuple[Place, Field]]:
    """Return which columns of a model this kind of record sets, with their places. `names` are the columns:
    a field sets the one it names (`Column`), else the one called like it, `seat`, or `player_id` for the id
    `player`."""
    named: dict[str, tuple[Place, Field]] = {}
    alike: dict[str, tuple[Place, Field]] = {}
    # What is about the row lies in the data or the evidence, further out rather than further in.
    for place, one in sorted(_places(record, kind), key=lambda at: (len(at[0]) == 1, len(at[0]))):
        path = next((column.path for column in one.columns if column.of == model), "")
        of_id = one.look.words.startswith("id") and one.name not in names
        name = f"{one.name}_id" if of_id else one.name
        (named if path else alike).setdefault(path or name, (place, one))
    return {name: at for name, at in alike.items() if name in names and name not in named} | named


def cells_of(record: str, kinds: Iterable[str], paper: str) -> dict[str, tuple[Place, Field]]:
    """Return the columns of a paper that these kinds of events or entries declare, with their places."""
    return {
        cell.column: (place, one)
        for kind in kinds
        for place, one in _places(record, kind)
        for cell in one.cells
        if cell.paper == paper
    }


def _places(record: str, kind: str) -> Iterator[tuple[Place, Field]]:
    yield from _inside(_RECORDS[record].fields.values())
    if (record, kind) in _INSIDE:
        name, look = _INSIDE[record, kind]
        for form in look.forms:
            yield from _inside(form.fields.values(), (name,))


def _inside(fields: Iterable[Field], above: Place = ()) -> Iterator[tuple[Place, Field]]:
    for one in fields:
        here = (*above, one.name)
        yield here, one
        for form in one.look.forms if one.look.types == {dict} else ():
            yield from _inside(form.fields.values(), here)


def wrong_field(body: Body) -> str:
    """Return the first field that is missing, malformed or unknown, in a record of a known kind, or ""."""
    return (_RECORDS[body["record"]].wrong(body) or "")[1:]


def wrong_inside(body: Body) -> str:
    """Return the fault inside an event or entry, like `wrong_field`; its kind if that is not declared."""
    record = body["record"]
    if record not in _WITH_KINDS:
        return ""
    declared = _INSIDE.get((record, body["kind"]))
    if declared is None:
        return "kind"
    name, look = declared
    if look.deeper is None or (wrong := look.deeper(body[name])) is None:
        return ""
    return f"{name}{wrong}"
