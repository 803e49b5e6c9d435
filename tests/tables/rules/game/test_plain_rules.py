"""What a tablet runs, the rules among it, needs no installed package: a browser runs it as it is."""

import io
import subprocess
import sys
import zipfile

from tables.views.rounds.dealer import rules_zip

PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
import importlib, pkgutil, tables.rules, tables.rounds
for package in (tables.rules, tables.rounds):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        importlib.import_module(module.name)
from tables.rules.game.rounds import library
assert library()
"""


def test_the_files_of_a_tablet_need_python_alone(tmp_path):
    zipfile.ZipFile(io.BytesIO(rules_zip())).extractall(tmp_path)
    command = [sys.executable, "-I", "-S", "-B", "-c", PROGRAM, str(tmp_path)]
    ran = subprocess.run(command, capture_output=True, check=False, cwd=tmp_path, text=True)
    assert ran.stderr == ""
