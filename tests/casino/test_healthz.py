"""What the service says about itself to whoever asks."""

import time
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db import OperationalError
from django.utils import timezone

from casino import tasks, views
from ledger.journal import house_events
from ledger.journal.acts import Act
from ledger.tasks import seal_logs


@pytest.fixture
def health(client, db):
    def ask():
        response = client.get("/healthz")
        return response.status_code, response.json()

    return ask


def test_all_is_well_after_a_tick(health):
    tasks.heartbeat()
    status, answer = health()
    assert (status, answer["status"], answer["database"]) == (200, "ok", "ok")
    assert answer["scheduler"]["status"] == "ok"
    assert answer["scheduler"]["last_tick_seconds_ago"] < 5


def test_a_scheduler_that_never_ticked_is_said_without_taking_the_house_down(health):
    status, answer = health()
    assert (status, answer["status"]) == (200, "late")
    assert answer["scheduler"] == {"status": "unknown", "last_tick_seconds_ago": None}


def test_a_late_scheduler_is_said_with_its_age(health):
    cache.set(tasks.HEARTBEAT_KEY, time.time() - 100)
    status, answer = health()
    assert (status, answer["status"], answer["scheduler"]["status"]) == (200, "late", "late")
    assert 99 < answer["scheduler"]["last_tick_seconds_ago"] < 110


def test_without_its_database_the_service_is_down_and_gives_nothing_away(health, monkeypatch):
    class Unreachable:
        def cursor(self):
            raise OperationalError("could not connect to 10.1.2.3 as casino")

    monkeypatch.setattr(views, "connection", Unreachable())
    tasks.heartbeat()
    status, answer = health()
    assert (status, answer["status"], answer["database"]) == (503, "down", "unreachable")
    assert "10.1.2.3" not in str(answer)


def test_strangers_may_ask_but_nothing_is_posted(client, db):
    assert client.post("/healthz").status_code == 405


def test_an_audit_log_that_is_late_or_has_stopped_is_said(health, site):
    tasks.heartbeat()
    seal_logs()
    assert health()[1]["audit_log"]["status"] == "ok"
    house_events.note(site, "exported", act=Act(actor=None, now=timezone.now() - timedelta(minutes=2)))
    status, answer = health()
    assert (status, answer["status"], answer["audit_log"]["status"]) == (200, "late", "late")
    assert answer["audit_log"]["records_waiting"] == 1
    assert answer["audit_log"]["oldest_seconds"] >= 120


def test_sealing_that_refuses_is_told_until_it_goes_on_again(health, site, settings, tmp_path):
    seal_logs()
    settings.AUDIT_KEY_FILE = tmp_path / "another"
    assert seal_logs() == 0
    assert health()[1]["audit_log"]["status"] == "stopped"
    settings.AUDIT_KEY_FILE = settings.VAR_DIR / "audit_key"
    assert seal_logs() == 0
    assert health()[1]["audit_log"]["status"] == "ok"
