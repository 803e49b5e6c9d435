"""Receipts, documents, disputes and the history of rates are sorted, looked through and paged by their
address."""

import re
from datetime import date

import pytest
from django.urls import reverse

from ledger.journal.acts import Act
from ledger.rules.denominations import Pieces
from tables.collection.rates import RateEntry, publish_rate
from tables.floor import banks
from tables.floor.disputes import take_dispute
from tests.support.cage import with_drawer

pytestmark = pytest.mark.django_db


@pytest.fixture
def books(at, employ):
    return at(employ("carla", "compliance"))


FILL = r">(Fill \d+)</a>"


def in_turn(page, pattern, behind=""):
    """Return what stands in the page behind a heading, in turn."""
    return re.findall(pattern, page.text.partition(behind)[2] if behind else page.text)


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
    usual = in_turn(books.get(address), FILL)
    assert usual == ["Fill 1", "Fill 2", "Fill 3"]
    assert in_turn(books.get(f"{address}?documents-sort=-begun"), FILL) == usual[::-1]
    assert in_turn(books.get(f"{address}?documents-q=fill+3"), FILL) == ["Fill 3"]
    assert "has these words" in books.get(f"{address}?documents-q=nowhere").text


def test_a_list_of_a_day_says_nothing_of_the_others_and_keeps_the_day(three_documents, at, cashier):
    desk, asked = at(cashier), "?day=2026-03-07&receipts-sort=-amount&documents-sort=-begun"
    vault = desk.get(f"{reverse('cashier-vault')}{asked}")
    assert in_turn(vault, FILL) == ["Fill 3", "Fill 2", "Fill 1"]
    assert "?day=2026-03-07&amp;receipts-sort=-amount&amp;documents-sort=place" in vault.text
    assert desk.get(f"{reverse('cashier-day')}{asked}").status_code == 200


def test_receipts_of_a_day_are_sorted_by_player_and_amount_and_found(game, cashier, books):
    game.seat("Ann", "Bob")
    address = reverse("audit-day", args=[date(2026, 3, 7)])
    with_drawer(game.site, cashier, game.now)
    game.play()
    game.minute(25)
    for name, seat in (("Dan", 4), ("Cat", 3)):
        game.buy_in(name, seat)
        game.pay(seat, "cage", actor=cashier)
    receipt = r">No\. (\d+)</a>"
    assert in_turn(books.get(address), receipt) == ["1", "2"]
    assert in_turn(books.get(f"{address}?receipts-sort=player"), receipt) == ["2", "1"]
    assert in_turn(books.get(f"{address}?receipts-q=dan"), receipt) == ["1"]


def test_disputes_are_found_by_their_words_and_sorted(game, floor, books):
    for what, reason in (("cards", "seat 2 had a flush"), ("conduct", "loud"), ("cards", "seat 4 misset")):
        act = Act(floor, game.now, game.key(), reason=reason)
        take_dispute(site=game.site, session=game.session, what=what, act=act)
    page, number = reverse("disputes"), r"<strong>Dispute (\d)"
    assert in_turn(books.get(page), number, "all-heading") == ["3", "2", "1"]
    assert in_turn(books.get(f"{page}?sort=number"), number, "all-heading") == ["1", "2", "3"]
    assert in_turn(books.get(f"{page}?q=flush"), number, "all-heading") == ["1"]


def test_published_rates_are_sorted_and_found(game, manager, books):
    for limit in (700, 300):
        entry = RateEntry(limit, 1500, f"BGC-{limit}", date(2027, 1, 1))
        publish_rate(site=game.site, entry=entry, act=Act(manager, game.now, game.key()))
    page, option = reverse("rates"), r"Option (\d+), version"
    usual = in_turn(books.get(page), option, "history-heading")
    assert usual == sorted(usual, key=int)
    by_limit = in_turn(books.get(f"{page}?sort=limit"), option, "history-heading")
    assert by_limit.index(usual[-1]) < by_limit.index(usual[-2])
    assert in_turn(books.get(f"{page}?q=bgc-300"), option, "history-heading") == usual[-1:]
