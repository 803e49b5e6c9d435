"""The rules run without installed packages, so that a browser can run them as they are."""

import shutil
import subprocess
import sys
from pathlib import Path

HOUSE = Path(__file__).resolve().parents[4]
BESIDE = ("tables/__init__.py", "ledger/__init__.py", "ledger/errors.py", "ledger/money.py")
PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
import importlib, pkgutil, tables.rules
for module in pkgutil.walk_packages(tables.rules.__path__, "tables.rules."):
    importlib.import_module(module.name)
from tables.rules.game.rounds import library
assert library()
"""


def test_the_rules_without_their_batches_need_python_and_two_modules_of_the_books_alone(tmp_path):
    ignored = shutil.ignore_patterns("batch", "__pycache__")
    shutil.copytree(HOUSE / "tables/rules", tmp_path / "tables/rules", ignore=ignored)
    for name in BESIDE:
        target = tmp_path / name
        target.parent.mkdir(exist_ok=True)
        shutil.copy(HOUSE / name, target)
    command = [sys.executable, "-I", "-S", "-B", "-c", PROGRAM, str(tmp_path)]
    ran = subprocess.run(command, capture_output=True, check=False, cwd=tmp_path, text=True)
    assert ran.stderr == ""
