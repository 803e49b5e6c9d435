"""The documentation matches the code: every code of a refusal, and a test for every rule."""

import re
from graphlib import CycleError
from importlib import import_module
from pathlib import Path

import grimp
import pytest

from casino.management.commands.errors import filled, refusals
from tables.errors import SeatTaken
from tools import picture

ROOT = Path(__file__).resolve().parent.parent
ERRORS = (ROOT / "docs" / "errors.md").read_text()
RULES = (ROOT / "docs" / "rules.md").read_text()
TABLE = (ROOT / "docs" / "table.md").read_text()
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text()


def test_the_tables_of_refusals_are_those_of_the_classes():
    """Run `manage.py errors --write docs/errors.md` after changing a refusal class or its fields."""
    assert filled(ERRORS) == ERRORS
    assert f"| `seat_taken` | {SeatTaken.status} | `seat` | {SeatTaken.__doc__} |" in ERRORS


def test_a_table_that_is_not_that_of_the_classes_is_found():
    for told in (f"| {SeatTaken.status} |", "| `seat` |", SeatTaken.__doc__):
        row = next(row for row in ERRORS.splitlines() if row.startswith("| `seat_taken` |"))
        changed = ERRORS.replace(row, row.replace(told, "another"))
        assert changed != ERRORS
        assert filled(changed) == ERRORS


def test_every_documented_code_exists():
    documented = set(re.findall(r"^\| `([a-z_]+)` \|", ERRORS, re.MULTILINE))
    source = "\n".join(
        path.read_text() for room in ("casino", "tables", "ledger") for path in (ROOT / room).rglob("*.py")
    )
    of_classes = {refusal.code for refusal in refusals()}
    assert {code for code in documented - of_classes if f'"{code}"' not in source} == set()


def test_the_page_of_refusals_says_what_every_status_means():
    legend, tables = ERRORS.split("## Of the rules", 1)
    said = {
        status for row in re.findall(r"^\| ([\d, ]+) \|", legend, re.MULTILINE) for status in row.split(", ")
    }
    used = set(re.findall(r"^\| `[a-z_]+` \| (\d{3}) \|", tables, re.MULTILINE))
    assert len(used) > 3
    assert used <= said, used - said


def test_every_rule_is_cited_by_a_test():
    """A rule of docs/rules.md must be cited in the name or text of a test."""
    rules = set(re.findall(r"\bR(\d+)\b", RULES))
    names = "\n".join(
        path.read_text() for path in (ROOT / "tests").rglob("test_*.py") if path != Path(__file__)
    )
    cited = set(re.findall(r"\b[rR](\d+)(?=_|\b)", names)) | set(re.findall(r"_r(\d+)_", names))
    assert sorted(rules - cited, key=int) == []


def rules_of_the_table():
    rows = re.findall(r"^\| (R\d+) .*? \| (.*?) \| .*? \| (.*?) \|$", TABLE, re.MULTILINE)
    return [
        (rule, re.findall(r"`([\w.]+)`", done_by), held_by.split(", ")) for rule, done_by, held_by in rows
    ]


def cited_in(text: str) -> set[int]:
    """Return the rules a test file cites: R61, r61 in a name, and all of R60-R65."""
    found = {
        int(number) for number in re.findall(r"(?<![a-zA-Z])[rR](\d+)(?=_|\b)", text.replace("_r", " r"))
    }
    for first, last in re.findall(r"[rR](\d+)(?:-|_to_)[rR](\d+)", text):
        found |= set(range(int(first), int(last) + 1))
    return found


def test_every_rule_of_the_table_and_the_collection_says_where_it_is():
    wanted = {number for number in re.findall(r"^- \*\*R(\d+)\*\*", RULES, re.MULTILINE) if int(number) >= 50}
    assert {rule for rule, _, _ in rules_of_the_table()} == {f"R{number}" for number in wanted}


@pytest.mark.parametrize(("rule", "done_by", "held_by"), rules_of_the_table())
def test_where_a_rule_is_said_to_be_it_is(rule, done_by, held_by):
    for path in done_by:
        module, _, name = path.rpartition(".")
        assert callable(getattr(import_module(module), name))
    for path in held_by:
        assert int(rule[1:]) in cited_in((ROOT / path).read_text()), path


def test_the_picture_of_the_house_is_that_of_its_imports():
    """Run `.venv/bin/python tools/picture.py` after a new package, or an import between two."""
    assert picture.PICTURE.read_text() == picture.picture()


def test_a_circle_of_rooms_cannot_be_drawn():
    assert picture.rows_of({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == [["a"], ["b"], ["c"]]
    assert picture.arrows({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == [("a", "b"), ("b", "c")]
    with pytest.raises(CycleError):
        picture.rows_of({"a": {"b"}, "b": {"a"}})


@pytest.mark.parametrize("app", picture.APPS)
def test_the_table_of_rooms_is_that_of_the_folders(app):
    section = ARCHITECTURE.partition(f"### `{app}/`, ")[2].partition("\n##")[0]
    told = re.findall(r"^\| `(\w+)/` \|", section, re.MULTILINE)
    assert sorted(told) == sorted(picture.rooms_of(app, grimp.build_graph(app, cache_dir=None)))
