"""The paper of count sheets: the count of each drop box, by whom, and who signed. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any

from ledger.papers.cells import cell, listed, mapping, number
from ledger.papers.paper import Paper, PaperGroup, PaperSource, declare_papers
from ledger.records.findings import UNREADABLE, Body
from ledger.rules.denominations import pieces_of, value_text

_ASSETS = ("chips", "cash")
_PIECES = tuple(f"{asset}_pieces" for asset in _ASSETS)
_TOTALS = ("installed", "pulled", "counted")


class CountSheetsPaper(Paper):
    """The lines of a count sheet, in the gaming day of its boxes, written when it is signed: its beginning,
    how its sealed boxes and those of an emergency drop were pulled and brought, each count and note in order,
    the signatures. A count `stands` if it is of the last attempt at its box; others are `struck`. The
    cashier's receipt, and each refused count of it, is written when it is recorded."""

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
                struck = {"line": "received", "attempt": body.get("attempt"), "state": "struck"}
                yield self._of(sheet, {**struck, **_who(body, "person", "at"), **_counted(body)})
            case "count_sheet_received":
                sheet = self._handed.pop(number(body.get("sheet")), {})
                who = _who(body, "received_by", "received_at", second="received_with")
                text = {"line": "received", "text": body.get("reason")}
                yield self._of(sheet, {**text, **who, **_counted(body)})
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
        ways = [self._way(box, row) for box in last for row in self._ways.get(box, ())]
        begun = 1 if sheet else 0
        lines = [self._line(row, last) for row in rows]
        for line in (*lines[:begun], *ways, *lines[begun:]):
            yield self._of(sheet, line)

    def _of(self, sheet: Body, said: Mapping[str, Any]) -> bytes:
        return self.written({"gaming_day": sheet.get("gaming_day"), "sheet": sheet.get("number"), **said})

    def _line(self, row: Body, last: Mapping[int, int]) -> dict[str, Any]:
        match row.get("record"):
            case "count":
                box = number(row.get("box"))
                stands = row.get("attempt") == last[box]
                return {
                    "line": "count",
                    **self._box(box),
                    "attempt": row.get("attempt"),
                    "state": "stands" if stands else "struck",
                    **_who(row, "counter", "counted_at"),
                    **_counted(row),
                }
            case "count_note":
                return {"line": row.get("kind"), **_who(row, "person", "at"), "text": row.get("text")}
            case "count_sheet":
                return {"line": "begun", **_who(row, "begun_by", "begun_at")}
        totals = {name: row.get(name) for name in _TOTALS}
        who = _who(row, "signed_by", "signed_at", second="signed_with")
        return {"line": "signed", **who, **totals, "without_box": listed(row.get("without_box"))}

    def _box(self, box: int) -> dict[str, Any]:
        installed = self._boxes.get(box, {})
        return {"box": installed.get("number"), "place": installed.get("place")}

    def _way(self, box: int, row: Body) -> dict[str, Any]:
        """Return the line of a box that was pulled, or received on its way to the count."""
        data = mapping(row.get("data")) if row.get("record") == "house_event" else row
        pulled = data is not row
        said = (data.get("seal"), data.get("seal_reason" if pulled else "reason"), data.get("emergency"))
        return {
            "line": "pulled" if pulled else "brought",
            **self._box(box),
            "state": ("emergency" if "emergency" in data else "sealed") if pulled else row.get("place"),
            **_who(row, "actor" if pulled else "person", "at"),
            "second": data.get("second"),
            "text": "; ".join(str(one) for one in said if one),
        }


def _who(row: Body, person: str, at: str, second: str = "") -> dict[str, Any]:
    moment = {"at": row.get(at), "local_time": row.get(at)}
    return {"person": row.get(person), "second": row.get(second), **moment}


def _counted(row: Body) -> dict[str, Any]:
    """Return the amounts and the pieces of a recorded count."""
    amounts = {asset: number(row.get(f"{asset}_cents")) for asset in _ASSETS}
    return {**amounts, **dict(zip(_PIECES, pieces_in_words(row), strict=True))}


class StruckCountsPaper(Paper):
    """A line for each refused count, two if two people counted a table's bank; in the gaming day in which it
    was recorded."""

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

    def take(self, body: Body) -> Iterator[bytes]:
        self.dates.close(body)
        if body.get("record") != "struck_count":
            return
        said = {**body, **self.dated(self.dates.of(body), body.get("at")), "state": "struck"}
        yield self.written({**said, **_figures(body)})
        if "second" in body:
            again = {"pieces": body.get("second_pieces")}
            yield self.written({**said, "person": body["second"], **_figures(again)})


def _figures(said: Body) -> dict[str, Any]:
    """Return the pieces of a count in words, and their amount."""
    try:
        found = pieces_of(mapping(said.get("pieces")))
    except UNREADABLE:
        return {}
    in_words = dict(zip(_PIECES, pieces_in_words(said), strict=True))
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
