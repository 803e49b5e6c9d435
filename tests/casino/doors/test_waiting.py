"""A waiting player's own page: with nobody signed in, of one place alone, and without anybody's name."""

import json
import logging
import re
import secrets
from datetime import timedelta

import pytest
import time_machine
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext

from casino.doors import waiting as door
from casino.requests.middleware import LOGGER
from tests.support.desk import Desk

pytestmark = pytest.mark.django_db
NOT_HERE = "Nothing is kept at this address any more, or it is not right. Ask at the desk."


@pytest.fixture
def desk(game):
    cache.clear()
    return Desk(game)


@pytest.fixture
def make(client, game):
    """Make a place's page as the floor does, and return its path."""

    def made(place, **sent):
        client.force_login(game.floor)
        with time_machine.travel(game.now, tick=False):
            answer = client.post(f"/waiting/places/{place.pk}/page/", {"key": secrets.token_hex(8), **sent})
        client.logout()
        client.cookies.clear()
        found = re.search(r'id="address">https?://[^/]+(/wait/[\w-]{22}/)<', answer.content.decode())
        return found[1] if found else answer

    return made


@pytest.fixture
def phone(client, game):
    """A player's phone; what it sends at the game's time."""

    def ask(path, word=None, **more):
        client.cookies.clear()
        with time_machine.travel(game.now, tick=False):
            if word is None:
                return client.get(path, **more)
            return client.post(path, {"word": word}, **more)

    return ask


def words(answer):
    main = answer.content.decode().partition('<main id="content"')[2].partition("</main>")[0]
    return " ".join(re.sub(r"<[^>]+>", " ", main).split())


def test_it_shows_the_line_the_call_and_what_was_said(game, desk, make, phone):
    game.seat("Ann", "Bob")
    first, mine = desk.join("Cat Miller"), desk.join("Dan de Vries")
    path = make(mine)
    assert "1 waits before you" in words(phone(path))
    desk.call(first, game, 3)
    page = words(phone(path))
    assert "Number 2" in page
    assert "You are next" in page
    assert "minutes more" not in page
    desk.call(mine, game, 4)
    assert "You are called: come to Table 1, seat 4 by 12:10" in words(phone(path))
    game.minute(3)
    assert phone(path, "coming").status_code == 302
    page = words(phone(path))
    assert "You said at 12:03 that you are on your way." in page
    assert "10 minutes more, please" in page
    phone(path, "more")
    assert "You asked for more time at 12:03." in words(phone(path))
    game.minute(10)
    assert "Your call ended at 12:10. Ask at the desk." in words(phone(path))


def test_how_long_it_was_to_wait_is_said_as_on_the_public_board(game, desk, make, phone):
    for name in ("Ann", "Bob", "Cat", "Dan", "Eve"):
        place = desk.join(name)
        game.now += timedelta(minutes=12)
        desk.leave(desk.call(place))
    path = make(desk.join("Fay"))
    assert "about 15 min to wait" in words(phone(path))


def test_the_floor_sees_the_word_on_its_list_and_gives_time_by_one_press(client, game, desk, make, phone):
    mine = desk.join("Dan")
    path = make(mine)
    desk.call(mine, game, 4)
    game.minute(3)
    phone(path, "coming")
    phone(path, "more")
    client.force_login(game.floor)
    with time_machine.travel(game.now, tick=False):
        lists = words(client.get("/waiting/"))
        assert "On my way 12:03" in lists
        assert "Asks for more time 12:03" in lists
        assert "Hold 10 minutes from now" in lists
        assert "on the way 12:03" in words(client.get("/floor/"))
        sent = {"key": "ten-more", "place": f"{game.session.pk}-4"}
        assert client.post(f"/waiting/places/{mine.pk}/call/", sent).status_code == 302
    assert "by 12:13" in words(phone(path))


def test_taking_oneself_off_is_asked_twice_and_ends_the_page(game, desk, make, phone):
    path = make(desk.join("Dan"))
    page = phone(path).content.decode()
    assert page.index("<details") < page.index("Yes, take me off")
    assert "You are off the list." in words(phone(path, "off"))
    again = phone(path)
    assert again.status_code == 404
    assert NOT_HERE in words(again)


def test_what_cannot_be_said_now_is_refused_on_the_page(desk, make, phone):
    path = make(desk.join("Dan"))
    for word in ("more", "dance", ""):
        answer = phone(path, word)
        assert answer.status_code == 400
        assert "bad_entry" in words(answer)


def test_nobody_has_a_name_there(game, desk, make, phone):
    game.seat("Ann", "Bob")
    mine = desk.join("Danforth de Vries", number="4711")
    path, seen = make(mine), ""
    desk.join("Catherine Miller")
    desk.call(mine, game, 4)
    for word in (None, "coming", "more", None, "off", None):
        seen += phone(path, word).content.decode()
    found = set(re.findall(r"\w+", seen))
    assert "called" in found
    people = {"Ann", "Bob", "Danforth", "Vries", "Catherine", "Miller", "4711", "D"}
    assert found & {*people, game.dealer.get_full_name(), game.dealer.username} == set()


def test_it_needs_and_sets_no_cookie_and_the_address_goes_nowhere(desk, make, phone):
    path = make(desk.join("Dan"))
    for answer in (phone(path), phone(path, "coming"), phone("/wait/never-made/")):
        assert not answer.cookies
        assert answer["Referrer-Policy"] == "no-referrer"
        assert answer["X-Robots-Tag"] == "noindex, nofollow"
        assert "no-store" in answer["Cache-Control"]


def test_a_token_that_is_over_and_one_that_never_was_are_the_same_page(game, desk, make, phone):
    mine = desk.join("Dan")
    old, path, other = make(mine), make(mine), make(desk.join("Eve"))
    desk.seat(desk.call(mine, game, 1), game, 1)
    pages, asked = set(), {None: set(), "off": set(), "coming": set()}
    for one in (old, path, "/wait/never-made/", f"/wait/{'x' * 3000}/"):
        for word in asked:
            with CaptureQueriesContext(connection) as queries:
                answer = phone(one, word)
            assert answer.status_code == 404
            asked[word].add(len(queries))
            pages.add(re.sub(r'data-now="[^"]*"', "", answer.content.decode()))
    assert len(pages) == 1
    assert [len(counts) for counts in asked.values()] == [1, 1, 1]
    assert phone(other).status_code == 200


def test_a_phone_that_polls_an_address_that_is_over_loads_the_page_of_it(desk, make, phone):
    mine = desk.join("Dan")
    path = make(mine)
    desk.leave(mine)
    assert phone(path, HTTP_HX_REQUEST="true")["HX-Refresh"] == "true"


def test_with_one_token_nothing_happens_to_another_place(desk, make, phone):
    mine, other = desk.join("Dan"), desk.join("Eve")
    path = make(mine)
    phone(path, "coming", QUERY_STRING=f"place={other.pk}&token=x")
    phone(path, "off")
    other.refresh_from_db()
    assert (other.state, other.coming_at) == ("waiting", None)


def test_a_hundred_guesses_find_nothing_and_are_slowed_down(desk, make, phone, monkeypatch):
    path = make(desk.join("Dan"))
    guesses = {phone(f"/wait/{secrets.token_urlsafe(16)}/").status_code for _ in range(100)}
    assert guesses == {404}
    monkeypatch.setattr(door.OfAddress, "rate", "110/min")
    answers = [phone(f"/wait/{secrets.token_urlsafe(16)}/") for _ in range(20)]
    assert [answer.status_code for answer in answers] == [404] * 10 + [429] * 10
    assert "too_many_attempts" in words(answers[-1])
    assert phone(path).status_code == 429
    assert phone(path, REMOTE_ADDR="10.0.0.9").status_code == 200


def test_one_page_is_asked_for_forty_times_a_minute_wherever_from(game, desk, make, phone):
    path, other = make(desk.join("Dan")), make(desk.join("Eve"))
    found = [phone(path, REMOTE_ADDR=f"10.0.0.{at}").status_code for at in range(41)]
    assert found == [200] * 40 + [429]
    assert phone(other).status_code == 200
    game.now += timedelta(minutes=1, seconds=1)
    assert phone(path).status_code == 200


def test_no_log_has_the_token(desk, make, phone, caplog, monkeypatch):
    path = make(desk.join("Dan"))
    caplog.set_level(logging.DEBUG)
    monkeypatch.setattr(logging.getLogger(LOGGER), "level", logging.INFO)
    lines = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(json.loads(record.getMessage()))
    logging.getLogger(LOGGER).addHandler(handler)
    phone(path)
    phone(path, "off")
    phone(path)
    logging.getLogger(LOGGER).removeHandler(handler)
    assert [line["path"] for line in lines] == ["/wait/"] * 3
    said = [record.getMessage() for record in caplog.records if not record.name.startswith("django.db")]
    assert path.split("/")[2] not in "\n".join([json.dumps(lines), *said])


def test_a_code_that_was_shown_is_not_shown_again(game, desk, make, client):
    mine = desk.join("Dan")
    assert isinstance(make(mine, key="shown-once"), str)
    again = make(mine, key="shown-once")
    assert again.status_code == 409
    assert "stale_page" in again.content.decode()


def test_its_queries_are_as_many_however_many_wait(game, desk, make, phone):
    path, counts = make(desk.join("Ann")), []
    for names in (("Bob",), ("Cat", "Dan", "Eve", "Fay", "Gus")):
        for name in names:
            desk.call(desk.join(name))
        with CaptureQueriesContext(connection) as queries:
            assert phone(path).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 6


def test_somebody_of_the_staff_sees_it_as_the_player_does(client, game, desk, make):
    mine = desk.join("Dan")
    path = make(mine)
    client.force_login(game.floor)
    with time_machine.travel(game.now, tick=False):
        page = client.get(path)
        assert client.post(path, {"word": "coming"}).status_code == 302
    assert "Sign out" not in page.content.decode()
    mine.refresh_from_db()
    assert mine.coming_at == game.now


def test_it_speaks_the_language_of_the_phone_until_another_is_chosen(desk, make, phone):
    path = make(desk.join("Dan"))
    for asked, shown in (("zh-TW,zh;q=0.9,en;q=0.8", "zh-hant"), ("pl", "en")):
        assert f'<html lang="{shown}"' in phone(path, headers={"Accept-Language": asked}).content.decode()
    assert '<html lang="es"' in phone(f"{path}?language=es").content.decode()
