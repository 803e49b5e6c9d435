"""Terminals: enrolled by the floor, named in the books, and the only devices that accept PINs."""

from datetime import timedelta

import pytest
from allauth.usersessions.models import UserSession
from django.contrib.auth import get_user
from django.test import Client
from django.utils import timezone

from casino.models import Staff, Terminal
from casino.sign_in import terminals
from ledger.models import HouseEvent, JournalEntry
from tests.support.cast import PIN

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("real_terminals", "identity_verifies")]
KEY = "a-key-of-this-page"


def codes(answer):
    errors = answer.context["form"].errors.as_data()
    return [error.code for field in errors.values() for error in field]


def enrol(client, name="Table 3"):
    return client.post("/terminals/", {"key": KEY, "name": name})


@pytest.fixture
def tablet(client, site, floor):
    """A tablet enrolled as Table 3, with nobody signed in."""
    client.force_login(floor)
    assert enrol(client).url == "/terminals/"
    client.post("/sign-out/")
    return client


def sign_in(client, badge, pin=PIN):
    return client.post("/sign-in/badge/", {"badge": badge, "pin": pin})


def test_a_terminal_is_a_cookie_of_which_only_the_hash_is_kept(tablet):
    cookie = tablet.cookies[terminals.COOKIE]
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")
    assert int(cookie["max-age"]) == timedelta(days=400).total_seconds()
    terminal = Terminal.objects.get()
    assert cookie.value not in terminal.token_hash
    assert (terminal.name, terminal.enrolled_by.username) == ("Table 3", "floor")


def test_a_dealer_signs_in_by_badge_or_username_and_pin(tablet, dealer):
    Staff.objects.filter(pk=dealer.pk).update(badge="LA-2041")
    for typed in ("la-2041", "dealer"):
        assert sign_in(tablet, typed).url == "/"
        assert get_user(tablet) == dealer
        tablet.post("/sign-out/")
    came = HouseEvent.objects.filter(kind="signed_in", actor=dealer).last()
    assert (came.terminal, came.data) == ("Table 3", {"by": "pin"})


def test_the_same_is_refused_on_a_strange_device_with_a_sentence(tablet, dealer):
    strange = Client()
    assert "is not a terminal of the house" in strange.get("/sign-in/badge/").content.decode()
    answer = sign_in(strange, "dealer")
    assert (answer.status_code, codes(answer)) == (403, ["strange_terminal"])
    assert "the floor to enrol it" in answer.content.decode()
    assert not get_user(strange).is_authenticated


def test_a_made_up_cookie_is_no_terminal(site, dealer, client):
    client.cookies[terminals.COOKIE] = "made-up"
    assert codes(sign_in(client, "dealer")) == ["strange_terminal"]


@pytest.mark.parametrize("who", ["manager", "floor", "cashier", "nobody"])
def test_who_does_not_deal_is_answered_like_a_wrong_pin_and_not_looked_at(
    tablet, manager, cashier, who, monkeypatch
):
    monkeypatch.setattr(Staff, "has_pin", lambda *_: pytest.fail("it was looked at"))
    answer = sign_in(tablet, who)
    assert (answer.status_code, codes(answer)) == (400, ["wrong_pin"])


def test_after_a_wrong_pin_the_cursor_is_in_the_pin_and_the_name_stands(tablet, dealer):
    shown = sign_in(tablet, "dealer", "864209").context["form"]
    assert "autofocus" in str(shown["pin"])
    assert "autofocus" not in str(shown["badge"])
    assert 'value="dealer"' in str(shown["badge"])


def test_a_badge_of_two_people_is_nobodys(tablet, dealer, employ):
    employ("zoe", "dealer")
    Staff.objects.filter(username__in=["dealer", "zoe"]).update(badge="LA-7")
    assert codes(sign_in(tablet, "LA-7")) == ["wrong_pin"]


def test_a_session_by_pin_deals_and_nothing_more_whoevers_pin_it_was(tablet, employ):
    employ("max", "dealer", "manager")
    assert sign_in(tablet, "max").url == "/"
    assert tablet.get("/").url == "/dealer/"
    for path in ("/house/", "/house/staff/", "/audit/", "/terminals/"):
        assert tablet.get(path, follow=True).status_code == 403
    for name in ("Floor", "House", "Books"):
        assert f">{name}</a>" not in tablet.get("/dealer/").content.decode()
    other = Client()
    other.force_login(Staff.objects.get(username="max"))
    assert other.get("/house/").status_code == 200


def test_a_dealer_of_the_floor_runs_no_table_by_pin(tablet, game, employ):
    employ("max", "dealer", "floor")
    sign_in(tablet, "max")
    assert tablet.get(f"/floor/sessions/{game.session.pk}/close/").status_code == 403


def test_a_revoked_terminal_takes_no_pin(tablet, dealer, floor):
    at_home = Client()
    at_home.force_login(floor)
    said = {"key": KEY, "terminal": Terminal.objects.get().pk}
    assert at_home.post("/terminals/revoke/", said).url == "/terminals/"
    assert at_home.post("/terminals/revoke/", said).status_code == 409
    assert codes(sign_in(tablet, "dealer")) == ["strange_terminal"]
    assert "Table 3" not in at_home.get("/terminals/").content.decode().split("<main")[1].split("toasts")[
        0
    ].replace("instance Table 3", "").replace(
        "Table 3 takes no PIN any more, and everybody is signed out there.", ""
    )


@pytest.mark.parametrize("lost", [False, True], ids=["listed", "not listed"])
def test_a_session_by_pin_ends_with_its_terminal_whatever_was_done_there(tablet, dealer, floor, lost):
    """A stolen tablet with the dealer signed in, on which a new password was set."""
    sign_in(tablet, "dealer")
    fresh = {"new_password": "a fine long one", "again": "a fine long one"}
    assert tablet.post("/password/", {"password": "dealer signs in", **fresh}).url == "/"
    at_home = Client()
    at_home.force_login(floor)
    if lost:
        UserSession.objects.filter(user=dealer).delete()
    at_home.post("/terminals/revoke/", {"key": KEY, "terminal": Terminal.objects.get().pk})
    assert tablet.get("/dealer/").url.startswith("/sign-in/")
    assert not get_user(tablet).is_authenticated
    ended = HouseEvent.objects.filter(kind="signed_out" if lost else "session_ended").last()
    assert ended.data == ({"why": "terminal"} if lost else {"staff": dealer.pk, "count": 1})


@pytest.mark.parametrize("other", ["no terminal", "another terminal"])
def test_a_session_by_pin_opens_nothing_on_another_device(tablet, dealer, floor, other):
    assert sign_in(tablet, dealer.username).url == "/"
    thief = Client()
    if other == "another terminal":
        thief.force_login(floor)
        enrol(thief, "Table 4")
    thief.cookies["sessionid"] = tablet.cookies["sessionid"].value
    assert thief.get("/dealer/").url.startswith("/sign-in/")
    assert not get_user(thief).is_authenticated
    assert tablet.get("/dealer/").url.startswith("/sign-in/")


@pytest.mark.parametrize("lost", [False, True], ids=["listed", "not listed"])
def test_every_session_that_began_at_a_terminal_ends_with_it(tablet, floor, floor2, lost):
    """A stolen desk at which somebody of the floor is signed in by password."""
    said = {"username": "floor2", "password": "floor2 signs in"}
    assert tablet.post("/sign-in/", said).status_code == 302
    at_home = Client()
    at_home.force_login(floor)
    if lost:
        UserSession.objects.filter(user=floor2).delete()
    at_home.post("/terminals/revoke/", {"key": KEY, "terminal": Terminal.objects.get().pk})
    assert tablet.get("/floor/").url.startswith("/sign-in/")
    assert at_home.get("/floor/").status_code == 200


def test_so_does_the_session_in_which_it_was_enrolled(client, site, floor, manager):
    client.force_login(floor)
    enrol(client)
    at_home = Client()
    at_home.force_login(manager)
    at_home.post("/terminals/revoke/", {"key": KEY, "terminal": Terminal.objects.get().pk})
    assert client.get("/floor/").url.startswith("/sign-in/")
    assert HouseEvent.objects.filter(kind="session_ended").last().data == {"staff": floor.pk, "count": 1}


def test_two_terminals_have_two_names_until_one_is_revoked(tablet, floor):
    tablet.force_login(floor)
    assert codes(enrol(tablet, " table  3".title())) == ["bad_text"]
    assert codes(enrol(tablet, "  ")) == ["bad_text"]
    tablet.post("/terminals/revoke/", {"key": KEY, "terminal": Terminal.objects.get().pk})
    tablet.force_login(floor)
    assert enrol(tablet).status_code == 302


def test_both_are_in_the_audit_log_with_who_did_it(tablet, floor, manager):
    tablet.force_login(manager)
    terminal = Terminal.objects.get()
    tablet.post("/terminals/revoke/", {"key": KEY, "terminal": terminal.pk})
    events = HouseEvent.objects.filter(kind__startswith="terminal_").order_by("pk")
    assert [(event.kind, event.actor, event.data) for event in events] == [
        ("terminal_enrolled", floor, {"number": terminal.pk, "name": "Table 3"}),
        ("terminal_revoked", manager, {"number": terminal.pk, "name": "Table 3"}),
    ]


@pytest.mark.parametrize("role", ["dealer", "cashier", "counter", "regulator", "compliance"])
def test_only_the_floor_and_managers_enrol(client, site, employ, role):
    client.force_login(employ("zoe", role))
    assert client.get("/terminals/").status_code == 403
    assert enrol(client).status_code == 403
    assert not Terminal.objects.exists()


def test_the_books_name_the_terminal(tablet, game, floor):
    tablet.force_login(floor)
    said = {"key": game.key(), "name": "Ann", "amount": "300", "source": "cash"}
    assert tablet.post(f"/sessions/{game.session.pk}/seats/1/buy-in/", said).status_code == 302
    assert JournalEntry.objects.last().terminal == "floor Table 3"


def test_a_demo_enrols_its_device_by_itself(client, db, settings):
    settings.DEMO = True
    client.get("/sign-in/")
    assert Terminal.objects.get().name.startswith("Demo ")
    client.get("/sign-in/")
    assert Terminal.objects.count() == 1
    assert "Badge and PIN</a>" in client.get("/sign-in/").content.decode()


def test_a_device_says_when_it_was_last_used(tablet, dealer):
    Terminal.objects.update(seen_at=timezone.now() - timedelta(days=3))
    sign_in(tablet, "dealer")
    assert timezone.now() - Terminal.objects.get().seen_at < timedelta(minutes=5)


@pytest.fixture
def own_tablet(client, game, floor):
    """The own tablet of the game's table, with nobody signed in."""
    client.force_login(floor)
    answer = client.post("/terminals/", {"key": KEY, "name": "Tablet A", "table": game.table_number})
    assert answer.url == "/terminals/"
    assert f"Table {game.table_number}</td>" in client.get("/terminals/").content.decode()
    client.post("/sign-out/")
    return client


def test_at_a_tables_own_tablet_a_badge_and_a_pin_are_the_push(own_tablet, game, employ):
    zoe = employ("zoe", "dealer")
    assert (
        f"You are pushed in at Table {game.table_number}"
        in own_tablet.get("/sign-in/badge/").content.decode()
    )
    assert sign_in(own_tablet, "zoe").url == "/"
    assert game.fresh_session().dealer == zoe
    assert own_tablet.get("/dealer/").url == f"/dealer/sessions/{game.session.pk}/"
    pushed = game.session.events.filter(kind="pushed").latest("pk")
    assert (pushed.actor, pushed.data["previous"]) == (zoe, game.dealer.pk)


def test_a_tables_own_tablet_does_not_follow_its_dealer_to_another_table(own_tablet, game, beside, employ):
    sign_in(own_tablet, game.dealer.username)
    game.push(employ("zoe", "dealer"))
    beside.push(game.dealer)
    assert own_tablet.get(f"/dealer/sessions/{beside.session.pk}/").url == "/dealer/"
    assert own_tablet.get("/dealer/").url == "/sign-in/badge/"
    assert not get_user(own_tablet).is_authenticated


def test_a_dealer_in_a_round_elsewhere_is_not_pushed_in_by_a_badge(own_tablet, game, beside):
    beside.seat("Ann", "Bob")
    beside.start(actor=beside.dealer)
    assert codes(sign_in(own_tablet, beside.dealer.username)) == ["dealer_in_round"]
    assert not get_user(own_tablet).is_authenticated
    assert game.fresh_session().dealer == game.dealer


def test_the_tablet_of_a_table_that_is_not_open_offers_no_other(own_tablet, game, employ):
    employ("zoe", "dealer")
    Terminal.objects.update(table=99)
    sign_in(own_tablet, "zoe")
    assert "Table 99 is not open" in own_tablet.get("/dealer/").content.decode()


def test_a_table_that_the_house_has_not_has_no_tablet(client, game, floor):
    client.force_login(floor)
    answer = client.post("/terminals/", {"key": KEY, "name": "Tablet B", "table": "77"})
    assert codes(answer) == ["invalid_choice"]
