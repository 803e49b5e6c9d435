"""The 330 worked rounds, and the examples that the sources themselves print (E1-E6)."""

import json
from itertools import combinations
from pathlib import Path

import pytest

from tables.rules.errors import RuleError
from tables.rules.game.rounds import parse_round, score
from tests.support.play import CODES, SHEETS, play, points, reasons

DATA = Path(__file__).parents[3] / "support" / "data"


def worked() -> list[tuple[dict, dict]]:
    rounds, answers = (
        [json.loads(line) for line in (DATA / name).read_text().splitlines()]
        for name in ("rounds.jsonl", "answers.jsonl")
    )
    return list(zip(rounds, answers, strict=True))


def answer(entry: object) -> dict:
    try:
        return score(parse_round(entry, SHEETS)).as_json()
    except RuleError as fault:
        return {"error": fault.message, "code": fault.code}


@pytest.mark.parametrize("code", CODES)
def test_worked_rounds_of_every_sheet_settle_as_written(code):
    own = [(entry, expected) for entry, expected in worked() if entry["sheet"] == code]
    assert len(own) == 30
    for entry, expected in own:
        got = answer(entry)
        if "code" in expected:
            assert (got.get("code"), entry) == (expected["code"], entry)
        else:
            assert got == expected


def test_the_example_of_the_score_format_settles_as_printed():
    result = play(
        "face-up",
        "2: Qs Qh 2c / 5c 6d 7h 8s 9s / Ad Kd 9d 4d 2d, stack 200.00",
        "3: Ah Kc 8h / 3c 3d 7s 7c 4h / Ts Th Tc 6h 6c, stack 45.00",
        button=2,
        limit="5.00",
    )
    assert result.as_json()["net"] == {"2": "45.00", "3": "-45.00"}
    assert [(hand.bonuses, hand.fantasy_land_next) for hand in result.hands] == [
        ((7, 4, 4, 0), True),
        ((0, 0, 6, 0), False),
    ]
    (payment,) = result.payments
    assert (payment.points, payment.due_cents, payment.paid_cents) == (10, 5000, 4500)
    assert reasons(result) == [
        (2, "bonus_front", 7),
        (2, "front", 1),
        (2, "bonus_middle", 4),
        (2, "middle", 1),
        (2, "bonus_back", 4),
        (3, "bonus_back", 6),
        (3, "back", 1),
    ]


def test_e1_front_and_back_won_is_two_points_in_2_4_and_one_in_1_6():
    ivey = "1: 6c 6d 4c / Tc Td 9c Qc 8d / 3c 3d 3h 2c 2d"
    hellmuth = "2: As Ks Qs / 9d 9s 5h 5s 4h / Kh Jh 9h 8h 7h"
    assert points(play("2-4", ivey, hellmuth)) == {1: 2, 2: -2}
    assert points(play("1-6", ivey, hellmuth)) == {1: 1, 2: -1}


def test_e2_four_hands_at_one_point_a_segment_add_up_as_printed():
    # A beats B 3-0, C beats A 2-1, A beats D 2-1, C beats B 3-0, D beats B 2-1, C beats D 2-1.
    a = "1: Kh 2d 3d / 9c 9d 4d 5d 6d / Kc Kd Ts 9s 8s"
    b = "2: Jh 2s 3s / 8c 8d 4h 5h 6h / Jc Jd 7s Ks Qs"
    c = "3: Ah 2c 3c / Tc Td 4c 5c 6c / Qc Qd 7h As Js"
    d = "4: Qh 2h 3h / 7c 7d 4s 5s 6s / Ac Ad Th 9h 8h"
    result = play("eastern", a, b, c, d)
    assert not any(hand.foul for hand in result.hands)
    assert points(result) == {1: 3, 2: -7, 3: 5, 4: -1}
    assert sum(len(payment.lines) for payment in result.payments) == 3 * len(list(combinations("abcd", 2)))


def test_e3_western_nets_two_for_two_to_one_and_four_for_all():
    strong = "1: As Ks 2s / Qc Qd 5c 4c 3c / Ac Ad 9c 8c 7c"
    beaten_once = "2: Ah Kh 3h / Jc Jd 5d 4d 3d / Kc Kd 9d 8d 7d"
    assert points(play("western", strong, beaten_once)) == {1: 2, 2: -2}
    assert points(play("western", strong, beaten_once.replace("3h /", "Th /").replace("Ah", "Jh"))) == {
        1: 4,
        2: -4,
    }


def test_e4_eastern_pays_the_bonus_hand_in_place_of_the_point_and_doubles_it_over_the_same_category():
    kings = "1: As Qs 2s / Qc Qd 5c 4c 3c / Kc Kd Kh Ks 7c"
    flush = "2: Ah Jh 3h / Jc Jd 5d 4d 3d / 2d 6d 8d 9d Td"
    nines = "2: Ah Jh 3h / Jc Jd 5d 4d 3d / 9c 9d 9h 9s Td"
    assert points(play("eastern", kings, flush)) == {1: 6, 2: -6}
    result = play("eastern", kings, nines)
    assert reasons(result, to=1) == [("front", 1), ("middle", 1), ("bonus_back", 8)]


def test_e5_face_up_pays_the_table_s_eight_for_four_of_a_kind_in_the_back():
    quads = "1: As Qs 2s / Qc Qd 5c 4c 3c / Kc Kd Kh Ks 7c"
    other = "2: Ah Jh 3h / Ac Ad 5d 4d 3d / 8c 8d 8h 9d Td"
    result = play("face-up", quads, other, button=2)
    assert reasons(result, to=1) == [("front", 1), ("bonus_back", 8), ("back", 1)]
    assert points(result) == {1: 2 + 8 - 1, 2: -9}


def test_e6_one_segment_tied_and_the_others_won_is_three_and_split_is_nothing():
    tied = "1: As Qs 2s / Qc Qd 5c 4c 3c / Kc Kd 9c 8c 7c"
    other = "2: Ah Qh 2h / Jc Jd 5d 4d 3d / Kh Ks 9d 8d 6d"
    assert points(play("2-4", tied, other)) == {1: 3, 2: -3}
    split = "2: Ah Qh 2h / Jc Jd 5d 4d 3d / Kh Ks 9d 8d Jh"
    result = play("2-4", tied, split)
    assert points(result) == {1: 0, 2: 0}
    assert [payment.points for payment in result.pushed] == [0]
