"""The first start: an address valid for an hour, two steps, and a house with its first manager or neither."""

from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.utils import timezone

from casino.house import first_start
from casino.house.first_start import AlreadySetUp, BadManager, FirstManager, SetUpLinkRefused
from casino.models import Attempts, SetUpLink, Staff
from casino.sign_in.attempts import OF_TERMINAL
from casino.sign_in.passwords import BadPassword
from ledger.errors import BadParticulars, LedgerError
from ledger.journal.acts import Act
from ledger.journal.particulars import Particulars
from ledger.models import AuditLog, HouseEvent, Site
from ledger.proof.log import sealing
from tests.support.together import run_together

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 3, 7, 20, 0, tzinfo=UTC)
PASSWORD = "a fine long password"
HOUSE = {
    "name": "The Sixth Street Room",
    "licence": "GEGE-004711",
    "jurisdiction": "california",
    "time_zone": "America/Los_Angeles",
    "day_starts_at": 7,
    "shifts": 1,
    "authorised_tables": 12,
}
ORIGIN = "tables.example.com/log"
ZOE = {"username": "zoe", "full_name": "Zoe Zimmer", "password": PASSWORD}


def link(now=NOW):
    return first_start.find_link(first_start.make_link(now), now).pk


def set_up(link_id, *, now=NOW, manager=(), origin=ORIGIN, **house):
    return first_start.set_up(
        link_id=link_id,
        particulars=Particulars(**HOUSE | house),
        origin=origin,
        manager=FirstManager(**ZOE | dict(manager)),
        act=Act(actor=None, now=now),
    )


# -- the verb --------------------------------------------------------------------------------------


def test_the_house_and_its_first_manager_are_made_together():
    zoe = set_up(link())
    site = Site.objects.get()
    assert {name: getattr(site, name) for name in HOUSE} == HOUSE
    assert (zoe.roles, zoe.get_full_name(), zoe.check_password(PASSWORD)) == ({"manager"}, "Zoe Zimmer", True)


def test_the_log_begins_with_the_house_by_its_manager_and_the_manager():
    zoe = set_up(link())
    opened = HouseEvent.objects.get(kind="house_opened")
    assert (opened.actor, opened.data["licence"]) == (zoe, "GEGE-004711")
    hired = HouseEvent.objects.get(kind="staff_changed")
    assert (hired.actor, hired.data["before"], hired.data["after"]["roles"]) == (None, None, ["manager"])
    assert PASSWORD not in str(list(HouseEvent.objects.values_list("data", flat=True)))


def test_the_audit_log_has_the_name_that_was_chosen_and_no_other_any_more():
    set_up(link(), origin=" Tables.Example.com/log ")
    log = AuditLog.objects.get()
    assert log.origin == sealing.log_of(Site.objects.get()).origin == "tables.example.com/log"
    sealing.seal(log.site, now=NOW)
    assert sealing.latest(log).note.startswith("tables.example.com/log\n")
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        AuditLog.objects.update(origin="other.example/log")


@pytest.mark.parametrize(
    "origin",
    ["", "tables.example.com", "/log", "two words/log", "a+b/log", "https://a.example/log", "a/" + "b" * 200],
)
def test_a_name_that_no_signature_can_carry_is_refused(origin):
    with pytest.raises(BadParticulars):
        set_up(link(), origin=origin)
    assert not Site.objects.exists()


def test_an_address_is_kept_as_a_hash_alone():
    token = first_start.make_link(NOW)
    kept = SetUpLink.objects.values().get()
    assert token not in str(kept)
    assert first_start.find_link(token, NOW).pk == kept["id"]


def test_an_address_holds_for_an_hour_and_until_it_is_used():
    token = first_start.make_link(NOW)
    hour = timedelta(hours=1)
    assert first_start.find_link(token, NOW + hour - timedelta(seconds=1))
    assert first_start.find_link(token, NOW + hour) is None
    set_up(link())
    assert first_start.find_link(token, NOW) is None


def test_an_address_that_ran_out_on_the_way_sets_nothing_up():
    pk = link()
    with pytest.raises(SetUpLinkRefused):
        set_up(pk, now=NOW + timedelta(hours=1))
    assert not Site.objects.exists()
    assert not Staff.objects.exists()


def test_no_address_holds_once_somebody_is_a_manager(employ):
    token = first_start.make_link(NOW)
    employ("mia", "manager")
    assert first_start.find_link(token, NOW) is None


def test_whoever_comes_second_is_told_so_and_changes_nothing():
    first, second = link(), link()
    set_up(first)
    with pytest.raises(AlreadySetUp):
        set_up(second, manager={"username": "yan"}, name="Another Room")
    assert (Site.objects.get().name, Staff.objects.get().username) == (HOUSE["name"], "zoe")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("links", [1, 2])
def test_of_two_people_who_set_up_at_once_one_wins(links):
    with_ = [link() for _ in range(links)]
    answers = run_together(
        "tests.casino.house.test_first_start:set_up_at_once",
        [{"link_id": with_[0], "username": "zoe"}, {"link_id": with_[-1], "username": "yan"}],
    )
    assert sorted(answers) == ["already_set_up", "ok"]
    assert (Site.objects.count(), Staff.objects.count()) == (1, 1)


def set_up_at_once(link_id, username):
    """Set up, in a process of its own; return `ok` or the code."""
    try:
        set_up(link_id, manager={"username": username}, name=f"The room of {username}")
    except LedgerError as refused:
        return refused.code
    return "ok"


@pytest.mark.parametrize(
    ("house", "code", "field"),
    [
        ({"time_zone": "America/Fifth_Street"}, "bad_time_zone", "time_zone"),
        ({"time_zone": "../../etc/passwd"}, "bad_time_zone", "time_zone"),
        ({"licence": "  "}, "bad_licence", "licence"),
        ({"licence": "---"}, "bad_licence", "licence"),
        ({"licence": "GEGE" * 20}, "bad_text", "licence"),
        ({"name": ""}, "bad_text", "name"),
        ({"jurisdiction": "atlantis"}, "bad_particulars", "jurisdiction"),
        ({"jurisdiction": "../california"}, "bad_particulars", "jurisdiction"),
        ({"day_starts_at": 24}, "bad_particulars", "day_starts_at"),
        ({"shifts": 5}, "bad_particulars", "shifts"),
        ({"authorised_tables": 40_000}, "bad_particulars", "authorised_tables"),
    ],
)
def test_particulars_that_no_house_can_have_are_refused(house, code, field):
    with pytest.raises(LedgerError) as refused:
        set_up(link(), **house)
    assert (refused.value.code, refused.value.field) == (code, field)
    assert not Site.objects.exists()


@pytest.mark.parametrize(
    ("manager", "refusal", "field"),
    [
        ({"full_name": " "}, BadManager, "full_name"),
        ({"username": "zoe zimmer"}, BadManager, "username"),
        ({"password": "demo"}, BadPassword, "password"),
        ({"password": "zoe"}, BadPassword, "password"),
        ({"password": "1234567890"}, BadPassword, "password"),
    ],
)
def test_a_manager_who_cannot_be_one_is_refused_and_there_is_no_house(manager, refusal, field):
    with pytest.raises(refusal) as refused:
        set_up(link(), manager=manager)
    assert refused.value.field == field
    assert not Site.objects.exists()


def test_somebody_who_was_hired_by_a_script_before_keeps_their_name(employ):
    employ("zoe", "dealer")
    with pytest.raises(BadManager):
        set_up(link())
    set_up(link(), manager={"username": "mia"})
    noted = [event.data["after"]["username"] for event in HouseEvent.objects.filter(kind="staff_changed")]
    assert {"zoe", "mia"} <= set(noted)


# -- the pages -------------------------------------------------------------------------------------


@pytest.fixture
def address():
    return f"/set-up/?token={first_start.make_link(timezone.now())}"


def page_of(answer):
    return answer.content.decode()


def step_one(client, address, **entry):
    client.get(address)
    return client.post("/set-up/", HOUSE | {"origin": ORIGIN, "key": "set-up-key"} | entry)


def step_two(client, **entry):
    return client.post("/set-up/manager/", ZOE | {"again": PASSWORD, "key": "set-up-key"} | entry)


def test_the_token_leaves_the_address_at_once(client, address):
    answer = client.get(address)
    assert (answer.status_code, answer.url) == (302, "/set-up/")
    assert address.partition("=")[2] not in page_of(client.get("/set-up/"))


def test_two_steps_end_on_the_managers_desk_signed_in(client, address):
    assert step_one(client, address).url == "/set-up/manager/"
    assert not Site.objects.exists()
    assert step_two(client).url == "/house/"
    desk = " ".join(page_of(client.get("/house/")).split())
    assert "The Sixth Street Room" in desk
    assert '>the set-up address</bdi></td> <td data-label="What">zoe works here: manager.' in desk
    assert HouseEvent.objects.get(kind="signed_in").actor.username == "zoe"


def test_the_rules_for_passwords_are_shown_and_the_password_never(client, address):
    step_one(client, address)
    assert "at least 10 characters" in page_of(client.get("/set-up/manager/"))
    refused = step_two(client, again="something else entirely")
    assert refused.status_code == 400
    shown = page_of(refused)
    assert "bad_password" in shown
    assert "Zoe Zimmer" in shown
    assert PASSWORD not in shown
    assert PASSWORD not in str(dict(client.session))


def test_what_was_typed_is_there_again_with_the_refusal_beside_it(client, address):
    refused = step_one(client, address, time_zone="Mars/Olympus")
    assert refused.status_code == 400
    shown = page_of(refused)
    assert 'value="Mars/Olympus"' in shown
    assert "bad_time_zone" in shown
    assert 'value="GEGE-004711"' in shown
    refused = step_one(client, address, origin="no log")
    assert (refused.status_code, "bad_particulars" in page_of(refused)) == (400, True)


def test_going_back_finds_the_house_as_it_was_entered(client, address):
    step_one(client, address)
    shown = page_of(client.get("/set-up/"))
    assert 'value="The Sixth Street Room"' in shown
    assert f'value="{ORIGIN}"' in shown


def test_there_is_no_second_step_before_the_first(client, address):
    client.get(address)
    assert client.get("/set-up/manager/").url == "/set-up/"
    assert step_two(client).url == "/set-up/"


def test_unknown_used_and_old_addresses_have_one_answer(client, address):
    old = address
    SetUpLink.objects.update(made_at=timezone.now() - timedelta(hours=1))
    answers = {path: client.get(path) for path in ("/set-up/", "/set-up/manager/", "/set-up/?token=x", old)}
    token = first_start.make_link(timezone.now())
    set_up(first_start.find_link(token, timezone.now()).pk, now=timezone.now())
    answers["used"] = client.get(f"/set-up/?token={token}")
    sentence = first_start.refusal().message.partition("`")[0]
    assert {path: (answer.status_code, sentence in page_of(answer)) for path, answer in answers.items()} == (
        dict.fromkeys(answers, (403, True))
    )


def test_guessing_has_to_wait_also_with_the_right_address(client, address):
    for _ in range(OF_TERMINAL.free):
        assert client.get("/set-up/?token=guessed").status_code == 403
    assert client.get("/set-up/?token=guessed").status_code == 429
    assert client.get(address).status_code == 429


def test_once_there_is_a_house_nobody_has_to_wait_for_addresses_that_another_page_has_tried(client, address):
    set_up(link())
    for _ in range(OF_TERMINAL.free + 2):
        assert client.get("/set-up/?token=guessed").status_code == 403
    assert not Attempts.objects.exists()


def test_somebody_in_the_second_step_learns_that_another_was_faster(client, address):
    step_one(client, address)
    set_up(link())
    answer = step_two(client, username="yan")
    assert answer.status_code == 409
    assert "Somebody else has set up this house" in page_of(answer)


def test_the_sign_in_page_says_that_there_is_no_house_yet(client, employ):
    assert "has not been set up" in page_of(client.get("/sign-in/"))
    set_up(link())
    assert "has not been set up" not in page_of(client.get("/sign-in/"))


# -- the commands ----------------------------------------------------------------------------------


def test_the_command_prints_an_address_until_there_is_a_house(capsys, settings):
    settings.ALLOWED_HOSTS, settings.SECURE = ["tables.example.com", "localhost"], True
    call_command("setup_link")
    printed = capsys.readouterr().out.strip()
    start, _, token = printed.partition("?token=")
    assert start == "https://tables.example.com/set-up/"
    set_up(first_start.find_link(token, timezone.now()).pk, now=timezone.now())
    with pytest.raises(CommandError):
        call_command("setup_link")


def test_without_tls_the_address_is_on_this_machine(settings):
    settings.SECURE = False
    assert first_start.address_of("x") == f"http://localhost:{settings.PORT}/set-up/?token=x"


@pytest.mark.parametrize("zone", ["Nowhere/Land", "America/Los_Angeles"])
def test_a_script_founds_no_house_without_a_licence_or_in_no_zone(zone):
    licence = "" if zone.startswith("America") else "GEGE-1"
    with pytest.raises(CommandError, match="bad_"):
        call_command("prepare", site="The Other Room", licence=licence, zone=zone)
    assert not Site.objects.exists()
