"""A fault of the machine is one sentence on the page, with when to try again, and one line in the log."""

import errno
import json
import logging

import psycopg
import pytest
from django.db import DataError, IntegrityError, InterfaceError, OperationalError

from casino.requests import middleware
from casino.serving import faults
from casino.serving.faults import AWAY, BUSY, DISK_FULL, NOT_WRITABLE, OncePerOutage, Reports, fault_of


def of_postgres(kind):
    error = OperationalError("as Django says it")
    error.__cause__ = kind("as PostgreSQL says it")
    return error


@pytest.fixture(autouse=True)
def reports(monkeypatch):
    own = Reports()
    monkeypatch.setattr(faults, "reports", own)
    return own


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (OperationalError("database is locked"), BUSY),
        (of_postgres(psycopg.errors.LockNotAvailable), BUSY),
        (of_postgres(psycopg.errors.QueryCanceled), BUSY),
        (of_postgres(psycopg.errors.DeadlockDetected), BUSY),
        (OperationalError("database or disk is full"), DISK_FULL),
        (of_postgres(psycopg.errors.DiskFull), DISK_FULL),
        (OSError(errno.ENOSPC, "No space left on device"), DISK_FULL),
        (OperationalError("attempt to write a readonly database"), NOT_WRITABLE),
        (OperationalError("unable to open database file"), NOT_WRITABLE),
        (of_postgres(psycopg.errors.ReadOnlySqlTransaction), NOT_WRITABLE),
        (PermissionError(errno.EACCES, "Permission denied"), NOT_WRITABLE),
        (OperationalError("connection refused"), AWAY),
        (of_postgres(psycopg.errors.AdminShutdown), AWAY),
        (InterfaceError("connection already closed"), AWAY),
        (IntegrityError("UNIQUE constraint failed"), None),
        (DataError("out of range"), None),
        (FileNotFoundError(errno.ENOENT, "No such file"), None),
        (KeyError("a mistake of ours"), None),
        (None, None),
    ],
)
def test_a_fault_of_the_machine_is_told_from_an_error_of_ours(error, fault):
    assert fault_of(error) is fault


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (OperationalError("attempt to write a readonly database"), "The data can't be written"),
        (OperationalError("database or disk is full"), "The disk is full: make room"),
        (OperationalError("database is locked"), "Somebody else holds the database"),
        (OperationalError("connection refused"), "The database does not answer: start it"),
        (OperationalError("no such table: ledger_site"), "run `manage.py prepare` first"),
        (of_postgres(psycopg.errors.UndefinedTable), "run `manage.py prepare` first"),
        (KeyError("a mistake of ours"), None),
    ],
)
def test_a_command_that_meets_it_ends_in_a_sentence(error, sentence):
    said = faults.ending(error)
    assert said is None if sentence is None else sentence in said


@pytest.fixture
def broken(client, floor, site, monkeypatch):
    """`broken(error)`: loading the house raises this error."""
    client.force_login(floor)
    client.raise_request_exception = False

    def breaks(error):
        def fail(*args, **options):
            raise error

        monkeypatch.setattr("tables.views.floor.pages.the_site", fail)
        monkeypatch.setattr("tables.api.views.require", fail)
        return client

    return breaks


@pytest.mark.parametrize("fault", [BUSY, DISK_FULL, NOT_WRITABLE, AWAY])
def test_a_page_says_it_in_one_sentence_with_when_to_try_again(broken, fault, monkeypatch):
    monkeypatch.setattr(faults, "fault_of", lambda error: fault if error else None)
    answer = broken(OperationalError("x")).get("/floor/")
    assert (answer.status_code, answer["Retry-After"]) == (503, str(fault.retry_seconds))
    assert fault.sentence.replace("'", "&#x27;") in answer.content.decode()
    assert answer["HX-Reswap"] == "none"


def test_the_api_says_it_with_its_code(broken):
    client = broken(OperationalError("database is locked"))
    answer = client.get("/api/rounds/1")
    assert (answer.status_code, answer["Retry-After"]) == (503, "2")
    assert json.loads(answer.content) == {"code": "busy", "error": BUSY.sentence, "field": None}


@pytest.mark.django_db
def test_a_fault_before_any_view_is_a_sentence_too(client, floor, monkeypatch):
    client.force_login(floor)
    client.raise_request_exception = False

    def fail(*args):
        raise OperationalError("connection refused")

    monkeypatch.setattr("django.contrib.sessions.backends.db.SessionStore._get_session_from_db", fail)
    monkeypatch.setattr("django.contrib.sessions.backends.db.SessionStore.load", fail)
    answer = client.get("/floor/")
    assert (answer.status_code, answer["Retry-After"]) == (503, "5")


def test_an_error_of_ours_stays_one(broken):
    assert broken(KeyError("ours")).get("/floor/").status_code == 500


def test_a_hundred_requests_that_meet_it_are_one_line_without_a_traceback(broken, caplog):
    once = OncePerOutage()
    client = broken(OperationalError("database or disk is full"))
    for _ in range(100):
        client.get("/floor/")
    said = [record for record in caplog.records if record.name != middleware.LOGGER]
    written = [record for record in said if once.filter(record)]
    assert [record.getMessage() for record in written] == ["disk_full: database or disk is full"]
    assert written[0].exc_info is None


def test_it_is_said_again_each_minute_with_how_many_met_it(reports, caplog, monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(faults.time, "monotonic", lambda: now[0])
    for _ in range(10):
        reports.report(BUSY, OperationalError("database is locked"))
    now[0] += faults.LINE_SECONDS
    reports.report(BUSY, OperationalError("database is locked"))
    assert caplog.messages == [
        "busy: database is locked",
        "busy: database is locked (9 more requests since the last line)",
    ]


def test_a_task_that_meets_it_leaves_no_traceback_each_time(caplog):
    once = OncePerOutage()
    for _ in range(100):
        error = OperationalError("database or disk is full")
        record = logging.LogRecord("celery.app.trace", 40, "", 1, "raised", (), (type(error), error, None))
        assert not once.filter(record)
    assert caplog.messages == ["disk_full: database or disk is full"]
    for _ in range(100):
        tried = ("error connecting in %r: %s", ("pool-1", "connection refused"))
        assert not once.filter(logging.LogRecord("psycopg.pool", 30, "", 1, *tried, None))
    assert caplog.messages[1:] == ["database_away: error connecting in 'pool-1': connection refused"]
    ours = logging.LogRecord("celery.app.trace", 40, "", 1, "raised", (), (KeyError, KeyError("x"), None))
    assert once.filter(ours)
