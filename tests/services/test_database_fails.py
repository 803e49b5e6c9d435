"""PostgreSQL killed or frozen during acts: confirmed acts are there once, and /healthz answers."""

import contextlib
import os
import random
import signal
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import psycopg
import pytest
from django.conf import settings
from django.test import Client

from tests.support.game import FULL_HOUSE, QUEENS
from tests.support.lengths import BUSY_MACHINE
from tests.support.serving import database_url, small_disk, until
from tools import servers

pytestmark = [pytest.mark.django_db(transaction=True, databases=["default", "reading"]), pytest.mark.long]
HANDS = [QUEENS, FULL_HOUSE]
SECOND = 1 + BUSY_MACHINE
"""Within which /healthz answers."""
BACK_SECONDS = 5 + SECOND
"""A hanging attempt to connect is given up after five seconds (`connect_timeout`)."""
OUTAGE_SECONDS = 20.0
"""Long enough that doubling waits between attempts would reconnect too late."""


class OwnPostgres:
    """A durable PostgreSQL with a copy of the test's database, to be killed and frozen."""

    def __init__(self, folder):
        self.start, self.where = servers.made_postgres(folder, durable=True)
        self.log, self.data = folder / "postgres.log", self.where["cwd"]
        self.url = f"postgresql://postgres@/postgres?host={self.data}"
        self.begin()

    def begin(self):
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(self.start, stdout=out, stderr=out, **self.where)
        until(self.answers, self.log.read_text)

    def answers(self):
        with contextlib.suppress(psycopg.OperationalError), psycopg.connect(self.url):
            return True

    def copy(self):
        dump, load = (Path(self.start[0]).parent / name for name in ("pg_dump", "psql"))
        dumped = subprocess.run([dump, database_url()], check=True, capture_output=True)
        subprocess.run(
            [load, "-qX", "-v", "ON_ERROR_STOP=1", self.url],
            check=True,
            input=dumped.stdout,
            capture_output=True,
        )

    def everyone(self):
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        return [self.process.pid, *map(int, children.split())]

    def signal(self, number, pids):
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def kill_backend(self):
        """Kill a process that serves the house; PostgreSQL then ends all of them and recovers."""
        with psycopg.connect(self.url, autocommit=True) as asked:
            found = asked.execute(
                "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> "
                "pg_backend_pid()"
            )
            pids = [pid for (pid,) in found]
            self.signal(signal.SIGKILL, pids[:1])
            with contextlib.suppress(psycopg.OperationalError):
                asked.execute("SELECT pg_sleep(60)")
        until(self.answers, self.log.read_text)

    def kill(self, seconds=0.0):
        self.signal(signal.SIGKILL, self.everyone())
        self.process.wait()
        time.sleep(seconds)
        self.begin()

    def freeze(self, seconds):
        pids = self.everyone()
        self.signal(signal.SIGSTOP, pids)
        time.sleep(seconds)
        self.signal(signal.SIGCONT, pids)

    def end(self):
        if self.process.poll() is None:
            self.signal(signal.SIGCONT, self.everyone())
            self.process.send_signal(signal.SIGINT)
            self.process.wait(30)


@pytest.fixture
def own_postgres():
    with tempfile.TemporaryDirectory(prefix="casino-postgres-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o755)
        own = OwnPostgres(folder)
        yield own
        own.end()


class Player(threading.Thread):
    """Plays round after round, repeating unconfirmed requests under their keys."""

    def __init__(self, server, game):
        super().__init__()
        self.server, self.game = server, game
        self.confirmed, self.over, self.wrong = [], threading.Event(), ""

    def run(self):
        number = 0
        while not self.over.is_set() and not self.wrong:
            number += 1
            round_ = self.sent(f"/api/sessions/{self.game.session.pk}/rounds", {"key": f"start-{number:03d}"})
            if round_ is None:
                return
            seats = sorted(hand["seat"] for hand in round_["hands"])
            hands = [
                {"seat": seat, **cards} for seat, cards in zip(seats, HANDS[:: (-1) ** number], strict=True)
            ]
            entry = {"key": f"settle-{number:03d}", "hands": hands}
            if self.sent(f"/api/rounds/{round_['id']}/settle", entry) is not None:
                self.confirmed.append(entry["key"])

    def sent(self, path, body):
        while True:
            try:
                status, said, _ = self.server.ask("POST", path, body, self.game.dealer)
            except OSError:
                status, said = 503, None
            if status in (200, 201):
                return said
            if status != 503:
                self.wrong = f"{status}: {said}"
                return None


def test_a_database_that_dies_or_freezes_in_the_middle_of_acts_loses_nothing(
    tonight, processes, own_postgres
):
    game, _ = tonight
    client = Client()
    client.force_login(game.dealer)
    own_postgres.copy()
    processes.environment["DATABASE_URL"] = own_postgres.url
    server = processes.serve()
    server.cookies[game.dealer.pk] = client.cookies[settings.SESSION_COOKIE_NAME].value
    worker, beat = processes.worker(), processes.beat()
    until(lambda: server.health("well")[0] == 200, lambda: str(server.health()))
    player, chance = Player(server, game), random.Random(13)
    player.start()
    faults = [
        *[own_postgres.kill_backend] * 10,
        *[own_postgres.kill] * 5,
        *[lambda: own_postgres.freeze(3)] * 5,
        lambda: own_postgres.kill(OUTAGE_SECONDS),
    ]
    took = []
    for fault in faults:
        played = len(player.confirmed)
        until(lambda played=played: len(player.confirmed) > played + 1 or player.wrong, server.said)
        assert not player.wrong
        time.sleep(chance.uniform(0, 0.1))
        failing = threading.Thread(target=fault)
        failing.start()
        while failing.is_alive():
            status, said, seconds = server.health("ready")
            assert seconds < SECOND, said
            assert (status == 200) is (said["database"] == "ok")
        failing.join()
        back = time.monotonic()
        until(lambda: server.health("ready")[0] == 200, server.said)
        took.append(time.monotonic() - back)
    assert max(took) < BACK_SECONDS, took
    until(lambda: server.health("well")[0] == 200, lambda: str(server.health()))
    player.over.set()
    player.join()
    assert not player.wrong
    for process in (worker, beat):
        assert process.poll() is None, process.log.read_text()
    with psycopg.connect(own_postgres.url) as asked:
        there = asked.execute("SELECT key FROM ledger_journalentry WHERE key LIKE 'settle-%'").fetchall()
    assert sorted(key for (key,) in there) == sorted(player.confirmed)
    assert "Traceback" not in server.said()
    for action in ("seal", "verify"):
        done = processes.begin("manage.py", "audit", action)
        assert done.wait() == 0, done.log.read_text()


def away(server, method, path, person):
    """Return the seconds until a request is refused while the database is away."""
    began = time.monotonic()
    status, said, _ = server.ask(method, path, {} if method == "POST" else None, person)
    assert (status, "database_away" in str(said)) == (503, True), said
    return time.monotonic() - began


def test_a_frozen_database_holds_up_neither_files_nor_signs_of_life_and_pages_are_refused_at_once(
    tonight, processes, own_postgres
):
    game, _ = tonight
    client = Client()
    client.force_login(game.floor)
    own_postgres.copy()
    processes.environment["DATABASE_URL"] = own_postgres.url
    server = processes.serve()
    server.cookies[game.floor.pk] = client.cookies[settings.SESSION_COOKIE_NAME].value
    assert server.ask("GET", "/floor/", None, game.floor)[0] == 200
    pids = own_postgres.everyone()
    own_postgres.signal(signal.SIGSTOP, pids)
    try:
        began, took = time.monotonic(), []
        boards = [
            threading.Thread(target=lambda: took.append(away(server, "GET", "/floor/", game.floor)))
            for _ in range(40)
        ]
        for one in boards:
            one.start()
        while time.monotonic() - began < 6:
            for path in ("/healthz/alive", "/static/css/tokens.css"):
                asked = time.monotonic()
                assert server.ask("GET", path)[0] == 200
                assert time.monotonic() - asked < BUSY_MACHINE
            status, said, seconds = server.health("ready")
            assert (status, seconds < SECOND) == (503, True), said
        for one in boards:
            one.join()
        assert max(took) < 2 + BUSY_MACHINE
        for method, path in (("GET", "/floor/"), ("GET", "/sign-in/"), ("POST", "/api/sessions/1/rounds")):
            assert away(server, method, path, game.floor) < BUSY_MACHINE
    finally:
        own_postgres.signal(signal.SIGCONT, pids)
    until(lambda: server.ask("GET", "/floor/", None, game.floor)[0] == 200, server.said)
    assert "Traceback" not in server.said()


@contextlib.contextmanager
def no_room(own, folder, mounted):
    """Fill the database's disk; if none could be mounted, limit its temporary files."""
    if not mounted:
        for value in ("64kB", "-1"):
            with psycopg.connect(own.url, autocommit=True) as asked:
                asked.execute(f"ALTER SYSTEM SET temp_file_limit = '{value}'")
                asked.execute("SELECT pg_reload_conf()")
            if value != "-1":
                yield
        return
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as out, contextlib.suppress(OSError):
        while True:
            out.write(b"x" * (1 << 16))
    yield
    filler.unlink()


def test_a_database_whose_own_disk_is_full_is_said(processes, tmp_path):
    """Although an in-place update may still fit; with room again all is well without a restart."""
    folder = tmp_path / "of-the-database"
    folder.mkdir()
    for closed in (folder, *folder.parents[:3]):
        closed.chmod(0o755)
    with small_disk(folder, 400) as mounted:
        own = OwnPostgres(folder)
        try:
            own.copy()
            processes.environment["DATABASE_URL"] = own.url
            server = processes.serve()
            until(lambda: server.health("ready")[0] == 200, lambda: str(server.health()))
            with no_room(own, folder, mounted):
                until(lambda: server.health("ready")[0] == 503, lambda: str(server.health()))
                assert server.health()[1]["database"] == "disk_full"
            until(lambda: server.health("ready")[0] == 200, lambda: str(server.health()))
        finally:
            own.end()
