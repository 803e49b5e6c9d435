"""What a paper is, which papers there are, and all of them made from one reading of the records. Pure.

Lines follow the leaves as far as one pass allows, and what a day leaves open is written when the day is closed. So the lines
of a day follow from that day's records, up to its closing: whatever else an export holds, they are the same in it.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ledger.audit.findings import Body
from ledger.audit.local_time import Offsets
from ledger.audit.papers.cells import line_of

_NO_DAY_IS_LATER = b"\xff"

Opened = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""Gives what the record of a player's entry has committed to; nothing where that cannot be had."""
Line = tuple[str, bytes]
"""Name of a paper, and a line of it with its end."""


@dataclass(frozen=True)
class PaperSource:
    """What papers are made of. `whole`: the records begin with the first leaf, so that there are balances. `offsets` are those
    of the house's local time, `opened` gives what players' entries say; without it players are not named."""

    whole: bool = True
    offsets: Offsets = ()
    opened: Opened | None = None


class Paper:
    """One paper: its columns, and its lines as the records come, in leaf order. It never raises, whatever they contain.

    `place` is where it stands among the papers of an export, `takes` the kinds of record it is asked about (None: all). The
    lines of one that is `by_day` begin with their gaming day. One that `names_players` is only in exports that do.
    """

    name: ClassVar[str]
    columns: ClassVar[tuple[str, ...]]
    place: ClassVar[int]
    takes: ClassVar[frozenset[str] | None]
    by_day: ClassVar[bool] = True
    names_players: ClassVar[bool] = False

    def __init__(self, setting: PaperSource) -> None:
        self.setting = setting

    @classmethod
    def header(cls) -> bytes:
        """Return the first line."""
        return line_of(cls.columns)

    def earlier(self, body: Body) -> None:
        """Take a record from before the others, which adds no line."""

    def take(self, body: Body) -> Iterable[bytes]:
        """Return the lines that a record adds."""
        return ()

    def finish(self) -> Iterable[bytes]:
        """Return the lines that only the end of the records adds."""
        return ()


_PAPERS: list[type[Paper]] = []


def declare_papers(*papers: type[Paper]) -> None:
    """Declare papers: every export has them from then on, in the order of their places."""
    _PAPERS.extend(papers)
    _PAPERS.sort(key=lambda paper: paper.place)


def declared(*, players: bool) -> list[type[Paper]]:
    """Return the papers of an export that names players, or of one that does not, in their order."""
    return [paper for paper in _PAPERS if players or not paper.names_players]


def names_of(*, players: bool) -> tuple[str, ...]:
    """Return the names of an export's papers, in their order."""
    return tuple(paper.name for paper in declared(players=players))


class Papers:
    """Turns records, in leaf order, into the lines of all papers. It never raises, whatever the records contain.

    `days` are the first and last gaming day to write.
    """

    def __init__(self, setting: PaperSource, days: tuple[str | None, str | None] = (None, None)) -> None:
        self._papers = [paper(setting) for paper in declared(players=setting.opened is not None)]
        self._by_kind: dict[Any, list[Paper]] = {}
        first, last = days
        self._first, self._last = (first or "").encode(), last.encode() if last else _NO_DAY_IS_LATER
        self._all_days = days == (None, None)

    def begin(self) -> list[Line]:
        """Return the header lines."""
        return [(paper.name, paper.header()) for paper in self._papers]

    def earlier(self, body: Body) -> None:
        """Take a record from before the others, of which only what it says of people counts."""
        for paper in self._asked(body):
            paper.earlier(body)

    def take(self, body: Body) -> list[Line]:
        """Return the lines that a record adds."""
        return self._lines((paper, paper.take(body)) for paper in self._asked(body))

    def finish(self) -> list[Line]:
        """Return the last lines."""
        return self._lines((paper, paper.finish()) for paper in self._papers)

    def paper(self, kind: type[Paper]) -> Any:
        """Return the paper of this kind that is being made."""
        return next(paper for paper in self._papers if type(paper) is kind)

    def _asked(self, body: Body) -> list[Paper]:
        kind = body.get("record")
        if not isinstance(kind, str):
            kind = None
        if kind not in self._by_kind:
            self._by_kind[kind] = [one for one in self._papers if one.takes is None or kind in one.takes]
        return self._by_kind[kind]

    def _lines(self, made: Iterable[tuple[Paper, Iterable[bytes]]]) -> list[Line]:
        if self._all_days:
            return [(paper.name, line) for paper, lines in made for line in lines]
        first, last = self._first, self._last
        return [
            (paper.name, line)
            for paper, lines in made
            for line in lines
            if not paper.by_day or first <= line[:10] <= last
        ]
