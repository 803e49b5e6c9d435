"""Clean sweeps: what counts, what it collects, which of two is better (R22-R26)."""

import random
from itertools import combinations

import pytest
from hypothesis import given, strategies as st

from tables.rules.errors import DeclaresAndSurrenders, FalseDeclaration, UnknownCleanSweep, UnsetHand
from tables.rules.game import clean_sweeps
from tables.rules.game.cards import DECK, RANKS, tally
from tables.rules.game.clean_sweeps import best_split
from tables.rules.game.ranking import high_table
from tests.support.play import SHEETS, at, play, points, reasons, variant

KINDS = clean_sweeps.kinds_held
ALL_KINDS = ", ".join(
    f'{{ kind = "{kind}", points = 3 }}'
    for kind in (
        "super-dragon dragon six-pairs three-straights three-flushes"
        " thirteen-colours twelve-colours no-broadway no-people"
    ).split()
)
EVERY_KIND = variant("2-4", f"clean_sweep.kinds = [{ALL_KINDS}]").find("house")
SET_HAND = "2: Qh 8h 3h / Jc Jd 5d 4c 3d / As Ah Ks Kh 6c"


def kinds(text: str, sheet=EVERY_KIND) -> tuple[str, ...]:
    segments = [part.split() for part in text.split("/")]
    if len(segments) == 1:
        return KINDS(sheet, tally(segments[0]), (0, 0, 0))
    tallies = tuple(tally(segment) for segment in segments)
    return KINDS(sheet, sum(tallies), tallies)


@pytest.mark.parametrize(
    ("cards", "expected"),
    [
        (
            "2s 3s 4s 5s 6s 7s 8s 9s Ts Js Qs Ks As",
            "super-dragon dragon three-straights three-flushes thirteen-colours",
        ),
        ("2s 3c 4s 5c 6d 7d 8s 9h Ts Jh Qs Ks As", "dragon three-straights"),
        ("2c 2d 3c 3d 5c 5d 8h 8s Tc Td Kh Ks Ac", "six-pairs"),
        ("2c 2d 2h 2s 5c 5d 8h 8s Tc Td Kh Ks Ac", "six-pairs"),
        ("2c 2d 2h 5s 5c 8d 8h Ts Tc Kd Kh As Ac", "six-pairs"),
        ("2c 2d 2h 2s 5c 5d 5h 5s Tc Td Th Ts Ac", "six-pairs no-people"),
        ("2c 2d 2h 5s 5c 5d 8h Ts Tc Kd Kh As Ac", ""),
        ("Ah 2d 3c 4s 5h 6d 7c 8s 9h Td Jc Qs Kh", "dragon three-straights"),
        ("Ah Ad 2c 2s 3h 3d 4c 5s 9h Td Jc Qs Kh", "three-straights"),  # A-2-3, A-2-3-4-5, 9 to K
        ("Qh Kd Ac 2s 3h 4d 5c 6s 9h Td Jc Qs Kh", "three-straights"),  # Q-K-A in front
        ("2h 5h 9h 3s 4s 8s Ts Ks 2c 4c 6c Qc Ac", "three-flushes"),
        ("2h 5h 9h 3s 4s 8s Ts Ks 2s 5s 6s Qs As", "three-flushes"),
        ("2h 5h 9h Th Qh 3s 4s 8s Ts Ks 2s 5s 6s", "three-flushes"),
        ("2h 4h 6h 9h Jh Qh 2d 3d 5d 8d Td Kd Ad", "thirteen-colours"),
        ("2h 4h 6h 9h Jh Qh 2d 3d 5d 8d Td Kd As", "twelve-colours"),
        ("2h 4h 6h 9h Jh Qh 2d 3d 5d 8d Td Kc As", ""),
        ("2h 4h 6h 9h 2d 3d 5d 8d 2c 3c 7s 7c 9s", "no-broadway no-people"),
        ("2h 4h 6h 9h 2d 3d 5d 8d 2c 3c 7s Tc As", "no-people"),
        ("2h 4h 6h 9h 2d 3d 5d 8d 2c 3c 7s Tc Js", ""),
    ],
)
def test_r26_the_kinds(cards, expected):
    assert kinds(cards) == tuple(expected.split())


def test_r25_three_straights_and_flushes_must_lie_as_set_where_the_basis_is_the_setting():
    face_up = SHEETS.find("face-up")
    assert kinds("2s 3c 4s / 5c 6d 7d 8s 9h / Ts Jh Qs Ks Ac", face_up) == ("dragon", "three-straights")
    assert kinds("2s 3c 5c / 4s 6d 7d 8s 9h / Ts Jh Qs Ks Ac", face_up) == ("dragon",)
    assert kinds("2h 5h 9h / 2c 4c 6c Qc Ac / 3s 4s 8s Ts Ks", face_up) == ("three-flushes",)
    assert kinds("2h 5h 2c / 9h 4c 6c Qc Ac / 3s 4s 8s Ts Ks", face_up) == ()


def test_r25_with_the_setting_as_basis_a_foul_hand_has_no_clean_sweep():
    with pytest.raises(FalseDeclaration):
        play("face-up", "1: 2s 3c 4s / Ts Jh Qs Kd Ac / 5c 6d 7d 8s 9h, declares dragon", SET_HAND)


def test_r25_with_the_deal_as_basis_a_wrong_order_is_still_a_clean_sweep():
    wrong = "1: 2s 3c 4s / Ts Jh Qs Kd Ac / 5c 6d 7d 8s 9h, declares dragon"
    result = play("2-4", wrong, SET_HAND)
    assert (at(result, 1).foul, at(result, 1).clean_sweep) == (False, "dragon")
    assert points(result) == {1: 13, 2: -13}


def test_r25_a_declared_hand_may_come_unset_and_then_has_no_segments():
    result = play("2-4", "1: dealt 2s 3c 4s Ts Jh Qs Kd Ac 5c 6d 7d 8s 9h, declares dragon", SET_HAND)
    hand = at(result, 1)
    assert (hand.clean_sweep, hand.strengths[0], hand.bonuses) == ("dragon", 0, (0, 0, 0, 0))


@pytest.mark.parametrize(
    ("sheet", "text"),
    [
        ("2-4", "1: dealt 2s 3c 4s Ts Jh Qs Kd Ac 5c 6d 7d 8s 9h"),
        ("face-up", "1: dealt 2s 3c 4s Ts Jh Qs Kd Ac 5c 6d 7d 8s 9h, declares dragon"),
    ],
)
def test_r25_a_hand_comes_unset_only_with_a_declaration_and_where_the_deal_is_the_basis(sheet, text):
    with pytest.raises(UnsetHand):
        play(sheet, text, SET_HAND)


PAIRS = "1: 2c 2h 4s / 5s 5c 7d 7h 9d / 9h Th Td Js Jh"


def test_r22_an_undeclared_clean_sweep_plays_as_a_regular_hand():
    result = play("2-4", PAIRS, SET_HAND)
    assert at(result, 1).clean_sweep is None
    assert {reason for _, reason, _ in reasons(result)} <= {"front", "middle", "back", "majority"}


def test_r22_the_highest_valued_kind_counts_whichever_of_the_hand_s_kinds_is_named():
    cards = "2s 3c 4s / 5c 6d 7d 8s 9h / Ts Jh Qs Kh Ac"
    other = "2: 2h 3h 7c / Jc Jd 5d 4c 3d / As Ks Kd 6h 6c"
    assert at(play("2-4", f"1: {cards}, declares three-straights", other), 1).clean_sweep == "dragon"
    suited = "Ah 2h 3h / 4h 5h 6h 7h 8h / 9h Th Jh Qh Kh"
    other = "2: 2c 3c 7c / Jc Jd 5d 4c 3d / As Ks Ad 6s 6c"
    assert at(play("face-up", f"1: {suited}, declares dragon", other), 1).clean_sweep == "super-dragon"
    # Of equal values the first in the sheet's list.
    assert at(play("pokerlistings", f"1: {suited}, declares three-flushes", other), 1).clean_sweep == "dragon"


def test_r22_a_false_declaration_is_refused_where_the_sheet_says_so():
    with pytest.raises(FalseDeclaration) as refusal:
        play("2-4", "1: 2c 3c 4s / 5s 5c 7d 7h 9d / 9h Th Td Js Jh, declares six-pairs", SET_HAND)
    assert "seat 1" in refusal.value.message


FALSE = "1: 2c 3s 4s / 5s 5c 7d 7h 9d / 9h Th Td Js Jh, declares six-pairs"


def test_r22_a_false_declaration_is_a_foul_where_the_sheet_says_so():
    result = play("western", FALSE, SET_HAND)
    assert at(result, 1).foul
    assert reasons(result) == [(2, "foul", 3)]


def test_r22_it_is_no_foul_where_an_opponent_surrenders_and_the_hand_then_plays_on():
    result = play("western", FALSE, SET_HAND, "3: , surrenders")
    assert not at(result, 1).foul
    assert (2, "foul", 3) not in reasons(result)
    assert (1, "surrender", 3) in reasons(result)
    out_of_order = "1: 5c 5s 4s / 2c 3s 7d 8c 9d / 8s Th Td Js Kc, declares six-pairs"
    assert at(play("western", out_of_order, SET_HAND, "3: , surrenders"), 1).foul


def test_r22_a_hand_that_must_play_on_must_be_set():
    unset = "1: dealt 2c 3s 4s 5s 5c 7d 7h 9d 9h Th Td Js Jh, declares six-pairs"
    assert at(play("western", unset, SET_HAND), 1).foul
    with pytest.raises(UnsetHand):
        play("western", unset, SET_HAND, "3: , surrenders")


def test_r22_the_player_s_own_second_hand_is_no_opponent_who_surrenders():
    hands = (FALSE, "1: , surrenders", SET_HAND, "2: , surrenders")
    assert not at(play("western", *hands), 1).foul
    hands = (FALSE, "1: , surrenders", SET_HAND, "2: , misset")
    assert at(play("western", *hands), 1).foul


def test_r22_a_kind_the_sheet_lacks_and_declaring_while_surrendering_are_refused():
    with pytest.raises(UnknownCleanSweep):
        play("2-4", PAIRS + ", declares super-dragon", SET_HAND)
    with pytest.raises(UnknownCleanSweep):
        play("2-4", PAIRS + ", declares seven-pairs", SET_HAND)
    with pytest.raises(DeclaresAndSurrenders):
        play("2-4", PAIRS + ", declares six-pairs, surrenders", SET_HAND)


def test_r23_a_misset_hand_has_no_clean_sweep():
    with pytest.raises(FalseDeclaration):
        play("2-4", PAIRS + ", declares six-pairs, misset", SET_HAND)
    result = play("western", PAIRS + ", declares six-pairs, misset", SET_HAND, "3: , surrenders")
    assert (at(result, 1).foul, at(result, 1).clean_sweep) == (True, None)


UNSET = "1: dealt 2c 3s 4s 5s 5c 7d 7h 9d 9h Th Td Js Jh, declares six-pairs, misset"


@pytest.mark.parametrize("others", [(SET_HAND,), (SET_HAND, "3: , surrenders")])
def test_r23_a_misset_hand_that_comes_unset_stays_foul_also_where_an_opponent_surrenders(others):
    result = play("western", UNSET, *others)
    assert (at(result, 1).foul, at(result, 1).clean_sweep) == (True, None)
    assert (2, "foul", 3) in reasons(result)
    assert reasons(result, to=1) == [("surrender", 3)] * (len(others) - 1)


def test_r23_where_fouls_play_a_misset_hand_needs_its_segments_whoever_surrenders():
    sheets = variant("western", "foul.plays = true")
    for others in ((SET_HAND,), (SET_HAND, "3: , surrenders")):
        with pytest.raises(UnsetHand):
            play("house", UNSET, *others, sheets=sheets)


def test_r23_a_clean_sweep_collects_from_everybody_and_compares_nothing():
    dragon = "1: dealt 2s 3h 4c 5c 6h 7s 8h 9s Ts Js Qd Kd Ah, declares dragon"
    fouled = "3: Ac Ad 3c / 4h 6c 8c Qc Kc / Jd Td 9d 6d 7c"
    lesser = "4: 2d 3d 4d / 3s 4s 5s 6s 8s / Jh 9h 7h 5h 2h, declares three-flushes"
    result = play("2-4", dragon, "2: , surrenders", fouled, lesser)
    assert reasons(result, to=1) == [("clean_sweep", 13)] * 3
    # The lesser one collects from the others, nothing from the dragon, and pays no bonus.
    assert reasons(result, to=4) == [("clean_sweep", 3), ("clean_sweep", 3)]


def test_r23_bonuses_come_with_the_value_where_the_sheet_says_so():
    hand = "1: 7c 7s 4s / 8s 8c Td Th 9d / 9h 9c 9s Js Jh, declares six-pairs"
    result = play("face-up", hand, SET_HAND)
    assert reasons(result) == [(1, "clean_sweep", 3), (1, "bonus_front", 2), (1, "bonus_back", 6)]
    assert len(result.payments) == 1
    assert reasons(play("2-4", hand + ", royalties front back", SET_HAND)) == [(1, "clean_sweep", 3)]


def test_r23_bonuses_are_not_collected_from_a_lesser_clean_sweep():
    dragon = "1: 2s 3h 4c / 5c 6h 7s 8h 9s / Ts Js Qd Kd Ah, declares dragon"
    lesser = "4: 2d 3d 4d / 3s 4s 5s 6s 8s / Jh 9h 7h 5h 2h, declares three-flushes"
    assert reasons(play("face-up", dragon, lesser)) == [(1, "clean_sweep", 13)]


def test_r23_with_bonuses_a_surrendered_hand_pays_them_where_it_pays_the_value():
    hand = "1: 2c 2s 2d / 7s 7c Td Th 2h / 9h 9c 9d 9s Kh, declares six-pairs, royalties front back"
    sheets = variant("2-4", "clean_sweep.with_bonuses = true\nbonus.cancel = true")
    result = play("house", hand, "2: , surrenders", sheets=sheets)
    assert reasons(result) == [(1, "clean_sweep", 3), (1, "bonus_front", 3), (1, "bonus_back", 4)]
    quiet = play("house", hand.replace("royalties front", "royalties"), "2: , surrenders", sheets=sheets)
    assert reasons(quiet) == [
        (1, "clean_sweep", 3),
        (1, "bonus_back", 4),
    ]  # what was not announced does not count
    sheets = variant("2-4", "clean_sweep.with_bonuses = true\nsurrender.before_clean_sweep = true")
    assert reasons(play("house", hand, "2: , surrenders", sheets=sheets)) == [(1, "surrender", 3)]


DRAGON = "1: 2s 3h 4c / 5c 6h 7s 8h 9s / Ts Js Qd Kd Ah, declares dragon"
FLUSHES = "2: 2d 3d 4d / 3s 4s 5s 6s 8s / Jh 9h 7h 5h 2h, declares three-flushes"


def test_r24_by_value_the_higher_collects_in_full_and_equal_values_push():
    assert points(play("face-up", DRAGON, FLUSHES)) == {1: 13, 2: -13}
    straights = "1: 2s 3h 4h / 5c 6h 7s 8h 9s / 9c Tc Jd Qd Kd, declares three-straights"
    assert play("face-up", straights, FLUSHES).payments == ()


def test_r24_by_value_two_of_a_kind_push_however_strong_they_are():
    high = "1: 5c 5d 4c / Tc Td 8c 8d 2c / Kc Kd Kh Ks 4d, declares six-pairs"
    low = "2: 3h 3s 4h / 9h 9s 6c 6d 2h / Jc Jd Jh Js 4s, declares six-pairs"
    assert play("face-up", high, low).payments == ()


def test_r24_by_rank_the_earlier_in_the_list_collects_and_only_the_same_kind_pushes():
    straights = "1: 2s 3h 4h / 5c 6h 7s 8h 9s / 9c Tc Jd Qd Kd, declares three-straights"
    assert points(play("western", straights, FLUSHES)) == {1: 3, 2: -3}
    flushes = "1: 2c 3c 4c / 5c 6c 7c 8c Tc / 5d 6d 7d 8d Qd, declares three-flushes"
    assert play("western", flushes, FLUSHES).payments == ()


def test_r24_by_strength_equal_kinds_compare_and_different_kinds_of_equal_value_push():
    straights = "1: 2s 3h 4h / 5c 6h 7s 8h 9s / 9c Tc Jd Qd Kd, declares three-straights"
    assert play("2-4", straights, FLUSHES).payments == ()
    flushes = "1: 2c 3c 4c / 5c 6c 7c 8c Tc / 5d 6d 7d 8d Qd, declares three-flushes"
    assert points(play("2-4", flushes, FLUSHES)) == {1: 3, 2: -3}  # the queen-high flush goes behind


def six_pairs(seat: int, cards: str) -> str:
    return f"{seat}: dealt {cards}, declares six-pairs"


def test_r24_six_pairs_compare_by_their_pairs_and_never_by_the_odd_card():
    high = six_pairs(1, "Ac Ad Tc Td 9c 9d 8c 8d 5c 5d 3c 3d 2c")
    low = six_pairs(2, "Ah As Th Ts 9h 9s 8h 8s 4c 4d 3h 3s Kc")
    assert points(play("2-4", high, low)) == {1: 3, 2: -3}
    same = six_pairs(2, "Ah As Th Ts 9h 9s 8h 8s 5h 5s 3h 3s Kc")
    assert play("2-4", high, same).payments == ()
    # Four of a kind is two pairs of its rank; three are one pair and the odd card.
    quads = six_pairs(1, "Kc Kd Kh Ks 9c 9d 8c 8d 5c 5d 3c 3d 2c")
    trips = six_pairs(2, "Ac Qh Qs Jh Js 9h 9s 8h 8s 5h 5s 4h 4s")
    assert points(play("2-4", quads, trips)) == {1: 3, 2: -3}


def test_r24_three_straights_compare_by_the_best_split_back_first():
    # 2-3-4-5-6-7-8 and 5-6-7-8-9-T: the best back is T-high whatever was laid.
    one = "1: dealt 2c 3d 4h 5c 6d 7h 8c 9d 6c 7d 8h 9c Td, declares three-straights"
    other = "2: dealt 2d 3h 4c 5d 6h 7c 8d 9h 5h 6s 7s 8s 9s, declares three-straights"
    assert points(play("2-4", one, other)) == {1: 3, 2: -3}


def test_r24_the_front_of_three_straights_goes_by_its_top_card_with_the_wheel_lowest():
    low = "1: dealt Ac 2d 3h 4c 5d 6h 7c 8d 9h Tc Jd Qh Kc, declares three-straights"
    table = high_table("lowest")
    cards = tuple(low.split("dealt ")[1].split(",")[0].split())
    back, _, front = best_split("three-straights", cards, table)
    assert table.strength(tally("Tc Jd Qh Kc Ac".split())) == back
    assert front == 4  # 2-3-4 in front, 5 to 9 in the middle


def test_r24_in_low_middle_clean_sweeps_still_compare_as_high_hands():
    flushes = "1: 2c 3c 4c / 5c 6c 7c 8c Tc / 5d 6d 7d 8d Qd, declares three-flushes"
    assert points(play("low-middle", flushes, FLUSHES)) == {1: 3, 2: -3}


def naive_split(kind: str, cards: tuple[str, ...]) -> tuple | None:
    """The best split by trying all 72,072 of them."""
    table, best = high_table("lowest"), None
    wanted = (4, 8, 9) if kind == "three-straights" else (5, 8, 9)
    for back in combinations(cards, 5):
        high = table.strength(tally(back))
        if high >> 20 not in wanted or (best and high < best[0]):
            continue
        rest = [card for card in cards if card not in back]
        for middle in combinations(rest, 5):
            second = table.strength(tally(middle))
            front = [card for card in rest if card not in middle]
            ranks = sorted((RANKS.index(card[0]) + 2 for card in front), reverse=True)
            if second >> 20 not in wanted:
                continue
            if kind == "three-flushes":
                third = tuple(ranks) if len({card[1] for card in front}) == 1 else None
            else:
                third = (
                    3
                    if ranks == [14, 3, 2]
                    else ranks[0]
                    if ranks[0] - 1 == ranks[1] == ranks[2] + 1
                    else None
                )
            if third is not None and (best is None or (high, second, third) > best):
                best = (high, second, third)
    return best


@given(st.integers(0, 2**32), st.sampled_from(["three-straights", "three-flushes"]))
def test_r25_the_quick_tests_and_the_best_split_agree_with_trying_every_split(seed, kind):
    cards = tuple(almost_a_sweep(random.Random(seed), kind))
    found = best_split(kind, cards, high_table("lowest"))
    slow = naive_split(kind, cards)
    assert (kind in kinds(" ".join(cards))) == (slow is not None) == (found is not None)
    if slow is not None:
        assert found[:2] == slow[:2]
        if kind == "three-straights":
            assert found[2] == slow[2]
        else:
            ranks = [found[2] >> shift & 15 for shift in (16, 12, 8)]
            assert tuple(ranks) == slow[2]


def almost_a_sweep(rng: random.Random, kind: str) -> list[str]:
    """13 cards of three straights or flushes, of which sometimes one is exchanged."""
    left = set(DECK)
    cards: list[str] = []
    for size in (3, 5, 5):
        for _ in range(100):
            if kind == "three-flushes":
                suit = rng.choice("cdhs")
                choice = [card for card in sorted(left) if card[1] == suit]
                chosen = rng.sample(choice, size) if len(choice) >= size else []
            else:
                run = ("A" + RANKS)[(low := rng.randrange(15 - size)) : low + size]
                suits = rng.choice(["c", "cd", "cdhs"])
                chosen = [rank + rng.choice(suits) for rank in run]
                chosen = chosen if left.issuperset(chosen) else []
            if chosen:
                break
        left -= set(chosen)
        cards += chosen
    while len(cards) < 13 or rng.random() < 0.2:
        cards = cards[: min(len(cards), 12)]
        card = rng.choice(sorted(set(DECK) - set(cards)))
        cards.append(card)
    rng.shuffle(cards)
    return cards
