"""The staff pages: who may open them, what they show, and the code that is shown once."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from casino import roles
from casino.models import Staff
from casino.sign_in import passwords
from casino.sign_in.coming_in import CAME
from casino.sign_in.pins import PinBackend

pytestmark = pytest.mark.django_db
KEY = "a-key-of-this-page"
ZOE = {
    "key": KEY,
    "username": "zoe",
    "full_name": "Zoë 小明",
    "badge": "B-1024",
    "badge_expires": "2027-01-31",
    "roles": ["dealer"],
}
KNOWN = {name: value for name, value in ZOE.items() if name != "username"}  # it never changes
PAGES = ("", "hire/", "{}/", "{}/code/", "{}/let-go/", "{}/take-back/")


@pytest.fixture
def desk(client, site, manager):
    client.force_login(manager)
    session = client.session
    session[CAME] = timezone.now().timestamp()
    session.save()
    return client


def said(answer):
    return answer.content.decode().split("<main")[1]


def refused(answer):
    return {
        name: [error.code for error in errors]
        for name, errors in answer.context["form"].errors.as_data().items()
    }


def code_on(answer):
    return said(answer).split('class="one-time-code"><code>')[1].split("<")[0]


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("role", [*sorted(set(roles.ROLES) - {"manager"}), None])
def test_nobody_but_managers_comes_in(client, site, employ, dealer, role, page):
    client.force_login(employ("yan", *filter(None, [role])))
    address = "/house/staff/" + page.format(dealer.pk)
    before = list(Staff.objects.order_by("pk").values())
    assert client.get(address).status_code == 403
    assert client.post(address, ZOE).status_code == 403
    assert [row | {"last_login": None} for row in Staff.objects.order_by("pk").values()] == [
        row | {"last_login": None} for row in before
    ]


@pytest.mark.parametrize("page", PAGES)
def test_a_manager_who_came_by_pin_does_not_come_in(desk, manager, dealer, page):
    desk.force_login(PinBackend().get_user(manager.pk), backend="casino.sign_in.pins.PinBackend")
    assert desk.get("/house/staff/" + page.format(dealer.pk)).status_code == 403


def test_the_house_leads_to_the_staff(desk):
    assert 'href="/house/staff/"' in said(desk.get("/house/"))


def test_hiring_shows_the_code_once_and_it_comes_in(desk):
    answer = desk.post("/house/staff/hire/", ZOE)
    assert answer.status_code == 200
    assert "no-store" in answer["Cache-Control"]
    assert "<bdi>Zoë 小明</bdi>" in said(answer)
    code = code_on(answer)
    zoe = Staff.objects.get(username="zoe")
    for page in ("", f"{zoe.pk}/"):
        assert code not in desk.get(f"/house/staff/{page}").content.decode()
    came = Client()
    assert came.post("/sign-in/", {"username": "zoe", "password": code}).url == "/"
    assert came.get("/").url == "/first/"


@pytest.mark.parametrize(
    ("changed", "field", "code", "status"),
    [
        ({"username": "DEALER"}, "username", "username_taken", 409),
        ({"username": "zoe!"}, "username", "bad_text", 400),
        ({"full_name": "小" * 61}, "full_name", "bad_text", 400),
        ({"full_name": ""}, "full_name", "bad_text", 400),
        ({"badge_expires": "31.1.2027"}, "badge_expires", "bad_text", 400),
        ({"badge_expires": "0027-01-31"}, "badge_expires", "bad_text", 400),
        ({"roles": ["cashier", "floor"]}, "roles", "roles_conflict", 409),
    ],
)
def test_a_refused_entry_keeps_what_was_typed(desk, dealer, changed, field, code, status):
    answer = desk.post("/house/staff/hire/", ZOE | changed)
    assert (answer.status_code, refused(answer)) == (status, {field: [code]})
    assert not Staff.objects.filter(username="zoe").exists()
    for name, typed in (ZOE | changed).items():
        if isinstance(typed, str) and name != "key":
            assert f'value="{typed}"' in said(answer) or not typed


def test_the_reason_stands_beside_the_roles(desk, dealer):
    answer = desk.post(f"/house/staff/{dealer.pk}/", KNOWN | {"roles": ["cashier", "counter"]})
    assert (answer.status_code, refused(answer)) == (409, {"roles": ["roles_conflict"]})
    assert "signed off by somebody who did not count it" in said(answer)
    assert dealer.roles == {"dealer"}


def test_a_person_is_changed(desk, dealer):
    page = said(desk.get(f"/house/staff/{dealer.pk}/"))
    assert 'value="dealer" id="id_roles_1" checked' in page
    answer = desk.post(f"/house/staff/{dealer.pk}/", KNOWN | {"roles": ["dealer", "floor"]}, follow=True)
    assert "Zoë 小明 is changed." in said(answer)
    dealer.refresh_from_db()
    assert (dealer.full_name, dealer.badge, dealer.username) == ("Zoë 小明", "B-1024", "dealer")
    assert dealer.roles == {"dealer", "floor"}


def test_the_own_page_offers_neither_roles_nor_a_way_out(desk, manager):
    page = said(desk.get(f"/house/staff/{manager.pk}/"))
    for missing in ('name="roles"', "let-go", "/code/"):
        assert missing not in page
    answer = desk.post(f"/house/staff/{manager.pk}/", KNOWN | {"roles": ["manager", "floor"]})
    assert (answer.status_code, refused(answer)) == (400, {"__all__": ["bad_text"]})
    assert manager.roles == {"manager"}
    for act in ("code", "let-go"):
        answer = desk.post(f"/house/staff/{manager.pk}/{act}/", {"key": KEY})
        assert (answer.status_code, refused(answer)) == (403, {"__all__": ["own_account"]})


def test_a_code_for_somebody_who_forgot(desk, dealer):
    assert "signed out everywhere" in said(desk.get(f"/house/staff/{dealer.pk}/code/"))
    code = code_on(desk.post(f"/house/staff/{dealer.pk}/code/", {"key": KEY}))
    came = Client()
    assert came.post("/sign-in/", {"username": "dealer", "password": code}).url == "/"
    assert "must be changed" in said(desk.get("/house/staff/"))


def test_letting_go_and_taking_back(desk, dealer):
    answer = desk.post(f"/house/staff/{dealer.pk}/let-go/", {"key": KEY}, follow=True)
    assert "No longer here" in said(answer)
    late = desk.post(f"/house/staff/{dealer.pk}/let-go/", {"key": KEY})
    assert (late.status_code, refused(late)) == (409, {"__all__": ["stale_page"]})
    assert code_on(desk.post(f"/house/staff/{dealer.pk}/take-back/", {"key": KEY}))
    assert "No longer here" not in said(desk.get("/house/staff/"))


def test_an_expired_badge_is_named_on_top_and_in_its_row_until_somebody_leaves(desk, dealer, floor):
    today = timezone.now().date()
    Staff.objects.filter(pk=dealer.pk).update(badge="B-7", badge_expires=today - timedelta(days=2))
    Staff.objects.filter(pk=floor.pk).update(badge="B-8", badge_expires=today + timedelta(days=9))
    page = said(desk.get("/house/staff/"))
    assert "1 expired badge" in page
    assert page.count("Expired") == 1
    assert page.count("Expires soon") == 1
    desk.post(f"/house/staff/{dealer.pk}/let-go/", {"key": KEY})
    assert "1 expired badge" not in said(desk.get("/house/staff/"))


def test_the_list_shows_how_each_signs_in(desk, dealer, floor, cashier, employ):
    now = timezone.now()
    passwords.give_code(dealer, passwords.new_code(), now)
    passwords.give_code(floor, passwords.new_code(), now - passwords.LASTS)
    passwords.give_code(cashier, passwords.new_code(), now)
    Staff.objects.filter(pk=cashier.pk).update(code="")
    Staff.objects.filter(pk=employ("yan", "compliance").pk).update(pin="")
    rows = {row.person.username: (row.password, row.pin) for row in desk.get("/house/staff/").context["here"]}
    assert rows == {
        "dealer": ("code", "due"),
        "floor": ("late", "due"),
        "cashier": ("due", "due"),
        "yan": ("set", "none"),
        "manager": ("set", "set"),
    }


def test_names_cannot_turn_the_page_around_or_bring_tags(desk, dealer):
    Staff.objects.filter(pk=dealer.pk).update(full_name="\u202eZoë <b>")
    for page in ("", f"{dealer.pk}/", f"{dealer.pk}/code/", f"{dealer.pk}/let-go/"):
        assert "<bdi>\u202eZoë &lt;b&gt;</bdi>" in said(desk.get(f"/house/staff/{page}"))


@pytest.mark.parametrize("page", PAGES[2:])
def test_superusers_and_strangers_are_not_there(desk, page):
    owner = Staff.objects.create_superuser("owner", password="the machine is mine")
    assert "owner" not in said(desk.get("/house/staff/"))
    for number in (owner.pk, 999_999):
        assert desk.get("/house/staff/" + page.format(number)).status_code == 404


def test_the_list_costs_the_same_for_five_people_and_for_fifty(desk, employ, django_assert_num_queries):
    desk.get("/house/staff/")  # fills caches
    with CaptureQueriesContext(connection) as few:
        desk.get("/house/staff/")
    for number in range(45):
        employ(f"dealer{number}", "dealer")
    with django_assert_num_queries(len(few)):
        assert len(desk.get("/house/staff/").context["here"]) == 46
