"""Rows that no comparison reads: of a house or a log that is not there, of nobody, or put in below what was verified before."""

from collections.abc import Callable, Iterator
from typing import Any

from django.db.models import Q

from ledger.audit.findings import Finding
from ledger.audit.tree.tiles import WIDTH
from ledger.db import keeping
from ledger.log.following import named, without
from ledger.models import AuditLog, Checkpoint, Cosignature, JournalEntry, Leaf, Site, Tile, Transfer

LEVELS = 8
"""More than a tree of 2^63 leaves has."""

Since = Callable[[Any], Q]
"""Gives the condition of the rows of a model that may have been written since a state was left."""


def strays(site: Site, since: Since) -> Iterator[Finding]:
    """Yield the rows that belong to no house or log, so that verifying one does not come to them, and houses without a log."""
    parents = {"site": [*Site.objects.values_list("pk", flat=True)]}
    parents["log"] = [*AuditLog.objects.values_list("pk", flat=True)]
    for model in keeping.models():
        for name in parents.keys() & {field.name for field in model._meta.concrete_fields}:
            rows = model._base_manager.filter(since(model)).exclude(**{f"{name}__in": parents[name]})
            yield from named(rows.only("pk").order_by("pk"), f"it is of a {_WORDS[name]} that is not there.")
    bare = without(Cosignature, "checkpoint").filter(since(Cosignature))
    yield from named(bare.only("pk"), "its checkpoint is not there.")
    for pk in Site.objects.filter(log=None).exclude(pk=site.pk).order_by("pk").values_list("pk", flat=True):
        yield Finding(
            "no_log", "there is no audit log of it: nothing of it has been sealed.", None, f"house {pk}"
        )
    yield from named(Leaf.objects.filter(number__lt=0).only("pk"), "its number is below zero.")
    yield from named(Checkpoint.objects.filter(size__lt=0).only("pk"), "its size is below zero.")


_WORDS = {"site": "house", "log": "log"}


def put_in_below(log: AuditLog, size: int, since: Since) -> str:
    """Return what has been put in below a state over so many leaves, in words; nothing if nothing was.

    Leaves, checkpoints and tiles were all there, and an entry has its transfers from the beginning.
    """
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
    """Return the condition of the tiles that so many leaves fill."""
    places = Q(level__lt=0) | Q(index__lt=0)
    for level in range(LEVELS):
        places |= Q(level=level, index__lt=size // WIDTH ** (level + 1))
    return places
