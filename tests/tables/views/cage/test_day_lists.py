"""Receipts, documents, disputes and the history of rates are sorted, looked through and paged by their
address."""

import re
from datetime import date

import pytest
from django.urls import reverse

from ledger.journal.acts import Act
from ledger.rules.denominations import Pieces
from tables.floor import banks

pytestmark = pytest.mark.django_db


@pytest.fixture
def books(at, employ):
    return at(employ("carla", "compliance"))


def in_turn(page, pattern):
    return re.findall(pattern, page.text)


@pytest.fixture
def three_documents(game, cashier, floor):
    """Three fills, the second of which is voided."""
    game.seat("Ann", "Bob")
    for pieces in ({500: 1}, {500: 2}, {500: 3}):
        act = Act(floor, game.now, game.key())
        banks.ask(session_id=game.session.pk, kind="fill", pieces=Pieces(chips=pieces), act=act)
    return game


def test_documents_of_a_day_are_sorted_and_looked_through_on_its_page(three_documents, books):
    address = reverse("audit-day", args=[date(2026, 3, 7)])
    fill = r">(Fill \d+)</a>"
    usual = in_turn(books.get(address), fill)
    assert len(usual) >= 3
    assert in_turn(books.get(f"{address}?documents-sort=-begun"), fill) == usual[::-1]
    assert in_turn(books.get(f"{address}?documents-q=fill+3"), fill) == ["Fill 3"]
    page = books.get(f"{address}?documents-q=nowhere")
    assert "has these words" in page.text
    assert "?documents-sort=-since" not in books.get(address).text
