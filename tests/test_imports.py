"""The contracts in .importlinter work: import-linter finds strays planted in a copy of the sources."""

import os
import re
import shutil
import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PRODUCT = ("casino", "tables", "ledger")
LINT = "from importlinter.cli import lint_imports_command as lint; lint(['--no-cache', '--no-logo'])"
# An import against the direction, and the contract that refuses it.
UPWARD = {
    ("tables/rules/game/cards.py", "tables.rules.batch.tables"): "Inside the rules",
    ("tables/rules/table/dealing.py", "tables.models"): "Inside the floor",
    ("tables/audit/records/rows.py", "tables.audit.judging.rounds"): "Inside reading the log back",
    ("ledger/proof/audit/tree/note.py", "ledger.proof.audit.kept"): "Inside reading the books back",
    ("ledger/proof/witness/book.py", "ledger.proof.log.state"): "Inside the proof",
    ("ledger/journal/days.py", "tables.rules.table.downs"): "The project stands on the floor",
    ("ledger/money.py", "django.conf"): "Rules, money and the audit log know no framework",
    ("tables/reports/downs.py", "ledger.models"): "Only the books read and write their own rows",
}
# A cycle in a package of each app, shallow and deep.
CIRCLES = [
    ("casino/demo/nights/round_play.py", "casino.demo.nights.playing"),
    ("casino/sign_in/passwords.py", "casino.sign_in.coming_in"),
    ("tables/rules/game/ranking.py", "tables.rules.game.rounds"),
    ("tables/rounds/scoring.py", "tables.rounds.settling"),
    ("tables/views/cage/day.py", "tables.views.cage.window"),
    ("ledger/journal/acts.py", "ledger.journal.posting"),
    ("ledger/proof/audit/checks/days.py", "ledger.proof.audit.checks.books"),
]


def contracts() -> dict[str, dict[str, str]]:
    parser = ConfigParser()
    parser.read(ROOT / ".importlinter")
    return {
        parser[section]["name"].replace("\n", " "): dict(parser[section])
        for section in parser.sections()
        if section.startswith("importlinter:contract:")
    }


def rooms_of(contract: dict[str, str]) -> list[str]:
    return contract.get("containers", "").split()


def names_in(contract: dict[str, str]) -> set[str]:
    """Return every module of the product that a contract names."""
    layers = re.findall(r"\w+(?:\.\w+)*", contract.get("layers", ""))
    named = {f"{room}.{layer}" for room in rooms_of(contract) for layer in layers}
    named |= set() if rooms_of(contract) else set(layers)
    for setting in ("containers", "source_modules", "forbidden_modules", "ignore_imports", "ancestors"):
        named |= set(re.findall(r"[\w.]+", contract.get(setting, "")))
    ignored = contract.get("exhaustive_ignores", "").split()
    named |= {f"{room}.{name}" for room in rooms_of(contract) for name in ignored}
    return {name for name in named if name.split(".")[0] in PRODUCT}


def exists(module: str) -> bool:
    path = ROOT.joinpath(*module.split("."))
    return path.is_dir() or path.with_suffix(".py").exists()


@pytest.fixture
def copied(tmp_path):
    """A copy of the product's sources and contracts, to be tampered with."""
    for app in PRODUCT:
        for path in (ROOT / app).rglob("*.py"):
            target = tmp_path / path.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
    shutil.copy(ROOT / ".importlinter", tmp_path)
    return tmp_path


def broken_in(folder: Path) -> dict[str, str]:
    """Return import-linter's report by broken contract."""
    linted = subprocess.run(
        [sys.executable, "-c", LINT],
        cwd=folder,
        env=os.environ | {"COLUMNS": "200"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    _, found, said = linted.stdout.partition("Broken contracts")
    assert bool(linted.returncode) == bool(found), linted.stdout + linted.stderr
    parts = re.split(r"^(.+)\n-{3,}$", said.replace("\n----------------\n", "\n", 1), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_a_stray_room_fails_the_contract_of_where_it_stands(copied):
    exhaustive = {name: one for name, one in contracts().items() if one.get("exhaustive") == "True"}
    for contract in exhaustive.values():
        for room in rooms_of(contract):
            (copied.joinpath(*room.split(".")) / "stray.py").write_text('"""No place was made for this."""\n')
    found = broken_in(copied)
    assert set(found) == set(exhaustive)
    for name, contract in exhaustive.items():
        for room in rooms_of(contract):
            assert "stray" in found[name], (name, room)


def plant(folder: Path, path: str, module: str) -> None:
    with (folder / path).open("a") as source:
        source.write(f"\n\ndef planted():\n    import {module}\n")


def test_an_import_against_the_direction_fails_the_contract_that_forbids_it(copied):
    for path, module in UPWARD:
        plant(copied, path, module)
    found = broken_in(copied)
    for (path, module), contract in UPWARD.items():
        importer = path.removesuffix(".py").replace("/", ".")
        said = next(text for name, text in found.items() if name.startswith(contract))
        assert importer in said, (path, module)


def test_a_circle_of_neighbours_fails_in_the_room_where_it_is(copied):
    for path, module in CIRCLES:
        plant(copied, path, module)
    (found,) = broken_in(copied).values()
    for path, _ in CIRCLES:
        assert path.rpartition("/")[0].replace("/", ".") in found, path


def test_no_room_of_the_product_is_left_out_of_the_look_for_circles():
    (insides,) = [one for one in contracts().values() if one["type"] == "acyclic_siblings"]
    assert set(insides["ancestors"].split()) == set(PRODUCT)
    assert not insides.keys() & {"ignore_imports", "skip_descendants", "depth"}


def test_the_contracts_name_nothing_that_does_not_exist():
    assert not exists("tables.nothing")
    assert [name for one in contracts().values() for name in names_in(one) if not exists(name)] == []
