"""The audit modules run without installed packages: they go into the offline verifier as they are."""

import shutil
import subprocess
import sys
import zipapp
from pathlib import Path

import pytest

from tests.support.log_by_hand import KEY, bundle, changed, leaf_of

LEDGER = Path(__file__).resolve().parents[4] / "ledger"

PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
import importlib, pkgutil, ledger.proof.audit
for module in pkgutil.walk_packages(ledger.proof.audit.__path__, "ledger.proof.audit."):
    importlib.import_module(module.name)
from ledger.proof.audit.tree import ed25519, note
key = note.VerifierKey.parse("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW")
signed = note.parse(sys.stdin.buffer.read())
check = lambda key, signature: ed25519.verify(key.public, signed.text.encode(), signature)
print([each.name for each in note.signers(signed, [key], check)])
own = {*sys.stdlib_module_names, "__main__"}
foreign = {name for name in sys.modules if name.partition(".")[0] not in own}
# Python's own, named by the platform:
foreign = {name for name in foreign if not name.startswith("_sysconfigdata")}
rooms = ("ledger.papers", "ledger.proof", "ledger.records", "ledger.rules")
print(sorted(name for name in foreign if not name.startswith(rooms)))
"""
ROOMS = ("papers", "proof/audit", "records", "rules")
FILES = ("__init__.py", "chart.py", "errors.py", "money.py", "rights.py", "proof/__init__.py")
NOTE = """\
If you think cryptography is the answer to your problem,
then you don't know what your problem is.

— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=
"""


def pure_books(target):
    """Copy the pure rooms of the books into a folder."""
    for room in ROOMS:
        shutil.copytree(LEDGER / room, target / "ledger" / room, ignore=shutil.ignore_patterns("__pycache__"))
    for name in FILES:
        shutil.copy(LEDGER / name, target / "ledger" / name)


def test_a_signature_is_checked_in_an_empty_folder_with_the_standard_library_alone(tmp_path):
    pure_books(tmp_path)
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-B", "-c", PROGRAM, str(tmp_path)],
        input=NOTE.encode(),
        capture_output=True,
        check=False,
        cwd=tmp_path,
    )
    assert ran.stderr == b""
    who, beside = ran.stdout.decode().splitlines()
    assert who == "['PeterNeumann']"
    assert beside == "['ledger', 'ledger.chart', 'ledger.errors', 'ledger.money', 'ledger.rights']"


MAIN = """
import sys
import tables.audit.cash_papers
import tables.audit.reconciling
import tables.audit.table_papers
import tables.audit.records
from ledger.proof.audit.main import main
sys.exit(main(checks=lambda sheets: []))
"""


@pytest.fixture
def program(tmp_path):
    source, target = tmp_path / "source", tmp_path / "verify.pyz"
    pure_books(source)
    (source / "tables" / "audit").mkdir(parents=True)
    declared = LEDGER.parent / "tables" / "audit"
    shutil.copytree(declared / "records", source / "tables" / "audit" / "records")
    for path in (path for path in declared.glob("*.py") if path.stem not in ("main", "replay", "zipapp")):
        shutil.copy(path, source / "tables" / "audit" / path.name)
    (source / "tables" / "rules" / "table").mkdir(parents=True)
    shutil.copy(
        LEDGER.parent / "tables" / "rules" / "table" / "paying.py", source / "tables" / "rules" / "table"
    )
    (source / "__main__.py").write_text(MAIN)
    zipapp.create_archive(source, target)
    return target


def run(program, *argv):
    ran = subprocess.run(
        [sys.executable, "-I", "-S", str(program), *map(str, argv)],
        capture_output=True,
        text=True,
        check=False,
        cwd=program.parent,
    )
    return ran.returncode, ran.stdout, ran.stderr


def test_an_export_is_verified_by_a_file_of_the_standard_library_alone(program, tmp_path):
    export = tmp_path / "export.zip"
    export.write_bytes(bundle(verifier=program.read_bytes()))
    status, out, errors = run(program, export, "--key", KEY.fingerprint)
    assert (status, errors) == (0, "")
    assert "Everything is right." in out
    assert "another one than this program" not in out
    export.write_bytes(bundle(verifier=b"another"))
    status, out, _ = run(program, export)
    assert status == 0
    assert "another one than this program" in out
    bodies = changed("sign_off", 97, lambda body: body.update(signed_by=6))
    export.write_bytes(bundle(bodies, verifier=program.read_bytes()))
    status, out, _ = run(program, export)
    assert status == 1
    signed = "Nobody signs off what they counted, pulled or worked from."
    assert f"[counted_by_signer] leaf {leaf_of('sign_off', 97)}, sign off 97: {signed}" in out
    assert run(program)[0] == 2
