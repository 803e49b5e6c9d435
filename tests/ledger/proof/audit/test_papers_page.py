"""docs/audit-papers.md has every column of every paper, in its order, and README.txt as exports have it."""

import re
from pathlib import Path

import pytest

from ledger.papers import books, custody  # noqa: F401 (declares those of the books)
from ledger.papers.cells import line_of
from ledger.papers.controls import controls
from ledger.papers.exceptions import EXCEPTIONS, SERIES
from ledger.papers.paper import PaperGroup, declared
from ledger.proof.audit.export.manifest import Manifest
from tables.audit import papers, table_papers  # noqa: F401 (declare those of the floor)

PAGE = (Path(__file__).parents[4] / "docs" / "audit-papers.md").read_text()
WHOLE = Manifest("tables.example.com/log", 1, 0, 35, 40, None, None, ("key",), "1", withheld=3)


def section(heading):
    return PAGE.partition(f"\n## `{heading}`\n")[2].partition("\n## ")[0]


def index_of_papers():
    """Return the index of all papers, to be put into the page."""
    lines = ["| | paper | what it is for | law |", "|---|---|---|---|"]
    for group in PaperGroup:
        for paper in (paper for paper in declared(players=True) if paper.group == group):
            link = f"[{paper.title}](#{paper.name.replace('.', '')})"
            lines.append(f"| {group} | {link} | {paper.purpose} | {paper.law} |")
    return "\n".join(lines) + "\n"


def test_the_page_begins_with_an_index_of_all_papers():
    assert index_of_papers() in PAGE, f"Put this into docs/audit-papers.md:\n{index_of_papers()}"


@pytest.mark.parametrize("paper", declared(players=True), ids=lambda paper: paper.name)
def test_a_paper_has_the_columns_that_the_page_explains(paper):
    explained = re.findall(r"^\| `(\w+)` \| .+ \|$", section(paper.name), re.M)
    where = f"docs/audit-papers.md does not explain the columns of {paper.__name__} in {paper.__module__}."
    assert explained == list(paper.columns), where


def told(part):
    return part if isinstance(part, str) else " ".join(part.__doc__.split())


def exceptions_tables():
    """Return the tables of `exceptions.csv` in the page: which records are exceptions, and the series."""
    said = [
        f"| {one.kind} | `{key}`{', ' + told(one.only) if one.only else ''} "
        f"| {' | '.join(map(told, (one.what, one.old, one.new, one.reason)))} |"
        for key, one in EXCEPTIONS.items()
    ]
    numbered = [f"| {name} | `{key}` | `{'.'.join(path)}` |" for key, (name, path) in SERIES.items()]
    return (
        "\n".join(["| kind | record | object | old | new | reason |", "|---|---|---|---|---|---|", *said]),
        "\n".join(["| series | record | number |", "|---|---|---|", *numbered]),
    )


def test_the_page_says_which_records_are_exceptions_and_which_numbers_have_no_gaps():
    for table in exceptions_tables():
        assert table in section("exceptions.csv"), f"Put this into docs/audit-papers.md:\n{table}"


def controls_table():
    """Return the table of controls, to be put into the page."""
    lines = ["| control | what is held | law | evidence | speaks of, and passes |", "|---|---|---|---|---|"]
    for one in controls():
        told = f"{one.area}: {one.title}", one.law, one.evidence, one.in_words or one.why
        lines.append(f"| {one.code} | {' | '.join(told)} |")
    return "\n".join(lines) + "\n"


def test_the_page_has_the_table_of_controls():
    assert controls_table() in PAGE, f"Put this into docs/audit-papers.md:\n{controls_table()}"


@pytest.mark.parametrize("players", [False, True])
@pytest.mark.parametrize("opened", [False, True])
@pytest.mark.parametrize("days", [(None, None), ("2026-11-20", "2026-11-21")])
def test_the_readme_follows_from_the_page(players, opened, days):
    text, *sentences = re.findall(r"^```text\n(.*?)^```$", section("README.txt"), re.M | re.S)
    named, not_named, more = (sentence.rstrip("\n") for sentence in sentences)
    manifest = Manifest(**vars(WHOLE) | dict(zip(("from_day", "to_day"), days, strict=True)))
    manifest = Manifest(**vars(manifest) | {"players": players, "opened": opened})
    values = {
        **vars(manifest),
        "first": days[0] or "the first day",
        "last": days[1] or "the newest",
        "last_leaf": manifest.first_leaf + manifest.count - 1,
        "players": named if players else not_named,
        "opened": f"\n{more}" if opened else "",
    }
    assert text.format_map(values).encode() == manifest.readme


@pytest.mark.parametrize(
    ("cells", "line"),
    [
        (("a", ""), b"a,\r\n"),
        (("a,b", 'c"d'), b'"a,b","c""d"\r\n'),
        (("a\nb", "c\rd"), b'"a\nb","c\rd"\r\n'),
        (("a b", "\ud800;"), b"a b,?;\r\n"),
    ],
)
def test_a_line_is_written_as_the_page_says(cells, line):
    assert line_of(cells) == line
