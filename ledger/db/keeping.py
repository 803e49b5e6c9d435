"""What a model's rows are: written once, mutable or withheld, and which audit records tell of them.

Every model of the house says so in its own class, as `keeping`. From it follow the triggers that hold
rows written once, and `manage.py check` refuses a model that is silent, so that a new table has to take sides.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.db.models import CheckConstraint, Q

APPS = ("ledger", "tables", "casino")


@dataclass(frozen=True, slots=True)
class Keeping:
    """How the rows of one model are kept.

    `once` rows never change and are held by triggers; others may change, and verifying recomputes or compares them.
    `withheld` rows leave the house in no export: the log has a commitment to them. `records` are the kinds of audit
    record that tell of a row; where there are none, `why` is the reason.
    """

    once: bool
    records: tuple[str, ...] = ()
    why: str = ""
    withheld: bool = False


def written_once(*records: str, why: str = "", withheld: bool = False) -> Keeping:
    """Rows that are inserted and never changed."""
    return Keeping(True, records, why, withheld)


def mutable(*records: str, why: str = "", withheld: bool = False) -> Keeping:
    """Rows that change; whatever a screen or paper reads of them follows from the records."""
    return Keeping(False, records, why, withheld)


def numbered_from_one(table: str) -> CheckConstraint:
    """Return the constraint that every model of rows written once has: no row comes before the first, whoever writes it."""
    return CheckConstraint(condition=Q(id__gt=0), name=f"{table}_numbered_from_one")


def models() -> Iterator[Any]:
    """Return every model of the house."""
    for label in APPS:
        yield from apps.get_app_config(label).get_models()


def tables_written_once(app: str) -> list[str]:
    """Return the database tables of an app whose rows are written once."""
    found = apps.get_app_config(app).get_models()
    return [model._meta.db_table for model in found if (kept := vars(model).get("keeping")) and kept.once]
