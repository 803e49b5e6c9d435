"""The set-up that `make run` and `make test` start with."""

import re
import subprocess
import sys

import pytest

from tools import set_up


@pytest.fixture
def ran(monkeypatch, tmp_path):
    """A set-up in a folder of its own that notes its commands, and can be told to fail."""
    monkeypatch.setattr(set_up, "ROOT", tmp_path)
    monkeypatch.setattr(set_up, "VENV", tmp_path / ".venv")
    (tmp_path / ".venv").mkdir()
    notes = []
    statuses = iter(())

    def call(command, **options):
        notes.append([str(part) for part in command])
        return next(statuses, 0)

    def fail_with(*those):
        nonlocal statuses
        statuses = iter(those)

    monkeypatch.setattr(set_up.subprocess, "call", call)
    call.fail_with = fail_with
    call.notes = notes
    return call


@pytest.fixture
def lock(tmp_path):
    path = tmp_path / "requirements.txt"
    path.write_text("django==5.2\n")
    return path


def install(lock):
    set_up.install(set_up.VENV, lock, "run", ["-m", "uv", "pip", "install"], set_up.plain_environment)


def test_a_lock_is_installed_once_with_its_hashes_checked(ran, lock):
    install(lock)
    install(lock)
    assert len(ran.notes) == 1
    assert "--require-hashes" in ran.notes[0]


def test_a_changed_lock_is_installed_again(ran, lock):
    install(lock)
    lock.write_text("django==5.2.1\n")
    install(lock)
    assert len(ran.notes) == 2


def test_an_interrupted_set_up_is_done_again_from_the_beginning(ran, lock):
    ran.fail_with(1)
    with pytest.raises(set_up.SetUpError):
        install(lock)
    install(lock)
    assert "--reinstall" in ran.notes[1]
    install(lock)
    assert len(ran.notes) == 2


def test_an_environment_that_does_not_start_is_created_again(ran, monkeypatch, tmp_path):
    broken = tmp_path / ".venv" / "bin" / "python"
    broken.parent.mkdir()
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    set_up.make_environment(set_up.VENV)
    assert ran.notes == [[sys.executable, "-m", "venv", "--clear", str(tmp_path / ".venv")]]


def test_a_python_without_venv_is_told_what_to_install(ran, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "ensurepip", None)
    assert set_up.main(["run"]) == 1
    assert "python3-venv" in capsys.readouterr().err


def test_an_old_python_hands_over_or_says_what_to_install(ran, monkeypatch, capsys):
    monkeypatch.setattr(set_up.sys, "version_info", (3, 9, 2))
    monkeypatch.setattr(
        set_up.shutil, "which", lambda name: f"/usr/bin/{name}" if name == "python3.12" else None
    )
    assert set_up.main(["run"]) == 0
    assert ran.notes[0][0] == "/usr/bin/python3.12"
    monkeypatch.setattr(set_up.shutil, "which", lambda name: None)
    assert set_up.main(["run"]) == 1
    assert "python3.11" in capsys.readouterr().err


def test_a_newer_python_that_does_not_start_is_passed_over(ran, monkeypatch):
    """A shim of pyenv is there for a Python that is not chosen."""
    monkeypatch.setattr(set_up.sys, "version_info", (3, 9, 2))
    there = {"python3.13": "/shims/python3.13", "python3.12": "/usr/bin/python3.12"}
    monkeypatch.setattr(set_up.shutil, "which", there.get)
    ran.fail_with(127)
    assert set_up.main(["run"]) == 0
    assert [note[0] for note in ran.notes] == ["/shims/python3.13", *["/usr/bin/python3.12"] * 2]


def test_the_next_django_has_an_environment_of_its_own_and_needs_a_newer_python(
    ran, monkeypatch, capsys, tmp_path
):
    monkeypatch.setattr(set_up.shutil, "which", lambda name: None)
    monkeypatch.setattr(set_up.sys, "version_info", (3, 11, 9))
    assert set_up.main(["next"]) == 1
    assert "Python 3.12 or newer is needed, this is 3.11.9." in capsys.readouterr().err
    monkeypatch.setattr(set_up.sys, "version_info", (3, 12, 0))
    monkeypatch.setattr(
        set_up, "install", lambda venv, lock, name, *rest: ran.notes.append([venv, lock.name])
    )
    assert set_up.main(["next"]) == 0
    venv = tmp_path / ".venv" / "next"
    assert ran.notes[0][-1] == str(venv)
    assert ran.notes[1:] == [[venv, "uv.txt"], [venv, "next.txt"]]


def test_the_next_django_is_newer_than_the_house_s():
    def django(purpose):
        pinned = re.search(r"^django==(\d+)\.(\d+)", set_up.LOCKS[purpose].read_text(), re.MULTILINE)
        return tuple(int(part) for part in pinned.groups())

    assert django("next") > django("test") == django("run")


def test_uv_is_told_what_pip_is_told(monkeypatch):
    said = "\n".join(
        [
            ":env:.index-url='https://index.example/simple'",
            "global.extra-index-url='file:///one file:///two'",
            "global.find-links='/wheels /more'",
            "global.index-url='https://other.example/simple'",
        ]
    )
    answer = subprocess.CompletedProcess([], 0, stdout=said)
    monkeypatch.setattr(set_up.subprocess, "run", lambda *_, **__: answer)
    for variable, _ in set_up.INDEX_SETTINGS.values():
        monkeypatch.delenv(variable, raising=False)
    environment = set_up.uv_environment(set_up.VENV)
    assert environment["UV_DEFAULT_INDEX"] == "https://index.example/simple"
    assert environment["UV_INDEX"] == "file:///one file:///two"
    assert environment["UV_FIND_LINKS"] == "/wheels,/more"


def test_every_lock_is_hashed_and_names_no_host():
    locks = [set_up.UV_LOCK, *(lock for lock in set_up.LOCKS.values() if lock.exists())]
    assert len(locks) >= 3
    for lock in locks:
        text = lock.read_text()
        pinned = [line for line in text.splitlines() if "==" in line and not line.lstrip().startswith("#")]
        assert pinned
        assert all(line.rstrip().endswith("\\") for line in pinned), lock  # hashes follow
        assert "://" not in text
