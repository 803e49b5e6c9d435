"""Which cards are better (R1-R4, R6),
against a second ranking written here from the words of the rules alone."""

from collections import Counter
from itertools import combinations, combinations_with_replacement

import pytest
from hypothesis import given, strategies as st

from tables.rules.game.cards import CARD_NUMBERS, DECK, RANK_MASK, RANKS, rank_counts, suit_counts, tally
from tables.rules.game.ranking import (
    CATEGORIES,
    FIVE_OF_A_SUIT,
    FRONT_STRENGTHS,
    category_name,
    category_of,
    front_strength,
    high_table,
    low_table,
)

# How many of the 2,598,960 five-card and of the 22,100 three-card hands are what, as every poker book has it.
FIVE_CARD_COUNTS = {
    "high-card": 1_302_540,
    "pair": 1_098_240,
    "two-pairs": 123_552,
    "trips": 54_912,
    "straight": 10_200,
    "flush": 5_108,
    "full-house": 3_744,
    "quads": 624,
    "straight-flush": 36,
    "royal-flush": 4,
}
THREE_CARD_COUNTS = {"high-card": 18_304, "pair": 3_744, "trips": 52}


def five(text: str, wheel: str = "lowest") -> int:
    return high_table(wheel).strength(tally(text.split()))


def low(text: str) -> int:
    return low_table().strength(tally(text.split()))


def three(text: str) -> int:
    return front_strength(tally(text.split()))


def naive(cards: tuple[str, ...], straights: bool = True, wheel: float = 5, low_ace: bool = True) -> tuple:
    """R1 said again, slowly: category first, then ranks by how many there are of them, then by height."""
    ranks = sorted((RANKS.index(card[0]) + 2 for card in cards), reverse=True)
    groups = sorted(Counter(ranks).items(), key=lambda item: (item[1], item[0]), reverse=True)
    counts = [count for _, count in groups]
    key = [rank for rank, _ in groups]
    top = None
    if straights and counts == [1] * 5:
        if ranks == [14, 5, 4, 3, 2] and low_ace:
            top = wheel
        elif ranks[0] - ranks[4] == 4:
            top = ranks[0]
    flush = straights and len({card[1] for card in cards}) == 1
    if top and flush:
        return ("royal-flush" if top == 14 else "straight-flush", top)
    if flush:
        return ("flush", *key)
    if top:
        return ("straight", top)
    named = {(4, 1): "quads", (3, 2): "full-house", (3, 1, 1): "trips", (2, 2, 1): "two-pairs"}
    return (named.get(tuple(counts), "pair" if counts[0] == 2 else "high-card"), *key)


def order(value: tuple) -> tuple:
    return (CATEGORIES.index(value[0]), *value[1:])


def classes() -> list[tuple[str, ...]]:
    """One hand of each of the 7,462 classes of five cards."""
    suited = [tuple(rank + "s" for rank in ranks) for ranks in combinations(RANKS, 5)]
    unsuited = [
        tuple(rank + "cdhsc"[place] for place, rank in enumerate(ranks))
        for ranks in combinations_with_replacement(RANKS, 5)
        if len(set(ranks)) > 1
    ]
    return suited + unsuited


def test_r1_all_2598960_five_card_hands_fall_into_their_categories():
    ranks, flushes = high_table("lowest")
    numbers = list(CARD_NUMBERS.values())
    found = Counter()
    # A strength is looked up for every single hand; the loops only share the sums of the first four cards.
    for first, second, third, fourth in combinations(range(52), 4):
        start = numbers[first] + numbers[second] + numbers[third] + numbers[fourth]
        suits = start >> 32
        rest = numbers[fourth + 1 :]
        if suits in (4, 4 << 4, 4 << 8, 4 << 12):
            found.update(
                [
                    (flushes if (start + n) >> 32 in FIVE_OF_A_SUIT else ranks)[start + n & RANK_MASK] >> 20
                    for n in rest
                ]
            )
        else:
            found.update([ranks[start + n & RANK_MASK] >> 20 for n in rest])
    assert {CATEGORIES[category]: count for category, count in found.items()} == FIVE_CARD_COUNTS


def test_r3_all_22100_three_card_hands_are_trips_a_pair_or_high_cards():
    found = Counter(category_name(front_strength(tally(cards))) for cards in combinations(DECK, 3))
    assert found == THREE_CARD_COUNTS
    assert len(set(FRONT_STRENGTHS.values())) == 455


@pytest.mark.parametrize(("wheel", "worth"), [("lowest", 5), ("second", 13.5)])
def test_r1_r2_all_7462_classes_stand_in_the_order_of_the_rules(wheel, worth):
    table = high_table(wheel)
    ranked = sorted(classes(), key=lambda cards: table.strength(tally(cards)))
    values = [order(naive(cards, wheel=worth)) for cards in ranked]
    assert values == sorted(values)
    assert len({table.strength(tally(cards)) for cards in ranked}) == len(set(values)) == 7462
    for cards in ranked:
        assert category_name(table.strength(tally(cards))) == naive(cards)[0]


def test_r6_all_classes_stand_in_reverse_order_as_a_low_with_aces_high_only():
    ranked = sorted(classes(), key=lambda cards: low_table().strength(tally(cards)), reverse=True)
    values = [order(naive(cards, low_ace=False)) for cards in ranked]
    assert values == sorted(values)
    assert len(set(values)) == len({low_table().strength(tally(cards)) for cards in ranked})


@given(st.lists(st.sampled_from(DECK), min_size=10, max_size=10, unique=True))
def test_r1_any_two_five_card_hands_compare_as_a_second_ranking_says(cards):
    one, other = tuple(cards[:5]), tuple(cards[5:])
    a, b = order(naive(one)), order(naive(other))
    x, y = five(" ".join(one)), five(" ".join(other))
    assert (x > y, x == y) == (a > b, a == b)


@given(st.lists(st.sampled_from(DECK), min_size=3, max_size=13, unique=True))
def test_a_tally_counts_ranks_and_suits(cards):
    assert rank_counts(tally(cards)) == [sum(card[0] == rank for card in cards) for rank in RANKS]
    assert suit_counts(tally(cards)) == [sum(card[1] == suit for card in cards) for suit in "cdhs"]


def test_r2_the_ace_is_low_only_in_the_lowest_straight():
    assert five("2c 3d 4h 5s 6c") > five("Ac 2d 3h 4s 5c") > five("Ac Ad Ah Ks Qc")
    assert category_of(five("Kc Ad 2h 3s 4c")) == 0


def test_r2_the_second_wheel_lies_between_ace_high_and_king_high():
    ordered = ["Tc Jd Qh Ks Ac", "Ac 2d 3h 4s 5c", "9c Td Jh Qs Kc", "2c 3d 4h 5s 6c"]
    strengths = [five(text, "second") for text in ordered]
    assert strengths == sorted(strengths, reverse=True)
    suited = ["Tc Jc Qc Kc Ac", "Ac 2c 3c 4c 5c", "9c Tc Jc Qc Kc", "2c 3c 4c 5c 6c"]
    strengths = [five(text, "second") for text in suited]
    assert strengths == sorted(strengths, reverse=True)


def test_r3_suits_and_runs_never_count_in_front():
    assert three("Ah Kh Qh") == three("Ac Kd Qs")
    assert category_name(three("Ah Kh Qh")) == "high-card"
    assert three("2c 2d 3s") > three("Ah Kh Qh")


def test_r4_front_compares_with_five_cards_until_its_own_run_out():
    assert five("Kc Kd Qs 3h 2c") > three("Kh Ks Qd")
    assert five("Kc Kd Js 3h 2c") < three("Kh Ks Qd")
    assert five("Ac Qd 9h 4s 2c") < three("As Kd 2h")
    assert five("7c 7d 7h 3s 2c") > three("6c 6d 6h")


def test_r6_seven_five_four_three_two_of_two_suits_is_the_best_low():
    best = low("7c 5d 4h 3s 2c")
    assert best == max(low(" ".join(cards)) for cards in classes())
    assert low("8c 5d 4h 3s 2c") > low("6c 5d 4h 3s 2c")  # a straight counts against the hand
    assert low("8c 5d 4h 3s 2c") > low("7c 5c 4c 3c 2c")  # and so does a flush
    assert low("Kc 5d 4h 3s 2c") > low("Ac 5d 4h 3s 2c") > low("2c 2d 3h 4s 5c")  # aces are high only
    assert category_name(low("Ac 5d 4h 3s 2c")) == "high-card"
