"""Needs on the board: taken by one press, released, dismissed, recalled, and for the manager in the end."""

import pytest

from tables.floor import waiting
from tables.floor.attention import tend
from tables.floor.needs import last_done
from tables.seats.players import Person
from tests.support.acting import acting
from tests.support.replayed import bodies, judged

pytestmark = pytest.mark.django_db


@pytest.fixture
def need(screen, game, floor):
    """A free seat that somebody waits for; the scheduler has seen it."""
    game.seat("Ann", "Bob")
    limit = {"game": game.session.sheet.code, "limit_cents": game.limit}
    by = {"actor": floor, "now": game.now, "key": game.key()}
    place = acting(waiting.join, site=game.site, who=Person("Fay"), **limit, **by)
    tend(game.site, game.now)
    return {"need": "free_seat", "subject": str(game.session.pk), "place": place}


def do(screen, need, does):
    return screen.post(f"/floor/needs/{does}/", need=need["need"], subject=need["subject"])


def board(screen):
    page = screen.get("/floor/").content.decode()
    return page[page.index('id="attention"') :]


def test_one_press_takes_a_need_and_another_releases_it(screen, need, game, floor2):
    assert do(screen, need, "take").status_code == 302
    assert "Taken by" in board(screen)
    answer = do(screen.as_(floor2), need, "take")
    assert (answer.status_code, screen.codes(answer)) == (400, ["nothing_changes"])
    do(screen, need, "release")
    assert "Taken by" not in board(screen)
    said = [(body["data"]["does"], body["actor"]) for body in bodies() if body.get("kind") == "need_changed"]
    assert said == [("take", game.floor.pk), ("release", floor2.pk)]
    assert judged(bodies())[0] == []


def test_what_is_dismissed_is_off_the_board_until_it_is_recalled(screen, need, floor):
    do(screen, need, "dismiss")
    assert "has a free seat" not in board(screen)
    page = screen.get("/floor/needs/").content.decode()
    assert "has a free seat" in page
    assert "Dismissed by" in page
    do(screen, need, "recall")
    assert "has a free seat" in board(screen)
    assert "has a free seat" not in screen.get("/floor/needs/").content.decode()


def test_what_was_settled_is_listed_with_who_had_taken_it(screen, need, game, floor):
    do(screen, need, "take")
    game.minute(20)
    acting(
        waiting.leave,
        place_id=need["place"].pk,
        reason="went home",
        actor=floor,
        now=game.now,
        key=game.key(),
    )
    tend(game.site, game.now)
    done = next(one for one in last_done(game.site, game.now) if one.which[0] == "free_seat")
    assert (done.who, done.dismissed, done.at) == (floor, False, game.now)
    answer = do(screen, need, "take")
    assert screen.codes(answer) == ["nothing_changes"]


@pytest.mark.parametrize("does", ["take", "dismiss"])
def test_a_need_that_was_settled_and_arises_again_is_nobodys(screen, need, game, floor, does):
    do(screen, need, does)
    left = {"place_id": need["place"].pk, "reason": "went home"}
    game.minute(20)
    acting(waiting.leave, **left, actor=floor, now=game.now, key=game.key())
    tend(game.site, game.now)
    game.minute(21)
    limit = {"game": game.session.sheet.code, "limit_cents": game.limit}
    by = {"actor": floor, "now": game.now, "key": game.key()}
    acting(waiting.join, site=game.site, who=Person("Gil"), **limit, **by)
    tend(game.site, game.now)
    shown = board(screen)
    assert "has a free seat" in shown
    assert "Taken by" not in shown
    assert "For the manager" not in shown


def test_an_urgent_need_is_for_the_manager_after_five_minutes_and_says_so(screen, game, manager):
    game.seat("Ann", "Bob")
    game.start()
    game.push(None, leave_round=True)
    tend(game.site, game.now)
    assert "Urgent" in board(screen)
    game.now = game.now.replace(minute=game.now.minute + 6)
    assert "For the manager" in board(screen.as_(manager))
    assert "I take it" in board(screen)
    assert do(screen, {"need": "no_dealer", "subject": str(game.session.pk)}, "take").status_code == 302


def test_an_unknown_need_or_deed_is_refused(screen, need):
    assert do(screen, need, "burn").status_code == 404
    assert do(screen, need | {"subject": "99"}, "take").status_code == 400
    assert do(screen, need | {"need": "coffee"}, "take").status_code == 400
