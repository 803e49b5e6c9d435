"""A database with several houses: `audit verify` verifies each, or names those that it did not."""

from dataclasses import replace

import pytest
from django.db import DataError, connection, transaction

from ledger.journal import particulars
from ledger.journal.acts import Act
from ledger.models import Account, AuditLog, Leaf, Site
from ledger.proof.log import sealing
from tests.support.behind import behind_the_constraints, behind_the_triggers

pytestmark = pytest.mark.usefixtures("books_alone")
RIGHT = "are what was recorded, sealed and signed.\n"


@pytest.fixture(autouse=True)
def undone(db):
    """Roll dangling rows back before constraints are checked."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.fixture
def ours(stocked, sell):
    sell("first")
    return stocked


@pytest.fixture
def forged(ours, now):
    """A foreign house in the database, with a signed log of its own."""
    said = replace(particulars.particulars_of(ours), name="The Forged Room", licence="GEGE-2")
    site = particulars.open_house(particulars=said, origin="forged.example.com/log", act=Act(None, now))
    sealing.seal(site, now=now)
    return site


@pytest.fixture
def bare(ours):
    return Site.objects.bulk_create([Site(name="The Bare Room", licence="GEGE-3")])[0]


def test_one_house_is_not_named(ours, verify):
    said = verify()
    assert ours.name not in said
    assert said.endswith(f"The books {RIGHT}")


def test_every_house_is_verified_and_named(ours, forged, verify):
    said = verify()
    for house in (ours, forged):
        assert f"house {house.pk}, {house.name}, with the log {house.log.origin}:\n" in said
    assert said.count("  leaves\n") == 2
    assert said.endswith(f"The books {RIGHT}")


def test_what_is_wrong_in_any_house_is_wrong(ours, forged, verify):
    Account.objects.create(site=forged, kind="vault", asset="cash", balance_cents=700)
    said = verify()
    assert "WRONG  account" in said
    assert said.index("The Forged Room") < said.index("WRONG")
    assert said.endswith("1 wrong. What is not named above was checked and is right.")


def test_a_house_that_is_not_meant_is_named_as_not_verified(ours, forged, verify):
    said = verify(site=ours.name)
    assert f"NOT VERIFIED  house {forged.pk}, The Forged Room, is in this database too.\n" in said
    assert said.endswith(f"The books of house {ours.pk}, {ours.name}, {RIGHT}")
    assert "with the log" not in said


def test_a_house_without_a_log_is_named_and_gets_none_by_verifying(ours, bare, verify):
    for _ in range(2):
        said = verify()
        assert f"WRONG  house {bare.pk}: there is no audit log of it" in said
        assert f"NOT VERIFIED  house {bare.pk}, The Bare Room, is in this database too.\n" in said
        assert not AuditLog.objects.filter(site=bare).exists()


def test_houses_of_which_none_has_a_log_are_not_right(ours, bare, verify):
    with behind_the_triggers("ledger_auditlog", "ledger_leaf"):
        Leaf.objects.all()._raw_delete("default")
        AuditLog.objects.all()._raw_delete("default")
        assert verify().endswith("2 wrong. What is not named above was checked and is right.")


def test_a_forged_house_that_cannot_be_verified_keeps_no_other_from_it(ours, forged, verify):
    """It comes before ours, and no file can have the name of its log. PostgreSQL takes no such name."""
    if connection.vendor == "postgresql":
        with pytest.raises(DataError, match="NUL"), transaction.atomic():
            AuditLog.objects.filter(site=-5).update(origin="forged\0")
        return
    with behind_the_triggers("ledger_site", "ledger_auditlog"), behind_the_constraints("ledger_site"):
        Site.objects.filter(pk=forged.pk).update(id=-5)
        AuditLog.objects.filter(site=forged.pk).update(origin="forged\0", site=-5)
        said = verify()
    assert "WRONG  house -5, The Forged Room: it could not be verified to the end (" in said
    assert said.index("house -5") < said.index(f"house {ours.pk}, {ours.name}") < said.index("  accounts\n")


def test_the_name_of_a_house_writes_nothing_into_the_terminal(ours, forged, verify):
    with behind_the_triggers("ledger_site"):
        Site.objects.filter(pk=forged.pk).update(name="A\x1b[2J Room")
    assert "A\\x1b[2J Room, with the log" in verify()
