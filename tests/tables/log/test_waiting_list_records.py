"""What happens on the waiting lists is in the log: each change with its state,
judged offline and held against the rows."""

import json
from datetime import timedelta

import pytest

from ledger.models import AuditRecord
from ledger.proof.log import sealing, verifying
from tables.audit.replay import Replay
from tables.floor import waiting
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


def test_somebody_did_it_unless_time_ran_out(evening):
    found = places(recorded(evening.game.site))
    found[3] = found[3] | {"actor": None}
    assert findings(found) == ["place_differs"]
