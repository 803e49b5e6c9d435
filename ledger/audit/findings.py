"""The finding, and the interface of every check of the log. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Finding:
    """Something wrong: a stable code, a sentence, and if known the leaf's number and the record's name."""

    code: str
    sentence: str
    place: int | None = None
    record: str = ""

    def __str__(self) -> str:
        where = [] if self.place is None else [f"leaf {self.place}"]
        where += [self.record] if self.record else []
        return f"{', '.join(where)}: {self.sentence}" if where else self.sentence


class Check(Protocol):
    """A check of the whole log, record by record in leaf order.

    `checked` counts what was checked, by name. A check never raises, whatever a record contains.
    """

    checked: dict[str, int]

    def take(self, place: int, body: Mapping[str, Any]) -> Iterable[Finding]:
        """Yield what is wrong with this record, given those before it."""

    def finish(self) -> Iterable[Finding]:
        """Yield what is wrong with the whole log, after its last record."""


def name_of(body: Mapping[str, Any]) -> str:
    """Return a record's name for people: its kind and row id, `entry 512`."""
    return f"{str(body.get('record', 'record')).replace('_', ' ')} {body.get('id', '?')}"


UNREADABLE = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)
"""What reading a record raises that is not what it is said to be."""


def unreadable(place: int, body: Mapping[str, Any], error: Exception) -> Finding:
    """Return the finding for a record with a missing or wrongly typed value where its form does not look."""
    why = f"{type(error).__name__}: {error}"
    return Finding("bad_record", f"It cannot be read as what it is said to be ({why}).", place, name_of(body))
