"""The quarterly review of access: who may sign it, what it keeps, what the offline check says of it."""

import pytest
from django.urls import reverse
from django.utils import timezone

from casino.staff.hiring import review_access
from ledger.errors import Refusal
from ledger.journal.acts import Act
from ledger.proof.audit.checks.identity import Identity
from ledger.records.declaring import wrong_inside
from tests.support.replayed import bodies

pytestmark = pytest.mark.django_db


@pytest.fixture
def act():
    return lambda who, second=None, key="review-0001": Act(
        who, timezone.now(), key, "office", approver=second
    )


def found(records):
    check = Identity(whole=True)
    events = [body for body in records if body["record"] == "house_event"]
    return [problem for leaf, body in enumerate(events) for problem in check.take(leaf, body)]


@pytest.fixture
def compliance(employ):
    return employ("carla", "compliance")


def test_a_review_keeps_who_had_which_rights_under_a_number(site, manager, compliance, act):
    first = review_access(site=site, act=act(compliance))
    assert review_access(site=site, act=act(compliance)) == first
    second = review_access(site=site, act=act(manager, compliance, "review-0002"))
    assert (first.data["number"], second.data["number"]) == (1, 2)
    roles = {one["staff"]: one["roles"] for one in second.data["people"]}
    assert (roles[manager.pk], roles[compliance.pk]) == (["manager"], ["compliance"])
    (*_, last) = bodies()
    assert wrong_inside(last) == ""
    assert [text for code, text in found(bodies()) if "review" in text] == []


def test_whoever_gives_rights_does_not_review_them_alone(site, manager, floor, act):
    for second, code in ((None, "second_person"), (manager, "second_person"), (floor, "not_allowed")):
        with pytest.raises(Refusal) as error:
            review_access(site=site, act=act(manager, second))
        assert error.value.code == code


@pytest.mark.parametrize(
    "forge",
    [
        lambda data: data["people"][0].update(roles=["floor", "regulator"]),
        lambda data: data["people"].pop(),
        lambda data: data.update(number=7),
    ],
)
def test_the_offline_check_names_a_review_that_says_something_else(site, manager, compliance, act, forge):
    review_access(site=site, act=act(manager, compliance))
    records = bodies()
    before = len(found(records))
    forge(records[-1]["data"])
    assert [code for code, _ in found(records)[before:]] == ["identity_differs"]


def test_the_page_warns_until_the_quarter_has_a_review(client, site, regulator, employ):
    client.force_login(regulator)
    assert "Nobody has reviewed" in client.get(reverse("staff-access")).text
    assert client.post(reverse("staff-access"), {"key": "k" * 12}).status_code == 403
    client.force_login(employ("carla", "compliance"))
    assert client.post(reverse("staff-access"), {"key": "k" * 12}).status_code == 302
    assert "Nobody has reviewed" not in client.get(reverse("staff-access")).text
