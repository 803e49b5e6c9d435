"""The people whose numbers an export has: facts about each, with their beginning and end. Pure."""

from ledger.papers.cells import cell, line_of
from ledger.papers.paper import Paper, PaperSource
from ledger.records.findings import Body

COLUMNS = ("person", "what", "value", "since", "until")

Particulars = frozenset[tuple[str, str]]
"""Facts about a person at one time: pairs of their kind and value."""
_Line = tuple[int, str, str, str, str]


class People:
    """The facts about each person. Facts that were true before the first record have no beginning."""

    def __init__(self) -> None:
        self._now: dict[int, dict[tuple[str, str], str]] = {}
        self._past: list[_Line] = []

    def __contains__(self, person: int) -> bool:
        return person in self._now

    def say(self, person: int, before: Particulars, after: Particulars, at: str) -> None:
        now = self._now.setdefault(person, dict.fromkeys(before, ""))
        for what, value in now.keys() - after:
            self._past.append((person, what, now.pop((what, value)), value, at))
        for one in after - now.keys():
            now[one] = at

    def add(self, person: int, what: str, value: str, at: str) -> None:
        self._now.setdefault(person, {}).setdefault((what, value), at)

    def lines(self) -> list[bytes]:
        still = (
            (person, what, since, value, "")
            for person, particulars in self._now.items()
            for (what, value), since in particulars.items()
        )
        return [
            line_of([str(person), *map(cell, (what, value, since, until))])
            for person, what, since, value, until in sorted([*self._past, *still])
        ]


class PeoplePaper(Paper):
    """A line for each fact about the people whom `earlier` has found in the records."""

    columns = COLUMNS
    by_day = False

    def __init__(self, setting: PaperSource) -> None:
        super().__init__(setting)
        self._people = People()

    def take(self, body: Body) -> tuple[()]:
        self.earlier(body)
        return ()

    def finish(self) -> list[bytes]:
        return self._people.lines()
