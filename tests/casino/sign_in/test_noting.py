"""The log records sign-ins, sign-outs, refusals, and changes of staff and house."""

from datetime import UTC, date, datetime

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.db import transaction

from casino import roles
from casino.sign_in import noting
from ledger.journal.acts import Act
from ledger.models import AuditRecord, HouseEvent, Site

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("identity_verifies")]
NOW = datetime(2026, 3, 7, 20, 0, tzinfo=UTC)


def events(kind):
    return list(HouseEvent.objects.filter(kind=kind).order_by("pk"))


def test_coming_and_going_are_noted_with_the_address(site, floor, client):
    client.post("/sign-in/", {"username": "floor", "password": "floor signs in"})
    client.post("/sign-out/")
    (came,), (went,) = events("signed_in"), events("signed_out")
    assert (came.actor, came.terminal) == (floor, "127.0.0.1")
    assert went.actor == floor
    assert AuditRecord.objects.filter(kind="house_event", subject__in=[came.pk, went.pk]).count() == 2


def test_who_is_hired_let_go_or_given_a_role_is_noted_with_before_and_after(site):
    person = get_user_model().objects.create_user("zoe", password="zoe signs in")
    roles.assign(person, "dealer")
    person.is_active = False
    person.save()
    hired, given, gone = [event.data for event in events("staff_changed")]
    assert hired["before"] is None
    assert hired["after"] == given["before"]
    assert (hired["after"]["username"], hired["after"]["roles"], hired["after"]["is_active"]) == (
        "zoe",
        [],
        True,
    )
    assert given["after"] == gone["before"] == {**hired["after"], "roles": ["dealer"]}
    assert gone["after"] == {**given["after"], "is_active": False}
    assert "password" not in hired["after"]


def test_an_act_notes_each_person_once_with_who_did_it(site, manager, dealer, floor):
    act = Act(actor=manager, now=NOW, terminal="office 10.0.0.9")
    before = len(events("staff_changed"))
    with transaction.atomic(), noting.acting(act):
        dealer.full_name, dealer.badge_expires = "Zoë 小明", date(2027, 1, 31)
        dealer.save(update_fields=["full_name", "badge_expires"])
        dealer.groups.set(Group.objects.filter(name__in=["floor", "manager"]))
        floor.full_name = ""
        floor.save()  # nothing that the log keeps has changed
    (changed,) = events("staff_changed")[before:]
    assert (changed.actor, changed.terminal, changed.recorded_at) == (manager, "office 10.0.0.9", NOW)
    assert changed.data["staff"] == dealer.pk
    assert changed.data["before"]["roles"] == ["dealer"]
    assert (
        changed.data["after"] | {"full_name": "", "badge_expires": None, "roles": ["dealer"]}
        == (changed.data["before"])
    )
    assert (changed.data["after"]["full_name"], changed.data["after"]["badge_expires"]) == (
        "Zoë 小明",
        "2027-01-31",
    )


def test_an_act_that_fails_notes_nothing(site, manager, dealer):
    before = len(events("staff_changed"))
    with pytest.raises(roles.RolesConflict), transaction.atomic(), noting.acting(Act(manager, NOW)):
        dealer.groups.add(Group.objects.get(name="counter"))
    assert len(events("staff_changed")) == before


def test_a_role_taken_from_everybody_at_once_is_noted_for_each(site, dealer, employ):
    employ("dan", "dealer")
    before = len(events("staff_changed"))
    Group.objects.get(name="dealer").user_set.clear()
    lost = [event.data for event in events("staff_changed")[before:]]
    assert [(one["before"]["roles"], one["after"]["roles"]) for one in lost] == [(["dealer"], [])] * 2


def test_a_password_that_is_set_by_whatever_door_is_noted_and_never_which(site, floor):
    floor.set_password("another long one")
    floor.save()
    (event,) = events("password_set")
    assert event.data == {"staff": floor.pk}


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
    assert [event.data["after"]["username"] for event in events("staff_changed")] == ["floor"]
