"""The sealed records of a log as JSON lines: the exact text of each, its leaf, and the way to the root of the
tree that is signed. Reads only."""

import json
from collections.abc import Callable, Generator

from ledger.models import AuditLog, AuditRecord, Leaf
from ledger.proof.log import proofs

AT_ONCE = 500


def sealed_lines(
    log: AuditLog, begin: int, end: int, size: int, *, proof: bool, is_blind: Callable[[AuditRecord], bool]
) -> Generator[bytes, None, None]:
    """Yield a line for each leaf from `begin` up to `end`; with `proof`, with the hashes from it up to the
    root of the tree of `size` leaves. A record that `is_blind` has no text yet."""
    inclusion = proofs.inclusions(log, size) if proof else None
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
            if inclusion is not None:
                said["proof"] = [one.hex() for one in inclusion(leaf.number)]
            yield json.dumps(said, ensure_ascii=False).encode() + b"\n"
