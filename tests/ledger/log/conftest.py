"""What tests of the log begin with: the house's key is their own."""

import pytest

from ledger.log import verifying


@pytest.fixture(autouse=True)
def own_key(settings, tmp_path):
    """A key that is made with the first sealing, and is gone with the test."""
    settings.AUDIT_KEY, settings.AUDIT_KEY_FILE = "", tmp_path / "audit_key"


@pytest.fixture
def books_alone(monkeypatch):
    """Nothing but the ledger's own checks: no table saw these fees and sales."""
    monkeypatch.setattr(verifying, "_checks", [])
    monkeypatch.setattr(verifying, "_rows", [])
