"""A hand by itself: what fouls, what it holds, what a screen is told while it is being laid (R5-R7, R13,
R41)."""

import pytest
from hypothesis import given, strategies as st

from tables.rules.errors import BadCard, CardCount, DuplicateCard
from tables.rules.game.cards import DECK
from tables.rules.game.rounds import describe
from tests.support.play import CODES, SHEETS, play, variant

FACE_UP = SHEETS.find("face-up")


def laid(text: str, sheet=FACE_UP, **more):
    return describe(*(segment.split() for segment in text.split("/")), sheet, **more)


@pytest.mark.parametrize(
    "text",
    [
        "2c 2d 3h / Ac Kd 9h 4s 3c / 4c 4d 9s 8h 2s",  # front over middle
        "2c 3d 4h / 4c 4d 9s 8h 2s / Ac Kd 9h 4s 3c",  # middle over back
        "5c 5d Ah / 5h 5s Kc 3d 2c / 6c 6d 9s 8h 2s",  # front over middle by the kicker
    ],
)
def test_r5_a_segment_out_of_order_fouls_the_whole_hand(text):
    assert laid(text).foul is True
    assert not any(laid(text).bonus.values())
    assert play("face-up", f"1: {text}", "2: 7c 8d Jh / Jc Jd Qh Ts 7s / Qc Qd Th 8c 7d").hands[0].foul


def test_r5_equal_middle_and_back_foul_unless_the_sheet_allows_them():
    equal = "2c 3d 7h / Ac Kd 9h 4s 3c / Ad Kc 9s 4h 3h"
    assert laid(equal).foul is True
    allowed = variant("face-up", 'equal_segments = "allowed"').find("house")
    assert laid(equal, allowed).foul is False
    assert laid("2c 3d 7h / Ac Kd 9h 4s 3c / Ad Kc 8s 4h 3h", allowed).foul is True


def test_r6_with_a_low_middle_only_back_and_front_are_compared():
    sheet = SHEETS.find("low-middle")
    assert laid("2c 2d 9h / Ac Kd Qh Js 9c / 3c 3d 9s 8h 7s", sheet).foul is False
    assert laid("3h 3s 9h / 7c 5d 4h 3c 2c / 2h 2s As Kh Qd", sheet).foul is True


def test_r6_a_low_middle_has_no_bonus_even_where_the_table_names_one():
    sheet = variant("low-middle", "bonus.middle = { quads = 8, flush = 1 }").find("house")
    assert laid("2c 3d 7h / 9c 9d 9h 9s 3c / Tc Td Th Ts 3h", sheet).bonus == {
        "front": 0,
        "middle": 0,
        "back": 4,
    }


def test_r7_too_many_cards_unknown_cards_and_cards_laid_twice_are_entry_errors():
    with pytest.raises(CardCount) as refusal:
        laid("2c 3d 4h 5h / / ")
    assert refusal.value.field == "front"
    with pytest.raises(BadCard) as refusal:
        laid("2c / 1h / ")
    assert (refusal.value.field, "1h" in refusal.value.message) == ("middle", True)
    with pytest.raises(DuplicateCard) as refusal:
        laid("2c / 7h / 7h")
    assert (refusal.value.field, "7h" in refusal.value.message) == ("back", True)


@pytest.mark.parametrize("card", ["", "2", "2C", "10c", "cc", "2c2d", "２c", "Ac ", "\ud800c"])
def test_r7_no_other_writing_of_a_card_is_understood(card):
    with pytest.raises(BadCard):
        describe([card], [], [], FACE_UP)


@pytest.mark.parametrize(
    ("text", "foul"),
    [
        ("/ /", None),
        ("2c 3d 4h / / 5c 5d 9s 8h 2s", None),
        ("Ac Ad Ah / Kc Kd 9s 8h / 5c", None),  # the middle could still be a straight flush
        ("6c 6d 4h / / 5c 5d 9s 8h 2s", True),
        ("6c 6d 4h / 5c 5d 9s 8h 2s / ", True),
        ("/ 6c 6d 4h 3d 2d / 5c 5d 9s 8h 2s", True),
        ("2c 3d 4h / 5c 5d 9s 8h 2s / 6c 6d 9h 8s 3h", False),
    ],
)
def test_r5_a_foul_is_told_as_soon_as_it_is_certain(text, foul):
    assert laid(text).foul is foul


@given(st.permutations(DECK), st.sampled_from(CODES))
def test_r5_what_is_certain_of_a_hand_stays_so_until_it_is_complete(deck, code):
    sheet, segments = SHEETS.find(code), [deck[:3], deck[3:8], deck[8:13]]
    final = describe(*segments, sheet)
    for missing in range(3):
        part = describe(*([] if place == missing else cards for place, cards in enumerate(segments)), sheet)
        assert part.foul in (None, True)
        assert part.foul is None or final.foul is True
        assert part.clean_sweeps == ()
        for name in ("front", "middle", "back"):
            assert getattr(part, name) in (None, getattr(final, name))


def test_r13_finished_segments_show_their_bonus_while_others_are_open():
    setting = laid("Ah Ad 2c / / 4c 4d 4h 4s 9d")
    assert (setting.front, setting.middle, setting.back) == ("pair", None, "quads")
    assert setting.bonus == {"front": 9, "middle": 0, "back": 8}
    assert setting.fantasy_land_next is None


def test_r26_a_complete_hand_shows_the_clean_sweeps_that_it_has():
    assert laid("2c 3c 4c / 5d 6h 7s 8c 9d / Tc Jd Qh Ks Ac").clean_sweeps == ("dragon", "three-straights")
    # Foul, so that with `basis = set` it has none; with `dealt` the order of the segments does not matter.
    foul = "2c 3c 4c / Tc Jd Qh Ks Ac / 5d 6h 7s 8c 9d"
    assert laid(foul).clean_sweeps == ()
    assert laid(foul, SHEETS.find("2-4")).clean_sweeps == ("dragon", "three-straights")


def test_r13_a_broken_bonus_is_shown_with_a_complete_hand_only():
    sheet = variant("2-4", "bonus.broken = true").find("house")
    assert laid("7c 7d 2h / 7h / 7s", sheet).bonus["broken"] == 0
    foul = laid("7c 7d 2h / 9c 9d 7h 3c 2d / 7s Ts Jd Qh Kc", sheet)
    assert (foul.foul, foul.bonus["broken"]) == (True, 0)
    assert laid("7c 2h 3d / 7h 7d 3c 4c 2d / 7s 8s 9d Th Jc", sheet).bonus["broken"] == 4


def test_r41_queens_in_front_enter_fantasy_land_and_do_not_keep_it():
    queens = "Qc Qd 2h / Kc Kd 9h 4s 3c / Ac Ad 9s 8h 2s"
    assert laid(queens).fantasy_land_next is True
    assert laid(queens, in_fantasy_land=True).fantasy_land_next is False
    assert laid("Jc Jd Ah / Kc Kd 9h 4s 3c / Ac Ad 9s 8h 2s").fantasy_land_next is False
    assert laid("Qc Qd 2h / Jc Jd 9h 4s 3c / Ac Ad 9s 8h 2s").fantasy_land_next is False  # foul
    assert laid("2c 2d 2h / Kc Kd Kh 4s 3c / Ac Ad As 8h 8s").fantasy_land_next is True


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        ("2c 3d 4h / Kc Kd 9h 9s 3c / 5c 5d 5h 5s 8h", True),  # four of a kind in the back
        ("2c 3d 4h / Kc Kd 9h 9s 3c / 5c 6c 7c 8c 9c", True),  # straight flush in the back
        ("2c 3d 4h / 3c 3h 3s 9s 9c / 5c 5d 5h 8s 8h", True),  # full house in the middle
        ("2c 2d 2h / Kc Kd Kh 9s 3c / Ac Ad Ah 8s 7h", True),  # three of a kind in front
        ("Ac Ad 2h / Kc Kd Qh Qs 3c / 5c 5d 5h 8s 8h", False),  # a full house in the back is not enough
        ("2c 3h 4h / 4c 6c 7c 8c 9c / Kd Qd Jd Td 3d", False),  # flushes are not
        ("2c 2d 2h / Kc Kd 9h 9s 3c / Ac Ad 8s 8h 7h", False),  # foul
    ],
)
def test_r41_fantasy_land_is_kept_by_big_hands_alone(text, stays):
    assert laid(text, in_fantasy_land=True).fantasy_land_next is stays
    result = play("face-up", f"1: {text}, fantasy", "2: , misset")
    assert result.hands[0].fantasy_land_next is stays


def test_r41_games_without_fantasy_land_never_grant_it():
    assert laid("Qc Qd 2h / Kc Kd 9h 4s 3c / Ac Ad 9s 8h 2s", SHEETS.find("2-4")).fantasy_land_next is False
