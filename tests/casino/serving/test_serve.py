"""`manage.py serve` and `prepare`, run as an operator runs them."""

import contextlib
import ctypes
import io
import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from casino.house import first_start
from casino.management.commands import prepare
from casino.management.commands.serve import how_to_set_up
from casino.models import SetUpLink, Staff
from casino.serving.slow_senders import HEAD_SECONDS
from ledger.models import Site
from tests.support.lengths import LONG

STRONG = "0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghij"
PATIENCE_SECONDS = 60
PR_CAPBSET_DROP, CAP_DAC_OVERRIDE = 24, 1


@pytest.fixture(scope="module")
def room(tmp_path_factory, django_db_setup):
    """The environment of a real house, prepared once, from tables that the tests' database has already."""
    folder = tmp_path_factory.mktemp("room")
    if connection.vendor == "sqlite":
        tables = sqlite3.connect(connection.settings_dict["NAME"])
        with contextlib.closing(tables), contextlib.closing(sqlite3.connect(folder / "room.sqlite3")) as own:
            tables.backup(own)
        (folder / "room.sqlite3").chmod(0o600)
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    environment = {**kept, "CASINO_VAR": str(folder), "SECRET_KEY": STRONG, "SECURE": "0"}
    done = manage(environment, "prepare", "--site", "The Fifth Street Room", "--licence", "GEGE-001234")
    assert done.returncode == 0, done.stderr
    return environment


def manage(environment, *arguments, **options):
    return run(environment, "manage.py", *arguments, **options)


def run(environment, *arguments, **options):
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=settings.BASE_DIR,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_SECONDS,
        **options,
    )


def obeys_modes():
    """Drop CAP_DAC_OVERRIDE, so that file modes count for root as well."""
    if os.geteuid() == 0:
        ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE)


def hears_interrupts():
    """A background shell has the tests, and so their children, ignore SIGINT."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextlib.contextmanager
def running(environment, *command):
    """Run a serving command until the block ends; yield its process and port."""
    process = subprocess.Popen(
        command,
        cwd=settings.BASE_DIR,
        env={**environment, "PORT": "0"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=hears_interrupts,
    )
    try:
        said = process.stdout.readline()
        told = re.fullmatch(r"Casino tables: http://localhost:(\d+)/ .*\n", said)
        assert told, said
        yield process, int(told[1])
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_it_serves_with_its_scheduler_and_stops_when_told(room):
    with running(room, sys.executable, "manage.py", "serve", "--prepare") as (process, port):
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz") as response:
                health = json.load(response)
            if health["status"] == "ok":
                break
            assert time.monotonic() < deadline, health
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
        said = process.stdout.read()
        assert "Traceback" not in said
        assert "password" not in said  # usernames are printed in a demo alone


def test_it_answers_beside_more_idle_connections_than_it_may_open_files(room):
    few_files = ("sh", "-c", 'ulimit -n 300; exec "$0" "$@"', sys.executable)
    with (
        running(room, *few_files, "manage.py", "serve", "--prepare") as (_, port),
        contextlib.ExitStack() as idle,
    ):
        # Each page is made once in peace, and then before any connection is cut for silence.
        for patience, crowd in ((PATIENCE_SECONDS, 0), (HEAD_SECONDS / 2, 400)):
            for _ in range(crowd):
                idle.enter_context(socket.create_connection(("127.0.0.1", port)))
            for address in ("/healthz/ready", "/sign-in/"):
                with urllib.request.urlopen(f"http://127.0.0.1:{port}{address}", timeout=patience) as answer:
                    assert answer.status == 200


def test_a_taken_port_is_told_in_one_sentence(room):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        refused = manage({**room, "PORT": str(port)}, "serve")
    assert refused.returncode == 1
    assert refused.stderr.splitlines() == [
        f"CommandError: Port {port} is taken: choose another, PORT={port + 1} for example."
    ]


WORKER, BEAT = ("worker", "--pool", "solo"), ("beat",)
NEWER = "a newer database"
MISREAD = "a setting that takes no such thing"
OLD, LOCKED_UP = "an older database", "a database that can't be written"
LEFT = "a database that can't be written, as a killed server left it"
KEYLESS, BAD_KEY, AWAY = "no SECRET_KEY", "an AUDIT_KEY that is none", "a database that is away"
SENTENCES = {
    OLD: "The database is older than the program: run `manage.py prepare` first.",
    NEWER: "Another version of this program made this database (tables 0099_later is unknown here)",
    LOCKED_UP: "The data can't be written: give this user the database, what lies beside it and its folder "
    "to write",
    LEFT: "The data can't be written: give this user the database, what lies beside it and its folder to "
    "write",
    KEYLESS: "SECRET_KEY is missing: it has to be 50 characters or more",
    BAD_KEY: "AUDIT_KEY has to be 32 bytes in base64 (bad_setting).",
    MISREAD: "SECURE has to be 1 or 0, not 'true' (bad_setting).",
    AWAY: "The database does not answer: start it, or set DATABASE_URL right",
}
TRIED = [
    (OLD, WORKER),
    (NEWER, WORKER),
    (NEWER, "hire", "zoe", "--role", "dealer"),
    (LOCKED_UP, "serve"),
    (LOCKED_UP, "audit", "verify"),
    (KEYLESS, BEAT),
    (BAD_KEY, WORKER),
    (MISREAD, BEAT),
    (AWAY, "serve"),
]
REST = [
    *(
        (OLD, *given)
        for given in ((BEAT,), ("serve",), ("audit", "seal"), ("hire", "zoe", "--role", "dealer"))
    ),
    *(
        (NEWER, *given)
        for given in (
            (BEAT,),
            ("serve",),
            ("prepare",),
            ("audit", "seal"),
            ("setup_link",),
            ("lift_lock", "zoe"),
        )
    ),
    *(
        (LOCKED_UP, *given)
        for given in ((WORKER,), (BEAT,), ("serve", "--prepare"), ("prepare",), ("audit", "seal"))
    ),
    (LEFT, "migrate"),
    *(
        (KEYLESS, *given)
        for given in ((WORKER,), ("audit", "verify"), ("migrate",), ("hire", "zoe", "--role", "dealer"))
    ),
    *((BAD_KEY, *given) for given in (("serve",), ("audit", "seal"))),
    *((MISREAD, *given) for given in ((WORKER,), ("serve",), ("audit", "verify"), ("migrate",))),
    *((AWAY, *given) for given in ((WORKER,), (BEAT,), ("prepare",), ("audit", "verify"))),
]


@pytest.mark.parametrize(
    ("what", "given"), [(what, given) for what, *given in TRIED + (REST if LONG else [])]
)
def test_what_cannot_begin_ends_in_one_sentence(room, tmp_path, what, given):
    database = tmp_path / "room.sqlite3"
    environment = {**room, "CASINO_VAR": str(tmp_path), "PORT": "0"}
    if what != OLD:
        shutil.copy(Path(room["CASINO_VAR"]) / "room.sqlite3", database)
    match what:
        case "no SECRET_KEY":
            del environment["SECRET_KEY"]
        case "an AUDIT_KEY that is none":
            environment["AUDIT_KEY"] = "abc"
        case "a newer database":
            with contextlib.closing(sqlite3.connect(database)) as upgraded:
                upgraded.execute(
                    "INSERT INTO django_migrations (app, name, applied) VALUES ('tables', '0099_later', "
                    "'2027-01-01')"
                )
                upgraded.commit()
        case "a setting that takes no such thing":
            environment["SECURE"] = "true"
        case "a database that is away":
            environment["DATABASE_URL"] = f"postgresql:///house?host={tmp_path}"
        case (
            "a database that can't be written"
            | "a database that can't be written, as a killed server left it"
        ):
            if what == LEFT:
                leave_as_killed(database)
            for file in tmp_path.iterdir():
                file.chmod(0o400)
            tmp_path.chmod(0o500)
    arguments = (
        ["manage.py", *given] if isinstance(given[0], str) else ["-m", "celery", "-A", "casino", *given[0]]
    )
    refused = run(environment, *arguments, preexec_fn=obeys_modes, input="a fine long password\n")
    tmp_path.chmod(0o700)
    assert refused.returncode == 1
    assert "Traceback" not in refused.stderr
    # A server first checks that it is alone, by a lock file beside the database.
    expected = (
        "The house has to write its folder." if (what, given[0]) == (LOCKED_UP, "serve") else SENTENCES[what]
    )
    said = [line for line in refused.stderr.splitlines() if expected in line]
    assert len(said) == 1, refused.stderr
    if given == ["serve"]:
        assert refused.stderr.count("\n") == 1
    if given == ["migrate"]:
        assert refused.stdout == ""


@pytest.mark.parametrize("process", [WORKER, BEAT])
def test_a_process_of_celery_names_each_problem_that_the_checks_find_and_ends_on_an_error(room, process):
    mistaken = {"CASINO_CHEKPOINTS": "/kept", "BREACHED_PASSWORDS": "/nowhere"}
    refused = run({**room, **mistaken}, "-m", "celery", "-A", "casino", *process)
    assert refused.returncode == 1
    assert "Traceback" not in refused.stderr
    assert "(casino.E011)" in refused.stderr
    assert "(casino.W004) CASINO_CHEKPOINTS is not a setting of this program" in refused.stderr


def leave_as_killed(database):
    """Leave SQLite's files of a database in use."""
    with contextlib.closing(sqlite3.connect(database)) as server:
        server.execute("PRAGMA journal_mode=WAL")
        server.execute("UPDATE django_migrations SET applied = applied")
        server.commit()
        beside = {path: path.read_bytes() for path in database.parent.glob("room.sqlite3-*")}
    for path, was in beside.items():
        path.write_bytes(was)


@pytest.mark.parametrize("command", ["prepare", "migrate"])
@pytest.mark.django_db(databases=["default", "reading"])
def test_a_database_of_another_version_is_refused_before_anything_is_changed(command):
    MigrationRecorder(connection).record_applied("tables", "0099_later")
    unknown = pytest.raises(CommandError, match="tables 0099_later is unknown here")
    with CaptureQueriesContext(connection) as sent, unknown:
        call_command(command)
    assert [one["sql"] for one in sent if not one["sql"].lstrip().startswith("SELECT")] == []


def test_a_licence_that_is_none_is_refused_before_anything_is_made():
    """Before the database is asked, which this test without its mark may not do."""
    with pytest.raises(CommandError, match=r"\(bad_licence\)"):
        call_command("prepare", "--site", "A Room", "--licence", "-")


def test_an_upgrade_that_could_not_be_finished_is_refused_before_it_begins(monkeypatch, tmp_path):
    monkeypatch.setitem(prepare.connection.settings_dict, "NAME", str(tmp_path / "room.sqlite3"))
    (tmp_path / "room.sqlite3").write_bytes(b"x" * (1 << 20))
    monkeypatch.setattr(prepare.connection, "vendor", "sqlite")
    monkeypatch.setattr(prepare.shutil, "disk_usage", lambda folder: SimpleNamespace(free=1 << 20))
    with pytest.raises(CommandError, match="needs 2 megabytes free"):
        prepare.refuse_upgrade()


def test_a_house_that_is_not_there_yet_is_set_up_at_an_address_that_no_log_has(tmp_path, room):
    """As `make run` starts it, into a pipe as into a journal; its server stops even if make is killed."""
    empty = {**room, "CASINO_VAR": str(tmp_path / "var")}
    with running(empty, *under_make(tmp_path, "--prepare")) as (make, port):
        assert make.stdout.readline() == (
            "There is no house here yet. `manage.py setup_link` shows the address at which it is set up.\n"
        )
        path = (
            manage({**empty, "PORT": str(port)}, "setup_link")
            .stdout.strip()
            .partition(f"localhost:{port}")[2]
        )
        assert path.startswith("/set-up/?token=")
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        address = f"http://127.0.0.1:{port}"
        with browser.open(f"{address}{path}") as page:
            assert page.url == f"{address}/set-up/"
            assert "Name of the house" in page.read().decode()
        assert_it_stops_with(make, signal.SIGKILL, port)
        assert "token" not in make.stdout.read()


@pytest.mark.django_db
def test_a_terminal_is_shown_the_address_and_nothing_is_made_for_a_journal():
    assert "setup_link" in how_to_set_up(at_terminal=False)[0]
    assert not SetUpLink.objects.exists()
    _, address = how_to_set_up(at_terminal=True)
    assert first_start.find_link(address.partition("token=")[2], timezone.now()) is not None


@pytest.mark.django_db(databases=["default", "reading"])
def test_a_house_is_founded_once(site):
    call_command("prepare")
    with pytest.raises(CommandError, match="There is a house already"):
        call_command("prepare", "--site", "Another Room", "--licence", "GEGE-2")
    assert Site.objects.get() == site


def test_the_first_manager_is_hired_from_the_command_line(room):
    hired = manage(room, "hire", "zoe", "--role", "manager", input="a fine long password\n")
    assert (hired.returncode, hired.stdout) == (0, "zoe works here as manager.\n")


def hire(monkeypatch, username, *asked, password):
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{password}\n"))
    call_command("hire", username, *asked, stdout=io.StringIO())


@pytest.mark.django_db
def test_nobody_is_hired_twice(monkeypatch):
    hire(monkeypatch, "zoe", "--role", "manager", password="a fine long password")
    with pytest.raises(CommandError, match="somebody called zoe"):
        hire(monkeypatch, "zoe", "--role", "dealer", password="a fine long password")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("roles", "password"),
    [
        (["dealer"], "demo"),
        (["dealer"], "1234567890"),
        (["dealer"], ""),
        (["cashier", "counter"], "a fine long password"),
    ],
)
def test_nobody_is_hired_with_a_poor_password_or_conflicting_roles(monkeypatch, roles, password):
    asked = [part for role in roles for part in ("--role", role)]
    with pytest.raises(CommandError):
        hire(monkeypatch, "yan", *asked, password=password)
    assert not Staff.objects.exists()


def test_the_database_of_a_room_is_in_its_folder(room):
    assert (Path(room["CASINO_VAR"]) / "room.sqlite3").exists()


def under_make(folder, *arguments):
    makefile = folder / "Makefile"
    makefile.write_text(
        f"run:\n\t@exec {sys.executable} manage.py serve --under-make {' '.join(arguments)}\n"
    )
    return "make", "--silent", "-f", makefile


def assert_it_stops_with(make, stop, port):
    make.send_signal(stop)
    make.wait(60)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while listens(port):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_it_stops_with_the_make_that_started_it(room, tmp_path):
    """Even if only make is signalled."""
    with running(room, *under_make(tmp_path)) as (make, port):
        assert_it_stops_with(make, signal.SIGINT, port)


def listens(port):
    with socket.socket() as caller:
        return caller.connect_ex(("127.0.0.1", port)) == 0
