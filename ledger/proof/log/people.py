"""Older records that explain the numbers in a part of the log: staff, the house's clock, and players."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from django.db.models import Max, Q, QuerySet

from ledger.journal.records import moment
from ledger.models import AuditLog, AuditRecord, HouseEvent, Leaf, Site
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
    numbers = _numbers(log, "house_event", events, Q(number__lt=end))
    bodies = [body_of(text) for _, text in _texts(log, numbers)]
    zones = [(body["recorded_at"], body["data"]["time_zone"]) for body in bodies]
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
    sealed = Q(number__lt=manifest.tree_size)
    numbers = {number for kind, some, where in wanted for number in _numbers(log, kind, some, sealed & where)}
    inclusion = proofs.inclusions(log, manifest.tree_size)
    for number, text in _texts(log, sorted(numbers)):
        yield Earlier(number, text.encode(), tuple(inclusion(number)))


def _numbers(log: AuditLog, kind: str, rows: QuerySet[Any], where: Q) -> list[int]:
    """Return the leaves of the records of these rows. By their records' ids: in one query with them, SQLite
    and PostgreSQL would read all leaves."""
    records = AuditRecord.objects.filter(kind=kind, subject__in=rows.values("pk"))
    found: list[int] = []
    for some in _parts(list(records.values_list("pk", flat=True))):
        leaves = Leaf.objects.filter(where, log=log, record__in=some)
        found += leaves.values_list("number", flat=True)
    return found


def _texts(log: AuditLog, numbers: Sequence[int]) -> Iterator[tuple[int, str]]:
    for some in _parts(numbers):
        leaves = Leaf.objects.filter(log=log, number__in=some).order_by("number")
        yield from leaves.values_list("number", "record__text")


def _parts(numbers: Sequence[int]) -> Iterator[Sequence[int]]:
    return (numbers[start : start + AT_ONCE] for start in range(0, len(numbers), AT_ONCE))


def named_in(log: AuditLog, first: int, count: int) -> set[int]:
    texts = sealing.leaves(log, first, first + count).values_list("record__text", flat=True).iterator(AT_ONCE)
    return {player for text in texts for player in players_in(body_of(text))}
