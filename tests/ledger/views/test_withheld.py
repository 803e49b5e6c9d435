"""Records that withhold something, opened with the right and a reason, and on record."""

import json
from datetime import UTC, datetime

import pytest
from django.urls import reverse

from ledger.cage import exclusions
from ledger.journal import withholding
from ledger.journal.acts import Act
from ledger.models import AuditRecord, HouseEvent
from ledger.proof.audit.checks.books import BooksCheck
from ledger.proof.log import sealing, verifying

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 3, 7, 20, 0, tzinfo=UTC)


@pytest.fixture
def batch(site, floor):
    exclusions.look(site, "Rex Black", "K-666", Act(floor, NOW), "seating")
    return withholding.commit(site, now=NOW)


@pytest.fixture
def opening(client, batch):
    """`opening(person, reason)`: the answer to somebody who opens it."""

    def opening(person, reason="asked by the bureau", key="a-key-of-opening"):
        client.force_login(person)
        return client.post(reverse("open-withheld", args=[batch.pk]), {"key": key, "reason": reason})

    return opening


@pytest.mark.parametrize("role", ["compliance", "regulator"])
def test_who_may_opens_it_with_a_reason_and_that_is_on_record(opening, batch, employ, role, site):
    person = employ(f"a-{role}", role)
    page = opening(person).text
    row = batch.texts.get().withheld
    for shown in ("Rex Black", "K-666", "Looked: seating", row.salt, row.commitment, batch.salt):
        assert shown in page
    event = HouseEvent.objects.get(kind="withheld_opened")
    assert (event.actor, event.data["record"], event.data["reason"]) == (
        person,
        batch.pk,
        "asked by the bureau",
    )
    assert opening(person).status_code == 200
    assert HouseEvent.objects.filter(kind="withheld_opened").count() == 1
    sealing.seal(site, now=NOW)
    assert [one.code for one in verifying.Verification(site).run()] == []


def test_nothing_is_shown_before_it_is_opened_or_without_a_reason(client, opening, batch, regulator):
    assert opening(regulator, reason=" ").status_code == 400
    address = reverse("open-withheld", args=[batch.pk])
    for page in (client.get(address), client.get(reverse("withheld")), client.get(reverse("audit-log"))):
        assert page.status_code == 200
        assert "Rex" not in page.text
        assert batch.salt not in page.text
    assert address in client.get(reverse("withheld")).text
    assert not HouseEvent.objects.filter(kind="withheld_opened").exists()


def test_nobody_else_opens_it(opening, manager, floor, cashier):
    for person in (manager, floor, cashier):
        assert opening(person).status_code == 403
    assert not HouseEvent.objects.filter(kind="withheld_opened").exists()


@pytest.mark.parametrize("wrong", [{"record": 99_999}, {"record": 0}], ids=str)
def test_a_record_of_opening_says_what_was_opened(opening, regulator, wrong):
    opening(regulator)
    kinds = ("withheld", "house_event")
    bodies = [json.loads(one.text)[1] for one in AuditRecord.objects.filter(kind__in=kinds).order_by("pk")]
    bodies[-1]["data"] |= wrong
    check = BooksCheck(whole=True)
    found = [one for leaf, body in enumerate(bodies) for one in check.take(leaf, body)]
    assert [one.code for one in found] == ["upkeep_differs"]
