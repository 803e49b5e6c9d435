"""Older records that explain the numbers in a part of the log: staff, the house's clock, and players."""

from collections.abc import Callable, Collection, Iterator, Mapping
from heapq import merge
from typing import Any

from django.db.models import Max, Q, QuerySet

from ledger.journal.records import moment
from ledger.models import AuditLog, HouseEvent, Leaf, Site
from ledger.proof.audit.export.manifest import Earlier, Manifest
from ledger.proof.audit.export.register import OF_CHECKPOINTS, OF_STAFF, players_in
from ledger.proof.log import proofs, sealing
from ledger.records.canonical import body_of
from ledger.records.house import CLOCKS
from ledger.rules.local_time import Offsets, offsets_of

AT_ONCE = 1000  # records in memory

RowsOf = Callable[[Site, Collection[int]], Mapping[str, QuerySet[Any]]]
"""Returns the rows that identify these players, by the kind of their records."""


def local_offsets(log: AuditLog, first: int, end: int) -> Offsets:
    """Return the offsets of local time in the records before leaf `end`, up to the newest from `first` on."""
    events = HouseEvent.objects.filter(site=log.site_id, kind__in=CLOCKS)
    found = Leaf.objects.filter(log=log, number__lt=end, record__kind="house_event")
    texts = found.filter(record__subject__in=events.values("pk")).values_list("record__text", flat=True)
    zones = [(body["recorded_at"], body["data"]["time_zone"]) for body in map(body_of, texts)]
    newest = sealing.leaves(log, first, end).aggregate(newest=Max("record__recorded_at"))["newest"]
    return () if newest is None else offsets_of(zones, moment(newest))


def outside(log: AuditLog, manifest: Manifest, rows: Mapping[str, QuerySet[Any]]) -> Iterator[Earlier]:
    """Yield records outside an export with their proofs, in the order of leaves. These are earlier records of
    staff, of the house's clock and of `rows`, and from the whole log those about its checkpoints."""
    first, end = manifest.first_leaf, manifest.first_leaf + manifest.count
    of_house = HouseEvent.objects.filter(site=log.site_id)
    before = Q(number__lt=first)
    wanted: list[tuple[str, QuerySet[Any], Q]] = [
        ("house_event", of_house.filter(kind__in=OF_STAFF), before),
        ("house_event", of_house.filter(kind__in=OF_CHECKPOINTS), ~Q(number__range=(first, end - 1))),
        *((kind, some, before) for kind, some in rows.items()),
    ]
    leaves = Leaf.objects.filter(log=log, number__lt=manifest.tree_size).order_by("number")
    found = (  # One query for each: together PostgreSQL would read all leaves.
        leaves.filter(where, record__kind=kind, record__subject__in=some.values("pk"))
        .values_list("number", "record__text")
        .iterator(AT_ONCE)
        for kind, some, where in wanted
    )
    inclusion = proofs.inclusions(log, manifest.tree_size)
    for number, text in merge(*found):
        yield Earlier(number, text.encode(), tuple(inclusion(number)))


def named_in(log: AuditLog, first: int, count: int) -> set[int]:
    texts = sealing.leaves(log, first, first + count).values_list("record__text", flat=True).iterator(AT_ONCE)
    return {player for text in texts for player in players_in(body_of(text))}
