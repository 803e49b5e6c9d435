"""What happens on the waiting lists is in the log: each change with its state,
judged offline and held against the rows."""

import json
from datetime import timedelta

import pytest

from ledger.models import AuditRecord
from ledger.proof.log import sealing, verifying
from tables.audit.replay import Replay
from tables.floor import own_pages, waiting
from tests.support.acting import acting
from tests.support.kept import kept

pytestmark = pytest.mark.django_db


@kept
def evening(desk):
    """Places in every state: called and put back, seated, given up, run out and called again,
    a held seat that somebody takes."""
    game = desk.game
    first, second, third = desk.join("Ann"), desk.join("Bob"), desk.join("Cat")
    desk.call(first, game, 1)
    desk.put_back(first)
    desk.seat(desk.call(first, game, 2), game, 2)
    desk.leave(second, reason="went home")
    desk.call(third)
    game.now += timedelta(minutes=15)
    waiting.mark_expired(now=game.now)
    desk.call(third, game, 3)
    desk.hold(game, 4, "Dan", minutes=20)
    game.buy_in("Dan", 4)
    return desk


def places(found):
    return [body for body in found if body.get("kind") == "place_changed"]


def recorded(site):
    found = AuditRecord.objects.filter(site=site).order_by("pk")
    return [json.loads(one.text)[1] for one in found]


def test_each_change_is_recorded_with_who_and_where(evening):
    said = [(body["data"]["number"], body["data"]["state"]) for body in places(recorded(evening.game.site))]
    assert said == [
        *((1, "waiting"), (2, "waiting"), (3, "waiting"), (1, "called"), (1, "waiting"), (1, "called")),
        *((1, "seated"), (2, "left"), (3, "called"), (3, "expired"), (3, "called")),
        *((4, "held"), (4, "seated")),
    ]
    people = {body["data"]["state"]: body["actor"] for body in places(recorded(evening.game.site))}
    assert people.pop("expired") is None
    assert set(people.values()) == {evening.game.floor.pk}


def test_the_rows_are_what_the_records_say_and_the_records_follow_from_each_other(evening):
    site = evening.game.site
    sealing.seal(site, now=evening.game.now)
    assert [str(one) for one in verifying.Verification(site).run()] == []


def findings(found):
    """What the replay says of the records of places alone, as of a whole log."""
    replay = Replay({}, whole=True)
    told = [one for leaf, body in enumerate(places(found)) for one in replay.take(leaf, body)]
    return [one.code for one in told]


WRONG = {
    "another number": (2, {"number": 7}),
    "a place twice": (1, {"place": 1}),
    "a place that nobody took": (3, {"place": 99}),
    "another player": (3, {"player": 99}),
    "a seat at no table": (3, {"session": None}),
    "no end of a call": (3, {"until": None}),
    "no reason": (7, {"reason": ""}),
    "no such state": (3, {"state": "struck"}),
    "begins as called": (0, {"state": "called", "until": "2026-03-07T20:00:00.000000Z"}),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_record_that_does_not_follow_is_named(evening, wrong):
    found = places(recorded(evening.game.site))
    assert findings(found) == []
    at, change = WRONG[wrong]
    if "place" in change and change["place"] == 1:
        change = {"place": found[0]["data"]["place"]}
    found[at] = found[at] | {"data": found[at]["data"] | change}
    assert "place_differs" in findings(found)


def test_nobody_comes_back_to_a_place_that_is_over(evening):
    found = places(recorded(evening.game.site))
    again = found[3] | {"id": 999}
    assert findings([*found, again]) == ["place_differs"]


# -- what a player said on their own page --------------------------------------------------------------------


@kept
def answered(desk):
    """Ann is called, asks for more time, is on her way, and gives the place up; Bob's place stands."""
    game = desk.game
    ann, bob = desk.join("Ann"), desk.join("Bob")
    token, _ = [acting(own_pages.make_page, place_id=one.pk, **desk.by())[1] for one in (ann, bob)]
    desk.call(ann, game, 1)
    for minute, word in ((2, "more"), (4, "coming"), (6, "off")):
        own_pages.say(site=game.site, token=token, word=word, now=game.minute(minute).now)
    return desk


JOINED, MADE, CALLED, ASKED, COMES, GONE = 0, 2, 4, 5, 6, 7
LATER = "2026-03-07T20:05:00.000000Z"
WRONG_WORDS = {
    "a page made at another time": (MADE, {"page_at": LATER}),
    "a page from the beginning": (JOINED, {"page_at": LATER}),
    "staff said that somebody comes": (CALLED, {"coming_at": LATER}),
    "at another time": (ASKED, {"more_at": LATER}),
    "more than was said": (ASKED, {"coming_at": LATER}),
    "another seat": (COMES, {"seat": 4}),
    "a longer call": (COMES, {"until": "2026-03-07T21:00:00.000000Z"}),
    "seated by the player": (COMES, {"state": "seated"}),
    "no page": (COMES, {"page_at": None}),
    "another reason": (GONE, {"reason": "went home"}),
}


def test_what_a_player_said_follows_from_the_page_and_the_call(answered):
    assert findings(recorded(answered.game.site)) == []


@pytest.mark.parametrize("wrong", WRONG_WORDS)
def test_what_no_player_could_say_is_named(answered, wrong):
    found = places(recorded(answered.game.site))
    at, change = WRONG_WORDS[wrong]
    found[at] = found[at] | {"data": found[at]["data"] | change}
    assert "place_differs" in findings(found)


def test_more_time_is_not_asked_twice_nor_after_the_call_nor_the_page(answered):
    found = places(recorded(answered.game.site))
    twice = [*found[: ASKED + 1], found[ASKED]]
    assert findings(twice) == ["place_differs"]
    for late in ("2026-03-07T20:30:00.000000Z", "2026-03-09T20:30:00.000000Z"):
        data = found[ASKED]["data"] | {"more_at": late}
        assert findings([*found[:ASKED], found[ASKED] | {"recorded_at": late, "data": data}]) == [
            "place_differs"
        ]


def test_somebody_did_it_unless_time_ran_out(evening):
    found = places(recorded(evening.game.site))
    found[3] = found[3] | {"actor": None}
    assert findings(found) == ["place_differs"]
