"""`manage.py audit verify` over unreadable rows beside a payment that was changed."""

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from ledger.models import AuditLog, HouseEvent, JournalEntry, Site, Transfer
from tests.support.behind import behind_the_constraints, behind_the_triggers

pytestmark = pytest.mark.usefixtures("books_alone")
BLANKS = {"data": "ledger_houseevent", "at": "ledger_houseevent", "gaming_day": "ledger_journalentry"}
NO_VALUE = {"data": f'{{"a": {"1" * 5000}}}', "at": "infinity", "gaming_day": "infinity"}
"""A value of PostgreSQL that Python cannot read; SQLite takes a blank for any."""


@pytest.fixture
def run(stocked, capsys):
    """Return a function that runs the command: its exit status and output."""

    def run(*argv):
        try:
            call_command("audit", "verify", *argv)
        except CommandError as error:
            return error.returncode, f"{capsys.readouterr().out}{error}"
        return 0, capsys.readouterr().out

    return run


@pytest.mark.parametrize("column", BLANKS)
def test_a_blank_value_hides_no_changed_payment_from_the_command(sell, run, column):
    table, paid = BLANKS[column], sell("first")
    newer = sell("second").pk if table == "ledger_journalentry" else HouseEvent.objects.order_by("-pk")[0].pk
    assert run()[0] == 0
    with behind_the_constraints(table), behind_the_triggers(table, "ledger_transfer"):
        with connection.cursor() as cursor:
            value = NO_VALUE[column] if connection.vendor == "postgresql" else ""
            cursor.execute(f"UPDATE {table} SET {column} = %s WHERE id = %s", [value, newer])
        Transfer.objects.filter(entry=paid).update(cents=700)
        for argv in ((), ("--full",)):
            status, said = run(*argv)
            assert status == 1
            assert f"WRONG  row {newer} of {table}: its {column} is" in said
            assert f", entry {paid.pk}: row and record differ" in said
            assert said.endswith("What is not named above was checked and is right.")


CLEARS = "\x1b[2J\x1b[HThe books are right.\n\u202eThe books"


def test_no_stored_text_writes_over_the_verdict(stocked, sell, run, now):
    """Names of a house, a log, a person and a checkpoint's line are chosen by the owner of the database."""
    entry = sell("first")
    beside = Site.objects.bulk_create([Site(name=f"Beside{CLEARS}", licence="GEGE-2")])[0]
    with behind_the_triggers("ledger_auditlog", "ledger_journalentry"):
        Site.objects.filter(pk=stocked.pk).update(name=f"Ours{CLEARS}")
        JournalEntry.objects.filter(pk=entry.pk).update(kind="kind\n\x1b[2J", reason=CLEARS)
        said = [run()]
        AuditLog.objects.filter(site=stocked).update(origin=f"log{CLEARS}")
        said += [run(), run("--full")]
    for status, text in said:
        assert status == 1
        assert "\\x1b[2J" in text
        assert f"house {beside.pk}, Beside\\x1b[2J" in text
        lines = text.split("\n")
        assert all(line.isprintable() and not line.startswith("The books") for line in lines)


def test_a_table_or_trigger_of_any_name_writes_nothing_over_the_verdict(stocked, sell, run):
    sell("first")
    name = "mine\n\x1b[2JThe books"
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute(f'CREATE RULE "{name}" AS ON INSERT TO ledger_count DO INSTEAD NOTHING')
        else:
            cursor.execute(f'CREATE TRIGGER "{name}" AFTER INSERT ON ledger_count BEGIN SELECT 1; END')
    status, said = run()
    assert status == 1
    assert "mine\\x0a\\x1b[2JThe books" in said
    assert "\x1b" not in said
