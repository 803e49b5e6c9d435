"""The tree in tiles: the paths of C2SP tlog-tiles, and proofs, roots and growth from tiles alone."""

import pytest
from hypothesis import given, settings, strategies as st

from ledger.proof.audit.errors import BadProof, BadTile
from ledger.proof.audit.tree.merkle import (
    EMPTY_ROOT,
    Frontier,
    consistency_proof,
    inclusion_proof,
    leaf_hash,
    root_of,
    verify_consistency,
    verify_inclusion,
)
from ledger.proof.audit.tree.tiles import (
    TileAddress,
    TiledTree,
    root,
    subtrees,
)
from tests.support.lengths import tries
from tests.support.trees import (
    grown,
    in_memory,
    partial,
    tiles_for_consistency,
    tiles_for_inclusion,
    tiles_for_root,
)

SIZE = 70_000
LEAVES = [leaf_hash(b"record %d" % number) for number in range(SIZE)]
EDGES = [1, 2, 255, 256, 257, 511, 512, 513, 1000, 65_535, 65_536, 65_537, 65_792, SIZE]
"""Sizes around which a tile begins or fills."""


class Shelf:
    """The tiles of a log, the widest of each, and which were read."""

    def __init__(self):
        self.kept = {}
        self.asked = []

    def grow(self, old, leaves):
        """Grow the stored tree of `old` leaves, and return it with the tiles that changed."""
        tree = TiledTree(old, self.read)
        changed = set()
        for tile, data in [*tree.extend(leaves), *partial(tree)]:
            before = self.kept.get((tile.level, tile.index), b"")
            assert data.startswith(before)
            if data != before:
                changed.add(tile)
            self.kept[tile.level, tile.index] = data
        return tree, changed

    def read(self, level, index, width):
        self.asked.append(TileAddress(level, index, width))
        return self.kept[level, index][: 32 * width]


@pytest.fixture(scope="module")
def roots():
    found, tree = {}, Frontier()
    for size in EDGES:
        tree.extend(LEAVES[tree.size : size])
        found[size] = tree.root()
    return found


@pytest.fixture(scope="module")
def shelf():
    full = Shelf()
    full.grow(0, LEAVES)
    return full


# Paths


@pytest.mark.parametrize(
    ("tile", "path"),
    [
        (TileAddress(0, 1_234_067), "tile/0/x001/x234/067"),
        (TileAddress(0, 0), "tile/0/000"),
        (TileAddress(1, 0, 17), "tile/1/000.p/17"),
        (TileAddress(0, 273, 112), "tile/0/273.p/112"),
        (TileAddress(0, 999), "tile/0/999"),
        (TileAddress(0, 1000), "tile/0/x001/000"),
        (TileAddress(63, 5, 255), "tile/63/005.p/255"),
    ],
)
def test_a_tile_has_its_path(tile, path):
    assert tile.path == path


@pytest.mark.parametrize(("level", "index", "width"), [(0, 0, 0), (0, 0, 257), (64, 0, 1), (0, -1, 1)])
def test_no_tree_has_such_a_tile(level, index, width):
    with pytest.raises(BadTile):
        TileAddress(level, index, width)


# Growing


def test_seventy_thousand_leaves_have_the_tiles_that_the_specification_counts():
    tiles = list(grown(0, SIZE))
    assert tiles[:273] == [TileAddress(0, index) for index in range(273)]
    assert tiles[273:] == [
        TileAddress(0, 273, 112),
        TileAddress(1, 0),
        TileAddress(1, 1, 17),
        TileAddress(2, 0, 1),
    ]


def test_a_tree_of_256_leaves_has_a_full_tile_and_one_above_with_one_hash():
    assert list(grown(0, 256)) == [TileAddress(0, 0), TileAddress(1, 0, 1)]


@pytest.mark.parametrize(
    ("old", "new", "tiles"),
    [
        (0, 0, []),
        (5, 5, []),
        (256, 256, []),
        (5, 6, [TileAddress(0, 0, 6)]),
        (255, 256, [TileAddress(0, 0), TileAddress(1, 0, 1)]),
        (256, 257, [TileAddress(0, 1, 1)]),
        (300, 600, [TileAddress(0, 1), TileAddress(0, 2, 88), TileAddress(1, 0, 2)]),
        (65_535, 65_536, [TileAddress(0, 255), TileAddress(1, 0), TileAddress(2, 0, 1)]),
    ],
)
def test_growth_changes_these_tiles_and_no_others(old, new, tiles):
    assert list(grown(old, new)) == tiles


def test_every_hash_in_a_tile_is_the_root_over_its_own_leaves(shelf):
    for tile in grown(0, SIZE):
        span = 256**tile.level
        data = shelf.read(tile.level, tile.index, tile.width)
        first = 256 * tile.index
        expected = [root_of(LEAVES[at * span : (at + 1) * span]) for at in range(first, first + tile.width)]
        assert data == b"".join(expected)


def test_a_tree_grown_in_steps_out_of_its_tiles_is_the_tree_grown_at_once(shelf, roots):
    stepped, size = Shelf(), 0
    for step in EDGES:
        tree, changed = stepped.grow(size, LEAVES[size:step])
        assert changed == set(grown(size, step))
        assert (tree.size, tree.root()) == (step, roots[step])
        size = step
    assert stepped.kept == shelf.kept


def test_a_growing_tree_holds_one_unfinished_tile_a_level():
    tree = TiledTree()
    assert (tree.root(), partial(tree)) == (EMPTY_ROOT, [])
    full = [tile for tile, _ in tree.extend(LEAVES[:600])]
    assert full == [TileAddress(0, 0), TileAddress(0, 1)]
    assert [tile for tile, _ in partial(tree)] == [TileAddress(0, 2, 88), TileAddress(1, 0, 2)]


def test_a_tree_does_not_continue_without_its_tiles_nor_takes_records_for_hashes():
    with pytest.raises(ValueError):
        TiledTree(5)
    with pytest.raises(ValueError):
        list(TiledTree().extend([b"record"]))


# Roots and proofs out of tiles


@pytest.mark.parametrize("size", EDGES)
def test_the_root_comes_out_of_the_tiles(shelf, roots, size):
    assert root(size, shelf.read) == roots[size]


def test_the_empty_tree_has_its_root_and_no_tiles(shelf):
    assert (root(0, shelf.read), tiles_for_root(0)) == (EMPTY_ROOT, [])


@given(st.sampled_from(EDGES), st.data())
def test_every_leaf_is_proven_out_of_a_few_tiles(shelf, roots, size, data):
    index = data.draw(st.integers(0, size - 1))
    shelf.asked.clear()
    proof = inclusion_proof(index, size, subtrees(size, shelf.read))
    verify_inclusion(leaf=LEAVES[index], index=index, size=size, proof=proof, root=roots[size])
    assert sorted(shelf.asked) == tiles_for_inclusion(index, size)
    assert len(shelf.asked) <= 2 * 3


@given(st.sampled_from(EDGES), st.sampled_from(EDGES))
def test_every_earlier_tree_is_proven_out_of_a_few_tiles(shelf, roots, one, other):
    old, new = sorted((one, other))
    shelf.asked.clear()
    proof = consistency_proof(old, new, subtrees(new, shelf.read))
    verify_consistency(old_size=old, old_root=roots[old], new_size=new, new_root=roots[new], proof=proof)
    assert sorted(shelf.asked) == tiles_for_consistency(old, new)
    assert len(shelf.asked) <= 2 * 3


@settings(max_examples=tries(50))
@given(st.integers(1, 600), st.data())
def test_proofs_out_of_tiles_are_those_out_of_the_leaves(shelf, size, data):
    at = data.draw(st.integers(0, size - 1))
    ours, theirs = subtrees(size, shelf.read), in_memory(LEAVES[:size])
    assert inclusion_proof(at, size, ours) == inclusion_proof(at, size, theirs)
    assert consistency_proof(at, size, ours) == consistency_proof(at, size, theirs)


def test_what_a_root_is_made_of():
    assert tiles_for_root(SIZE) == [TileAddress(0, 273, 112), TileAddress(1, 1, 17), TileAddress(2, 0, 1)]


def test_a_changed_tile_is_found_by_the_proof_made_of_it(shelf, roots):
    def tampered(level, index, width):
        tile = bytearray(shelf.read(level, index, width))
        tile[0] ^= level == 0 and index == 3
        return bytes(tile)

    for read, fails in ((shelf.read, False), (tampered, True)):
        proof = inclusion_proof(1000, SIZE, subtrees(SIZE, read))
        proven = {"leaf": LEAVES[1000], "index": 1000, "size": SIZE, "proof": proof, "root": roots[SIZE]}
        if fails:
            with pytest.raises(BadProof):
                verify_inclusion(**proven)
        else:
            verify_inclusion(**proven)


@pytest.mark.parametrize("change", [-32, -1, 1])
def test_a_tile_of_the_wrong_width_is_refused(shelf, change):
    def read(level, index, width):
        return (shelf.read(level, index, width) + b"\x00")[: 32 * width + change]

    for use in (lambda: root(SIZE, read), lambda: TiledTree(SIZE, read)):
        with pytest.raises(BadTile):
            use()


def test_only_spans_of_proofs_are_subtrees(shelf):
    with pytest.raises(ValueError):
        subtrees(SIZE, shelf.read)(1, 5)


def test_outside_of_the_tree_there_are_no_tiles_to_ask_for():
    with pytest.raises(BadProof):
        tiles_for_inclusion(5, 5)
    with pytest.raises(BadProof):
        tiles_for_consistency(6, 5)
