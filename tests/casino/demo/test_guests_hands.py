"""How made-up guests set their cards where their game has surrender or announced royalties."""

from random import Random

import pytest

from casino.demo.nights.guests_hands import Temper, described, set_hand, shuffled
from tables.rules.game.sheet import library

STEADY = Temper(bold=0.0, careless=0.0)


def hands(code, count=400):
    rng, sheet = Random(code), library().newest[code]
    return [set_hand(shuffled(rng)[:13], sheet, STEADY, rng) for _ in range(count)]


@pytest.mark.parametrize("code", ["2-4", "western"])
def test_r27_hopeless_cards_are_surrendered_now_and_then_where_the_game_has_it(code):
    given_up = [hand for hand in hands(code) if hand.surrenders]
    assert 0 < len(given_up) < 40
    assert given_up[0].entered(3) == {"seat": 3, "surrenders": True}


def test_r13_royalties_are_announced_where_the_game_asks_for_it_and_now_and_then_forgotten():
    sheet = library().newest["2-4"]
    held = [hand for hand in hands("2-4") if hand.front and any(described(hand, sheet).bonus.values())]
    told = [hand for hand in held if hand.royalties]
    assert 0.8 * len(held) < len(told) < len(held)
    assert all(described(hand, sheet).bonus[name] for hand in told for name in hand.royalties)
    assert told[0].entered(3)["royalties"] == list(told[0].royalties)


@pytest.mark.parametrize("code", ["face-up", "pokerlistings", "first-to-11"])
def test_no_game_hears_what_it_does_not_know(code):
    assert not any(hand.surrenders or hand.royalties for hand in hands(code, 150))
