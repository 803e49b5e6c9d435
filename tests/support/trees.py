"""A tree in memory, and the tiles that a root, a proof or a growth needs, by the definitions."""

from collections.abc import Iterable, Iterator, Sequence

from ledger.proof.audit.tree.merkle import HASH_BYTES, Subtree, consistency_spans, inclusion_spans, root_of
from ledger.proof.audit.tree.tiles import WIDTH, TileAddress, TiledTree, _complete, _place


def in_memory(leaves: Sequence[bytes]) -> Subtree:
    return lambda begin, end: root_of(leaves[begin:end])


def tiles_for_root(size: int) -> list[TileAddress]:
    return _tiles_for([(0, size)], size)


def tiles_for_inclusion(index: int, size: int) -> list[TileAddress]:
    """BadProof for a leaf that the tree does not have."""
    return _tiles_for(inclusion_spans(index, size), size)


def tiles_for_consistency(old: int, new: int) -> list[TileAddress]:
    """BadProof if old > new."""
    return _tiles_for(consistency_spans(old, new), new)


def grown(old: int, new: int) -> Iterator[TileAddress]:
    """Yield the tiles that hold more in a tree of `new` leaves than in one of `old`, by level and index."""
    level = 0
    while new and old < new:
        for index in range(old // WIDTH, new // WIDTH):
            yield TileAddress(level, index)
        if new % WIDTH:
            yield TileAddress(level, new // WIDTH, new % WIDTH)
        old, new, level = old // WIDTH, new // WIDTH, level + 1


def partial(tree: TiledTree) -> list[tuple[TileAddress, bytes]]:
    """Return the partial tiles with their bytes, lowest level first."""
    return [
        (TileAddress(level, tree.size // WIDTH ** (level + 1), len(row) // HASH_BYTES), bytes(row))
        for level, row in enumerate(tree._rows)
        if row
    ]


def _tiles_for(spans: Iterable[tuple[int, int]], size: int) -> list[TileAddress]:
    nodes = (node for begin, end in spans for node in _complete(begin, end))
    return sorted({_place(height, index, size)[0] for height, index in nodes})
