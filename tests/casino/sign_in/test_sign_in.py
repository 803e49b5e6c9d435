"""Signing in and out."""

import pytest
from django.contrib.auth import authenticate
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.test import Client

from casino.demo import people
from casino.sign_in.errors import TooManyAttempts

WRONG = "not the password"


def sign_in(client, username, password, **extra):
    return client.post("/sign-in/", {"username": username, "password": password}, **extra)


def codes(response):
    return [error.code for errors in response.context["form"].errors.as_data().values() for error in errors]


@pytest.mark.parametrize(
    ("role", "start"),
    [
        ("floor", "/floor/"),
        ("dealer", "/dealer/"),
        ("cashier", "/cashier/"),
        ("counter", "/count/"),
        ("regulator", "/audit/"),
        ("manager", "/house/"),
    ],
)
def test_everybody_starts_where_their_work_is(client, employ, role, start):
    employ("zoe", role)
    assert sign_in(client, "zoe", "zoe signs in").url == "/"
    assert client.get("/").url == start


def test_somebody_without_a_role_is_told_so(client, employ):
    client.force_login(employ("zoe"))
    assert client.get("/").status_code == 403


def test_a_stranger_is_sent_to_the_sign_in_page_and_then_where_they_wanted(client, floor):
    assert client.get("/floor/", follow=True).redirect_chain[-1][0] == "/sign-in/?next=/floor/"
    assert client.get("/").url == "/sign-in/?next=/"
    credentials = {"username": "floor", "password": "floor signs in", "next": "/floor/"}
    assert client.post("/sign-in/", credentials).url == "/floor/"


def test_sign_in_leads_to_no_other_site(client, floor):
    credentials = {"username": "floor", "password": "floor signs in", "next": "https://elsewhere.example/"}
    assert client.post("/sign-in/", credentials).url == "/"


def test_a_wrong_password_is_refused(client, floor):
    response = sign_in(client, "floor", WRONG)
    assert (response.status_code, codes(response)) == (400, ["invalid_login"])


def test_whoever_no_longer_works_here_stays_out(client, floor):
    floor.is_active = False
    floor.save(update_fields=["is_active"])
    assert codes(sign_in(client, "floor", "floor signs in")) == ["invalid_login"]


def test_after_five_wrong_passwords_even_the_right_one_waits(client, floor):
    for _ in range(5):
        assert sign_in(client, "floor", WRONG).status_code == 400
    response = sign_in(client, "floor", "floor signs in")
    assert (response.status_code, codes(response)) == (429, ["too_many_attempts"])


def test_the_right_password_forgets_the_wrong_ones(client, floor):
    for _ in range(4):
        sign_in(client, "floor", WRONG)
    assert sign_in(client, "floor", "floor signs in").status_code == 302
    for _ in range(4):
        assert sign_in(Client(), "floor", WRONG).status_code == 400
    assert sign_in(Client(), "floor", "floor signs in").status_code == 302


def test_the_name_waits_however_it_is_written(client, floor):
    for name in ("floor", "Floor", "FLOOR", "fLoor", "flOor"):
        sign_in(client, name, WRONG)
    assert sign_in(client, "floor", WRONG).status_code == 429


def test_the_demo_password_opens_nothing_outside_a_demo(client, db):
    people.employ_people()
    assert codes(sign_in(client, "floor", people.PASSWORD)) == ["invalid_login"]


def test_the_demo_password_opens_a_demo(client, db, settings):
    settings.DEMO = True
    people.employ_people()
    assert sign_in(client, "floor", people.PASSWORD).status_code == 302


@pytest.mark.django_db
def test_nobody_sets_the_demo_password():
    with pytest.raises(ValidationError) as refused:
        validate_password(people.PASSWORD)
    assert "demo_password" in [error.code for error in refused.value.error_list]


def test_the_demos_people_are_named_on_the_page_of_a_demo_alone(client, db, settings):
    assert client.get("/sign-in/").context["demo_people"] == ()
    settings.DEMO = True
    assert ("counter1", "counter") in client.get("/sign-in/").context["demo_people"]


def test_a_second_start_makes_no_second_demo_people(db):
    from casino.models import Staff

    people.employ_people()
    people.employ_people()
    assert Staff.objects.count() == len(people.PEOPLE)


def test_whoever_is_signed_in_does_not_see_the_sign_in_page(client, floor):
    client.force_login(floor)
    assert client.get("/sign-in/").url == "/"


def test_sign_out_is_a_deed_not_a_link(client, floor):
    client.force_login(floor)
    assert client.get("/sign-out/").status_code == 405
    assert client.post("/sign-out/").url == "/sign-in/"
    assert client.get("/").url == "/sign-in/?next=/"


def test_a_form_from_another_site_does_not_sign_in(floor):
    strict = Client(enforce_csrf_checks=True)
    response = sign_in(strict, "floor", "floor signs in")
    assert response.status_code == 403
    assert strict.get("/").url == "/sign-in/?next=/"


def test_a_fragment_asked_for_after_the_session_ended_says_where_to_sign_in(client, db):
    headers = {"hx-request": "true", "hx-current-url": "http://testserver/floor/?table=3"}
    response = client.get("/", headers=headers)
    assert (response.status_code, response["X-Sign-In"]) == (401, "/sign-in/?next=%2Ffloor%2F%3Ftable%3D3")


def test_wrong_passwords_count_wherever_one_is_asked_for(rf, floor):
    request = rf.post("/floor/")
    for _ in range(5):
        assert authenticate(request, username="floor", password="a guess") is None
    with pytest.raises(TooManyAttempts):
        authenticate(request, username="floor", password="floor signs in")
