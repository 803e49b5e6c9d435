"""The admin under /manage/: managers keep the staff there."""

import pytest
from django.contrib.auth.models import Group

from casino.models import Staff
from casino.roles import RolesConflict

PASSWORD = "a fine long password"


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


@pytest.mark.parametrize("role", ["floor", "dealer", "cashier", "counter", "regulator"])
def test_nobody_but_managers_comes_in(client, employ, role):
    client.force_login(employ("zoe", role))
    assert client.get("/manage/").url.startswith("/manage/login/")
    assert client.get("/manage/login/").status_code == 403
    assert client.get("/manage/casino/staff/", follow=True).status_code == 403


def test_there_is_no_second_sign_in_form(client, db):
    assert client.get("/manage/login/").url.startswith("/sign-in/")


def test_a_manager_hires_somebody_and_gives_them_a_role(client, manager):
    client.force_login(manager)
    created = client.post(
        "/manage/casino/staff/add/",
        {"username": "zoe", "password1": PASSWORD, "password2": PASSWORD, "usable_password": "true"},
    )
    zoe = Staff.objects.get(username="zoe")
    assert created.url == f"/manage/casino/staff/{zoe.pk}/change/"
    client.post(created.url, entry(zoe, groups=ids("dealer")))
    assert zoe.roles == {"dealer"}


def test_a_conflict_of_roles_is_shown_beside_the_field(client, manager, employ):
    client.force_login(manager)
    zoe = employ("zoe", "cashier")
    response = client.post(
        f"/manage/casino/staff/{zoe.pk}/change/", entry(zoe, groups=ids("cashier", "counter"))
    )
    assert response.context["adminform"].form.has_error("groups", "roles_conflict")
    assert response.status_code == RolesConflict.status
    assert zoe.roles == {"cashier"}


def test_a_manager_makes_nobody_a_superuser(client, manager, employ):
    client.force_login(manager)
    zoe = employ("zoe", "dealer")
    asked = entry(zoe, groups=ids("dealer"), is_superuser="on", is_staff="on", user_permissions=[1])
    client.post(f"/manage/casino/staff/{zoe.pk}/change/", asked)
    zoe.refresh_from_db()
    assert (zoe.is_superuser, zoe.is_staff, zoe.user_permissions.count()) == (False, False, 0)


def test_a_manager_does_not_change_their_own_roles(client, manager):
    client.force_login(manager)
    client.post(
        f"/manage/casino/staff/{manager.pk}/change/", entry(manager, groups=ids("manager", "cashier"))
    )
    assert manager.roles == {"manager"}


def test_a_manager_cannot_take_over_a_superuser(client, manager):
    owner = Staff.objects.create_superuser("owner", password=PASSWORD)
    client.force_login(manager)
    assert client.get(f"/manage/casino/staff/{owner.pk}/change/").status_code == 302
    assert client.post(f"/manage/casino/staff/{owner.pk}/password/", {}).status_code in (302, 404)
    owner.refresh_from_db()
    assert owner.check_password(PASSWORD)


def test_nobody_deletes_people(client, manager, employ):
    client.force_login(manager)
    zoe = employ("zoe", "dealer")
    assert client.post(f"/manage/casino/staff/{zoe.pk}/delete/", {"post": "yes"}).status_code == 403
    assert Staff.objects.filter(pk=zoe.pk).exists()


def test_roles_themselves_are_not_edited(client, manager):
    client.force_login(manager)
    assert client.get("/manage/auth/group/").status_code == 404
