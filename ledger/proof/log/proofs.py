"""Prove one record: its exact bytes, its index in the tree, the hashes up to the root, and the root's
signature. The format is C2SP tlog-proof: index, hashes, a blank line, the checkpoint. The `extra` line is
the record itself. Reads only."""

import base64
import json
from collections.abc import Callable, Generator

from ledger.errors import NotSealed, UnknownRecord
from ledger.journal.records import ENTRY
from ledger.models import AuditLog, AuditRecord, Leaf
from ledger.proof.audit.tree import merkle, tiles
from ledger.proof.log.sealing import latest, reader


def proof_of(log: AuditLog, name: str) -> str:
    """Return the proof of a record: `512` (an entry) or `charge:12`. Raises UnknownRecord, NotSealed."""
    kind, _, number = name.rpartition(":")
    if not number.isdecimal():
        raise UnknownRecord(f"{name} does not name a record: write the number of an entry, or KIND:NUMBER.")
    record = AuditRecord.objects.filter(site=log.site_id, kind=kind or ENTRY, subject=int(number)).first()
    if record is None:
        raise UnknownRecord(f"There is no record of {kind or ENTRY} {number}.")
    leaf = Leaf.objects.filter(record=record).first()
    signed = latest(log)
    if leaf is None or signed is None or leaf.number >= signed.size:
        raise NotSealed(f"{record} has not been sealed yet. Try again in a moment.")
    hashes = inclusion(log, leaf.number, signed.size)
    lines = ["c2sp.org/tlog-proof@v1", f"extra {_base64(record.text.encode())}", f"index {leaf.number}"]
    return "\n".join([*lines, *map(_base64, hashes), "", signed.note])


def leaf_of(kind: str, subject: int) -> int | None:
    found = Leaf.objects.filter(record__kind=kind, record__subject=subject)
    return found.values_list("number", flat=True).first()


def inclusion(log: AuditLog, number: int, size: int) -> list[bytes]:
    """Return the hashes from a leaf up to the root of the tree of `size` leaves."""
    return inclusions(log, size)(number)


def inclusions(log: AuditLog, size: int) -> Callable[[int], list[bytes]]:
    """Return `inclusion` for the leaves of one tree, reading each tile only once."""
    subtrees = tiles.subtrees(size, reader(log))
    return lambda number: merkle.inclusion_proof(number, size, subtrees)


def consistency(log: AuditLog, old: int, new: int) -> list[bytes]:
    """Return the hashes that prove that the tree of `new` leaves begins with the tree of `old` leaves."""
    return merkle.consistency_proof(old, new, tiles.subtrees(new, reader(log)))


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


AT_ONCE = 500


def sealed_lines(
    log: AuditLog, begin: int, end: int, size: int, *, proof: bool, is_blind: Callable[[AuditRecord], bool]
) -> Generator[bytes, None, None]:
    """Yield a line for each leaf from `begin` up to `end`; with `proof`, with the hashes from it up to the
    root of the tree of `size` leaves. A record that `is_blind` has no text yet."""
    proven = inclusions(log, size) if proof else None
    for start in range(begin, end, AT_ONCE):
        leaves = Leaf.objects.filter(log=log, number__gte=start, number__lt=min(start + AT_ONCE, end))
        for leaf in leaves.select_related("record").order_by("number"):
            said = {
                "leaf": leaf.number,
                "kind": leaf.record.kind,
                "id": leaf.record.subject,
                "hash": bytes(leaf.hash).hex(),
                "record": None if is_blind(leaf.record) else leaf.record.text,
            }
            if proven is not None:
                said["proof"] = [one.hex() for one in proven(leaf.number)]
            yield json.dumps(said, ensure_ascii=False).encode() + b"\n"
