"""How made-up players set their hands: with their own cards, mostly in order, and reproducibly."""

from random import Random

import pytest

from casino.demo.nights.guests_hands import SetHand, Temper, described, set_hand, shuffled
from tables.rules.game.sheet import library

FACE_UP = library().find("face-up")
CALM, BOLD = Temper(bold=0.0, careless=0.0), Temper(bold=1.0, careless=0.0)


def hands(temper, count=60, seed=1, **options):
    rng = Random(seed)
    return [set_hand(shuffled(rng)[:13], FACE_UP, temper, rng, **options) for _ in range(count)]


def dealt(text, temper=CALM):
    return set_hand(text.split(), FACE_UP, temper, Random(3))


def test_a_hand_holds_the_thirteen_cards_it_was_dealt():
    rng = Random(2)
    for _ in range(40):
        cards = shuffled(rng)[:13]
        hand = set_hand(cards, FACE_UP, BOLD, rng)
        assert sorted(hand.front + hand.middle + hand.back) == sorted(cards)
        assert [len(segment) for segment in hand.segments] == [3, 5, 5]


@pytest.mark.parametrize("temper", [CALM, BOLD])
def test_who_is_not_careless_never_fouls(temper):
    assert not any(described(hand, FACE_UP).foul for hand in hands(temper))


def test_the_careless_foul():
    fouled = [hand for hand in hands(Temper(0.0, 1.0)) if hand.declares is None]
    assert all(hand.misset or described(hand, FACE_UP).foul for hand in fouled)


def test_the_bold_earn_fantasy_land_more_often():
    earned = {
        name: sum(described(hand, FACE_UP).fantasy_land_next for hand in hands(temper))
        for name, temper in (("calm", CALM), ("bold", BOLD))
    }
    assert earned["bold"] > earned["calm"]


def test_whoever_sees_all_cards_at_once_makes_more_of_them():
    def bonus(**options):
        return sum(sum(described(hand, FACE_UP).bonus.values()) for hand in hands(CALM, **options))

    assert bonus(all_at_once=True) > 1.5 * bonus()


@pytest.mark.parametrize(
    ("kind", "cards"),
    [
        ("dragon", "2c 3d 4h 5s 6c 7d 8h 9s Tc Jd Qh Ks Ac"),
        ("six-pairs", "2c 2d 4h 4s 6c 6d 8h 8s Tc Td Qh Qs Ac"),
        ("three-straights", "2c 3d 4h 5s 6c 7d 8h 9s 4c Td Jh Qs Kc"),
        ("three-flushes", "2c 5c 9c 3d 6d 8d Td Kd 4h 7h 9h Jh Ah"),
    ],
)
def test_a_clean_sweep_is_set_and_declared(kind, cards):
    declared = [set_hand(cards.split(), FACE_UP, CALM, Random(seed)) for seed in range(10)]
    assert kind in {hand.declares for hand in declared}
    assert all(kind in described(hand, FACE_UP).clean_sweeps for hand in declared if hand.declares)


def test_the_same_random_numbers_set_the_same_hands():
    assert hands(BOLD, seed=7) == hands(BOLD, seed=7)


def test_a_hand_is_entered_in_the_form_of_the_score_format():
    hand = SetHand(("Qs", "Qh", "2c"), ("5c",), ("Ad",), declares="dragon")
    assert hand.entered(2) == {
        "seat": 2,
        "front": "Qs Qh 2c",
        "middle": "5c",
        "back": "Ad",
        "declares": "dragon",
    }
    assert SetHand(misset=True).entered(3)["misset"] is True
