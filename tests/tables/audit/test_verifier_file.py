"""verify.pyz: the same bytes every time, and nothing needed but Python."""

import io
import subprocess
import sys
import zipfile
from pathlib import Path

from tables.audit import zipapp


def test_the_same_sources_give_the_same_bytes():
    first = zipapp.verifier_bytes()
    zipapp.verifier_bytes.cache_clear()
    assert zipapp.verifier_bytes() == first


def test_it_holds_nothing_that_needs_more_than_python():
    with zipfile.ZipFile(io.BytesIO(zipapp.verifier_bytes())) as archive:
        names = archive.namelist()
    assert names == sorted(names)
    assert "tables/audit/judging/rounds.py" in names
    assert not [name for name in names if "batch" in name.rpartition("/")[2] and name.startswith("tables")]


def test_it_carries_the_licence_that_it_is_passed_on_under():
    licence = (Path(__file__).parents[3] / "LICENSE").read_bytes()
    with zipfile.ZipFile(io.BytesIO(zipapp.verifier_bytes())) as archive:
        assert archive.read("LICENSE") == licence
    assert b"Apache License" in licence


def test_it_runs_in_an_empty_folder_and_refuses_what_is_no_export(tmp_path):
    (tmp_path / "verify.pyz").write_bytes(zipapp.verifier_bytes())
    (tmp_path / "export.zip").write_bytes(b"no zip")
    asked = [sys.executable, "-I", "-S", "verify.pyz", "export.zip"]
    ran = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (1, "")
    assert "[bad_bundle]" in ran.stdout
