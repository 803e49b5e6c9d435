"""The admin under /manage/: for superusers and emergencies; managers have a desk of their own."""

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group
from django.db import connection

from casino.models import Staff
from casino.roles import RolesConflict
from ledger.models import HouseEvent

PASSWORD = "a fine long password"


@pytest.fixture
def owner(client, db):
    """The machine's owner, signed in."""
    owner = Staff.objects.create_superuser("owner", password=PASSWORD)
    client.force_login(owner)
    return owner


def ids(*names):
    return [group.pk for group in Group.objects.filter(name__in=names)]


def entry(person, **changed):
    return {
        "username": person.username,
        "first_name": "",
        "last_name": "",
        "is_active": "on",
        "groups": [],
        **changed,
    }


@pytest.mark.parametrize("role", ["floor", "dealer", "cashier", "counter", "regulator", "manager"])
def test_nobody_with_a_role_comes_in(client, employ, role):
    client.force_login(employ("zoe", role))
    assert client.get("/manage/").url.startswith("/manage/login/")
    assert client.get("/manage/login/").status_code == 403
    assert client.get("/manage/casino/staff/", follow=True).status_code == 403


def test_there_is_no_second_sign_in_form(client, db):
    assert client.get("/manage/login/").url.startswith("/sign-in/")


def test_the_owner_hires_somebody_and_gives_them_a_role(client, owner):
    created = client.post(
        "/manage/casino/staff/add/",
        {"username": "zoe", "password1": PASSWORD, "password2": PASSWORD, "usable_password": "true"},
    )
    zoe = Staff.objects.get(username="zoe")
    assert created.url == f"/manage/casino/staff/{zoe.pk}/change/"
    client.post(created.url, entry(zoe, groups=ids("dealer")))
    assert zoe.roles == {"dealer"}


def test_nothing_is_hashed_there_while_others_wait_to_write(client, owner, employ, transactions):
    outside = len(connection.savepoint_ids)
    typed = {"username": "ann", "password1": PASSWORD, "password2": PASSWORD, "usable_password": "true"}
    assert client.post("/manage/casino/staff/add/", typed).status_code == 302
    ann = Staff.objects.get(username="ann")
    asked = entry(ann, new_pin=" 975310 ")
    assert client.post(f"/manage/casino/staff/{ann.pk}/change/", asked).status_code == 302
    ann.refresh_from_db()
    assert transactions == [outside, outside]
    assert (ann.check_password(PASSWORD), ann.has_pin("975310")) == (True, True)


def test_somebody_may_have_no_password_there(client, owner):
    typed = {"username": "ann", "password1": "", "password2": "", "usable_password": "false"}
    assert client.post("/manage/casino/staff/add/", typed).status_code == 302
    assert not Staff.objects.get(username="ann").has_usable_password()


def test_a_conflict_of_roles_is_shown_beside_the_field(client, owner, employ):
    zoe = employ("zoe", "cashier")
    response = client.post(
        f"/manage/casino/staff/{zoe.pk}/change/", entry(zoe, groups=ids("cashier", "counter"))
    )
    assert response.context["adminform"].form.has_error("groups", "roles_conflict")
    assert response.status_code == RolesConflict.status
    assert zoe.roles == {"cashier"}


def test_nobody_is_made_a_superuser_there(client, owner, employ):
    zoe = employ("zoe", "dealer")
    asked = entry(zoe, groups=ids("dealer"), is_superuser="on", is_staff="on", user_permissions=[1])
    client.post(f"/manage/casino/staff/{zoe.pk}/change/", asked)
    zoe.refresh_from_db()
    assert (zoe.is_superuser, zoe.is_staff, zoe.user_permissions.count()) == (False, False, 0)


def test_another_superuser_is_not_taken_over_there(client, owner):
    other = Staff.objects.create_superuser("other", password=PASSWORD)
    assert client.get(f"/manage/casino/staff/{other.pk}/change/").status_code == 302
    assert client.post(f"/manage/casino/staff/{other.pk}/password/", {}).status_code in (302, 404)
    other.refresh_from_db()
    assert other.check_password(PASSWORD)


def test_what_is_changed_about_the_house_there_is_noted(client, owner, site):
    page = f"/manage/ledger/site/{site.pk}/change/"
    form = client.get(page).context["adminform"].form
    entry = {name: "" if value is None else value for name, value in form.initial.items()}
    client.post(page, entry | {"licence": "GEGE-9"})
    site.refresh_from_db()
    assert site.licence == "GEGE-9"
    assert HouseEvent.objects.get(kind="house_changed").data["licence"] == "GEGE-9"


def test_nobody_deletes_people(client, owner, employ):
    zoe = employ("zoe", "dealer")
    assert client.post(f"/manage/casino/staff/{zoe.pk}/delete/", {"post": "yes"}).status_code == 403
    assert Staff.objects.filter(pk=zoe.pk).exists()


def test_what_changes_by_verbs_alone_is_not_there(client, owner):
    """Of the apps that we did not write only people and the house's own rows are."""
    known = {f"{model._meta.app_label}.{model._meta.model_name}" for model in admin.site._registry}
    assert {name for name in known if not name.startswith(("ledger.", "tables."))} == {"casino.staff"}
    for path in ("auth/group", "mfa/authenticator", "usersessions/usersession", "account/emailaddress"):
        assert client.get(f"/manage/{path}/").status_code == 404
