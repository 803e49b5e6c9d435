"""Read papers for a workbook or a printed page: the lines of their CSV, each cell by the kind of its column.
So both show what the CSV has, and nothing else."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import IO
from zoneinfo import ZoneInfo

from ledger.papers.cells import KINDS_OF_CELLS, CellKind, unguarded
from ledger.papers.paper import Paper
from ledger.papers.people import COLUMNS as OF_PEOPLE

NAMES_FROM = ("staff.csv", "players.csv")
"""The papers that have the names of people."""
_NAMED_AS = ("name", "username", "alias")
"""The facts by which a person is named, the best first."""


@dataclass(frozen=True)
class About:
    """Where papers came from, for the head of each page: the establishment and its licence, the period and
    part, who made them when, and from which checkpoint of which log."""

    house: str
    licence: str
    zone: ZoneInfo
    period: str
    made_by: str
    made_at: datetime
    log: str
    leaves: int
    root: str
    part: str = ""
    open_day: date | None = None

    @property
    def of(self) -> str:
        """The period, the part of the paper if it is not the whole, and the first of its days that is
        open."""
        part = f", {self.part} only" if self.part else ""
        still = f", open from {self.open_day}" if f"{self.open_day}" != self.period else ", still open"
        return f"{self.period}{part}{still if self.open_day else ''}"

    @property
    def made(self) -> str:
        return f"{self.made_at.astimezone(self.zone):%Y-%m-%d %H:%M:%S %Z} by {self.made_by}"

    @property
    def checkpoint(self) -> str:
        return f"{self.leaves} records of {self.log}, root {self.root}"


@dataclass(frozen=True)
class Names:
    """Names for the numbers of people. A number without a name stays a number."""

    staff: Mapping[str, str]
    players: Mapping[str, str]

    def of(self, kind: CellKind, number: str) -> str:
        known = self.staff if kind is CellKind.PERSON else self.players if kind is CellKind.PLAYER else {}
        return f"{number} {known[number]}" if number in known else number


def names_in(files: Mapping[str, IO[bytes]]) -> Names:
    """Return the latest names in `staff.csv` and, if there is one, `players.csv`."""
    return Names(*(_called(files[name]) if name in files else {} for name in NAMES_FROM))


def _called(file: IO[bytes]) -> dict[str, str]:
    ranked: dict[str, tuple[int, str, str]] = {}
    for row in rows(file):
        said = dict(zip(OF_PEOPLE, row, strict=True))
        if said["what"] in _NAMED_AS and not said["until"]:
            rank = (_NAMED_AS.index(said["what"]), said["since"], said["value"])
            ranked[said["person"]] = min(rank, ranked.get(said["person"], rank))
    return {person: name for person, (_, _, name) in ranked.items()}


def rows(file: IO[bytes]) -> Iterator[list[str]]:
    """Yield the lines of a paper below its head, each cell without what guards it against formulas."""
    file.seek(0)
    lines = csv.reader(io.TextIOWrapper(io.BufferedReader(_Kept(file)), encoding="utf-8", newline=""))
    next(lines, None)
    for line in lines:
        yield list(map(unguarded, line))


def kinds_of(paper: type[Paper]) -> Sequence[CellKind]:
    return [KINDS_OF_CELLS[column] for column in paper.columns]


def moment_in(text: str, zone: ZoneInfo) -> datetime | None:
    """Return a recorded moment on the house's clock, without zone, to the second; None for anything else."""
    try:
        return datetime.fromisoformat(text).astimezone(zone).replace(tzinfo=None, microsecond=0)
    except (ValueError, OverflowError):
        return None


def local_in(text: str) -> datetime | None:
    """Return a local time as the house's clock showed it, to the second; None for anything else."""
    try:
        return datetime.fromisoformat(text).replace(tzinfo=None, microsecond=0)
    except ValueError:
        return None


def day_in(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def cents_in(text: str) -> int | None:
    """Return the cents of an amount of a paper; None for anything else."""
    whole, dot, part = text.removeprefix("-").partition(".")
    if not (dot and len(part) == 2 and (whole + part).isdecimal() and len(whole) < 17):
        return None
    cents = int(whole + part)
    return -cents if text[:1] == "-" else cents


class _Kept(io.RawIOBase):
    """A reader of a file that stays open when the reader is closed."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def readable(self) -> bool:
        return True

    def readinto(self, into: "bytearray | memoryview") -> int:  # type: ignore[override]
        data = self._file.read(len(into))
        into[: len(data)] = data
        return len(data)
