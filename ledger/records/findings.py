"""The finding, and the interface of every check of the log. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from ledger.records.shown import shown

Body = Mapping[str, Any]
"""The body of a record."""


@dataclass(frozen=True)
class Finding:
    """A fault: a stable code, a sentence, the leaf and the record's name if known, all safe to show."""

    code: str
    sentence: str
    leaf: int | None = None
    record: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "sentence", shown(self.sentence))
        object.__setattr__(self, "record", shown(self.record))

    def __str__(self) -> str:
        where = [] if self.leaf is None else [f"leaf {self.leaf}"]
        where += [self.record] if self.record else []
        return f"{', '.join(where)}: {self.sentence}" if where else self.sentence


Problem = tuple[str, str]
"""A fault of the current record: a code and a sentence."""


class Check(Protocol):
    """A check of the whole log, in leaf order; never raises. `checked` counts what was checked, by name."""

    checked: dict[str, int]

    def take(self, leaf: int, body: Body) -> Iterable[Finding]:
        """Yield findings about this record, given those before it."""

    def finish(self) -> Iterable[Finding]:
        """Yield findings about the whole log, after its last record."""


class Numbering:
    """Numbers without gaps: from 1 on, or in a part of a log (not `whole`) from its first."""

    def __init__(self, what: str, *, whole: bool) -> None:
        self._what = what
        self._last: int | None = 0 if whole else None

    def gap(self, number: int) -> list[Problem]:
        """Take the next number; return what is wrong with it."""
        found = []
        if self._last is not None and number != self._last + 1:
            found.append(("number_gap", f"It is {self._what} {number}; {self._last + 1} comes next."))
        self._last = number
        return found


def told(leaf: int, body: Body, problems: Iterable[Problem]) -> list[Finding]:
    return [Finding(code, sentence, leaf, name_of(body)) for code, sentence in problems]


def name_of(body: Body) -> str:
    """Return a record's name for people: its kind and row id, `entry 512`."""
    return f"{str(body.get('record', 'record')).replace('_', ' ')} {body.get('id', '?')}"


UNREADABLE = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)
"""The errors of reading a malformed record."""


def unreadable(leaf: int, body: Body, error: Exception) -> Finding:
    """Return the finding for a missing or wrongly typed value that the form check does not cover."""
    why = f"{type(error).__name__}: {error}"
    return Finding("bad_record", f"It does not have the form of its kind ({why}).", leaf, name_of(body))
