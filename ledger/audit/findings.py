"""What a check of the log says: the finding, and the shape of every check. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Finding:
    """Something that is wrong: a stable code, a sentence, and where: the leaf's number and the record's name, if it has them."""

    code: str
    sentence: str
    place: int | None = None
    record: str = ""

    def __str__(self) -> str:
        where = [] if self.place is None else [f"leaf {self.place}"]
        where += [self.record] if self.record else []
        return f"{', '.join(where)}: {self.sentence}" if where else self.sentence


class Check(Protocol):
    """One question asked of the whole log, record by record in the order of its leaves.

    `checked` says in words what was looked at, and how often. No content, however wrong, makes a check raise.
    """

    checked: dict[str, int]

    def take(self, place: int, body: Mapping[str, Any]) -> Iterable[Finding]:
        """What is wrong with this record, seen after those before it."""

    def finish(self) -> Iterable[Finding]:
        """What is wrong with the whole, once its last record was taken."""


def name_of(body: Mapping[str, Any]) -> str:
    """A record as people speak of it: its kind and the id of its row, `entry 512`."""
    return f"{str(body.get('record', 'record')).replace('_', ' ')} {body.get('id', '?')}"


UNREADABLE = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)
"""What reading a record raises that is not what it is said to be."""


def unreadable(place: int, body: Mapping[str, Any], error: Exception) -> Finding:
    """The finding for a record in which something is missing, or of another type, that no form looks into."""
    why = f"{type(error).__name__}: {error}"
    return Finding("bad_record", f"It cannot be read as what it is said to be ({why}).", place, name_of(body))
