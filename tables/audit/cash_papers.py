"""The papers of patrons' cash: the log of cash transactions, and who is to be reported (31 CFR 1021). Pure.
The lines of a day are written when it is closed: only then is it known whom each receipt belongs to. Without
a record of the amounts from which patrons are listed, nobody is."""

from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from typing import Any

from ledger.papers.cells import mapping, number
from ledger.papers.paper import PaperGroup, PaperSource, declare_papers
from ledger.records.findings import Body
from ledger.rules.cash_of_day import KINDS, PLAYER, CashOfDay, Crossing, Person
from tables.audit.papers import PaperAtTables

_SAYS = ("patron_from", "report_above", "report_days")


class _CashPaper(PaperAtTables):
    """Gathers the cash transactions of each gaming day with their places, and writes them when it is
    closed."""

    later = True
    takes = frozenset({"entry", "table_event", "player_merge", "closed_day"})

    def __init__(self, setting: PaperSource) -> None:
        super().__init__(setting)
        self._days: dict[str, CashOfDay] = {}
        self._places: dict[int, str] = {}
        self._merged: dict[int, int] = {}
        self._said: dict[str, int] = {}

    def earlier(self, body: Body) -> None:
        if body.get("record") == "player_merge":
            self._merged[number(body.get("merged"))] = number(body.get("into"))
        elif body.get("record") == "table_event":
            self._tables.take(body)

    def take(self, body: Body) -> Iterator[bytes]:
        match body.get("record"):
            case "entry" if body.get("kind") in KINDS:
                said = mapping(body.get("evidence"))
                self._said |= {name: said[name] for name in _SAYS if type(said.get(name)) is int}
                day = self._days.setdefault(str(body.get("gaming_day")), CashOfDay())
                if day.take(body) is not None:
                    at_window = "receipt" in said or "session" not in said
                    place = "window" if at_window else f"table {self._tables.cell(said)}"
                    self._places[number(body.get("id"))] = place
            case "closed_day":
                yield from self._written(str(body.get("gaming_day")))
            case _:
                self.earlier(body)

    def finish(self) -> Iterator[bytes]:
        yield from self._written(None)

    def _written(self, until: str | None) -> Iterator[bytes]:
        for day in sorted(day for day in self._days if until is None or day <= until):
            cash = self._days.pop(day)
            for merged, into in self._merged.items():
                cash.join((PLAYER, merged), (PLAYER, into))
            yield from self._lines(day, cash)
            for each in cash.crossings:
                self._places.pop(number(each.body.get("id")), None)

    def _lines(self, day: str, cash: CashOfDay) -> Iterator[bytes]:
        return iter(())

    def _reaches(self, name: str, most: int, *, above: bool) -> bool:
        least = self._said.get(name)
        return least is not None and (most > least if above else most >= least)


def _highest(own: list[Crossing]) -> int:
    return max(sum(each.came for each in own), sum(each.went for each in own))


class CashLogPaper(_CashPaper):
    """A line for each time that cash came from or went to a patron whose cash in or cash out of the day
    reaches the amount from which the house logs it."""

    name = "cash_log.csv"
    title = "Cash log"
    purpose = "Every cash transaction of patrons from the amount of the log on, added up by person (MTL)"
    law = "31 CFR 1021.410"
    unprinted = ("terminal", "local_time")
    columns = (
        *("gaming_day", "shift", "player", "transaction", "kind", "cash_in", "cash_out", "at", "local_time"),
        *("place", "terminal", "receipt", "actor", "total_in", "total_out", "entry"),
    )
    place = 491
    group = PaperGroup.CAGE

    def _lines(self, day: str, cash: CashOfDay) -> Iterator[bytes]:
        shown = {
            person
            for person, own in cash.people().items()
            if self._reaches("patron_from", _highest(own), above=False)
        }
        totals: dict[Person, list[int]] = {}
        for each in cash.crossings:
            person = cash.one(each.person)
            if person in shown:
                yield from self._parts(day, person, each, totals.setdefault(person, [0, 0]))

    def _parts(self, day: str, person: Person, each: Crossing, totals: list[int]) -> Iterator[bytes]:
        body = each.body
        for kind, came, went in each.parts:
            totals[0] += came
            totals[1] += went
            yield self.written(
                {
                    **body,
                    **self.dated(day, body.get("occurred_at")),
                    "player": _player(person),
                    "transaction": kind,
                    "cash_in": came or None,
                    "cash_out": went or None,
                    "place": self._places.get(number(body.get("id")), "window"),
                    "receipt": mapping(body.get("evidence")).get("receipt"),
                    "total_in": totals[0],
                    "total_out": totals[1],
                    "entry": body.get("id"),
                }
            )


class CurrencyReportsPaper(_CashPaper):
    """A line for each person whose cash in or cash out of a gaming day is above the amount that is
    reported."""

    name = "currency_reports.csv"
    title = "Currency reports to file"
    purpose = "Whose cash in or cash out of a gaming day is to be reported, and by when (CTR)"
    law = "31 CFR 1021.311, 1021.313"
    signs = ("Filed by", "Verified by")
    columns = (
        *("gaming_day", "player", "cash_in", "cash_out", "transactions", "since", "until", "receipts"),
        *("recorded_by", "places", "report_above", "due"),
    )
    place = 492
    group = PaperGroup.CAGE

    def _lines(self, day: str, cash: CashOfDay) -> Iterator[bytes]:
        for person, own in cash.people().items():
            if self._reaches("report_above", _highest(own), above=True):
                yield self._line(day, person, own)

    def _line(self, day: str, person: Person, own: list[Crossing]) -> bytes:
        bodies = [each.body for each in own]
        places = (self._places.get(number(body.get("id")), "window") for body in bodies)
        return self.written(
            {
                "gaming_day": day,
                "player": _player(person),
                "cash_in": sum(each.came for each in own),
                "cash_out": sum(each.went for each in own),
                "transactions": len(own),
                "since": bodies[0].get("occurred_at"),
                "until": bodies[-1].get("occurred_at"),
                "receipts": _each_once(mapping(body.get("evidence")).get("receipt") for body in bodies),
                "recorded_by": _each_once(body.get("actor") for body in bodies),
                "places": _each_once(places),
                "report_above": self._said["report_above"],
                "due": _due(day, self._said.get("report_days")),
            }
        )


def _player(person: Person) -> int | None:
    return person[1] if person[0] == PLAYER else None


def _each_once(values: Iterable[Any]) -> str:
    return ", ".join(dict.fromkeys(str(value) for value in values if value is not None))


def _due(day: str, days: int | None) -> str:
    try:
        return (date.fromisoformat(day) + timedelta(days=days or 0)).isoformat() if days else ""
    except (ValueError, OverflowError):
        return ""


declare_papers(CashLogPaper, CurrencyReportsPaper)
