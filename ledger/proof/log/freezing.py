"""The memory of checks written as JSON and read back: objects of the packages that check, and plain values.

A shared object is written once and is shared again when it is read. What a check was given and only reads (a
game sheet) is written by its name. Objects of any other package and functions are refused: nothing is
executed that a file names."""

import base64
import zlib
from collections import OrderedDict
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from enum import Enum
from importlib import import_module
from types import MethodType
from typing import Any, Final
from zoneinfo import ZoneInfo

ROOMS: Final = (
    *("ledger.papers.", "ledger.proof.audit.", "ledger.proof.log.", "ledger.records.", "ledger.rules."),
    *("tables.audit.", "tables.log.", "tables.rules."),
)
Given = Mapping[str, Any]
"""The objects given to checks, by name."""


def _packed(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data)).decode()


def _unpacked(text: str) -> bytes:
    return zlib.decompress(base64.b64decode(text))


_PLAIN: Final = frozenset((type(None), bool, int, float, str))
_TEXTS: Final[dict[type, tuple[Callable[[Any], Any], Callable[[Any], Any]]]] = {
    datetime: (datetime.isoformat, datetime.fromisoformat),
    date: (date.isoformat, date.fromisoformat),
    timedelta: (lambda span: [span.days, span.seconds, span.microseconds], lambda parts: timedelta(*parts)),
    ZoneInfo: (lambda zone: zone.key, ZoneInfo),
    bytes: (_packed, _unpacked),
}
"""Values that are written as text: how, and how they are read."""
_NAMES: Final = {kind.__name__: kind for kind in _TEXTS}
_FIXED: Final[dict[type, str]] = {tuple: "tuple", frozenset: "frozenset"}
_FILLED: Final[dict[type, str]] = {list: "list", set: "set", dict: "dict", OrderedDict: "ordered"}
_EMPTY: Final[dict[str, type]] = {name: kind for kind, name in _FILLED.items()}


def frozen(root: Any, given: Given) -> dict[str, Any]:
    """Return an object and all that it refers to as plain values. Raises TypeError for other objects."""
    writer = _Writer(given)
    written = writer.write(root)
    return {"classes": writer.classes, "root": written}


class NotGiven(Exception):
    """Something that was given at writing is not given at reading; the text is its name."""


def thawed(data: Mapping[str, Any], given: Given) -> Any:
    """Return what was frozen, with the objects given now for those given then. Raises NotGiven."""
    return _Reader(data["classes"], given).read(data["root"])


class _Writer:
    def __init__(self, given: Given) -> None:
        self.classes: list[list[Any]] = []
        self._given = {id(value): name for name, value in given.items()}
        self._numbers: dict[int, int] = {}
        self._held: list[Any] = []  # keeps them alive, so that no two objects get the same id
        self._class_at: dict[tuple[Any, ...], int] = {}

    def write(self, value: Any) -> Any:
        kind = type(value)
        if kind in _PLAIN:
            return value
        if (number := self._numbers.get(id(value))) is not None:
            return ["again", number]
        if (name := self._given.get(id(value))) is not None:
            return ["given", name]
        if kind in _TEXTS:
            return ["text", kind.__name__, _TEXTS[kind][0](value)]
        if kind in _FIXED:
            return [_FIXED[kind], *map(self.write, value)]
        if isinstance(value, Enum):
            return ["enum", self._class(kind), value.value]
        if isinstance(value, tuple):
            return ["named", self._class(kind), *map(self.write, value)]
        if kind is MethodType:
            return ["method", self.write(value.__self__), value.__name__]
        self._numbers[id(value)] = len(self._held)
        self._held.append(value)
        return self._filled(kind, value)

    def _filled(self, kind: type, value: Any) -> list[Any]:
        if kind is bytearray:
            return ["bytearray", _packed(bytes(value))]
        if kind in (dict, OrderedDict):
            return [_FILLED[kind], *(self.write(one) for item in value.items() for one in item)]
        if kind in _FILLED:
            return [_FILLED[kind], *map(self.write, value)]
        if hasattr(kind, "__setstate__"):
            return ["made", self._class(kind), self.write(value.__getstate__())]
        state = value.__getstate__()
        parts = state if isinstance(state, tuple) else (state,)
        fields = {name: value for part in parts if part for name, value in part.items()}
        return ["object", self._class(kind, *fields), *map(self.write, fields.values())]

    def _class(self, kind: type, *fields: str) -> int:
        if not kind.__module__.startswith(ROOMS):
            raise TypeError(f"{kind.__module__}.{kind.__qualname__} is not of a room that checks.")
        key = kind, *fields
        if key not in self._class_at:
            self._class_at[key] = len(self.classes)
            self.classes.append([kind.__module__, kind.__qualname__, *fields])
        return self._class_at[key]


class _Reader:
    def __init__(self, classes: list[list[Any]], given: Given) -> None:
        self._classes = [(_class_of(module, name), fields) for module, name, *fields in classes]
        self._given = given
        self._numbered: list[Any] = []

    def read(self, written: Any) -> Any:
        """Read any value. Raises ValueError for what no writer writes."""
        if type(written) is not list:
            return written
        what, *parts = written
        if what in _EMPTY:
            return self._filled(what, parts)
        match what, parts:
            case "object", [at, *values]:
                return self._object(*self._classes[at], values)
            case "named", [at, *items]:
                return self._classes[at][0]._make(map(self.read, items))
            case "again", [number]:
                return self._numbered[number]
            case "tuple", items:
                return tuple(map(self.read, items))
            case "frozenset", items:
                return frozenset(map(self.read, items))
            case "text", [kind, text]:
                return _TEXTS[_NAMES[kind]][1](text)
            case "given", [name]:
                if name not in self._given:
                    raise NotGiven(name)
                return self._given[name]
            case "made", [at, state]:
                value = self._number(self._classes[at][0].__new__(self._classes[at][0]))
                value.__setstate__(self.read(state))
                return value
            case "bytearray", [text]:
                return self._number(bytearray(_unpacked(text)))
            case "enum", [at, value]:
                return self._classes[at][0](value)
            case "method", [owner, name]:
                return getattr(self.read(owner), name)
        raise ValueError(what)

    def _number(self, value: Any) -> Any:
        self._numbered.append(value)
        return value

    def _filled(self, what: str, items: list[Any]) -> Any:
        value = self._number(_EMPTY[what]())
        if what == "list":
            value.extend(map(self.read, items))
        elif what == "set":
            value.update(map(self.read, items))
        else:
            read = map(self.read, items)
            value.update(zip(read, read, strict=True))
        return value

    def _object(self, kind: Any, fields: list[str], values: list[Any]) -> Any:
        value = self._number(kind.__new__(kind))
        for name, written in zip(fields, values, strict=True):
            object.__setattr__(value, name, self.read(written))
        return value


def _class_of(module: str, name: str) -> Any:
    if not module.startswith(ROOMS):
        raise ValueError(module)
    found: Any = import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    if not isinstance(found, type):
        raise ValueError(name)
    return found
