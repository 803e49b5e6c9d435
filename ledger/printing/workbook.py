"""Papers as a workbook (XLSX): a sheet each, with dates, amounts and numbers that a spreadsheet can calculate
with, and a sheet about their source. Memory is constant."""

from collections.abc import Iterable, Mapping
from typing import IO, Any

import xlsxwriter

from ledger.papers.cells import CellKind, heading
from ledger.papers.paper import Paper
from ledger.printing.reading import About, Names, cents_in, day_in, kinds_of, local_in, moment_in, rows

MOST_ROWS = 1_048_570
"""The most rows of a sheet; the paper continues on another one."""
MOST_OF_A_TITLE = 28
"""The letters of a sheet's name; Excel allows 31, and a number may follow."""
_MOST_OF_A_NUMBER = 15  # digits that a spreadsheet keeps
_WIDTHS = {
    **dict.fromkeys((CellKind.MOMENT, CellKind.LOCAL), 19),
    **dict.fromkeys((CellKind.AMOUNT, CellKind.MINUTE), 13),
    **dict.fromkeys((CellKind.DAY, CellKind.NUMBER, CellKind.PERCENT), 11),
}
_OTHERS = 20
_FORMATS = {
    CellKind.DAY: "yyyy-mm-dd",
    CellKind.MOMENT: "yyyy-mm-dd hh:mm:ss",
    CellKind.LOCAL: "yyyy-mm-dd hh:mm:ss",
    CellKind.AMOUNT: "#,##0.00;[Red]-#,##0.00",
    CellKind.PERCENT: "0.00;[Red]-0.00",
}
_SAFE = {
    "constant_memory": True,
    "strings_to_formulas": False,
    "strings_to_numbers": False,
    "strings_to_urls": False,
}


def write_workbook(
    out: IO[bytes],
    papers: Iterable[type[Paper]],
    files: Mapping[str, IO[bytes]],
    *,
    names: Names,
    about: About,
) -> int:
    """Write a workbook of these papers to `out`; return how many lines they have together."""
    book = xlsxwriter.Workbook(out, _SAFE)
    made = about.made_at.replace(tzinfo=None)
    book.set_properties({"title": about.period, "author": about.house, "created": made})
    bold = book.add_format({"bold": True})
    chosen = list(papers)
    _write_about(book, bold, chosen, about)
    count = sum(_Sheets(book, bold, paper, about, names).write(files[paper.name]) for paper in chosen)
    book.close()
    return count


def _write_about(book: Any, bold: Any, papers: Iterable[type[Paper]], about: About) -> None:
    sheet = book.add_worksheet("About")
    sheet.set_column(0, 0, 22)
    sheet.set_column(1, 1, 90)
    said = [
        ("Establishment", about.house),
        ("Licence", about.licence),
        ("Gaming days", about.of),
        ("Made", about.made),
        ("From checkpoint", about.checkpoint),
        ("Times", f"Of the house's clock, {about.zone.key}"),
        ("To check", "An export of the same days (Books, Audit log) proves these lines by its verify.pyz."),
        *((paper.title, paper.law) for paper in papers),
    ]
    for row, (what, value) in enumerate(said):
        sheet.write_string(row, 0, what, bold)
        sheet.write_string(row, 1, value)


class _Sheets:
    """The sheet of a paper, and further ones where one is not long enough."""

    def __init__(self, book: Any, bold: Any, paper: type[Paper], about: About, names: Names) -> None:
        self._book, self._bold = book, bold
        self._shown = {kind: book.add_format({"num_format": how}) for kind, how in _FORMATS.items()}
        self._paper, self._about, self._names = paper, about, names
        self._kinds = kinds_of(paper)
        self._number = 0

    def write(self, file: IO[bytes]) -> int:
        count, row = 0, MOST_ROWS
        sheet: Any = None
        sums = dict.fromkeys(self._paper.sums, 0)
        for line in rows(file):
            if row >= MOST_ROWS:
                sheet, row = self._begin(), 0
            row, count = row + 1, count + 1
            for column, (kind, text) in enumerate(zip(self._kinds, line, strict=True)):
                self._cell(sheet, row, column, kind, text)
                if self._paper.columns[column] in sums:
                    sums[self._paper.columns[column]] += cents_in(text) or 0
        if sheet is None:
            self._begin()
        elif sums:
            self._sum(sheet, row + 1, sums)
        return count

    def _begin(self) -> Any:
        self._number += 1
        title = self._paper.title[:MOST_OF_A_TITLE]
        sheet = self._book.add_worksheet(title if self._number == 1 else f"{title} {self._number}")
        for column, (name, kind) in enumerate(zip(self._paper.columns, self._kinds, strict=True)):
            sheet.set_column(column, column, _WIDTHS.get(kind, _OTHERS), self._shown.get(kind))
            sheet.write_string(0, column, heading(name), self._bold)
        sheet.freeze_panes(1, 0)
        return sheet

    def _cell(self, sheet: Any, row: int, column: int, kind: CellKind, text: str) -> None:
        value: Any = None
        if not text:
            return
        match kind:
            case CellKind.AMOUNT | CellKind.PERCENT if (cents := cents_in(text)) is not None:
                sheet.write_number(row, column, cents / 100, self._shown[kind])
            case CellKind.NUMBER if text.isdecimal() and len(text) <= _MOST_OF_A_NUMBER:
                sheet.write_number(row, column, int(text))
            case CellKind.DAY if value := day_in(text):
                sheet.write_datetime(row, column, value, self._shown[kind])
            case CellKind.MOMENT if value := moment_in(text, self._about.zone):
                sheet.write_datetime(row, column, value, self._shown[kind])
            case CellKind.LOCAL if value := local_in(text):
                sheet.write_datetime(row, column, value, self._shown[kind])
            case _:
                sheet.write_string(row, column, self._names.of(kind, text))

    def _sum(self, sheet: Any, row: int, sums: Mapping[str, int]) -> None:
        sheet.write_string(row, 0, "Sum", self._bold)
        for column, name in enumerate(self._paper.columns):
            if name in sums:
                sheet.write_number(row, column, sums[name] / 100, self._shown[CellKind.AMOUNT])
