"""Pushes on screen: the floor's page, the tablet that changes hands,
and that a dealer sees the own table alone."""

import json

import pytest
from django.contrib.auth import get_user

from ledger.models import HouseEvent
from tables.models import Round
from tests.support.cast import PIN
from tests.support.game import QUEENS

pytestmark = pytest.mark.django_db


@pytest.fixture
def zoe(employ):
    """Another dealer, who is pushed in nowhere."""
    return employ("zoe", "dealer")


@pytest.fixture
def tablet(clock, at, dealer):
    """The tablet at table 1, where Ann and Bob sit and a round runs with a card entered."""
    clock.seat("Ann", "Bob")
    tablet = at(dealer)
    started = send(tablet, "post", f"sessions/{clock.session.pk}/rounds", {"key": "start-the-round"})
    draft = {"version": 0, "hands": [{"seat": 1, **QUEENS}]}
    assert send(tablet, "put", f"rounds/{started.json()['id']}/draft", draft).status_code == 200
    return tablet


def send(client, method, path, body):
    return getattr(client, method)(f"/api/{path}", json.dumps(body), content_type="application/json")


def push_path(game, room="dealer"):
    return f"/{room}/sessions/{game.session.pk}/push/"


def said(game, **more):
    return {"key": game.key(), **more}


def test_the_incoming_dealer_is_signed_in_and_the_entry_stays(tablet, clock, zoe):
    before = tablet.session.session_key
    answer = tablet.post(push_path(clock), said(clock, comes="zoe", pin=PIN))
    assert (answer.status_code, answer.url) == (302, f"/dealer/sessions/{clock.session.pk}/")
    assert get_user(tablet) == zoe
    assert tablet.session.session_key != before
    kinds = list(HouseEvent.objects.order_by("-pk").values_list("kind", "actor__username")[:2])
    assert kinds == [("signed_in", "zoe"), ("signed_out", "dealer")]
    round_ = Round.objects.get()
    shown = tablet.get(f"/api/rounds/{round_.pk}").json()
    assert shown["draft"]["hands"][0]["front"] == QUEENS["front"]
    hands = [{"seat": 1, **QUEENS}, {"seat": 2, "misset": True}]
    settled = send(tablet, "post", f"rounds/{round_.pk}/settle", {"key": "confirm-it", "hands": hands})
    assert settled.status_code == 200


def test_a_wrong_pin_pushes_nobody(tablet, clock, zoe, dealer, codes_on):
    answer = tablet.post(push_path(clock), said(clock, comes="zoe", pin="8642"))
    assert (answer.status_code, codes_on(answer)) == (400, ["wrong_pin"])
    assert tablet.post(push_path(clock), said(clock, comes="zoe")).status_code == 400
    assert get_user(tablet) == dealer
    assert clock.fresh_session().dealer == dealer


def test_a_badge_and_its_pin_bring_its_dealer_in(tablet, clock, zoe):
    zoe.badge = "ZB-1"
    zoe.save(update_fields=["badge"])
    answer = tablet.post(push_path(clock), said(clock, badge="zb-1", pin=PIN))
    assert (answer.status_code, get_user(tablet)) == (302, zoe)
    assert clock.fresh_session().dealer == zoe


@pytest.mark.parametrize("badge", ["ZB-9", "floor", "(nobody)", "(stranger)"])
def test_a_badge_of_no_dealer_is_answered_like_a_wrong_pin(tablet, clock, dealer, codes_on, badge):
    answer = tablet.post(push_path(clock), said(clock, badge=badge, pin=PIN))
    assert (answer.status_code, codes_on(answer)) == (400, ["wrong_pin"])
    assert get_user(tablet) == dealer
    assert clock.fresh_session().dealer == dealer


def test_nobody_comes_in_yet(tablet, clock):
    answer = tablet.post(push_path(clock), said(clock, comes="(nobody)"))
    assert (answer.status_code, answer.url) == (302, "/dealer/")
    assert clock.fresh_session().dealer is None


def test_the_floor_pushes_by_the_dealers_pin_and_stays_signed_in(clock, at, floor, zoe):
    page = at(floor)
    path = push_path(clock, "floor")
    assert path in page.get(f"/floor/sessions/{clock.session.pk}/").content.decode()
    assert page.post(path, said(clock, comes="zoe", pin=PIN)).status_code == 302
    assert clock.fresh_session().dealer == zoe
    assert get_user(page) == floor
    assert page.post(path, said(clock, comes="(nobody)")).status_code == 302
    assert clock.fresh_session().dealer is None


def test_a_dealer_goes_straight_to_the_own_table_and_else_takes_one_by_pin(clock, beside, at, zoe, codes_on):
    page = at(zoe)
    assert "No table waits for a dealer" in page.get("/dealer/").content.decode()
    beside.push(None)
    choose = page.get("/dealer/").content.decode()
    path = f"/dealer/sessions/{beside.session.pk}/take/"
    assert path in choose
    assert f"/dealer/sessions/{clock.session.pk}/" not in choose
    assert codes_on(page.post(path, said(clock, pin="8642"))) == ["wrong_pin"]
    assert page.post(path, said(clock, pin=PIN)).status_code == 302
    assert beside.fresh_session().dealer == zoe
    assert page.get("/dealer/").url == f"/dealer/sessions/{beside.session.pk}/"
    elsewhere = page.post(f"/dealer/sessions/{clock.session.pk}/take/", said(clock, pin=PIN))
    assert codes_on(elsewhere) == ["not_your_table"]


def test_a_dealer_sees_nothing_of_another_table(tablet, clock, at, zoe, floor):
    round_, sitting = Round.objects.get(), clock.sitting(1)
    session, down = clock.session.pk, round_.down_id
    pages = (
        f"/dealer/sessions/{session}/",
        f"/dealer/sessions/{session}/push/",
        f"/sessions/{session}/seats/",
        f"/sessions/{session}/seats/3/buy-in/",
        f"/sittings/{sitting.pk}/",
        f"/sittings/{sitting.pk}/statement.csv",
        f"/sittings/{sitting.pk}/add-on/",
        f"/rounds/{round_.pk}/",
        f"/rounds/{round_.pk}/dispute/",
        f"/downs/{down}/",
        f"/api/sessions/{session}/plan",
        f"/api/rounds/{round_.pk}",
    )
    other = at(zoe)
    answers = {page: other.get(page) for page in pages}
    assert {page: answer.status_code for page, answer in answers.items()} == dict.fromkeys(pages, 404)
    assert all("not_your_table" in answer.content.decode() for answer in answers.values())
    voided = send(other, "post", f"rounds/{round_.pk}/void", {"key": "void-it-now", "reason": "mine"})
    assert voided.status_code == 404
    own = at(clock.dealer)
    assert [own.get(page).status_code for page in pages if "dispute" not in page] == [200] * (len(pages) - 1)
    assert at(floor).get(f"/sittings/{sitting.pk}/").status_code == 200


def test_who_came_in_by_pin_deals_but_does_not_manage_the_house(tablet, clock, employ):
    employ("max", "dealer", "manager")
    tablet.post(push_path(clock), said(clock, comes="max", pin=PIN))
    assert get_user(tablet).username == "max"
    assert tablet.get("/house/").status_code == 403
