"""Second steps: authenticator app, passkeys and recovery codes; who needs one, and what the log keeps."""

import base64
import io
import json
import re
import threading
from datetime import timedelta

import pytest
import time_machine
from allauth.core import context
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib.auth import get_user
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.db import connections
from django.db.models.signals import post_save
from django.test import Client
from django.utils import timezone

from casino.models import Attempts, Staff, Terminal
from casino.sign_in import factors, terminals
from casino.sign_in.coming_in import WAITS_SECONDS
from casino.sign_in.pins import PinBackend
from casino.staff import hiring
from ledger.errors import Refusal
from ledger.journal.acts import Act
from ledger.models import HouseEvent
from tests.support.recorded import recorded_with
from tests.support.second_steps import SECRET, shown

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("asks_for_factors", "identity_verifies")]


@pytest.fixture
def clock():
    with time_machine.travel(timezone.now(), tick=False) as moved:
        yield moved


def sign_in(client, username):
    return client.post("/sign-in/", {"username": username, "password": f"{username} signs in"})


def second(client, code):
    return client.post("/sign-in/second-step/", {"code": code})


def codes(answer):
    errors = answer.context["form"].errors.as_data()
    return [error.code for field in errors.values() for error in field]


def refusal(act, *args):
    with pytest.raises(Refusal) as refused:
        act(*args)
    return refused.value.code


def act_of(person):
    return Act(actor=person, now=timezone.now())


def answer_of(client_data, authenticator_data=b"short"):
    said = {
        "clientDataJSON": client_data.encode(),
        "authenticatorData": authenticator_data,
        "signature": b"x",
    }
    response = {name: base64.urlsafe_b64encode(value).decode().rstrip("=") for name, value in said.items()}
    return json.dumps({"id": "eA", "rawId": "eA", "type": "public-key", "response": response})


@pytest.fixture
def at_terminal(site, manager):
    """`at_terminal(client)`: put the client on a terminal of the house."""
    token = terminals.enrol(name="Table 3", act=act_of(manager))

    def on(client):
        client.cookies[terminals.COOKIE] = token
        return client

    return on


@pytest.fixture
def has_app(site, floor, clock):
    """The floor has an app with an unused code; returns the recovery codes."""
    recovery = factors.add_app(floor, SECRET, shown(), act_of(floor))
    clock.shift(timedelta(seconds=30))
    return recovery


def test_the_code_with_which_an_app_was_added_is_used_up(client, site, floor, clock):
    used = shown()
    factors.add_app(floor, SECRET, used, act_of(floor))
    sign_in(client, "floor")
    refused = second(client, used)
    assert (refused.status_code, codes(refused)) == (400, ["wrong_code"])
    clock.shift(timedelta(seconds=30))
    assert second(client, shown()).url == "/"


@pytest.mark.parametrize("role", sorted(factors.DEMANDED_OF))
def test_whose_work_needs_one_sets_it_up_before_anything_else(client, site, employ, role):
    employ("zoe", role)
    assert sign_in(client, "zoe").url == "/"
    for path in ("/", "/floor/", "/house/", "/audit/", "/pin/", "/dispute/", "/live/"):
        assert client.get(path).url == "/second-steps/"
    assert client.get("/api/rounds/1").json()["code"] == "second_step_first"
    assert client.get("/floor/", headers={"hx-request": "true"})["HX-Redirect"] == "/second-steps/"
    assert client.get("/second-steps/").status_code == 200
    assert client.get("/healthz").status_code == 200


@pytest.mark.parametrize("roles", [("dealer",), ("counter",), ()])
def test_whose_work_needs_none_is_not_asked_on_a_terminal(client, at_terminal, employ, roles):
    employ("zoe", *roles)
    sign_in(at_terminal(client), "zoe")
    assert client.get("/dispute/").status_code == 200


@pytest.mark.parametrize("roles", [("dealer",), ("counter",), ()])
def test_elsewhere_their_password_alone_opens_nothing(client, at_terminal, employ, roles):
    zoe = employ("zoe", *roles)
    answer = sign_in(client, "zoe")
    assert (answer.status_code, codes(answer)) == (403, ["strange_terminal"])
    assert "on a terminal of the house" in answer.content.decode()
    assert not get_user(client).is_authenticated
    factors.add_app(zoe, SECRET, shown(), act_of(zoe))
    assert sign_in(client, "zoe").url == "/sign-in/second-step/"


def test_a_dealer_who_comes_by_a_code_elsewhere_sets_up_a_second_step_or_goes_to_a_terminal(
    client, at_terminal, dealer, manager
):
    code = hiring.make_code(person_id=dealer.pk, act=act_of(manager))
    assert client.post("/sign-in/", {"username": "dealer", "password": code}).url == "/"
    own = {
        "new_password": "a fine long one",
        "again": "a fine long one",
        "pin": "975310",
        "pin_again": "975310",
    }
    assert client.post("/first/", own).url == "/"
    assert client.get("/dealer/").url == "/second-steps/"
    page = client.get("/second-steps/").content.decode()
    assert "sign in on a terminal" in page
    assert "ask me again in a day" not in page
    assert client.post("/second-steps/").status_code == 409
    assert client.get("/dealer/").url == "/second-steps/"


def with_roles(person, manager, *roles):
    kept = {"full_name": "", "badge": "", "badge_expires": None}
    hiring.change_person(person_id=person.pk, roles=frozenset(roles), act=act_of(manager), **kept)


@pytest.mark.parametrize("role", sorted(factors.DEMANDED_OF))
def test_who_gains_work_that_needs_a_second_step_comes_in_again_by_its_rules(
    at_terminal, employ, manager, role
):
    zoe, tablet = employ("zoe", "dealer"), at_terminal(Client())
    sign_in(tablet, "zoe")
    assert tablet.get("/dealer/").status_code == 200
    with_roles(zoe, manager, role)
    assert tablet.get("/dispute/").url == "/sign-in/?next=/dispute/"
    ended = HouseEvent.objects.get(kind="session_ended")
    assert (ended.actor, ended.data) == (manager, {"staff": zoe.pk, "count": 1})
    sign_in(tablet, "zoe")
    assert tablet.get("/dispute/").url == "/second-steps/"


@pytest.mark.parametrize("roles", [("dealer",), ("dealer", "floor"), ("floor",)])
def test_who_gains_other_work_or_loses_some_stays_signed_in(client, site, employ, manager, roles):
    zoe = employ("zoe", "floor")
    client.force_login(zoe)
    with_roles(zoe, manager, *roles)
    assert client.get("/dispute/").status_code == 200


@pytest.mark.django_db(transaction=True)
def test_who_signs_in_while_they_gain_such_work_does_not_act_in_it(at_terminal, dealer, manager):
    """The role comes after the check that they need no second step, and before they count as signed in."""
    tablet, gains = at_terminal(Client()), []

    def gain():
        try:
            with_roles(dealer, manager, "dealer", "floor")
        finally:
            connections.close_all()

    def begun(created, **_):
        if created and not gains:
            gains.append(threading.Thread(target=gain))
            gains[0].start()
            gains[0].join(1)  # unless it waits for the sign-in

    post_save.connect(begun, sender=Session)
    try:
        sign_in(tablet, "dealer")
    finally:
        post_save.disconnect(begun, sender=Session)
    gains[0].join(60)
    assert dealer.roles == {"dealer", "floor"}
    assert tablet.get("/floor/").url == "/sign-in/?next=/floor/"


def test_a_dealers_session_by_password_ends_with_its_terminal(client, at_terminal, dealer, floor):
    sign_in(at_terminal(client), "dealer")
    assert client.get("/dealer/").status_code == 200
    terminals.revoke(terminal_id=Terminal.objects.get().pk, act=act_of(floor))
    assert not get_user(client).is_authenticated


def test_a_demo_asks_nobody(client, site, floor, settings):
    settings.DEMO = True
    sign_in(client, "floor")
    assert client.get("/floor/").status_code == 200


def test_it_can_be_put_off_once_for_a_day(client, site, floor, clock):
    sign_in(client, "floor")
    assert "ask me again in a day" in client.get("/second-steps/").content.decode()
    assert client.post("/second-steps/").url == "/"
    assert client.get("/floor/").status_code == 200
    clock.shift(timedelta(hours=23))
    again = Client()
    sign_in(again, "floor")
    assert again.get("/floor/").status_code == 200
    clock.shift(timedelta(hours=2))
    late = Client()
    sign_in(late, "floor")
    assert late.get("/floor/").url == "/second-steps/"
    assert "ask me again" not in late.get("/second-steps/").content.decode()
    assert late.post("/second-steps/").status_code == 409
    assert late.get("/floor/").url == "/second-steps/"


def test_an_app_is_set_up_and_asked_for_from_then_on(client, site, floor, clock):
    sign_in(client, "floor")
    page = client.get("/second-steps/app/").content.decode()
    secret = re.search(r'<code id="secret">([A-Z2-7 ]+)</code>', page)[1].replace(" ", "")
    wrong = client.post("/second-steps/app/", {"code": "000000"})
    assert (wrong.status_code, codes(wrong)) == (400, ["wrong_code"])
    answer = client.post("/second-steps/app/", {"code": shown(secret)})
    assert len(answer.context["codes"]) == 10
    assert client.get("/floor/").status_code == 200
    clock.shift(60)
    other = Client()
    assert sign_in(other, "floor").url == "/sign-in/second-step/"
    assert not get_user(other).is_authenticated
    assert second(other, shown(secret)).url == "/"
    assert other.get("/floor/").status_code == 200
    came = HouseEvent.objects.filter(kind="signed_in", actor=floor).last()
    assert came.data == {"by": "password and totp"}


def test_a_code_is_taken_once_and_none_from_before_it(client, floor, has_app, clock):
    sign_in(client, "floor")
    before = shown()
    clock.shift(30)
    now = shown()
    assert second(client, now).status_code == 302
    for used in (now, before):
        other = Client()
        sign_in(other, "floor")
        assert codes(second(other, used)) == ["wrong_code"]


def test_a_recovery_code_signs_in_once(client, floor, has_app):
    sign_in(client, "floor")
    assert second(client, has_app[3]).url == "/"
    assert factors.codes_left(floor) == 9
    other = Client()
    sign_in(other, "floor")
    assert codes(second(other, has_app[3])) == ["wrong_code"]


def test_wrong_codes_count_and_lock_like_passwords(client, floor, has_app):
    sign_in(client, "floor")
    for _ in range(5):
        assert second(client, "000000").status_code == 400
    assert second(client, shown()).status_code == 429
    assert Attempts.objects.get(at="factor").person == floor


def test_what_another_secret_key_encrypted_asks_for_a_one_time_code(client, floor, has_app, settings, clock):
    settings.SECRET_KEY = "another " * 8
    sign_in(client, "floor")
    for _ in range(7):
        answer = second(client, shown())
        assert (answer.status_code, codes(answer)) == (409, ["lost_factor"])
    assert factors.codes_left(floor) == 0
    Authenticator.objects.filter(type="totp").delete()
    factors.add_app(floor, SECRET, shown(), act_of(floor))
    clock.shift(timedelta(seconds=30))
    assert codes(second(client, "000000")) == ["wrong_code"]
    assert second(client, shown()).status_code == 302


def test_a_right_password_waits_ten_minutes_and_dies_with_the_password(client, floor, has_app, clock):
    sign_in(client, "floor")
    clock.shift(601)
    assert second(client, shown()).url == "/sign-in/"
    sign_in(client, "floor")
    floor.set_password("another long one")
    floor.save()
    assert second(client, shown()).url == "/sign-in/"
    assert Client().get("/sign-in/second-step/").url == "/sign-in/"


def test_where_one_wanted_to_go_is_kept_over_the_second_step(client, floor, has_app):
    client.post("/sign-in/", {"username": "floor", "password": "floor signs in", "next": "/waiting/"})
    assert second(client, shown()).url == "/waiting/"


def test_the_secrets_are_not_in_the_database(floor, has_app):
    kept = str(list(Authenticator.objects.values_list("data", flat=True)))
    assert SECRET not in kept
    assert Authenticator.objects.get(type="totp").wrap().instance.data["secret"].startswith("gAAAA")
    for code in (SECRET, *has_app):
        assert not recorded_with(code)


def test_the_last_one_stays_while_the_work_needs_it(floor, employ, has_app):
    (app,) = factors.steps_of(floor)
    assert refusal(factors.remove, floor, app.pk, act_of(floor)) == "last_factor"
    dealer = employ("zoe", "dealer")
    factors.add_app(dealer, SECRET, shown(), act_of(dealer))
    factors.remove(dealer, factors.steps_of(dealer)[0].pk, act_of(dealer))
    assert not Authenticator.objects.filter(user=dealer).exists()
    assert refusal(factors.remove, floor, 10**6, act_of(floor)) == "stale_page"


def test_long_after_the_sign_in_the_password_is_asked_for_again(client, at_terminal, employ, clock):
    employ("zoe", "dealer")
    sign_in(at_terminal(client), "zoe")
    assert "password" not in client.get("/second-steps/app/").context["form"].fields
    clock.shift(700)
    assert "password" in client.get("/second-steps/app/").context["form"].fields
    answer = client.post("/second-steps/app/", {"code": "000000", "password": "a guess"})
    assert codes(answer) == ["invalid_login"]
    assert client.post("/second-steps/codes/", {"password": "zoe signs in"}).status_code == 409


def test_new_codes_end_the_ones_before(client, floor, has_app):
    sign_in(client, "floor")
    second(client, shown())
    fresh = client.post("/second-steps/codes/").context["codes"]
    assert not set(fresh) & set(has_app)
    other = Client()
    sign_in(other, "floor")
    assert codes(second(other, has_app[0])) == ["wrong_code"]
    assert second(other, fresh[0]).status_code == 302


def test_a_one_time_code_leaves_them_and_opens_nothing_without_one(client, floor, manager, has_app):
    """Whoever made the code must not come in as its owner: the second step is still asked for."""
    code = hiring.make_code(person_id=floor.pk, act=act_of(manager))
    assert client.post("/sign-in/", {"username": "floor", "password": code}).url == "/sign-in/second-step/"
    assert client.get("/").url == "/sign-in/?next=/"
    assert codes(second(client, "000000")) == ["wrong_code"]
    assert second(client, shown()).url == "/"
    assert client.get("/").url == "/first/"
    assert HouseEvent.objects.filter(kind="signed_in").latest("pk").data == {"by": "code and totp"}
    own = {
        "new_password": "a fine long one",
        "again": "a fine long one",
        "pin": "975310",
        "pin_again": "975310",
    }
    assert client.post("/first/", own).url == "/"
    assert client.get("/").url == "/floor/"


def test_the_only_manager_who_has_lost_everything_is_let_in_by_another_one(site, manager, monkeypatch):
    """As docs/operations.md has it: hire another manager, who makes the code and resets the second steps."""
    factors.add_app(manager, SECRET, shown(), act_of(manager))
    monkeypatch.setattr("sys.stdin", io.StringIO("max signs in\n"))
    call_command("hire", "max", "--role", "manager", stdout=io.StringIO())
    second_manager, first = Client(), Client()
    sign_in(second_manager, "max")
    assert second_manager.post("/second-steps/").url == "/"  # not now
    answer = second_manager.post(f"/house/staff/{manager.pk}/code/", {"key": "a-key-of-this-page"})
    code = answer.context["code"]
    assert second_manager.post(f"/house/staff/{manager.pk}/second-steps/", {"key": "a-key-of-this-page"}).url
    assert first.post("/sign-in/", {"username": "manager", "password": code}).url == "/"
    assert first.get("/").url == "/first/"


def test_whoever_leaves_and_comes_back_is_asked_for_the_one_they_had(client, floor, manager, has_app):
    """Otherwise letting go and taking back would be a way around it."""
    hiring.let_go(person_id=floor.pk, act=act_of(manager))
    code = hiring.take_back(person_id=floor.pk, act=act_of(manager))
    assert client.post("/sign-in/", {"username": "floor", "password": code}).url == "/sign-in/second-step/"


def test_the_log_has_each_with_whose_and_by_whom(floor, manager, has_app):
    hiring.reset_factors(person_id=floor.pk, act=act_of(manager))
    events = HouseEvent.objects.filter(kind__startswith="factor_").order_by("pk")
    assert [(event.kind, event.actor, event.data["staff"], event.data["factor"]) for event in events] == [
        ("factor_added", floor, floor.pk, "totp"),
        ("factor_added", floor, floor.pk, "recovery_codes"),
        ("factor_removed", manager, floor.pk, "totp"),
    ]


@pytest.mark.parametrize(
    "credential",
    [
        *("", "no json", "[]", "{}", '{"id": "x"}', '{"response": {"userHandle": "!"}}', "[" * 3000),
        *(answer_of(said) for said in ("[" * 3000, "{}", "[]", '{"type": "webauthn.get", "challenge": 1}')),
    ],
)
def test_what_is_no_passkey_is_refused_and_counted(client, site, floor, credential):
    answer = client.post("/sign-in/passkey/", {"credential": credential})
    assert (answer.status_code, codes(answer)) == (400, ["wrong_code"])
    assert Attempts.objects.get().at == "terminal"
    client.force_login(floor)
    answer = client.post("/second-steps/passkey/", {"credential": credential or "x"})
    assert answer.status_code == 400


def test_a_session_by_pin_changes_none(client, site, dealer):
    client.force_login(PinBackend().get_user(dealer.pk), backend="casino.sign_in.pins.PinBackend")
    for path in ("/second-steps/", "/second-steps/app/", "/signed-in/"):
        assert client.get(path).status_code == 403
        assert client.post(path).status_code == 403


def test_one_sees_where_one_is_signed_in_and_signs_out_elsewhere(client, at_terminal, floor, dealer):
    others = [at_terminal(Client(headers={"user-agent": f"Tablet {number}"})) for number in range(2)]
    at_terminal(client)
    for each in (*others, client):
        sign_in(each, "dealer")
    stranger = Client()
    stranger.force_login(floor)
    page = client.get("/signed-in/").content.decode()
    assert [page.count(f"Tablet {number}") for number in range(2)] == [1, 1]
    others[1].post("/sign-out/")
    assert "Tablet 1" not in client.get("/signed-in/").content.decode()
    assert client.post("/signed-in/").url == "/signed-in/"
    assert [get_user(each).is_authenticated for each in (client, *others, stranger)] == [
        True,
        False,
        False,
        True,
    ]
    event = HouseEvent.objects.get(kind="session_ended")
    assert (event.actor, event.data) == (dealer, {"staff": dealer.pk, "count": 1})


def test_one_session_is_ended_by_itself_after_the_password(client, at_terminal, dealer, floor, clock):
    others = [at_terminal(Client()) for _ in range(2)]
    stranger = Client()
    stranger.force_login(floor)
    for each in (*others, at_terminal(client)):
        sign_in(each, "dealer")
    lost = UserSession.objects.get(session_key=others[0].session.session_key).pk
    theirs = UserSession.objects.get(session_key=stranger.session.session_key).pk
    clock.shift(timedelta(seconds=WAITS_SECONDS + 1))
    assert 'name="password"' in client.get("/signed-in/").text
    assert client.post("/signed-in/", {"place": lost}).status_code == 400
    assert client.post("/signed-in/", {"place": lost, "password": "not the password"}).status_code == 400
    assert get_user(others[0]).is_authenticated
    for place in (lost, theirs):
        said = {"place": place, "password": "dealer signs in"}
        assert client.post("/signed-in/", said).url == "/signed-in/"
    still = [get_user(each).is_authenticated for each in (client, *others, stranger)]
    assert still == [True, False, True, True]


def test_a_session_that_has_set_a_password_is_listed_and_ended_like_any_other(client, at_terminal, dealer):
    elsewhere = at_terminal(Client(headers={"user-agent": "Tablet 1"}))
    at_terminal(client)
    sign_in(elsewhere, "dealer")
    fresh = {"new_password": "a fine long one", "again": "a fine long one"}
    assert elsewhere.post("/password/", {"password": "dealer signs in", **fresh}).url == "/"
    client.post("/sign-in/", {"username": "dealer", "password": "a fine long one"})
    assert "Tablet 1" in client.get("/signed-in/").content.decode()
    client.post("/signed-in/")
    assert not get_user(elsewhere).is_authenticated


def test_a_passkey_proves_its_owner_also_as_a_second_step(site, floor, rf):
    with context.request_context(rf.get("/")) as _:
        context.request.session = {}
        assert factors.passkey_options(floor)["publicKey"]["userVerification"] == "required"


def test_a_superuser_needs_one_too(client, site):
    Staff.objects.create_superuser("owner", password="owner signs in")
    sign_in(client, "owner")
    assert client.get("/").url == "/second-steps/"
