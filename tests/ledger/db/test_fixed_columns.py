"""A house is a demo or real from its first row on: no statement and no record of the log changes that."""

import pytest
from django.core.checks import Tags, run_checks
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from ledger.db import fixed_columns
from ledger.models import HouseEvent, Site
from ledger.proof.audit.checks.books import BooksCheck
from ledger.proof.log import sealing, verifying
from tests.support.log_by_hand import house_event

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def without_triggers(statement):
    """Run a statement as the owner of the database could."""
    with connection.cursor() as cursor:
        for table, column in fixed_columns.FIXED:
            if connection.vendor == "postgresql":
                cursor.execute(f"DROP TRIGGER {table}_{column}_fixed ON {table}")
                continue
            for trigger in ("fixed", "not_replaced"):
                cursor.execute(f"DROP TRIGGER {table}_{column}_{trigger}")
        cursor.execute(statement)


def test_no_statement_makes_a_real_house_a_demo(site):
    for change in (
        lambda: Site.objects.filter(pk=site.pk).update(demo=True),
        lambda: (setattr(site, "demo", True), site.save()),
    ):
        with pytest.raises(IntegrityError, match="written once"), transaction.atomic():
            change()
    assert not Site.objects.get().demo


def test_replacing_the_row_does_not_either(site):
    if connection.vendor == "postgresql":  # it has no such statement
        return
    names = ", ".join(field.column for field in Site._meta.fields)
    values = names.replace("demo", "1")
    with pytest.raises(IntegrityError, match="written once"), connection.cursor() as cursor:
        cursor.execute(f"INSERT OR REPLACE INTO ledger_site ({names}) SELECT {values} FROM ledger_site")


def test_the_other_particulars_change(site):
    site.name = "The Sixth Street Room"
    site.save()
    assert HouseEvent.objects.get(kind="house_changed").data["demo"] is False


def test_a_missing_trigger_and_the_change_behind_it_are_named(site):
    sealing.seal(site, now=timezone.now())
    without_triggers("UPDATE ledger_site SET demo = NOT demo")
    found = [str(finding) for finding in verifying.Verification(site).run()]
    assert any("ledger_site_demo_fixed: it is missing" in one for one in found)
    assert any("demo is True, but False" in one for one in found)
    codes = {error.id for error in run_checks(tags=[Tags.database], databases=["default"])}
    assert "ledger.E004" in codes
    fixed_columns.HELD.protect("default")
    assert fixed_columns.HELD.lacking(connection) == []


@pytest.mark.parametrize("said", [{"demo": True}, {"demo": "no"}])
def test_a_log_in_which_a_real_house_becomes_a_demo_is_named(said):
    known = {"time_zone": "America/Los_Angeles", "day_starts_at": 6, "shifts": 1}
    opened = house_event(1, "house_opened", 0, None, **known, demo=False)
    changed = house_event(2, "house_changed", 1, None, **known, **said)
    check = BooksCheck(whole=True)
    assert [one.code for leaf, body in enumerate((opened, changed)) for one in check.take(leaf, body)] == [
        "demo_changed"
    ]
