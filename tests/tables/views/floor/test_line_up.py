"""The page of the dealers' line-up, and the push that proposes the next."""

import pytest

from tests.support.cast import PIN

pytestmark = pytest.mark.django_db


@pytest.fixture
def zoe(screen, employ):
    """A dealer whom the floor has put in line by one press."""
    zoe = employ("zoe", "dealer")
    assert screen.post(f"/floor/dealers/{zoe.pk}/line/").status_code == 302
    return zoe


def test_the_page_says_who_deals_who_is_next_and_offers_orders(screen, game, zoe, dealer):
    page = screen.get("/floor/dealers/").content.decode()
    assert page.index("At the tables") < page.index("In line") < page.index(f"/floor/dealers/{zoe.pk}/break/")
    assert "Next" in page
    assert f"/floor/dealers/{dealer.pk}/break/" not in page


def test_a_push_has_the_next_in_line_chosen(screen, game, zoe):
    page = screen.get(f"/floor/sessions/{game.session.pk}/push/").content.decode()
    assert '<option value="zoe" selected>' in page
    assert "is next in line" in page


def test_the_tablet_needs_only_the_pin_of_the_next(screen, game, zoe, dealer):
    screen.as_(dealer)
    path = f"/dealer/sessions/{game.session.pk}/push/"
    assert '<option value="zoe" selected>' in screen.get(path).content.decode()
    screen.post(path, badge="", comes="zoe", pin=PIN)
    assert game.fresh_session().dealer == zoe


def test_an_unknown_order_is_no_page(screen, zoe):
    assert screen.post(f"/floor/dealers/{zoe.pk}/dance/").status_code == 404


def test_a_refused_order_says_why(screen, zoe):
    answer = screen.post(f"/floor/dealers/{zoe.pk}/line/")
    assert (answer.status_code, screen.codes(answer)) == (400, ["nothing_changes"])
