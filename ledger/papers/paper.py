"""The declaration of papers, and making all of them in one reading of the records. Pure. Lines follow the
leaves as far as one pass allows; what a day leaves open is written when it is closed. So a day's lines
depend only on its records up to its closing, whatever else an export contains."""

from collections.abc import Callable, Container, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from functools import cached_property
from typing import Any, ClassVar, TypeVar

from ledger.money import amount_text
from ledger.papers.cells import KINDS_OF_CELLS, CellKind, amount, cell, line_of, mapping, mappings, minute
from ledger.records.findings import Body
from ledger.records.house import CLOCKS
from ledger.rules.local_time import LocalTime, Offsets
from ledger.rules.shifts import Clocks, shift_by_clock

_NO_DAY_IS_LATER = b"\xff"
_OF_KINDS = frozenset({"entry", "table_event", "house_event"})
"""Records that come in many kinds: a paper may take only some of those."""

Opened = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""Returns the opened entry of a player for the commitment in its record; empty if unknown."""
Line = tuple[str, bytes]
"""The name of a paper, and a line of it with its end."""


@dataclass(frozen=True)
class PaperSource:
    """The source of papers. `whole`: the records begin with leaf 0, so balances are known. `offsets` are
    those of local time; `clocks` are the house's clocks, which `Papers` follows by itself. `opened` gives
    players' entries; without it players are not named. `controls` is the table of controls in an export; by
    default, this program's own."""

    whole: bool = True
    offsets: Offsets = ()
    opened: Opened | None = None
    clocks: Clocks = field(default_factory=Clocks)
    controls: bytes | None = None

    @cached_property
    def local(self) -> LocalTime:
        return LocalTime(self.offsets)

    def shift(self, day: object, at: object) -> str:
        """Return the cell for the shift of something of this day, both as in records; empty if it is not
        known. It never raises."""
        try:
            local, said = self._by_clock(at)
            starts_at, shifts = int(said["day_starts_at"]), int(said["shifts"])
            return str(shift_by_clock(local, date.fromisoformat(str(day)), starts_at, shifts))
        except (ValueError, TypeError, KeyError, OverflowError):
            return ""

    def day(self, at: object) -> str:
        """Return the gaming day of a recorded moment by the house's clock; empty if it is not known. It never
        raises."""
        try:
            local, said = self._by_clock(at)
            return str((local.replace(tzinfo=None) - timedelta(hours=int(said["day_starts_at"]))).date())
        except (ValueError, TypeError, KeyError, OverflowError):
            return ""

    def _by_clock(self, at: object) -> tuple[datetime, Mapping[str, Any]]:
        """Return the time that the house's clock showed, and that clock. Raises ValueError."""
        moment = datetime.fromisoformat(str(at))
        if moment.tzinfo is None:
            raise ValueError("a moment needs its time zone")
        moment = moment.astimezone(UTC)
        shown = datetime.fromisoformat(self.local.of(f"{moment:%Y-%m-%dT%H:%M:%S.%fZ}"))
        return shown, self.clocks.said(moment)


class DaysOfRecords:
    """The gaming days of records that may name none. A record after the closing of a day belongs to a later
    day, however early the closing was, so that no day's paper lacks it."""

    def __init__(self, setting: PaperSource) -> None:
        self._setting = setting
        self.open = ""

    def of(self, body: Body) -> str:
        own = body.get("gaming_day")
        return max(self._setting.day(body.get("recorded_at")), self.open) if own is None else str(own)

    def close(self, body: Body) -> None:
        """Take a record; if it closes a gaming day, the one after it is the first that is open."""
        if body.get("record") == "closed_day":
            with suppress(ValueError, OverflowError):
                after = date.fromisoformat(str(body.get("gaming_day"))) + timedelta(days=1)
                self.open = max(self.open, str(after))


class PaperGroup(StrEnum):
    """Under which heading the index has a paper."""

    COLLECTION = "Collection"
    CAGE = "Cage"
    PLAYERS = "Players"
    HOUSE = "House"


class Paper:
    """One paper: its columns, and its lines as the records come, in leaf order. It never raises. `place`
    orders the papers of an export; `takes` are the kinds of record it gets (None: all). `by_day`: its lines
    begin with the gaming day. `kinds`: of entries and events it gets these (None: all). `names_players`: it
    is only in exports that do. `later`: exports of version 0.2.0 lack it. `title`, `purpose`, `law`, `group`,
    the columns with a sum, who `signs`, and the columns that no page has room for are for people. `dates` are
    the gaming days of records that name none."""

    name: ClassVar[str]
    columns: ClassVar[tuple[str, ...]]
    place: ClassVar[int]
    takes: ClassVar[frozenset[str] | None]
    kinds: ClassVar[frozenset[str] | None] = None
    by_day: ClassVar[bool] = True
    names_players: ClassVar[bool] = False
    later: ClassVar[bool] = False
    title: ClassVar[str]
    purpose: ClassVar[str]
    law: ClassVar[str] = ""
    group: ClassVar[PaperGroup] = PaperGroup.HOUSE
    sums: ClassVar[tuple[str, ...]] = ()
    signs: ClassVar[tuple[str, ...]] = ()
    unprinted: ClassVar[tuple[str, ...]] = ()
    days: tuple[str | None, str | None] = (None, None)
    """The first and last gaming day that are written."""

    def __init__(self, setting: PaperSource) -> None:
        self.setting, self.dates = setting, DaysOfRecords(setting)

    @classmethod
    def reads(cls) -> frozenset[str]:
        """Return the papers whose lines it reads, for the days that are written; its own lines come later."""
        return frozenset()

    def read(self, name: str, line: bytes) -> None:
        """Take a line of a paper that it reads."""

    @classmethod
    def header(cls) -> bytes:
        return line_of(cls.columns)

    def earlier(self, body: Body) -> None:
        """Take a record from outside the range, which adds no line."""

    def take(self, body: Body) -> Iterable[bytes]:
        return ()

    def finish(self) -> Iterable[bytes]:
        return ()

    def dated(self, day: object, at: object) -> dict[str, Any]:
        """Return the cells for a line's gaming day and moment."""
        return {"gaming_day": day, "shift": self.setting.shift(day, at), "at": at, "local_time": at}

    def written(self, said: Mapping[str, Any]) -> bytes:
        """Return a line with these values by column: cents for an amount, a moment for a local time, seconds
        for a down's minute, and for all others the values of the records."""
        return line_of([self._cell(column, said.get(column)) for column in self.columns])

    def _cell(self, column: str, value: Any) -> str:
        match KINDS_OF_CELLS.get(column):
            case CellKind.AMOUNT | CellKind.PERCENT:
                return amount_text(value) if type(value) is int else amount(value)
            case CellKind.MINUTE:
                return minute(value)
            case CellKind.LOCAL:
                return self.setting.local.of(value)
        return cell(value)


class DayPaper(Paper):
    """A paper whose lines of a day are written when it is closed, or behind the last record if it is not.
    Until then `row` collects the values of each line."""

    def __init__(self, setting: PaperSource) -> None:
        super().__init__(setting)
        self._days: dict[str, dict[Any, dict[str, Any]]] = {}

    def row(self, day: object, key: object) -> dict[str, Any]:
        """Return the values so far of a line of this day, to be added to."""
        rows = self._days.setdefault(str(day), {})
        return rows.setdefault(key, {"gaming_day": day})

    def follow(self, body: Body) -> None:
        """Take a record other than the closing of a day."""

    def lines(self, rows: Iterable[dict[str, Any]], closed: Body | None) -> Iterable[Mapping[str, Any]]:
        """Return the values of a day's lines; `closed` is its closing, if there is one."""
        return rows

    def take(self, body: Body) -> Iterable[bytes]:
        if body.get("record") == "closed_day":
            return self._until(str(body.get("gaming_day")), body)
        self.follow(body)
        return ()

    def finish(self) -> Iterable[bytes]:
        return self._until(None, None)

    def _until(self, last: str | None, closed: Body | None) -> list[bytes]:
        days = sorted(day for day in self._days if last is None or day <= last)
        if closed is not None and last not in days:
            self._days[str(last)] = {}
            days.append(str(last))
        return [
            self.written(said)
            for day in days
            for said in self.lines(self._days.pop(day).values(), closed if day == last else None)
        ]


Made = TypeVar("Made", bound=Paper)

_PAPERS: list[type[Paper]] = []


class PartsPaper(Paper):
    """A paper of one kind of event of the house: a line for each of the `parts`, a list in its data, by its
    number in `line`. `is_empty_told`: an empty list has a line too."""

    event: ClassVar[str]
    parts: ClassVar[str]
    is_empty_told: ClassVar[bool] = False
    later = True
    takes = frozenset({"house_event", "closed_day"})

    def take(self, body: Body) -> Iterable[bytes]:
        self.dates.close(body)
        if body.get("kind") == self.event:
            data = mapping(body.get("data"))
            about = self.dated(self.dates.of(body), body.get("at"))
            about |= {"actor": body.get("actor"), "terminal": body.get("terminal")}
            about |= {"number": data.get("number"), "record_id": body.get("id")}
            parts = [*mappings(data.get(self.parts))]
            if self.is_empty_told and not parts:
                yield self.written({**self.line(data, {}), **about})
            for line, part in enumerate(parts, 1):
                yield self.written({"line": line, **part, **self.line(data, part), **about})

    def line(self, data: Mapping[str, Any], part: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the values of a part's line besides the part itself; `data` is that of the event."""
        return {}


def declare_papers(*papers: type[Paper]) -> None:
    _PAPERS.extend(papers)
    _PAPERS.sort(key=lambda paper: paper.place)


def declared(*, players: bool) -> list[type[Paper]]:
    return [paper for paper in _PAPERS if players or not paper.names_players]


def names_of(*, players: bool) -> tuple[str, ...]:
    return tuple(paper.name for paper in declared(players=players))


def later_names() -> frozenset[str]:
    """Return the papers that an export of an earlier version does not have."""
    return frozenset(paper.name for paper in _PAPERS if paper.later)


class Papers:
    """Turns records, in leaf order, into the lines of all papers; never raises. `days` are the first and last
    gaming day to write, `only` the papers to make if not all."""

    def __init__(
        self,
        setting: PaperSource,
        days: tuple[str | None, str | None] = (None, None),
        only: Container[str] | None = None,
    ) -> None:
        self._clocks = setting.clocks
        named = declared(players=setting.opened is not None)
        asked = [paper for paper in named if only is None or paper.name in only]
        self._read = frozenset[str]().union(*(paper.reads() for paper in asked))
        self._silent = self._read - {paper.name for paper in asked}
        self._papers = [paper(setting) for paper in named if paper in asked or paper.name in self._silent]
        self._readers = [paper for paper in self._papers if paper.reads()]
        for paper in self._papers:
            paper.days = days
        self._by_kind: dict[Any, list[Paper]] = {}
        self._kinds = frozenset(kind for paper in self._papers for kind in paper.kinds or ())
        first, last = days
        self._first, self._last = (first or "").encode(), last.encode() if last else _NO_DAY_IS_LATER
        self._all_days = days == (None, None)

    def begin(self) -> list[Line]:
        return [(paper.name, paper.header()) for paper in self._papers if paper.name not in self._silent]

    def earlier(self, body: Body) -> None:
        """Take a record from outside the range, for its facts about people and the clock alone."""
        self._follow(body)
        for paper in self._asked(body):
            paper.earlier(body)

    def take(self, body: Body) -> list[Line]:
        self._follow(body)
        return self._lines((paper, paper.take(body)) for paper in self._asked(body))

    def finish(self) -> list[Line]:
        return self._lines((paper, paper.finish()) for paper in self._papers)

    def paper(self, kind: type[Made]) -> Made:
        return next(paper for paper in self._papers if isinstance(paper, kind))

    def _follow(self, body: Body) -> None:
        """Follow the house's clock, of whatever form the record is."""
        if body.get("record") == "house_event" and body.get("kind") in CLOCKS:
            with suppress(ValueError):
                recorded_at = datetime.fromisoformat(str(body.get("recorded_at")))
                self._clocks.take(recorded_at, mapping(body.get("data")))

    def _asked(self, body: Body) -> list[Paper]:
        record, kind = body.get("record"), body.get("kind")
        if not isinstance(record, str):
            record = None
        if record not in _OF_KINDS or not isinstance(kind, str) or kind not in self._kinds:
            kind = None
        asked = self._by_kind.get((record, kind))
        if asked is None:
            asked = self._by_kind[record, kind] = [
                one
                for one in self._papers
                if (one.takes is None or record in one.takes)
                and (one.kinds is None or record not in _OF_KINDS or kind in one.kinds)
            ]
        return asked

    def _lines(self, made: Iterable[tuple[Paper, Iterable[bytes]]]) -> list[Line]:
        first, last, every = self._first, self._last, self._all_days
        written = []
        for paper, lines in made:
            for line in lines:
                if every or not paper.by_day or first <= line[:10] <= last:
                    written.append((paper.name, line))
                    if paper.name in self._read:
                        for reader in self._readers:
                            reader.read(paper.name, line)
        if self._silent:
            return [one for one in written if one[0] not in self._silent]
        return written
