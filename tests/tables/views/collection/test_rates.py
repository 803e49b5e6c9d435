"""The rates on their screens: the card, the history, publishing, and changing that of a table."""

from datetime import date, timedelta

import pytest

from ledger.journal.acts import Act
from tables.collection import rates
from tables.models import Rate

pytestmark = pytest.mark.django_db
RATE = {"limit": "40", "fee": "15", "approval_reference": "BGC-7", "effective_from": "2026-03-07"}


@pytest.fixture
def publish(game, manager):
    """Publish a rate of the house's own from the 7th on, by default $40 with a $15 fee."""

    def publish(limit=40, fee=15, days=0, option=None):
        return rates.publish_rate(
            site=game.site,
            option=option,
            entry=rates.RateEntry(100 * limit, 100 * fee, "BGC-7", date(2026, 3, 7) + timedelta(days=days)),
            act=Act(actor=manager, now=game.now),
        )

    return publish


def key(game):
    return {"key": game.key()}


def test_r60_a_manager_publishes_a_rate_and_everybody_reads_it(at, clock, manager, cashier, regulator, floor):
    window = at(manager)
    answer = window.post("/rates/publish/", {"option": "new", **RATE, **key(clock)}, follow=True)
    assert "Option 9, version 1 is published" in answer.content.decode()
    window.post(
        "/rates/publish/", {"option": "9", **RATE, "fee": "16", "effective_from": "2026-03-10", **key(clock)}
    )
    for person in (manager, cashier, regulator, floor):
        page = at(person).get("/rates/").content.decode()
        assert "BGC-7" in page
        assert "$40.00" in page
        assert "In force" in page
        assert "To come" in page
        assert "to 2026-03-09" in page
        assert ("Publish a rate" in page) is (person == manager)
        assert "$7.50" in at(person).get("/rates/card/").content.decode()


def test_the_card_has_the_rates_in_force_and_no_other(at, clock, floor, publish):
    publish()
    publish(fee=16, days=1, option=9)
    publish(limit=60, fee=18, days=1)
    card = at(floor).get("/rates/card/").content.decode()
    assert ("$15.00" in card, "$16.00" in card, "$60.00" in card) == (True, False, False)
    clock.minute(24 * 60)
    card = at(floor).get("/rates/card/").content.decode()
    assert ("$15.00" in card, "$16.00" in card, "$60.00" in card) == (False, True, True)


@pytest.mark.parametrize(
    ("said", "code", "status"),
    [
        ({"option": ""}, "bad_entry", 400),
        ({"option": "77"}, "bad_entry", 400),
        ({"option": "4"}, "other_limit", 400),
        ({"fee": "0"}, "bad_amount", 400),
        ({"fee": "10%"}, "bad_amount", 400),
        ({"limit": "1.005"}, "bad_amount", 400),
        ({"approval_reference": " "}, "bad_entry", 400),
        ({"effective_from": "2026-03-06"}, "bad_effective_date", 400),
        ({"effective_from": "soon"}, "bad_entry", 400),
        ({"effective_from": "0001-01-01"}, "bad_entry", 400),
        ({"effective_from": "9999-12-31"}, "bad_entry", 400),
    ],
)
def test_a_rate_that_cannot_be_published_stays_on_the_form(at, clock, manager, codes_on, said, code, status):
    answer = at(manager).post("/rates/publish/", {"option": "new", **RATE, **key(clock), **said})
    assert (answer.status_code, codes_on(answer)) == (status, [code])
    assert Rate.objects.count() == 1


def test_nobody_else_publishes_and_a_counter_reads_nothing(at, clock, floor, regulator, counter1):
    for person in (floor, regulator):
        assert at(person).get("/rates/publish/").status_code == 403
        assert at(person).post("/rates/publish/", {"option": "new", **RATE, **key(clock)}).status_code == 403
    assert at(counter1).get("/rates/").status_code == 403
    assert Rate.objects.count() == 1


def test_r64_the_floor_announces_a_change_sees_it_everywhere_and_takes_it_back(
    at, clock, floor, publish, dealer
):
    forty = publish()
    clock.seat("Ann", "Bob")
    clock.play()
    table, address = f"/floor/sessions/{clock.session.pk}/", f"/floor/sessions/{clock.session.pk}/rate/"
    window = at(floor)
    assert "It holds from the next down on" in window.get(address).content.decode()
    answer = window.post(address, {"rate": forty.pk, **key(clock)}, follow=True).content.decode()
    words = "From down 2: limit $40.00, fee $15.00, buy-in at most $4,000.00"
    assert words in answer
    assert "Next fee $15.00" in answer
    assert words in window.get("/floor/").content.decode()
    assert words in window.get(table).content.decode()
    assert "Table 1 from its next down" in window.get("/rates/").content.decode()
    clock.push(dealer)
    plan = at(dealer).get(f"/api/sessions/{clock.session.pk}/plan").json()
    assert plan["announced"] == {"down": 2, "limit": "40.00", "fee": "15.00", "max_buy_in": "4000.00"}
    assert plan["limit"] == "5.00"
    back = at(floor).post(f"{address}back/", key(clock), follow=True).content.decode()
    assert "goes on at limit $5.00, fee $10.00" in back
    assert words not in back


def test_r64_where_a_down_has_begun_at_another_rate_screens_say_so_before_it_is_written(
    at, clock, floor, dealer, publish
):
    ten = publish(limit=10, fee=12)
    clock.seat("Ann", "Bob")
    clock.play()
    address = f"/floor/sessions/{clock.session.pk}/rate/"
    at(floor).post(address, {"rate": ten.pk, "max_buy_in": "500", **key(clock)})
    clock.minute(41)
    page = at(floor).get(f"/floor/sessions/{clock.session.pk}/").content.decode()
    assert "limit $10.00, buy-in $300.00 to $500.00" in page
    assert "From down 2: " not in page
    assert "Take the change back" not in page
    clock.push(dealer)
    plan = at(dealer).get(f"/api/sessions/{clock.session.pk}/plan").json()
    assert (plan["limit"], plan["announced"], plan["down"]["next_fee"]) == ("10.00", None, "12.00")
    assert clock.fresh_session().limit_cents == 500


@pytest.mark.parametrize(
    ("said", "code", "status"),
    [
        ({"rate": "0"}, "bad_entry", 400),
        ({"max_buy_in": "1199"}, "bad_buy_in_maximum", 400),
        ({"max_buy_in": "a lot"}, "bad_amount", 400),
    ],
)
def test_a_change_that_cannot_be_announced_stays_on_the_form(
    at, clock, floor, codes_on, publish, said, code, status
):
    said = {"rate": publish().pk, **key(clock), **said}
    answer = at(floor).post(f"/floor/sessions/{clock.session.pk}/rate/", said)
    assert (answer.status_code, codes_on(answer)) == (status, [code])
    assert clock.fresh_session().next_rate_id is None


def test_a_table_that_plays_at_a_replaced_version_is_pointed_out(at, clock, floor, publish):
    forty = publish()
    at(floor).post(f"/floor/sessions/{clock.session.pk}/rate/", {"rate": forty.pk, **key(clock)})
    clock.seat("Ann", "Bob", points=300)
    clock.play()
    publish(fee=16, days=1, option=9)
    table = f"/floor/sessions/{clock.session.pk}/"
    assert "Version 2 of this rate" not in at(floor).get(table).content.decode()
    clock.minute(24 * 60)
    assert "Version 2 of this rate is in force since 2026-03-08" in at(floor).get(table).content.decode()
