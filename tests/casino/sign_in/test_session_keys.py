"""Session keys: that of a signed-in session says so, and cannot be forged."""

from math import log2

import pytest
from django.contrib.sessions.models import Session
from django.utils.crypto import RANDOM_STRING_CHARS

from casino.sign_in import asking
from casino.sign_in.asking import SessionStore


def key_of(client):
    return client.cookies["sessionid"].value


def test_a_session_gets_a_marked_key_when_somebody_signs_in(client, floor):
    client.force_login(floor)
    assert asking.is_of_somebody(key_of(client))


@pytest.mark.django_db
def test_the_session_of_a_stranger_has_no_such_key(client):
    client.get("/sign-in/passkey/")
    assert not asking.is_of_somebody(key_of(client))


def test_who_signs_in_with_a_strangers_session_gets_another_key(client, floor):
    client.get("/sign-in/passkey/")
    before = key_of(client)
    client.force_login(floor)
    after = key_of(client)
    assert asking.is_of_somebody(after)
    assert not SessionStore().exists(before)


def test_whoever_waits_for_the_second_step_has_a_strangers_key(client, floor, monkeypatch):
    monkeypatch.setattr("casino.views.has_step", lambda person: True)
    client.get("/sign-in/passkey/")
    before = key_of(client)
    assert client.post("/sign-in/", {"username": "floor", "password": "floor signs in"}).status_code == 302
    assert key_of(client) != before
    assert not asking.is_of_somebody(key_of(client))


@pytest.mark.parametrize("change", [0, 10, 27, 28, 39])
def test_a_key_with_another_character_is_a_strangers(change):
    key = asking.marked_key()
    other = key[:change] + ("a" if key[change] != "a" else "b") + key[change + 1 :]
    assert asking.is_of_somebody(key)
    assert not asking.is_of_somebody(other)


def test_a_key_fits_its_row_and_has_enough_chance():
    key = asking.marked_key()
    assert len(key) <= Session._meta.get_field("session_key").max_length
    # a letter, which occurs twice in the alphabet, large and small
    likeliest = 2 / len(RANDOM_STRING_CHARS)
    assert (len(key) - asking.MARK) * -log2(likeliest) >= 128


@pytest.mark.parametrize(
    "key",
    ["", "a" * 40, "é" * 40, asking.marked_key() + "a", asking.marked_key()[1:]],
    ids=["none", "of one letter", "of an accent", "too long", "too short"],
)
def test_what_the_house_has_not_made_is_a_strangers(key):
    assert not asking.is_of_somebody(key)


def test_a_key_is_of_one_house(settings):
    key = asking.marked_key()
    settings.SECRET_KEY = "another key, long enough to pass for a real one, of another house"
    assert not asking.is_of_somebody(key)
