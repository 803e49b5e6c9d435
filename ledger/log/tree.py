"""Read the sealed tree back from its tiles and leaves, and compare it with the records."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ledger.audit.errors import BadCheckpoint, BadNote, BadSignature, BadVerifierKey
from ledger.audit.findings import Finding
from ledger.audit.tree import canonical, checkpoints
from ledger.audit.tree.note import VerifierKey
from ledger.audit.tree.tiles import TileAddress, TiledTree, tile_root
from ledger.journal import records
from ledger.journal.records import StoredRecord
from ledger.log import sealing
from ledger.models import AuditLog, Checkpoint, Leaf, Tile

AT_ONCE = 500  # leaves in memory


@dataclass
class Outside:
    """What somebody keeps outside the house to check the log with: a checkpoint and a key's fingerprint."""

    checkpoint: bytes | None = None
    fingerprint: str = ""


class SealedLeaf(NamedTuple):
    """One leaf as stored, with its record and the text that the rows give for it."""

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
        known: Sequence[VerifierKey],
        first: int,
        outside: Outside,
        checked: dict[str, int],
    ) -> None:
        self.log, self.known, self.first, self.asked, self.checked = log, known, first, outside, checked
        self.tree = TiledTree(first, sealing.reader(log) if first else None)
        self.next = first
        self.whole = True  # no leaf is missing so far, so roots can be compared
        self.tiles = _Tiles(log, first)
        self.signed = iter(
            Checkpoint.objects.filter(log=log, size__gte=first).order_by("size").iterator(AT_ONCE)
        )
        self.due: Checkpoint | None = None
        self.good = first
        self.named = False  # whether anything was reported since the last valid checkpoint
        self.roots: dict[int, bytes] = {}

    def begin(self) -> Iterator[Finding]:
        """Yield what can be found before the first leaf: about the key, and about the checkpoint from outside itself."""
        self.checked |= {"leaves": 0, "checkpoints": 0, "tiles": 0}
        pinned = self.asked.fingerprint.lower().replace(" ", "")
        if pinned and not any(key.fingerprint.startswith(pinned) for key in self.known):
            yield Finding("other_key", "The log has no key with the given fingerprint.")
        self.due = next(self.signed, None)
        yield from self._outside_first()
        while self.due is not None and self.due.size <= self.first:
            yield from self._checkpoint(self.due)
            self.due = next(self.signed, None)

    def take(self, sealed: SealedLeaf) -> tuple[str | None, list[Finding]]:
        """Return the text that was sealed here, if still known, and what is wrong with this leaf."""
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
        for tile, data in self.tree.extend((true_hash,)):
            if self.whole:
                findings += self.tiles.compare(tile, data)
                self.checked["tiles"] += 1
        while self.due is not None and self.due.size == self.next:
            findings += self._checkpoint(self.due)
            self.due = next(self.signed, None)
        self._remember()
        return text, findings

    def finish(self) -> Iterator[Finding]:
        """Yield the rest: checkpoints over more leaves than the log has, and the checkpoint from outside."""
        while self.due is not None:
            yield Finding(
                "log_cut",
                f"It was signed over {self.due.size} leaves, but the log has {self.next}: its end is missing.",
                None,
                f"checkpoint {self.due.size}",
            )
            self.due = None
        yield from self._outside_last()
        yield from self.tiles.left(self.next)

    # -- one leaf ---------------------------------------------------------------------------------------------

    def _gap(self, number: int) -> Iterator[Finding]:
        """Yield the leaves missing before this one. A stored tile still has their hashes."""
        for missing in range(self.next, number):
            if Leaf.objects.filter(log=self.log, number=missing).exists():
                yield Finding("record_missing", "the record of this leaf is missing.", missing)
            else:
                yield Finding("leaf_missing", "the leaf is missing.", missing)
            self.named = True
            in_tile = self.tiles.hash_at(missing)
            self.whole = self.whole and in_tile is not None
            for _ in self.tree.extend([in_tile or bytes(32)]):
                pass
            self.next = missing + 1
            while self.due is not None and self.due.size == self.next:
                if self.whole:
                    yield from self._checkpoint(self.due)
                self.due = next(self.signed, None)

    def _most_likely(
        self, sealed: SealedLeaf, hashed: bytes, in_tile: bytes | None
    ) -> tuple[bytes, str | None]:
        """Return the hash most likely sealed here (by majority), and its text, or None if that is lost."""
        text, rebuilt = sealed.record.text, sealed.rebuilt
        of_rows = None if rebuilt is None else sealing.hash_of(rebuilt)
        votes = [sealed.hash, hashed, in_tile, of_rows]
        true_hash = max((vote for vote in votes if vote is not None), key=votes.count)
        if true_hash == hashed:
            return true_hash, text
        return true_hash, rebuilt if true_hash == of_rows else None

    def _wrong(self, sealed: SealedLeaf, hashed: bytes, in_tile: bytes | None) -> Finding | None:
        """Return one finding for whatever disagrees here: row, record, leaf or tile."""
        record, number = sealed.record, sealed.number
        if sealed.rebuilt != record.text:
            if hashed == sealed.hash or sealed.rebuilt is None:
                return contradiction(number, record, sealed.rebuilt)
            if sealing.hash_of(sealed.rebuilt) == sealed.hash:
                return Finding("record_changed", "the text of the record was changed.", number, str(record))
            return contradiction(number, record, sealed.rebuilt)
        if hashed != sealed.hash:
            if in_tile is not None and in_tile == sealed.hash:
                return Finding(
                    "record_changed",
                    "row and record were changed after they were sealed.",
                    number,
                    str(record),
                )
            return Finding("leaf_changed", "the leaf is not the hash of its record.", number, str(record))
        if in_tile is not None and in_tile != hashed:
            return Finding(
                "record_changed",
                "row, record and leaf were changed after they were sealed.",
                number,
                str(record),
            )
        if sealed.leaf_recorded_at != record.recorded_at:
            return Finding("leaf_changed", "the leaf's time differs from its record's.", number, str(record))
        return None

    # -- checkpoints ------------------------------------------------------------------------------------------

    def _checkpoint(self, stored: Checkpoint) -> Iterator[Finding]:
        self.checked["checkpoints"] += 1
        name = f"checkpoint {stored.size}"
        try:
            tree = checkpoints.opened(stored.note.encode(), origin=self.log.origin, known=self.known)
        except (BadSignature, BadNote, BadCheckpoint, BadVerifierKey) as error:
            yield Finding("bad_checkpoint", f"{error.message} ({error.code})", None, name)
            return
        if tree.size != stored.size:
            yield Finding("bad_checkpoint", f"it was signed for {tree.size} leaves.", None, name)
        elif self.whole and tree.root != self.tree.root():
            self.whole = False
            if self.named:  # a change reported before explains the different root
                return
            yield Finding(
                "other_tree",
                f"The signed tree is a different one: something among the leaves {self.good} to {stored.size - 1}"
                " was changed, added or removed.",
                None,
                name,
            )
        elif self.whole:
            self.good, self.named = stored.size, False

    def _outside_first(self) -> Iterator[Finding]:
        """Read the checkpoint from outside; an invalid one is reported and not compared."""
        self.outside = None
        if self.asked.checkpoint is None:
            return
        try:
            self.outside = checkpoints.opened(self.asked.checkpoint, origin=self.log.origin, known=self.known)
        except (BadSignature, BadNote, BadCheckpoint, BadVerifierKey) as error:
            yield Finding(
                "bad_checkpoint", f"{error.message} ({error.code})", None, "the checkpoint from outside"
            )

    def _remember(self) -> None:
        if self.outside is not None and self.outside.size == self.next:
            self.roots[self.next] = self.tree.root()

    def _outside_last(self) -> Iterator[Finding]:
        outside, name = self.outside, "the checkpoint from outside"
        if outside is None:
            return
        if outside.size > self.next:
            sentence = f"It covers {outside.size} leaves, but the log has {self.next}: its end is missing."
            yield Finding("log_cut", sentence, None, name)
        elif outside.size < self.first:
            yield Finding("not_compared", "It is older than the start of this verification.", None, name)
        elif self.whole and outside.size and self.roots.get(outside.size, outside.root) != outside.root:
            yield Finding("other_tree", "The log does not continue its tree.", None, name)
        else:
            self.checked["checkpoints from outside"] = 1


class _Tiles:
    """The stored tiles, read in step with the leaves."""

    def __init__(self, log: AuditLog, first: int) -> None:
        self.log = log
        self._level0: tuple[int, bytes | None] = (-1, None)
        self.named: set[tuple[int, int]] = set()

    def hash_at(self, number: int) -> bytes | None:
        """Return the hash that the tile above has for this leaf; None if it has not been filled."""
        index, place = divmod(number, 256)
        if self._level0[0] != index:
            tiles = Tile.objects.filter(log=self.log, level=0, index=index)
            hashes = tiles.values_list("hashes", flat=True).first()
            self._level0 = (index, None if hashes is None else bytes(hashes))
        data = self._level0[1]
        hashed = None if data is None else data[32 * place : 32 * place + 32]
        return hashed if hashed and len(hashed) == 32 else None

    def compare(self, tile: TileAddress, data: bytes) -> list[Finding]:
        """Return what is wrong with a tile that should be full."""
        stored = Tile.objects.filter(log=self.log, level=tile.level, index=tile.index).first()
        name = f"tile {tile.level}/{tile.index}"
        if stored is None:
            return [Finding("tile_missing", "the tile is missing.", None, name)]
        if bytes(stored.hashes) != data or bytes(stored.root) != tile_root(data):
            return [Finding("tile_changed", "the tile does not match the leaves below it.", None, name)]
        return []

    def left(self, size: int) -> Iterator[Finding]:
        """Yield tiles over leaves that do not exist."""
        for level, index in (
            Tile.objects.filter(log=self.log).order_by("level", "index").values_list("level", "index")
        ):
            if (index + 1) * 256 ** (level + 1) > size:
                yield Finding("tile_put_in", "its leaves do not exist.", None, f"tile {level}/{index}")


def body_of(text: str) -> dict[str, Any] | None:
    """Return the body of a record, or None if its text has none."""
    try:
        body = json.loads(text)[1]
    except (ValueError, IndexError, TypeError, KeyError):
        return None
    return body if isinstance(body, dict) else None


def contradiction(number: int | None, record: StoredRecord, rebuilt: str | None) -> Finding | None:
    """Return the finding for a record that differs from its row, naming what differs; None if a related row is to blame."""
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
    """Whether two descriptions of a related row have the same id, if they have one."""
    return not (isinstance(recorded, dict) and isinstance(actual, dict)) or recorded.get("id") == actual.get(
        "id"
    )


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
