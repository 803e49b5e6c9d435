"""What the service says about itself to whoever asks: truly, and within a second."""

import threading
import time
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.db import OperationalError
from django.utils import timezone

from casino import tasks
from casino.models import Pulse
from casino.serving import health as healths
from ledger.journal import house_events
from ledger.journal.acts import Act
from ledger.models import Site
from ledger.tasks import seal_logs
from tables.live.breaker import breaker
from tests.support.serving import until


@pytest.fixture
def health(client, db):
    def ask(use=""):
        response = client.get(f"/healthz/{use}" if use else "/healthz")
        return response.status_code, response.json()

    return ask


@pytest.fixture
def well(health, site):
    """A house of which nothing is wrong, once a Redis that was too busy for a moment is asked again."""
    tasks.heartbeat()
    seal_logs()
    until(lambda: health()[1]["status"] == "ok")
    return health


def test_all_is_well_after_a_tick(health):
    tasks.heartbeat()
    status, answer = health()
    assert (status, answer["status"], answer["database"]) == (200, "ok", "ok")
    assert answer["scheduler"]["status"] == "ok"
    assert answer["scheduler"]["last_tick_seconds_ago"] < 5
    assert answer["disk"]["free_megabytes"] > 0


def test_it_really_writes(health):
    health()
    first = Pulse.last("probe")
    health()
    assert Pulse.last("probe") > first


def test_a_scheduler_that_never_ticked_is_said_without_taking_the_house_down(health):
    status, answer = health()
    assert (status, answer["status"]) == (200, "degraded")
    assert answer["scheduler"] == {"status": "unknown", "last_tick_seconds_ago": None}


def test_a_late_scheduler_is_said_with_its_age(health):
    Pulse.beat("scheduler", timezone.now() - timedelta(seconds=100))
    status, answer = health()
    assert (status, answer["status"], answer["scheduler"]["status"]) == (200, "degraded", "late")
    assert 99 < answer["scheduler"]["last_tick_seconds_ago"] < 110


def test_without_its_database_the_service_is_down_and_gives_nothing_away(health, monkeypatch):
    def unreachable(*args):
        raise OperationalError("could not connect to 10.1.2.3 as casino")

    monkeypatch.setattr(Pulse, "beat", unreachable)
    status, answer = health()
    assert (status, answer["status"], answer["database"]) == (503, "down", "database_away")
    assert "10.1.2.3" not in str(answer)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("what", ["database", "disk"])
def test_what_hangs_is_told_within_a_second_and_asked_by_one_alone(client, monkeypatch, what):
    hangs, asked, room = threading.Event(), [], SimpleNamespace(free=1 << 40)
    holder, name = {"database": (Pulse, "beat"), "disk": (healths.shutil, "disk_usage")}[what]
    monkeypatch.setattr(holder, name, lambda *args: asked.append(args) or (hangs.wait(30) and room))
    try:
        for _ in range(2):
            began = time.monotonic()
            answer = client.get("/healthz")
            assert time.monotonic() - began < 1.5  # a second, and what a busy machine takes for a page
            said = answer.json()
            silent = {"database": said["database"], "disk": said["disk"]["status"]}
            assert (answer.status_code, silent[what]) == (503, "silent")
        assert len(asked) == 1
        assert client.get("/healthz/alive").status_code == 200
    finally:
        hangs.set()
    with healths._asking:
        assert len(asked) == 1


@pytest.mark.parametrize("use", ["", "alive", "ready", "well"])
def test_a_probe_asks_by_address_and_gets_no_refusal_of_its_name(well, client, settings, use):
    settings.ALLOWED_HOSTS = ["tables.example.com"]
    path = f"/healthz/{use}" if use else "/healthz"
    assert client.get(path, HTTP_HOST="10.0.0.7:8000").status_code == 200
    assert client.get("/healthz/or-not", HTTP_HOST="10.0.0.7:8000").status_code == 400


def test_each_use_has_its_status(well, monkeypatch):
    assert [well(use)[0] for use in ("alive", "ready", "well")] == [200, 200, 200]
    Pulse.beat("scheduler", timezone.now() - timedelta(seconds=100))
    assert [well(use)[0] for use in ("alive", "ready", "well")] == [200, 200, 503]
    monkeypatch.setattr(healths, "_ask_machine", healths.unheard)
    assert [well(use)[0] for use in ("alive", "ready", "well")] == [200, 503, 503]


def test_a_clock_in_doubt_is_said(well):
    Site.objects.update(clock_doubted_at=timezone.now())
    status, answer = well()
    assert (status, answer["status"], answer["clock"]) == (200, "degraded", "doubted")


def test_a_clock_that_jumped_in_this_process_is_said_before_anybody_acts(well, monkeypatch):
    monkeypatch.setattr(healths, "jumped_here", lambda: timedelta(hours=1))
    assert well()[1]["clock"] == "jumped"


def test_a_disk_that_is_nearly_full_is_said(well, monkeypatch):
    monkeypatch.setattr(healths.shutil, "disk_usage", lambda folder: SimpleNamespace(free=100 << 20))
    status, answer = well()
    assert (status, answer["status"], answer["disk"]) == (
        200,
        "degraded",
        {"status": "low", "free_megabytes": 100},
    )


def test_a_folder_that_cannot_be_written_takes_the_house_down(well, settings, tmp_path):
    settings.VAR_DIR = tmp_path / "gone"
    status, answer = well()
    assert (status, answer["disk"]["status"]) == (503, "unreadable")


def test_a_redis_that_is_away_is_said(well, settings, monkeypatch):
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    monkeypatch.setattr(breaker, "_away", True)
    assert (well()[1]["status"], well()[1]["redis"]) == ("degraded", "away")


def test_strangers_may_ask_but_nothing_is_posted(client, db):
    assert client.post("/healthz").status_code == 405


def test_an_audit_log_that_is_late_is_said(well, site):
    house_events.note(site, "exported", act=Act(actor=None, now=timezone.now() - timedelta(minutes=2)))
    status, answer = well()
    assert (status, answer["status"], answer["audit_log"]["status"]) == (200, "degraded", "late")
    assert answer["audit_log"]["records_waiting"] == 1
    assert answer["audit_log"]["oldest_seconds"] >= 120
    assert answer["audit_log"]["checkpoint_seconds_ago"] < 60


def test_a_worker_without_the_key_changes_nothing_while_another_seals(well, site, settings, tmp_path):
    theirs = settings.AUDIT_KEY_FILE
    for _ in range(2):
        settings.AUDIT_KEY_FILE = tmp_path / "another"
        assert seal_logs() == 0
        assert well()[1]["status"] == "ok"
        settings.AUDIT_KEY_FILE = theirs
        house_events.note(site, "exported", act=Act(actor=None, now=timezone.now()))
        assert seal_logs() == 1
        assert well()[1]["status"] == "ok"


def test_a_missing_key_stops_the_log_once_records_wait_and_is_logged_once(
    well, site, settings, tmp_path, caplog
):
    theirs, settings.AUDIT_KEY_FILE = settings.AUDIT_KEY_FILE, tmp_path / "another"
    house_events.note(site, "exported", act=Act(actor=None, now=timezone.now() - timedelta(minutes=2)))
    for _ in range(5):
        seal_logs()
    assert well()[1]["audit_log"]["status"] == "stopped"
    assert len([line for line in caplog.messages if "signing key" in line]) == 1
    settings.AUDIT_KEY_FILE = theirs
    seal_logs()
    assert well()[1]["audit_log"]["status"] == "ok"
