"""Pages of a paper's lines: where a reader goes on, and proof that nothing before has changed. Pure. A cursor
has the number of lines read so far, and the digest of the question and of those lines. So a paper of an open
day can be read on tomorrow, and the cursor is refused if earlier lines have changed."""

import csv
import io
import json
import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from typing import IO, Any, Final

from ledger.papers.cells import KINDS_OF_CELLS, CellKind, unguarded
from ledger.papers.paper import Paper

_CURSOR: Final = re.compile(r"([0-9]{1,12})-([0-9a-f]{16})", re.ASCII)
_WHOLE: Final = frozenset({CellKind.NUMBER, CellKind.PERSON, CellKind.PLAYER})
"""The kinds of cell that are numbers in JSON."""


@dataclass(frozen=True)
class PageOfPaper:
    """Some lines of a paper: `begins` is the number of lines before them, `cursor` continues behind them, and
    `more` says whether others follow."""

    head: bytes
    begins: int
    lines: int
    cursor: str
    more: bool


def is_cursor(text: str) -> bool:
    return _CURSOR.fullmatch(text) is not None


def page_of(file: IO[bytes], asked: str, after: str, most: int | None) -> PageOfPaper | None:
    """Return the page of `most` lines behind a cursor ("": from the start); `asked` identifies the file. None
    if the lines before the cursor are not those it was made for."""
    match = _CURSOR.fullmatch(after)
    behind = int(match[1]) if match else 0
    file.seek(0)
    lines = lines_of(file)
    head = next(lines, b"")
    digest, begins, before = sha256(asked.encode() + b"\n" + head), len(head), 0
    for line in islice(lines, behind):
        digest.update(line)
        begins, before = begins + len(line), before + 1
    if match and (before < behind or digest.hexdigest()[:16] != match[2]):
        return None
    count = 0
    for line in islice(lines, most):
        digest.update(line)
        count += 1
    more = next(lines, None) is not None
    return PageOfPaper(head, begins, count, f"{behind + count}-{digest.hexdigest()[:16]}", more)


def lines_of(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of a CSV from here, each with its end. A quoted cell may have line ends of its own."""
    parts: list[bytes] = []
    quotes = 0
    for part in file:
        parts.append(part)
        quotes += part.count(b'"')
        if not quotes % 2:
            yield b"".join(parts)
            parts, quotes = [], 0
    if parts:
        yield b"".join(parts)


def in_csv(file: IO[bytes], page: PageOfPaper) -> Generator[bytes, None, None]:
    """Yield the lines of a page below the names of their columns."""
    yield page.head
    file.seek(page.begins)
    yield from islice(lines_of(file), page.lines)


def in_json(file: IO[bytes], page: PageOfPaper, paper: type[Paper]) -> Generator[bytes, None, None]:
    """Yield each line of a page as an object on a line of its own; its values as in `value_of`."""
    file.seek(page.begins)
    for line in islice(lines_of(file), page.lines):
        texts = next(csv.reader(io.StringIO(line.decode(), newline="")))
        said = dict(zip(paper.columns, map(value_of, paper.columns, texts), strict=True))
        yield json.dumps(said, ensure_ascii=False).encode() + b"\n"


def value_of(column: str, cell: str) -> Any:
    """Return a cell's value in JSON: null if empty, a number if its column counts or identifies somebody by
    number, else text. Amounts are text with two decimals, so that no cent is lost."""
    text = unguarded(cell)
    if KINDS_OF_CELLS[column] in _WHOLE and text.isascii() and text.isdigit() and str(int(text[:18])) == text:
        return int(text)
    return text or None


def type_of(column: str) -> list[str]:
    """Return the types that `value_of` gives, as JSON Schema names them."""
    return ["integer", "string", "null"] if KINDS_OF_CELLS[column] in _WHOLE else ["string", "null"]
