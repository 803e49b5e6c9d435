"""The dealer's tablet at tables of other games: what the plan says of a game,
and what a round of it takes."""

import pytest

from tables.models import Round, Settlement
from tables.rules.game.rounds import library
from tests.support.game import FULL_HOUSE, LOW, PLAIN, QUEENS
from tests.tables.rounds.test_every_game import DRAGON, TRIPS, WEAK

NO_SWEEP = "2c 3s 4s 5s 5c 7d 2d 9d 9h 2s 4d Js Jh"


def seated(*hands):
    return [{"seat": seat, **hand} for seat, hand in enumerate(hands, 1)]


class TestThePlanSaysWhatTheGameNeeds:
    """The sheet as a device needs it, the same in the plan and in every round."""

    @pytest.mark.parametrize("code", sorted(sheet.code for sheet in library()))
    def test_every_game_is_described(self, tablet_at, code):
        sheet = tablet_at(code, "Ann", "Bob").plan()["sheet"]
        own = library().find(code)
        assert (sheet["code"], sheet["version"], sheet["title"]) == (code, own.version, own.title)
        assert (sheet["dealing"], sheet["middle"], sheet["wheel"]) == (own.dealing, own.middle, own.wheel)
        assert (sheet["hands_per_player"], sheet["race_to"]) == (own.hands_per_player, own.race_to)
        assert [(sweep["kind"], sweep["points"]) for sweep in sheet["clean_sweeps"]] == list(
            own.clean_sweep.kinds.items()
        )

    @pytest.mark.parametrize(
        ("code", "said"),
        [
            ("face-up", {"surrender": None, "announced": [], "pair_stakes": False, "unset": False}),
            ("face-up", {"fantasy_land": True, "false_declaration": "refuse", "foul_plays": False}),
            (
                "western",
                {"surrender": {"points": 3, "before_clean_sweep": True}, "false_declaration": "foul"},
            ),
            ("western", {"announced": [], "pair_stakes": True, "unset": True, "fantasy_land": False}),
            ("2-4", {"announced": ["front", "middle", "back"]}),
            ("low-middle", {"announced": ["front", "back"], "middle": "low"}),
            ("1-6", {"surrender": {"points": 4, "before_clean_sweep": False}}),
            ("pokerlistings", {"announced": [], "surrender": None, "unset": True}),
            ("first-to-11", {"race_to": 11, "pair_stakes": False, "unset": False, "clean_sweeps": []}),
        ],
    )
    def test_what_a_round_of_it_asks_for(self, tablet_at, code, said):
        sheet = tablet_at(code, "Ann", "Bob").plan()["sheet"]
        assert {name: sheet[name] for name in said} == said

    def test_a_round_carries_the_same(self, tablet_at):
        tablet = tablet_at("western", "Ann", "Bob")
        assert tablet.start()["sheet"] == tablet.plan()["sheet"]

    def test_r35_a_game_of_two_hands_each_has_two_players(self, tablet_at):
        plan = tablet_at("criss-cross", "Ann", "Bob", "Cat").plan()
        assert (plan["players"], plan["two_hands"], plan["two_hands_possible"]) == (2, True, False)
        assert [(seat["seat"], seat["reason"]) for seat in plan["waiting"]] == [(3, "two_only")]

    def test_other_games_have_four(self, tablet_at):
        plan = tablet_at("western", "Ann", "Bob", "Cat").plan()
        assert (plan["players"], len(plan["dealt_in"]), plan["two_hands"]) == (4, 3, False)


class TestAgreedBeforeTheStart:
    """Stakes between two players, and kept hands, come with the start of a round."""

    def test_r32_stakes_stand_on_the_round_and_are_proposed_again(self, tablet_at):
        tablet = tablet_at("western", "Ann", "Bob", "Cat")
        stakes = [{"seats": [3, 1], "limit": "10.00"}]
        round_ = tablet.start(pair_stakes=stakes)
        kept = [{"seats": [1, 3], "limit": "10.00"}]
        assert round_["pair_stakes"] == kept
        tablet.game.settle(Round.objects.get(), [QUEENS, FULL_HOUSE, PLAIN])
        assert tablet.plan()["pair_stakes"] == kept
        assert tablet.plan("?decline=1")["pair_stakes"] == []
        settled = tablet("GET", f"rounds/{round_['id']}")
        between = [p for p in settled["settlement"]["payments"] if {p["from"], p["to"]} == {1, 3}]
        assert all(float(payment["due"]) == 10 * payment["points"] for payment in between)

    @pytest.mark.parametrize(
        ("code", "stakes", "error"),
        [
            ("western", "none", "bad_entry"),
            ("western", [{"seats": [1, 2]}], "bad_entry"),
            (
                "western",
                [{"seats": [1, 2], "limit": "1.00"}, {"seats": [2, 1], "limit": "2.00"}],
                "bad_entry",
            ),
            ("western", [{"seats": [1], "limit": "1.00"}], "bad_seat"),
            ("western", [{"seats": ["1", 2], "limit": "1.00"}], "bad_seat"),
            ("western", [{"seats": [True, 2], "limit": "1.00"}], "bad_seat"),
            ("western", [{"seats": [2, 2], "limit": "1.00"}], "bad_seat"),
            ("western", [{"seats": [1, 4], "limit": "1.00"}], "bad_seat"),
            ("western", [{"seats": [1, 10**17], "limit": "1.00"}], "bad_seat"),
            ("western", [{"seats": [1, 2], "limit": "0.00"}], "bad_limit"),
            ("western", [{"seats": [1, 2], "limit": 5}], "bad_limit"),
            ("western", [{"seats": [1, 2], "limit": "5"}], "bad_limit"),
            ("face-up", [{"seats": [1, 2], "limit": "10.00"}], "no_pair_stakes"),
        ],
    )
    def test_r32_other_stakes_are_refused_and_start_nothing(self, tablet_at, code, stakes, error):
        tablet = tablet_at(code, "Ann", "Bob")
        assert tablet.start(400, pair_stakes=stakes)["code"] == error
        assert not Round.objects.exists()

    def test_r43_the_kept_hands_of_the_round_before(self, tablet_at):
        tablet = tablet_at("western", "Ann", "Bob")
        assert tablet.plan()["reserved_possible"] is False
        assert tablet.start(400, reserved=True)["code"] == "no_reserved_hands"
        assert tablet.start(400, reserved="yes")["code"] == "bad_entry"
        first = tablet.start()
        assert first["reserved_from"] is None
        tablet.game.settle(Round.objects.get(), [QUEENS, FULL_HOUSE])
        assert tablet.plan()["reserved_possible"] is True
        assert tablet.plan("?two_hands=1,2")["reserved_possible"] is False
        second = tablet.start(key="start-the-next", reserved=True)
        assert second["reserved_from"] == 1
        entered = {"version": 0, "hands": [{"seat": 1, "front": "Qs"}]}
        draft = tablet("PUT", f"rounds/{second['id']}/draft", entered)
        assert draft["hands"][0]["error"]["code"] == "duplicate_card"


class TestEnteringHands:
    """Surrenders, announced bonuses and unset hands travel through draft, settlement and correction."""

    def test_r27_a_surrender_from_draft_to_settlement(self, tablet_at):
        tablet = tablet_at("western", "Ann", "Bob")
        path = f"rounds/{tablet.start()['id']}"
        entered = seated({"surrenders": True}, FULL_HOUSE)
        draft = tablet("PUT", f"{path}/draft", {"version": 0, "hands": entered})
        assert [(hand["surrendered"], hand["foul"]) for hand in draft["hands"]] == [
            (True, False),
            (False, False),
        ]
        assert draft["complete"] is True
        assert tablet("GET", path)["draft"]["hands"][0]["surrenders"] is True
        settled = tablet("POST", f"{path}/settle", {"key": "confirm-it", "hands": entered})["settlement"]
        assert {hand["seat"]: hand["surrendered"] for hand in settled["hands"]} == {1: True, 2: False}
        assert settled["net"] == {"1": "-15.00", "2": "15.00"}

    def test_r25_an_unset_hand_from_draft_to_settlement(self, tablet_at):
        tablet = tablet_at("western", "Ann", "Bob")
        path = f"rounds/{tablet.start()['id']}"
        hands = seated({"dealt": DRAGON}, {"misset": True})
        draft = tablet("PUT", f"{path}/draft", {"version": 0, "hands": hands})
        hand = draft["hands"][0]
        assert (hand["front"], hand["middle"], hand["back"], hand["foul"]) == (None, None, None, False)
        assert hand["clean_sweeps"] == ["dragon", "three-straights"]
        assert draft["complete"] is False
        hands[0]["declares"] = "dragon"
        draft = tablet("PUT", f"{path}/draft", {"version": 1, "hands": hands})
        assert draft["complete"] is True
        settled = tablet("POST", f"{path}/settle", {"key": "confirm-it", "hands": hands})["settlement"]
        entered = {hand["seat"]: hand for hand in settled["entered"]}
        assert entered[1]["dealt"] == DRAGON
        assert settled["net"] == draft["score"]["net"]

    def test_r23_a_misset_hand_that_comes_unset_stays_foul_where_an_opponent_surrenders(self, tablet_at):
        tablet = tablet_at("western", "Ann", "Bob", "Cat")
        path = f"rounds/{tablet.start()['id']}"
        unset = {"dealt": NO_SWEEP, "declares": "six-pairs", "misset": True}
        hands = seated(unset, {"surrenders": True}, FULL_HOUSE)
        draft = tablet("PUT", f"{path}/draft", {"version": 0, "hands": hands})
        assert (draft["hands"][0]["foul"], draft["hands"][0]["clean_sweeps"]) == (True, [])
        assert draft["complete"] is True
        settled = tablet("POST", f"{path}/settle", {"key": "confirm-it", "hands": hands})["settlement"]
        assert {hand["seat"]: hand["foul"] for hand in settled["hands"]} == {1: True, 2: False, 3: False}
        assert settled["net"] == draft["score"]["net"] == {"1": "0.00", "2": "-30.00", "3": "30.00"}

    def test_r13_announced_bonuses_come_in_any_order_and_say_the_same(self, tablet_at):
        tablet = tablet_at("2-4", "Ann", "Bob")
        path = f"rounds/{tablet.start()['id']}/settle"
        body = {"key": "confirm-it", "hands": seated(TRIPS | {"royalties": ["back", "front"]}, WEAK)}
        first = tablet("POST", path, body)
        other = seated(TRIPS | {"royalties": ["front", "back", "front"], "surrenders": False}, WEAK)
        assert tablet("POST", path, {"key": "confirm-it", "hands": other}) == first
        less = seated(TRIPS | {"royalties": ["back"]}, WEAK)
        assert tablet("POST", path, {"key": "confirm-it", "hands": less}, expect=409)["code"] == "key_reused"
        assert Settlement.objects.count() == 1

    @pytest.mark.parametrize(
        ("hand", "code"),
        [
            (QUEENS | {"surrenders": "yes"}, "bad_entry"),
            (QUEENS | {"royalties": "back"}, "bad_entry"),
            (QUEENS | {"royalties": False}, "bad_entry"),
            (QUEENS | {"royalties": ["top"]}, "bad_entry"),
            (QUEENS | {"royalties": [["back"]]}, "bad_entry"),
            (QUEENS | {"dealt": DRAGON}, "bad_entry"),
            ({"dealt": 13}, "bad_entry"),
            ({"dealt": DRAGON}, "unset_hand"),
            ({}, "unset_hand"),
            ({"surrenders": True, "front": "Qs Qh 2c"}, "card_count"),
            (QUEENS | {"surrenders": True, "declares": "dragon"}, "declares_and_surrenders"),
            (QUEENS | {"declares": "super-dragon"}, "unknown_clean_sweep"),
        ],
    )
    def test_hands_that_cannot_be_are_refused_and_settle_nothing(self, tablet_at, hand, code):
        tablet = tablet_at("western", "Ann", "Bob")
        path = f"rounds/{tablet.start()['id']}/settle"
        body = {"key": "confirm-it", "hands": seated(hand, {"misset": True})}
        assert tablet("POST", path, body, expect=400)["code"] == code
        assert not Settlement.objects.exists()

    def test_r58_a_correction_says_what_it_changes_and_the_floor_sees_it(self, tablet_at):
        tablet = tablet_at("western", "Ann", "Bob")
        path = f"rounds/{tablet.start()['id']}"
        tablet("POST", f"{path}/settle", {"key": "confirm-it", "hands": seated(QUEENS, FULL_HOUSE)})
        given_up = seated({"surrenders": True}, FULL_HOUSE)
        body = {"key": "correct-it", "hands": given_up, "reason": "the hand was given up"}
        asked = tablet("POST", f"{path}/corrections", body, expect=201)
        assert asked["preview"]["net"] == {"1": "-15.00", "2": "15.00"}
        tablet.client.force_login(tablet.game.floor)
        page = tablet.client.get(f"/floor/sessions/{tablet.session}/").content.decode()
        assert "Given up without cards" in page


def test_the_record_of_a_round_shows_what_was_agreed_and_how_hands_came(tablet_at, regulator):
    tablet = tablet_at("western", "Ann", "Bob")
    tablet.game.play([QUEENS, FULL_HOUSE])
    round_ = tablet.start(reserved=True, pair_stakes=[{"seats": [1, 2], "limit": "12.50"}])
    tablet.game.settle(Round.objects.get(pk=round_["id"]), [{"surrenders": True}, LOW])
    third = tablet.start(key="start-the-third")
    unset = [{"dealt": DRAGON, "declares": "dragon"}, {"misset": True}]
    tablet.game.settle(Round.objects.get(pk=third["id"]), unset)
    tablet.client.force_login(regulator)
    page = tablet.client.get(f"/rounds/{round_['id']}/").content.decode()
    assert "seats 1 and 2: $12.50 a point" in page
    assert "dealt from one deck (R43)" in page
    assert page.count("Surrendered") == 1
    assert "Given up without cards" in page
    page = tablet.client.get(f"/rounds/{third['id']}/").content.decode()
    assert "Unset" in page
    assert "ace of spades" in page
    assert "Declared: Dragon" in page
