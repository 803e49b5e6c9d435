"""What `make test` says on a machine that lacks something, and how bare machines are made."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools import bare_machines, prerequisites, servers

COMMAND = "apt-get update && apt-get install -y --no-install-recommends"


@pytest.fixture
def machine(monkeypatch):
    """A machine that lacks `machine.lacks`; its apt-get installs what is in `machine.mirror`."""

    class Machine:
        lacks: set[str] = set()
        mirror: set[str] = set()
        installed: list[str] = []
        user = 1000

        def install(self, names):
            self.installed += names
            self.lacks -= self.mirror & set(names)

    made = Machine()
    made.installed = []
    packages = [
        package._replace(is_there=lambda name=package.name: name not in made.lacks)
        for package in prerequisites.PACKAGES
    ]
    monkeypatch.setattr(prerequisites, "PACKAGES", packages)
    monkeypatch.setattr(prerequisites, "BROWSER", packages[0])
    monkeypatch.setattr(prerequisites, "install", made.install)
    monkeypatch.setattr(prerequisites.chromium, "is_settled", lambda: packages[0].is_there())
    monkeypatch.setattr(prerequisites.os, "geteuid", lambda: made.user)
    monkeypatch.setattr(prerequisites.shutil, "which", lambda name: f"/usr/bin/{name}")
    return made


def test_somebody_without_root_is_told_in_one_sentence_what_root_has_to_install(machine, capsys):
    machine.lacks = {"chromium-headless-shell", "libatomic1"}
    assert prerequisites.main() == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "chromium-headless-shell (the browser of the browser tests) and libatomic1" in said
    assert said.endswith(f"as root: {COMMAND} chromium-headless-shell libatomic1\n")
    assert machine.installed == []


def test_what_bare_machines_run_as_root_is_what_the_sentence_says(machine, capsys):
    machine.lacks = {"libatomic1"}
    prerequisites.main()
    asked = bare_machines.ASKED_OF_ROOT.search(
        f"Making .venv ...\n{capsys.readouterr().err}make: *** Error 1\n"
    )
    assert asked[1] == f"{COMMAND} libatomic1"


def test_root_has_what_is_missing_installed_and_nothing_else(machine):
    machine.user, machine.lacks, machine.mirror = 0, {"libatomic1"}, {"libatomic1"}
    prerequisites.require_packages()
    assert machine.installed == ["libatomic1"]
    prerequisites.require_packages()
    assert machine.installed == ["libatomic1"]


def test_the_long_form_alone_needs_what_reads_papers_as_others_do(machine, monkeypatch):
    lacking = [one._replace(is_there=lambda: False) for one in prerequisites.OF_THE_LONG_FORM]
    monkeypatch.setattr(prerequisites, "OF_THE_LONG_FORM", lacking)
    monkeypatch.delenv("CASINO_LONG", raising=False)
    prerequisites.require_packages()
    monkeypatch.setenv("CASINO_LONG", "1")
    with pytest.raises(prerequisites.Missing, match=r"libpdfbox2-java \(.* libreoffice-calc-nogui$"):
        prerequisites.require_packages()


def test_root_without_a_mirror_is_told_what_is_missing(machine):
    machine.user, machine.lacks, machine.mirror = 0, {"libatomic1", "postgresql-client"}, {"libatomic1"}
    with pytest.raises(prerequisites.Missing, match=r"postgresql-client$"):
        prerequisites.require_packages()


def test_root_gets_the_headless_shell_beside_another_chromium_and_does_without(machine, monkeypatch):
    machine.user = 0
    monkeypatch.setattr(prerequisites.chromium, "is_settled", lambda: False)
    prerequisites.require_packages()
    assert machine.installed == ["chromium-headless-shell"]


def test_a_browser_that_opens_no_page_is_named(tmp_path):
    broken = tmp_path / "chromium"
    broken.write_text("#!/bin/sh\necho no libnss3 here >&2\nexit 127\n")
    broken.chmod(0o755)
    # In a process of its own: Playwright may already run in this one.
    asked = subprocess.run(
        [sys.executable, "-c", "import prerequisites; prerequisites.prove_browser()"],
        cwd=Path(prerequisites.__file__).parent,
        env={**os.environ, "CHROMIUM": str(broken)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert asked.returncode == 1
    assert f"Missing: {broken} opens no page" in asked.stderr


def test_a_server_that_does_not_answer_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("TEST_DATABASE_URL", f"postgresql://postgres@/postgres?host={tmp_path}")
    monkeypatch.setenv("TEST_REDIS_URL", f"unix://{tmp_path}/redis.sock")
    with pytest.raises(prerequisites.Missing, match=r"a server of the tests does not answer: .*No such file"):
        prerequisites.prove_servers()


def test_the_wheels_postgresql_starts_from_where_everybody_can_reach_it(tmp_path):
    """They need the libraries beside the package, which nobody else can reach in a clone in root's home."""
    package = servers.wheel_binaries().parent.parent
    closed = tmp_path / "closed" / package.name / "pginstall" / "bin"
    closed.mkdir(parents=True)
    shutil.copy2(servers.wheel_binaries() / "initdb", closed)  # one program, because all are 41 MB
    shutil.copytree(f"{package}.libs", f"{closed.parent.parent}.libs")
    copied = servers.opened(closed, tmp_path)
    asked = subprocess.run([copied / "initdb", "--version"], capture_output=True, text=True, check=False)
    assert (asked.returncode, asked.stderr) == (0, "")


def test_the_tools_on_the_path_are_those_of_the_server_that_runs(monkeypatch):
    monkeypatch.setenv("PATH", "/usr/bin")
    monkeypatch.setattr(servers, "postgres_binaries", lambda: Path("/wheel/bin"))
    monkeypatch.delenv("TEST_DATABASE_URL", raising=False)
    assert servers.path() == "/wheel/bin:/usr/bin"
    monkeypatch.setenv("TEST_DATABASE_URL", "postgresql://elsewhere/")
    assert servers.path() == "/usr/bin"


def test_a_machine_is_shown_the_indexes_of_its_host_and_nothing_else(tmp_path):
    (tmp_path / "index" / "simple").mkdir(parents=True)
    (tmp_path / "wheels").mkdir()
    ways = bare_machines.Ways(
        mirror="http://mirror.example/debian",
        apt="",
        pip={
            "extra-index-url": f"https://index.example/simple file://{tmp_path}/index/simple",
            "find-links": f"{tmp_path}/wheels",
            "timeout": "180",
        },
        variables={"UV_FIND_LINKS": f"{tmp_path}/wheels,{tmp_path}/gone"},
    )
    assert ways.local() == [tmp_path / "index", tmp_path / "wheels"]


def test_a_command_on_a_bare_machine_knows_nothing_of_the_host(monkeypatch, tmp_path):
    monkeypatch.setenv("DATABASE_URL", "postgresql://the-hosts/")
    ways = bare_machines.Ways("http://mirror.example/debian", "", {}, {"https_proxy": "http://proxy.example"})
    machine = bare_machines.Machine(tmp_path, "trixie", bare_machines.SOMEBODY, ways)
    entering = machine.entering("make run", machine.person)
    given = entering[entering.index("env") + 2 : entering.index("sh", entering.index("env"))]
    assert [variable.partition("=")[0] for variable in given] == ["HOME", "PATH", "https_proxy"]
    assert "--userspec=somebody" in entering
    assert f"{tmp_path}/trixie-somebody" in entering


def test_the_mirror_is_the_one_that_apt_uses(monkeypatch):
    listed = "Docker stable http://docker.example/\nDebian main http://mirror.example/debian/\n"
    answer = subprocess.CompletedProcess([], 0, stdout=listed)
    monkeypatch.setattr(bare_machines.subprocess, "run", lambda *_, **__: answer)
    assert bare_machines.mirror_of_this_host() == "http://mirror.example/debian/"
    answer.stdout = ""
    with pytest.raises(SystemExit, match="--mirror"):
        bare_machines.mirror_of_this_host()


def test_the_table_says_what_failed_and_how_long_it_took(tmp_path):
    tries = [
        bare_machines.Tried("bookworm-root", "make run", True, 11.4, tmp_path / "run.log"),
        bare_machines.Tried("bookworm-root", "make test", False, 601.0, tmp_path / "test.log"),
    ]
    lines = [line.split() for line in bare_machines.table(tries).splitlines()[1:]]
    assert lines == [
        ["bookworm-root", "make", "run", "passed", "0:11", str(tmp_path / "run.log")],
        ["bookworm-root", "make", "test", "FAILED", "10:01", str(tmp_path / "test.log")],
    ]
