"""Write-once rows stay as they were written, even against SQL; and a missing guard is named."""

import shutil
from io import StringIO
from pathlib import Path

import pytest
from django.apps import apps
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import DatabaseError, connection, transaction
from django.db.models.signals import post_migrate

from casino.serving import starting
from ledger import migrations
from ledger.cage import boxes
from ledger.db import append_only, sheet_order
from ledger.journal.acts import Act
from ledger.models import Count, DropSignOff, JournalEntry, Transfer
from tests.support.counting import sign_sheet

TABLES = ["ledger_count", "ledger_dropsignoff", "ledger_journalentry", "ledger_transfer"]
MODELS = {model._meta.db_table: model for model in (Count, DropSignOff, JournalEntry, Transfer)}
# A column of each table, set to what it holds: even a change that changes nothing is refused.
COLUMN = {
    "ledger_count": "chips_cents",
    "ledger_dropsignoff": "cause",
    "ledger_journalentry": "reason",
    "ledger_transfer": "cents",
}
UNIQUE = {
    "ledger_count": [["id"], ["box_id", "counter_id", "attempt"], ["box_id", "key"]],
    "ledger_dropsignoff": [["id"], ["box_id"], ["entry_id"]],
    "ledger_journalentry": [["id"], ["site_id", "key"], ["reverses_id"]],
    "ledger_transfer": [["id"], ["entry_id", "line"]],
}


@pytest.fixture
def written(pulled, counter1, counter2, cashier, count_of, draft, floor, now):
    """At least one row in every table: a counted and signed box, and a reversal."""
    from ledger.journal.posting import post

    count_of(pulled, counter1, 2500, 1500)
    count_of(pulled, counter2, 2500, 1500)
    sign_sheet(pulled, (counter1, counter2), now)
    boxes.sign_off(box=pulled, cause="", act=Act(actor=cashier, key="sign", now=now))
    wrong = post(site=pulled.site, draft=draft("r", "round"))
    post(site=pulled.site, draft=draft("v", "reversal", reverses=wrong, reason="misdeal", approver=floor))


def refused(sql, params=None):
    with pytest.raises(DatabaseError) as error, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql, params)
    assert "append-only" in str(error.value)


def set_recursive_triggers(on):
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA recursive_triggers = {int(on)}")


def rows(table):
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {table} ORDER BY id")
        return cursor.fetchall()


@pytest.mark.parametrize("table", TABLES)
def test_a_written_row_is_neither_changed_nor_removed(table, written):
    before = rows(table)
    assert before
    refused(f"UPDATE {table} SET {COLUMN[table]} = {COLUMN[table]}")
    refused(f"DELETE FROM {table} WHERE id = (SELECT MAX(id) FROM {table})")
    assert rows(table) == before


@pytest.mark.parametrize("table", TABLES)
def test_the_orm_is_refused_as_well(table, written):
    model = MODELS[table]
    for act in (
        lambda: model.objects.update(id=0),
        lambda: model.objects.order_by("-pk").first().save(),
        lambda: model.objects.all()._raw_delete(using="default"),
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            act()


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("recursive", [True, False])
def test_a_written_row_is_not_replaced_under_any_of_its_keys(table, recursive, written):
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:  # it would refuse the row first
            cursor.execute("DROP TRIGGER IF EXISTS ledger_count_on_open_sheet ON ledger_count")
        refused(f"INSERT INTO {table} SELECT * FROM {table} ON CONFLICT (id) DO UPDATE SET id = EXCLUDED.id")
        return
    sheet_order.HELD.lift("default", plan=["its triggers would refuse the row first"])
    with connection.cursor() as cursor:
        columns = [column.name for column in connection.introspection.get_table_description(cursor, table)]
    before = rows(table)
    for key in UNIQUE[table]:
        standing = [dict(zip(columns, row, strict=True)) for row in before]
        row = next(row for row in standing if all(row[name] is not None for name in key))
        # Another row but for this key.
        row |= {} if key == ["id"] else {"id": 10_000}
        row |= {other[-1]: 9_999 for other in UNIQUE[table] if other != ["id"] and not set(other) & set(key)}
        marks = ", ".join(["%s"] * len(row))
        set_recursive_triggers(recursive)
        refused(f"INSERT OR REPLACE INTO {table} ({', '.join(row)}) VALUES ({marks})", list(row.values()))
        set_recursive_triggers(True)
        assert rows(table) == before


@pytest.mark.parametrize("table", TABLES)
def test_a_table_of_written_rows_is_not_emptied(table, written):
    before = rows(table)
    if connection.vendor == "postgresql":
        connection.check_constraints()  # what is pending would keep the table from being emptied just as well
        refused(f"TRUNCATE {table} CASCADE")
    else:
        refused(f"DELETE FROM {table}")  # which SQLite would otherwise turn into a truncation
    assert rows(table) == before


def test_the_books_name_their_own_tables():
    assert set(TABLES) <= append_only.PROTECTED


@pytest.mark.django_db
def test_every_registered_table_is_guarded_after_migrate():
    existing = set(connection.introspection.table_names())
    assert existing >= append_only.PROTECTED
    assert append_only.unprotected(connection) == []


def drop_trigger(table, trigger):
    on = f" ON {table}" if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TRIGGER {table}_{trigger}{on}")


@pytest.mark.django_db
def test_a_missing_guard_is_named_by_the_check_and_created_again_by_migrate():
    for table in TABLES:
        for trigger in append_only.TRIGGERS[connection.vendor]:
            drop_trigger(table, trigger)
            with pytest.raises(
                SystemCheckError, match=f"{table}_{trigger}.*ledger.E002|ledger.E002.*{table}_{trigger}"
            ):
                call_command("check", databases=["default"], stdout=StringIO(), stderr=StringIO())
            append_only.protect_after_migrate(using="default")
            assert append_only.unprotected(connection) == []


@pytest.mark.django_db
def test_a_migrate_makes_triggers_that_a_new_version_has_otherwise_and_asks_for_nothing_before(monkeypatch):
    script = append_only._script(connection.vendor)
    monkeypatch.setattr(append_only, "_script", lambda vendor: script.replace("append-only", "written once"))
    assert append_only.unprotected(connection) != []
    call_command("migrate", verbosity=0, skip_checks=False)
    assert append_only.unprotected(connection) == []


@pytest.mark.django_db
def test_a_disabled_guard_counts_as_missing_on_postgresql():
    if connection.vendor == "sqlite":  # which can drop a trigger, but not disable it
        drop_trigger("ledger_transfer", "no_update")
        assert append_only.unprotected(connection) == ["ledger_transfer_no_update"]
        return
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE ledger_transfer DISABLE TRIGGER ledger_transfer_no_change")
    assert append_only.unprotected(connection) == ["ledger_transfer_no_change"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "hollow",
    [
        "BEFORE INSERT ON ledger_transfer BEGIN SELECT 1; END",
        "BEFORE UPDATE ON ledger_transfer BEGIN SELECT 1; END",
        "BEFORE UPDATE ON ledger_transfer WHEN 0 BEGIN SELECT RAISE(ABORT, 'ledger_transfer is"
        " append-only'); END",
        "BEFORE UPDATE ON ledger_count BEGIN SELECT RAISE(ABORT, 'ledger_transfer is append-only'); END",
    ],
)
def test_a_guard_that_holds_nothing_counts_as_missing(hollow):
    name = f"ledger_transfer_{append_only.TRIGGERS[connection.vendor][0]}"
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            table = "ledger_count" if "ledger_count" in hollow else "ledger_transfer"
            when = "WHEN (false)" if "WHEN" in hollow else ""
            called = "ledger_nothing" if "SELECT 1" in hollow else "ledger_append_only"
            cursor.execute(f"DROP TRIGGER {name} ON ledger_transfer")
            cursor.execute(
                "CREATE FUNCTION ledger_nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'"
            )
            cursor.execute(
                f"CREATE TRIGGER {name} BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW {when} EXECUTE"
                f" FUNCTION {called}()"
            )
        else:
            cursor.execute(f"DROP TRIGGER {name}")
            cursor.execute(f"CREATE TRIGGER {name} {hollow}")
    assert append_only.unprotected(connection) == [name]


@pytest.mark.django_db
def test_a_connection_that_lets_replace_pass_is_named():
    if connection.vendor == "postgresql":
        assert append_only.check_triggers(None, ["default"]) == []
        return
    set_recursive_triggers(False)
    assert [error.id for error in append_only.check_triggers(None, ["default"])] == ["ledger.E003"]
    set_recursive_triggers(True)
    assert append_only.check_triggers(None, ["default"]) == []


def test_the_check_asks_only_databases_that_it_was_given():
    assert append_only.check_triggers(None) == []


@pytest.mark.django_db
def test_another_app_registers_its_own_tables():
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE papers (id integer PRIMARY KEY, number integer UNIQUE)")
        cursor.execute("INSERT INTO papers VALUES (1, 7)")
    append_only.register("papers")
    try:
        assert {name.removeprefix("papers_") for name in append_only.unprotected(connection)} == set(
            append_only.TRIGGERS[connection.vendor]
        )
        append_only.protect_after_migrate(using="default")
        assert append_only.unprotected(connection) == []
        refused("UPDATE papers SET number = 8")
        refused("DELETE FROM papers")
    finally:
        append_only.PROTECTED.discard("papers")


@pytest.mark.django_db
def test_protecting_twice_changes_nothing():
    append_only.protect(connection, TABLES)
    append_only.protect(connection, TABLES)
    assert append_only.unprotected(connection) == []


@pytest.mark.django_db(transaction=True)
def test_a_rebuilt_table_is_guarded_again_after_migrate():
    """Django rebuilds a SQLite table to alter a column, which drops its triggers."""
    from django.db import models

    sheet_order.HELD.lift("default", plan=["a migration"])
    old = Count._meta.get_field("key")
    new = models.CharField(max_length=120)
    new.set_attributes_from_name("key")
    new.model = Count
    try:
        with connection.schema_editor() as editor:
            editor.alter_field(Count, old, new)
        assert bool(append_only.unprotected(connection)) == (connection.vendor == "sqlite")
        append_only.protect_after_migrate(using="default")
        assert append_only.unprotected(connection) == []
    finally:
        with connection.schema_editor() as editor:
            editor.alter_field(Count, new, old)
        append_only.protect_after_migrate(using="default")
        sheet_order.HELD.protect("default")


LONGER_KEY = """
from django.db import migrations, models

class Migration(migrations.Migration):
    dependencies = [("ledger", "{last}")]
    operations = [
        migrations.AlterField("count", "key", models.CharField(max_length=120)),
        migrations.AddConstraint(
            "count", models.CheckConstraint(condition=models.Q(attempt__gt=0), name="count_attempt_from_one")
        ),
    ]
"""


@pytest.fixture
def later_migration(tmp_path, monkeypatch, settings):
    """The migrations after a future upgrade that alters a write-once table; names of both ends."""
    history = tmp_path / "history_of_the_books"
    shutil.copytree(Path(migrations.__file__).parent, history, ignore=shutil.ignore_patterns("__pycache__"))
    last = max(path.stem for path in history.glob("0*.py"))
    (history / "0999_longer_key.py").write_text(LONGER_KEY.format(last=last))
    monkeypatch.syspath_prepend(tmp_path)
    settings.MIGRATION_MODULES = {"ledger": history.name}
    known = starting._known_migrations() | {("ledger", "0999_longer_key")}
    monkeypatch.setattr(starting, "_known_migrations", lambda: known)
    yield last, "0999_longer_key"
    call_command("migrate", "ledger", last, verbosity=0)


@pytest.mark.django_db(transaction=True)
def test_guards_stand_after_an_upgrade_that_rebuilds_their_table_and_after_it_is_taken_back(
    later_migration, written
):
    before = list(Count.objects.order_by("pk").values())
    for target in reversed(later_migration):
        call_command("migrate", "ledger", target, verbosity=0)
        assert append_only.unprotected(connection) == []
        refused("UPDATE ledger_count SET chips_cents = 0")
        refused("DELETE FROM ledger_count")
        assert list(Count.objects.order_by("pk").values()) == before


@pytest.mark.django_db(transaction=True)
def test_an_upgrade_that_rebuilds_without_its_receiver_would_be_named(later_migration):
    """Without the receiver after migrate, SQLite's triggers are gone, and the check says so."""
    receiver = "ledger.db.append_only.protect_after_migrate"
    sender = apps.get_app_config("ledger")
    assert post_migrate.disconnect(sender=sender, dispatch_uid=receiver)
    try:
        call_command("migrate", "ledger", later_migration[1], verbosity=0)
        codes = [error.id for error in append_only.check_triggers(None, ["default"])]
        assert codes == (["ledger.E002"] * 3 if connection.vendor == "sqlite" else [])
    finally:
        post_migrate.connect(append_only.protect_after_migrate, sender=sender, dispatch_uid=receiver)
