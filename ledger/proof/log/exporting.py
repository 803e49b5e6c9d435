"""Export the log: one zip with records, checkpoint, proofs, papers, and the program that verifies all of it
offline. `ledger.proof.audit.export` defines its contents; this module reads the rows and streams them in.
Another app supplies by `register` what the ledger does not know: game sheets, published rates, the verifier.
Older records explain the numbers in a part of the log (`_outside`): staff, the house's clock, and players."""

import logging
import tempfile
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import IO, Any

from django.db.models import Max, Q, QuerySet

from ledger.db import snapshots
from ledger.errors import BadPeriod, CheckpointAhead, CheckpointNotKept, NotSealed
from ledger.journal import house_events, withholding
from ledger.journal.acts import Act
from ledger.journal.records import moment
from ledger.models import AuditLog, AuditRecord, Checkpoint, HouseEvent, Leaf, Site
from ledger.papers.paper import declared
from ledger.proof.audit.errors import BadCheckpoint, BadNote, BadSignature
from ledger.proof.audit.export.bundle_writing import (
    BundleContents,
    Committed,
    keep_lines,
    papers_of,
    write_bundle,
)
from ledger.proof.audit.export.manifest import VERIFIER_VERSION, Consistency, Earlier, Manifest, Proofs
from ledger.proof.audit.export.register import OF_CHECKPOINTS, OF_STAFF, players_in
from ledger.proof.audit.tree import log_keys
from ledger.proof.audit.tree.log_keys import LogKey
from ledger.proof.log import keys, proofs as proving, sealing, witnessing
from ledger.proof.log.slices import AT_ONCE, EVERY_DAY, Days, leaves_of
from ledger.records.canonical import body_of
from ledger.records.house import CLOCKS
from ledger.rules.local_time import Offsets, offsets_of

RowsOf = Callable[[Site, Collection[int]], Mapping[str, QuerySet[Any]]]
"""Returns the rows that identify these players, by the kind of their records."""

log_file = logging.getLogger(__name__)


@dataclass(frozen=True)
class AppExport:
    """What another app adds to exports. `sheets` returns {(code, version): bytes} for the tables opened in
    these leaves, `rates` the rows of the rates they name, `verifier` the program. `players` gives the rows
    that identify players, `committed` what opens these."""

    sheets: Callable[[QuerySet[Leaf]], Mapping[tuple[str, int], bytes]]
    rates: Callable[[QuerySet[Leaf]], QuerySet[Any]]
    verifier: Callable[[], bytes]
    players: RowsOf
    committed: Committed


@dataclass(frozen=True)
class Wanted:
    """What to export: days, players' names, withheld texts (`opened`), a checkpoint to continue (`since`)."""

    days: Days = EVERY_DAY
    since: bytes | None = None
    players: bool = False
    opened: bool = False


_others: list[AppExport] = []


def register(contents: AppExport) -> None:
    """Set what goes into every export besides the log. Called from AppConfig.ready; the last call wins."""
    _others[:] = [contents]


def verifier() -> bytes:
    """Return the program that goes into an export."""
    return _others[0].verifier()


def take_checkpoint(site: Site, *, act: Act) -> Checkpoint | None:
    """Return the newest checkpoint and note that it left the house; None before the first sealing."""
    latest = sealing.latest(sealing.log_of(site))
    if latest is not None:
        house_events.note(site, HouseEvent.Kind.CHECKPOINT_TAKEN, size=latest.size, act=act)
    return latest


def export(
    out: IO[bytes],
    *,
    site: Site,
    wanted: Wanted = Wanted(),
    progress: Callable[[int, int], None] = lambda done, of: None,
    act: Act,
) -> Manifest:
    """Write the export of a period, or of the whole log, and return its manifest. The log records the export
    itself. Unsealed records are sealed first. The export has the leaves of these gaming days up to the
    closing of the last one (`slices`). Raises BadPeriod, NotSealed, CheckpointAhead; BadNote, BadSignature or
    BadCheckpoint for `since`."""
    sealed_for(site, wanted.days, act.now)
    with snapshots.snapshot():
        manifest = _write(out, site, wanted, progress)
    house_events.note(
        site,
        HouseEvent.Kind.EXPORTED,
        from_day=manifest.from_day,
        to_day=manifest.to_day,
        first_leaf=manifest.first_leaf,
        count=manifest.count,
        tree_size=manifest.tree_size,
        players=manifest.players,
        opened=manifest.opened,
        act=act,
    )
    return manifest


def sealed_for(site: Site, days: Days, now: datetime) -> None:
    """Seal what waits, so that records of the period can be taken. Raises BadPeriod."""
    first, last = days
    if first is not None and last is not None and first > last:
        raise BadPeriod("The first day must not be after the last day.", field="from")
    try:
        sealing.seal(site, now=now)
    except CheckpointNotKept as error:  # It is signed, and is written to its folder with the next one.
        log_file.error("%s: %s", site, error.message)


@dataclass(frozen=True)
class Records:
    """The records of an export's range: the bytes of each leaf in order, once, and those outside that they
    refer to. `signed` is the checkpoint over them."""

    manifest: Manifest
    signed: Checkpoint
    leaves: QuerySet[Leaf]
    texts: Iterator[bytes]
    earlier: Iterable[Earlier]
    committed: Committed


def records_of(site: Site, wanted: Wanted) -> Records:
    """Return the sealed records of a period. Raises NotSealed, BadPeriod."""
    log = sealing.log_of(site)
    signed = sealing.latest(log)
    if signed is None:
        raise NotSealed("Nothing has been sealed yet.")
    others = _others[0]
    known = keys.known_keys(log)
    first, count = leaves_of(log, wanted.days, signed.size)
    from_day, to_day = (day.isoformat() if day else None for day in wanted.days)
    manifest = Manifest(
        origin=log.origin,
        site=log.site_id,
        first_leaf=first,
        count=count,
        tree_size=signed.size,
        from_day=from_day,
        to_day=to_day,
        verifier_keys=tuple(key.text for key in known),
        verifier_version=VERIFIER_VERSION,
        offsets=_local_offsets(log, first, first + count),
        players=wanted.players,
        opened=wanted.opened,
    )
    withheld = sealing.leaves(log, first, first + count).filter(record__kind__in=manifest.withholding)
    manifest = replace(manifest, withheld=withheld.count())
    leaves = sealing.leaves(log, first, first + count)
    named: set[int] = set()
    if first and wanted.players:
        texts_here = leaves.values_list("record__text", flat=True).iterator(AT_ONCE)
        named = {player for text in texts_here for player in players_in(body_of(text))}
    rows = {"rate": others.rates(leaves), **(others.players(site, named) if named else {})}
    texts = (text.encode() for text in _leaves(log, first, count, "record__text"))
    return Records(manifest, signed, leaves, texts, _outside(log, manifest, rows), others.committed)


def _write(out: IO[bytes], site: Site, wanted: Wanted, progress: Callable[[int, int], None]) -> Manifest:
    records = records_of(site, wanted)
    log, manifest, signed = sealing.log_of(site), records.manifest, records.signed
    since, others, known = wanted.since, _others[0], keys.known_keys(log)
    first, count = manifest.first_leaf, manifest.count
    text = witnessing.newest_cosigned(log)
    cosigned = None if text is None else text.encode()
    proofs = Proofs(
        first=tuple(proving.inclusion(log, first, signed.size)),
        last=tuple(proving.inclusion(log, first + count - 1, signed.size)),
        consistency=None if since is None else _consistency(log, since, signed.size, known),
        witnessed=None if cosigned is None else _consistency(log, cosigned, signed.size, known),
    )
    contents = BundleContents(
        manifest=manifest,
        records=records.texts,
        leaves=(bytes(hashed) for hashed in _leaves(log, first, count, "hash")),
        checkpoint=signed.note.encode(),
        proofs=proofs,
        sheets=others.sheets(records.leaves),
        verifier=others.verifier(),
        earlier=records.earlier,
        committed=records.committed,
        withheld=withholding.opening_of,
        since=since,
        witnessed=cosigned,
    )
    write_bundle(out, contents, progress=lambda done: progress(done, count))
    return manifest


def _consistency(log: AuditLog, since: bytes, size: int, known: list[LogKey]) -> Consistency:
    try:
        old = log_keys.opened(since, origin=log.origin, known=known, arithmetic=keys.ARITHMETIC)
    except (BadNote, BadSignature, BadCheckpoint) as error:
        raise type(error)(error.message, field="since") from error
    if old.size > size:
        raise CheckpointAhead(
            f"The given checkpoint covers {old.size} leaves, but the log has {size}: its end is missing.",
            field="since",
        )
    return Consistency(old.size, old.root, tuple(proving.consistency(log, old.size, size)))


def _leaves(log: AuditLog, first: int, count: int, column: str) -> Iterator[Any]:
    for begin in range(first, first + count, AT_ONCE):
        end = min(begin + AT_ONCE, first + count)
        yield from sealing.leaves(log, begin, end).values_list(column, flat=True)


@dataclass(frozen=True)
class PapersOfPeriod:
    """All papers of some gaming days: `files` has the CSV of each by its name, to be read from the start.
    They follow from the records up to the checkpoint `signed`."""

    manifest: Manifest
    signed: Checkpoint
    files: Mapping[str, IO[bytes]]


@contextmanager
def papers_taken(
    site: Site,
    days: Days,
    *,
    players: bool = False,
    only: Container[str] | None = None,
    progress: Callable[[int, int], None] = lambda done, of: None,
    now: datetime,
) -> Iterator[PapersOfPeriod]:
    """Make the papers of a period, all or `only` these, in temporary files, which are gone afterwards. Raises
    BadPeriod, NotSealed."""
    sealed_for(site, days, now)
    with ExitStack() as stack:
        files = {
            paper.name: stack.enter_context(tempfile.TemporaryFile())
            for paper in declared(players=players)
            if only is None or paper.name in only
        }
        with snapshots.snapshot():
            records = records_of(site, Wanted(days, players=players))
            made = papers_of(
                records.manifest, records.committed, stack.enter_context(tempfile.TemporaryFile()), only
            )
            for one in records.earlier:
                made.earlier(body_of(one.record))
            keep_lines(files, made.begin())
            for done, text in enumerate(records.texts):
                progress(done, records.manifest.count)
                keep_lines(files, made.take(body_of(text)))
            keep_lines(files, made.finish())
        for file in files.values():
            file.seek(0)
        yield PapersOfPeriod(records.manifest, records.signed, files)


# -- older records that explain the numbers in a part of the log -------------------------------------------


def _local_offsets(log: AuditLog, first: int, end: int) -> Offsets:
    """Return the offsets of local time in the records before leaf `end`, up to the newest from `first` on."""
    events = HouseEvent.objects.filter(site=log.site_id, kind__in=CLOCKS)
    numbers = _numbers(log, "house_event", events, Q(number__lt=end))
    bodies = [body_of(text) for _, text in _texts(log, numbers)]
    zones = [(body["recorded_at"], body["data"]["time_zone"]) for body in bodies]
    newest = sealing.leaves(log, first, end).aggregate(newest=Max("record__recorded_at"))["newest"]
    return () if newest is None else offsets_of(zones, moment(newest))


def _outside(log: AuditLog, manifest: Manifest, rows: Mapping[str, QuerySet[Any]]) -> Iterator[Earlier]:
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
    inclusion = proving.inclusions(log, manifest.tree_size)
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
