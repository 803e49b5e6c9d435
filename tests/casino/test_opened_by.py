"""A page that one person opened acts for nobody else who signs in, by form or by API."""

import re

import pytest
from django.test import Client
from django.utils import timezone

from tables.models import ClockStop, Round

pytestmark = pytest.mark.django_db


@pytest.fixture
def stop_clock(game, floor):
    game.now = timezone.now()
    game.seat("Ann", "Bob")
    game.start()
    entry = {"key": "a-key-of-this-act", "reason": "Nobody knows why", "opened_by": floor.pk}
    return f"/floor/sessions/{game.session.pk}/stop-clock/", entry


def signed_in(person):
    client = Client()
    client.force_login(person)
    return client


def test_a_form_that_somebody_else_opened_is_shown_again_filled_and_nothing_is_recorded(
    stop_clock, floor, floor2
):
    address, entry = stop_clock
    answer = signed_in(floor2).post(address, entry)
    assert answer.status_code == 409
    assert "opened_by_another" in answer.text
    assert f"opened by {floor}; you are signed in as {floor2}. Nothing was recorded." in answer.text
    assert "Nobody knows why" in answer.text
    assert f'name="opened_by" value="{floor2.pk}"' in answer.text
    assert not ClockStop.objects.exists()


def test_a_piece_of_a_page_says_so_in_words_alone(stop_clock, floor, floor2):
    address, entry = stop_clock
    said = {"HX-Request": "true", "X-Opened-By": str(floor.pk)}
    answer = signed_in(floor2).post(address, entry | {"opened_by": floor2.pk}, headers=said)
    assert (answer.status_code, answer["X-Refused"]) == (409, "opened_by_another")
    assert not ClockStop.objects.exists()


def test_whoever_may_not_see_the_form_is_told_the_same(stop_clock, cashier):
    address, entry = stop_clock
    answer = signed_in(cashier).post(address, entry)
    assert (answer.status_code, "opened_by_another" in answer.text) == (409, True)
    assert "<h1>Nothing was recorded</h1>" in answer.text


def test_a_browser_says_who_opened_its_page_and_a_program_need_not(stop_clock, floor):
    address, entry = stop_clock
    unsaid = {name: value for name, value in entry.items() if name != "opened_by"}
    refused = signed_in(floor).post(address, unsaid, headers={"Sec-Fetch-Site": "same-origin"})
    assert (refused.status_code, ClockStop.objects.count()) == (403, 0)
    signed_in(floor).post(address, unsaid)
    assert ClockStop.objects.count() == 1


def test_a_page_that_says_nothing_of_who_opened_it_is_too_old_and_accuses_nobody(stop_clock, game, floor):
    address, entry = stop_clock
    unsaid = {name: value for name, value in entry.items() if name != "opened_by"}
    browser = {"Sec-Fetch-Site": "same-origin"}
    answer = signed_in(floor).post(address, unsaid, headers=browser)
    assert "This page is too old" in answer.text
    assert "form_expired" in answer.text
    assert "somebody else" not in answer.text
    assert "Nobody knows why" in answer.text
    piece = signed_in(floor).post(address, unsaid, headers=browser | {"HX-Request": "true"})
    assert (piece.status_code, piece["X-Refused"]) == (403, "form_expired")
    rounds = f"/api/sessions/{game.session.pk}/rounds"
    tablet = signed_in(floor).post(rounds, {"key": "a-key-of-this-act"}, "application/json", headers=browser)
    assert (tablet.status_code, tablet.json()["code"]) == (403, "form_expired")


def test_the_form_of_whoever_is_signed_in_is_sent(stop_clock, floor):
    address, entry = stop_clock
    signed_in(floor).post(address, entry, headers={"Sec-Fetch-Site": "same-origin"})
    assert ClockStop.objects.count() == 1


def test_the_tablet_starts_no_round_for_somebody_else(game, dealer, floor):
    game.seat("Ann", "Bob")
    address = f"/api/sessions/{game.session.pk}/rounds"
    said = {"X-Opened-By": str(floor.pk)}
    answer = signed_in(dealer).post(address, {"key": "a-key-of-this-act"}, "application/json", headers=said)
    assert (answer.status_code, answer.json()["code"]) == (409, "opened_by_another")
    assert not Round.objects.exists()


def test_every_form_of_a_page_says_who_opened_it(game, floor):
    page = signed_in(floor).get(f"/floor/sessions/{game.session.pk}/stop-clock/").text
    forms = re.findall(r"<form.*?</form>", page, re.DOTALL)
    assert forms
    assert all(
        f'name="opened_by" value="{floor.pk}"' in form for form in forms if "csrfmiddlewaretoken" in form
    )
