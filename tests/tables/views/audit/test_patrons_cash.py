"""Patrons' cash as compliance reads it: the currency reports to file, and the log of a day."""

import pytest
from django.urls import reverse

from ledger.cage import window
from ledger.cage.window import Patron
from ledger.journal.acts import Act
from tables.reports.patrons_cash import reports_due
from tests.support.cage import pieces
from tests.support.pages import words


@pytest.fixture
def bought(evening, cashier, site):
    """Ann, who bought in at her table for cash, buys for $10,800 more at the window."""
    ann = evening.sitting(1).player
    for key, cents in (("first", 900_000), ("second", 180_000)):
        window.sell_chips(
            site=site,
            cents=cents,
            pieces=pieces(site, chips=cents),
            patron=Patron(enter=lambda: ann.pk, identified=True),
            confirmed=cents,
            act=Act(actor=cashier, now=evening.now, key=key),
        )
    return ann


def test_what_was_bought_at_the_table_counts_with_what_was_bought_at_the_window(bought, evening, site):
    (one,) = reports_due(site, evening.now)
    at_table = one.lines[0]
    assert (one.player, at_table.kind, at_table.place) == (bought, 18, str(evening.session.table))
    assert one.came == 1_080_000 + at_table.came
    assert [line.total_in for line in one.lines][-1] == one.came
    assert (one.due - one.day).days == 15


def test_compliance_reads_who_is_to_be_reported_and_the_log(bought, at, employ, evening):
    page = at(employ("carla", "compliance")).get(reverse("patrons-cash"))
    text = words(page.content.decode())
    assert page.context["due"][0].player == bought
    assert text.count(str(bought)) >= 2
    assert "receipt 2" in text


def test_a_cashier_does_not_read_it(bought, at, cashier):
    assert at(cashier).get(reverse("patrons-cash")).status_code == 403
