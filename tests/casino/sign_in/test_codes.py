"""One-time codes: one sign-in within a day, then nothing before an own password and PIN."""

from datetime import timedelta

import pytest
from django.contrib.auth import authenticate
from django.db import connection
from django.test import Client
from django.utils import timezone

from casino.models import Staff
from casino.sign_in import passwords
from casino.sign_in.attempts import OF_NAME
from casino.staff import hiring
from ledger.journal.acts import Act
from ledger.models import HouseEvent
from tests.support.addresses import ALL
from tests.support.cast import PIN
from tests.support.recorded import recorded_with

pytestmark = pytest.mark.django_db
OWN = {
    "new_password": "a fine long one",
    "again": "a fine long one",
    "pin": "975310",
    "pin_again": "975310",
}


def sign_in(client, username, password, **extra):
    return client.post("/sign-in/", {"username": username, "password": password}, **extra)


def refused(response):
    return [error.code for errors in response.context["form"].errors.as_data().values() for error in errors]


@pytest.fixture
def code(site, dealer):
    return passwords.give_code(dealer, passwords.new_code(), timezone.now())


@pytest.fixture
def came(client, code):
    assert sign_in(client, "dealer", code).status_code == 302
    return client


def test_a_code_is_easy_to_read_out_and_kept_as_a_hash(dealer, code):
    assert len(code) == 11
    assert code[5] == "-"
    assert set(code) - {"-"} <= set(passwords.LETTERS)
    dealer.refresh_from_db()
    assert code.replace("-", "") not in dealer.code
    assert code != passwords.give_code(dealer, passwords.new_code(), timezone.now())


@pytest.mark.parametrize("typed", [str, str.lower, lambda code: f" {code.replace('-', ' ')} "])
def test_a_code_comes_in_however_it_is_typed(client, code, typed):
    assert sign_in(client, "dealer", typed(code)).url == "/"


def test_a_code_works_once(client, code):
    assert sign_in(client, "dealer", code).status_code == 302
    assert refused(sign_in(Client(), "dealer", code)) == ["invalid_login"]


def test_a_code_is_dead_after_a_day(client, dealer):
    made = timezone.now() - passwords.LASTS
    code = passwords.give_code(dealer, passwords.new_code(), made)
    assert refused(sign_in(client, "dealer", code)) == ["invalid_login"]
    code = passwords.give_code(dealer, passwords.new_code(), made + timedelta(minutes=1))
    assert sign_in(client, "dealer", code).status_code == 302


def test_a_new_code_ends_the_one_before(client, dealer, code):
    passwords.give_code(dealer, passwords.new_code(), timezone.now())
    assert refused(sign_in(client, "dealer", code)) == ["invalid_login"]


def test_a_code_is_nobody_elses(client, code, floor):
    assert refused(sign_in(client, "floor", code)) == ["invalid_login"]


def test_a_code_of_somebody_who_left_is_dead(client, dealer, code):
    Staff.objects.filter(pk=dealer.pk).update(is_active=False)
    assert refused(sign_in(client, "dealer", code)) == ["invalid_login"]


def test_a_code_ends_password_pin_and_sessions_at_once(client, site, dealer):
    client.force_login(dealer)
    assert client.get("/pin/").status_code == 200
    passwords.give_code(Staff.objects.get(pk=dealer.pk), passwords.new_code(), timezone.now())
    assert client.get("/pin/").url == "/sign-in/?next=/pin/"
    assert refused(sign_in(client, "dealer", "dealer signs in")) == ["invalid_login"]
    assert not Staff.objects.get(pk=dealer.pk).has_pin(PIN)


def test_guessed_codes_count_like_passwords_and_then_the_right_one_waits_too(client, code):
    for _ in range(OF_NAME.free):
        assert sign_in(client, "dealer", "AAAAA-AAAAA").status_code == 400
    answer = sign_in(client, "dealer", code)
    assert (answer.status_code, refused(answer)) == (429, ["too_many_attempts"])


def test_using_a_code_is_noted_and_the_code_is_not(came, dealer, code):
    (used,) = HouseEvent.objects.filter(kind="code_used")
    assert (used.actor, used.data) == (dealer, {})
    assert HouseEvent.objects.filter(kind="signed_in", actor=dealer).exists()
    for typed in (code, code.replace("-", "")):
        assert not recorded_with(typed)


def test_a_code_is_no_pin_and_proves_no_second_person(rf, code):
    from tables.errors import WrongPin

    with pytest.raises(WrongPin):
        authenticate(rf.post("/"), username="dealer", pin=code)


OPEN = ("/first/", "/sign-out/", "/healthz")
ELSEWHERE = sorted(path for path in ALL if not path.startswith(OPEN))


@pytest.mark.parametrize("method", ["get", "post", "put", "delete"])
def test_every_address_answers_with_the_change_page_first(came, method):
    answers = {path: getattr(came, method)(path) for path in [*ELSEWHERE, "/nothing/here/"]}
    pages = {path: answer for path, answer in answers.items() if not path.startswith("/api/")}
    assert len(pages) > 60
    assert {
        path: answer.status_code for path, answer in pages.items() if getattr(answer, "url", "") != "/first/"
    } == {}
    api = {path: answer for path, answer in answers.items() if path.startswith("/api/")}
    assert {(answer.status_code, answer.json()["code"]) for answer in api.values()} == {
        (403, "own_password_first")
    }


def test_a_piece_of_a_page_leads_to_the_change_page_as_a_whole(came):
    assert came.get("/dealer/", headers={"hx-request": "true"})["HX-Redirect"] == "/first/"


def test_the_state_of_the_service_and_the_way_out_stay_open(came):
    assert came.get("/first/").status_code == 200
    assert came.get("/healthz").status_code == 200
    assert came.post("/sign-out/").url == "/sign-in/"


def test_whoever_set_their_own_password_and_pin_works_from_then_on(came, dealer):
    assert came.post("/first/", OWN).url == "/"
    assert came.get("/").url == "/dealer/"
    assert sign_in(Client(), "dealer", OWN["new_password"]).status_code == 302
    dealer.refresh_from_db()
    assert dealer.has_pin("975310")
    assert not dealer.must_renew
    kinds = HouseEvent.objects.filter(kind__in=["password_set", "pin_set"])
    assert {(event.kind, event.actor, event.data["staff"]) for event in kinds} == {
        ("password_set", dealer, dealer.pk),
        ("pin_set", dealer, dealer.pk),
    }
    assert came.get("/first/").url == "/"


def test_other_sessions_than_the_one_that_set_it_end(client, dealer):
    came, other = Client(), Client()
    sign_in(came, "dealer", passwords.give_code(dealer, passwords.new_code(), timezone.now()))
    other.force_login(Staff.objects.get(pk=dealer.pk))
    came.post("/first/", OWN)
    assert other.get("/").url == "/sign-in/?next=/"
    assert came.get("/").url == "/dealer/"


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"again": "another"}, "bad_password"),
        ({"new_password": "short", "again": "short"}, "bad_password"),
        ({"new_password": "dealer1234", "again": "dealer1234"}, "bad_password"),
        ({"new_password": "password1234", "again": "password1234"}, "bad_password"),
        ({"pin": "111111", "pin_again": "111111"}, "bad_pin"),
        ({"pin_again": "97531"}, "bad_pin"),
        ({"pin": "", "pin_again": ""}, "required"),
    ],
)
def test_a_poor_password_or_pin_is_refused_and_nothing_is_set(came, dealer, changed, said):
    answer = came.post("/first/", OWN | changed)
    assert answer.status_code == 400
    assert set(refused(answer)) == {said}
    dealer.refresh_from_db()
    assert dealer.must_renew
    assert not dealer.pin


def test_a_regulator_sets_a_password_and_needs_no_pin(client, regulator):
    sign_in(client, "regulator", passwords.give_code(regulator, passwords.new_code(), timezone.now()))
    assert "PIN" not in client.get("/first/").content.decode().split("<main")[1]
    own = {name: OWN[name] for name in ("new_password", "again")}
    assert client.post("/first/", own).url == "/"
    assert client.get("/").url == "/audit/"


def test_one_changes_the_own_password_after_the_one_before(client, site, floor):
    client.force_login(floor)
    other = Client()
    other.force_login(floor)
    new = {"new_password": "a fine long one", "again": "a fine long one"}
    assert refused(client.post("/password/", {"password": "a guess", **new})) == ["invalid_login"]
    assert client.post("/password/", {"password": "floor signs in", **new}).url == "/"
    assert client.get("/").url == "/floor/"
    assert other.get("/").url == "/sign-in/?next=/"
    assert sign_in(Client(), "floor", "a fine long one").status_code == 302
    assert HouseEvent.objects.get(kind="password_set").actor == floor


def test_a_regulator_changes_the_own_password_and_nothing_else(client, site, regulator):
    client.force_login(regulator)
    new = {"password": "regulator signs in", "new_password": "a fine long one", "again": "a fine long one"}
    assert client.post("/password/", new).url == "/"
    assert client.get("/pin/").url == "/password/"
    assert client.post("/pin/", {}).status_code == 403


def test_the_demo_password_is_nobodys_own(came):
    assert "bad_password" in refused(came.post("/first/", OWN | {"new_password": "demo", "again": "demo"}))


def test_nothing_is_hashed_while_others_wait_to_write(came, manager, dealer, transactions):
    outside = len(connection.savepoint_ids)
    assert came.post("/first/", OWN).status_code == 302
    act = Act(manager, timezone.now())
    hiring.make_code(person_id=dealer.pk, act=act)
    hiring.let_go(person_id=dealer.pk, act=act)
    hiring.take_back(person_id=dealer.pk, act=act)
    hiring.hire(
        username="zoe", full_name="Zoë", badge="", badge_expires=None, roles=frozenset({"dealer"}), act=act
    )
    assert len(transactions) >= 5
    assert set(transactions) == {outside}
