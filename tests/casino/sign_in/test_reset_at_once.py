"""A reset of somebody's sign-in while they, or a thief, change it: the change never overwrites the reset."""

import pytest
from django.contrib.auth.hashers import get_hasher
from django.test import Client
from django.utils import timezone

from casino.models import Staff, Terminal
from casino.sign_in import pins, terminals
from casino.staff import hiring
from ledger.journal.acts import Act
from tests.support.cast import PIN

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("identity_verifies")]
PASSWORD = "floor signs in"
FORMS = {
    "/password/": {"password": PASSWORD, "new_password": "a fine long one", "again": "a fine long one"},
    "/pin/": {"password": PASSWORD, "pin": "975310", "again": "975310"},
}


@pytest.fixture
def meanwhile(monkeypatch, at_once):
    """`meanwhile(call)`: before the next hashing, run `call` in a thread."""
    hasher, waiting, given = type(get_hasher()), [], []
    encode = hasher.encode

    def encoded(*args, **options):
        while waiting:
            given.extend(at_once([waiting.pop()]))
        return encode(*args, **options)

    monkeypatch.setattr(hasher, "encode", encoded)

    def plan(call):
        waiting.append(call)
        return given

    return plan


def signed_in(username, password):
    client = Client()
    client.post("/sign-in/", {"username": username, "password": password})
    return client


@pytest.mark.parametrize("path", FORMS)
def test_a_change_that_was_under_way_is_not_written_over_a_reset(site, manager, floor, meanwhile, path):
    thief = Client()
    thief.force_login(floor)
    given = meanwhile(lambda: hiring.make_code(person_id=floor.pk, act=Act(manager, timezone.now())))
    answer = thief.post(path, FORMS[path])
    (code,) = given
    assert answer.status_code == 409
    assert b"stale_page" in answer.content
    kept = Staff.objects.get(pk=floor.pk)
    assert (kept.must_renew, kept.pin, kept.has_usable_password()) == (True, "", False)
    assert thief.get("/floor/").url == "/sign-in/?next=/floor/"
    assert signed_in("floor", code).get("/floor/").url == "/first/"


@pytest.mark.parametrize("path", FORMS)
def test_a_change_that_nothing_came_between_is_kept(site, floor, path):
    client = Client()
    client.force_login(floor)
    assert client.post(path, FORMS[path]).status_code == 302


NEW_PIN = FORMS["/pin/"]["pin"]


@pytest.fixture
def by_pin(site, floor, dealer):
    """`by_pin(pin)`: a client on a terminal where the dealer signed in with this PIN."""
    Staff.objects.filter(pk=dealer.pk).update(badge="LA-7")

    def come(pin):
        client = Client()
        act = Act(floor, timezone.now())
        client.cookies[terminals.COOKIE] = terminals.enrol(name=f"Table {Terminal.objects.count()}", act=act)
        assert client.post("/sign-in/badge/", {"badge": "LA-7", "pin": pin}).status_code == 302
        return client

    return come


def test_a_pin_that_is_changed_while_somebody_signs_in_by_the_one_before_opens_nothing(
    dealer, by_pin, meanwhile
):
    own = Client()
    own.force_login(dealer)
    change = FORMS["/pin/"] | {"password": "dealer signs in"}
    answers = meanwhile(lambda: own.post("/pin/", change))
    thief = by_pin(PIN)
    (answer,) = answers
    assert answer.status_code == 302
    assert thief.get("/dealer/").url == "/sign-in/?next=/dealer/"
    assert own.get("/dealer/").status_code == 200
    assert by_pin(NEW_PIN).get("/dealer/").status_code == 200


def test_a_session_by_pin_ends_with_that_pin_and_one_by_password_does_not(dealer, by_pin):
    thief, own = by_pin(PIN), Client()
    own.force_login(dealer)
    pins.keep_pin(Staff.objects.get(pk=dealer.pk), pins.hashed(NEW_PIN), actor=None, request=None)
    assert thief.get("/dealer/").url == "/sign-in/?next=/dealer/"
    assert own.get("/dealer/").status_code == 200


def test_who_came_by_pin_and_sets_another_stays_signed_in_there(dealer, by_pin):
    tablet, elsewhere = by_pin(PIN), by_pin(PIN)
    assert tablet.post("/pin/", FORMS["/pin/"] | {"password": "dealer signs in"}).url == "/"
    assert tablet.get("/dealer/").status_code == 200
    assert elsewhere.get("/dealer/").url == "/sign-in/?next=/dealer/"


def test_who_has_still_to_set_a_password_signs_nothing(site, floor, rf):
    from django.contrib.auth import authenticate

    from ledger.rights import RUN_FLOOR
    from tables.errors import WrongPin
    from tables.views.fields import with_pins

    assert list(with_pins(RUN_FLOOR)) == [floor]
    Staff.objects.filter(pk=floor.pk).update(must_renew=True)
    assert list(with_pins(RUN_FLOOR)) == []
    with pytest.raises(WrongPin):
        authenticate(rf.post("/"), username="floor", pin=PIN)
