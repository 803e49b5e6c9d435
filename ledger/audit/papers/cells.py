"""Lines of CSV and their cells: the same bytes on every computer, and safe to open in a spreadsheet. Pure.

Nothing here raises, whatever a record contains: what cannot be read is written as it is, or left empty.
"""

import csv
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

_FORMULA = frozenset("=+-@\t\r\n")
_AMOUNT = re.compile(r"-?[0-9]{1,16}\.[0-9]{2}", re.ASCII)
_MINUTE = re.compile(r"([0-9]+)\.([0-9]{1,6})", re.ASCII)


class _Echo:
    """A write-through buffer: lets csv.writer return each line instead of storing it."""

    def write(self, line: str) -> str:
        return line


_WRITE: Any = csv.writer(_Echo(), lineterminator="\r\n").writerow


def line_of(texts: Sequence[str]) -> bytes:
    """Return a line of CSV with its end."""
    return encoded(joined(texts))


def joined(texts: Sequence[str]) -> str:
    """Return a line of two or more cells, without its end. Nearly none has a cell that needs quotes."""
    line = ",".join(texts)
    if line.count(",") < len(texts) and '"' not in line and "\n" not in line and "\r" not in line:
        return line
    written: str = _WRITE(texts)
    return written[:-2]


def encoded(line: str) -> bytes:
    """Return the bytes of a line, with its end."""
    return (line + "\r\n").encode(errors="replace")


def cells(of: Mapping[str, Any], *names: str) -> list[str]:
    """Return the cells of these fields of a record."""
    return [cell(of.get(name)) for name in names]


def cell(value: Any) -> str:
    """Return a cell's text. A leading ' protects what a spreadsheet would read as a formula."""
    if value is None:
        return ""
    if type(value) is int:
        return str(value)
    text = str(value)
    return f"'{text}" if text[:1] in _FORMULA else text


@lru_cache(maxsize=256)
def quoted(text: str) -> str:
    """Return a text as a cell of a line that is put together by hand, in quotes if it needs them."""
    line: str = _WRITE([cell(text), ""])
    return line[:-3]


def amount(value: Any) -> str:
    """Return an amount that the record has as text; a negative one stays a number for a spreadsheet."""
    return value if isinstance(value, str) and _AMOUNT.fullmatch(value) else cell(value)


def cents_in(text: Any) -> int:
    """Return the cents of an amount that the record has as text; 0 if it is none."""
    return int(str(text).replace(".", "")) if _AMOUNT.fullmatch(str(text)) else 0


def minute(seconds: Any) -> str:
    """Format `1200.000000` as 20:00.000000: minutes on a clock."""
    found = _MINUTE.fullmatch(seconds) if isinstance(seconds, str) else None
    if found is None:
        return cell(seconds)
    whole = int(found[1][:18])
    return f"{whole // 60}:{whole % 60:02d}.{found[2]:0<6}"


def mapping(value: Any) -> Mapping[str, Any]:
    """Return an object of a record; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def number(value: Any) -> int:
    """Return a number of a record; 0 for anything else."""
    return value if type(value) is int else 0
