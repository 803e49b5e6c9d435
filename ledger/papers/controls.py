"""Controls as data: what a house holds itself to, and which lines of its papers show it. Pure. One reading of
the papers' lines gives the outcome of every control, day by day: for the paper of controls, for a page, and
for the offline check, which repeats each recorded test."""

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import date, timedelta
from enum import StrEnum
from functools import lru_cache
from hashlib import sha256
from typing import Any, Final

from ledger.papers.cells import cell, line_of, mapping, mappings
from ledger.papers.paper import Paper, PaperSource, PartsPaper, declare_papers, declared
from ledger.records.findings import Body, name_of
from ledger.rules.access import quarter_of

MOST_ROWS: Final = 20
"""How many rows against a control are named. All are counted."""
_RECORDS: Final = frozenset({"house_event", "closed_day"})
"""The records that are evidence of a control themselves, because no paper has them."""
_EVER: Final = ("0001-01-01", "9999-12-31")


class Holds(StrEnum):
    """What of a line a test asks, in words."""

    IS = "is"
    IS_NOT = "is not"
    EMPTY = "is empty"
    FILLED = "is filled"
    SAME = "is the same as"
    OTHER = "is other than"


@dataclass(frozen=True)
class LineTest:
    """A test of one column of a line; `than` is a value, or for SAME and OTHER another column."""

    column: str
    holds: Holds
    than: str = ""

    def of(self, line: Mapping[str, str]) -> bool:
        said = line.get(self.column, "")
        match self.holds:
            case Holds.IS:
                return said == self.than
            case Holds.IS_NOT:
                return said != self.than
            case Holds.EMPTY:
                return not said
            case Holds.FILLED:
                return bool(said)
            case Holds.SAME:
                return bool(said) and said == line.get(self.than, "")
        return said != line.get(self.than, "")

    def __str__(self) -> str:
        than = f"“{self.than}”" if self.holds in (Holds.SAME, Holds.OTHER) else self.than
        return f"“{self.column}” {self.holds} {than}".rstrip()


def _tests(holds: Holds) -> Callable[..., LineTest]:
    def test(column: str, than: str = "") -> LineTest:
        return LineTest(column, holds, than)

    return test


says, says_not = _tests(Holds.IS), _tests(Holds.IS_NOT)
empty, filled = _tests(Holds.EMPTY), _tests(Holds.FILLED)
same, unlike = _tests(Holds.SAME), _tests(Holds.OTHER)


class Area(StrEnum):
    """Under which heading a control stands."""

    DROP = "Drop and count"
    CAGE = "Cage"
    FEES = "Fees"
    CORRECTIONS = "Corrections and disputes"
    PEOPLE = "People"
    LOG = "Log and program"


class Passes(StrEnum):
    """When a control passes, in words."""

    EACH = "no line is against it"
    NONE = "there is no such line"
    DAILY = "each closed day has such a line"
    QUARTERLY = "each whole quarter has such a line"


class ControlOutcome(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    NOTHING = "nothing_to_test"
    NOT_KEPT = "not_kept"


@dataclass(frozen=True)
class Control:
    """A control. Its `evidence` is a paper, or a record (`house_event verified`). It speaks of the lines for
    which all tests `of` hold; a line is `against` it if all tests of one of these groups hold. `shows` names
    a line. Without evidence the house keeps none, and `why` says where it is instead."""

    code: str
    area: Area
    title: str
    law: str = ""
    evidence: str = ""
    of: tuple[LineTest, ...] = ()
    against: tuple[tuple[LineTest, ...], ...] = ()
    passes: Passes = Passes.EACH
    shows: tuple[str, ...] = ()
    why: str = ""

    def is_of(self, line: Mapping[str, str]) -> bool:
        return all(test.of(line) for test in self.of)

    def is_against(self, line: Mapping[str, str]) -> bool:
        if self.passes == Passes.NONE:
            return True
        return any(all(test.of(line) for test in tests) for tests in self.against)

    def named(self, line: Mapping[str, str]) -> str:
        """Return a line of its evidence as the paper of controls names it."""
        told = (f"{column} {line[column]}" for column in self.shows if line.get(column))
        return " ".join((line.get("gaming_day", ""), *told)).strip()

    @property
    def in_words(self) -> str:
        """What passes, as a page and the paper say it."""
        if not self.evidence:
            return ""
        lines = f"lines where {' and '.join(map(str, self.of))}: " if self.of else ""
        wrong = " or ".join(" and ".join(map(str, tests)) for tests in self.against)
        return f"{lines}{self.passes}{f' ({wrong})' if wrong else ''}"


@dataclass(frozen=True)
class Tested:
    """The result of testing a control: how many lines, days or quarters it speaks about, how many of them are
    against it, and the first of those."""

    control: Control
    outcome: ControlOutcome
    tested: int = 0
    failed: int = 0
    rows: tuple[str, ...] = ()

    @property
    def facts(self) -> dict[str, Any]:
        """What the record of a test says of it."""
        said = {"control": self.control.code, "outcome": self.outcome.value}
        return {**said, "tested": self.tested, "failed": self.failed}


@dataclass
class _OfDay:
    lines: int = 0
    against: int = 0
    rows: list[str] = field(default_factory=list)


_CONTROLS: list[Control] = []


def declare_controls(*controls: Control) -> None:
    """Add controls to the table, in the order of their areas."""
    areas = list(Area)
    _CONTROLS.extend(controls)
    _CONTROLS.sort(key=lambda one: areas.index(one.area))


def controls() -> tuple[Control, ...]:
    return tuple(_CONTROLS)


def table_data() -> bytes:
    """Return the table as an export contains it, so that later programs judge its controls by the same
    table."""
    return _written(controls())


@lru_cache(maxsize=1)
def _written(table: tuple[Control, ...]) -> bytes:
    return (json.dumps([*map(asdict, table)], ensure_ascii=False, indent=1) + "\n").encode()


def table_digest(data: bytes | None = None) -> str:
    """Return the SHA-256 of a table, by default this program's. A test by another table is not repeated."""
    return sha256(table_data() if data is None else data).hexdigest()


def read_table(data: bytes) -> tuple[Control, ...]:
    """Return the table that `table_data` gave. Raises ValueError."""
    try:
        return tuple(map(_control, json.loads(data)))
    except (TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError("The table of controls cannot be read.") from error


def _control(said: dict[str, Any]) -> Control:
    def tests(some: Iterable[dict[str, Any]]) -> tuple[LineTest, ...]:
        return tuple(LineTest(one["column"], Holds(one["holds"]), one["than"]) for one in some)

    own = {"area": Area(said["area"]), "passes": Passes(said["passes"]), "shows": tuple(said["shows"])}
    return Control(**said | own | {"of": tests(said["of"]), "against": tuple(map(tests, said["against"]))})


class ControlsOfDays:
    """The lines that each control speaks about, gaming day by gaming day."""

    def __init__(self, table: Iterable[Control]) -> None:
        self._table = tuple(table)
        self._by_evidence: dict[str, list[tuple[Control, dict[str, _OfDay]]]] = {}
        self._of: dict[str, dict[str, _OfDay]] = {}
        self.closed: set[str] = set()
        for control in self._table:
            days = self._of[control.code] = {}
            self._by_evidence.setdefault(control.evidence, []).append((control, days))

    def take(self, evidence: str, day: str, line: Mapping[str, str]) -> None:
        for control, days in self._by_evidence.get(evidence, ()):
            if not control.is_of(line):
                continue
            one = days.setdefault(day, _OfDay())
            one.lines += 1
            if control.is_against(line):
                one.against += 1
                if len(one.rows) < MOST_ROWS:
                    one.rows.append(control.named(line))

    def found(self, first: str | None, last: str | None) -> list[Tested]:
        """Return the outcome of each control over these gaming days."""
        least, most = first or min(self.closed, default=_EVER[0]), last or max(self.closed, default=_EVER[0])
        closed = sorted(day for day in self.closed if least <= day <= most)
        quarters = _whole_quarters(least, most) if closed else []
        found = []
        for control in self._table:
            days = self._of[control.code]
            some = {day: days[day] for day in sorted(days) if (first or "") <= day <= (last or _EVER[1])}
            found.append(_outcome(control, some, closed, quarters))
        return found


def _outcome(control: Control, days: Mapping[str, _OfDay], closed: list[str], quarters: list[str]) -> Tested:
    if not control.evidence:
        return Tested(control, ControlOutcome.NOT_KEPT)
    against = sum(one.against for one in days.values())
    rows = [row for one in days.values() for row in one.rows]
    match control.passes:
        case Passes.EACH:
            tested = sum(one.lines for one in days.values())
        case Passes.NONE:
            tested = len(closed)
        case Passes.DAILY:
            tested, rows = len(closed), [day for day in closed if day not in days]
            against = len(rows)
        case Passes.QUARTERLY:
            have = {_quarter(day) for day in days}
            tested, rows = len(quarters), [quarter for quarter in quarters if quarter not in have]
            against = len(rows)
    outcome = (
        ControlOutcome.FAILED if against else ControlOutcome.PASSED if tested else ControlOutcome.NOTHING
    )
    return Tested(control, outcome, tested, against, tuple(rows[:MOST_ROWS]))


def _quarter(day: str) -> str:
    try:
        return quarter_of(date.fromisoformat(day))
    except ValueError:
        return ""


def _whole_quarters(first: str, last: str) -> list[str]:
    """Return the quarters that lie wholly within these days."""
    try:
        day, end = date.fromisoformat(first), date.fromisoformat(last)
    except ValueError:
        return []
    quarters = []
    while (year := day.year) <= end.year < date.max.year:
        month = (day.month - 1) // 3 * 3 + 1
        begin = date(year, month, 1)
        after = date(year + month // 10, (month + 2) % 12 + 1, 1)
        if day == begin and after - timedelta(days=1) <= end:
            quarters.append(quarter_of(day))
        day = after
    return quarters


class ControlsPaper(Paper):
    """A line for each control, by the lines of the other papers in the same gaming days. It also repeats each
    recorded test whose days it has seen; `wrong` has the records with another result."""

    name = "controls.csv"
    title = "Controls"
    purpose = "What the house holds itself to, by which lines of which paper, and whether these days show it"
    signs = ("Tested by", "Reviewed by")
    unprinted = ("evidence", "passes")
    later = True
    columns = (
        *("control", "area", "title", "law", "evidence", "passes", "outcome", "tested", "failed"),
        "rows",
    )
    place = 900
    takes = _RECORDS
    by_day = False

    def __init__(self, setting: PaperSource) -> None:
        super().__init__(setting)
        self._of_days = ControlsOfDays(_table_of(setting))
        self._digest = table_digest(setting.controls)
        self._columns = {paper.name: paper.columns for paper in declared(players=True)}
        self.wrong: list[tuple[str, str]] = []

    @classmethod
    def reads(cls) -> frozenset[str]:
        return frozenset(one.evidence for one in _CONTROLS if one.evidence.endswith(".csv"))

    def read(self, name: str, line: bytes) -> None:
        text = line.decode()[:-2]
        texts = next(csv.reader([text])) if '"' in text else text.split(",")
        said = dict(zip(self._columns[name], texts, strict=False))
        self._of_days.take(name, said.get("gaming_day", ""), said)

    def take(self, body: Body) -> Iterable[bytes]:
        day = self.dates.of(body)
        record, kind = str(body.get("record")), body.get("kind")
        if (self.days[0] or "") <= day <= (self.days[1] or _EVER[1]):
            said = {name: cell(value) for name, value in {**body, **mapping(body.get("data"))}.items()}
            self._of_days.take(f"{record} {kind}" if kind else record, day, said | {"gaming_day": day})
            if record == "closed_day":
                self._of_days.closed.add(day)
        self.dates.close(body)
        if kind == "controls_tested":
            self._tested(body)
        return ()

    def finish(self) -> Iterator[bytes]:
        for one in self._of_days.found(*self.days):
            control = one.control
            told = (control.code, control.area, control.title, control.law)
            words = control.in_words or control.why
            found = (one.outcome, str(one.tested), str(one.failed), "; ".join(one.rows))
            yield line_of([cell(text) for text in (*told, control.evidence, words, *found)])

    def _tested(self, body: Body) -> None:
        """Repeat a recorded test, if all its days are seen and it used the same table."""
        data = mapping(body.get("data"))
        first, last = str(data.get("from_day")), str(data.get("to_day"))
        if first < (self.days[0] or "") or data.get("table") != self._digest:
            return
        if last not in self._of_days.closed:
            self.wrong.append((name_of(body), f"Controls were tested up to {last}, before it was closed."))
            return
        again = {one.control.code: one.facts for one in self._of_days.found(first, last)}
        for said in mappings(data.get("tests")):
            code = str(said.get("control"))
            if again.get(code) != said:
                told = f"{said.get('outcome')}, {said.get('failed')} of {said.get('tested')}"
                self.wrong.append((name_of(body), f"The test of {code} says {told}; the records differ."))


class ControlTestsPaper(PartsPaper):
    """A line for each control of each recorded test."""

    name = "control_tests.csv"
    title = "Tests of controls"
    purpose = "Each test of a control that was recorded: of which days, by whom, and what it found"
    signs = ("Tested by", "Reviewed by")
    unprinted = ("at", "record_id", "shift")
    columns = (
        *("gaming_day", "shift", "number", "first_day", "last_day", "control", "title", "outcome"),
        *("tested", "failed", "actor", "at", "local_time", "record_id"),
    )
    place = 534
    event, parts = "controls_tested", "tests"

    def __init__(self, setting: PaperSource) -> None:
        super().__init__(setting)
        self._titles = {one.code: one.title for one in _table_of(setting)}

    def line(self, data: Mapping[str, Any], part: Mapping[str, Any]) -> Mapping[str, Any]:
        title = self._titles.get(str(part.get("control")))
        return {"first_day": data.get("from_day"), "last_day": data.get("to_day"), "title": title}


def _table_of(setting: PaperSource) -> tuple[Control, ...]:
    return controls() if setting.controls is None else read_table(setting.controls)


declare_papers(ControlsPaper, ControlTestsPaper)
