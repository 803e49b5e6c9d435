"""The reconciliation of a day makes up what is expected in a box as its page does, and tells nobody more of a
box than they may know."""

from datetime import date

import pytest

from ledger.cage import boxes
from ledger.journal.acts import Act
from tables.floor import opening
from tables.reports.day_reconciliation import lines
from tests.support.acting import acting
from tests.support.counting import count_box
from tests.support.made_up import of_page, shown_on

pytestmark = pytest.mark.django_db
DAY = date(2026, 3, 7)
PAGE = f"/cashier/days/{DAY}/reconciliation/"


@pytest.fixture
def old_signed(evening, floor2, dealer, cashier, counter1, counter2):
    """The evening with its box changed and signed off; what was due then is paid into the next one."""
    old = evening.fresh_session().box
    change = {"actor": floor2, "now": evening.minute(42).now, "key": evening.key()}
    acting(opening.change_box, session_id=evening.session.pk, second=dealer, **change)
    evening.minute(43).pay(4, "cash")
    evening.cash_out(3)
    old.refresh_from_db()
    count_box(old, (counter1, counter2), evening.now)
    boxes.sign_off(box=old, cause="", act=Act(cashier, evening.now, "sign the old one"))
    return old


@pytest.fixture
def both_signed(old_signed, evening, floor, dealer, cashier, counter1, counter2):
    """The next box signed off as well, with a dollar too little."""
    box = evening.fresh_session().box
    boxes.pull_box(box=box, second=dealer, act=Act(floor, evening.minute(45).now))
    count_box(box, (counter1, counter2), evening.now, chips=1000, cash=900)
    boxes.sign_off(box=box, cause="a bill too few", act=Act(cashier, evening.now, "sign the new one"))
    return old_signed, box


def test_a_box_is_made_up_as_on_its_page(both_signed, evening):
    old, new, *_ = lines(evening.site, DAY, evening.now)
    for line, box in ((old, both_signed[0]), (new, both_signed[1])):
        shown = of_page(box)
        assert shown_on(line, shown) == shown
    assert (old["window_amount"], old["in_other_boxes"], new["of_elsewhere"]) == ("5.00", "20.00", "20.00")
    assert (new["over_short"], new["percent"], new["cause"]) == ("-1.00", "-5.00", "a bill too few")


def test_a_cashier_reads_of_a_signed_box_what_it_held_but_not_what_lies_in_the_one_at_the_table(
    old_signed, evening, at, cashier, manager
):
    page = at(cashier).get(PAGE).content.decode()
    assert "$70.00" in page
    assert "In other boxes" not in page
    assert "Box 2, Table 1: at its table" in page
    assert "$20.00" not in page
    assert "In other boxes" in at(manager).get(PAGE).content.decode()
    assert at(cashier).get(f"/cashier/boxes/{old_signed.pk}/").context["sums"] is None


def test_each_figure_leads_to_its_box_and_the_box_to_down_player_and_dealer(both_signed, at, cashier):
    page = at(cashier).get(PAGE).content.decode()
    _, new = both_signed
    assert "In other boxes" in page
    assert "a bill too few" in page
    for box in both_signed:
        assert f'href="/cashier/boxes/{box.pk}/#fees-heading"' in page
    box = at(cashier).get(f"/cashier/boxes/{new.pk}/").content.decode()
    assert "dealt by" in box
    assert f"{20:.2f}</b> expected" in " ".join(box.split())


def test_a_day_whose_boxes_stand_at_their_tables_says_what_comes_next(evening, at, cashier):
    page = at(cashier).get(f"/cashier/day/?day={DAY}").content.decode()
    assert "Next, two people pull it" in page
