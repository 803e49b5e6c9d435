"""Read the keys of one TOML table of a sheet: missing keys get defaults, unknown keys are refused.

Every method takes one key out of the table; `finish` refuses what nobody took. What the keys mean is `sheet`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any, Final

from tables.rules.errors import BadSheet

# Far above any casino's table, far below what a database column holds once it is money.
MOST_POINTS: Final = 1_000_000
_CODE: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*", re.ASCII)


class Words:
    """The keys of one table of the file `name`, each of which must be taken once."""

    def __init__(self, name: str, table: Mapping[str, Any], path: str = "") -> None:
        self._name = name
        self._left = dict(table)
        self._path = path

    def _refusal(self, key: str, reason: str) -> BadSheet:
        return BadSheet(f"{self._name}: {self._path}{key}: {reason}", field=f"{self._path}{key}")

    def has(self, key: str) -> bool:
        """Whether the table has this key."""
        return key in self._left

    def code(self, key: str) -> str:
        """A required sheet code: small letters, digits and single hyphens."""
        value = self.text(key, default=None)
        if not _CODE.fullmatch(value) or len(value) > 40:
            raise self._refusal(key, "small letters, digits and hyphens, 40 at most")
        return value

    def text(self, key: str, *, default: str | None) -> str:
        """A text; without a default it is required."""
        value = self._left.pop(key, default)
        if type(value) is not str:
            raise self._refusal(key, "a text is required")
        return value

    def whole(
        self, key: str, *, default: int = 0, least: int = 0, most: int = MOST_POINTS, required: bool = False
    ) -> int:
        """A whole number of points, or of whatever the key counts."""
        if required and key not in self._left:
            raise self._refusal(key, "is required")
        value = self._left.pop(key, default)
        if type(value) is not int or not least <= value <= most:
            raise self._refusal(key, f"a whole number from {least} to {most}")
        return value

    def flag(self, key: str, *, default: bool = False) -> bool:
        """true or false."""
        value = self._left.pop(key, default)
        if type(value) is not bool:
            raise self._refusal(key, "true or false")
        return value

    def word(self, key: str, default: str, *others: str) -> str:
        """One of the words listed; the first is the default."""
        value = self._left.pop(key, default)
        if value not in (default, *others):
            raise self._refusal(key, f"one of {', '.join((default, *others))}")
        return str(value)

    def table(self, key: str) -> Words:
        """A table of its own; an empty one where the file has none."""
        value = self._left.pop(key, {})
        if type(value) is not dict:
            raise self._refusal(key, "a table")
        return Words(self._name, value, f"{self._path}{key}.")

    def points(self, key: str, words: Collection[str]) -> dict[str, int]:
        """A table from some of these words to points."""
        table = self.table(key)
        earned = {word: table.whole(word) for word in words if table.has(word)}
        table.finish()
        return earned

    def leasts(self, key: str, words: Mapping[str, Collection[str]]) -> dict[str, str]:
        """A table from segments to one word of the segment's own."""
        table = self.table(key)
        least = {
            segment: table.word(segment, *allowed) for segment, allowed in words.items() if table.has(segment)
        }
        table.finish()
        return least

    def kinds(self, key: str, known: Collection[str]) -> dict[str, int]:
        """A list of `{ kind = ..., points = ... }`, in the order of the file."""
        entries = self._left.pop(key, [])
        if type(entries) is not list:
            raise self._refusal(key, "a list")
        listed: dict[str, int] = {}
        for place, entry in enumerate(entries):
            if type(entry) is not dict:
                raise self._refusal(key, "a list of { kind, points }")
            words = Words(self._name, entry, f"{self._path}{key}.{place}.")
            kind = words.text("kind", default=None)
            if kind not in known or kind in listed:
                raise words._refusal("kind", f"each of {', '.join(known)} at most once")
            listed[kind] = words.whole("points", least=1, required=True)
            words.finish()
        return listed

    def finish(self) -> None:
        """Refuse the first key that nobody took."""
        for key in self._left:
            raise self._refusal(key[:60], "is not a key of a sheet")
