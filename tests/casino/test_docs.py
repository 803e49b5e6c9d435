"""docs/operations.md and docs/dependencies.md are complete, and name nothing that does not exist."""

import re
from pathlib import Path

from django.conf import settings

from casino.management.commands.settings import filled
from casino.roles import KEPT_APART
from casino.serving import environment

ROOT = Path(settings.BASE_DIR)
READ = re.compile(r"""os\.environ(?:\.get\(|\[)\s*["'](\w+)["'](?!\]\s*=[^=])""")
WHOLE = re.compile(r"os\.environ\b(?!\.setdefault)")
ROW = re.compile(r"^\| `(\w+)` \|", re.MULTILINE)


def table_of(name, heading):
    text = (ROOT / "docs" / name).read_text()
    section = text.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    return ROW.findall(section)


def read_by(*files):
    return {name for file in files for name in READ.findall((ROOT / file).read_text())}


def test_the_table_of_variables_is_the_one_that_settings_are_read_by():
    """Run `manage.py settings --write docs/operations.md` after changing it."""
    page = (ROOT / "docs" / "operations.md").read_text()
    assert filled(page) == page
    for told in ("`BUSY_SECONDS`", "a number from 6 to 8", "; a secret"):
        changed = page.replace(told, "another", 1)
        assert changed != page
        assert filled(changed) == page


def test_every_variable_of_the_table_is_read():
    """Settings read every variable by `_given["NAME"]`, and no other way."""
    read = re.findall(r'_given\["(\w+)"\]', (ROOT / "casino" / "settings.py").read_text())
    assert sorted(read) == sorted(environment.NAMES)


def test_nothing_of_the_product_reads_the_environment_past_the_table():
    product = [path for app in ("casino", "tables", "ledger") for path in (ROOT / app).rglob("*.py")]
    assert [str(path) for path in product if READ.search(path.read_text())] == []
    whole = {str(path.relative_to(ROOT)) for path in product if WHOLE.search(path.read_text())}
    # The second hands it on to pg_dump, the third states what of it is in force.
    own = ("settings.py", "backups/copies.py", "serving/system.py")
    assert whole == {f"casino/{name}" for name in own}


def test_every_variable_of_tests_and_tools_is_documented():
    files = [
        path.relative_to(ROOT) for folder in ("tools", "tests") for path in (ROOT / folder).rglob("*.py")
    ]
    own = read_by(*files) - set(environment.NAMES)
    assert own - {"PATH", "HOME", "PYTEST_CURRENT_TEST"} <= set(
        table_of("operations.md", "Environment of tests and tools")
    )


def chosen(source):
    lines = (ROOT / "requirements" / source).read_text().splitlines()
    names = [re.match(r"[A-Za-z0-9_.-]+", line) for line in lines if line[:1] not in ("", "#", "-")]
    return {found.group().lower() for found in names}


def test_every_dependency_is_defended_and_no_other():
    listed = set(re.findall(r"^\| `([\w.-]+)", (ROOT / "docs" / "dependencies.md").read_text(), re.MULTILINE))
    sources = [path.name for path in (ROOT / "requirements").glob("*.in")]
    assert {"run.in", "test.in", "uv.in"} <= set(sources)
    assert listed == {name for source in sources for name in chosen(source)}


def test_what_tests_need_is_not_in_the_product():
    run = (ROOT / "requirements.txt").read_text()
    for name in chosen("test.in"):
        assert f"\n{name}==" not in run


def test_the_roles_that_are_kept_apart_are_the_documented_ones_with_their_reasons():
    text = (ROOT / "docs" / "operations.md").read_text()
    section = text.split("\n## Roles that are kept apart\n", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| (\w+) \| (\w+) \| (.+) \|$", section, re.MULTILINE)
    assert rows[1:] == [tuple(row) for row in KEPT_APART]
