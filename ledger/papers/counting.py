"""The paper of count sheets: what was counted of each drop box, by whom, and who signed. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any

from ledger.money import amount_text
from ledger.papers.cells import cell, cells, line_of, mapping, number
from ledger.papers.paper import DaysOfRecords, Paper, PaperGroup, PaperSource, declare_papers
from ledger.records.findings import UNREADABLE, Body
from ledger.rules.denominations import pieces_of, value_text
from ledger.rules.local_time import LocalTime

_ASSETS = ("chips", "cash")
_TOTALS = ("installed", "pulled", "counted")


class CountSheetsPaper(Paper):
    """The lines of a count sheet, in the gaming day of its boxes, written when it is signed: its beginning,
    how its sealed boxes and those of an emergency drop were pulled and brought, each count and note in their
    order, the signatures. A count `stands` if it is of the last attempt at its box; others are `struck`. What
    the cashier received is written when it is, and each count of theirs that was refused when it was."""

    name = "count_sheets.csv"
    title = "Count sheets"
    purpose = "Every count of every box, those that were replaced too, who counted and signed, what was noted"
    law = "4 CCR 12385"
    signs = ("Counter", "Second counter", "Received by the cashier")
    unprinted = ("at",)
    columns = (
        *("gaming_day", "sheet", "line", "box", "place", "attempt", "state", "person", "second", "at"),
        *("local_time", "chips", "cash", "chips_pieces", "cash_pieces", "text", *_TOTALS, "without_box"),
    )
    group = PaperGroup.CAGE
    place = 411
    takes = frozenset(
        (
            *("house_event", "box_received", "count_sheet", "count", "count_note"),
            *("count_sheet_signed", "struck_count", "count_sheet_received", "sign_off"),
        )
    )

    def __init__(self, setting: PaperSource) -> None:
        super().__init__(setting)
        self._local = LocalTime(setting.offsets)
        self._boxes: dict[int, Mapping[str, Any]] = {}
        self._open: dict[int, list[Body]] = {}
        self._ways: dict[int, list[Body]] = {}
        self._handed: dict[int, Body] = {}

    def take(self, body: Body) -> Iterator[bytes]:
        match body.get("record"):
            case "house_event":
                data = mapping(body.get("data"))
                if body.get("kind") == "box_installed":
                    self._boxes[number(data.get("box"))] = data
                elif body.get("kind") == "box_pulled" and ("seal" in data or "emergency" in data):
                    self._ways[number(data.get("box"))] = [body]
            case "box_received":
                self._ways.setdefault(number(body.get("box")), []).append(body)
            case "count_sheet":
                self._open[number(body.get("id"))] = [body]
            case "count" | "count_note":
                self._open.setdefault(number(body.get("sheet")), []).append(body)
            case "count_sheet_signed":
                yield from self._written([*self._open.pop(number(body.get("sheet")), []), body])
            case "struck_count" if body.get("sheet") is not None:
                sheet = self._handed.get(number(body.get("sheet")), {})
                yield line_of([*cells(sheet, "gaming_day", "number"), *self._refused(body)])
            case "count_sheet_received":
                sheet = self._handed.pop(number(body.get("sheet")), {})
                yield line_of([*cells(sheet, "gaming_day", "number"), *self._received(body)])
            case "sign_off":
                self._boxes.pop(number(body.get("box")), None)
                self._ways.pop(number(body.get("box")), None)

    def _written(self, rows: list[Body]) -> Iterator[bytes]:
        sheet = rows[0] if rows[0].get("record") == "count_sheet" else {}
        last: dict[int, int] = {}
        for row in rows:
            if row.get("record") == "count":
                last[number(row.get("box"))] = number(row.get("attempt"))
        if sheet.get("to_cashier"):
            self._handed[number(sheet.get("id"))] = sheet
        ways = [(box, row) for box in last for row in self._ways.get(box, ())]
        begun = 1 if sheet else 0
        lines = [self._line(row, last) for row in rows]
        for line in (*lines[:begun], *(self._way(box, row) for box, row in ways), *lines[begun:]):
            yield line_of([*cells(sheet, "gaming_day", "number"), *line])

    def _line(self, row: Body, last: Mapping[int, int]) -> list[str]:
        match row.get("record"):
            case "count":
                return self._count(row, last)
            case "count_note":
                return [
                    *cells(row, "kind"),
                    *[""] * 4,
                    *self._who(row, "person", None, "at"),
                    *[""] * 4,
                    *cells(row, "text"),
                    *[""] * 4,
                ]
            case "count_sheet":
                return [
                    "begun",
                    *[""] * 4,
                    *self._who(row, "begun_by", None, "begun_at"),
                    *[""] * 5,
                    *[""] * 4,
                ]
        tables = row.get("without_box")
        without = ", ".join(map(str, tables)) if isinstance(tables, list) else ""
        who = self._who(row, "signed_by", "signed_with", "signed_at")
        return ["signed", *[""] * 4, *who, *[""] * 5, *cells(row, *_TOTALS), cell(without)]

    def _way(self, box: int, row: Body) -> list[str]:
        """Return the line of a box that was pulled, or received on its way to the count."""
        data = mapping(row.get("data")) if row.get("record") == "house_event" else row
        pulled = data is not row
        said = (data.get("seal"), data.get("seal_reason" if pulled else "reason"), data.get("emergency"))
        state = ("emergency" if "emergency" in data else "sealed") if pulled else row.get("place")
        who = {"person": row.get("actor"), "second": data.get("second"), "at": row.get("at")}
        return [
            "pulled" if pulled else "brought",
            *cells(self._boxes.get(box, {}), "number", "place"),
            "",
            cell(state),
            *self._who(who if pulled else row, "person", "second", "at"),
            *[""] * 4,
            cell("; ".join(str(one) for one in said if one)),
            *[""] * 4,
        ]

    def _received(self, row: Body) -> list[str]:
        return [
            "received",
            *[""] * 4,
            *self._who(row, "received_by", "received_with", "received_at"),
            *(amount_text(number(row.get(f"{asset}_cents"))) for asset in _ASSETS),
            *pieces_in_words(row),
            *cells(row, "reason"),
            *[""] * 4,
        ]

    def _refused(self, row: Body) -> list[str]:
        """Return the line of a cashier's count that was refused, since it was not what the counters found."""
        return [
            *("received", "", ""),
            *cells(row, "attempt"),
            "struck",
            *self._who(row, "person", None, "at"),
            *(amount_text(number(row.get(f"{asset}_cents"))) for asset in _ASSETS),
            *pieces_in_words(row),
            *[""] * 5,
        ]

    def _count(self, row: Body, last: Mapping[int, int]) -> list[str]:
        box = number(row.get("box"))
        stands = row.get("attempt") == last[box]
        return [
            "count",
            *cells(self._boxes.get(box, {}), "number", "place"),
            *cells(row, "attempt"),
            "stands" if stands else "struck",
            *self._who(row, "counter", None, "counted_at"),
            *(amount_text(number(row.get(f"{asset}_cents"))) for asset in _ASSETS),
            *pieces_in_words(row),
            *[""] * 5,
        ]

    def _who(self, row: Body, person: str, second: str | None, at: str) -> list[str]:
        others = row.get(second) if second else None
        return [*cells(row, person), cell(others), *cells(row, at), self._local.of(row.get(at))]


class StruckCountsPaper(Paper):
    """A line for each count that was refused, two where two people counted a table's bank; in the gaming day
    in which it was recorded."""

    name = "struck_counts.csv"
    title = "Refused counts"
    purpose = "Counts of what arrived, and of tables' banks, that were refused: each attempt, struck through"
    law = "4 CCR 12386"
    signs = ("Reviewed by",)
    unprinted = ("at", "terminal")
    later = True
    columns = (
        *("gaming_day", "shift", "place", "attempt", "state", "person", "at", "local_time", "terminal"),
        *("chips", "cash", "chips_pieces", "cash_pieces"),
    )
    group = PaperGroup.CAGE
    place = 425
    takes = frozenset({"struck_count", "closed_day"})

    def __init__(self, setting: PaperSource) -> None:
        super().__init__(setting)
        self._days = DaysOfRecords(setting)

    def take(self, body: Body) -> Iterator[bytes]:
        self._days.close(body)
        if body.get("record") != "struck_count":
            return
        day, at = self._days.of(body), body.get("at")
        said = {**body, "gaming_day": day, "shift": self.setting.shift(day, at), "local_time": at}
        said["state"] = "struck"
        yield self.written({**said, **_figures(body)})
        if "second" in body:
            again = {"pieces": body.get("second_pieces")}
            yield self.written({**said, "person": body["second"], **_figures(again)})


def _figures(said: Body) -> dict[str, Any]:
    """Return a count by its pieces: in words, and what they come to."""
    try:
        found = pieces_of(mapping(said.get("pieces")))
    except UNREADABLE:
        return {}
    in_words = dict(zip(("chips_pieces", "cash_pieces"), pieces_in_words(said), strict=True))
    return {"chips": found.chips_cents, "cash": found.cash_cents, **in_words}


def pieces_in_words(row: Body) -> list[str]:
    """Return the pieces of each asset as `12 x $5, 3 x $1`."""
    try:
        found = pieces_of(mapping(row.get("pieces")))
    except UNREADABLE:
        return ["", ""]
    return [
        cell(
            ", ".join(f"{one} x {value_text(value)}" for value, one in sorted(found.of(asset).items())[::-1])
        )
        for asset in _ASSETS
    ]


declare_papers(CountSheetsPaper, StruckCountsPaper)
