"""Count sheets in the log: numbered without gaps, one of a gaming day open at a time, nothing added to a
signed one, signed by two who counted. Which boxes a sheet has, and whether they agree, says boxes.py. Pure.
Only sheets that begin in the given records can be judged."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from ledger.records.findings import Body, Numbering, Problem
from ledger.rules.count_sheets import wrong_signers


@dataclass(slots=True)
class OpenSheet:
    number: int
    day: str
    counters: set[int] = field(default_factory=set)


class CountSheets:
    def __init__(self, *, whole: bool) -> None:
        self._whole = whole
        self._numbers = Numbering("count sheet", whole=whole)
        self._open: dict[int, OpenSheet] = {}
        self._ended: set[int] = set()
        self.signed = 0

    def begin(self, body: Body) -> Iterator[Problem]:
        yield from self._numbers.gap(body["number"])
        if other := next((one for one in self._open.values() if one.day == body["gaming_day"]), None):
            yield "sheet_begun", f"Count sheet {other.number} of that day was open."
        self._open[body["id"]] = OpenSheet(body["number"], body["gaming_day"])

    def count(self, body: Body, day: str) -> Iterator[Problem]:
        """Judge a count of a box of this gaming day, of which nothing is known in part of a log."""
        yield from self.on_open(body)
        if (sheet := self._open.get(body["sheet"])) is not None:
            sheet.counters.add(body["counter"])
            if day and sheet.day != day:
                yield "other_sheet", f"Count sheet {sheet.number} is of gaming day {sheet.day}."

    def on_open(self, body: Body) -> Iterator[Problem]:
        """Judge a count or a note: its sheet is open."""
        if body["sheet"] in self._ended:
            yield "sheet_signed", "Its count sheet had been signed."
        elif self._whole and body["sheet"] not in self._open:
            yield "unknown_sheet", "Its count sheet was not begun."

    def of(self, body: Body) -> OpenSheet | None:
        return self._open.get(body["sheet"])

    def sign(self, body: Body) -> Iterator[Problem]:
        yield from self.on_open(body)
        sheet = self._open.pop(body["sheet"], None)
        self._ended.add(body["sheet"])
        self.signed += 1
        if sheet is not None and (
            wrong := wrong_signers(body["signed_by"], body["signed_with"], sheet.counters)
        ):
            yield wrong

    def may_be_signed(self, sheet: int) -> bool:
        """Return whether a sheet is signed, or in part of a log may be."""
        return sheet in self._ended or not (self._whole or sheet in self._open)

    def unsigned(self, day: str) -> Iterator[Problem]:
        """Judge the closing of a gaming day: the sheets of its boxes are signed."""
        for sheet in self._open.values():
            if sheet.day <= day:
                yield (
                    "sheet_not_signed",
                    f"Count sheet {sheet.number} of gaming day {sheet.day} was not signed.",
                )
