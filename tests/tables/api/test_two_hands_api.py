"""Two hands each on the dealer's tablet (R35, R54): every address says and asks which hand is meant."""

import json

import pytest

from tables.models import Round, Settlement
from tests.support.game import FULL_HOUSE, LOW, PLAIN, QUEENS

FOUR = [
    {"seat": seat, "position": position, **cards}
    for position, (seat, cards) in enumerate(
        zip((1, 2, 1, 2), (QUEENS, FULL_HOUSE, PLAIN, LOW), strict=True), 1
    )
]


@pytest.fixture
def tablet(client, seated):
    """A signed-in dealer's tablet at a table where Ann and Bob sit."""
    client.force_login(seated.dealer)

    def call(method, path, body=None, expect=200):
        sent = json.dumps(body) if body is not None else ""
        answer = client.generic(method, f"/api/{path}", sent, content_type="application/json")
        assert answer.status_code == expect, answer.content
        return answer.json()

    call.client = client
    call.session = seated.session.pk
    return call


@pytest.fixture
def four(tablet):
    """A running round of two hands each."""
    body = {"key": "start-the-round", "two_hands": [1, 2]}
    return tablet("POST", f"sessions/{tablet.session}/rounds", body, expect=201)


def test_r54_the_plan_says_when_two_hands_each_are_possible_and_agreed(tablet, game):
    path = f"sessions/{tablet.session}/plan"
    plan = tablet("GET", path)
    assert (plan["two_hands_possible"], plan["two_hands"], plan["can_start"]) == (True, False, True)
    plan = tablet("GET", f"{path}?two_hands=1,2")
    assert (plan["two_hands_possible"], plan["two_hands"], plan["can_start"]) == (True, True, True)
    plan = tablet("GET", f"{path}?two_hands=2")
    assert (plan["two_hands"], plan["can_start"]) == (False, False)
    assert "both must agree" in plan["why_not"]
    game.buy_in("Cat", 3)
    plan = tablet("GET", f"{path}?two_hands=1,2")
    assert (plan["two_hands_possible"], plan["can_start"]) == (False, False)
    assert tablet("GET", f"{path}?two_hands=six", expect=400)["code"] == "bad_entry"


@pytest.mark.parametrize(
    ("agreed", "code"),
    [([1], "two_hands_not_agreed"), ([1, 3], "two_hands_not_agreed"), ("both", "bad_entry")],
)
def test_r54_one_alone_does_not_agree(tablet, agreed, code):
    body = {"key": "start-the-round", "two_hands": agreed}
    answer = tablet("POST", f"sessions/{tablet.session}/rounds", body, expect=400)
    assert answer["code"] == code
    assert not Round.objects.exists()


def test_r35_a_round_of_two_hands_each_from_start_to_settled(tablet, four):
    assert [(hand["position"], hand["seat"], hand["stack"]) for hand in four["hands"]] == [
        (1, 1, "290.00"),
        (2, 2, "290.00"),
        (3, 1, "290.00"),
        (4, 2, "290.00"),
    ]
    path = f"rounds/{four['id']}"
    draft = tablet("PUT", f"{path}/draft", {"version": 0, "hands": FOUR[2:]})
    assert {hand["position"]: hand["front"] for hand in draft["hands"]} == {3: "high-card", 4: "high-card"}
    assert draft["complete"] is False
    kept = tablet("GET", path)["draft"]["hands"]
    assert [(hand["seat"], hand["position"], hand["front"]) for hand in kept] == [
        (1, 3, PLAIN["front"]),
        (2, 4, LOW["front"]),
    ]
    draft = tablet("PUT", f"{path}/draft", {"version": 1, "hands": FOUR})
    assert draft["complete"] is True
    settled = tablet("POST", f"{path}/settle", {"key": "confirm-it", "hands": FOUR[::-1]})
    assert settled["settlement"]["net"] == draft["score"]["net"]
    assert settled["settlement"]["names"] == {"1": "Ann", "2": "Bob"}
    entered = {hand["position"]: (hand["seat"], hand["front"]) for hand in settled["settlement"]["entered"]}
    assert entered == {hand["position"]: (hand["seat"], hand["front"]) for hand in FOUR}
    assert tablet("POST", f"{path}/settle", {"key": "confirm-it", "hands": FOUR}) == settled
    assert Settlement.objects.count() == 1


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"position": 2}, "wrong_position"),
        ({"position": 0}, "wrong_position"),
        ({"position": 3}, "bad_entry"),
        ({"position": None}, "bad_entry"),
        ({"position": 5}, "bad_entry"),
        ({"position": "1"}, "bad_entry"),
        ({"position": True}, "bad_entry"),
        ({"back": "5d 5h 5s Kh Qc"}, "duplicate_card"),
    ],
)
def test_r35_hands_that_are_not_clear_settle_nothing(tablet, four, change, code):
    body = {"key": "confirm-it", "hands": [{**FOUR[0], **change}, *FOUR[1:]]}
    assert tablet("POST", f"rounds/{four['id']}/settle", body, expect=400)["code"] == code
    assert not Settlement.objects.exists()


def test_r35_one_hand_that_says_no_position_is_not_guessed(tablet, four):
    path = f"rounds/{four['id']}"
    only = [{"seat": 1, **QUEENS}]
    draft = tablet("PUT", f"{path}/draft", {"version": 0, "hands": only})
    assert (draft["hands"][0]["position"], draft["hands"][0]["error"]["code"]) == (None, "wrong_position")
    answer = tablet("POST", f"{path}/settle", {"key": "confirm-it", "hands": only}, expect=400)
    assert answer["code"] == "wrong_position"


def test_one_hand_each_is_the_same_content_with_and_without_positions(tablet):
    round_ = tablet("POST", f"sessions/{tablet.session}/rounds", {"key": "start-the-round"}, expect=201)
    path = f"rounds/{round_['id']}/settle"
    plain = [{"seat": 1, **QUEENS}, {"seat": 2, **FULL_HOUSE}]
    first = tablet("POST", path, {"key": "confirm-it", "hands": plain})
    assert tablet("POST", path, {"key": "confirm-it", "hands": FOUR[:2]}) == first


def test_r58_a_second_hand_is_corrected_through_the_tablet_and_the_floor(tablet, four, game):
    path = f"rounds/{four['id']}"
    tablet("POST", f"{path}/settle", {"key": "confirm-it", "hands": FOUR})
    misset = [*FOUR[:2], {"seat": 1, "position": 3, "misset": True}, FOUR[3]]
    body = {"key": "correct-it", "hands": misset, "reason": "the second hand was mis-set"}
    asked = tablet("POST", f"{path}/corrections", body, expect=201)
    assert set(asked["difference"]) == {"1", "2"}
    assert tablet("POST", f"{path}/corrections", body, expect=201)["id"] == asked["id"]
    tablet.client.force_login(game.floor)
    page = tablet.client.get(f"/floor/sessions/{tablet.session}/").content.decode()
    assert "second hand" in page
    assert "over both hands" in page
    tablet("POST", f"corrections/{asked['id']}/approve", {"key": "approve-it"})
    settled = tablet("GET", path)["settlement"]
    assert settled["corrected"] is True
    assert [hand["foul"] for hand in settled["hands"]] == [False, False, True, True]


def test_a_record_shows_both_hands_of_a_seat_to_the_regulator(tablet, four, regulator):
    tablet("POST", f"rounds/{four['id']}/settle", {"key": "confirm-it", "hands": FOUR})
    tablet.client.force_login(regulator)
    page = tablet.client.get(f"/rounds/{four['id']}/").content.decode()
    assert page.count("first hand, position") == page.count("second hand, position") == 2
    assert "second hand to first hand" in page
