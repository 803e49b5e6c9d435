"""Shifts on the screens of the cage: how far each is from being closed, what was collected in it, and its
closing. The evening is played from noon, in the first of three."""

import pytest

from ledger.cage import banks, drawers
from ledger.journal.acts import Act
from ledger.journal.days import clocks_of
from ledger.models import ClosedShift, DropBox
from ledger.reports import box_log
from tables.floor import opening
from tests.support.cage import close_cage, close_drawer
from tests.support.cast import PIN
from tests.support.counting import count_box
from tests.support.evening import DAY

PAGE, CLOSE = f"/cashier/day/?day={DAY}", f"/cashier/days/{DAY}/shifts/1/"
SENT = {"key": "close-the-first", "second": "floor", "second_pin": PIN}
TEN_PAST_TWO, SEVEN = 130, 18 * 60
"""Minutes from the opening."""


def text(page):
    return " ".join(page.content.decode().split())


def row(page, number):
    return page.context["shifts"][number - 1]


@pytest.fixture
def three(evening):
    """The evening in a house of three shifts, at ten past two: the first is over."""
    evening.site.shifts = 3
    evening.site.save()
    return evening.minute(TEN_PAST_TWO)


@pytest.fixture
def ready_box(three, floor2, floor):
    """The table has a fresh box, of the second shift."""
    opening.change_box(session_id=three.session.pk, second=floor2, act=Act(floor, three.now, "a fresh box"))


@pytest.fixture
def ready(three, ready_box):
    """That, and every drawer is closed."""
    close_cage(three.site, three.now)
    return three


def test_a_house_of_one_shift_shows_none(at, cashier, evening, regulator):
    for person, address in ((cashier, PAGE), (regulator, f"/audit/days/{DAY}/")):
        page = at(person).get(address)
        assert page.context["shifts"] == []
        assert "shift" not in text(page).lower()
    assert at(cashier).get(CLOSE).status_code == 404
    assert clocks_of(evening.site).at(evening.now).shifts == 1


def test_the_desk_of_the_day_lists_its_shifts_and_what_was_collected_in_each(at, cashier, three):
    page = at(cashier).get(PAGE)
    assert [one.state.name[8:] for one in page.context["shifts"]] == [
        *(" 06:00 to 14:00", " 14:00 to 22:00", " 22:00 to 06:00")
    ]
    first = row(page, 1)
    assert (first.sums, row(page, 2).sums.charged_cents) == (page.context["collections"].sums, 0)
    assert first.uncounted == 1
    assert f'href="{CLOSE}"' in text(page)
    assert "What is missing" in text(page)
    assert "Table 1, shift 1" in text(page)


def test_a_fee_is_in_the_shift_in_which_it_was_charged_and_a_drop_in_that_of_its_box(
    at, cashier, ready, counter1, counter2
):
    box = box_log.boxes_of_day(ready.site, ready.session.opened_at.date())[0].box
    ready.play()
    count_box(box, (counter1, counter2), ready.now, chips=6000, cash=1000)
    page = at(cashier).get(PAGE)
    first, second = row(page, 1), row(page, 2)
    assert first.sums + second.sums == page.context["collections"].sums
    assert second.sums.charged_cents > 0
    assert (first.counted_cents, first.uncounted, second.uncounted) == (7000, 0, 1)


def test_what_is_missing_is_listed_with_where_to_go(at, cashier, three):
    page = text(at(cashier).get(CLOSE))
    assert "Table 1: still at its table" in page
    assert "A table that plays on gets a fresh box" in page
    assert "still open" in page
    assert "<button" not in page.split("Still missing")[1].split("</section>")[0]


def test_its_closing_list_has_its_own_boxes_and_what_was_over_short_after_it_is_signed_too(
    at, cashier, three, manager, ready_box
):
    own = drawers.drawer_of(three.site, cashier)
    held = {"chips": own.chips.balance_cents, "cash": own.cash.balance_cents - 500}
    short = close_drawer(own, **held, by=cashier, second=three.floor, now=three.now)
    listed = text(at(cashier).get(CLOSE))
    assert "Drop boxes: 0 of 1 signed off" in listed
    assert "Drawer 1 was counted with a difference that is not signed off" in listed
    banks.sign_off_bank(
        site=three.site, entry_id=short.pk, cause="not found", evidence="", act=Act(manager, three.now, "s")
    )
    listed = text(at(cashier).get(CLOSE))
    assert "Over/short: 1 counted otherwise than the books" in listed
    assert "not signed off Drawer" not in listed


def test_a_shift_that_runs_waits_for_its_end(at, cashier, three, codes_on):
    three.minute(110)
    assert "It can be closed from 2026-03-07 14:05" in text(at(cashier).get(CLOSE))
    assert codes_on(at(cashier).post(CLOSE, SENT)) == ["shift_not_over"]


def test_it_is_closed_with_one_confirmation_and_says_by_whom(at, cashier, regulator, ready):
    assert "Close it" in text(at(cashier).get(PAGE))
    page = text(at(cashier).get(CLOSE))
    assert "This cannot be taken back." in page
    assert "pulled, waiting to be counted" in page
    answers = [at(cashier).post(CLOSE, SENT) for _ in range(2)]
    assert [(answer.status_code, answer.url) for answer in answers] == [(302, PAGE)] * 2
    closed = ClosedShift.objects.get()
    assert (closed.number, closed.closed_by, closed.closed_with.username) == (1, cashier, "floor")
    shown = text(at(cashier).get(PAGE))
    assert "by <bdi>cashier</bdi> and <bdi>floor</bdi>, 14:10" in shown
    assert f'href="{CLOSE}"' not in shown
    assert "Shift closed" in text(at(cashier).get(CLOSE))
    assert "by <bdi>cashier</bdi> and <bdi>floor</bdi>, 14:10" in text(
        at(regulator).get(f"/audit/days/{DAY}/")
    )


def test_the_day_names_the_shift_that_is_open_with_its_link(at, cashier, three, codes_on):
    three.minute(SEVEN)
    page = text(at(cashier).get(f"/cashier/days/{DAY}/close/"))
    assert "A shift before comes first" in page
    assert f'href="{CLOSE}"' in page
    sent = {"key": "close-the-day", "second": "floor", "second_pin": PIN}
    assert codes_on(at(cashier).post(f"/cashier/days/{DAY}/close/", sent)) == ["shift_not_closed"]


@pytest.mark.parametrize(("number", "code"), [(0, "no_such_shift"), (3, "last_shift"), (4, "no_such_shift")])
def test_the_last_shift_has_no_page_of_its_own_and_the_answer_says_so(at, cashier, three, number, code):
    answer = at(cashier).get(f"/cashier/days/{DAY}/shifts/{number}/")
    assert (answer.status_code, code in text(answer)) == (409 if number == 3 else 404, True)


def test_a_shift_of_before_the_house_changed_its_shifts_stays_as_it_was(at, cashier, ready):
    box = DropBox.objects.latest("pk")
    assert "shift 2" in text(at(cashier).get(f"/cashier/boxes/{box.pk}/"))
    ready.minute(SEVEN + 24 * 60)
    ready.site.shifts = 1
    ready.site.save()
    assert "shift 2" in text(at(cashier).get(f"/cashier/boxes/{box.pk}/"))
