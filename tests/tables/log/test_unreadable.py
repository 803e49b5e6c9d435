"""A value that is not of its column's form, in any column of any table,
does not keep a changed payment from being named."""

import pytest
from django.contrib.auth import get_user_model
from django.db import DatabaseError, connection, transaction

from ledger.chart import EntryKind
from ledger.journal.acts import Act
from ledger.journal.posting import EntryDraft, Move, post
from ledger.models import JournalEntry, Transfer
from tests.support.behind import behind_the_constraints, behind_the_triggers
from tests.support.columns import columns, findings, is_listed, names
from tests.support.lengths import LONG

NUMBER = "1" * 5000
"""A number longer than Python reads."""
BLANKS = {
    "sqlite": [
        "''",
        "'{}' || char(0)",
        "'2026-03-06' || char(0)",
        "x'ff00'",
        "CAST(x'ff' AS TEXT)",
        "'2026-02-31'",
        "'[[{'",
        "9223372036854775807",
        f"'[{NUMBER}]'",
        "99",
    ],
    "postgresql": ["'infinity'", "'-infinity'", f"'{{\"a\": {NUMBER}}}'", "''", "2147483647", "99"],
}
"""Expressions of SQL; what a column refuses is not tried in it. 99 is no house, and nobody."""
STORED = {"sqlite": 'CAST(quote("{}") AS BLOB)', "postgresql": '"{}"::text'}
BLINDING = {
    ("ledger_houseevent", "data"),
    ("ledger_closedday", "gaming_day"),
    ("ledger_auditlog", "site_id"),
}
TRIED = [
    (model, field)
    for model, field in columns()
    if not is_listed(model._meta.db_table, "*") and (LONG or (model._meta.db_table, field.column) in BLINDING)
]


def written(model, field, value):
    """Write a value into a column of the last row; return the row as it was, or None where the database
    refuses it, or has it."""
    table, row = model._meta.db_table, model._base_manager.order_by("-pk").first()
    if row is None:
        return None
    where, stored = f'"{model._meta.pk.column}" = {row.pk}', STORED[connection.vendor].format(field.column)
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f'SELECT {stored} FROM "{table}" WHERE {where}')
            before = cursor.fetchall()
            cursor.execute(f'UPDATE "{table}" SET "{field.column}" = {value} WHERE {where}')
            cursor.execute(f'SELECT {stored} FROM "{table}" WHERE {where}')
            return row if cursor.fetchall() != before else None
    except DatabaseError:
        return None


def changed_payment():
    """Change what a player paid at the cage; return the entry."""
    entry = JournalEntry.objects.filter(kind="buy_in").order_by("pk")[0]
    transfer = entry.transfers.order_by("pk")[0]
    Transfer.objects.filter(pk=transfer.pk).update(cents=transfer.cents + 500)
    return entry


def blinded(site, state, model, field, value):
    """What the full run finds after a value was written and a payment changed, from a state the short one
    too; and what was changed."""
    table = model._meta.db_table
    with transaction.atomic():
        tables = {table, "ledger_transfer"}
        with behind_the_constraints(table), behind_the_triggers(*tables):
            row = written(model, field, value)
            if row is None:
                found = None
            else:
                paid = changed_payment()
                called = names(row, field.attname) | {f"row {row.pk} of {table}"}
                runs = [findings(site), *([findings(site, start=state)] if state else [])]
                found = *runs, paid, called
        transaction.set_rollback(True)
    return found


def names_it(found, table, field, called):
    """Whether a finding is about this row. Of the tree, it shows in what is signed over it; listed columns
    are compared with nothing, as long as they can be read."""
    about = any(one.record in called or (one.code, one.record) == ("account_changed", "") for one in found)
    return about or is_listed(table, field.attname) or (not names_of_rows(table) and bool(found))


def names_of_rows(table):
    return table not in ("ledger_leaf", "ledger_auditlog", "ledger_tile", "ledger_checkpoint")


@pytest.mark.both_databases
@pytest.mark.parametrize(
    ("model", "field"),
    TRIED,
    ids=lambda one: one.attname if hasattr(one, "attname") else one._meta.db_table,
)
def test_a_value_that_cannot_be_read_hides_nothing_else(busy_house, busy_state, model, field):
    """The first of them for the short run as well: from there on it does what the full one does. In the short
    form each value is written into one of the columns."""
    state, values = busy_state, BLANKS[connection.vendor]
    for value in values if LONG else values[TRIED.index((model, field)) :: len(TRIED)]:
        tried = blinded(busy_house, state, model, field, value)
        if tried is None:
            continue
        *runs, paid, called = tried
        state = None
        for found in runs:
            said = [str(one) for one in found]
            assert any(f"entry {paid.pk}" == one.record for one in found), (value[:20], said[:6])
            assert names_it(found, model._meta.db_table, field, called), (value[:20], called, said[:6])


def test_a_row_that_no_reader_comes_to_the_end_of_hides_nothing_else(busy_house):
    """Its JSON is nested as deep as SQLite lets it be,
    which is deeper than Python's own reader goes on some releases."""
    event = busy_house.events.order_by("pk")[0]
    with transaction.atomic():
        with behind_the_triggers("ledger_houseevent", "ledger_transfer"), connection.cursor() as cursor:
            deep = '{"a": ' * 990 + "1" + "}" * 990
            cursor.execute("UPDATE ledger_houseevent SET data = %s WHERE id = %s", [deep, event.pk])
            paid = changed_payment()
            found = [(one.code, one.record) for one in findings(busy_house)]
        transaction.set_rollback(True)
    assert ("row_changed", f"house event {event.pk}") in found
    assert ("row_changed", f"entry {paid.pk}") in found
    assert "not_judged" not in {code for code, _ in found}


def test_a_key_that_is_there_twice_in_a_stored_value_is_named(busy_house):
    """Pages that ask SQL for it would read the first, and the program the last.
    PostgreSQL keeps one of them."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("""SELECT CAST('{"a": 1, "a": 2}' AS jsonb)""")
            assert cursor.fetchone() == ('{"a": 2}',)
        return
    event = busy_house.events.get(kind="house_opened")
    with transaction.atomic():
        with behind_the_triggers("ledger_houseevent"), connection.cursor() as cursor:
            planted = """'{"licence": "other", ' || substr(data, 2)"""
            cursor.execute(f"UPDATE ledger_houseevent SET data = {planted} WHERE id = %s", [event.pk])
            found = findings(busy_house)
        transaction.set_rollback(True)
    assert f"house event {event.pk}" in {one.record for one in found}


def test_an_entry_that_says_nothing_of_what_it_follows_from_is_named(busy_house):
    """Written as the program writes it, and sealed: money out of a box as a correction of nothing."""
    vault, over = (busy_house.accounts.get(kind=kind, asset="cash") for kind in ("vault", "over_short"))
    people = get_user_model().objects.order_by("pk")[:2]
    now = busy_house.events.order_by("-pk")[0].recorded_at
    act = Act(actor=people[0], approver=people[1], now=now, key="of nothing", reason="a miscount")
    moves = (Move(over.pk, vault.pk, 5_000),)
    draft = EntryDraft(kind=EntryKind.CORRECTION, moves=moves, evidence={}, content={}, act=act)
    with transaction.atomic():
        entry = post(site=busy_house, draft=draft)
        found = findings(busy_house)
        transaction.set_rollback(True)
    assert ("bad_record", f"entry {entry.pk}") in {(one.code, one.record) for one in found}
