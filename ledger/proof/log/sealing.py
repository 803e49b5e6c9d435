"""Seal records: they become leaves of the tree, and the tree is signed. Runs in the background, one sealer at
a time.

A record with a lower number can be committed after one with a higher number, so the order of leaves is the
order of sealing. Leaves are committed before their checkpoint is signed, so every signed tree is stored.
Sealing stops and reports it if a record contradicts its rows or the tree does not continue the newest
checkpoint outside the books."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection, transaction
from django.db.models import Count, Exists, Min, OuterRef, QuerySet
from django.utils.text import slugify

from ledger.db.compiled import Compiled, insert, new
from ledger.errors import CheckpointsUnreadable, NotContinued, RecordContradicted
from ledger.journal import records, withholding
from ledger.journal.acts import Act
from ledger.models import AuditLog, AuditRecord, Checkpoint, HouseEvent, Leaf, Site, Tile
from ledger.proof.audit.errors import BadTile
from ledger.proof.audit.kept import tree_in
from ledger.proof.audit.tree import checkpoints
from ledger.proof.audit.tree.checkpoints import TreeHead
from ledger.proof.audit.tree.merkle import leaf_hash
from ledger.proof.audit.tree.tiles import WIDTH, Read, TiledTree, root, tile_root
from ledger.proof.log import keys, outside

AT_ONCE = 500  # records in one transaction
SIGN_EVERY = timedelta(seconds=15)  # a checkpoint has 3.6 kB, so the task signs less often than it seals
LOOK_BACK = 2_000  # how many of the log's leaves before its last are searched for late commits


@dataclass(frozen=True)
class Lag:
    """How far sealing is behind: unsealed records, the time of the oldest one, and the newest checkpoint."""

    waiting: int
    since: datetime | None
    size: int
    signed_at: datetime | None


_LOG = Compiled(lambda site: AuditLog.objects.filter(site=site), joined="site")
# By number, which has an index: by record, every sealing would sort the whole log.
_SEALED_LAST = Compiled(lambda log: Leaf.objects.filter(log=log).order_by("-number")[:1])
_SIGNED_LAST = Compiled(lambda log: Checkpoint.objects.filter(log=log).order_by("-size")[:1])


def log_of(site: Site) -> AuditLog:
    """Return a site's log. Setup names it; other sites get a name on first use."""
    log = next(iter(_LOG.rows(site.pk)), None)
    if log is None:
        origin = f"{slugify(site.name) or 'house'}/{slugify(site.licence) or 'licence'}/{site.pk}"
        log, _ = AuditLog.objects.get_or_create(site=site, defaults={"origin": origin})
    return log


def seal(site: Site, *, now: datetime, whole: bool = False, rest: timedelta = timedelta()) -> int:
    """Seal every committed record that has no leaf yet, sign the tree, and keep its checkpoint outside.
    Return how many were sealed.

    Does nothing while another sealer is at work. `whole` searches the whole log for unsealed records, not
    only its end. Nothing is signed within `rest` of the checkpoint before.
    Raises RecordContradicted, NotContinued, BadAuditKey, UnknownAuditKey; CheckpointsUnreadable after
    sealing, with nothing signed, and CheckpointNotKept after signing."""
    log = log_of(site)
    signer = keys.signer_of(log, now=now)
    unreadable = None
    try:
        _require_continued(log)
    except CheckpointsUnreadable as error:
        unreadable = error
    # Commit to withheld texts only when other records wait, so that the time reveals nothing about them.
    site = log.site
    if withholding.is_due(site, now) and _waiting(log, whole=False).exists():
        with transaction.atomic():
            if _is_ours(log) and withholding.is_due(site, now):
                withholding.commit(site, now=now)
    sealed = _seal_all(log, whole=whole)
    if unreadable is not None:
        raise unreadable
    _sign(log, [signer], now=now, rest=rest)
    outside.folder(log).write(lambda newest: _signed_after(log, newest), now=now)
    return sealed


def rotate(site: Site, *, act: Act) -> keys.Signer:
    """Replace the signing key. The old one, if its file is still here, signs over the new one's record, for
    the last time. Raises what `seal` raises; on CheckpointNotKept the checkpoint is signed and stored."""
    log = log_of(site)
    _require_continued(log)
    with transaction.atomic():
        AuditLog.objects.select_for_update().get(pk=log.pk)
        signers = keys.replace(log, act=act)
        _seal_all(log, whole=False)
        _sign(log, signers, now=act.now, rest=timedelta())
    seal(site, now=act.now)
    return signers[-1]


def lag(site: Site) -> Lag:
    log = log_of(site)
    waiting = _waiting(log, whole=False).aggregate(count=Count("pk"), since=Min("recorded_at"))
    last = next(iter(_SIGNED_LAST.rows(log.pk)), None)
    size, signed_at = (last.size, last.signed_at) if last else (0, None)
    return Lag(waiting["count"], waiting["since"], size, signed_at)


def size_of(log: AuditLog) -> int:
    last = Leaf.objects.filter(log=log).order_by("-number").values_list("number", flat=True).first()
    return 0 if last is None else last + 1


def reader(log: AuditLog) -> Read:
    """Return a function that reads the stored hashes of the tree, for `ledger.proof.audit.tree.tiles`."""

    def read(level: int, index: int, width: int) -> bytes:
        tiles = Tile.objects.filter(log=log)
        if width == WIDTH:
            whole = tiles.filter(level=level, index=index).values_list("hashes", flat=True).first()
            return b"" if whole is None else bytes(whole)
        begin = index * WIDTH
        if level == 0:
            found = leaves(log, begin, begin + width).values_list("hash", flat=True)
            return b"".join(map(bytes, found))
        below = tiles.filter(level=level - 1, index__gte=begin, index__lt=begin + width).order_by("index")
        return b"".join(map(bytes, below.values_list("root", flat=True)))

    return read


def leaves(log: AuditLog, first: int, end: int) -> QuerySet[Leaf]:
    return Leaf.objects.filter(log=log, number__gte=first, number__lt=end).order_by("number")


def hash_of(text: str) -> bytes:
    return leaf_hash(text.encode())


def _waiting(log: AuditLog, *, whole: bool) -> QuerySet[AuditRecord]:
    unsealed = AuditRecord.objects.filter(site=log.site_id)
    if not whole:
        # By the leaves of this log, since the ids of its records have gaps of any length in a database of
        # several houses.
        last = next((leaf.number for leaf in _SEALED_LAST.rows(log.pk)), 0)
        before = Leaf.objects.filter(log=log, number=last - LOOK_BACK).values_list("record_id", flat=True)
        unsealed = unsealed.filter(pk__gt=next(iter(before[:1]), 0))
    return unsealed.filter(~Exists(Leaf.objects.filter(record=OuterRef("pk"))))


def _seal_all(log: AuditLog, *, whole: bool) -> int:
    sealed = 0
    while (count := _seal_some(log, whole=whole)) is not None:
        sealed += count
        if count < AT_ONCE:
            break
    return sealed


def _seal_some(log: AuditLog, *, whole: bool) -> int | None:
    """Seal up to AT_ONCE records; return how many, or None if another sealer has the log. Reading, comparing
    and hashing happen before the transaction, because posting waits for it on SQLite. They stay valid:
    records are written once, and the number of leaves is checked."""
    size = size_of(log)
    waiting = list(_waiting(log, whole=whole).order_by("pk")[:AT_ONCE])
    if not waiting:
        return 0
    texts = records.rebuilt(waiting)
    for record in waiting:
        if texts[record.pk] != record.text:
            raise RecordContradicted(
                f"{record} differs from its rows. Nothing is sealed until that is cleared up."
            )
    hashes = [hash_of(record.text) for record in waiting]
    new_leaves = [
        new(Leaf, log=log, number=number, record=record, hash=hashed, recorded_at=record.recorded_at)
        for number, (record, hashed) in enumerate(zip(waiting, hashes, strict=True), size)
    ]
    tiles = [
        Tile(log=log, level=tile.level, index=tile.index, hashes=data, root=tile_root(data))
        for tile, data in TiledTree(size, reader(log)).extend(hashes)
    ]
    with transaction.atomic():
        if not _is_ours(log) or any(leaf.number + 1 != size for leaf in _SEALED_LAST.rows(log.pk)):
            return None
        insert(new_leaves)
        insert(tiles)
    return len(waiting)


def _is_ours(log: AuditLog) -> bool:
    """Try to lock the log's row until the transaction ends; return False if another sealer has it."""
    rows = AuditLog.objects.filter(pk=log.pk)
    if connection.vendor != "sqlite":  # only this transaction can write there
        rows = rows.select_for_update(skip_locked=True)
    return rows.first() is not None


def _key_noted_last(log: AuditLog) -> int | None:
    noted = HouseEvent.objects.filter(site=log.site_id, kind=HouseEvent.Kind.AUDIT_KEY)
    return noted.order_by("-pk").values_list("pk", flat=True).first()


def _require_continued(log: AuditLog) -> None:
    """Check the tree against the newest checkpoint outside. Raises NotContinued, CheckpointsUnreadable."""
    newest = outside.folder(log).newest()
    tree = None if newest is None else tree_in(newest, log.origin)
    if tree is not None and not continues(log, tree.size, tree.root):
        raise NotContinued(
            f"The log does not continue the checkpoint over {tree.size} leaves that was kept outside the"
            " books:"
            " what was sealed by then is missing or changed. Nothing is sealed until that is cleared up."
        )


def continues(log: AuditLog, size: int, was: bytes) -> bool:
    """Return whether the tree of `size` leaves still has this root."""
    try:
        return root(size, reader(log)) == was
    except BadTile:
        return False


def _signed_after(log: AuditLog, newest: str | None) -> Iterator[str]:
    size = 0 if newest is None else tree_in(newest, log.origin).size
    later = Checkpoint.objects.filter(log=log, size__gt=size).order_by("size")
    return later.values_list("note", flat=True).iterator()


def _sign(
    log: AuditLog, signers: Sequence[keys.Signer], *, now: datetime, rest: timedelta
) -> Checkpoint | None:
    """Sign the current tree, once for each size, unless the last of these keys was replaced meanwhile. The
    tree is read and signed before the transaction. If it has grown since, the rest is signed next time."""
    size, before = size_of(log), latest(log)
    if not size or (before is not None and before.size >= size):
        return None
    if before is not None and timedelta() <= now - before.signed_at < rest:
        return None
    noted, newest = _key_noted_last(log), signers[-1].key
    if keys.known_keys(log)[-1] != newest:
        return None
    after = checkpoints.following(before.size if before else 0)
    tree = TreeHead(log.origin, size, root(size, reader(log)), (after,))
    checkpoint = Checkpoint(
        log=log,
        size=size,
        note=keys.signed_by_all(signers, tree, now=now).decode(),
        key_fingerprint=newest.fingerprint,
        signed_at=now,
    )
    with transaction.atomic():
        if not _is_ours(log) or _SIGNED_LAST.first(log.pk) != before:
            return None
        if _key_noted_last(log) != noted:
            return None
        insert([checkpoint])
    return checkpoint


def note_over(log: AuditLog, size: int) -> str | None:
    return Checkpoint.objects.filter(log=log, size=size).values_list("note", flat=True).first()


def latest(log: AuditLog) -> Checkpoint | None:
    return Checkpoint.objects.filter(log=log).order_by("-size").first()
