"""Writers of one process wait for each other in turn (ledger/db/sqlite3)."""

import sqlite3

import pytest
from django.db import OperationalError

from ledger.db.sqlite3.base import DatabaseWrapper, _turns

pytestmark = pytest.mark.django_db

NOT_LONG = 0.01


@pytest.fixture
def opened(tmp_path):
    """Opens connections to one file."""
    connections = []

    def open_(mode="IMMEDIATE"):
        settings = {"NAME": str(tmp_path / "room.sqlite3"), "TIME_ZONE": None, "CONN_MAX_AGE": None}
        settings |= {"AUTOCOMMIT": True, "CONN_HEALTH_CHECKS": False}
        settings["OPTIONS"] = {"transaction_mode": mode, "timeout": NOT_LONG}
        connections.append(DatabaseWrapper(settings, "other"))
        return connections[-1]

    yield open_
    for connection in connections:
        connection.close()


def begin(connection):
    connection.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)


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
