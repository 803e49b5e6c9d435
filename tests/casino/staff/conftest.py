"""The manager's acts."""

from datetime import UTC, datetime

import pytest

from ledger.journal.acts import Act


@pytest.fixture
def act(site, manager):
    return Act(actor=manager, now=datetime(2026, 3, 7, 20, 0, tzinfo=UTC), terminal="office 10.0.0.9")
