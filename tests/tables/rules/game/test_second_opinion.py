"""What beats what, asked of somebody else: pokerkit,
which ranks five cards by rules of its own making (R1)."""

from functools import cache

from hypothesis import given, strategies as st

from tables.rules.game.cards import DECK, tally
from tables.rules.game.ranking import category_name, high_table
from tests.tables.rules.game.test_ranking import classes

LABELS = {
    "High card": {"high-card"},
    "One pair": {"pair"},
    "Two pair": {"two-pairs"},
    "Three of a kind": {"trips"},
    "Straight": {"straight"},
    "Flush": {"flush"},
    "Full house": {"full-house"},
    "Four of a kind": {"quads"},
    "Straight flush": {"straight-flush", "royal-flush"},
}


def ours(cards) -> int:
    return high_table("lowest").strength(tally(cards))


@cache
def other():
    """Loaded by the worker that asks, for it takes a second."""
    from pokerkit.lookups import StandardLookup

    return StandardLookup()


def theirs(cards):
    return other().get_entry("".join(cards))


def test_r1_all_7462_classes_stand_in_the_order_that_pokerkit_gives_them():
    by_ours = sorted(classes(), key=ours)
    places = [theirs(cards).index for cards in by_ours]
    assert places == list(range(7462))
    for cards in by_ours:
        assert category_name(ours(cards)) in LABELS[theirs(cards).label.value]


@given(st.lists(st.sampled_from(DECK), min_size=10, max_size=10, unique=True))
def test_r1_any_two_hands_compare_as_pokerkit_compares_them(cards):
    one, two = cards[:5], cards[5:]
    assert (ours(one) > ours(two)) == (theirs(one).index > theirs(two).index)
    assert (ours(one) == ours(two)) == (theirs(one).index == theirs(two).index)
