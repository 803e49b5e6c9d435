"""Lines of CSV and their cells: the same bytes on every computer, and safe to open in a spreadsheet. Pure.
Nothing here raises, whatever a record contains: unreadable values are written as they are, or left empty."""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import Any

from ledger.records.declaring import Field, Place

FORMULA = frozenset("=+-@\t\r\n")
_AMOUNT = re.compile(r"-?[0-9]{1,16}\.[0-9]{2}", re.ASCII)
_MINUTE = re.compile(r"([0-9]+)\.([0-9]{1,6})", re.ASCII)


class _Echo:
    """A write-through buffer: lets csv.writer return each line instead of storing it."""

    def write(self, line: str) -> str:
        return line


_WRITE: Any = csv.writer(_Echo(), lineterminator="\r\n").writerow


def line_of(texts: Sequence[str]) -> bytes:
    return encoded(joined(texts))


def joined(texts: Sequence[str]) -> str:
    """Return a line of two or more cells, without its end. Hardly any needs quotes."""
    line = ",".join(texts)
    if line.count(",") < len(texts) and '"' not in line and "\n" not in line and "\r" not in line:
        return line
    written: str = _WRITE(texts)
    return written[:-2]


def encoded(line: str) -> bytes:
    return (line + "\r\n").encode(errors="replace")


def cells(of: Mapping[str, Any], *names: str) -> list[str]:
    return [cell(of.get(name)) for name in names]


def cell(value: Any) -> str:
    """Return a cell's text. A leading ' protects what a spreadsheet would read as a formula."""
    if value is None:
        return ""
    if type(value) is int:
        return str(value)
    text = str(value)
    return f"'{text}" if text[:1] in FORMULA else text


@lru_cache(maxsize=256)
def quoted(text: str) -> str:
    """Return a cell for a line that is joined by hand, in quotes if needed."""
    line: str = _WRITE([cell(text), ""])
    return line[:-3]


def unguarded(text: str) -> str:
    """Return the text of a cell without its guard against formulas."""
    return text[1:] if text[:1] == "'" and text[1:2] in FORMULA else text


def amount(value: Any) -> str:
    """Return a recorded amount; a negative one stays a number for a spreadsheet."""
    return value if isinstance(value, str) and _AMOUNT.fullmatch(value) else cell(value)


def cents_in(text: Any) -> int:
    """Return the cents of a recorded amount; 0 if it is malformed."""
    return int(str(text).replace(".", "")) if _AMOUNT.fullmatch(str(text)) else 0


def minute(seconds: Any) -> str:
    """Format seconds (`1200.000000`) as minutes on a clock (20:00.000000)."""
    found = _MINUTE.fullmatch(seconds) if isinstance(seconds, str) else None
    if found is None:
        return cell(seconds)
    whole = int(found[1][:18])
    return f"{whole // 60}:{whole % 60:02d}.{found[2]:0<6}"


def mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def mappings(value: Any) -> Iterator[Mapping[str, Any]]:
    """Return the items of a list as mappings; none of anything else."""
    return map(mapping, value if isinstance(value, list) else ())


def listed(value: Any) -> str:
    """Return the items of a list as one text; empty for anything else."""
    return ", ".join(map(str, value)) if isinstance(value, list) else ""


def pair(value: Any) -> tuple[Any, Any]:
    """Return the two items of a list of two; None twice for anything else."""
    return (value[0], value[1]) if isinstance(value, list) and len(value) == 2 else (None, None)


def number(value: Any) -> int:
    return value if type(value) is int else 0


class CellKind(StrEnum):
    TEXT = "text"
    CODE = "code"  # a word of the records, as table_bank
    DAY = "day"  # 2026-03-07
    MOMENT = "moment"  # UTC, as 2026-03-08T05:00:16.000000Z
    LOCAL = "local"  # the house's own time, with its offset
    MINUTE = "minute"  # on the clock of a down, as 20:00.000000
    AMOUNT = "amount"  # dollars, with two decimals
    PERCENT = "percent"  # with two decimals
    NUMBER = "number"  # a count, or the number of something
    PERSON = "person"  # one of the staff, by the number that staff.csv explains
    PLAYER = "player"  # likewise by players.csv


_NAMES = {
    CellKind.DAY: "gaming_day due effective_from effective_to first_day last_day",
    CellKind.MOMENT: """occurred_at recorded_at charged_at counted_at opened_at closed_at at since
        until requested_at authorised_at sent_at received_at voided_at claimed_at released_at installed_at
        pulled_at stored_at entered_at created last_sign_in""",
    CellKind.LOCAL: "local_time",
    CellKind.AMOUNT: """amount fee limit seat_1 seat_2 seat_3 seat_4 seat_5 denomination chips cash
        chips_in cash_in chips_out cash_out expected_chips expected_cash counted_chips counted_cash
        over_chips over_cash over_short in out balance chips_held cash_held before after collected owed
        recovered paid fees_stack fees_cash fees_cage fees_taken waived fees_uncollected openers fills
        credits closers drop_chips drop_cash over_box over_bank variance total_in total_out report_above
        full_amount half_amount waived_amount uncollected_amount recovered_amount window_amount still_due
        in_other_boxes of_elsewhere expected counted_amount""",
    CellKind.NUMBER: """entry session round down line reverses table sitting option version charge
        waiver uncollected recovery reversal_slip from to number first_count second_count shift box
        attempt installed pulled counted boxes serial pieces seat transaction transactions receipt
        round_id record_id dispute shift_to full_fees half_fees waived_fees uncollected_fees
        recovered_fees window_fees tested failed""",
    CellKind.PERSON: """actor approver person counted_by counted_with second cashier first signed_by
        requested_by authorised_by sent_by received_by received_with voided_by claimed_by released_by
        installed_by pulled_by pulled_with stored_by stored_with published_by""",
    CellKind.PLAYER: "player",
    CellKind.MINUTE: "minute",
    CellKind.CODE: """kind from_kind to_kind asset rule taken_by way outcome step what account_kind
        state record game schedule control need""",
    CellKind.TEXT: """key terminal reason sheet place cause account value text reference chips_pieces
        cash_pieces given_chips given_cash without_box carrier seal seal_read emergency chain tables
        negative receipts recorded_by places object old new role players told quarter username name roles
        works_here evidence area title law passes rows part subject note said""",
    CellKind.PERCENT: "percent",
}
KINDS_OF_CELLS: dict[str, CellKind] = {name: kind for kind, names in _NAMES.items() for name in names.split()}
"""Column -> kind of cell. A test names what a paper has and this table lacks."""


def declare_kinds(cells: Mapping[str, tuple[Place, Field]]) -> None:
    """Say what is in the columns that records declare (`Cell`), where the table does not say it."""
    for column, (_, one) in cells.items():
        kind = CellKind.NUMBER if one.look.types == {int} else CellKind.TEXT
        KINDS_OF_CELLS.setdefault(column, kind)


def heading(column: str) -> str:
    """Return a column's heading for people: `over_cash` is `Over cash`."""
    return column.replace("_", " ").capitalize()
