"""The house spread over processes: web, worker and beat apart, with PostgreSQL and Redis between them."""

import os
import signal
import subprocess
import sys
import time

import pytest
from django.conf import settings
from django.core.cache import cache
from django.db import connection

from casino import tasks

PATIENCE_SECONDS = 30


@pytest.fixture
def processes():
    """Start processes that know the test's servers; all are stopped at the end."""
    running = []

    def start(*arguments):
        environment = {
            **os.environ,
            "REDIS_URL": settings.REDIS_URL,
            "DJANGO_SETTINGS_MODULE": "tests.settings",
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


def test_worker_and_beat_tick_in_processes_of_their_own(processes, client, db):
    worker = processes("-m", "celery", "-A", "casino", "worker", "--pool", "threads", "--concurrency", "2")
    beat = processes("-m", "celery", "-A", "casino", "beat")
    deadline = time.monotonic() + PATIENCE_SECONDS
    while cache.get(tasks.HEARTBEAT_KEY) is None:
        assert worker.poll() is None, worker.stderr.read()
        assert beat.poll() is None, beat.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert client.get("/healthz").json()["status"] == "ok"
    for process in (beat, worker):
        process.send_signal(signal.SIGTERM)
        assert process.wait(15) == 0


def test_the_service_says_that_postgresql_answers(client, db):
    assert connection.vendor == "postgresql"
    assert client.get("/healthz").json()["database"] == "ok"


def test_sign_in_attempts_count_over_processes(client, floor):
    from casino.sign_in import Attempts

    mine, theirs = Attempts("floor", "10.0.0.7"), Attempts("FLOOR", "10.0.0.7")
    for _ in range(3):
        mine.count()
        theirs.count()
    assert mine.exhausted
    assert theirs.exhausted
    mine.forget()
    assert not theirs.exhausted
