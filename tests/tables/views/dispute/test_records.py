"""Disputes and complaints on their pages: three taps to take one, a sentence to close it, a reminder."""

import pytest
from django.urls import reverse

from tables.models import Dispute, DisputeDecision

pytestmark = pytest.mark.django_db
KEY = "a-key-of-this-act"


@pytest.fixture
def taken(client, floor, game):
    """Taken at the table with what a floor person taps: the button, what, and `Note it`."""
    game.seat("Ann", "Bob", "Cat")
    game.play()
    client.force_login(floor)
    address = reverse("take-dispute", args=[game.session.pk])
    assert address in client.get(reverse("floor-session", args=[game.session.pk])).text
    form = client.get(address).context["form"]
    newest = form["round_id"].value()
    answer = client.post(address, {"key": KEY, "what": "payment", "round_id": newest})
    assert answer.status_code == 302
    return Dispute.objects.get()


def test_a_dispute_is_of_the_newest_round_and_is_closed_with_a_sentence(client, taken, floor2):
    assert taken.round.number == 1
    client.force_login(floor2)
    address = reverse("decide-dispute", args=[taken.pk])
    assert address in client.get(reverse("disputes")).text
    said = {"key": "another-key-of-this", "outcome": "as_dealt", "reason": "seat 2 pays", "told": "on"}
    assert client.post(address, said).status_code == 302
    assert DisputeDecision.objects.get().told
    page = client.get(reverse("disputes")).text
    assert "seat 2 pays" in page
    assert address not in page


def test_an_open_dispute_stands_on_the_closing_page_as_a_reminder(client, taken, cashier):
    client.force_login(cashier)
    assert "Dispute 1" in client.get(reverse("cashier-day")).text


def test_a_complaint_needs_no_table_and_a_regulator_only_reads(client, floor, regulator, site):
    client.force_login(floor)
    sent = {"key": KEY, "what": "conduct", "reason": "a long wait"}
    assert client.post(reverse("take-complaint"), sent).status_code == 302
    client.force_login(regulator)
    page = client.get(reverse("disputes")).text
    assert "a long wait" in page
    assert reverse("take-complaint") not in page
    assert client.post(reverse("take-complaint"), sent).status_code == 403
