"""After every test about staff and devices, verify the log that it left."""

import pytest
from django.contrib.auth.hashers import get_hasher
from django.db import connection

from ledger.proof.audit.checks.identity import Identity
from tests.support.replayed import bodies


@pytest.fixture
def identity_verifies(db):
    """Check that the house events of the test follow from each other."""
    yield
    check = Identity(whole=True)
    events = [body for body in bodies() if body["record"] == "house_event"]
    found = [finding for at, body in enumerate(events) for finding in check.take(at, body)]
    assert [str(finding) for finding in (*found, *check.finish())] == []


@pytest.fixture
def transactions(monkeypatch):
    """For each hashing: how many transactions were open within the test's own."""
    found, hasher = [], type(get_hasher())
    encode = hasher.encode

    def noted(*args, **options):
        found.append(len(connection.savepoint_ids))
        return encode(*args, **options)

    monkeypatch.setattr(hasher, "encode", noted)
    return found
