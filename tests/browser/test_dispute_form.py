"""The form of a dispute on a phone: what is disputed has seven answers, and the page no sideways."""

import pytest

pytestmark = pytest.mark.django_db(transaction=True)


def test_it_is_no_wider_than_a_phone_and_asks_nobody_where_nobody_sits(window, game):
    page = window("floor", width=390, height=844)
    address = f"{page.base}/floor/sessions/{game.session.pk}/dispute/"
    page.goto(address)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert page.get_by_text("Who disputes it").count() == 0
    game.seat("Ann")
    page.goto(address)
    assert page.get_by_text("Seat 1", exact=True).count() == 1
