"""/healthz tells the truth about the service, within a second."""

import errno
import threading
import time
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.core.cache import cache
from django.db import OperationalError, connection
from django.http import HttpResponse
from django.utils import timezone

from casino import tasks, views
from casino.models import Pulse
from casino.requests.middleware import AccessLog
from casino.serving import faults, health as healths
from casino.serving.faults import BUSY, DISK_FULL, Reports
from ledger.journal import house_events, trace
from ledger.journal.acts import Act
from ledger.models import Site
from ledger.tasks import seal_logs
from tables.live.breaker import breaker
from tests.support.lengths import BUSY_MACHINE
from tests.support.serving import until


@pytest.fixture(autouse=True)
def _nothing_was_told_before(monkeypatch):
    monkeypatch.setattr(healths, "told", healths.LastHealth())
    monkeypatch.setattr(views, "told", healths.told)
    monkeypatch.setattr(healths, "reports", Reports())


@pytest.fixture
def health(client, db):
    def ask(use=""):
        response = client.get(f"/healthz/{use}" if use else "/healthz")
        return response.status_code, response.json()

    return ask


@pytest.fixture
def well(health, site):
    """Wait until nothing is wrong: Redis may have been too busy for a moment."""
    seal_logs()

    def is_well():
        tasks.heartbeat()
        cache.get("anything")  # whoever was not answered asks again
        return health()[1]["status"] == "ok"

    until(is_well, lambda: str(health()))
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
            assert time.monotonic() - began < 1 + BUSY_MACHINE
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
    for sealed in (2, 1):  # with the first refusal, which is recorded once
        settings.AUDIT_KEY_FILE = tmp_path / "another"
        assert seal_logs() == 0
        assert well()[1]["status"] == "ok"
        settings.AUDIT_KEY_FILE = theirs
        house_events.note(site, "exported", act=Act(actor=None, now=timezone.now()))
        assert seal_logs() == sealed
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


# -- what acts have met ----------------------------------------------------------------------------


def test_a_full_disk_that_acts_meet_is_said_though_the_probe_still_fits(well):
    healths.reports.report(DISK_FULL, "could not extend file")
    status, answer = well("ready")
    assert (status, answer["status"], answer["database"]) == (503, "down", "ok")
    assert answer["faults"]["disk_full"] < 5


def test_an_act_that_was_written_since_shows_that_there_is_room_again(well, rf, monkeypatch):
    monkeypatch.setattr(faults, "reports", healths.reports)
    healths.reports.report(DISK_FULL, "could not extend file")

    def act(status):
        def answered(request):
            trace.wrote([5])
            return HttpResponse(status=status)

        AccessLog(answered)(rf.post("/floor/"))

    act(503)
    assert well("ready")[0] == 503
    act(200)
    assert (well("ready")[0], well()[1]["status"]) == (200, "degraded")


def test_a_fault_of_the_last_minute_is_said_and_then_forgotten(well, monkeypatch):
    healths.reports.report(DISK_FULL, "could not extend file")
    healths.reports.report(BUSY, "a table")
    now = time.monotonic()
    monkeypatch.setattr(faults.time, "monotonic", lambda: now + 30)
    assert (well("ready")[0], well("well")[0], set(well()[1]["faults"])) == (200, 503, {"disk_full", "busy"})
    monkeypatch.setattr(faults.time, "monotonic", lambda: now + 61)
    assert (well("well")[0], well()[1]["faults"]) == (200, {})


@pytest.mark.both_databases
def test_the_probe_takes_room_on_the_disk_of_the_database_and_gives_it_back(health, monkeypatch):
    """Temporary files limited to a few pages act like a full disk."""
    if connection.vendor != "postgresql":
        healths.require_room()
        return
    assert health()[1]["database"] == "ok"
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL temp_file_limit = '64kB'")
    assert health()[1]["database"] == "disk_full"


def test_the_probe_takes_room_on_each_disk_of_the_house(settings, tmp_path, monkeypatch):
    settings.VAR_DIR, settings.PAPERS, taken = tmp_path, tmp_path / "papers", []
    settings.PAPERS.mkdir()
    monkeypatch.setattr(healths.os, "posix_fallocate", lambda file, start, size: taken.append(size))
    assert healths.disk_state()["status"] in ("ok", "low")
    assert len(taken) >= 2
    assert min(taken) >= 1 << 20

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(healths.os, "posix_fallocate", full)
    assert healths.disk_state()["status"] == "disk_full"


# -- whom it is said -------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_sixty_four_who_ask_within_a_second_are_one_look(client, monkeypatch):
    looks = []
    monkeypatch.setattr(healths, "health", lambda: looks.append(1) or {"status": "ok"})
    assert {client.get("/healthz").status_code for _ in range(64)} == {200}
    assert len(looks) == 1
    monkeypatch.setattr(healths, "TOLD_SECONDS", 0.0)
    client.get("/healthz")
    assert len(looks) == 2


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "10.7.7.7"])
def test_the_machine_and_its_proxies_are_told_what_is_wrong(well, client, settings, address):
    settings.TRUSTED_PROXIES = ["10.7.0.0/16"]
    assert client.get("/healthz", REMOTE_ADDR=address).json()["disk"]["status"] == "ok"


@pytest.mark.parametrize("address", ["203.0.113.9", "10.8.0.1", "2001:db8::1", ""])
def test_everybody_else_hears_the_status_and_nothing_more(well, client, settings, address):
    settings.TRUSTED_PROXIES = ["10.7.0.0/16"]
    assert client.get("/healthz", REMOTE_ADDR=address).json() == {"status": "ok"}
    Pulse.beat("scheduler", timezone.now() - timedelta(seconds=100))
    answer = client.get("/healthz/well", REMOTE_ADDR=address)
    assert (answer.status_code, answer.json()) == (503, {"status": "degraded"})
