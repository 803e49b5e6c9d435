"""Fixtures of the log's tests: a key of their own, sales, sealing."""

import pytest
from django.core.management import CommandError, call_command

from ledger.proof.log import sealing, verifying
from tests.support.receipts import post_with_receipt


@pytest.fixture(autouse=True)
def own_key(settings, tmp_path):
    """A key that is made with the first sealing, and gone after the test."""
    settings.AUDIT_KEY, settings.AUDIT_KEY_FILE = "", tmp_path / "audit_key"


@pytest.fixture
def books_alone(monkeypatch):
    """Only the ledger's own checks: no table saw these fees and sales."""
    monkeypatch.setattr(verifying, "_checks", [])
    monkeypatch.setattr(verifying, "_rows", [])


@pytest.fixture
def sell(stocked, house, draft, now):
    def sell(name):
        moves = (
            (house("public", "cash"), house("drawer", "cash"), 10_000),
            (house("drawer"), house("patrons"), 10_000),
        )
        entry = post_with_receipt(stocked, draft(name, "chip_sale", *moves))
        sealing.seal(stocked, now=now)
        return entry

    return sell


@pytest.fixture
def verify(stocked, capsys):
    def verify(*argv, site=None):
        of = ["--site", site] if site else []
        try:
            call_command("audit", *of, "verify", *argv)
        except CommandError as error:
            return f"{capsys.readouterr().out}{error}"
        return capsys.readouterr().out

    return verify
