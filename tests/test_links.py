"""Links in the documentation lead to existing files and headings, and named paths exist."""

import re
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
NAMED = re.compile(r"`((?:casino|tables|ledger|tests|tools|benchmarks)/[\w./-]*)`")
DOTTED = re.compile(r"`((?:casino|tables|ledger)(?:\.\w+){2,})[`(]")
DEFINED = re.compile(r"`([\w/]+\.py)`: `(\w+)`")
LINK = re.compile(r"\]\((?!https?:)([^)\s#]*)(?:#([^)\s]+))?\)")


def headings(page: Path) -> set[str]:
    """Return the anchors of a page's headings as a forge makes them: lower case, hyphens, no punctuation."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_somewhere(page):
    for path, anchor in LINK.findall(page.read_text()):
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), path
        assert not anchor or anchor in headings(target), f"{path}#{anchor}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_path_that_a_page_names_exists(page):
    named = NAMED.findall(page.read_text())
    assert [path for path in named if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_function_that_a_page_names_by_its_module_exists(page):
    for name in DOTTED.findall(page.read_text()):
        module, _, function = name.rpartition(".")
        assert hasattr(import_module(module), function), name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_name_that_a_page_gives_beside_its_file_is_defined_there(page):
    for path, name in DEFINED.findall(page.read_text()):
        assert re.search(rf"^(def|class) {name}\b", (ROOT / path).read_text(), re.MULTILINE), (
            f"{path}: {name}"
        )
