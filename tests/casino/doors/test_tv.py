"""The public board: on an enrolled device, with nobody signed in and nobody's name."""

import re
from datetime import timedelta

import pytest
import time_machine

from tables.reports.waits import waits_lately
from tests.support.desk import Desk

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("real_terminals", "identity_verifies")]


@pytest.fixture
def desk(game):
    return Desk(game)


@pytest.fixture
def screen(client, floor):
    """A device that the floor has enrolled, with nobody signed in."""
    client.force_login(floor)
    assert client.post("/terminals/", {"key": "enrol-it", "name": "Television"}).status_code == 302
    client.post("/sign-out/")
    return client


def shown(screen, game):
    with time_machine.travel(game.now, tick=False):
        answer = screen.get("/tv/")
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


def test_it_shows_seats_lists_and_calls_by_number_and_initials(screen, game, desk):
    game.seat("Ann", "Bob")
    called, waits = desk.join("Cat Miller"), desk.join("Dan de Vries")
    desk.call(called, game, 3)
    page = shown(screen, game)
    assert "<b>3</b> seats free" not in page  # one is kept for the call
    assert f"<b>{called.number} <bdi>C.M.</bdi></b>" in page
    assert f"Table {game.table_number}, seat 3" in page
    assert f"<li>{waits.number} <bdi>D.D.V.</bdi></li>" in page


def test_nothing_it_fetches_has_a_name_of_a_player_or_of_staff(screen, game, desk):
    game.seat("Ann", "Bob")
    desk.call(desk.join("Catherine Miller"), game, 3)
    desk.join("Danforth de Vries")
    words = set(re.findall(r"\w+", shown(screen, game)))
    players = {"Ann", "Bob", "Catherine", "Miller", "Danforth", "Vries"}
    assert "Called" in words
    assert words & {*players, game.dealer.get_full_name(), game.dealer.username} == set()


def test_a_device_that_is_not_enrolled_sees_nothing_and_is_told_how_it_is(client, game, desk):
    desk.join("Cat")
    answer = client.get("/tv/")
    assert answer.status_code == 403
    page = answer.content.decode()
    assert "strange_terminal" in page
    assert "C." not in page.split('id="tv"')[1]


def test_waits_are_from_joining_to_the_first_call_of_the_last_nights(game, desk, site):
    place = desk.join("Ann")
    game.now += timedelta(minutes=12)
    desk.call(place, game, 1)
    desk.put_back(place)
    game.now += timedelta(minutes=12)
    desk.call(place, game, 1)
    (waits,) = waits_lately(site, place.gaming_day).values()
    assert waits == [timedelta(minutes=12)]
    assert waits_lately(site, place.gaming_day + timedelta(days=15)) == {}


def test_in_a_demo_a_television_is_enrolled_as_it_opens_the_board(client, game, settings):
    settings.DEMO = True
    assert client.get("/tv/").status_code == 200
    settings.DEMO = False
    assert client.get("/tv/").status_code == 200  # by its cookie
