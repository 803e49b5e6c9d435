"""A week of a house with everything in it: every paper says the same, cell by cell, in each form and wherever
it is read, and a stranger makes each again. Of changed records, whoever changed them, every paper that would
be another one is named."""

import csv
import io
import json
import re
import subprocess
import sys
from datetime import datetime
from functools import partial
from itertools import accumulate

import openpyxl
import pypdf
import pytest
from django.db import transaction
from django.test import override_settings
from django.urls import reverse

from ledger.errors import PaperTooLong
from ledger.money import dollars
from ledger.papers.books import StaffPaper
from ledger.papers.cells import KINDS_OF_CELLS, CellKind, heading, unguarded
from ledger.papers.controls import ControlsPaper
from ledger.papers.paper import declared
from ledger.printing import page, typesetting
from ledger.printing.reading import About, cents_in, names_in
from ledger.printing.workbook import MOST_OF_A_TITLE
from ledger.proof.audit.export.manifest import PAPERS
from ledger.proof.audit.export.verdict import verify_bundle
from ledger.proof.log import exporting, forms
from ledger.proof.log.exporting import papers_taken
from ledger.proof.log.forms import ALL, XLSX, AskedPaper
from tables.audit import main as judge
from tables.audit.table_papers import RatesPaper
from tables.log.paper_files import folder_of, write_papers
from tests.support import cage_on_screen, papers_on_screen  # noqa: F401  they say where papers are seen
from tests.support.changed_exports import members_of, packed
from tests.support.lengths import LONG, WEEK_HOURS
from tests.support.on_screen import SCREENS, Portal
from tests.support.resealed import ExportedLog
from tests.support.week import ZONE, Week
from tools import other_readers

CHANGED = (
    *("journal.csv", "collections.csv", "rates.csv", "cage_slips.csv", "struck_counts.csv"),
    *("trial_balance.csv", "disputes.csv", "system.csv", "players.csv"),
)
"""Papers of which a record is changed, in the short form all at once."""
PLAYED = {"days": 7 if LONG else 3, "tables": 2 if LONG else 1, "hours": WEEK_HOURS}
IN_THE_PORTAL = ["player_ledger.csv", *(CHANGED if LONG else ())]


@pytest.fixture(scope="module")
def played(django_db_setup, django_db_blocker):
    with django_db_blocker.unblock(), transaction.atomic():
        with override_settings(DEMO=True):
            yield Week(**PLAYED).play()
        transaction.set_rollback(True)


@pytest.fixture
def week(played, db):
    return played


@pytest.fixture(scope="module")
def exports():
    return {}


@pytest.fixture
def exported(week, exports):
    """`exported(days)`: the members of the export of these days, with the names of the players."""

    def exported(days=exporting.EVERY_DAY):
        if days not in exports:
            out = io.BytesIO()
            wanted = exporting.Wanted(days, players=True, opened=True)
            exporting.export(out, site=week.site, wanted=wanted, act=week.act("manager"))
            exports[days] = out.getvalue()
        return members_of(exports[days])

    return exported


def csv_in(members, paper):
    return members[PAPERS + paper.name]


def lines_of(data):
    """Return the lines of a paper's CSV, the head first, each cell without what guards it."""
    return [[*map(unguarded, line)] for line in csv.reader(io.StringIO(data.decode(), newline=""))]


# -- wherever it is read ---------------------------------------------------------------------------


def test_a_stranger_makes_every_paper_of_the_week_again_and_each_has_something_to_say(
    week, exported, tmp_path
):
    members = exported(week.period)
    assert {name.removeprefix(PAPERS) for name in members if name.startswith(PAPERS)} == {
        paper.name for paper in declared(players=True)
    }
    lines = {paper.name: len(lines_of(csv_in(members, paper))) for paper in declared(players=True)}
    assert [name for name, number in lines.items() if number < 2] == []
    (tmp_path / "verify.pyz").write_bytes(members["verify.pyz"])
    (tmp_path / "week.zip").write_bytes(packed(members))
    command = [sys.executable, "-I", "-S", tmp_path / "verify.pyz", tmp_path / "week.zip"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert re.search(rf"\b{sum(lines.values()):,} +lines of papers", done.stdout)


def test_the_saved_folder_of_each_day_has_the_lines_of_its_day(week, exported, tmp_path):
    write_papers(week.site, tmp_path, week.now)
    members = exported(week.period)
    of_all_time = {StaffPaper.name, RatesPaper.name, ControlsPaper.name}
    for day in week.days:
        folder = folder_of(tmp_path, week.site) / str(day)
        for paper in declared(players=False):
            saved = (folder / paper.name.replace("_", "-")).read_bytes()
            if paper.name not in of_all_time:
                assert paper.by_day
                head, *lines = csv_in(members, paper).splitlines(keepends=True)
                of_day = [line for line in lines if line.startswith(str(day).encode())]
                found, expected = map(partial(_without_balances, paper), (saved, b"".join([head, *of_day])))
                assert found == expected, (day, paper.name)


def _without_balances(paper, data):
    """A balance is only known by who reads from the first record on."""
    lines = data.splitlines()
    return [line.rpartition(b",")[0] for line in lines] if paper.name == "trial_balance.csv" else lines


@pytest.mark.parametrize("name", IN_THE_PORTAL)
def test_the_portal_and_its_api_give_the_lines_of_the_export(week, exported, client, name):
    client.force_login(week.people["compliance"])
    paper = next(one for one in declared(players=True) if one.name == name)
    members = exported(week.period)
    data = csv_in(members, paper)
    first, last = week.period
    asked = f"first={first}&last={last}" + ("&players=on" if paper.names_players else "")

    def taken(address, form):
        answer = client.get(f"{reverse(address, args=[name.removesuffix('.csv'), form])}?{asked}")
        assert answer.status_code == 200, answer.text
        return b"".join(answer.streaming_content)

    assert taken("paper", "csv") == data == taken("api-paper", "csv")
    _, *lines = lines_of(data)
    said = map(json.loads, taken("api-paper", "jsonl").splitlines())
    assert [["" if cell is None else str(cell) for cell in one.values()] for one in said] == lines
    names = names_of(members, players=paper.names_players)
    book = openpyxl.load_workbook(io.BytesIO(taken("paper", "xlsx")))
    assert in_workbook(book, paper) == of_workbook(paper, lines, names)
    if len(lines) <= page.MOST_LINES:
        columns, expected = as_printed(paper, lines, names, f"{first} to {last}")
        maker = week.people["compliance"].get_full_name()
        assert not_printed(taken("paper", "pdf"), columns, expected, maker) == []


@pytest.fixture(scope="module")
def read():
    """Pages that were read, for all papers that they show."""
    return {}


@pytest.mark.parametrize("name", [paper.name for paper in declared(players=True)])
def test_the_pages_of_the_portal_show_what_the_paper_says(week, exported, client, read, name):
    members, papers = exported(week.period), {}
    for paper in declared(players=True):
        head, *lines = lines_of(csv_in(members, paper))
        papers[paper.name] = [dict(zip(head, line, strict=True)) for line in lines]
    where = "Say in tests/support/papers_on_screen.py on which page somebody sees it."
    assert name in SCREENS, where
    shown, expected = SCREENS[name](Portal(client, week, papers, names_of(members), read))
    assert expected != []
    assert shown == expected


# -- in every form ---------------------------------------------------------------------------------


def moment(text):
    return datetime.fromisoformat(text).astimezone(ZONE).replace(tzinfo=None, microsecond=0)


def local(text):
    return datetime.fromisoformat(text).replace(tzinfo=None, microsecond=0)


AS_VALUES = {
    CellKind.AMOUNT: float,
    CellKind.PERCENT: float,
    CellKind.NUMBER: int,
    CellKind.DAY: datetime.fromisoformat,
    CellKind.MOMENT: moment,
    CellKind.LOCAL: local,
}
AS_PRINTED = {
    CellKind.AMOUNT: lambda text: dollars(round(float(text) * 100)),
    CellKind.MOMENT: lambda text: str(moment(text)),
    CellKind.LOCAL: lambda text: str(local(text)),
    CellKind.MINUTE: lambda text: text.partition(".")[0],
    CellKind.CODE: lambda text: text.replace("_", " "),
}
AS_OPENED = {
    CellKind.AMOUNT: lambda text: f"{float(text):,.2f}",
    CellKind.PERCENT: lambda text: f"{float(text):.2f}",
    CellKind.MOMENT: lambda text: str(moment(text)),
    CellKind.LOCAL: lambda text: str(local(text)),
}
"""What a cell of a CSV is in a workbook, on a page, and to somebody who opens the workbook; where it is no
such value, the same text."""


def shown(how, column, text, names):
    try:
        return how[KINDS_OF_CELLS[column]](text)
    except (KeyError, ValueError):
        return names.of(KINDS_OF_CELLS[column], text)


def sums_of(paper, lines):
    """Return the sum of each column that has one, in cents."""
    return (
        {
            name: sum(cents_in(line[place]) or 0 for line in lines)
            for place, name in enumerate(paper.columns)
            if name in paper.sums
        }
        if lines
        else {}
    )


def of_workbook(paper, lines, names):
    rows = [
        [
            shown(AS_VALUES, column, text, names) if text else None
            for column, text in zip(paper.columns, line, strict=True)
        ]
        for line in lines
    ]
    if sums := sums_of(paper, lines):
        cells = [sums[name] / 100 if name in sums else None for name in paper.columns]
        rows.append(["Sum", *cells[1:]])
    return [[*map(heading, paper.columns)], *rows]


def in_workbook(book, paper):
    sheet = book[paper.title[:MOST_OF_A_TITLE]]
    assert not [cell for row in sheet.iter_rows() for cell in row if cell.data_type == "f"]
    return [list(row) for row in sheet.iter_rows(values_only=True)]


def as_printed(paper, lines, names, period):
    """Return the head of the columns on each page, and the lines below it, without spaces: what a column
    says, unless it is nothing or what the head of the page says, then sums and who signs."""
    there = [
        place
        for place, column in enumerate(paper.columns)
        if column not in paper.unprinted and any(line[place] not in ("", period) for line in lines)
    ]
    rows = [
        bare(*(shown(AS_PRINTED, paper.columns[place], line[place], names) for place in there))
        for line in lines
    ] or [bare(f"Nothing to show for {period}.")]
    if sums := sums_of(paper, lines):
        cells = [dollars(sums[name]) if (name := paper.columns[at]) in sums else "" for at in there]
        rows.append(bare(cells[0] or "Sum", *cells[1:]))
    rows += [bare(f"{who}: name, licence number, signature, date") for who in paper.signs]
    return bare(*(heading(paper.columns[place]) for place in there)), rows


def not_printed(pdf, head, rows, maker):
    """Return the lines that pages do not say in turn between their heads and feet, and what they say besides.
    Of a line that begins on one page and ends on the next, the cells are in another order."""
    pages = [bare(one.extract_text()) for one in pypdf.PdfReader(io.BytesIO(pdf)).pages]
    bodies = [re.split(r"Paper[0-9a-f]{12}\.Checkpoint:", one)[0] for one in pages]
    bodies = [one.partition(f"by{bare(maker)}")[2].removeprefix(head) for one in bodies]
    ends, text, at, missing = [*accumulate(map(len, bodies))], "".join(bodies), 0, []
    for row in rows:
        found, at = text[at : at + len(row)], at + len(row)
        is_cut = any(at - len(row) < end < at for end in ends)
        if found != row and not (is_cut and sorted(found) == sorted(row)):
            missing.append((row, found))
    return [*missing, *filter(None, [text[at:]])]


def bare(*texts):
    return "".join("".join(text.split()) for text in texts)


def workbook_of_all(week):
    out = io.BytesIO()
    asked = AskedPaper(ALL, XLSX, week.period, players=True)
    forms.write(out, asked, site=week.site, act=week.act("compliance"))
    return out


def test_every_paper_of_the_week_has_equal_cells_in_the_workbook_of_all(week, exported):
    members = exported(week.period)
    book, names = openpyxl.load_workbook(workbook_of_all(week)), names_of(members)
    for paper in declared(players=True):
        head, *lines = lines_of(csv_in(members, paper))
        assert head == list(paper.columns)
        assert in_workbook(book, paper) == of_workbook(paper, lines, names), paper.name


@pytest.mark.long
def test_libreoffice_shows_every_cell_of_every_paper_of_the_week(week, exported, tmp_path):
    assert other_readers.opens(), "Install libreoffice-calc-nogui, as make soak does."
    members, book = exported(week.period), tmp_path / "week.xlsx"
    book.write_bytes(workbook_of_all(week).getvalue())
    names, sheets = names_of(members), other_readers.sheets_of(book, tmp_path)
    assert len(sheets) == len(declared(players=True)) + 1  # with where they are from
    for paper in declared(players=True):
        _, *lines = lines_of(csv_in(members, paper))
        with sheets[paper.title[:MOST_OF_A_TITLE]].open(newline="") as file:
            assert [*csv.reader(file)] == as_opened(paper, lines, names), paper.name


def as_opened(paper, lines, names):
    rows = [
        [shown(AS_OPENED, column, text, names) for column, text in zip(paper.columns, line, strict=True)]
        for line in lines
    ]
    if sums := sums_of(paper, lines):
        cells = [f"{sums[name] / 100:,.2f}" if name in sums else "" for name in paper.columns]
        rows.append(["Sum", *cells[1:]])
    return [[*map(heading, paper.columns)], *rows]


def names_of(members, *, players=True):
    of_people = ("staff.csv", "players.csv") if players else ("staff.csv",)
    return names_in({name: io.BytesIO(members[PAPERS + name]) for name in of_people})


@pytest.mark.parametrize("number", range(PLAYED["days"] if LONG else 1))
def test_every_paper_of_a_day_has_equal_cells_on_its_printed_pages(week, monkeypatch, number):
    if not LONG:  # a process less for each paper
        monkeypatch.setattr(page, "_set", typesetting.typeset)
    day = week.days[number]
    about = About("The Room", "GEGE-1", ZONE, str(day), "Grace Okafor", week.now, "the log", 7, "root")
    with papers_taken(week.site, (day, day), players=True, now=week.now) as taken:
        names = names_in(taken.files)
        for paper in declared(players=True):
            file = taken.files[paper.name]
            file.seek(0)
            _, *lines = lines_of(file.read())
            pdf, number = page.printed(paper, file, names=names, about=about)
            head, expected = as_printed(paper, lines, names, str(day))
            assert number == len(lines), paper.name
            assert not_printed(pdf, head, expected, about.made_by) == [], paper.name


@pytest.mark.long
def test_no_word_of_a_printed_paper_lies_over_another_or_beyond_the_page(
    week, exported, monkeypatch, tmp_path
):
    assert other_readers.finds_words(), "Install poppler-utils, as make soak does."
    monkeypatch.setattr(page, "_set", typesetting.typeset)
    members, crowded = exported(week.period), {}
    names = names_of(members)
    about = About("The Room", "GEGE-1", ZONE, "a week", "Grace Okafor", week.now, "the log", 7, "root")
    for paper in declared(players=True):
        try:
            pdf, _ = page.printed(paper, io.BytesIO(csv_in(members, paper)), names=names, about=about)
        except PaperTooLong:
            continue
        path = tmp_path / f"{paper.name}.pdf"
        path.write_bytes(pdf)
        crowded[paper.name] = other_readers.crowded(path)
    assert {name: words for name, words in crowded.items() if words} == {}


# -- changed records -------------------------------------------------------------------------------


@pytest.fixture
def log(week, exported):
    return ExportedLog(week.site, exported())


@pytest.mark.parametrize(
    "names",
    [(paper.name,) for paper in declared(players=True)] if LONG else [CHANGED],
    ids=lambda one: one[0],
)
def test_of_changed_records_that_were_sealed_again_each_paper_is_named_that_they_change(log, tmp_path, names):
    changes = {}
    for paper in declared(players=True):
        changes |= log.change_of(paper) if paper.name in names else {}
    differing = log.differing(changes)
    assert {*names} <= {*differing}
    (tmp_path / "week.zip").write_bytes(log.resealed(changes))
    findings = verify_bundle(tmp_path / "week.zip", checks=judge.checks).findings
    named = {
        one.sentence.split()[0].removeprefix(PAPERS): one.leaf
        for one in findings
        if one.code == "paper_differs"
    }
    assert named == differing
