"""Attempts are counted by device: nobody locks a colleague out of a terminal, or of their usual browser."""

from datetime import timedelta

import pytest
import time_machine
from django.contrib.auth import get_user
from django.db import IntegrityError
from django.test import Client
from django.utils import timezone

from casino.house.first_start import BadManager, FirstManager, _person
from casino.models import Attempts, KnownBrowser, Staff, Terminal
from casino.sign_in import attempts, browsers, passwords, pins, terminals
from casino.sign_in.attempts import OF_NAME, At
from ledger.errors import BadText
from ledger.journal.acts import Act
from ledger.rules.addresses import like_an_address

pytestmark = pytest.mark.django_db
WRONG = "not the password"


def come(client, password="floor signs in", username="floor", address="10.0.0.7"):
    said = {"username": username, "password": password}
    return client.post("/sign-in/", said, REMOTE_ADDR=address).status_code


@pytest.fixture
def clock():
    with time_machine.travel(timezone.now(), tick=False) as moved:
        yield moved


@pytest.fixture
def cage(site, floor):
    """A client on the cage's terminal, with nobody signed in."""
    client = Client()
    act = Act(actor=floor, now=timezone.now())
    client.cookies[terminals.COOKIE] = terminals.enrol(name="Cage", act=act)
    return client


@pytest.fixture
def own_browser(site, floor):
    client = Client()
    assert come(client) == 302
    client.post("/sign-out/")
    return client


def guess_from_outside(times=OF_NAME.free + 1, username="floor"):
    for number in range(times):
        come(Client(), WRONG, username, f"203.0.113.{number}")


def test_six_wrong_ones_from_outside_keep_nobody_from_the_cages_terminal(cage, floor):
    guess_from_outside()
    assert come(Client()) == 429
    assert come(cage) == 302


def test_nor_from_the_browser_in_which_they_have_signed_in_before(own_browser, floor):
    guess_from_outside()
    assert come(own_browser) == 302
    # To this name, a colleague's browser is a stranger's.
    assert come(Client()) == 429


def test_nor_a_stranger_at_the_same_address(own_browser, cage, floor):
    """Guests and staff may share one address of the house's network."""
    guesses = [come(Client(), WRONG, f"junk{number}") for number in range(attempts.OF_TERMINAL.free + 2)]
    assert guesses[-1] == come(Client()) == 429
    assert come(own_browser) == come(cage) == 302


def test_a_known_browser_waits_after_its_own_wrong_ones(own_browser, floor):
    assert {come(own_browser, WRONG) for _ in range(OF_NAME.free)} == {400}
    assert come(own_browser) == 429


def test_a_lock_of_strangers_leaves_terminals_open(cage, floor, clock, manager, client):
    run = Attempts(
        at=At.PASSWORD, subject=attempts._key("floor"), judged=OF_NAME.lock, last_at=timezone.now()
    )
    run.save()
    answer = Client().post("/sign-in/", {"username": "floor", "password": "floor signs in"})
    assert answer.status_code == 403
    assert "terminal of the house still works" in answer.content.decode()
    client.force_login(manager)
    page = " ".join(client.get("/house/staff/").content.decode().split())
    assert "password, on devices where they had not signed in before:" in page
    assert come(cage) == 302


def test_each_terminal_has_a_run_of_its_own_and_all_others_share_one(cage, own_browser, floor):
    come(cage, WRONG)
    come(own_browser, WRONG)
    come(Client(), WRONG)
    come(Client(), WRONG, address="198.51.100.9")
    runs = Attempts.objects.filter(at=At.PASSWORD).order_by("device")
    known, terminal = KnownBrowser.objects.get(), Terminal.objects.get()
    assert [(run.device, run.judged, run.person) for run in runs] == [
        ("", 2, floor),
        (f"browser {known.pk}", 1, floor),
        (f"terminal {terminal.pk}", 1, floor),
        ("terminals", 1, floor),
    ]


def enrolled(floor, name):
    client = Client()
    client.cookies[terminals.COOKIE] = terminals.enrol(name=name, act=Act(actor=floor, now=timezone.now()))
    return client


def test_whoever_enrols_more_terminals_gains_no_guesses_at_a_colleague(site, floor, cashier):
    answers = []
    for number in range(7):
        terminal = enrolled(floor, f"Desk {number}")
        answers += [come(terminal, WRONG, "cashier") for _ in range(OF_NAME.free)]
    free = attempts.OF_TERMINALS.free
    assert (429 in answers[:free], set(answers[free:])) == (False, {429})
    assert come(enrolled(floor, "One more"), "cashier signs in", "cashier") == 429


def test_being_right_at_one_terminal_gives_no_guesses_at_the_others(cage, floor, clock):
    come(cage, WRONG)
    assert come(cage) == 302
    assert list(Attempts.objects.exclude(person=None).values_list("device", "judged")) == [("terminals", 1)]
    clock.shift(timedelta(hours=2))
    come(enrolled(floor, "Desk"), WRONG)
    assert Attempts.objects.get(device="terminals").judged == 1


def test_a_lock_at_all_terminals_is_lifted_like_others(cage, floor, clock):
    come(cage, WRONG)
    run = Attempts.objects.get(device="terminals")
    Attempts.objects.filter(pk=run.pk).update(judged=OF_NAME.lock)
    assert attempts.held_up(timezone.now()) == []
    Attempts.objects.filter(pk=run.pk).update(judged=attempts.OF_TERMINALS.lock)
    assert attempts.held_up(timezone.now()) == [run]
    assert come(cage) == 403
    attempts.lift(run, Act(actor=floor, now=timezone.now()))
    assert come(cage) == 302


def test_a_known_browser_guesses_at_other_names_as_a_stranger(own_browser, cashier):
    come(own_browser, WRONG, "cashier")
    assert Attempts.objects.get(at=At.PASSWORD).device == ""


def test_of_a_browsers_cookie_only_the_hash_is_kept_and_each_sign_in_renews_it(own_browser, floor, clock):
    cookie = own_browser.cookies[browsers.COOKIE]
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")
    assert int(cookie["max-age"]) == browsers.LASTS.total_seconds()
    assert cookie.value not in str(KnownBrowser.objects.values())
    before = KnownBrowser.objects.get().seen_at
    clock.shift(timedelta(days=9))
    answer = own_browser.post("/sign-in/", {"username": "floor", "password": "floor signs in"})
    assert answer.cookies[browsers.COOKIE].value == cookie.value
    assert KnownBrowser.objects.get().seen_at > before


def test_a_cookie_that_the_house_has_not_made_is_replaced(site, floor):
    planted = Client()
    planted.cookies[browsers.COOKIE] = "a"
    assert come(planted) == 302
    assert len(planted.cookies[browsers.COOKIE].value) > 40


def test_a_password_without_its_second_step_makes_no_browser_known(site, floor, monkeypatch):
    monkeypatch.setattr("casino.views.has_step", lambda person: True)
    assert come(Client()) == 302
    assert not KnownBrowser.objects.exists()


def test_whoever_starts_from_a_code_is_known_nowhere(own_browser, floor, clock):
    passwords.give_code(floor, passwords.new_code(), timezone.now())
    assert not KnownBrowser.objects.exists()


def test_browsers_that_came_no_more_are_forgotten(own_browser, floor):
    attempts.tend(timezone.now() + browsers.LASTS - timedelta(days=1))
    assert KnownBrowser.objects.exists()
    attempts.tend(timezone.now() + browsers.LASTS + timedelta(days=1))
    assert not KnownBrowser.objects.exists()


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("2001:db8:1:2:aaaa::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:bbbb:cccc:dddd:9", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:10.0.0.7", "10.0.0.7"),
        ("10.0.0.7", "10.0.0.7"),
        ("Table 3", "Table 3"),
        ("", ""),
    ],
)
def test_addresses_of_ipv6_are_counted_by_their_network(address, place):
    assert attempts.place_of(address) == place


def test_a_network_of_ipv6_runs_out_of_patience_as_one(site, rf):
    for number in range(2):
        with attempts.Attempt(At.PASSWORD, f"junk{number}", rf.post("/", REMOTE_ADDR=f"2001:db8::{number}")):
            pass
    run = Attempts.objects.get(at=At.TERMINAL)
    assert (run.judged, attempts.name_of(run)) == (2, "2001:db8::/64")


# -- terminals and names ---------------------------------------------------------------------------


def test_each_sign_in_on_a_terminal_renews_its_cookie_and_says_when_it_was_used(cage, floor):
    Terminal.objects.update(seen_at=timezone.now() - timedelta(days=300))
    answer = cage.post("/sign-in/", {"username": "floor", "password": "floor signs in"})
    renewed = answer.cookies[terminals.COOKIE]
    assert renewed.value == cage.cookies[terminals.COOKIE].value
    assert int(renewed["max-age"]) == terminals.LASTS.total_seconds()
    assert timezone.now() - Terminal.objects.get().seen_at < timedelta(minutes=5)
    assert terminals.COOKIE not in cage.get("/floor/").cookies


@pytest.mark.parametrize(
    "name",
    [
        *("10.0.0.7", " 10.0.0.7 ", "10.0.0.7:443", "[::1]", "fe80::1", "2001:db8::/64", "Table 10.0.0.7"),
        *("１０．０．０．７", "10。0。0。7", "١٠.٠.٠.٧", "1 0 . 0 . 0 . 7", "10․0․0․7"),
        *("command line root", "Command  Line", "ｃommandline www"),
    ],
)
def test_a_terminal_is_not_called_like_an_address(site, floor, name):
    with pytest.raises(BadText, match="like an address"):
        terminals.enrol(name=name, act=Act(actor=floor, now=timezone.now()))
    assert not Terminal.objects.exists()


def test_no_two_terminals_differ_in_capital_letters_alone(cage, floor):
    with pytest.raises(BadText, match="Another terminal is called"):
        enrolled(floor, "CAGE")
    with pytest.raises(IntegrityError):
        Terminal.objects.create(
            name="CAGE", token_hash="x", enrolled_at=timezone.now(), seen_at=timezone.now()
        )


@pytest.mark.parametrize("name", ["ＣＡＧＥ", "Ca\u034fge", "Càge"])
def test_no_two_terminals_are_called_nearly_the_same(cage, floor, name):
    with pytest.raises(BadText, match="Another terminal is called"):
        enrolled(floor, name)


@pytest.mark.parametrize("name", ["Pit lO", "P1t 10", "P|t 10"])
def test_no_two_terminals_look_the_same(cage, floor, name):
    enrolled(floor, "Pit 10")
    with pytest.raises(BadText, match="Another terminal is called"):
        enrolled(floor, name)


@pytest.mark.parametrize("name", ["С\u0430ge 2", "СAGE 2", "Cαge", "Cagе", "Tɑble", "١٢", "Cage\u20133"])
def test_a_terminal_is_called_in_no_letters_that_look_like_latin_ones(cage, floor, name):
    with pytest.raises(BadText, match="Name this device in Latin letters"):
        enrolled(floor, name)


@pytest.mark.parametrize("name", ["Salón 2", "牌桌 3", "Cage 2 (left)"])
def test_a_terminal_may_be_called_in_latin_or_chinese(cage, floor, name):
    enrolled(floor, name)
    assert Terminal.objects.filter(name=name).exists()


@pytest.mark.parametrize("name", ["\u3164", "\u2800", "\u115f\u1160", "\u034f"])
def test_a_terminal_has_a_name_that_prints(site, floor, name):
    with pytest.raises(BadText, match="Name this device in Latin letters"):
        enrolled(floor, name)


@pytest.mark.parametrize("name", ["Table 3", "Cage", "Desk 2.1", "Count room: left", "Café", "Bad 3"])
def test_other_names_are_no_addresses(name):
    assert not like_an_address(name)


def test_no_two_usernames_differ_in_capital_letters_alone(site, floor):
    with pytest.raises(IntegrityError):
        Staff.objects.create(username="FLOOR")


@pytest.mark.parametrize("username", ["flооr", "ﬂoor", "ｆloor", "flöor"])
def test_no_username_has_letters_that_look_like_others(db, username):
    with pytest.raises(BadManager) as refused:
        _person(FirstManager(username=username, full_name="Rosa", password="a long key to it"))
    assert refused.value.field == "username"


# -- a changed secret ends what was open by the one before -----------------------------------------


def test_a_changed_pin_ends_the_other_sessions(own_browser, floor):
    here, elsewhere, by_pin = own_browser, Client(), Client()
    come(here)
    elsewhere.force_login(floor)
    by_pin.force_login(pins.PinBackend().get_user(floor.pk), backend="casino.sign_in.pins.PinBackend")
    said = {"password": "floor signs in", "pin": "739154", "again": "739154"}
    assert here.post("/pin/", said).url == "/"
    assert [get_user(each).is_authenticated for each in (here, elsewhere, by_pin)] == [True, False, False]


def test_a_changed_password_ends_them_in_the_database_too(own_browser, floor):
    elsewhere = Client()
    come(own_browser)
    elsewhere.force_login(floor)
    key = elsewhere.session.session_key
    said = {"password": "floor signs in", "new_password": "a fine long one", "again": "a fine long one"}
    assert own_browser.post("/password/", said).url == "/"
    assert get_user(own_browser).is_authenticated
    assert not elsewhere.session.exists(key)
