"""Read the sealed tree back from its tiles and leaves, and compare it with the records."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Any, NamedTuple

from django.db.models import Max

from ledger.journal import clock, records
from ledger.journal.records import StoredRecord
from ledger.models import AuditLog, Checkpoint, Leaf, Tile
from ledger.proof.audit.errors import NOT_BELIEVED, BadSignature
from ledger.proof.audit.export.trust import Pinned
from ledger.proof.audit.kept import KeptCheckpoint, KeptFolder, KeptSeries
from ledger.proof.audit.tree import log_keys
from ledger.proof.audit.tree.checkpoints import MOST_LEAVES, TreeHead
from ledger.proof.audit.tree.log_keys import LogKey
from ledger.proof.audit.tree.tiles import WIDTH, TileAddress, TiledTree, root, tile_root
from ledger.proof.log import keys, sealing
from ledger.proof.log.keys import RecordedKey
from ledger.records import canonical
from ledger.records.findings import Finding

AT_ONCE = 500  # leaves in memory
KEPT = "checkpoints kept outside"

Moments = tuple[datetime, datetime]
"""From one moment to another, both included."""


@dataclass
class Outside:
    """What was kept outside the books to check the log with: a checkpoint, a key's fingerprint, a folder of
    checkpoints. Open the folder before the books are read, so that it has no checkpoint that they lack."""

    checkpoint: bytes | None = None
    fingerprint: str = ""
    folder: KeptFolder | None = None


class SealedLeaf(NamedTuple):
    number: int
    hash: bytes
    leaf_recorded_at: Any
    record: StoredRecord
    rebuilt: str | None


class SealedTree:
    """The tree rebuilt from its leaves, compared with tiles and checkpoints while it grows."""

    def __init__(
        self,
        log: AuditLog,
        recorded: Sequence[RecordedKey],
        first: int,
        outside: Outside,
        checked: dict[str, int],
        newest_kept: int = 0,
    ) -> None:
        self.log, self.recorded, self.first, self.asked, self.checked = log, recorded, first, outside, checked
        # None: nothing is known to be in the future.
        self.now: datetime | None = None
        self.known = [one.key for one in recorded]
        # Whether the given key has signed the newest checkpoint, and so all keys below it.
        self.vouched = False
        self.tree = TiledTree(first, sealing.reader(log) if first else None)
        self.next = first
        # False once a leaf is missing: roots cannot be compared then.
        self.whole = True
        self.tiles = _Tiles(log, first)
        self.signed = iter(
            Checkpoint.objects.filter(log=log, size__gte=first).order_by("size").iterator(AT_ONCE)
        )
        self.due: Checkpoint | None = None
        earlier = Checkpoint.objects.filter(log=log, size__lt=first).aggregate(
            size=Max("size"), at=Max("signed_at")
        )
        # the size of the checkpoint before
        self.before: int = earlier["size"] or 0
        self.signed_at: datetime | None = earlier["at"]
        # how many leaves lie under a stored checkpoint that a key of the log has signed
        self.covered = first
        self.kept = KeptSeries(outside.folder, self.known, newest_kept)
        # the first and last size of kept checkpoints that the log lacks
        self.missing: list[int] = []
        self.good = first
        # whether anything was reported since the last valid checkpoint
        self.named = False
        # of the leaves under the checkpoint from outside
        self.root_there: bytes | None = None
        # hashes of the last leaves, not in the tree yet
        self._grown: list[bytes] = []
        # the size at which a checkpoint is compared next
        self._stop = first

    def begin(self) -> Iterator[Finding]:
        self.checked |= {"leaves": 0, "checkpoints": 0, "tiles": 0}
        if self.asked.fingerprint:
            self.vouched = self._is_signed_by(Pinned(self.asked.fingerprint).among(self.known))
            if not self.vouched:
                yield Finding("other_key", "The newest checkpoint is not signed by the key that was given.")
        self.due = next(self.signed, None)
        yield from self._outside_first()
        yield from self._checkpoints_here()

    def take(self, sealed: SealedLeaf) -> tuple[str | None, list[Finding]]:
        """Return the text that was sealed here, if still known, and the findings about this leaf."""
        number, record = sealed.number, sealed.record
        findings = list(self._gap(number)) if number != self.next else []
        self.next = number + 1
        self.checked["leaves"] += 1
        text: str | None = record.text
        true_hash = hashed = sealing.hash_of(record.text)
        in_tile = self.tiles.hash_at(number)
        wrong = self._wrong(sealed, hashed, in_tile)
        if wrong is not None:
            findings.append(wrong)
            self.named = True
            true_hash, text = self._most_likely(sealed, hashed, in_tile)
        self._grown.append(true_hash)
        if self.next >= self._stop:
            findings += self._grow()
            findings += self._checkpoints_here()
            if self.outside is not None and self.outside.size == self.next:
                self.root_there = self.tree.root()
            self._stop = min(self._next_sizes())
        return text, findings

    def _grow(self) -> Iterator[Finding]:
        grown, self._grown = self._grown, []
        for tile, data in self.tree.extend(grown):
            if self.whole:
                yield from self.tiles.compare(tile, data)
                self.checked["tiles"] += 1

    def _next_sizes(self) -> Iterator[int]:
        yield (self.next // WIDTH + 1) * WIDTH
        yield self.kept.next_size(self.next)
        if self.due is not None:
            yield self.due.size
        if self.outside is not None and self.outside.size > self.next:
            yield self.outside.size

    def finish(self, young: Moments | None, size: int) -> Iterator[Finding]:
        """Yield the remaining findings: missing leaves up to `size`, checkpoints over more leaves than that,
        and anything not signed or kept outside in time. Whatever is `young` may still wait; with None,
        everything may."""
        yield from self._grow()
        yield from self._gap(size) if size > self.next else ()
        while self.due is not None:
            yield self._cut(self.due.size, f"checkpoint {self.due.size}")
            self.due = None
        if young is not None:
            yield from self._not_signed(young)
            yield from self._not_kept(young)
        if self.missing:
            first, last = self.missing[0], self.missing[-1]
            sizes = f"{first} leaves" if first == last else f"{first} to {last} leaves"
            gone = f"The log no longer has the checkpoints over {sizes} that were kept."
            yield Finding("checkpoint_missing", gone)
        newest = self.kept.beyond(self.next)
        if newest is not None:
            yield self._cut(newest.tree.size, newest.place)
        yield from self.kept.wrong
        yield from self._outside_last()
        yield from self.tiles.left(self.next)

    # -- one leaf --------------------------------------------------------------------------------------------

    def _gap(self, number: int) -> Iterator[Finding]:
        """Yield the leaves missing before this one. The tree grows on while tiles have their hashes."""
        yield from self._grow()
        yield from self._missing(number)
        self.named = True
        while self.next < number:
            in_tile = self.tiles.hash_at(self.next) if self.whole else None
            if in_tile is None:
                self.whole = False
                self.next = min(number, *self._next_checkpoints())
            else:
                for _ in self.tree.extend([in_tile]):
                    pass
                self.next += 1
            yield from self._checkpoints_here()
        self._stop = self.next

    def _missing(self, end: int) -> Iterator[Finding]:
        """Yield the leaves before `end` that are missing or without a record, adjacent ones together."""
        begin = self.next
        bare = sealing.leaves(self.log, begin, end).values_list("number", flat=True)
        for number in chain(bare.iterator(AT_ONCE), [end]):
            if number - begin == 1:
                yield Finding("leaf_missing", "the leaf is missing.", begin)
            elif number > begin:
                yield Finding("leaf_missing", f"the leaves {begin} to {number - 1} are missing.", begin)
            if number < end:
                yield Finding("record_missing", "the record of this leaf is missing.", number)
            begin = number + 1

    def _next_checkpoints(self) -> list[int]:
        checkpoint = self.kept.after(self.next)
        return [*([self.due.size] if self.due else []), *([checkpoint.tree.size] if checkpoint else [])] or [
            MOST_LEAVES
        ]

    def _most_likely(
        self, sealed: SealedLeaf, hashed: bytes, in_tile: bytes | None
    ) -> tuple[bytes, str | None]:
        """Return the hash most likely sealed here, by majority, and its text, if known."""
        text, rebuilt = sealed.record.text, sealed.rebuilt
        of_rows = None if rebuilt is None else sealing.hash_of(rebuilt)
        votes = [sealed.hash, hashed, in_tile, of_rows]
        true_hash = max((vote for vote in votes if vote is not None), key=votes.count)
        if true_hash == hashed:
            return true_hash, text
        return true_hash, rebuilt if true_hash == of_rows else None

    def _wrong(self, sealed: SealedLeaf, hashed: bytes, in_tile: bytes | None) -> Finding | None:
        """Return one finding for whatever disagrees here: row, record, leaf or tile."""
        record, rebuilt, code = sealed.record, sealed.rebuilt, "record_changed"
        if rebuilt != record.text:
            if hashed == sealed.hash or rebuilt is None or sealing.hash_of(rebuilt) != sealed.hash:
                return contradiction(sealed.number, record, rebuilt)
            sentence = "the text of the record was changed."
        elif hashed != sealed.hash and in_tile == sealed.hash:
            sentence = "row and record were changed after they were sealed."
        elif hashed != sealed.hash:
            code, sentence = "leaf_changed", "the leaf is not the hash of its record."
        elif in_tile is not None and in_tile != hashed:
            sentence = "row, record and leaf were changed after they were sealed."
        elif sealed.leaf_recorded_at != record.recorded_at:
            code, sentence = "leaf_changed", "the leaf's time differs from its record's."
        elif record.site_id != self.log.site_id:
            sentence = "the record was given to another house."
        else:
            return None
        return Finding(code, sentence, sealed.number, str(record))

    # -- checkpoints -----------------------------------------------------------------------------------------

    def _checkpoints_here(self) -> Iterator[Finding]:
        stored = None
        while self.due is not None and self.due.size <= self.next:
            stored = self.due
            yield from self._checkpoint(stored)
            self.due = next(self.signed, None)
        checkpoint = self.kept.at(self.next)
        if checkpoint is not None:
            self.checked[KEPT] = self.checked.get(KEPT, 0) + 1
            if stored is None or stored.note != checkpoint.note:
                yield from self._only_kept(checkpoint, stored)

    def _checkpoint(self, stored: Checkpoint) -> Iterator[Finding]:
        self.checked["checkpoints"] += 1
        name = f"checkpoint {stored.size}"
        before, self.before = self.before, stored.size
        data = stored.note.encode()
        try:
            tree, keys_that_signed = self._signed_by(data)
            # The key that is due has signed, or one recorded since.
            new = [key for leaf, key, _ in self.recorded if leaf is not None and before <= leaf < tree.size]
            if not {keys.due(self.recorded, before), *new}.intersection(keys_that_signed):
                raise BadSignature("It is signed by a key that was not the log's at that time.")
        except NOT_BELIEVED as error:
            yield Finding("bad_checkpoint", f"{error.message} ({error.code})", None, name)
            return
        if keys.due(self.recorded, before) not in keys_that_signed and not self.vouched:
            sentence = (
                "The key before did not sign over the record of the one that signed this: it was lost, or"
                " somebody has"
            )
            yield Finding("key_not_signed", f"{sentence} written themselves a key.", None, name)
        self.covered = max(self.covered, tree.size)
        told = (stored.key_fingerprint, int(stored.signed_at.timestamp()))
        if told not in [(key.fingerprint, log_keys.signed_at(data, key)) for key in keys_that_signed]:
            yield Finding("bad_checkpoint", "its key or time is not what was signed.", None, name)
        yield from self._time_of(data, keys_that_signed, name)
        if tree.follows != before:
            other = f"after the one of {tree.follows} leaves, but the one before it is of {before}."
            yield Finding("series_broken", f"it was signed {other}", None, name)
        if tree.size != stored.size:
            yield Finding("bad_checkpoint", f"it was signed for {tree.size} leaves.", None, name)
        elif self.whole and tree.root != self.tree.root():
            self.whole = False
            if self.named:  # a change reported before explains the different root
                return
            yield self._other_tree(stored.size, name)
        elif self.whole:
            self.good, self.named = stored.size, False

    def _time_of(self, data: bytes, signers: Sequence[LogKey], name: str) -> Iterator[Finding]:
        at, before = log_keys.last_signed_at(data, signers), self.signed_at
        self.signed_at = at or before
        if log_keys.wrong_time(at, before=before, now=self.now):
            ahead = clock.known_ahead_until(self.log.site)
            if wrong := log_keys.wrong_time(at, before=before, now=self.now, ahead_until=ahead):
                yield Finding("wrong_time", wrong, None, name)
                self.now = None  # Of many in the future, only the first is reported.

    def _signed_by(self, data: bytes) -> tuple[TreeHead, tuple[LogKey, ...]]:
        """Return a checkpoint and its signers. Raises BadSignature, BadNote, BadCheckpoint,
        BadVerifierKey."""
        return log_keys.signed_by(data, origin=self.log.origin, known=self.known, arithmetic=keys.ARITHMETIC)

    def _is_signed_by(self, given: Iterable[LogKey]) -> bool:
        newest = sealing.latest(self.log)
        try:
            _, signers = self._signed_by(newest.note.encode() if newest else b"")
        except NOT_BELIEVED:
            return False
        return any(key in signers for key in given)

    def _only_kept(self, checkpoint: KeptCheckpoint, stored: Checkpoint | None) -> Iterator[Finding]:
        if not self.kept.is_signed(checkpoint):
            return
        if stored is None:
            self.missing = [*self.missing[:1], checkpoint.tree.size]
        if self.whole and checkpoint.tree.root != self.tree.root():
            self.whole = False
            if not self.named:
                yield self._other_tree(checkpoint.tree.size, checkpoint.place)

    def _not_signed(self, young: Moments) -> Iterator[Finding]:
        bare = Leaf.objects.filter(log=self.log, number__gte=self.covered)
        if bare.exclude(record__recorded_at__range=young).exists():
            some = (
                f"The leaves {self.covered} to {self.next - 1} lie under no checkpoint that the log's key"
                " has signed."
            )
            yield Finding("not_signed", some, self.covered)

    def _not_kept(self, young: Moments) -> Iterator[Finding]:
        if self.asked.folder is None:
            return
        self.kept.at(self.next + 1)
        bare = Checkpoint.objects.filter(log=self.log, size__gt=self.kept.newest)
        if (count := bare.exclude(signed_at__range=young).count()) > 0:
            some = "The newest checkpoint was" if count == 1 else f"The newest {count} checkpoints were"
            yield Finding("not_kept", f"{some} not written to the folder outside the books.")

    def _other_tree(self, size: int, name: str) -> Finding:
        changed = f"something among the leaves {self.good} to {size - 1} was changed, added or removed."
        return Finding("other_tree", f"The signed tree is a different one: {changed}", None, name)

    def _cut(self, size: int, name: str) -> Finding:
        sentence = f"It was signed over {size} leaves, but the log has {self.next}: its end is missing."
        return Finding("log_cut", sentence, None, name)

    def _outside_first(self) -> Iterator[Finding]:
        self.outside = None
        if self.asked.checkpoint is None:
            return
        try:
            self.outside, _ = self._signed_by(self.asked.checkpoint)
        except NOT_BELIEVED as error:
            wrong = f"{error.message} ({error.code})"
            yield Finding("bad_checkpoint", wrong, None, "the checkpoint from outside")
        if self.outside is not None and self.outside.size <= self.first:
            self.root_there = root(self.outside.size, sealing.reader(self.log))

    def _outside_last(self) -> Iterator[Finding]:
        outside, name = self.outside, "the checkpoint from outside"
        if outside is None:
            return
        if outside.size > self.next:
            sentence = f"It covers {outside.size} leaves, but the log has {self.next}: its end is missing."
            yield Finding("log_cut", sentence, None, name)
        elif self.whole and outside.size and self.root_there not in (None, outside.root):
            yield Finding("other_tree", "The log does not continue its tree.", None, name)
        else:
            self.checked["checkpoints from outside"] = 1


class _Tiles:
    def __init__(self, log: AuditLog, first: int) -> None:
        self.log = log
        self._level0: tuple[int, tuple[bytes, bytes] | None] = (-1, None)
        self.named: set[tuple[int, int]] = set()

    def hash_at(self, number: int) -> bytes | None:
        """Return this leaf's hash in the tile above; None if that is not full yet."""
        index, place = divmod(number, WIDTH)
        if self._level0[0] != index:
            self._level0 = (index, self._read(TileAddress(0, index)))
        stored = self._level0[1]
        hashed = None if stored is None else stored[0][32 * place : 32 * place + 32]
        return hashed if hashed and len(hashed) == 32 else None

    def compare(self, tile: TileAddress, data: bytes) -> list[Finding]:
        index, read = self._level0
        stored = read if (tile.level, tile.index) == (0, index) else self._read(tile)
        name = f"tile {tile.level}/{tile.index}"
        if stored is None:
            return [Finding("tile_missing", "the tile is missing.", None, name)]
        if stored != (data, tile_root(data)):
            return [Finding("tile_changed", "the tile does not match the leaves below it.", None, name)]
        return []

    def _read(self, tile: TileAddress) -> tuple[bytes, bytes] | None:
        tiles = Tile.objects.filter(log=self.log, level=tile.level, index=tile.index)
        stored = tiles.values_list("hashes", "root").first()
        return None if stored is None else (bytes(stored[0]), bytes(stored[1]))

    def left(self, size: int) -> Iterator[Finding]:
        tiles = Tile.objects.filter(log=self.log).order_by("level", "index")
        for level, index in tiles.values_list("level", "index"):
            if level < 0 or index < 0 or (index + 1) * WIDTH ** (level + 1) > size:
                yield Finding("tile_put_in", "its leaves do not exist.", None, f"tile {level}/{index}")


def contradiction(number: int | None, record: StoredRecord, rebuilt: str | None) -> Finding | None:
    """Return what differs between a record and its row; None if only a related row was changed."""
    if rebuilt is None:
        return Finding("row_missing", "its row is missing.", number, str(record))
    try:
        recorded, actual = json.loads(record.text)[1], json.loads(rebuilt)[1]
        differ = [key for key in sorted({*recorded, *actual}) if recorded.get(key) != actual.get(key)]
    except (ValueError, IndexError, TypeError, KeyError, AttributeError):
        return Finding("row_changed", "the record cannot be read.", number, str(record))
    borrowed = records.borrowed(record.kind)
    if all(key in borrowed and _same_row(recorded.get(key), actual.get(key)) for key in differ):
        return None
    if differ == ["transfers"] and (account := _other_account(recorded["transfers"], actual["transfers"])):
        return Finding("account_changed", "its kind was changed.", None, f"account {account}")
    words = "; ".join(
        f"{key} was {_short(recorded.get(key))}, is {_short(actual.get(key))}" for key in differ[:3]
    )
    return Finding("row_changed", f"row and record differ: {words}.", number, str(record))


def _same_row(recorded: Any, actual: Any) -> bool:
    described = isinstance(recorded, dict) and isinstance(actual, dict)
    return not described or recorded.get("id") == actual.get("id")


def _other_account(recorded: Any, actual: Any) -> int | None:
    """Return the account whose kind is the only difference between these transfers, or None."""
    if len(recorded) != len(actual):
        return None
    for one, other in zip(recorded, actual, strict=True):
        for end in ("from", "to"):
            if {**one, f"{end}_kind": ""} == {**other, f"{end}_kind": ""} and one != other:
                return int(one[end])
    return None


def _short(value: Any) -> str:
    text = canonical.escaped(json.dumps(value, ensure_ascii=False))
    return text if len(text) <= 60 else text[:57] + "..."
