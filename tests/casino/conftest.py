"""Whatever a test does to people and devices, the log of it follows from what it said before."""

import pytest
from django.contrib.auth.hashers import get_hasher
from django.db import connection

from ledger.audit.checks.identity import Identity
from tests.support.replayed import bodies


@pytest.fixture
def identity_verifies(db):
    """Hold the events that a test has left against each other."""
    yield
    check = Identity(whole=True)
    events = [body for body in bodies() if body["record"] == "house_event"]
    found = [finding for at, body in enumerate(events) for finding in check.take(at, body)]
    assert [str(finding) for finding in (*found, *check.finish())] == []


@pytest.fixture
def transactions(monkeypatch):
    """How many transactions were open within that of the test, each time that something was hashed."""
    found, hasher = [], type(get_hasher())
    encode = hasher.encode

    def noted(*args, **options):
        found.append(len(connection.savepoint_ids))
        return encode(*args, **options)

    monkeypatch.setattr(hasher, "encode", noted)
    return found
