"""Who stands where, who pays first, what table stakes leave of it, and the race (R30-R36, R42)."""

import pytest
from hypothesis import assume, given, strategies as st

from tables.rules.errors import DuplicateCard
from tables.rules.game.rounds import parse_round, score
from tests.support.chance import entries
from tests.support.play import CODES, SHEETS, entry, play, points, reasons, variant

# From the strongest to the weakest; each wins all segments of the ones below it, and none has a bonus.
ACES = "As Kd 4d / Qc Qd 9h 5s 2c / Ac Ad 9c 7s 3s"
KINGS = "Ks 9d 4c / Jc Jd 9s 5d 2d / Kc Kh Tc 7d 3d"
QUEENS = "Qh 8d 4h / Th Td 8s 5c 2h / Qs Js Jh 7c 3c"
FOUL = "Ts 6d 5h / 6c 6s 8h 3h 2s / 7h Ah 8c 4s 6h"


def positions(result) -> list[int]:
    return [hand.seat for hand in result.hands]


@pytest.mark.parametrize(
    ("sheet", "button", "expected"),
    [
        ("2-4", 3, [3, 5, 1]),
        ("2-4", 2, [3, 5, 1]),  # no hand at the button: the next one clockwise
        ("2-4", 4, [5, 1, 3]),
        ("western", 3, [1, 3, 5]),  # the next one counter-clockwise of the puck
        ("western", 1, [5, 1, 3]),
        ("western", 2, [1, 3, 5]),
        ("house", 3, [5, 1, 3]),  # left of the button
        ("house", 5, [1, 3, 5]),
        ("house", 2, [3, 5, 1]),
    ],
)
def test_r30_position_1_is_who_compares_first_then_clockwise(sheet, button, expected):
    sheets = variant("2-4", 'first = "left_of_button"')
    hands = (f"1: {ACES}", f"3: {KINGS}", f"5: {QUEENS}")
    assert positions(play(sheet, *hands, button=button, sheets=sheets)) == expected


def test_r30_nobody_wins_ties_where_the_button_has_no_hand():
    tied = "Ah Kc 4s / Qh Qs 9d 5h 2s / Kh Ks 9s 8s 7h"
    result = play("face-up", f"1: {ACES}", f"2: {tied}", button=5)
    assert reasons(result) == [(1, "back", 1)]


def test_r31_pairs_pay_in_the_order_of_positions():
    result = play("2-4", f"1: {ACES}", f"2: {KINGS}", f"4: {QUEENS}", button=2)
    assert [(p.positions, p.from_seat, p.to_seat) for p in result.payments] == [
        ((2, 1), 4, 2),
        ((1, 3), 2, 1),
        ((2, 3), 4, 1),
    ]


def test_r31_clean_sweeps_are_paid_first_each_clockwise_from_its_holder():
    dragon = "3: dealt 2s 3h 4c 5c 6h 7s 8h 9s Ts Js Qd Kd Ah, declares dragon"
    flushes = "1: dealt 2d 3d 4d 3s 4s 5s 6s 8s Jh 9h 7h 5h 2h, declares three-flushes"
    plain = "2: 2c 3c 8d / 6c 6d 9d 7d 4h / Ac Ad Jc 9c 5d"
    straight = "4: Kc Qc 8c / 7c Td Tc Kh Qh / As Jd Th Qs Ks"
    result = play("2-4", flushes, plain, dragon, straight, button=2)
    order = [(p.from_seat, p.to_seat) for p in result.payments]
    assert order[:5] == [(4, 3), (1, 3), (2, 3), (2, 1), (4, 1)]
    assert all(p.lines[0].reason == "clean_sweep" for p in result.payments[:5])
    assert set(order[5:]) <= {(2, 4), (4, 2)}


def test_r31_penalties_and_surrenders_are_paid_with_the_pairs():
    result = play("2-4", "1: , misset", "2: , surrenders", f"3: {ACES}")
    assert [(p.from_seat, p.to_seat, p.points) for p in result.payments] == [(2, 1, 3), (1, 3, 4), (2, 3, 3)]


def test_r32_a_point_is_worth_the_limit_or_the_pair_s_own_stake():
    hands = (f"1: {ACES}", f"2: {KINGS}", f"3: {QUEENS}")
    result = play("2-4", *hands, limit="5.00", pair_stakes=[{"seats": [3, 1], "limit": "7.50"}])
    assert {(p.to_seat, p.from_seat): p.due_cents for p in result.payments} == {
        (1, 2): 4 * 500,
        (1, 3): 4 * 750,
        (2, 3): 4 * 500,
    }


STARTING, RUNNING, UNCAPPED = "starting_stack", "running_stack", "uncapped_win"


def paid(stakes: str, *stacks: str, limit: str = "10.00") -> list[tuple[int, int, int]]:
    """Payments in whole units of money between the four hands from the strongest to the weakest."""
    sheets = variant("scoop-one", f'stakes = "{stakes}"')  # four points a pair
    hands = [
        f"{seat}: {cards}, stack {stack}"
        for seat, (cards, stack) in enumerate(zip((ACES, KINGS, QUEENS), stacks, strict=False), 1)
    ]
    result = play("house", *hands, limit=limit, sheets=sheets)
    return [(p.from_seat, p.to_seat, p.paid_cents // 100) for p in result.payments]


def test_r33_nobody_loses_or_wins_more_than_their_stack_at_the_start():
    # The strongest has 60 and may win 60 in all; the weakest has 30 and may lose 30.
    assert paid(STARTING, "60.00", "500.00", "30.00") == [(2, 1, 40), (3, 1, 20), (3, 2, 10)]


def test_r33_money_won_earlier_in_the_settlement_can_be_lost_later():
    # Position 1 is the middle hand: it wins from the weakest before it pays the strongest.
    sheets = variant("scoop-one", 'stakes = "starting_stack"')
    hands = (f"1: {KINGS}, stack 30.00", f"2: {QUEENS}, stack 500.00", f"3: {ACES}, stack 500.00")
    result = play("house", *hands, limit="10.00", sheets=sheets)
    assert [(p.from_seat, p.to_seat, p.paid_cents) for p in result.payments] == [
        (2, 1, 3000),
        (1, 3, 4000),
        (2, 3, 4000),
    ]
    assert result.net_cents == {1: -1000, 2: -7000, 3: 8000}


def test_r33_running_stacks_limit_payment_by_payment_as_they_stand():
    # 60 wins 40 and has 100, so that the next 30 are not cut.
    assert paid(RUNNING, "60.00", "500.00", "30.00") == [(2, 1, 40), (3, 1, 30), (3, 2, 0)]
    assert paid(RUNNING, "10.00", "500.00", "300.00") == [(2, 1, 10), (3, 1, 20), (3, 2, 40)]


def test_r33_an_uncapped_win_is_limited_by_the_payer_alone():
    assert paid(UNCAPPED, "10.00", "500.00", "70.00") == [(2, 1, 40), (3, 1, 40), (3, 2, 30)]


def test_r33_scores_only_moves_no_money():
    result = play("house", f"1: {ACES}", f"2: {KINGS}", sheets=variant("scoop-one", 'stakes = "none"'))
    assert points(result) == {1: 4, 2: -4}
    assert result.net_cents == {1: 0, 2: 0}


def test_r33_what_was_cut_is_recorded():
    result = play("2-4", f"1: {ACES}, stack 100.00", f"2: {KINGS}, stack 1.50")
    (payment,) = result.payments
    assert (payment.due_cents, payment.paid_cents) == (400, 150)


def check_stakes(result) -> None:
    """R33 and R34 said again: at every moment of the settlement, and at its end."""
    deal = result.deal
    stacks = {hand.seat: hand.stack_cents for hand in deal.hands}
    running = dict.fromkeys(stacks, 0)
    for payment in result.payments:
        before = dict(running)
        assert 0 <= payment.paid_cents <= payment.due_cents
        running[payment.from_seat] -= payment.paid_cents
        running[payment.to_seat] += payment.paid_cents
        assert all(running[seat] >= -stacks[seat] for seat in stacks)
        room = stacks[payment.from_seat] + before[payment.from_seat]
        if deal.sheet.stakes == STARTING:
            assert all(running[seat] <= stacks[seat] for seat in stacks)
            room = min(room, stacks[payment.to_seat] - before[payment.to_seat])
        elif deal.sheet.stakes == RUNNING:
            room = min(room, stacks[payment.to_seat] + before[payment.to_seat])
        if deal.sheet.stakes != "none":
            assert payment.paid_cents == min(payment.due_cents, room)  # cut no further than the limits ask
        else:
            assert payment.paid_cents == 0
    assert result.net_cents == running
    assert sum(running.values()) == 0


@pytest.mark.parametrize("code", CODES)
@given(data=st.data())
def test_r33_r34_every_settlement_of_every_sheet_stays_within_the_stacks_and_sums_to_zero(code, data):
    check_stakes(score(parse_round(data.draw(entries(codes=[code])), SHEETS)))


HOUSE_RULES = [
    variant(base, f'stakes = "{stakes}"\n{more}')
    for stakes in (STARTING, RUNNING, UNCAPPED, "none")
    for base, more in [
        ("face-up", "foul.plays = true\nbonus.broken = true"),
        ("eastern", 'bonus.to = "holder"\nbonus.cancel = true\nfirst = "left_of_button"'),
        ("2-4", 'ties = "button"\nbonus.one_per_hand = true\nclean_sweep.with_bonuses = true'),
    ]
]


@given(entries(codes=["house"]), st.integers(0, len(HOUSE_RULES) - 1))
def test_r33_r34_hold_for_every_rule_of_stakes_in_house_sheets(entry, house):
    sheets = HOUSE_RULES[house]
    own = sheets.find("house")
    assume(not own.foul.plays or all("front" in hand for hand in entry["hands"]))
    for hand in entry["hands"]:
        if not own.surrender.allowed:
            hand.pop("surrenders", None)
    if not own.pair_stakes:
        entry.pop("pair_stakes", None)
    check_stakes(score(parse_round(entry, sheets)))


@given(entries())
def test_r34_every_line_and_payment_adds_up(entry):
    result = score(parse_round(entry, SHEETS))
    for payment in (*result.payments, *result.pushed):
        towards = sum(
            line.points if line.to_seat == payment.to_seat else -line.points for line in payment.lines
        )
        assert towards == payment.points
        assert {line.to_seat for line in payment.lines} <= {payment.from_seat, payment.to_seat}
        assert all(line.points > 0 for line in payment.lines)
        assert len({(line.to_seat, line.reason) for line in payment.lines}) == len(payment.lines)


@given(entries(), st.randoms(use_true_random=False))
def test_r30_the_order_of_the_entry_changes_nothing(entry, rng):
    before = score(parse_round(entry, SHEETS)).as_json()
    seats = sorted({hand["seat"] for hand in entry["hands"]})
    rng.shuffle(seats)
    # The two hands of one player keep their order: the first comes first.
    hands = [hand for seat in seats for hand in entry["hands"] if hand["seat"] == seat]
    assert score(parse_round(entry | {"hands": hands}, SHEETS)).as_json() == before


@given(entries(), st.integers(1, 4))
def test_r30_turning_the_table_changes_only_the_seat_numbers(entry, turn):
    def turned(seat):
        return (seat - 1 + turn) % 5 + 1

    moved = entry | {
        "button": turned(entry["button"]),
        "hands": [hand | {"seat": turned(hand["seat"])} for hand in entry["hands"]],
    }
    if "pair_stakes" in entry:
        moved["pair_stakes"] = [
            stake | {"seats": [turned(seat) for seat in stake["seats"]]} for stake in entry["pair_stakes"]
        ]
    before, after = (score(parse_round(one, SHEETS)) for one in (entry, moved))
    assert [(turned(hand.seat), *hand[2:4]) for hand in before.hands] == [
        (hand.seat, *hand[2:4]) for hand in after.hands
    ]
    assert {turned(seat): cents for seat, cents in before.net_cents.items()} == after.net_cents


def test_r35_two_hands_each_stand_in_turn_and_meet_only_the_other_player_s():
    hands = (f"2: {ACES}, stack 50.00", f"2: {FOUL}, stack 50.00", f"4: {KINGS}", f"4: {QUEENS}")
    result = play("2-4", *hands, button=4)
    assert [(hand.seat, hand.strengths[0] != 0) for hand in result.hands] == [
        (4, True),
        (2, True),
        (4, True),
        (2, True),
    ]
    assert [p.positions for p in result.payments] == [(1, 2), (4, 1), (3, 2), (4, 3)]


def test_r35_the_stack_belongs_to_the_player_not_to_the_hand():
    hands = (f"2: {ACES}, stack 5.00", f"2: {FOUL}, stack 5.00", f"4: {KINGS}", f"4: {QUEENS}")
    result = play("2-4", *hands, button=4)
    assert [p.paid_cents for p in result.payments] == [400, 400, 400, 400]
    assert result.net_cents == {2: 0, 4: 0}
    hands = (f"2: {FOUL}, stack 5.00", "2: , misset, stack 5.00", f"4: {KINGS}", f"4: {QUEENS}")
    assert play("2-4", *hands, button=4).net_cents == {2: -500, 4: 500}


def test_r36_every_sheet_but_the_race_uses_table_stakes():
    assert {sheet.code: sheet.stakes for sheet in SHEETS if sheet.stakes != STARTING} == {
        "first-to-11": "none"
    }


def test_r42_in_the_race_the_best_segment_alone_scores_one_and_ties_nobody():
    hands = (f"1: {ACES}", f"2: {KINGS}", f"3: {QUEENS}")
    result = play("first-to-11", *hands)
    assert (result.race, result.payments, result.net_cents) == ({1: 3, 2: 0, 3: 0}, (), {1: 0, 2: 0, 3: 0})
    assert result.as_json()["score"] == {"1": 3, "2": 0, "3": 0}
    assert "net" not in result.as_json()
    tied = "Ah Kc 4s / Qh Qs 9d 5h 2s / Kh Ks 9s 8s 7h"
    assert play("first-to-11", f"1: {ACES}", f"2: {tied}").race == {1: 1, 2: 0}


def test_r42_with_four_players_all_three_segments_score_four():
    hands = (f"1: {ACES}", f"2: {KINGS}", f"3: {QUEENS}", "4: , misset")
    assert play("first-to-11", *hands).race == {1: 4, 2: 0, 3: 0, 4: 0}


def test_r42_a_foul_hand_scores_nothing_and_cannot_be_best():
    hands = (f"1: {KINGS}", "2: Ac Ad Ah / Qc Qd 9h 5s 2c / As Th 9c 7s 6s")
    assert play("first-to-11", *hands).race == {1: 3, 2: 0}


def test_r43_hands_kept_from_one_deal_share_no_card_with_the_round_before():
    first = parse_round(entry("2-4", f"1: {ACES}", f"2: {KINGS}"), SHEETS)
    kept = entry("2-4", f"1: {QUEENS}", f"2: {FOUL}")
    assert score(parse_round(kept, SHEETS, reserved_from=first))
    again = entry("2-4", f"1: {QUEENS}", f"2: {ACES}")
    assert score(parse_round(again, SHEETS))
    with pytest.raises(DuplicateCard) as refusal:
        parse_round(again, SHEETS, reserved_from=first)
    assert "seat 2: As" in refusal.value.message


def test_r43_three_hands_are_a_round_like_any_other():
    result = play("2-4", f"1: {ACES}", f"2: {KINGS}", f"3: {QUEENS}")
    assert points(result) == {1: 8, 2: 0, 3: -8}
