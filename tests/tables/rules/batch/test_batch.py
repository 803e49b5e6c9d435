"""Many rounds at once: the same answers as the plain engine,
on every kind of round that the batch form holds."""

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tables.rules.batch.entry import gather
from tables.rules.batch.scoring import MOST_CENTS, Rounds, score_rounds, settle_rounds
from tables.rules.batch.tables import Grader, grade_tables
from tables.rules.errors import BatchUnfit, FalseDeclaration
from tables.rules.game.cards import CARD_NUMBERS, DECK, RANK_MASK
from tables.rules.game.ranking import CATEGORIES, CATEGORY_SHIFT, FRONT_STRENGTHS, high_table
from tables.rules.game.rounds import parse_round, parse_sheet, score
from tests.support import chance, deals
from tests.support.lengths import HOUSE_ROUNDS, ROUNDS
from tests.support.play import CODES, SHEETS, entry, variant

FACE_UP = SHEETS.find("face-up")
ALL_KINDS = {
    "no-people": 2,
    "no-broadway": 9,
    "twelve-colours": 2,
    "thirteen-colours": 7,
    "three-flushes": 3,
    "three-straights": 3,
    "six-pairs": 4,
    "dragon": 13,
    "super-dragon": 26,
}
# Sheets of a house, with other words and figures that the batch form knows.
HOUSES = {
    "present stacks alone cap": 'stakes = "running_stack"\nfirst = "left_of_button"',
    "wins are not capped": 'stakes = "uncapped_win"\nfirst = "right_of_puck"',
    "scores only": 'stakes = "none"\nequal_segments = "allowed"\nties = "push"',
    "sweeps by rank": 'wheel = "second"\nclean_sweep = { compare = "rank", with_bonuses = false }',
    "mild fouls": 'foul = { points = 4, pays_bonuses = false, against_clean_sweep = "value" }',
    "great figures": "bonus.back = { pair = 100000 }\nfoul.points = 1000000",
    "every kind": "".join(
        f'[[clean_sweep.kinds]]\nkind = "{kind}"\npoints = {points}\n' for kind, points in ALL_KINDS.items()
    ),
    "no clean sweeps": "clean_sweep.kinds = []",
}

ACES = "As Kd 4d / Qc Qd 9h 5s 2c / Ac Ad 9c 7s 3s"
ACES_TOO = "Ah Kc 4s / Qh Qs 9d 5h 2s / Kh Ks 9s 8s 7h"  # ties in front and in the middle
COMMAS = {"front": "As,Kd,4d", "middle": "Qc,Qd,9h,5s,2c", "back": "Ac,Ad,9c,7s,3s"}
THREE_STRAIGHTS = "Ah 2d 3c / 5d 6s 7d 8s 9h / Tc Js Qc Kd Ac"
THREE_FLUSHES = "4h 6h Jh / 2s 4s 7s Ts Qs / 3d 8d Td Jd Qd"
DRAGON = "2c 3h 4h / 5c 6h 7c 8h 9c / Th Jc Qh Kc As"


def in_batch(sheet, rounds):
    """What the batch form says of rounds, by their places (None where it refuses one),
    and the places it leaves."""
    said = {}
    gathered, left = gather(sheet, rounds)
    for group in gathered:
        points = score_rounds(sheet, group.rounds)
        money = settle_rounds(sheet, points, group.stacks, group.limits)
        said |= zip(group.at.tolist(), told(sheet, group, points, money), strict=True)
    return said, left


def told(sheet, group, points, money):
    """Of each round: (foul, clean sweep, bonuses, fantasy land next) by hand, the payments in order,
    the net."""
    kinds = [*sheet.clean_sweep.kinds, None]
    hands = group.seats.shape[1]
    pairs = list(itertools.combinations(range(hands), 2))
    turns = [(one, (one + step) % hands) for one in range(hands) for step in range(1, hands)]
    swept = {at: place for place, at in enumerate(points.swept.tolist())}
    collected, collected_cents = points.sweeps.tolist(), money.sweeps.tolist()
    by_hand = (points.foul, points.clean_sweep, points.bonuses, points.fantasy_land_next)
    by_round = (*by_hand, points.pairs, money.pairs, group.seats, group.limits, money.net, points.refused)
    rows = zip(*(array.tolist() for array in by_round), strict=True)
    for at, (foul, sweeps, bonuses, earned, won, paid, seats, limit, net, refused) in enumerate(rows):
        flows = []
        if at in swept:
            points_of, cents_of = collected[swept[at]], collected_cents[swept[at]]
            flows = [(one, other, points_of[one][other], cents_of[one][other]) for one, other in turns]
        flows += [(*pair, *flow) for pair, *flow in zip(pairs, won, paid, strict=True)]
        payments = [
            (seats[other], seats[one], points, points * limit, cents)
            if points > 0
            else (seats[one], seats[other], -points, -points * limit, -cents)
            for one, other, points, cents in flows
            if points
        ]
        laid = zip(foul, [kinds[place] for place in sweeps], map(tuple, bonuses), earned, strict=True)
        yield None if refused else (list(laid), payments, dict(sorted(zip(seats, net, strict=True))))


def plainly(entered, sheets=SHEETS):
    """The same from the plain engine."""
    try:
        result = score(parse_round(entered, sheets))
    except FalseDeclaration:
        return None
    laid = [
        (hand.foul, hand.clean_sweep, tuple(hand.bonuses[:3]), hand.fantasy_land_next)
        for hand in result.hands
    ]
    payments = [
        (paid.from_seat, paid.to_seat, paid.points, paid.due_cents, paid.paid_cents)
        for paid in result.payments
    ]
    return laid, payments, dict(result.net_cents)


def met(said):
    """What a round shows, to be counted."""
    if said is None:
        return ["refused"]
    laid, payments, _ = said
    return [
        *(sweep for _, sweep, _, _ in laid if sweep),
        *("foul" for foul, *_ in laid if foul),
        *("fantasy land" for *_, earned in laid if earned),
        *("cut" for *_, due, paid in payments if paid < due),
        *(["push"] if len(payments) < len(laid) * (len(laid) - 1) // 2 else []),
    ]


def test_tens_of_thousands_of_rounds_come_out_as_from_the_plain_engine():
    rng = np.random.default_rng(20261121)
    seen = Counter()
    for _ in range(10):
        rounds = list(deals.entries(rng, ROUNDS // 10, FACE_UP))
        said, left = in_batch(FACE_UP, rounds)
        assert left == []
        for at, entered in enumerate(rounds):
            plain = plainly(entered)
            assert said[at] == plain, entered
            seen.update(met(plain))
    wanted = (*FACE_UP.clean_sweep.kinds, "refused", "foul", "fantasy land", "cut", "push")
    assert min(seen[one] for one in wanted) > ROUNDS // 200, seen


@pytest.mark.parametrize("changes", HOUSES.values(), ids=HOUSES)
def test_a_houses_own_figures_and_words_come_out_as_from_the_plain_engine(changes):
    sheets = variant("face-up", changes)
    sheet = sheets.find("house")
    seen = Counter()
    rounds = list(deals.entries(np.random.default_rng(1), HOUSE_ROUNDS, sheet))
    said, left = in_batch(sheet, rounds)
    assert left == []
    for at, entered in enumerate(rounds):
        assert said[at] == plainly(entered, sheets), entered
        seen.update(met(said[at]))
    assert min(seen[kind] for kind in ("foul", *sheet.clean_sweep.kinds)) > 5, seen


@given(rounds=st.lists(chance.entries(["face-up"]), max_size=6))
def test_rounds_that_are_held_come_out_as_from_the_plain_engine_wherever_others_lie_between_them(rounds):
    said, left = in_batch(FACE_UP, rounds)
    assert sorted([*said, *left]) == list(range(len(rounds)))
    assert {at: plainly(rounds[at]) for at in said} == said


def test_r10_a_tie_goes_to_the_button_holder_and_to_nobody_where_that_seat_has_no_hand():
    def net(button):
        return one_round(f"1: {ACES}", f"2: {ACES_TOO}", button=button)[2]

    assert (net(1), net(2)) == ({1: 300, 2: -300}, {1: -100, 2: 100})
    assert net(3) == {1: 100, 2: -100}


def test_r24_r33_equal_clean_sweeps_push_the_higher_collects_and_stacks_cut_it():
    rounds = (f"1: {THREE_STRAIGHTS}, declares three-straights, stack 30.00", f"2: {THREE_FLUSHES}")
    laid, payments, _ = one_round(rounds[0], f"{rounds[1]}, declares three-flushes")
    assert [sweep for _, sweep, *_ in laid] == ["three-straights", "three-flushes"]
    assert payments == []
    # Undeclared, the flushes lose to the straights' 3 points with 4 and 2 of bonuses.
    assert one_round(*rounds)[1] == [(2, 1, 9, 900, 900)]
    assert one_round(*rounds, limit="10.00")[1] == [(2, 1, 9, 9000, 3000)]


def one_round(*hands, sheet=FACE_UP, **more):
    said, left = in_batch(sheet, [entry(sheet.code, *hands, **more)])
    assert left == []
    return said[0]


def test_r41_fantasy_land_is_entered_with_queens_and_kept_with_more():
    def earned(front, said=""):
        laid, _, _ = one_round(f"1: {front} / 5c 6d 7h 8s 9s / Ad Kd 9d 4d 2d{said}", "2: , misset")
        return laid[0][3]

    assert (earned("Js Jc 2c"), earned("Qd Qc 2c")) == (False, True)
    assert (earned("Qd Qc 2c", ", fantasy"), earned("3s 3c 3d", ", fantasy")) == (False, True)


@pytest.mark.parametrize(
    "hand",
    [
        "As Kd 4d / Qc Qd 9h 5s 2c / Ac Ad 9c 7s 3s, surrenders",
        "dealt As Kd 4d Qc Qd 9h 5s 2c Ac Ad 9c 7s 3s, declares dragon",
        "As Kd / Qc Qd 9h 5s 2c / Ac Ad 9c 7s 3s, misset",
        "As Kd 4d / Qc Qd 9h 5s 2c / Ac Ad 9c 7s Ah",
        "As Kd 4d / Qc Qd 9h 5s 2c / Ac Ad 9c 7s 3x",
        "As Kd 4d / Qc Qd 9h 5s 2c / Ac Ad 9c 7s é3",
        "As Kd 4d / Qc Qd 9h 5s 2c / Ac Ad 9c 7s 3s, declares no-people",
        "As Kd 4d / Qc Qd 9h 5s 2c / Ac Ad 9c 7s 3s, stack 1",
        "As Kd 4d / Qc Qd 9h 5s 2c / Ac Ad 9c 7s 3s, royalties top",
        "",
    ],
)
def test_a_hand_that_has_no_place_in_the_arrays_leaves_its_round_to_the_plain_engine(hand):
    rounds = [
        entry("face-up", *hands)
        for hands in ([f"1: {hand}", f"2: {ACES_TOO}"], ["1: , misset", "2: , misset"])
    ]
    said, left = in_batch(FACE_UP, rounds)
    assert (list(said), left) == ([1], [0])


@pytest.mark.parametrize(
    "changes",
    [
        {"sheet": "2-4"},
        {"version": 2},
        {"version": True},
        {"limit": "0.00"},
        {"limit": "10000000000.01"},
        {"button": 6},
        {"button": "1"},
        {"pair_stakes": [{"seats": [1, 2], "limit": "2.00"}]},
        {"reserved": True},
        {"hands": []},
        {"hands": [{"seat": 1, "stack": "1.00", "misset": True}] * 4},
        {"hands": [{"seat": 1, "stack": "1.00", "misset": 1}, {"seat": 2, "stack": "1.00", "misset": True}]},
        {
            "hands": [
                {"seat": 6, "stack": "1.00", "misset": True},
                {"seat": 2, "stack": "1.00", "misset": True},
            ]
        },
        {"hands": [{"seat": 1, "stack": "1.00", "front": 3}, {"seat": 2, "stack": "1.00", "misset": True}]},
        {"hands": [{"seat": 1, "stack": "1.00", **COMMAS}, {"seat": 2, "stack": "1.00", "misset": True}]},
        {"hands": [1, 2]},
    ],
)
def test_a_round_that_has_no_place_in_the_arrays_is_left_to_the_plain_engine(changes):
    good = entry("face-up", "1: , misset", "2: , misset")
    said, left = in_batch(FACE_UP, [good | changes, good, None])
    assert (list(said), left) == ([1], [0, 2])


def test_r23_a_declaration_of_a_misset_hand_and_a_surrender_are_left_to_the_plain_engine():
    unset = "1: dealt 2c 3s 4s 5s 5c 7d 7h 9d 9h Th Td Js Jh, declares six-pairs, misset"
    western = SHEETS.find("western")
    rounds = [entry("western", unset, "2: , surrenders"), entry("western", unset, "2: , misset")]
    assert gather(western, rounds)[1] == [0, 1]
    assert all((True, None) in [laid[:2] for laid in plainly(one)[0]] for one in rounds)


def test_a_game_without_fantasy_land_has_none_and_leaves_its_claim_to_the_plain_engine():
    without, _, _ = FACE_UP.raw.decode().partition("[fantasy_land]")
    sheet = parse_sheet(without.replace('code = "face-up"', 'code = "house"').encode(), "house.toml")
    queens = "1: Qd Qc 2c / 5c 6d 7h 8s 9s / Ad Kd 9d 4d 2d"
    said, left = in_batch(
        sheet, [entry("house", f"{queens}{claim}", "2: , misset") for claim in (", fantasy", "")]
    )
    assert left == [0]
    assert [earned for *_, earned in said[1][0]] == [False, False]


@pytest.mark.parametrize("code", [code for code in CODES if code != "face-up"])
def test_a_game_with_rules_that_the_batch_form_does_not_know_is_refused(code):
    nothing = Rounds(np.zeros((0, 2, 13), np.uint8), *[np.zeros((0, 2), np.int8)] * 4)
    with pytest.raises(BatchUnfit) as refused:
        score_rounds(SHEETS.find(code), nothing)
    assert refused.value.field in refused.value.message


@pytest.mark.parametrize(
    "changes",
    [
        "hands_per_player = 2",
        'middle = "low"',
        "majority = 1",
        "scoop = 1",
        'bonus.to = "winner"',
        'bonus.mode = "replace"',
        "bonus.double_same_category = true",
        "bonus.cancel = true",
        "bonus.declared = true",
        "bonus.one_per_hand = true",
        "bonus.broken = true",
        "foul.plays = true",
        "surrender.allowed = true",
        'clean_sweep.basis = "dealt"',
        'clean_sweep.compare = "strength"',
    ],
)
def test_a_single_word_that_the_batch_form_does_not_know_is_refused(changes):
    sheet = variant("face-up", changes).find("house")
    with pytest.raises(BatchUnfit) as refused:
        in_batch(sheet, [entry("house", "1: , misset", "2: , misset")])
    assert refused.value.field == changes.split(" = ")[0]


def test_limits_that_would_not_fit_and_numbers_that_are_no_card_are_refused():
    (group,), _ = gather(FACE_UP, [entry("face-up", f"1: {ACES}", f"2: {ACES_TOO}")])
    points = score_rounds(FACE_UP, group.rounds)
    with pytest.raises(BatchUnfit):
        settle_rounds(FACE_UP, points, group.stacks, np.array([MOST_CENTS + 1]))
    group.rounds.cards[0, 1, 12] = len(DECK)
    with pytest.raises(ValueError, match="a card is a number below 52"):
        score_rounds(FACE_UP, group.rounds)


# -- the tables, every combination of cards ------------------------------------------------------------------


def strengths(cards, wheel, place):
    """By the tables, of as many hands as `cards` has columns; 13 rows,
    of which a segment lies from `place` on."""
    tables = grade_tables(wheel)
    hands = np.zeros((13, cards.shape[1]), np.uint8)
    hands[place : place + len(cards)] = cards
    grades = Grader(tables, cards.shape[1]).grades(hands)[(0, 3, 8).index(place)]
    assert not (grades & 1).any()
    assert (tables.categories[grades] == tables.categories[grades + 1]).all()
    return tables.strengths[grades >> 1]


@pytest.fixture(scope="module")
def five_cards():
    """All combinations of five cards."""
    flat = itertools.chain.from_iterable(itertools.combinations(range(len(DECK)), 5))
    return np.fromiter(flat, np.uint8).reshape(-1, 5).T


@pytest.mark.parametrize("wheel", ["lowest", "second"])
def test_r1_r2_every_five_cards_are_as_strong_as_to_the_plain_engine(wheel, five_cards):
    found = strengths(five_cards, wheel, 3)
    tallies = np.array(list(CARD_NUMBERS.values()))[five_cards].sum(axis=0)
    tallies, at, where = np.unique(tallies, return_index=True, return_inverse=True)
    table = high_table(wheel)
    plain = [table.strength(tally) for tally in tallies.tolist()]
    assert five_cards.shape[1] == 2_598_960
    assert (found == np.array(plain)[where]).all()
    # In whatever order they lie, in the back as in the middle.
    shuffled = np.random.default_rng(1).permuted(five_cards[:, at], axis=0)
    assert strengths(shuffled, wheel, 8).tolist() == plain


def test_r1_five_cards_fall_into_the_categories_in_the_known_numbers(five_cards):
    counted = Counter((strengths(five_cards, "lowest", 8) >> CATEGORY_SHIFT).tolist())
    assert {CATEGORIES[place]: times for place, times in sorted(counted.items())} == {
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


def test_r3_every_three_cards_are_as_strong_as_to_the_plain_engine():
    cards = np.array(list(itertools.permutations(range(len(DECK)), 3)), np.uint8).T
    tallies = np.array(list(CARD_NUMBERS.values()))[cards].sum(axis=0) & RANK_MASK
    plain = [FRONT_STRENGTHS[tally] for tally in tallies.tolist()]
    assert cards.shape[1] == 6 * 22_100
    assert strengths(cards, "lowest", 0).tolist() == plain
