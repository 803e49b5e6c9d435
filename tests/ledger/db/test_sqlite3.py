"""Writers of one process wait for each other in turn (ledger/db/sqlite3)."""

import sqlite3

import pytest
from django.db import OperationalError

from ledger.db.sqlite3 import base
from ledger.db.sqlite3.base import DatabaseWrapper, _turns

pytestmark = pytest.mark.django_db

NOT_LONG = 0.01
DURABLE = "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL"  # as the product's settings have it


@pytest.fixture
def opened(tmp_path):
    connections = []

    def open_(mode="IMMEDIATE", init=DURABLE):
        settings = {"NAME": str(tmp_path / "room.sqlite3"), "TIME_ZONE": None, "CONN_MAX_AGE": None}
        settings |= {"AUTOCOMMIT": True, "CONN_HEALTH_CHECKS": False}
        settings["OPTIONS"] = {"transaction_mode": mode, "timeout": NOT_LONG, "init_command": init}
        connections.append(DatabaseWrapper(settings, "other"))
        return connections[-1]

    yield open_
    for connection in connections:
        connection.close()


def begin(connection):
    connection.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)


def safety(connection):
    return connection.cursor().execute("PRAGMA synchronous").fetchone()[0]


def is_taken(connection):
    return _turns[connection.settings_dict["NAME"]].locked()


@pytest.mark.parametrize("ended", ["commit", "rollback", "close"])
def test_a_writer_holds_the_turn_of_its_file_until_its_transaction_ends(opened, ended):
    one, other = opened(), opened()
    begin(one)
    assert is_taken(one)
    with pytest.raises(OperationalError, match="database is locked"):
        begin(other)
    getattr(one, ended)()
    assert not is_taken(one)
    begin(other)


def test_who_finds_another_process_writing_keeps_nobody_here_waiting(opened):
    one = opened()
    begin(one)
    one.rollback()
    there = sqlite3.connect(one.settings_dict["NAME"], isolation_level=None)
    there.execute("BEGIN IMMEDIATE")
    one.autocommit = True
    with pytest.raises(OperationalError, match="locked"):
        begin(one)
    assert not is_taken(one)
    assert safety(one) == base._FULL
    there.close()


def test_a_commit_that_fails_keeps_the_turn_until_it_is_rolled_back(opened):
    one = opened()
    one.cursor().execute("CREATE TABLE t (a PRIMARY KEY, b REFERENCES t DEFERRABLE INITIALLY DEFERRED)")
    begin(one)
    one.cursor().execute("INSERT INTO t VALUES (1, 2)")
    with pytest.raises(Exception, match="FOREIGN KEY"):
        one.commit()
    assert is_taken(one)
    one.rollback()
    assert not is_taken(one)


def test_who_only_reads_waits_for_no_turn(opened):
    one, reader = opened(), opened("DEFERRED")
    begin(one)
    begin(reader)
    assert reader.cursor().execute("SELECT 1").fetchall() == [(1,)]


@pytest.fixture
def waited(monkeypatch):
    """Each wait for the disk: whether the turn was still taken meanwhile. Keep the connection to ask in
    `of`."""
    found = []
    to_disk = base._to_disk

    def wait(file):
        found.append(is_taken(wait.of))
        to_disk(file)

    monkeypatch.setattr(base, "_to_disk", wait)
    return wait, found


def test_a_commit_waits_for_the_disk_when_the_next_writer_has_the_turn(opened, waited):
    one = opened()
    waited[0].of = one
    one.cursor().execute("CREATE TABLE t (a)")
    assert (safety(one), waited[1]) == (base._FULL, [])
    begin(one)
    one.cursor().execute("INSERT INTO t VALUES (1)")
    assert safety(one) < base._FULL
    one.commit()
    assert (safety(one), waited[1]) == (base._FULL, [False])


def test_what_is_taken_back_waits_for_no_disk_and_what_comes_after_does(opened, waited):
    one = opened()
    waited[0].of = one
    begin(one)
    one.rollback()
    assert (safety(one), waited[1]) == (base._FULL, [])


def test_who_asks_for_no_durability_waits_for_none(opened, waited):
    one = opened(init="PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF")
    waited[0].of = one
    begin(one)
    one.cursor().execute("CREATE TABLE t (a)")
    one.commit()
    assert (safety(one), waited[1]) == (0, [])


def test_a_disk_that_fails_is_told_and_keeps_nobody_waiting(opened, monkeypatch):
    one = opened()
    begin(one)
    one.cursor().execute("CREATE TABLE t (a)")

    def fail(file):
        raise OSError("Input/output error")

    monkeypatch.setattr(base, "_to_disk", fail)
    with pytest.raises(OperationalError, match="disk I/O error"):
        one.commit()
    one.rollback()  # as a transaction of Django does where its commit fails
    assert not is_taken(one)
