"""The desk of a day: a gaming day's list, its boxes, and that both say the same; who may see it;
what it costs."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.support.counting import enter_count, sign_sheet
from tests.support.evening import DAY
from tests.support.game import Game
from tests.support.pages import steady

PAGE = f"/cashier/day/?day={DAY}"


def test_the_list_says_what_was_owed_and_what_became_of_it(at, cashier, evening):
    page = at(cashier).get(PAGE)
    (rows,) = page.context["collections"].sessions
    shown = [
        (row.down.number, row.sums.full, row.sums.half, row.sums.charged_cents, row.sums.taken_cents)
        for row in rows.downs
    ]
    assert shown == [(1, 4, 1, 4500, 4500), (2, 5, 0, 5000, 3000)]
    sums = page.context["collections"].sums
    assert (sums.stack_cents, sums.cash_cents, sums.cage_cents, sums.due_cents) == (6000, 1000, 500, 2000)
    assert (sums.full, sums.full_cents, sums.half, sums.half_cents, sums.due) == (9, 9000, 1, 500, 2)


def test_the_list_equals_the_boxes_the_cage_and_what_is_due(at, cashier, evening):
    proof = at(cashier).get(PAGE).context["proof"]
    assert (proof.listed, proof.boxes, proof.cage, proof.due) == (9500, 7000, 500, 2000)
    assert proof.adds_up
    assert (proof.fees, proof.expected, proof.other_days) == (7000, 7000, 0)
    assert proof.boxes_hold_it


def test_chips_that_came_into_a_box_beside_the_fees_are_seen(at, regulator, evening):
    account = evening.session.box.chips
    account.balance_cents = 6500
    account.save(update_fields=["balance_cents"])
    page = at(regulator).get(f"/audit/days/{DAY}/")
    assert page.context["proof"].adds_up
    assert not page.context["proof"].boxes_hold_it
    assert "Boxes differ from their fees" in page.content.decode()


def test_a_box_that_holds_fees_of_two_gaming_days_adds_up_on_both(at, cashier, evening):
    evening.minute(1045).play()  # in a down after six in the morning; the box is still the evening's
    first, second = (at(cashier).get(f"/cashier/day/?day=2026-03-0{day}") for day in (7, 8))
    for page in (first, second):
        assert page.context["proof"].adds_up
        assert page.context["proof"].boxes_hold_it
    assert first.context["proof"].other_days == second.context["proof"].boxes > 0
    assert first.context["proof"].boxes == first.context["proof"].in_own_boxes == 7000
    assert second.context["boxes"] == []  # what the box holds stands on the papers of its own day alone
    assert [(box.number, cents) for box, cents in second.context["elsewhere"]] == [(1, 3000)]


def test_the_page_opens_at_today_s_gaming_day_and_turns_its_leaves(at, cashier, evening):
    page = at(cashier).get("/cashier/day/")
    assert page.context["day"].day.isoformat() == DAY
    assert page.context["day"].next is None
    assert b'href="/cashier/day/?day=2026-03-06"' in page.content
    before = at(cashier).get("/cashier/day/?day=2026-03-06")
    assert before.context["day"].next.isoformat() == DAY
    assert before.context["collections"].sums.charged_cents == 0


def test_before_six_it_is_still_yesterday(at, cashier, evening):
    evening.minute(17 * 60 - 1)
    assert at(cashier).get("/cashier/day/").context["day"].day.isoformat() == DAY
    evening.minute(17 * 60)
    assert at(cashier).get("/cashier/day/").context["day"].day.isoformat() == "2026-03-08"


@pytest.mark.parametrize(
    "day", ["yesterday", "2026-02-30", "2026-3-7", "0001-01-01", "9999-12-31", "20260307"]
)
def test_a_day_that_no_calendar_has_is_said_beside_the_picker(at, cashier, evening, codes_on, day):
    page = at(cashier).get("/cashier/day/", {"day": day})
    assert page.status_code == 400
    assert codes_on(page) == ["bad_text"]
    assert f'value="{day}"' in page.content.decode()


@pytest.mark.parametrize("who", ["floor", "dealer", "counter1", "regulator", "manager"])
def test_only_cashiers_see_the_desk(at, evening, request, who):
    page = at(request.getfixturevalue(who)).get(PAGE)
    assert page.status_code == 403
    assert "95.00" not in page.content.decode()


def test_times_are_the_house_s_with_their_date(at, cashier, evening):
    page = at(cashier).get(PAGE).content.decode()
    assert "2026-03-07 12:25:00" in page  # Eve's receipt
    assert "20:00:00" not in page


def test_what_was_counted_is_shown_once_both_counters_have_signed(
    at, cashier, boxed, counter1, counter2, evening
):
    def box():
        return at(cashier).get(PAGE).context["boxes"][0]

    def count(counter, chips):
        enter_count(boxed, counter, evening.now, chips=chips, cash=1000)

    states = [box().state]
    count(counter1, 5900)
    states.append(box().state)
    assert "59.00" not in steady(at(cashier).get(PAGE))
    count(counter2, 5950)
    states.append(box().state)
    assert "59.50" not in steady(at(cashier).get(PAGE))
    assert box().counted is None
    count(counter1, 5500)
    count(counter2, 5500)
    states.append(box().state)
    assert box().counted is None
    sign_sheet(boxed, (counter1, counter2), evening.now)
    assert [*states, box().state] == ["pulled", "counting", "recount", "agreed", "counted"]
    assert (box().counted, box().difference) == (6500, -500)
    assert "−7.14 %" in at(cashier).get(PAGE).content.decode()


def test_a_page_costs_the_same_for_one_table_and_for_six(at, cashier, evening, floor, dealer, players, site):
    def cost(address):
        with CaptureQueriesContext(connection) as queries:
            assert at(cashier).get(address).status_code == 200
        return len(queries)

    pages = (PAGE, "/cashier/", "/cashier/vault/", f"/cashier/boxes/{evening.session.box_id}/")
    at(cashier).get(PAGE)
    one = [cost(page) for page in pages]
    for number in range(2, 7):
        from tables.models import Player

        guests = {name: Player.objects.create(site=site, name=f"{name} {number}") for name in players}
        game = Game(site, floor, dealer, guests, number=number)
        game.minute(2).seat("Ann", "Bob", "Cat")
        game.play()
        game.minute(45).play()
    assert len(at(cashier).get(PAGE).context["collections"].sessions) == 6
    assert [cost(page) for page in pages] == one
