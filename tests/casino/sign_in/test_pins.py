"""PINs: set by their owner after the password; wrong ones are counted and logged; they open no other page."""

import re

import pytest
from django.contrib.auth import authenticate
from django.test import RequestFactory, override_settings

from casino.demo import people
from casino.models import Staff
from casino.sign_in import pins
from casino.sign_in.attempts import OF_NAME
from casino.sign_in.errors import BadPin, TooManyAttempts
from ledger.models import HouseEvent
from tables.errors import WrongPin
from tests.support.cast import PIN

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("identity_verifies")]


def prove(name, pin, address="10.0.0.7"):
    request = RequestFactory().post("/", REMOTE_ADDR=address)
    return authenticate(request, username=name, pin=pin)


def refusal(act, *args):
    with pytest.raises((WrongPin, TooManyAttempts, BadPin)) as refused:
        act(*args)
    return refused.value.code


def codes(answer):
    return re.findall(r"<code>([a-z_]+)</code>", answer.content.decode())


def test_a_name_and_its_pin_prove_a_person(dealer):
    assert prove("dealer", PIN) == dealer


@pytest.mark.parametrize(("name", "pin"), [("dealer", "8642"), ("nobody", PIN), ("dealer", "")])
def test_a_wrong_pin_proves_nobody(dealer, name, pin):
    assert refusal(prove, name, pin) == "wrong_pin"


def test_who_has_no_pin_or_has_left_is_proved_by_none(dealer):
    Staff.objects.filter(pk=dealer.pk).update(pin="")
    assert refusal(prove, "dealer", "") == "wrong_pin"
    dealer.set_pin(PIN)
    dealer.is_active = False
    dealer.save()
    assert refusal(prove, "dealer", PIN) == "wrong_pin"


def test_wrong_pins_are_counted_and_then_the_right_one_waits_too(dealer, floor):
    for _ in range(OF_NAME.free):
        assert refusal(prove, "dealer", "8642") == "wrong_pin"
    assert refusal(prove, "dealer", PIN) == "too_many_attempts"
    assert prove("floor", PIN) == floor


def test_wrong_pins_are_noted_as_one_row_with_the_name_and_the_count(site, dealer):
    for _ in range(3):
        refusal(prove, "dealer", "8642")
    assert prove("dealer", PIN) == dealer
    (noted,) = HouseEvent.objects.filter(kind="pin_refused")
    assert (noted.data["username"], noted.data["count"], noted.terminal) == ("dealer", 3, "10.0.0.7")


def test_a_pin_is_no_password_and_a_password_no_pin(client, dealer):
    assert client.post("/sign-in/", {"username": "dealer", "password": PIN}).status_code == 400
    assert refusal(prove, "dealer", "dealer signs in") == "wrong_pin"


@pytest.mark.parametrize(
    "digits",
    [
        *("12345", "123456789", "12a456", "٣٤٥٦٧٨", people.PIN),
        *("777777", "121212", "123123", "112112", "777778"),
        *("123456", "654321", "890123", "135791", "246802"),
        *("241285", "122485", "851224", "24121985", "19851224"),
    ],
)
def test_what_is_no_good_pin_is_refused(dealer, digits):
    assert refusal(lambda: pins.hashed(digits)) == "bad_pin"


def test_the_pin_of_the_demo_proves_somebody_in_a_demo_alone(dealer):
    dealer.set_pin(people.PIN)
    dealer.save()
    assert refusal(prove, "dealer", people.PIN) == "wrong_pin"
    with override_settings(DEMO=True):
        assert prove("dealer", people.PIN) == dealer


def test_everybody_in_a_demo_has_its_pin():
    people.employ_people()
    assert all(person.has_pin(people.PIN) for person in Staff.objects.all())


def test_one_sets_the_own_pin_after_the_password(client, site, dealer):
    client.force_login(dealer)
    new = {"pin": "975310", "again": "975310"}
    wrong = client.post("/pin/", {"password": "a guess", **new})
    assert (wrong.status_code, codes(wrong)) == (400, ["invalid_login"])
    differ = client.post("/pin/", {"password": "dealer signs in", "pin": "975310", "again": "975311"})
    assert codes(differ) == ["bad_pin"]
    assert client.post("/pin/", {"password": "dealer signs in", **new}).status_code == 302
    assert prove("dealer", "975310") == dealer
    event = HouseEvent.objects.get(kind="pin_set")
    assert (event.actor, event.data) == (dealer, {"staff": dealer.pk})


def test_passwords_guessed_at_the_pin_page_are_counted_as_at_the_door(client, dealer):
    client.force_login(dealer)
    said = {"password": "a guess", "pin": "975310", "again": "975310"}
    answers = [client.post("/pin/", said) for _ in range(OF_NAME.free + 1)]
    assert codes(answers[-1]) == ["too_many_attempts"]
    assert answers[-1].status_code == 429
