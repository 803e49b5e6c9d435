"""The tree of RFC 9162: every proof holds, and no other passes. The known hashes are those of Certificate
Transparency implementations (RFC 6962 has the same tree)."""

from functools import cache
from hashlib import sha256

import pytest
from hypothesis import given, settings, strategies as st

from ledger.proof.audit.errors import BadProof
from ledger.proof.audit.tree.merkle import (
    EMPTY_ROOT,
    Frontier,
    Slice,
    consistency_proof,
    inclusion_proof,
    leaf_hash,
    node_hash,
    root_of,
    verify_consistency,
    verify_inclusion,
)
from tests.support.lengths import tries
from tests.support.trees import in_memory

MOST = 300
RECORDS = [b"record %d" % number for number in range(MOST)]
LEAVES = [leaf_hash(record) for record in RECORDS]

KNOWN_RECORDS = [
    bytes.fromhex(text)
    for text in (
        *("", "00", "10", "2021", "3031", "40414243", "5051525354555657"),
        "606162636465666768696a6b6c6d6e6f",
    )
]
KNOWN_LEAVES = [leaf_hash(record) for record in KNOWN_RECORDS]
KNOWN_ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
"""By size, 0 to 8."""

SECOND_LEAF = "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7"
THIRD_LEAF = "0298d122906dcfc10892cb53a73992fc5b9f493ea4c9badb27b791b4127a7fe7"
FIFTH_LEAF = "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b"
FIRST_PAIR, SECOND_PAIR, THIRD_PAIR, FOURTH_PAIR = (
    KNOWN_ROOTS[2],
    "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
    "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
    "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
)
SECOND_FOUR = "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4"


@cache
def mth(begin: int, end: int) -> bytes:
    """MTH(D[begin:end]) in the words of the RFC."""
    if begin == end:
        return sha256().digest()
    if end - begin == 1:
        return sha256(b"\x00" + RECORDS[begin]).digest()
    k = split(end - begin)
    return sha256(b"\x01" + mth(begin, begin + k) + mth(begin + k, end)).digest()


def split(n: int) -> int:
    k = 1
    while 2 * k < n:
        k *= 2
    return k


@cache
def path(m: int, begin: int, end: int) -> list[bytes]:
    """PATH(m, D[begin:end]) in the words of the RFC."""
    n = end - begin
    if n == 1:
        return []
    k = split(n)
    if m < k:
        return [*path(m, begin, begin + k), mth(begin + k, end)]
    return [*path(m - k, begin + k, end), mth(begin, begin + k)]


@cache
def subproof(m: int, begin: int, end: int, known: bool) -> list[bytes]:
    """SUBPROOF(m, D[begin:end], known) in the words of the RFC."""
    n = end - begin
    if m == n:
        return [] if known else [mth(begin, end)]
    k = split(n)
    if m <= k:
        return [*subproof(m, begin, begin + k, known), mth(begin + k, end)]
    return [*subproof(m - k, begin + k, end, False), mth(begin, begin + k)]


def flipped(data: bytes, bit: int) -> bytes:
    place, bit = divmod(bit % (8 * len(data)), 8)
    return data[:place] + bytes([data[place] ^ 1 << bit]) + data[place + 1 :]


@st.composite
def sizes_and_leaf(draw):
    size = draw(st.integers(1, MOST))
    return size, draw(st.integers(0, size - 1))


@st.composite
def old_and_new(draw):
    new = draw(st.integers(2, MOST))
    return draw(st.integers(1, new - 1)), new


# The known hashes


@pytest.mark.parametrize("size", range(9))
def test_known_trees_have_their_known_roots(size):
    assert root_of(KNOWN_LEAVES[:size]).hex() == KNOWN_ROOTS[size]


@pytest.mark.parametrize(
    ("index", "size", "proof"),
    [
        (0, 1, []),
        (0, 8, [SECOND_LEAF, SECOND_PAIR, SECOND_FOUR]),
        (5, 8, [FIFTH_LEAF, FOURTH_PAIR, KNOWN_ROOTS[4]]),
        (2, 3, [FIRST_PAIR]),
        (1, 5, [KNOWN_ROOTS[1], SECOND_PAIR, FIFTH_LEAF]),
    ],
)
def test_known_leaves_have_their_known_proofs(index, size, proof):
    made = inclusion_proof(index, size, in_memory(KNOWN_LEAVES[:size]))
    assert [each.hex() for each in made] == proof
    verify_inclusion(
        leaf=KNOWN_LEAVES[index], index=index, size=size, proof=made, root=bytes.fromhex(KNOWN_ROOTS[size])
    )


@pytest.mark.parametrize(
    ("old", "new", "proof"),
    [
        (1, 1, []),
        (1, 8, [SECOND_LEAF, SECOND_PAIR, SECOND_FOUR]),
        (6, 8, [THIRD_PAIR, FOURTH_PAIR, KNOWN_ROOTS[4]]),
        (2, 5, [SECOND_PAIR, FIFTH_LEAF]),
    ],
)
def test_known_trees_have_their_known_consistency_proofs(old, new, proof):
    made = consistency_proof(old, new, in_memory(KNOWN_LEAVES[:new]))
    assert [each.hex() for each in made] == proof
    old_root, new_root = bytes.fromhex(KNOWN_ROOTS[old]), bytes.fromhex(KNOWN_ROOTS[new])
    verify_consistency(old_size=old, old_root=old_root, new_size=new, new_root=new_root, proof=made)


def test_a_node_is_never_taken_for_a_leaf():
    assert leaf_hash(LEAVES[0] + LEAVES[1]) != node_hash(LEAVES[0], LEAVES[1])
    assert leaf_hash(RECORDS[2]) == sha256(b"\x00" + RECORDS[2]).digest()


# Every tree of up to 300 leaves against the definition


def test_the_root_of_every_small_tree_is_the_one_defined():
    frontier = Frontier()
    for size in range(MOST + 1):
        assert (frontier.size, frontier.root()) == (size, mth(0, size))
        assert len(frontier.peaks) == size.bit_count()
        assert Frontier(size, frontier.peaks).root() == mth(0, size)
        if size < MOST:
            frontier.extend([LEAVES[size]])
    assert root_of([]) == EMPTY_ROOT == mth(0, 0)


def test_every_leaf_of_every_small_tree_has_the_proof_defined_and_it_holds():
    for size in range(1, MOST + 1):
        for index in range(size):
            proof = inclusion_proof(index, size, mth)
            assert proof == path(index, 0, size)
            verify_inclusion(leaf=LEAVES[index], index=index, size=size, proof=proof, root=mth(0, size))


def test_every_two_small_trees_have_the_consistency_proof_defined_and_it_holds():
    for new in range(MOST + 1):
        for old in range(new + 1):
            proof = consistency_proof(old, new, mth)
            assert proof == (subproof(old, 0, new, True) if old else [])
            verify_consistency(
                old_size=old, old_root=mth(0, old), new_size=new, new_root=mth(0, new), proof=proof
            )


@given(old_and_new())
def test_leaves_at_hand_give_the_subtrees_of_the_definition(span):
    assert in_memory(LEAVES)(*span) == root_of(LEAVES[slice(*span)])
    assert inclusion_proof(span[0], span[1], in_memory(LEAVES[: span[1]])) == path(span[0], 0, span[1])


# Nothing else passes


@given(sizes_and_leaf(), st.integers(0), st.integers(0, 255))
def test_an_inclusion_proof_with_any_bit_changed_proves_nothing(tree, which, bit):
    size, index = tree
    hashes = [LEAVES[index], mth(0, size), *path(index, 0, size)]
    which %= len(hashes)
    hashes[which] = flipped(hashes[which], bit)
    leaf, root, *proof = hashes
    with pytest.raises(BadProof):
        verify_inclusion(leaf=leaf, index=index, size=size, proof=proof, root=root)


@given(old_and_new(), st.integers(0), st.integers(0, 255))
def test_a_consistency_proof_with_any_bit_changed_proves_nothing(trees, which, bit):
    old, new = trees
    hashes = [mth(0, old), mth(0, new), *subproof(old, 0, new, True)]
    which %= len(hashes)
    hashes[which] = flipped(hashes[which], bit)
    old_root, new_root, *proof = hashes
    with pytest.raises(BadProof):
        verify_consistency(old_size=old, old_root=old_root, new_size=new, new_root=new_root, proof=proof)


@given(sizes_and_leaf(), st.data())
def test_a_leaf_is_proven_at_its_own_place_alone(tree, data):
    size, index = tree
    other = data.draw(st.integers(-1, size + 1).filter(lambda at: at != index))
    with pytest.raises(BadProof):
        verify_inclusion(
            leaf=LEAVES[index], index=other, size=size, proof=path(index, 0, size), root=mth(0, size)
        )


def more_and_less(proof, at):
    """Yield a proof with a hash inserted, appended or removed, and an empty one."""
    at %= len(proof)
    return [*proof[:at], LEAVES[0], *proof[at:]], [*proof, EMPTY_ROOT], proof[:at] + proof[at + 1 :], []


@given(old_and_new(), st.integers(0))
def test_an_inclusion_proof_with_a_hash_more_or_less_proves_nothing(leaf_and_size, at):
    index, size = leaf_and_size
    for wrong in more_and_less(path(index, 0, size), at):
        with pytest.raises(BadProof):
            verify_inclusion(leaf=LEAVES[index], index=index, size=size, proof=wrong, root=mth(0, size))


@given(old_and_new(), st.integers(0))
def test_a_consistency_proof_with_a_hash_more_or_less_proves_nothing(trees, at):
    old, new = trees
    roots = {"old_size": old, "old_root": mth(0, old), "new_size": new, "new_root": mth(0, new)}
    for wrong in more_and_less(subproof(old, 0, new, True), at):
        with pytest.raises(BadProof):
            verify_consistency(**roots, proof=wrong)


def test_a_hash_of_another_length_proves_nothing():
    with pytest.raises(BadProof):
        verify_inclusion(leaf=LEAVES[0], index=0, size=2, proof=[LEAVES[1] + b"\x00"], root=mth(0, 2))
    with pytest.raises(BadProof):
        verify_consistency(old_size=1, old_root=b"", new_size=1, new_root=b"", proof=[])


def test_a_tree_that_changed_a_record_is_not_consistent_with_what_it_was():
    changed = [*LEAVES[:3], leaf_hash(b"edited"), *LEAVES[4:8]]
    with pytest.raises(BadProof):
        verify_consistency(
            old_size=5,
            old_root=mth(0, 5),
            new_size=8,
            new_root=root_of(changed),
            proof=consistency_proof(5, 8, in_memory(changed)),
        )


def test_a_tree_that_lost_its_tail_does_not_continue_what_it_was():
    with pytest.raises(BadProof):
        consistency_proof(8, 5, mth)
    with pytest.raises(BadProof):
        verify_consistency(old_size=8, old_root=mth(0, 8), new_size=5, new_root=mth(0, 5), proof=[])


def test_one_size_has_one_root_and_needs_no_proof():
    same = {"old_size": 5, "old_root": mth(0, 5), "new_size": 5}
    verify_consistency(**same, new_root=mth(0, 5), proof=[])
    with pytest.raises(BadProof):
        verify_consistency(**same, new_root=mth(0, 6), proof=[])
    with pytest.raises(BadProof):
        verify_consistency(**same, new_root=mth(0, 5), proof=[mth(0, 5)])


def test_every_tree_begins_with_the_empty_one_and_only_its_own_root_is_the_empty_one():
    verify_consistency(old_size=0, old_root=EMPTY_ROOT, new_size=7, new_root=mth(0, 7), proof=[])
    with pytest.raises(BadProof):
        verify_consistency(old_size=0, old_root=mth(0, 1), new_size=7, new_root=mth(0, 7), proof=[])


@pytest.mark.parametrize(("index", "size"), [(-1, 3), (3, 3), (0, 0)])
def test_a_leaf_outside_of_the_tree_has_no_proof(index, size):
    with pytest.raises(BadProof):
        inclusion_proof(index, size, mth)
    with pytest.raises(BadProof):
        verify_inclusion(leaf=LEAVES[0], index=index, size=size, proof=[], root=LEAVES[0])


# Growing


@settings(max_examples=tries(50))
@given(st.lists(st.integers(0, 60), max_size=5))
def test_a_tree_grown_in_any_steps_is_the_same_tree(steps):
    frontier = Frontier()
    for step in steps:
        frontier = Frontier(frontier.size, frontier.peaks)
        frontier.extend(LEAVES[frontier.size : frontier.size + step])
    assert (frontier.size, frontier.root()) == (sum(steps), mth(0, sum(steps)))


@pytest.mark.parametrize(("size", "peaks"), [(3, [LEAVES[0]]), (0, [LEAVES[0]]), (1, [b"short"]), (-1, [])])
def test_peaks_that_do_not_fit_the_size_are_no_tree(size, peaks):
    with pytest.raises(ValueError):
        Frontier(size, peaks)


def test_a_tree_takes_hashes_not_records():
    with pytest.raises(ValueError):
        Frontier().extend([RECORDS[0]])


# Slices


@settings(max_examples=tries(400))
@given(st.data())
def test_a_slice_and_the_proofs_of_its_ends_lead_to_the_root(data):
    size = data.draw(st.integers(1, MOST))
    begin = data.draw(st.integers(0, size - 1))
    end = data.draw(st.integers(begin + 1, size))
    piece = Slice(begin, size, path(begin, 0, size))
    for cut in range(begin, end):
        assert begin == 0 or piece.root_here() == mth(0, cut)
        piece.extend(LEAVES[cut : cut + 1])
    assert piece.size == end
    assert piece.root(path(end - 1, 0, size)) == mth(0, size)


def test_every_slice_of_every_tree_of_up_to_twenty_leaves_leads_to_its_root():
    for size in range(1, 21):
        for begin in range(size):
            for end in range(begin + 1, size + 1):
                piece = Slice(begin, size, path(begin, 0, size))
                piece.extend(LEAVES[begin:end])
                assert piece.root(path(end - 1, 0, size)) == mth(0, size)


@given(st.data())
def test_a_slice_with_one_leaf_changed_leads_elsewhere(data):
    size = data.draw(st.integers(1, MOST))
    begin = data.draw(st.integers(0, size - 1))
    end = data.draw(st.integers(begin + 1, size))
    leaves = LEAVES[begin:end]
    wrong = data.draw(st.integers(0, len(leaves) - 1))
    leaves[wrong] = flipped(leaves[wrong], data.draw(st.integers(0, 255)))
    piece = Slice(begin, size, path(begin, 0, size))
    piece.extend(leaves)
    assert piece.root(path(end - 1, 0, size)) != mth(0, size)


def test_a_slice_whose_proofs_are_of_another_length_proves_nothing():
    with pytest.raises(BadProof):
        Slice(2, 7, path(2, 0, 7)[1:])
    piece = Slice(2, 7, path(2, 0, 7))
    piece.extend(LEAVES[2:5])
    for wrong in more_and_less(path(4, 0, 7), 0):
        with pytest.raises(BadProof):
            piece.root(wrong)
    with pytest.raises(BadProof):
        Slice(7, 7, [])
