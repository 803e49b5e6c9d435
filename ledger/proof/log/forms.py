"""The forms of a paper: its CSV, a workbook, printed pages, each written to a file from the same lines."""

import csv
import io
import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import date
from typing import IO, Final
from zoneinfo import ZoneInfo

from ledger.errors import BadPaper
from ledger.journal.acts import Act
from ledger.journal.days import open_among
from ledger.models import Site
from ledger.papers.cells import line_of
from ledger.papers.paper import Paper, declared
from ledger.printing.page import printed
from ledger.printing.reading import NAMES_FROM, About, Names, names_in, rows
from ledger.printing.workbook import write_workbook
from ledger.proof.log.exporting import papers_taken

ALL: Final = "all"
"""Every paper, in one workbook."""
PARTS: Final = ("table", "shift", "player")
"""The columns by which somebody may take a part of a paper."""
CSV, XLSX, PDF = "csv", "xlsx", "pdf"
Files = Mapping[str, IO[bytes]]


@dataclass(frozen=True)
class AskedPaper:
    """A paper that somebody asks for: its name without ending, or ALL; its form; gaming days; whether players
    are named; its `part`, as pairs of a column of PARTS and a value; and the `terms` under which it is made,
    if any."""

    name: str
    form: str
    days: tuple[date, date]
    players: bool
    part: tuple[tuple[str, str], ...] = ()
    terms: tuple[tuple[str, str], ...] = ()

    @property
    def part_in_words(self) -> str:
        return ", ".join(f"{column} {value}" for column, value in self.part)

    @property
    def terms_in_words(self) -> str:
        return ", ".join(f"{name} {value}" for name, value in self.terms)

    @property
    def period(self) -> str:
        first, last = self.days
        return f"{first}" if first == last else f"{first} to {last}"

    @property
    def file(self) -> str:
        part = "".join(f"-{column}-{value}" for column, value in self.part)
        return f"{self.name}-{self.period.replace(' to ', '-')}{part}.{self.form}"


@dataclass(frozen=True)
class Written:
    """Lines below the heads, and leaves of the checkpoint."""

    lines: int
    leaves: int


def slug(paper: type[Paper]) -> str:
    return paper.name.removesuffix(".csv")


def papers_of(asked: AskedPaper) -> list[type[Paper]]:
    """Return the papers asked for; for a part, those with its columns. Raises BadPaper."""
    columns = {column for column, _ in asked.part}
    found = [
        paper
        for paper in declared(players=asked.players)
        if asked.name in (ALL, slug(paper)) and columns <= {*paper.columns}
    ]
    if not found or asked.form not in WRITERS or (asked.name == ALL and asked.form != XLSX):
        raise BadPaper(f"There is no paper {asked.name} as {asked.form}.")
    return found


def write(
    out: IO[bytes],
    asked: AskedPaper,
    *,
    site: Site,
    progress: Callable[[int, int], None] = lambda done, of: None,
    act: Act,
) -> Written:
    """Write a paper. Raises BadPaper, BadPeriod, NotSealed, PaperTooLong, PaperNotSet."""
    papers, open_day = papers_of(asked), open_among(site, asked.days)
    only = {*NAMES_FROM, *(paper.name for paper in papers)}
    made = papers_taken(site, asked.days, players=asked.players, only=only, progress=progress, now=act.now)
    with made as taken, ExitStack() as stack:
        about = About(
            house=site.name,
            licence=site.licence,
            zone=ZoneInfo(site.time_zone),
            period=asked.period,
            part=asked.part_in_words,
            open_day=open_day,
            made_by=act.actor.get_full_name() or str(act.actor),
            made_at=act.now,
            log=taken.manifest.origin,
            leaves=taken.signed.size,
            root=taken.signed.note.splitlines()[2],  # origin, size, root
        )
        files = taken.files
        if asked.part:
            files = {
                paper.name: stack.enter_context(_part(paper, files[paper.name], asked)) for paper in papers
            }
        lines = WRITERS[asked.form](out, papers, files, names_in(taken.files), about)
        return Written(lines, taken.signed.size)


def _part(paper: type[Paper], file: IO[bytes], asked: AskedPaper) -> IO[bytes]:
    """Return the lines of a paper whose columns have the values asked for."""
    wanted = [(paper.columns.index(column), value) for column, value in asked.part]
    part = tempfile.TemporaryFile()  # noqa: SIM115 (whoever asks closes it)
    file.seek(0)
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    for number, line in enumerate(csv.reader(text)):
        if not number or all(line[place] == value for place, value in wanted):
            part.write(line_of(line))
    text.detach()
    part.seek(0)
    return part


def _csv(out: IO[bytes], papers: list[type[Paper]], files: Files, names: Names, about: About) -> int:
    file = files[papers[0].name]
    count = sum(1 for _ in rows(file))
    file.seek(0)
    while block := file.read(1 << 16):
        out.write(block)
    return count


def _xlsx(out: IO[bytes], papers: list[type[Paper]], files: Files, names: Names, about: About) -> int:
    return write_workbook(out, papers, files, names=names, about=about)


def _pdf(out: IO[bytes], papers: list[type[Paper]], files: Files, names: Names, about: About) -> int:
    pdf, count = printed(papers[0], files[papers[0].name], names=names, about=about)
    out.write(pdf)
    return count


WRITERS: Final = {CSV: _csv, XLSX: _xlsx, PDF: _pdf}
