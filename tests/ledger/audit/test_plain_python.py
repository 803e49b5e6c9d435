"""The audit log's own modules run where nothing is installed: they go into the offline verifier as they are."""

import shutil
import subprocess
import sys
from pathlib import Path

LEDGER = Path(__file__).resolve().parents[3] / "ledger"

PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
import importlib, pkgutil, ledger.audit
for module in pkgutil.iter_modules(ledger.audit.__path__):
    importlib.import_module("ledger.audit." + module.name)
from ledger.audit import note
key = note.VerifierKey.parse("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW")
signed = note.parse(sys.stdin.buffer.read())
print([each.name for each in note.signers(signed, [key])])
foreign = {name for name in sys.modules if name.partition(".")[0] not in {*sys.stdlib_module_names, "__main__"}}
print(sorted(name for name in foreign if not name.startswith("ledger.audit")))
"""
NOTE = """\
If you think cryptography is the answer to your problem,
then you don't know what your problem is.

— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=
"""


def test_a_signature_is_checked_in_an_empty_folder_with_the_standard_library_alone(tmp_path):
    (tmp_path / "ledger").mkdir()
    shutil.copytree(
        LEDGER / "audit", tmp_path / "ledger" / "audit", ignore=shutil.ignore_patterns("__pycache__")
    )
    for name in ("__init__.py", "errors.py"):
        shutil.copy(LEDGER / name, tmp_path / "ledger" / name)
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
    assert beside == "['ledger', 'ledger.errors']"
