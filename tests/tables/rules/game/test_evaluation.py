"""Whole hands ranked at once from their text, against the tables that rank one segment at a time (R1-R3, R6,
R7)."""

import random

import pytest
from hypothesis import given, strategies as st

from tables.rules.game import evaluation
from tables.rules.game.cards import DECK, tally
from tables.rules.game.evaluation import make_ready, strengths_of_hands
from tables.rules.game.setting import segment_strengths
from tables.rules.game.sheet import library
from tests.support.play import SHEETS, random_hands
from tests.tables.rules.game.test_ranking import classes

# Every way that sheets rank differently.
RANKINGS = ["2-4", "wheel-second", "low-middle"]


def texts(hand: list[str]) -> list[str]:
    return [" ".join(hand[:3]), " ".join(hand[3:8]), " ".join(hand[8:])]


def one_by_one(code: str, segments: list[str]) -> list[tuple[int, int, int]]:
    tallies = [tally(text.split()) for text in segments]
    hands = zip(tallies[::3], tallies[1::3], tallies[2::3], strict=True)
    return [segment_strengths(SHEETS.find(code), hand) for hand in hands]


@pytest.mark.parametrize("code", RANKINGS)
@given(rng=st.randoms(use_true_random=False), count=st.integers(1, 4))
def test_r1_hands_ranked_at_once_are_as_strong_as_one_by_one(code, rng, count):
    segments = [text for hand in random_hands(rng, count) for text in texts(hand)]
    assert strengths_of_hands(SHEETS.find(code), segments) == one_by_one(code, segments)


@pytest.mark.parametrize("code", RANKINGS)
def test_r1_every_class_of_five_cards_is_found_in_middle_and_back_in_any_order(code):
    rng = random.Random(1)
    for five in classes():
        cards = rng.sample(five, 5)
        others = rng.sample([card for card in DECK if card not in five], 8)
        for hand in (others[:3] + cards + others[3:], others + cards):
            assert strengths_of_hands(SHEETS.find(code), texts(hand)) == one_by_one(code, texts(hand))


def test_r3_every_front_is_found_in_any_order():
    rng = random.Random(1)
    for first in DECK:
        for second in DECK:
            if first == second:
                continue
            rest = rng.sample([card for card in DECK if card not in (first, second)], 11)
            hand = [first, second, *rest]
            assert strengths_of_hands(SHEETS.find("2-4"), texts(hand)) == one_by_one("2-4", texts(hand))


GOOD = ["Qs Qh 2c", "5c 6d 7h 8s 9s", "Ad Kd 9d 4d 2d"]


@pytest.mark.parametrize(
    "changed",
    [
        {0: "Qs Qh"},
        {0: "Qs Qh 2c 3c"},
        {0: ""},
        {0: "Qs Qh 5c 6d", 1: "2c 7h 8s 9s"},  # as many cards in all, in other segments
        {0: "Qs Qh", 1: "2c 5c 6d 7h 8s 9s"},
        {0: "Qs Qs 2c"},
        {0: "Qs Qh 9s"},
        {0: "Qs Qh 1c"},
        {0: "Qs Qh 2x"},
        {0: "sQ Qh 2c"},
        {0: "qs Qh 2c"},
        {0: "QsQh 2c "},
        {0: "Qs/Qh 2c"},
        {0: "Qs\tQh 2c"},
        {0: " Qs Qh2c"},
        {0: "Qs Qh 2\u0441"},  # a Cyrillic letter that looks like c
        {0: "Qs Qh 2\ud800"},
        {2: "Ad Kd 9d 4d 2d "},
        {2: "Ad Kd 9d 4d "},  # a card is missing behind the last blank
        {2: "Ad Kd 9d 4d 2"},
    ],
)
def test_r7_texts_that_are_not_whole_hands_of_different_cards_are_left_to_the_careful_reading(changed):
    segments = [changed.get(place, text) for place, text in enumerate(GOOD)]
    assert strengths_of_hands(SHEETS.find("face-up"), GOOD)
    assert strengths_of_hands(SHEETS.find("face-up"), segments) is None


@given(st.lists(st.text("23456789TJQKAcdhsx /é", max_size=16), min_size=3, max_size=3))
def test_r7_any_texts_whatever_are_ranked_or_left(segments):
    strengths = strengths_of_hands(SHEETS.find("2-4"), segments)
    assert strengths is None or strengths == one_by_one("2-4", segments)


def test_what_was_made_ready_is_not_made_again_for_a_round():
    make_ready(library())
    made = evaluation._trees.cache_info().misses
    for sheet in library():
        assert strengths_of_hands(sheet, texts(DECK[:13]))
    assert evaluation._trees.cache_info().misses == made
