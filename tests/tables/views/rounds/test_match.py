"""A race on the floor's screens (R42): how the match stands, calling it off, what records show of it."""

import pytest

from tables.models import Match, Round
from tests.support.game import FULL_HOUSE, PLAIN, QUEENS
from tests.support.pages import words
from tests.support.race import STAKE, laid, scores, wins
from tests.tables.conftest import Screen

pytestmark = pytest.mark.django_db


@pytest.fixture
def floor_screen(client, table_of):
    """The floor's screen at a match for $50 of Ann with two points, Bob with one, Cat and Dan."""
    race = table_of("first-to-11")
    race.seat("Ann", "Bob", "Cat", "Dan")
    race.first = scores(race, stake=STAKE, seat1=QUEENS, seat2=FULL_HOUSE)
    return Screen(client, race).as_(race.floor)


def page(screen, path=""):
    answer = screen.get(path or f"/floor/sessions/{screen.game.session.pk}/")
    assert answer.status_code == 200
    return answer


def call_off(screen):
    return f"/floor/sessions/{screen.game.session.pk}/call-off/"


def test_the_table_and_the_board_show_how_the_match_stands(floor_screen):
    facts = page(floor_screen).context["facts"]
    assert [(sitting.seat, points) for sitting, points in facts.match.table] == [
        (1, 2),
        (2, 1),
        (3, 0),
        (4, 0),
    ]
    text = words(page(floor_screen).content.decode())
    assert "first to 11" in text
    assert "Stake $50.00, 1 round settled" in text
    assert "Match 1 to 11: Ann 2, Bob 1, Cat 0, Dan 0" in words(
        page(floor_screen, "/floor/").content.decode()
    )


def test_a_table_of_another_game_shows_no_match(client, game):
    game.seat("Ann", "Bob")
    game.play()
    assert "match" not in words(page(Screen(client, game).as_(game.floor)).content.decode()).lower()


def test_players_of_a_running_match_are_not_offered_to_leave(floor_screen):
    floor_screen.game.buy_in("Eve", 5)
    seats = {seat.seat: seat for seat in page(floor_screen).context["facts"].seats}
    assert [seats[number].may_leave for number in (1, 4, 5)] == [False, False, True]
    text = words(page(floor_screen).content.decode())
    leaving = [f'id="cash-out-{seats[number].sitting.pk}"' in text for number in (1, 4, 5)]
    assert leaving == [False, False, True]
    assert (seats[5].reason, "Next match" in text) == ("match", True)
    answer = floor_screen.post(f"/sittings/{seats[1].sitting.pk}/cash-out/")
    assert (answer.status_code, floor_screen.codes(answer)) == (409, ["match_running"])


def test_the_match_is_called_off_once_with_a_reason(floor_screen):
    assert call_off(floor_screen) in words(page(floor_screen).content.decode())
    form = page(floor_screen, call_off(floor_screen))
    assert ("Match 1", "Ann 2, Bob 1, Cat 0, Dan 0") in form.context["notes"]
    assert floor_screen.codes(floor_screen.post(call_off(floor_screen))) == ["bad_entry"]
    said = {"reason": "Dan was taken ill", "key": floor_screen.game.key()}
    for _ in range(2):
        assert floor_screen.post(call_off(floor_screen), **said).status_code == 302
    assert Match.objects.get().called_off_reason == "Dan was taken ill"
    text = words(page(floor_screen).content.decode())
    assert "Called off" in text
    assert call_off(floor_screen) not in text
    again = floor_screen.post(call_off(floor_screen), htmx=True, reason="again")
    assert (again.status_code, floor_screen.codes(again)) == (409, ["no_match"])


def test_it_is_not_offered_while_a_round_runs_and_then_refused(floor_screen):
    round_ = floor_screen.game.start()
    assert call_off(floor_screen) not in words(page(floor_screen).content.decode())
    answer = floor_screen.post(call_off(floor_screen), reason="now")
    assert (answer.status_code, floor_screen.codes(answer)) == (409, ["round_running"])
    floor_screen.game.void(round_)
    assert floor_screen.post(call_off(floor_screen), reason="now").status_code == 302


@pytest.mark.parametrize("who", ["dealer", "cashier", "regulator", "manager"])
def test_only_the_floor_calls_a_match_off(floor_screen, request, who):
    floor_screen.as_(request.getfixturevalue(who))
    assert floor_screen.post(call_off(floor_screen), reason="I say so").status_code == 403
    assert Match.objects.get().called_off_at is None


def test_a_correction_shows_points_and_what_becomes_of_the_match(floor_screen):
    race = floor_screen.game
    wins(race, 1)
    wins(race, 1)
    race.ask(race.first, laid(race.first, seat1=PLAIN))
    text = " ".join(words(page(floor_screen).content.decode()).split())
    assert '2 <span class="soft">to</span> 4 <span class="soft">points</span>' in text
    assert (
        "Match 1 with it: Ann 12, Bob 0, Cat 0, Dan 0. Ann has won;"
        " each other player pays the stake of $50.00." in text
    )


def approving(screen, request):
    """The page on which another supervisor approves a correction."""
    return page(screen, f"/floor/corrections/{request.pk}/approve/")


def test_r58_before_it_approves_the_floor_reads_that_a_winner_is_left_without_the_points(
    floor_screen, floor2
):
    race = floor_screen.game
    wins(race, 2)
    wins(race, 1)
    wins(race, 1)
    wins(race, 1)  # Ann has 14, of which 2 in the first round and 12 in these
    asked = race.ask(race.first, laid(race.first, seat2=PLAIN))
    assert approving(floor_screen, asked).context["notes"][2:] == []  # Ann is left with 12
    race.approve(asked, actor=floor2)
    third = Round.objects.get(number=3)
    taken = race.ask(third, laid(third, seat3=PLAIN))
    notes = approving(floor_screen, taken).context["notes"]
    assert notes[2:] == [
        ("Ann won match 1 with", "12 points, of 11 that it takes"),
        ("After this correction", "8 points: Ann stays the winner, and keeps what was paid"),
    ]
    text = " ".join(words(page(floor_screen).content.decode()).split())
    assert "Ann won it with 12 points and has 8 after this" in text


def test_the_record_of_a_round_shows_points_and_who_pays_in_the_end(floor_screen, regulator):
    race = floor_screen.game
    wins(race, 1, declined=[3])
    wins(race, 1, declined=[3])
    floor_screen.as_(regulator)
    text = words(page(floor_screen, f"/rounds/{race.first.pk}/").content.decode())
    assert "Points of match 1, first to 11 (R42)" in text
    assert "Nobody pays: this round did not end the match." in text
    last = wins(race, 1, declined=[3])
    assert "Match 1, stake $50.00" in words(page(floor_screen, f"/rounds/{last.pk}/").content.decode())
    answer = page(floor_screen, f"/rounds/{last.pk}/")
    payments = answer.context["record"].standing.answer["match"]["payments"]
    assert [payment["from"] for payment in payments] == [2, 3, 4]
    text = " ".join(words(answer.content.decode()).split())
    assert 'Cat <span class="soft">pays</span> Ann' in text
    assert "not dealt in" in text
    assert "Has won" in text


def test_the_record_and_the_day_say_that_a_match_was_called_off(floor_screen, regulator):
    race = floor_screen.game
    floor_screen.post(call_off(floor_screen), reason="Dan was taken ill")
    text = words(page(floor_screen, f"/rounds/{race.first.pk}/").content.decode())
    assert "by floor: Dan was taken ill" in text
    day = page(floor_screen.as_(regulator), "/audit/days/2026-03-07/")
    assert [(match.number, match.stake_cents) for match in day.context["events"].called_off] == [(1, STAKE)]
    assert "Table 1, match 1" in day.content.decode()
