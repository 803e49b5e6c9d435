"""A paper as printed pages (PDF/A-2b), set by typst (paper.typ) with fonts of the project."""

import json
import subprocess
import sys
from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import IO, Any

from ledger.errors import PaperNotSet, PaperTooLong
from ledger.money import dollars
from ledger.papers.cells import CellKind, heading
from ledger.papers.paper import Paper
from ledger.printing.reading import About, Names, cents_in, kinds_of, local_in, moment_in, rows

MOST_LINES = 2_000
"""The most lines of a printed paper: more would fill a server's memory, and nobody reads them on paper."""
PATIENCE_SECONDS = 60
_WIDE, _NARROW, _LONG = 9, 16, 22
"""The numbers of columns from which a page is landscape; from which the type is smaller and no column is
wider than it needs; and from which it is legal size."""
_RIGHT = frozenset({CellKind.AMOUNT, CellKind.PERCENT, CellKind.NUMBER})
_TIMES = frozenset({CellKind.MOMENT, CellKind.LOCAL, CellKind.DAY})
_MOST_OF_A_WIDTH = 19
"""The letters of a number or time for which a column is made wide enough; longer ones are not of the
house."""
_ROOT = Path(__file__).resolve().parents[2]


def printed(paper: type[Paper], file: IO[bytes], *, names: Names, about: About) -> tuple[bytes, int]:
    """Return a paper as a PDF, and how many lines it has. Empty columns are left out. Raises PaperTooLong,
    PaperNotSet."""
    lines = list(islice(rows(file), MOST_LINES + 1))
    if len(lines) > MOST_LINES:
        raise PaperTooLong(
            f"{paper.title} has more than {MOST_LINES:,} lines here, too many to print: take XLSX or CSV."
        )
    said = _said(paper, lines, names, about) | {"code": _code(file) + (" (part)" if about.part else "")}
    return _set(said), len(lines)


def _said(paper: type[Paper], lines: Sequence[list[str]], names: Names, about: About) -> dict[str, Any]:
    kinds = kinds_of(paper)
    there = [place for place in range(len(kinds)) if _has_room(paper, place, lines, about)] or [0]
    sums = dict.fromkeys(paper.sums, 0)
    for line in lines:
        for place in there:
            if (name := paper.columns[place]) in sums:
                sums[name] += cents_in(line[place]) or 0
    columns = [paper.columns[place] for place in there]
    summed = [dollars(sums[name]) if name in sums else "" for name in columns]
    shown_rows = [[_cell(kinds[place], line[place], names, about) for place in there] for line in lines]
    widest = [_widest(cells) for cells in zip(*shown_rows, summed, strict=True)]
    shown = {
        "title": paper.title,
        "law": paper.law,
        "house": about.house,
        "licence": about.licence,
        "period": about.of,
        "made": about.made,
        "made_at": int(about.made_at.timestamp()),
        "checkpoint": about.checkpoint,
        "paper": "us-legal" if len(there) >= _LONG else "us-letter",
        "wide": len(there) >= _WIDE,
        "size": 6 if len(there) >= _NARROW else 7.5,
        "columns": [
            {
                "title": heading(paper.columns[place]),
                "right": kinds[place] in _RIGHT,
                "long": kinds[place] is CellKind.TEXT and len(there) < _NARROW,
                "time": kinds[place] in _TIMES,
                "widest": cell if kinds[place] in _RIGHT | _TIMES else "",
            }
            for place, cell in zip(there, widest, strict=True)
        ],
        "rows": shown_rows,
        "sums": [cell or ("Sum" if not place else "") for place, cell in enumerate(summed)]
        if sums and lines
        else [],
        "signs": list(paper.signs),
    }
    return {name: _readable(value) for name, value in shown.items()}


def _widest(cells: Sequence[str]) -> str:
    """Return the longest number or time of a column; digits are equally wide."""
    return max((cell for cell in cells if len(cell) <= _MOST_OF_A_WIDTH), key=len, default="")


def _has_room(paper: type[Paper], place: int, lines: Sequence[list[str]], about: About) -> bool:
    """Return whether a column is printed: it has a value that the head of the page does not already have."""
    if paper.columns[place] in paper.unprinted:
        return False
    return any(line[place] not in ("", about.period) for line in lines)


def _cell(kind: CellKind, text: str, names: Names, about: About) -> str:
    match kind:
        case CellKind.AMOUNT if (cents := cents_in(text)) is not None:
            return dollars(cents)
        case CellKind.MOMENT if moment := moment_in(text, about.zone):
            return f"{moment:%Y-%m-%d %H:%M:%S}"
        case CellKind.LOCAL if moment := local_in(text):
            return f"{moment:%Y-%m-%d %H:%M:%S}"
        case CellKind.MINUTE:
            return text.partition(".")[0]
        case CellKind.CODE:
            return text.replace("_", " ")
    return names.of(kind, text)


def _code(file: IO[bytes]) -> str:
    """Return the first digits of the SHA-256 of the paper's CSV, which tell it from any other."""
    file.seek(0)
    found = sha256()
    while block := file.read(1 << 16):
        found.update(block)
    return found.hexdigest()[:12]


def _readable(value: Any) -> Any:
    """Replace characters that no font has by their number: nothing is left out, and nothing raises."""
    match value:
        case str():
            return "".join(letter if _has(letter) else f"[U+{ord(letter):04X}]" for letter in value)
        case list():
            return [_readable(one) for one in value]
        case dict():
            return {name: _readable(one) for name, one in value.items()}
    return value


def _has(letter: str) -> bool:
    begins, ends = _coverage()
    place = bisect_right(begins, ord(letter)) - 1
    return place >= 0 and ord(letter) <= ends[place]


@cache
def _coverage() -> tuple[list[int], list[int]]:
    lines = (Path(__file__).parent / "fonts" / "coverage.txt").read_text().split()
    ranges = [tuple(int(end, 16) for end in line.split("-")) for line in lines]
    return [first for first, _ in ranges], [last for _, last in ranges]


def _set(said: dict[str, Any]) -> bytes:
    try:
        done = subprocess.run(
            [sys.executable, "-m", "ledger.printing.typesetting"],
            input=json.dumps(said).encode(),
            cwd=_ROOT,
            capture_output=True,
            check=False,
            timeout=PATIENCE_SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        raise PaperNotSet("This paper took too long to print: take XLSX or CSV.") from error
    if done.returncode:
        raise PaperNotSet("This paper could not be printed: take XLSX or CSV.")
    return done.stdout
