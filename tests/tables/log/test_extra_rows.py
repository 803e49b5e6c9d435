"""A row more or a row less in any table, written behind the triggers: verifying the books names it,
or the docs say why not."""

import contextlib
import copy

import pytest
from django.apps import apps
from django.contrib.auth.models import Permission
from django.db import DatabaseError, transaction

from casino.models import Staff
from ledger.models import AuditLog, Checkpoint, Cosignature, Leaf, Site, Tile
from tests.support import busy
from tests.support.behind import behind_the_constraints, behind_the_triggers
from tests.support.columns import findings, is_listed, names, others
from tests.support.lengths import LONG

ROWS = {"auth_permission": {"codename": "deal"}}
"""Which row it is, where not any."""
FIRST = {
    Staff.user_permissions.through: lambda: Staff.user_permissions.through(
        staff=Staff.objects.get(username="dealer"), permission=Permission.objects.get(codename="run_floor")
    ),
    Cosignature: lambda: Cosignature(
        checkpoint=Checkpoint.objects.get(), witness="pier+01020304", line="a line", signed_at=busy.NOW
    ),
    Tile: lambda: Tile(log=AuditLog.objects.get(), level=0, index=0, hashes=bytes(8192), root=bytes(32)),
}
"""The first row of a table that the house has left empty."""
TREE = {AuditLog, Leaf, Tile, Checkpoint}
"""Where the tree shows it: what is gone has no name of its own."""
LEFT_OUT = {
    (Permission, "with_a_row_more"),  # listed in docs/audit-columns.md, below the columns
    (Cosignature, "taken_out"),  # the same
    (Tile, "taken_out"),  # the small house fills none: tests/tables/log/test_verifying.py
    (Staff.user_permissions.through, "taken_out"),  # nobody has any
}
SAMPLE = ("casino_terminal", "tables_playerword", "ledger_account", "auth_group", "ledger_checkpoint")
TABLES = {
    model._meta.db_table: model
    for model in apps.get_models(include_auto_created=True)
    if not is_listed(model._meta.db_table, "*")
}
TRIED = [
    (table, change)
    for table in (TABLES if LONG else SAMPLE)
    for change in ("with_a_row_more", "taken_out")
    if (TABLES[table], change) not in LEFT_OUT
]


def unique_columns(model):
    """The columns of a table that have to be others in another row."""
    meta = model._meta
    alone = [(field.name,) for field in meta.concrete_fields if field.unique and not field.primary_key]
    sets = [*alone, *(one.fields for one in meta.total_unique_constraints), *meta.unique_together]
    return [[meta.get_field(name) for name in names] for names in sets]


def row_like(row):
    """A row like this one that could stand beside it, if the database does not refuse it."""
    model, beside = type(row), copy.copy(row)
    beside._state = copy.copy(row._state)
    beside._state.fields_cache = {}
    beside.pk = newest(model, "pk") + 1
    for field in {columns[-1] for columns in unique_columns(model)}:
        value = getattr(row, field.attname)
        other = newest(model, field.attname) + 1 if type(value) is int else others(field, value)[-1]
        setattr(beside, field.attname, None if value is None else other)
    return beside


def newest(model, name):
    values = model._base_manager.filter(**{f"{name}__isnull": False}).values_list(name, flat=True)
    return max(values, default=0)


def with_a_row_more(model):
    """Write another row like one of the last; return it."""
    rows = model._base_manager.filter(**ROWS.get(model._meta.db_table, {})).order_by("-pk")
    for row in rows[:20] or [FIRST[model]()]:
        beside = row_like(row)
        try:
            with transaction.atomic():
                model._base_manager.bulk_create([beside])
            return beside
        except DatabaseError:
            continue
    raise AssertionError(f"no row of {model._meta.db_table} could be written")


def taken_out(model):
    row = model._base_manager.filter(**ROWS.get(model._meta.db_table, {})).order_by("-pk")[0]
    model._base_manager.filter(pk=row.pk)._raw_delete(using="default")
    return row


def changed(site, state, model, change):
    """What the full run finds after a change of a table, the short one as well,
    and what its row may be called."""
    with transaction.atomic():
        with behind_the_triggers(model._meta.db_table):
            row = change(model)
            called = names(row, "") | {f"{row._meta.verbose_name} {row.pk}"}
            found = findings(site)
            short = findings(site, start=state)
        transaction.set_rollback(True)
    return found, short, called


def names_row(found, model, called):
    """Whether a finding is about this row, or about the other of two that are alike; one that is gone may be
    named by the record that it followed from."""
    what = model._meta.verbose_name
    about = (one.record in called or one.record.startswith(f"{what} ") for one in found)
    gone = (f"its {what} is missing" in one.sentence for one in found)
    return any(about) or any(gone) or (model in TREE and bool(found))


@pytest.mark.parametrize(("table", "change"), TRIED)
def test_a_row_more_or_less_is_named(busy_house, busy_state, table, change):
    model = TABLES[table]
    found, short, called = changed(busy_house, busy_state, model, globals()[change])
    assert names_row(found, model, called), (called, [str(one) for one in found])
    assert names_row(short, model, called), (called, [str(one) for one in short])


def test_a_house_that_is_put_before_the_first_one_is_named(busy_house, busy_state):
    """People and terminals, which are of no house, would be left to its log, which nobody verifies."""
    with transaction.atomic():
        tables = ("ledger_site", "ledger_auditlog", "casino_terminal")
        with contextlib.ExitStack() as stack:
            for table in tables:
                stack.enter_context(behind_the_constraints(table))
            stack.enter_context(behind_the_triggers(*tables))
            site, log = copy.copy(busy_house), copy.copy(AuditLog.objects.get())
            site.pk, site.name, site.licence = -5, "Other", "other"
            Site._base_manager.bulk_create([site])
            log.pk, log.site, log.origin = log.pk + 1000, site, "other/house/77"
            AuditLog._base_manager.bulk_create([log])
            terminal = with_a_row_more(apps.get_model("casino.Terminal"))
            for asked in ({}, {"start": busy_state}):
                found = findings(busy_house, **asked)
                assert "house -5" in {one.record for one in found}, (terminal, [str(one) for one in found])
        transaction.set_rollback(True)
