"""The dealer's tablet at a race (R42): the stake before the first round, how the match stands,
who pays in the end."""

import pytest

from ledger.journal.acts import Act
from tables.models import Match, Round
from tables.state.evidence import evidence_by_round
from tests.support.game import FULL_HOUSE, PLAIN, QUEENS, Game
from tests.support.kept import kept

STAKE = {"match_stake": "50.00"}
MISSET = {"misset": True}


@kept
def race(stocked_site, floor, dealer, players):
    race = Game(stocked_site, floor, dealer, players, sheet="first-to-11")
    race.seat("Ann", "Bob", "Cat")
    return race


@pytest.fixture
def tablet(tablet_at, race):
    """A dealer's tablet at a race of Ann, Bob and Cat, whose rounds `tablet.play(hand, hand, hand)` plays."""
    tablet = tablet_at(race)

    def play(*hands, **body):
        key = tablet.game.key()
        round_ = tablet.start(key=key, **body)
        entered = [{"seat": seat, **hand} for seat, hand in enumerate(hands, 1)]
        return tablet("POST", f"rounds/{round_['id']}/settle", {"key": f"{key}-settle", "hands": entered})

    tablet.play = play
    tablet.win = lambda seat, **body: play(*(PLAIN if seat == own else MISSET for own in (1, 2, 3)), **body)
    return tablet


def standing(match):
    return {player["seat"]: player["points"] for player in match["players"]}


def test_r42_the_plan_has_no_match_before_the_first_and_a_round_needs_a_stake(tablet):
    plan = tablet.plan()
    assert (plan["match"], plan["sheet"]["race_to"]) == (None, 11)
    refused = tablet.start(expect=400)
    assert (refused["code"], refused["field"]) == ("match_stake_required", "match_stake")
    assert not Round.objects.exists()


@pytest.mark.parametrize("stake", ["50", "0.00", "-5.00", "fifty", 50, True, [], {}])
def test_r42_a_stake_that_is_no_amount_above_zero_is_refused(tablet, stake):
    assert tablet.start(expect=400, match_stake=stake)["code"] == "bad_limit"


def test_r42_a_stake_above_a_stack_is_refused_by_name(tablet):
    refused = tablet.start(expect=400, match_stake="290.01")
    assert (refused["code"], refused["error"]) == (
        "stake_above_stack",
        "Ann has $290.00, less than the stake of $290.01.",
    )


def test_r42_a_stake_elsewhere_is_refused(tablet_at):
    tablet = tablet_at("western", "Ann", "Bob")
    assert tablet.start(expect=400, **STAKE)["code"] == "match_stake_unwanted"
    assert tablet.plan()["match"] is None
    assert tablet.start(match_stake=None)["match"] is None


def test_r42_a_running_round_has_the_match_as_it_stands_before_it(tablet):
    round_ = tablet.start(**STAKE)
    assert round_["match"] == {
        "number": 1,
        "stake": "50.00",
        "race_to": 11,
        "players": [
            {"seat": 1, "player": "Ann", "points": 0},
            {"seat": 2, "player": "Bob", "points": 0},
            {"seat": 3, "player": "Cat", "points": 0},
        ],
        "round": 0,
        "won_by": None,
        "payments": [],
    }
    assert tablet.plan()["match"] == round_["match"] == tablet.plan()["round"]["match"]


def test_r42_the_check_has_the_points_of_the_round_by_seat(tablet):
    round_ = tablet.start(**STAKE)
    hands = [{"seat": 1, **QUEENS}, {"seat": 2, **FULL_HOUSE}, {"seat": 3, **MISSET}]
    check = tablet("PUT", f"rounds/{round_['id']}/draft", {"version": 0, "hands": hands})
    assert check["score"]["score"] == {"1": 2, "2": 1, "3": 0}
    assert "net" not in check["score"]


def test_r42_once_settled_it_has_the_match_after_it(tablet):
    settled = tablet.play(QUEENS, FULL_HOUSE, MISSET, **STAKE)
    assert (standing(settled["match"]), settled["match"]["round"]) == ({1: 2, 2: 1, 3: 0}, 1)
    assert settled["settlement"]["score"] == {"1": 2, "2": 1, "3": 0}
    assert settled["match"] == tablet.plan()["match"]
    later = tablet.win(3)
    assert (standing(later["match"]), later["match"]["round"]) == ({1: 2, 2: 1, 3: 3}, 2)
    assert tablet("GET", f"rounds/{settled['id']}")["match"] == settled["match"]
    assert tablet.start(expect=400, key="another-stake", **STAKE)["code"] == "match_stake_unwanted"


def test_r42_a_match_that_was_won_says_by_whom_and_who_paid_what(tablet):
    for place in range(4):
        won = tablet.win(2, **(STAKE if place == 0 else {}))
    match = won["match"]
    assert (match["won_by"], standing(match)) == (2, {1: 0, 2: 12, 3: 0})
    assert match["payments"] == [{"from": seat, "to": 2, "due": "50.00", "paid": "50.00"} for seat in (3, 1)]
    evidence = evidence_by_round(Match.objects.filter(number=1))
    assert {
        cents for one in evidence.values() for last in one.values() for _, cents in last["result"].values()
    } == {0}  # the money is in `match` alone
    assert tablet.plan()["match"] == match
    second = tablet.start(key="the-next-match", match_stake="75.00")
    assert (second["match"]["number"], second["match"]["stake"], standing(second["match"])) == (
        2,
        "75.00",
        {1: 0, 2: 0, 3: 0},
    )
    assert tablet.plan()["match"]["number"] == 2


def test_r42_a_newcomer_waits_for_the_next_match(tablet):
    tablet.win(1, **STAKE)
    tablet.game.buy_in("Dan", 4)
    waiting = tablet.plan()["waiting"]
    assert [(seat["seat"], seat["reason"], seat["sentence"]) for seat in waiting] == [
        (4, "match", "Dan waits for the next match.")
    ]


def test_r42_too_few_of_its_players_say_what_can_be_done(tablet):
    tablet.win(1, **STAKE)
    tablet.game.buy_in("Dan", 4)
    plan = tablet.plan("?decline=2,3")
    assert (plan["can_start"], plan["dealt_in"]) == (False, [])
    assert "the floor can call the match off" in plan["why_not"]
    assert tablet.start(expect=409, key="with-too-few", decline=[2, 3])["code"] == "too_few_players"


def test_r42_after_a_match_that_was_called_off_there_is_none(tablet):
    from tables.rounds.matches import call_off

    tablet.win(1, **STAKE)
    game = tablet.game
    call_off(
        session_id=tablet.session, act=Act(reason="a fight", key=game.key(), actor=game.floor, now=game.now)
    )
    assert tablet.plan()["match"] is None
    assert tablet.start(expect=400, key="without-a-stake")["code"] == "match_stake_required"


def test_the_same_start_again_begins_no_second_match(tablet):
    first = tablet.start(key="the-first-round", **STAKE)
    assert tablet.start(key="the-first-round", **STAKE) == first
    assert tablet.start(expect=409, key="the-first-round", match_stake="60.00")["code"] == "key_reused"
    assert Match.objects.count() == 1


def test_r58_a_correction_says_what_it_changes_for_every_player_of_the_match(tablet):
    tablet.win(2, **STAKE)
    tablet.win(2)
    tablet.win(2)
    settled = tablet.win(2)
    hands = [{"seat": 1, **PLAIN}, {"seat": 2, **MISSET}, {"seat": 3, **MISSET}]
    body = {"key": "correct-it", "hands": hands, "reason": "the hands lay the other way round"}
    asked = tablet("POST", f"rounds/{settled['id']}/corrections", body, expect=201)
    assert asked["preview"]["score"] == {"1": 3, "2": 0, "3": 0}
    assert asked["preview"]["names"] == {"1": "Ann", "2": "Bob", "3": "Cat"}
    assert asked["difference"] == {"1": "50.00", "2": "-100.00", "3": "50.00"}
