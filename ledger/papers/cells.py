"""Lines of CSV and their cells: the same bytes on every computer, and safe to open in a spreadsheet. Pure.
Nothing here raises, whatever a record contains: unreadable values are written as they are, or left empty."""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

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
