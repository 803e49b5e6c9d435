"""Each request leaves one line that programs can read: who did what from where, and no secrets."""

import json
import logging
from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.utils import timezone

from casino import tasks
from casino.requests.middleware import LOGGER

pytestmark = pytest.mark.django_db


@pytest.fixture
def lines(monkeypatch):
    found, logger = [], logging.getLogger(LOGGER)

    class Kept(logging.Handler):
        def emit(self, record):
            found.append(json.loads(record.getMessage()))

    handler = Kept()
    monkeypatch.setattr(logger, "level", logging.INFO)
    logger.addHandler(handler)
    yield found
    logger.removeHandler(handler)


def test_a_request_is_one_line_with_its_person_and_its_entries(client, game, lines):
    sitting = game.seat("Ann", "Bob")[0]
    client.force_login(game.floor)
    sent = {"key": "a-key-of-this-act", "amount": "20", "source": "cash"}
    answer = client.post(f"/sittings/{sitting.pk}/add-on/", sent, REMOTE_ADDR="10.0.0.7")
    (line,) = lines
    entry = game.site.entries.latest("pk")
    assert answer["X-Request-ID"] == line.pop("request")
    assert line.pop("ms") >= 0
    line.pop("at")
    assert line == {
        "method": "POST",
        "path": f"/sittings/{sitting.pk}/add-on/",
        "status": 302,
        "person": "floor",
        "terminal": "10.0.0.7",
        "entries": [entry.pk],
    }


def test_nothing_that_was_sent_or_asked_for_is_in_it(client, site, floor, lines):
    client.post("/sign-in/?next=/floor/&token=s3cret", {"username": "floor", "password": "s3cret too"})
    assert len(lines) == 1
    assert "s3cret" not in json.dumps(lines)


def test_what_is_asked_for_all_the_time_leaves_no_line(client, lines):
    client.get("/healthz")
    client.get("/favicon.ico")
    assert lines == []


def test_a_path_cannot_forge_a_line(client, lines):
    client.get("/nowhere/%0a%7b%22person%22")
    (line,) = lines
    assert line["path"] == '/nowhere/\n{"person"'
    assert (line["status"], line["person"]) in ((404, ""), (302, ""))


def test_sessions_that_expired_go(db):
    now = timezone.now()
    for key, ends in (("old", now - timedelta(hours=1)), ("new", now + timedelta(hours=1))):
        Session.objects.create(session_key=key, session_data="", expire_date=ends)
    tasks.clear_sessions()
    assert [session.session_key for session in Session.objects.all()] == ["new"]
