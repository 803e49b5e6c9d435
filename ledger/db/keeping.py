"""How a model's rows are kept: written once, mutable or withheld, and which audit records describe them.
Every model declares it as `keeping`. The append-only triggers follow from it, and `manage.py check`
refuses a model without it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.db.models import CheckConstraint, Q, UniqueConstraint

APPS = ("ledger", "tables", "casino")


@dataclass(frozen=True, slots=True)
class Keeping:
    """How the rows of one model are kept. `once` rows never change and are protected by triggers; others may
    change, and verifying recomputes or compares them. `withheld` rows are in no export: the log has a
    commitment to them. `records` are the kinds of audit record about a row; without any, `why` is the reason.
    `own`: each row has one of its own."""

    once: bool
    records: tuple[str, ...] = ()
    why: str = ""
    withheld: bool = False
    own: bool = False


def recorded(kind: str, *, withheld: bool = False) -> Keeping:
    """Rows written once, each with an audit record of its own of this kind."""
    return Keeping(True, (kind,), withheld=withheld, own=True)


def written_once(*records: str, why: str = "", withheld: bool = False) -> Keeping:
    return Keeping(True, records, why, withheld)


def mutable(*records: str, why: str = "", withheld: bool = False) -> Keeping:
    """Rows that change; everything that a screen or paper reads of them follows from the records."""
    return Keeping(False, records, why, withheld)


def numbered_from_one(table: str) -> CheckConstraint:
    """Return a constraint of write-once models: no row can be inserted before the first."""
    return CheckConstraint(condition=Q(id__gt=0), name=f"{table}_numbered_from_one")


def check(name: str, condition: Q) -> CheckConstraint:
    return CheckConstraint(condition=condition, name=name)


def unique(name: str, *fields: str, where: Q | None = None) -> UniqueConstraint:
    """Return a constraint: no two rows, or no two of those `where` this holds, are alike in these fields."""
    return UniqueConstraint(fields=fields, condition=where, name=name)


def models(*labels: str) -> Iterator[Any]:
    """Yield the models of these apps; of all, where none is named."""
    for label in labels or APPS:
        yield from apps.get_app_config(label).get_models()


def recorded_in(app: str) -> Iterator[tuple[str, Any]]:
    """Yield the kinds of record that an app's rows have of their own, each with its model."""
    for model in models(app):
        if (kept := vars(model).get("keeping")) and kept.own:
            yield kept.records[0], model


def tables_written_once(app: str) -> list[str]:
    found = models(app)
    return [model._meta.db_table for model in found if (kept := vars(model).get("keeping")) and kept.once]
