"""The Merkle tree of RFC 9162, section 2.1: hashes, the growing tree, proofs and how they are checked. Pure.

A tree of `size` leaves has the root MTH(D[0:size]). A proof is a list of 32-byte hashes in the order of the RFC. Who makes
proofs supplies `subtree(begin, end)`, the root over the leaves from `begin` up to, not including, `end`: from leaf hashes
in memory or from tiles (`tiles.py`). Who checks them needs nothing but the hashes.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256

from ledger.audit.errors import BadProof

HASH_BYTES = 32
EMPTY_ROOT = sha256(b"").digest()
"""The root of a tree without leaves."""

Subtree = Callable[[int, int], bytes]


def leaf_hash(record: bytes) -> bytes:
    """The hash of one record's exact bytes as a leaf. Its prefix differs from a node's, so no node passes for a leaf."""
    return sha256(b"\x00" + record).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of two subtrees, 32 bytes each, as the node above them."""
    return sha256(b"\x01" + left + right).digest()


class Frontier:
    """A tree that grows by leaves and remembers only its peaks: the roots of the complete subtrees it consists of.

    There is one peak for each 1 in the binary form of `size`, largest first: 20 hashes at most for a million leaves.
    A frontier is continued from the size and the peaks of an earlier one; ValueError if they do not fit together.
    """

    def __init__(self, size: int = 0, peaks: Sequence[bytes] = ()) -> None:
        if size < 0 or len(peaks) != size.bit_count() or any(len(peak) != HASH_BYTES for peak in peaks):
            raise ValueError(f"{len(peaks)} peaks are no tree of {size} leaves")
        self.size = size  # the number of leaves
        self._peaks = list(peaks)

    @property
    def peaks(self) -> tuple[bytes, ...]:
        """The roots of the complete subtrees, largest first."""
        return tuple(self._peaks)

    def extend(self, leaves: Iterable[bytes]) -> None:
        """Grow by leaf hashes, in this order."""
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
        """The root of the tree as it stands."""
        return joined(self._peaks)


def joined(peaks: Iterable[bytes]) -> bytes:
    """The root over neighbouring complete subtrees, largest first, as RFC 9162 splits a tree."""
    root = b""
    for peak in reversed(list(peaks)):
        root = node_hash(peak, root) if root else peak
    return root or EMPTY_ROOT


def root_of(leaves: Iterable[bytes]) -> bytes:
    """The root over these leaf hashes, in constant memory."""
    frontier = Frontier()
    frontier.extend(leaves)
    return frontier.root()


def inclusion_proof(index: int, size: int, subtree: Subtree) -> list[bytes]:
    """The proof that leaf `index` (from 0) is in the tree of `size` leaves: PATH(index, D[0:size]).

    Raises BadProof for a leaf that the tree does not have.
    """
    return [subtree(begin, end) for begin, end in inclusion_spans(index, size)]


def consistency_proof(old: int, new: int, subtree: Subtree) -> list[bytes]:
    """The proof that the tree of `new` leaves begins with the tree of `old` leaves: PROOF(old, D[0:new]).

    Empty for equal sizes, and for an empty old tree, which every tree begins with. Raises BadProof if old > new.
    """
    return [subtree(begin, end) for begin, end in consistency_spans(old, new)]


def inclusion_spans(index: int, size: int) -> list[tuple[int, int]]:
    """The leaves, begin to end, under each hash of an inclusion proof, in its order. Raises BadProof as above."""
    if not 0 <= index < size:
        raise BadProof(f"A tree of {size} leaves has no leaf {index}.")
    return [other for _, other in _way_down(index, size)][::-1]


def consistency_spans(old: int, new: int) -> list[tuple[int, int]]:
    """The leaves, begin to end, under each hash of a consistency proof, in its order. Raises BadProof as above."""
    if not 0 <= old <= new:
        raise BadProof(f"A tree of {new} leaves does not begin with one of {old}.")
    spans, own = [], (0, new)
    for half, other in _way_down(old - 1, new) if old else ():
        if own[1] == old:
            break
        spans.append(other)
        own = half
    if old and own[0]:  # what is left is the end of the old tree; if it is all of it, its root is known
        spans.append(own)
    return spans[::-1]


def _way_down(leaf: int, size: int) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """The way from the root to a leaf: of each subtree on it, the half that has the leaf, and the other one."""
    begin, end = 0, size
    while end - begin > 1:
        middle = _middle(begin, end)
        left, right = (begin, middle), (middle, end)
        half, other = (left, right) if leaf < middle else (right, left)
        yield half, other
        begin, end = half


def verify_inclusion(*, leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> None:
    """Raise BadProof unless `proof` shows that this leaf hash is leaf `index` (from 0) of the tree of this size and root."""
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
    """Raise BadProof unless `proof` shows that the new tree begins with all leaves of the old one, in their order.

    Every tree begins with the empty one: for old size 0 the old root must be EMPTY_ROOT and the proof empty, and nothing
    is said about the new root.
    """
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
    """A tree of `size` leaves of which only the leaves from `begin` on are at hand, one after the other.

    The inclusion proof of the first leaf gives the subtrees to its left, that of the last leaf those to its right. If the
    root made of both and of every leaf between is the known one, all these leaves are proven, each at its own place. It
    holds as many hashes as a proof, however many leaves there are. Raises BadProof for a proof of another length.
    """

    def __init__(self, begin: int, size: int, proof_of_first: Sequence[bytes]) -> None:
        self._tree_size = size
        known = _by_span(begin, size, proof_of_first)
        self._grown = Frontier(begin, [known[span] for span in sorted(known) if span[1] <= begin])

    @property
    def size(self) -> int:
        """The number of leaves up to here: those before the slice, and those taken."""
        return self._grown.size

    def extend(self, leaves: Iterable[bytes]) -> None:
        """Take the next leaf hashes, in this order."""
        self._grown.extend(leaves)

    def root_here(self) -> bytes:
        """The root of the tree that had only the leaves up to here."""
        return self._grown.root()

    def root(self, proof_of_last: Sequence[bytes]) -> bytes:
        """The root of the whole tree, once the last leaf was taken. Raises BadProof."""
        end = self._grown.size
        known = _by_span(end - 1, self._tree_size, proof_of_last)
        nodes = {span: hashed for span, hashed in known.items() if span[0] >= end}
        begin = 0
        for peak, height in zip(self._grown.peaks, _heights(end), strict=True):
            nodes[begin, begin + (1 << height)] = peak
            begin += 1 << height
        return _folded(0, self._tree_size, nodes)


def _by_span(index: int, size: int, proof: Sequence[bytes]) -> dict[tuple[int, int], bytes]:
    """The hashes of an inclusion proof by the leaves that they are over."""
    _check_hashes(proof)
    spans = inclusion_spans(index, size)
    if len(spans) != len(proof):
        raise BadProof(f"The proof has {len(proof)} hashes where {len(spans)} are needed.")
    return dict(zip(spans, proof, strict=True))


def _heights(size: int) -> list[int]:
    """The heights of the complete subtrees of a tree of this size, largest first."""
    return [height for height in reversed(range(size.bit_length())) if size >> height & 1]


def _folded(begin: int, end: int, nodes: Mapping[tuple[int, int], bytes]) -> bytes:
    """The root over these leaves, made of nodes that cover all of them. No deeper than a proof is long."""
    if (begin, end) in nodes:
        return nodes[begin, end]
    middle = _middle(begin, end)
    return node_hash(_folded(begin, middle, nodes), _folded(middle, end, nodes))


def _middle(begin: int, end: int) -> int:
    """Where the RFC splits these leaves: after the largest power of two smaller than their number."""
    return begin + (1 << (end - begin - 1).bit_length() - 1)


def _steps(node: int, last: int) -> Iterator[bool]:
    """The way from a node up to the root, `last` being the last node beside it: for each hash needed, whether it stands
    to the left. Levels on which the node has no sibling are passed over."""
    while last:
        if node & 1 or node < last:
            yield bool(node & 1)
        node >>= 1
        last >>= 1


def _check_hashes(hashes: Sequence[bytes]) -> None:
    if any(len(each) != HASH_BYTES for each in hashes):
        raise BadProof("A hash in a proof has 32 bytes.")
