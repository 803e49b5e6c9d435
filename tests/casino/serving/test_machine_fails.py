"""The machine fails under a house in real processes: confirmed acts stay, and /healthz answers."""

import contextlib
import resource
import sqlite3
import threading

import psycopg
import pytest
from django.db import connection
from django.test import Client

from ledger.models import HouseEvent
from tables.models import Charge, Round
from tests.support.game import FULL_HOUSE, QUEENS
from tests.support.lengths import BUSY_MACHINE, LONG
from tests.support.serving import Clock, database_url, small_disk, until

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "reading"])
HANDS = [QUEENS, FULL_HOUSE]
KILLS = 20 if LONG else 2
HOUR = 3600
SECOND = 1 + BUSY_MACHINE
"""Within which /healthz answers."""


def on_sqlite():
    return connection.vendor == "sqlite"


@contextlib.contextmanager
def held(game):
    """Hold the lock that an act at this table needs: its row, on SQLite the whole file."""
    if on_sqlite():
        with contextlib.closing(sqlite3.connect(connection.settings_dict["NAME"])) as other:
            other.execute("BEGIN IMMEDIATE")
            yield
        return
    with psycopg.connect(database_url()) as other:
        other.execute("SELECT 1 FROM tables_tablesession WHERE id = %s FOR UPDATE", [game.session.pk])
        yield
        other.rollback()


def healthy(server, use="ready"):
    status, said, seconds = server.health(use)
    assert seconds < SECOND, said
    return status, said


def well_again(server):
    until(lambda: healthy(server)[0] == 200)


def a_second_server(processes):
    """On one file it refuses in a sentence; on PostgreSQL it serves as well."""
    if not on_sqlite():
        assert processes.serve().health("alive")[0] == 200
        return
    second = processes.begin("manage.py", "serve")
    assert second.wait(60) == 1
    said = second.log.read_text()
    assert said.startswith("CommandError: Another server works on ")
    assert said.count("\n") == 1


def test_a_lock_that_is_held_elsewhere_is_busy_at_that_table_alone_and_a_second_server_harms_nothing(
    tonight, processes, whole
):
    game, beside = tonight
    server = processes.serve()
    for dealer in (game.dealer, beside.dealer):
        server.sign_in(dealer)
    with held(game):
        answers = []
        asking = [
            threading.Thread(target=lambda: answers.append(server.start(game, "start-it"))) for _ in range(8)
        ]
        for one in asking:
            one.start()
        if on_sqlite():
            assert healthy(server)[1]["database"] in ("silent", "busy")
        else:
            assert server.start(beside, "start-beside")[0] == 201
            well_again(server)
        for one in asking:
            one.join()
        assert {(status, said["code"], said["error"].partition(":")[0]) for status, said, _ in answers} == {
            (503, "busy", "Somebody else is changing this at the moment")
        }
        assert {headers["Retry-After"] for _, _, headers in answers} == {"2"}
    status, said, _ = server.start(game, "start-it")
    assert status == 201, said
    round_ = Round.objects.get(key="start-it")
    status, said, _ = server.settle(game, round_, HANDS, "settle-it")
    assert status == 200, said
    well_again(server)
    a_second_server(processes)
    assert Round.objects.filter(key="start-it").count() == 1
    assert "Traceback" not in server.said()
    assert server.said().count("busy: ") == 1
    whole(game, ["settle-it"])


def test_a_server_that_is_killed_loses_nothing_that_it_confirmed(tonight, processes, whole):
    game, _ = tonight
    server, keys = processes.serve(), []
    for number in range(KILLS):
        server.sign_in(game.dealer)
        assert server.start(game, f"start-it-{number}")[0] == 201
        round_ = Round.objects.get(key=f"start-it-{number}")
        keys.append(f"settle-it-{number}")
        if number % 2:  # in the middle of the act, whose answer nobody hears
            with contextlib.suppress(OSError):
                threading.Timer(0.03, server.process.kill).start()
                server.settle(game, round_, HANDS, keys[-1])
        else:
            assert server.settle(game, round_, HANDS, keys[-1])[0] == 200
        server.process.kill()
        server.process.wait()
        server = processes.serve()
        server.sign_in(game.dealer)
        status, said, _ = server.settle(game, round_, HANDS, keys[-1])
        assert status == 200, said
        well_again(server)
    whole(game, keys)


@pytest.mark.parametrize("off", [HOUR, -HOUR] if LONG else [HOUR])
def test_a_clock_that_jumps_stops_what_charges_until_the_floor_has_confirmed_the_time(
    tonight, processes, whole, tmp_path, off
):
    game, _ = tonight
    clock = Clock(tmp_path, "here")
    server = processes.serve(clock=clock)
    for person in (game.dealer, game.floor):
        server.sign_in(person)
    assert server.start(game, "start-before")[0] == 201
    clock.off(off)
    until(lambda: healthy(server)[1]["clock"] == "jumped")
    # Acts that charge nothing go on, but not before the time of the table's last record.
    assert settled_by_key(server, game, "before") == (200 if off > 0 else 503)
    charged = Charge.objects.count()
    status, said, _ = server.start(game, "start-doubted")
    assert (status, said["code"]) == (503, "clock_doubted" if off > 0 else "clock_behind")
    clock.off(0)
    until(lambda: healthy(server)[1]["clock"] == "doubted")
    assert off > 0 or settled_by_key(server, game, "before") == 200
    status, said, _ = server.start(game, "start-doubted")
    assert (status, said["code"]) == (503, "clock_doubted" if off < 0 else "clock_behind")
    assert (Charge.objects.count(), Round.objects.count()) == (charged, 1)
    assert server.confirm_time(game.floor, "confirm-it") == 302
    assert server.start(game, "start-after")[0] == 201
    assert settled_by_key(server, game, "after") == 200
    until(lambda: healthy(server)[1]["clock"] == "ok")  # what /healthz says may be a second old
    assert HouseEvent.objects.filter(kind="clock_doubted").count() == 1
    whole(game, ["settle-before", "settle-after"])


def settled_by_key(server, game, key):
    round_ = Round.objects.get(key=f"start-{key}")
    return server.settle(game, round_, HANDS, f"settle-{key}")[0]


@contextlib.contextmanager
def squeezed(server, folder, mounted):
    """Fill the disk; if no small one could be mounted, limit this server's files instead."""
    if not mounted:
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))
        yield
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        return
    full, over = threading.Event(), threading.Event()

    def fill():
        with (folder / "filler").open("wb", buffering=0) as out:
            size = 1 << 16
            while not over.wait(0.002 if full.is_set() else 0):
                try:
                    out.write(b"x" * size)
                except OSError:
                    size = max(size // 4, 1)
                    if size == 1:
                        full.set()

    filling = threading.Thread(target=fill)
    filling.start()
    assert full.wait(30)
    try:
        yield
    finally:
        over.set()
        filling.join()
        (folder / "filler").unlink()


@contextlib.contextmanager
def growing(file):
    """Hold a read snapshot, so that SQLite's write-ahead log can only grow."""
    if not file.exists():
        yield
        return
    with contextlib.closing(sqlite3.connect(file)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM django_session").fetchone()
        yield


def test_a_full_disk_is_said_and_loses_nothing(tonight, processes, tmp_path):
    """The folder of the house is on a small disk, on SQLite with the database."""
    game, _ = tonight
    client = Client()
    client.force_login(game.dealer)
    folder = tmp_path / "small"
    folder.mkdir()
    with small_disk(folder, 40) as mounted:
        processes.environment["CASINO_VAR"] = str(folder)
        if on_sqlite():
            with contextlib.closing(sqlite3.connect(folder / "room.sqlite3")) as copy:
                connection.connection.backup(copy)
            processes.environment["DATABASE_URL"] = f"sqlite:///{folder / 'room.sqlite3'}"
        server = processes.serve()
        server.cookies[game.dealer.pk] = client.cookies["sessionid"].value
        with growing(folder / "room.sqlite3"):
            status, round_, _ = server.start(game, "start-it")
            assert status == 201, round_
            with squeezed(server, folder, mounted):
                status, said = healthy(server)
                assert (status, said["status"]) == (503, "down")
                assert said["disk"]["status"] == "disk_full"
                answers = [settled(server, game, round_) for _ in range(10)]
        if on_sqlite():
            assert {status for status, _, _ in answers} == {503}
            assert {said["code"] for _, said, _ in answers} <= {"disk_full", "not_writable"}
        assert "Traceback" not in server.said()
        complaints = [line for line in server.said().splitlines() if " ERROR " in line or " WARNING " in line]
        assert len(complaints) < 6
        assert settled(server, game, round_)[0] == 200
        well_again(server)
        server.process.terminate()
        server.process.wait()
        if on_sqlite():
            for action in (
                "seal",
                "verify",
            ):  # what waited for room is sealed; the server may have ended before it was
                done = processes.begin("manage.py", "audit", action)
                said = done.log.read_text() if done.wait() else ""
                assert [line for line in said.splitlines() if "wrong:" not in line] == []


def settled(server, game, round_):
    seats = [hand["seat"] for hand in round_["hands"]]
    hands = [{"seat": seat, **cards} for seat, cards in zip(seats, HANDS, strict=True)]
    return server.ask(
        "POST", f"/api/rounds/{round_['id']}/settle", {"key": "settle-it", "hands": hands}, game.dealer
    )
