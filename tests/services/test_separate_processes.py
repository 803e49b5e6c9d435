"""The house spread over processes: web, worker and beat apart, with PostgreSQL and Redis between them."""

import base64
import os
import signal
import subprocess
import sys
import tempfile
import time
from datetime import date, timedelta
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest
from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from casino import celery
from casino.models import Pulse
from ledger.cage import boxes
from ledger.journal import closing, house_events
from ledger.journal.acts import Act
from ledger.models import Account, DropBox, JournalEntry
from ledger.proof.log import sealing, verifying
from tables.collection import clock
from tables.floor import waiting
from tables.log import paper_files
from tables.models import Attention, Charge, WaitingPlace
from tables.seats.players import Person
from tests.support.acting import acting
from tests.support.cage import close_cage
from tests.support.counting import count_boxes
from tests.support.game import OPENING, Game
from tools import servers

PATIENCE_SECONDS = 120


@pytest.fixture
def processes():
    running = []

    def start(*arguments, **more):
        environment = {
            **os.environ,
            "REDIS_URL": settings.REDIS_URL,
            "DJANGO_SETTINGS_MODULE": "tests.settings",
            **more,
        }
        process = subprocess.Popen(
            [sys.executable, *arguments],
            cwd=settings.BASE_DIR,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        running.append(process)
        return process

    yield start
    for process in running:
        process.kill()
        process.wait()
        process.stderr.close()


def test_the_service_says_that_postgresql_answers(client, db):
    assert connection.vendor == "postgresql"
    assert client.get("/healthz").json()["database"] == "ok"


# -- killed workers, two beats, a Redis that goes away ---------------------------------------------

TASKS = "tables.tasks."
# Celery ends a worker whose Redis goes away during a task; systemd or Docker restarts it.
LOST_REDIS = "Unrecoverable error: AttributeError(\"'NoneType' object has no attribute"


def wait_for(condition, *running):
    """Wait for a condition, never for a fixed time."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        for process in running:
            assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.05)


def kept():
    return [
        list(Account.objects.order_by("pk").values_list("pk", "balance_cents")),
        list(Charge.objects.order_by("pk").values()),
        list(JournalEntry.objects.order_by("pk").values_list("pk", "kind")),
    ]


def night_papers(folder):
    """Return the written papers; an unfinished folder begins with a dot."""
    return {path.relative_to(folder): path.read_bytes() for path in folder.glob("*/[!.]*/*.csv")}


@pytest.fixture
def evening(game, beside, floor2, counter1, counter2, cashier, monkeypatch):
    """A closed day; on the next, a table with a stopped clock, an unpayable fee, and an expired held seat."""
    house_events.note_particulars(
        game.site, act=Act(actor=None, now=OPENING - timedelta(hours=9)), opened=False
    )
    game.seat("Ann", "Bob")
    game.play()
    for seat in (1, 2):
        game.minute(30).cash_out(seat)
    for table in (game, beside):
        table.minute(30).close(floor2)
    count_boxes(DropBox.objects.all(), (counter1, counter2), game.now)
    for box in DropBox.objects.all():
        boxes.sign_off(box=box, cause="", act=Act(actor=cashier, key=game.key(), now=game.now))
    game.minute(24 * 60)
    close_cage(game.site, game.now)
    closing.close_day(
        site=game.site,
        day=date(2026, 3, 7),
        act=Act(actor=cashier, approver=floor2, now=game.now, key="close-it"),
    )
    monkeypatch.setattr("tests.support.game.OPENING", OPENING + timedelta(hours=25))
    later = Game(game.site, game.floor, game.dealer, game.players, number=3)
    later.seat("Ann", "Bob", "Cat")
    later.play()
    by = {"session_id": later.session.pk, "actor": later.floor, "now": later.now}
    acting(clock.stop_clock, reason="fire alarm", key=later.key(), **by)
    acting(
        waiting.hold_seat,
        seat=4,
        until=later.now + timedelta(minutes=9),
        who=Person("Eve"),
        key=later.key(),
        **by,
    )
    return later


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """The environment of processes on the test's database, with a Redis of their own."""
    name = connection.settings_dict["NAME"]
    where = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}")
    key = base64.b64encode(b"s" * 32).decode()
    monkeypatch.setattr(settings, "AUDIT_KEY", key)
    with tempfile.TemporaryDirectory(prefix="casino-redis-") as folder:
        yield (
            Path(folder),
            {
                "DATABASE_URL": urlunsplit(where),
                "REDIS_URL": f"unix://{folder}/redis.sock",
                "AUDIT_KEY": key,
                "PAPERS": str(tmp_path / "papers"),
            },
        )


def asleep_for_a_lock():
    with connection.cursor() as cursor:
        # otherwise a transaction would see the same for ever
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(
            "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        return cursor.fetchone() is not None


def end_when_told(client, *running):
    """The house says that its scheduler ticks; a beat and a worker end by themselves."""
    wait_for(lambda: Pulse.last("scheduler") is not None, *running)
    assert client.get("/healthz").json()["scheduler"]["status"] == "ok"
    for process in running:
        process.send_signal(signal.SIGTERM)
        assert process.wait(15) == 0


@pytest.mark.django_db(transaction=True, databases=["default", "reading"])
def test_workers_killed_in_mid_task_two_beats_and_a_lost_redis_leave_the_same_books(
    evening, elsewhere, processes, client, tmp_path
):
    folder, environment = elsewhere
    before = kept()
    paper_files.write_papers(evening.site, tmp_path / "by hand", evening.now)
    papers = night_papers(tmp_path / "by hand")
    place = WaitingPlace.objects.filter(state="held")

    def worker():
        command = ("-m", "celery", "-A", "casino", "worker", "--pool", "threads", "--concurrency", "2")
        return processes(*command, **environment)

    def send(*names):
        url = celery.broker_url(environment["REDIS_URL"])
        with celery.app.connection_for_write(url) as broker:
            for name in names:
                celery.app.send_task(name, connection=broker)

    with servers.redis(folder):
        first = worker()
        with transaction.atomic():
            list(place.select_for_update())
            send(TASKS + "expire_places")
            wait_for(asleep_for_a_lock, first)
            first.kill()
            first.wait()
        assert place.count() == 1  # nothing is half done
        running = [
            worker(),
            worker(),
            *(processes("-m", "celery", "-A", "casino", "beat", **environment) for _ in "ab"),
        ]
        send(*[TASKS + name for name in ("write_papers", "tend_attention", "expire_places")] * 2)
        wait_for(lambda: not place.exists() and night_papers(tmp_path / "papers") == papers, *running)
        wait_for(lambda: Attention.objects.exists() and not sealing.lag(evening.site).waiting, *running)
        end_when_told(client, running.pop(), running.pop(0))
    by = {"session_id": evening.session.pk, "actor": evening.floor, "now": evening.minute(20).now}
    acting(clock.start_clock, key=evening.key(), **by)  # while Redis is away, play goes on
    stood = Attention.objects.filter(kind="clock_stopped")

    def cleared_by_workers_begun_again():
        for number, process in enumerate(running):
            if process.poll() is not None:
                assert LOST_REDIS in process.stderr.read()
                running[number] = worker()
        return stood.filter(cleared_at__isnull=False).exists()

    with servers.redis(folder):
        wait_for(cleared_by_workers_begun_again)
        for process in running:
            process.kill()
            process.wait()
    assert kept() == before
    assert stood.count() == 1
    raised = Attention.objects.filter(cleared_at=None).values_list("kind", "subject")
    assert len(raised) == len(set(raised))
    assert night_papers(tmp_path / "papers") == papers
    sealing.seal(evening.site, now=timezone.now())  # the workers have signed by the machine's clock
    assert [str(finding) for finding in verifying.Verification(evening.site).run()] == []
