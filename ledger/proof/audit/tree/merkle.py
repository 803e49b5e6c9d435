"""The Merkle tree of RFC 9162, section 2.1: hashes, the growing tree, proofs and how they are checked. Pure.

A tree of `size` leaves has the root MTH(D[0:size]). A proof is a list of 32-byte hashes in the order of the
RFC. Making proofs needs `subtree(begin, end)`, the root over the leaves from `begin` up to, not including,
`end`: from leaf hashes in memory or from tiles (`tiles.py`). Checking them needs only the hashes."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256

from ledger.proof.audit.errors import BadProof

HASH_BYTES = 32
EMPTY_ROOT = sha256(b"").digest()
Subtree = Callable[[int, int], bytes]


def leaf_hash(record: bytes) -> bytes:
    """Return the hash of a record as a leaf. No inner node has such a hash, since prefixes differ."""
    return sha256(b"\x00" + record).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    return sha256(b"\x01" + left + right).digest()


class Frontier:
    """A growing tree that remembers only its peaks: the roots of the complete subtrees it consists of. There
    is one peak for each 1 in the binary form of `size`, largest first: 20 hashes at most for a million
    leaves. It can continue from the size and peaks of an earlier one; ValueError if they do not fit together.
    """

    def __init__(self, size: int = 0, peaks: Sequence[bytes] = ()) -> None:
        if size < 0 or len(peaks) != size.bit_count() or any(len(peak) != HASH_BYTES for peak in peaks):
            raise ValueError(f"{len(peaks)} peaks are no tree of {size} leaves")
        self.size = size
        self._peaks = list(peaks)

    @property
    def peaks(self) -> tuple[bytes, ...]:
        """The roots of the complete subtrees, largest first."""
        return tuple(self._peaks)

    def extend(self, leaves: Iterable[bytes]) -> None:
        size, peaks, digest = self.size, self._peaks, sha256
        for leaf in leaves:
            if len(leaf) != HASH_BYTES:
                raise ValueError(f"a leaf hash has 32 bytes, not {len(leaf)}")
            peak, carry = leaf, size
            while carry & 1:  # two complete subtrees of one height become one, as a carry in binary
                peak = digest(b"\x01" + peaks.pop() + peak).digest()
                carry >>= 1
            peaks.append(peak)
            size += 1
            self.size = size

    def root(self) -> bytes:
        return joined(self._peaks)


def joined(peaks: Iterable[bytes]) -> bytes:
    """Return the root over adjacent complete subtrees, largest first, as RFC 9162 splits a tree."""
    root = b""
    for peak in reversed(list(peaks)):
        root = node_hash(peak, root) if root else peak
    return root or EMPTY_ROOT


def root_of(leaves: Iterable[bytes]) -> bytes:
    frontier = Frontier()
    frontier.extend(leaves)
    return frontier.root()


def inclusion_proof(index: int, size: int, subtree: Subtree) -> list[bytes]:
    """Return PATH(index, D[0:size]), the proof of leaf `index` (from 0). Raises BadProof."""
    return [subtree(begin, end) for begin, end in inclusion_spans(index, size)]


def consistency_proof(old: int, new: int, subtree: Subtree) -> list[bytes]:
    """Return the proof that the tree of `new` leaves begins with the tree of `old` leaves: PROOF(old,
    D[0:new]). Empty for equal sizes, and for an empty old tree, which every tree begins with. Raises BadProof
    if old > new."""
    return [subtree(begin, end) for begin, end in consistency_spans(old, new)]


def inclusion_spans(index: int, size: int) -> list[tuple[int, int]]:
    """Return the leaves (begin, end) under each hash of an inclusion proof. Raises BadProof."""
    if not 0 <= index < size:
        raise BadProof(f"A tree of {size} leaves has no leaf {index}.")
    return [other for _, other in _way_down(index, size)][::-1]


def consistency_spans(old: int, new: int) -> list[tuple[int, int]]:
    """Return the leaves (begin, end) under each hash of a consistency proof. Raises BadProof."""
    if not 0 <= old <= new:
        raise BadProof(f"A tree of {new} leaves does not begin with one of {old}.")
    spans, own = [], (0, new)
    for half, other in _way_down(old - 1, new) if old else ():
        if own[1] == old:
            break
        spans.append(other)
        own = half
    if old and own[0]:  # the rest is the end of the old tree; if it is all of it, its root is known
        spans.append(own)
    return spans[::-1]


def _way_down(leaf: int, size: int) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Yield for each step from the root to a leaf the half with the leaf, and the other half."""
    begin, end = 0, size
    while end - begin > 1:
        middle = _middle(begin, end)
        left, right = (begin, middle), (middle, end)
        half, other = (left, right) if leaf < middle else (right, left)
        yield half, other
        begin, end = half


def verify_inclusion(*, leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> None:
    """Raise BadProof unless `proof` shows that this hash is leaf `index` (from 0) of this tree."""
    _check_hashes([leaf, root, *proof])
    if not 0 <= index < size:
        raise BadProof(f"A tree of {size} leaves has no leaf {index}.")
    steps = list(_steps(index, size - 1))
    if len(steps) != len(proof):
        raise BadProof(f"The proof has {len(proof)} hashes where {len(steps)} are needed.")
    reached = leaf
    for sibling_is_left, sibling in zip(steps, proof, strict=True):
        reached = node_hash(sibling, reached) if sibling_is_left else node_hash(reached, sibling)
    if reached != root:
        raise BadProof(f"The proof does not lead from leaf {index} to the root of {size} leaves.")


def verify_consistency(
    *, old_size: int, old_root: bytes, new_size: int, new_root: bytes, proof: Sequence[bytes]
) -> None:
    """Raise BadProof unless `proof` shows that the new tree begins with all leaves of the old one, in order.
    Every tree begins with the empty one: for old size 0 the old root must be EMPTY_ROOT and the proof empty,
    and the new root is not checked."""
    _check_hashes([old_root, new_root, *proof])
    if not 0 <= old_size <= new_size:
        raise BadProof(f"A tree of {new_size} leaves does not begin with one of {old_size}.")
    if old_size == 0 or old_size == new_size:
        if old_root != (EMPTY_ROOT if old_size == 0 else new_root):
            raise BadProof(f"There are two roots for one tree of {old_size} leaves.")
        if proof:
            raise BadProof(f"The proof has {len(proof)} hashes where none is needed.")
        return
    # Start at the root of the last complete subtree of the old tree: both trees have it.
    shift = (old_size & -old_size).bit_length() - 1
    start = [old_root] if old_size == 1 << shift else []
    hashes = [*start, *proof]
    steps = list(_steps((old_size - 1) >> shift, (new_size - 1) >> shift))
    if len(hashes) != len(steps) + 1:
        raise BadProof(f"The proof has {len(proof)} hashes where {len(steps) + 1 - len(start)} are needed.")
    old_reached = new_reached = hashes[0]
    for sibling_is_left, sibling in zip(steps, hashes[1:], strict=True):
        if sibling_is_left:
            old_reached = node_hash(sibling, old_reached)
            new_reached = node_hash(sibling, new_reached)
        else:
            new_reached = node_hash(new_reached, sibling)
    if old_reached != old_root:
        raise BadProof(f"The proof does not lead to the old root of {old_size} leaves.")
    if new_reached != new_root:
        raise BadProof(f"The proof does not lead to the new root of {new_size} leaves.")


class Slice:
    """A tree of `size` leaves of which only those from `begin` on are known, one after the other. The
    inclusion proof of the first leaf gives the subtrees to its left, that of the last leaf those to its
    right. If the root over all of them is the known one, every leaf is proven at its place. It uses the
    memory of one proof. Raises BadProof for a proof of another length."""

    def __init__(self, begin: int, size: int, proof_of_first: Sequence[bytes]) -> None:
        self._tree_size = size
        known = _by_span(begin, size, proof_of_first)
        self._grown = Frontier(begin, [known[span] for span in sorted(known) if span[1] <= begin])

    @property
    def size(self) -> int:
        return self._grown.size

    def extend(self, leaves: Iterable[bytes]) -> None:
        self._grown.extend(leaves)

    def root_here(self) -> bytes:
        return self._grown.root()

    def root(self, proof_of_last: Sequence[bytes]) -> bytes:
        """Return the root of the whole tree, once the last leaf was taken. Raises BadProof."""
        end = self._grown.size
        known = _by_span(end - 1, self._tree_size, proof_of_last)
        nodes = {span: hashed for span, hashed in known.items() if span[0] >= end}
        begin = 0
        for peak, height in zip(self._grown.peaks, _heights(end), strict=True):
            nodes[begin, begin + (1 << height)] = peak
            begin += 1 << height
        return _folded(0, self._tree_size, nodes)


def _by_span(index: int, size: int, proof: Sequence[bytes]) -> dict[tuple[int, int], bytes]:
    """Return the hashes of an inclusion proof by their leaves (begin, end)."""
    _check_hashes(proof)
    spans = inclusion_spans(index, size)
    if len(spans) != len(proof):
        raise BadProof(f"The proof has {len(proof)} hashes where {len(spans)} are needed.")
    return dict(zip(spans, proof, strict=True))


def _heights(size: int) -> list[int]:
    """Return the heights of the complete subtrees of a tree of this size, largest first."""
    return [height for height in reversed(range(size.bit_length())) if size >> height & 1]


def _folded(begin: int, end: int, nodes: Mapping[tuple[int, int], bytes]) -> bytes:
    """Return the root over these leaves from nodes that cover them; recursion is as deep as a proof."""
    if (begin, end) in nodes:
        return nodes[begin, end]
    middle = _middle(begin, end)
    return node_hash(_folded(begin, middle, nodes), _folded(middle, end, nodes))


def _middle(begin: int, end: int) -> int:
    """Return where the RFC splits these leaves: after the largest power of two smaller than their number."""
    return begin + (1 << (end - begin - 1).bit_length() - 1)


def _steps(node: int, last: int) -> Iterator[bool]:
    """Yield on the way from a node to the root, for each hash needed, whether it is on the left. `last` is
    the last node beside it; levels without a sibling are skipped."""
    while last:
        if node & 1 or node < last:
            yield bool(node & 1)
        node >>= 1
        last >>= 1


def _check_hashes(hashes: Sequence[bytes]) -> None:
    if any(len(each) != HASH_BYTES for each in hashes):
        raise BadProof("A hash in a proof has 32 bytes.")
