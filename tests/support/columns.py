"""Every table and column, other values for a column, and the names of rows in findings."""

import re
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path

from django.apps import apps

from ledger.proof.log import verifying
from tests.support import busy

LISTED = Path(__file__).parents[2] / "docs" / "audit-columns.md"


@cache
def listed():
    """Return the columns that the docs list as compared with nothing; `*` is a whole table."""
    rows = re.findall(r"^\| `(\w+)` \| ((?:`[\w*]+` ?)+)\| .+ \|$", LISTED.read_text(), re.M)
    return {(table, column) for table, columns in rows for column in re.findall(r"`([\w*]+)`", columns)}


def columns():
    """Yield every column but primary keys, which are what rows are named by."""
    for model in apps.get_models(include_auto_created=True):
        for field in model._meta.concrete_fields:
            if not (field.primary_key or field.generated):
                yield model, field


def is_listed(table, column):
    return not listed().isdisjoint({(table, column), (table, "*")})


def others(field, value):
    """Return other values of this column; the database may refuse some."""
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
    """Return what findings may call a row after a change of this column; nothing for most of the tree."""
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
        case "ledger_countsheetsignature":
            return {f"count sheet signed {row.pk}"}
        case "ledger_countsheetreceipt":
            return {f"count sheet received {row.pk}"}
        case "ledger_boxreceipt":
            return {f"box received {row.pk}"}
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


def findings(site, **asked):
    return list(verifying.Verification(site, now=busy.NOW, **asked).run())
