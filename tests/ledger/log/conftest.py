"""What tests of the log begin with: the house's key is their own. Most sell chips, and seal."""

import pytest
from django.core.management import CommandError, call_command

from ledger.journal.posting import post
from ledger.log import sealing, verifying


@pytest.fixture(autouse=True)
def own_key(settings, tmp_path):
    """A key that is made with the first sealing, and is gone with the test."""
    settings.AUDIT_KEY, settings.AUDIT_KEY_FILE = "", tmp_path / "audit_key"


@pytest.fixture
def books_alone(monkeypatch):
    """Nothing but the ledger's own checks: no table saw these fees and sales."""
    monkeypatch.setattr(verifying, "_checks", [])
    monkeypatch.setattr(verifying, "_rows", [])


@pytest.fixture
def sell(stocked, house, draft, now):
    """A function that sells chips, and seals."""

    def sell(name):
        moves = (
            (house("outside", "cash"), house("cage", "cash"), 10_000),
            (house("cage"), house("outside"), 10_000),
        )
        entry = post(site=stocked, draft=draft(name, "chip_sale", *moves))
        sealing.seal(stocked, now=now)
        return entry

    return sell


@pytest.fixture
def verify(stocked, capsys):
    """A function that runs the command; what it says."""

    def verify(*argv, site=None):
        of = ["--site", site] if site else []
        try:
            call_command("audit", *of, "verify", *argv)
        except CommandError as error:
            return f"{capsys.readouterr().out}{error}"
        return capsys.readouterr().out

    return verify
