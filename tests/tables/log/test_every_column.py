"""Every column of every table, changed behind the triggers: verifying the books names the row, or the docs say why not."""

import copy
import re
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path

import pytest
from django.apps import apps
from django.db import DatabaseError, transaction

from ledger.audit.tree import canonical
from ledger.journal import records
from ledger.log import verifying
from tests.support import busy
from tests.support.behind import behind_the_triggers
from tests.support.kept import kept
from tests.support.lengths import LONG
from tests.support.states import left

LISTED = Path(__file__).parents[3] / "docs" / "audit-columns.md"
SAMPLE = 16
"""So many columns are changed in the short form."""
WHOLE = {
    (table, column)
    for table, columns in {
        "ledger_account": "balance_cents",
        "ledger_journalentry": "site_id key content_hash kind occurred_at recorded_at gaming_day actor_id terminal"
        " approver_id reason reverses_id evidence",
        "ledger_transfer": "entry_id line source_id target_id asset cents",
        "ledger_auditrecord": "site_id kind subject recorded_at text",
        "ledger_auditlog": "site_id origin",
        "ledger_leaf": "log_id number record_id hash recorded_at",
        "ledger_tile": "log_id level index hashes root",
        "ledger_checkpoint": "log_id size note key_fingerprint signed_at",
        "ledger_cosignature": "checkpoint_id witness line signed_at",
    }.items()
    for column in columns.split()
}
"""Entries are compared with their records as one text, balances with transfers, the log's rows with its tree, cosignatures
with the keys of the house's policy (tests/ledger/log/test_witnessing.py)."""


@kept
def house(stocked_site, employ, players, floor, floor2, dealer, cashier, counter1, counter2, manager):
    """A small house in which everything has happened that leaves a row."""
    crew = (floor, floor2, dealer, cashier, counter1, counter2, manager, employ("compliance", "compliance"))
    return busy.play(stocked_site, {person.username: person for person in crew}, players).site


@kept
def state(house):
    """What was verified before somebody changes anything."""
    return left(house, busy.NOW)


@cache
def listed():
    """The columns that the docs say are compared with nothing, as (table, column); `*` stands for all of a table."""
    rows = re.findall(r"^\| `(\w+)` \| ((?:`[\w*]+` ?)+)\| .+ \|$", LISTED.read_text(), re.M)
    return {(table, column) for table, columns in rows for column in re.findall(r"`([\w*]+)`", columns)}


def columns():
    """Every column of every table but the primary keys, which are what rows are named by."""
    for model in apps.get_models(include_auto_created=True):
        for field in model._meta.concrete_fields:
            if not (field.primary_key or field.generated):
                yield model, field


def is_listed(table, column):
    return not listed().isdisjoint({(table, column), (table, "*")})


def others(field, value):
    """Other values of this column, of which the database may refuse some."""
    if field.is_relation:
        elsewhere = field.related_model._base_manager.exclude(pk=value).order_by("-pk")
        return [*elsewhere.values_list("pk", flat=True)[:3]] or [99_999]
    if field.choices:
        return [choice for choice, _ in field.choices if choice != value]
    if value is None:
        of_kind = {"DateTimeField": busy.OPENING, "DateField": busy.OPENING.date(), "JSONField": [1]}
        return [of_kind.get(field.get_internal_type(), 1)]
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int | Decimal):
        return [value + 1, value - 1]
    if isinstance(value, datetime):
        return [value + timedelta(seconds=1)]
    if isinstance(value, date):
        return [value + timedelta(days=1)]
    if isinstance(value, dict):
        return [value | {"seat": 9}]
    if isinstance(value, list):
        return [[*value, 1]]
    if isinstance(value, str):
        return [f"{value}x"[-(field.max_length or 9999) :]]
    return [bytes(value)[:-1] + b"x"]


def names(row, column):
    """What findings may call a row after this column was changed; nothing of the tree, where it shows in what is signed over it."""
    table, called = row._meta.db_table, {f"{row._meta.verbose_name} {row.pk}"}
    match table:
        case "ledger_site":
            return {f"house {row.pk}"}
        case "ledger_journalentry":
            return {f"entry {row.pk}"}
        case "ledger_transfer":
            return {f"entry {row.entry_id}"}
        case "ledger_checkpoint":
            return set() if column in ("log_id", "size") else {f"checkpoint {row.size}"}
        case "ledger_dropsignoff":
            return {f"sign off {row.pk}"}
        case "ledger_auditrecord":
            return {str(row)}
        case "ledger_leaf" | "ledger_auditlog" | "ledger_tile":
            return set()
        case "ledger_withheldinbatch":
            return {f"withheld {row.batch_id}", f"withheld text {row.withheld_id}"}
        case "tables_sheetversion":
            return {f"sheet {row.code}", f"sheet {row.code} version {row.version}"}
        case "tables_gameoffer":
            return {"games on offer"}
        case "tables_playerword":
            return {f"player {row.player_id}"}
        case "tables_playerchange":
            return called | {f"player {row.player_id}"}
        case "casino_staff":
            return {f"staff {row.pk}"}
        case "casino_staff_groups" | "casino_staff_user_permissions":
            return {f"staff {row.staff_id}"}
        case "auth_permission":
            return {"role dealer"}
        case "auth_group":
            return {f"role {row.name}"}
        case "auth_group_permissions":
            return {f"role {row.group.name}"}
    return called


ROWS = {
    "tables_gameoffer": {"offered": False},
    "ledger_auditrecord": {"kind": "entry"},
    "auth_permission": {"codename": "deal"},
}
"""Which row to change, where not any."""


def wrong(site, model, field, state):
    """What is found after this column was changed in one row, also from the state before; and what the row may be called;
    None if it cannot be changed.

    What constraints of the database refuse by themselves is not tried any further than with some rows and values.
    """
    rows = model._base_manager.filter(**ROWS.get(model._meta.db_table, {})).order_by("-pk")
    said = rows.filter(**{f"{field.attname}__isnull": False})
    for row in said[:4] or rows[:4]:
        for value in others(field, getattr(row, field.attname)):
            try:
                with transaction.atomic():
                    with behind_the_triggers(model._meta.db_table):
                        model._base_manager.filter(pk=row.pk).update(**{field.attname: value})
                        found = findings(site)
                        assert findings(site, start=state) == found
                    transaction.set_rollback(True)
                return found, names(row, field.attname)
            except DatabaseError:
                continue
    return None


def findings(site, **asked):
    return list(verifying.Verification(site, now=busy.NOW, **asked).run())


def recorded(house):
    """The columns of rows with a record of their own of which that record says something."""
    for recorded in records._models.values():
        row = recorded.model._base_manager.order_by("-pk").first()
        said = canonical.unchecked(records._body(recorded, row, house.pk, house_time(row)))
        for field in recorded.model._meta.concrete_fields:
            value = getattr(row, field.attname)
            changed = copy.copy(row)
            changed._state = copy.copy(row._state)
            changed._state.fields_cache = {}
            setattr(changed, field.attname, others(field, value)[0])
            if said != canonical.unchecked(records._body(recorded, changed, house.pk, house_time(row))):
                yield recorded.model._meta.db_table, field.attname


def house_time(row):
    return getattr(row, "recorded_at", busy.OPENING)


def compared(house):
    """The columns that are compared with what records say of them, as the comparisons declare."""
    for _, make in verifying._rows:
        for label, names_of in make(house).holds.items():
            model = apps.get_model(label)
            for name in names_of:
                if name != "pk":
                    yield model._meta.db_table, model._meta.get_field(name.removesuffix("_id")).attname


def test_the_house_verifies(house, state):
    assert [str(one) for one in findings(house)] == []
    again = verifying.Verification(house, now=busy.NOW, start=state)
    assert ([*again.run()], again.again) == ([], "")


def test_every_column_takes_sides(house):
    """Its row's own record has it, it is compared with other records, or the docs say why it is compared with nothing."""
    every = {(model._meta.db_table, field.attname) for model, field in columns()}
    held = {*recorded(house), *compared(house), *WHOLE}
    told = {one for one in every if is_listed(*one)}
    assert sorted(every - held - told) == []
    assert sorted(held & told) == []
    assert sorted(table for table, _ in listed() - every if (table, "*") not in listed()) == []


TRIED = [one for one in columns() if not is_listed(one[0]._meta.db_table, one[1].attname)]


@pytest.mark.parametrize(
    ("model", "field"),
    TRIED if LONG else TRIED[:: len(TRIED) // SAMPLE],
    ids=lambda one: one.attname if hasattr(one, "attname") else one._meta.db_table,
)
def test_a_column_that_is_changed_behind_the_triggers_is_named(house, state, model, field):
    """By the short run from before as by the full one."""
    tried = wrong(house, model, field, state)
    if tried is not None:
        found, called = tried
        assert found if not called else called & {one.record for one in found}, found
