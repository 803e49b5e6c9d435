"""Read the keys of one TOML table of a sheet: missing keys get defaults, unknown keys are refused."""

import re
from collections.abc import Collection, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any, Final, Literal, TypeVar, get_args, get_origin, get_type_hints

from tables.rules.errors import BadSheet

# Far above any casino's table, far below what a database column can hold as money.
MOST_POINTS: Final = 1_000_000
_CODE: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*", re.ASCII)

Table = TypeVar("Table")


class SheetReader:
    """Reads one table of the sheet `name`; each key must be read exactly once."""

    def __init__(self, name: str, table: Mapping[str, Any], path: str = "") -> None:
        self._name = name
        self._left = dict(table)
        self._path = path

    def _refusal(self, key: str, reason: str) -> BadSheet:
        key_in_file = f"{self._path}{key}"
        return BadSheet(f"{self._name}: {key_in_file}: {reason}", field=key_in_file)

    def read(self, form: type[Table], **given: Any) -> Table:
        """Read the whole table as a dataclass; `given` fields are not keys. A field may name its `reader`."""
        types = get_type_hints(form)
        for key in fields(form):  # type: ignore[arg-type]
            if key.init and key.name not in given:
                given[key.name] = self._value(key, types[key.name])
        self.finish()
        return form(**given)

    def _value(self, key: Field[Any], form: Any) -> object:
        if "reader" in key.metadata:
            return key.metadata["reader"](self, key.name)
        if is_dataclass(form):
            return self.table(key.name).read(form)  # type: ignore[arg-type]
        if get_origin(form) is Literal:
            return self.word(key.name, key.default, get_args(form))
        if form is bool:
            return self.flag(key.name, key.default)
        return (self.text if form is str else self.whole)(key.name, key.default)

    def has(self, key: str) -> bool:
        return key in self._left

    def code(self, key: str) -> str:
        """Read a required sheet code: small letters, digits and single hyphens."""
        value = self.text(key)
        if not _CODE.fullmatch(value) or len(value) > 40:
            raise self._refusal(key, "at most 40 small letters and digits joined by hyphens")
        return value

    def text(self, key: str, default: object = MISSING) -> str:
        value = self._left.pop(key, default)
        if type(value) is not str:
            raise self._refusal(key, "a text is required")
        return value

    def whole(self, key: str, default: object = MISSING, least: int = 0, most: int = MOST_POINTS) -> int:
        value = self._left.pop(key, default)
        if value is MISSING:
            raise self._refusal(key, "is required")
        if type(value) is not int or not least <= value <= most:
            raise self._refusal(key, f"a whole number no lower than {least} nor higher than {most}")
        return value

    def flag(self, key: str, default: object) -> bool:
        value = self._left.pop(key, default)
        if type(value) is not bool:
            raise self._refusal(key, "true or false")
        return value

    def word(self, key: str, default: object, words: Collection[str]) -> str:
        value = self._left.pop(key, default)
        if value not in words:
            raise self._refusal(key, f"one of {', '.join(words)}")
        return str(value)

    def table(self, key: str) -> "SheetReader":
        """Return the reader of a nested table, empty if the file has none."""
        value = self._left.pop(key, {})
        if type(value) is not dict:
            raise self._refusal(key, "a table")
        return SheetReader(self._name, value, f"{self._path}{key}.")

    def points(self, key: str, words: Collection[str]) -> dict[str, int]:
        """Read a table that gives points to some of these words."""
        table = self.table(key)
        earned = {word: table.whole(word) for word in words if table.has(word)}
        table.finish()
        return earned

    def least_words(self, key: str, words: Mapping[str, Collection[str]]) -> dict[str, str]:
        """Read a table that gives segments the least of their words that counts."""
        table = self.table(key)
        least = {name: table.word(name, None, known) for name, known in words.items() if table.has(name)}
        table.finish()
        return least

    def kinds(self, key: str, known: Collection[str]) -> dict[str, int]:
        """Read a list of `{ kind = ..., points = ... }`, in the order of the file."""
        entries = self._left.pop(key, [])
        if type(entries) is not list:
            raise self._refusal(key, "a list")
        listed: dict[str, int] = {}
        for place, entry in enumerate(entries):
            if type(entry) is not dict:
                raise self._refusal(key, "a list of { kind, points }")
            reader = SheetReader(self._name, entry, f"{self._path}{key}.{place}.")
            kind = reader.text("kind")
            if kind not in known or kind in listed:
                raise reader._refusal("kind", f"each of {', '.join(known)} at most once")
            listed[kind] = reader.whole("points", least=1)
            reader.finish()
        return listed

    def finish(self) -> None:
        """Refuse the first key that was not read."""
        for key in self._left:
            raise self._refusal(key[:60], "is not a key of a sheet")
