"""The house in real processes on the test's database: server, workers and beat."""

import base64
import contextlib
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlencode, urlsplit, urlunsplit

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client

SECRET = "x" * 32
KEY = base64.b64encode(b"s" * 32).decode()
PATIENCE_SECONDS = 60


def database_url():
    name = connection.settings_dict["NAME"]
    if connection.vendor == "sqlite":
        return f"sqlite:///{name}"
    return urlunsplit(urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}"))


class Processes:
    def __init__(self, folder, **environment):
        self.folder, self.running = folder, []
        kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        house = {"DATABASE_URL": database_url(), "CASINO_VAR": str(folder), "AUDIT_KEY": KEY, "SECURE": "0"}
        self.environment = {
            **kept,
            **house,
            "SECRET_KEY": settings.SECRET_KEY,
            "BUSY_SECONDS": "1",
            "PORT": "0",
            **environment,
        }

    def begin(self, *arguments, clock=None, **options):
        """Start a process, with a clock of its own if given; its output goes to a file."""
        if clock is not None:
            arguments = ("-m", "tests.support.moved_clock", str(clock.file), *arguments)
        log = self.folder / f"{len(self.running)}.log"
        with log.open("wb") as out:
            process = subprocess.Popen(
                [sys.executable, *arguments],
                cwd=settings.BASE_DIR,
                env=self.environment,
                stdout=out,
                stderr=out,
                **options,
            )
        process.log = log
        self.running.append(process)
        return process

    def serve(self, **options):
        return Server(self.begin("manage.py", "serve", **options))

    def worker(self, **options):
        command = ("-m", "celery", "-A", "casino", "worker", "--pool", "threads", "--concurrency", "2")
        return self.begin(*command, **options)

    def beat(self, **options):
        return self.begin("-m", "celery", "-A", "casino", "beat", **options)

    def end(self):
        for process in self.running:
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(signal.SIGCONT)
            process.kill()
            process.wait()


class Clock:
    """The clock of one machine, which the test sets (tests/support/moved_clock.py)."""

    def __init__(self, folder, machine):
        self.file = folder / machine
        self.off(0)

    def off(self, seconds):
        """Set its offset in seconds."""
        fresh = self.file.with_suffix(".new")
        fresh.write_text(str(seconds))
        fresh.replace(self.file)


class Server:
    def __init__(self, process):
        self.process = process
        until(lambda: self._port() or process.poll() is not None, self.said)
        assert process.poll() is None, self.said()
        self.port, self.cookies = self._port(), {}

    def said(self):
        return self.process.log.read_text(errors="replace")

    def _port(self):
        found = re.search(r"http://localhost:(\d+)/", self.said())
        return int(found[1]) if found else 0

    def sign_in(self, person):
        """Give this person a session without the sign-in page."""
        client = Client()
        client.force_login(person)
        self.cookies[person.pk] = client.cookies[settings.SESSION_COOKIE_NAME].value

    def confirm_time(self, person, key):
        """Confirm the time on the floor's page; return the status."""
        return self.ask("POST", "/floor/time/", urlencode({"key": key}), person)[0]

    def ask(self, method, path, body=None, person=None, patience=30):
        """Send a request of JSON, or of a form as text; return status, answer and headers."""
        form = isinstance(body, str)
        headers = {
            "Host": f"localhost:{self.port}",
            "Content-Type": "application/x-www-form-urlencoded" if form else "application/json",
            "X-CSRFToken": SECRET,
        }
        cookie = self.cookies.get(person.pk) if person else None
        if cookie:
            headers["Cookie"] = f"{settings.SESSION_COOKIE_NAME}={cookie}; csrftoken={SECRET}"
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=patience)
        with contextlib.closing(link):
            link.request(method, path, body if form or body is None else json.dumps(body), headers)
            answer = link.getresponse()
            text = answer.read().decode()
        said = json.loads(text) if answer.headers.get_content_type() == "application/json" else text
        return answer.status, said, answer.headers

    def start(self, game, key, **options):
        return self.ask(
            "POST", f"/api/sessions/{game.session.pk}/rounds", {"key": key}, game.dealer, **options
        )

    def settle(self, game, round_, hands, key, **options):
        entered = [dict(hand) for hand in game.entry(round_, hands).hands]
        sent = {"key": key, "hands": entered}
        return self.ask("POST", f"/api/rounds/{round_.pk}/settle", sent, game.dealer, **options)

    def health(self, use=""):
        began = time.monotonic()
        status, said, _ = self.ask("GET", f"/healthz/{use}" if use else "/healthz")
        return status, said, time.monotonic() - began


def until(condition, said=str):
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not (found := condition()):
        assert time.monotonic() < deadline, said()
        time.sleep(0.02)
    return found


@contextlib.contextmanager
def small_disk(folder: Path, megabytes: int):
    """Mount a small disk at `folder`, if permitted; yield whether it worked."""
    command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)]
    mounted = subprocess.run(command, check=False, capture_output=True).returncode == 0
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture
def tonight(request, monkeypatch):
    """A table that opened five minutes ago with two players, and a second one beside it."""
    monkeypatch.setattr(settings, "AUDIT_KEY", KEY)
    monkeypatch.setattr("tests.support.game.OPENING", datetime.now(UTC) - timedelta(minutes=5))
    game, beside = (request.getfixturevalue(name) for name in ("game", "beside"))
    game.seat("Ann", "Bob")
    beside.seat("Cat", "Dan")
    return game, beside


@pytest.fixture
def processes(tmp_path):
    own = Processes(tmp_path, REDIS_URL=settings.REDIS_URL)
    yield own
    own.end()


@pytest.fixture
def whole():
    """`whole(game, keys)`: each key was posted once, the books balance, and the log verifies."""

    from ledger.journal import balances
    from ledger.models import JournalEntry
    from ledger.proof.log import sealing, verifying
    from tests.support.balances import differences

    def look(game, keys):
        entries = list(JournalEntry.objects.filter(key__in=keys).values_list("key", flat=True))
        assert sorted(entries) == sorted(set(keys))
        assert balances.asset_sums(game.site) == {"chips": 0, "cash": 0}
        assert differences(game.site) == {}
        sealing.seal(game.site, now=datetime.now(UTC), whole=True)
        assert [str(finding) for finding in verifying.Verification(game.site).run()] == []

    return look
