"""Rows that no comparison reads: of a missing house or log, or inserted among those already verified."""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from django.db.models import Exists, F, OuterRef, Q

from ledger.db import keeping, snapshots
from ledger.db.columns import columns_of
from ledger.db.readable import Rows, is_there_any
from ledger.journal import records
from ledger.models import (
    AuditLog,
    AuditRecord,
    Checkpoint,
    Cosignature,
    JournalEntry,
    Leaf,
    Site,
    Tile,
    Transfer,
)
from ledger.proof.audit.tree.tiles import WIDTH
from ledger.proof.log.following import named, without
from ledger.records.findings import Finding, name_of

LEVELS = 8
"""More than a tree of 2^63 leaves has."""

Since = Callable[[Any], Q]
"""Returns the filter for the rows of a model that may have been written since a state was left."""
RowsSince = Callable[[Any], Rows]
"""Returns the same as a condition of SQL, for one statement about all tables: to compile one for each took a
third of verifying a small house."""


def strays(site: Site, since: Since, rows_since: RowsSince) -> Iterator[Finding]:
    """Yield rows of missing houses, logs or checkpoints, which no log leads to, and houses without a log."""
    asked = [_of_none(rows_since(model)) for model in keeping.models()]
    if is_there_any(filter(None, asked), snapshots.alias()):
        yield from _of_missing(since)
    bare = without(Cosignature, "checkpoint").filter(since(Cosignature))
    yield from named(bare.only("pk"), "its checkpoint is not there.")
    for pk in Site.objects.filter(log=None).exclude(pk=site.pk).order_by("pk").values_list("pk", flat=True):
        yield Finding(
            "no_log", "there is no audit log of it: nothing of it has been sealed.", None, f"house {pk}"
        )
    for pk in Site.objects.filter(pk__lt=1).order_by("pk").values_list("pk", flat=True):
        yield Finding("no_record", "houses are numbered from 1.", None, f"house {pk}")
    yield from named(Leaf.objects.filter(number__lt=0).only("pk"), "its number is below zero.")
    yield from named(Checkpoint.objects.filter(size__lt=0).only("pk"), "its size is below zero.")


_WORDS = {"site": "house", "log": "log"}


def _of_missing(since: Since) -> Iterator[Finding]:
    parents = {"site": [*Site.objects.values_list("pk", flat=True)]}
    parents["log"] = [*AuditLog.objects.values_list("pk", flat=True)]
    for model in keeping.models():
        for name in parents.keys() & {field.name for field in columns_of(model)}:
            rows = model._base_manager.filter(since(model)).exclude(**{f"{name}__in": parents[name]})
            yield from named(rows.only("pk").order_by("pk"), f"it is of a {_WORDS[name]} that is not there.")


def _of_none(rows: Rows) -> str:
    """Return SQL for the rows of a house or log that is not there; empty for a table that names neither."""
    there = {"site": Site._meta.db_table, "log": AuditLog._meta.db_table}
    columns = [(field.column, there[field.name]) for field in columns_of(rows.model) if field.name in there]
    missing = [f'"{column}" NOT IN (SELECT "id" FROM "{table}")' for column, table in columns]  # noqa: S608
    if not missing:
        return ""
    which = f"{rows.where} AND ({' OR '.join(missing)})"
    return f'SELECT 1 FROM "{rows.model._meta.db_table}" WHERE {which}'  # noqa: S608


def is_any_unrecorded(rows_since: RowsSince) -> bool:
    """Return whether a row that must have a record of its kind has none."""
    return is_there_any(
        (_without_record(kind, rows_since(records.rows_of(kind).model)) for kind in records.kinds()),
        snapshots.alias(),
    )


def _without_record(kind: str, rows: Rows) -> str:
    table, recorded = rows.model._meta.db_table, AuditRecord._meta.db_table
    its = f"""r."kind" = '{kind}' AND r."subject" = "{table}"."id\""""
    records_of_it = f'SELECT 1 FROM "{recorded}" AS r WHERE {its}'  # noqa: S608
    return f'SELECT 1 FROM "{table}" WHERE {rows.where} AND NOT EXISTS ({records_of_it})'  # noqa: S608


def recorded_elsewhere(site: Site, since: Since) -> Iterator[Finding]:
    """Yield rows whose record is in another house's log, and entries that move another house's money."""
    if not Site.objects.exclude(pk=site.pk).exists():
        return
    for kind in records.kinds():
        rows = records.rows_of(kind)
        recorded = AuditRecord.objects.filter(kind=kind, subject=OuterRef("pk"))
        other = Q()
        for way in _ways_to_the_house(rows.model):
            other |= Exists(recorded) & ~Exists(recorded.filter(site=OuterRef(way)))
        for pk in rows.filter(other, since(rows.model)).order_by("pk").values_list("pk", flat=True):
            name = name_of({"record": kind, "id": pk})
            yield Finding("other_site", "its record is of another house than the row.", None, name)
    apart = ~Q(source__site=F("entry__site")) | ~Q(target__site=F("entry__site"))
    moved = Transfer.objects.filter(apart, since(Transfer)).order_by("entry").values_list("entry", flat=True)
    for pk in moved.distinct():
        yield Finding("other_site", "it moves what is of another house.", None, f"entry {pk}")


def _ways_to_the_house(model: Any) -> Iterator[str]:
    """Yield the paths from a row to a house, directly or by the rows it always belongs to."""
    for field in columns_of(model):
        if field.related_model is Site:
            yield field.name
        elif field.related_model is not None and not field.null:
            yield from (f"{field.name}__{way}" for way in islice(_ways_to_the_house(field.related_model), 1))


def put_in_below(log: AuditLog, size: int, since: Since) -> str:
    """Return what was inserted below a state over `size` leaves, in words, or an empty text. Leaves,
    checkpoints and tiles were complete then, and an entry has its transfers from the beginning."""
    places = {
        Leaf: Q(number__lt=size),
        Checkpoint: Q(size__lte=size),
        Tile: _filled(size),
        Transfer: ~Q(entry__in=JournalEntry.objects.filter(since(JournalEntry)).values("pk")),
    }
    for model, below in places.items():
        rows = model._base_manager.filter(since(model)).filter(below)
        if model is not Transfer:
            rows = rows.filter(log=log)
        if rows.exists():
            return f"a row was added to {model._meta.db_table}"
    return ""


def _filled(size: int) -> Q:
    places = Q(level__lt=0) | Q(index__lt=0)
    for level in range(LEVELS):
        places |= Q(level=level, index__lt=size // WIDTH ** (level + 1))
    return places
