"""The log notes who came and went, who was refused, and what changed about people and the house."""

import pytest
from django.contrib.auth import get_user_model

from casino import roles
from ledger.models import AuditRecord, HouseEvent, Site

pytestmark = pytest.mark.django_db


def events(kind):
    return list(HouseEvent.objects.filter(kind=kind).order_by("pk"))


def test_coming_and_going_are_noted_with_the_address(site, floor, client):
    client.post("/sign-in/", {"username": "floor", "password": "floor signs in"})
    client.post("/sign-out/")
    (came,), (went,) = events("signed_in"), events("signed_out")
    assert (came.actor, came.terminal) == (floor, "127.0.0.1")
    assert went.actor == floor
    assert AuditRecord.objects.filter(kind="house_event", subject__in=[came.pk, went.pk]).count() == 2


def test_a_refused_sign_in_is_noted_by_the_name_if_somebody_has_it_and_never_by_the_password(
    site, floor, client
):
    client.post("/sign-in/", {"username": "floor", "password": "not it"})
    client.post("/sign-in/", {"username": "floor signs in", "password": "oops"})
    known, unknown = events("sign_in_refused")
    assert known.data == {"username": "floor"}
    assert unknown.data == {"username": ""}
    assert not AuditRecord.objects.filter(text__contains="signs in").exists()


def test_who_is_hired_let_go_or_given_a_role_is_noted(site):
    person = get_user_model().objects.create_user("zoe", password="zoe signs in")
    roles.assign(person, "dealer")
    person.is_active = False
    person.save()
    hired, given, gone = [event.data for event in events("staff_changed")]
    assert (hired["username"], hired["roles"], hired["is_active"]) == ("zoe", [], True)
    assert given["roles"] == ["dealer"]
    assert gone["is_active"] is False
    assert "password" not in hired


def test_a_sign_in_alone_changes_nothing_about_the_person(site, floor, client):
    before = len(events("staff_changed"))
    client.force_login(floor)
    assert len(events("staff_changed")) == before


def test_the_house_is_noted_with_its_clock_when_it_opens_and_when_it_changes(floor):
    site = Site.objects.create(name="The Other Room", licence="GEGE-9")
    site.day_starts_at = 5
    site.save()
    (opened,), (changed,) = events("house_opened"), events("house_changed")
    assert opened.data["time_zone"] == "America/Los_Angeles"
    assert (opened.data["day_starts_at"], changed.data["day_starts_at"]) == (6, 5)
    assert [event.data["username"] for event in events("staff_changed")] == ["floor"]
