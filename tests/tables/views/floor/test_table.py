"""The floor's page of one table: which acts stand at a seat, starting a round,
and buying in where a rate or must-move says more."""

import json
import re
from datetime import date

import pytest

from ledger.journal.acts import Act
from tables.floor import must_move
from tables.models import Rate, Round, Sitting
from tables.state.table_state import state_of
from tables.views.acts import acts_at
from tables.views.panels import table_facts

pytestmark = pytest.mark.django_db


def text(answer):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode()))


def acts(game, seat, *, may_run=True):
    """The acts at a seat: those that matter, and those behind More; the primary one with a star."""
    facts = table_facts(game.fresh_session(), game.now)
    at = acts_at(facts.seats[seat - 1], may_run=may_run)
    return [act.text + "*" * act.primary for act in at.now], [act.text for act in at.more]


class TestActsAtASeat:
    """One or two acts that matter in the seat's state are buttons, the others lie behind More."""

    def test_between_rounds_it_is_adding_on_and_sitting_out(self, clock):
        clock.seat("Ann", "Bob")
        clock.play()
        more = ["Toke", "Change seats", "Wants a table", "Move", "Cash out", "Pick up the stack"]
        usual = (["Add-on", "Sit out"], more)
        assert acts(clock, 1) == usual
        assert acts(clock, 1, may_run=False) == (["Add-on", "Sit out"], ["Toke", "Cash out"])
        clock.minute(41)
        assert acts(clock, 1) == (usual[0], ["Fee", "Waive", *usual[1]])

    def test_r53_a_short_stack_adds_on_or_leaves(self, clock):
        clock.seat("Ann", "Bob")
        clock.set_stack(1, 4499)
        assert acts(clock, 1)[0] == ["Add-on*", "Cash out"]

    def test_r63_a_fee_that_the_stack_cannot_pay_is_taken_or_added_on_for(self, clock):
        clock.seat("Ann", "Bob", "Cat")
        clock.play()
        clock.minute(41).set_stack(1, 5000)
        now, more = acts(clock, 1)
        assert now == ["Fee*", "Add-on"]
        assert "Waive" in more
        assert "Left unpaid" not in more
        clock.set_stack(1, 500)
        clock.sit_out(1)
        now, more = acts(clock, 1)
        assert now == ["Back in", "Cash out"]
        assert more[:3] == ["Fee", "Waive", "Left unpaid"]

    def test_r52_in_a_round_nothing_touches_the_stack(self, clock):
        clock.seat("Ann", "Bob")
        clock.start()
        assert acts(clock, 1) == (["Sit out", "Wants a table"], [])
        assert acts(clock, 1, may_run=False) == (["Sit out"], [])
        clock.set_stack(1, 4000)
        assert acts(clock, 1) == (["Sit out", "Wants a table"], [])

    def test_nobody_sits_in_a_free_seat(self, clock):
        assert acts(clock, 1) == ([], [])

    def test_every_act_is_on_the_page_whether_it_lies_in_the_menu_or_not(self, clock, at, floor):
        clock.seat("Ann", "Bob")
        page = at(floor).get(f"/floor/sessions/{clock.session.pk}/").content.decode()
        sitting = clock.sitting(1).pk
        for name in ("add-on", "out", "toke", "seat", "change", "move", "cash-out"):
            assert page.count(f'id="{name}-{sitting}"') == 1, name
        assert 'More<span class="sr"> for <bdi>Ann</bdi></span>' in page


class TestStartingARound:
    """The floor starts a round at the table's page, and it is the dealer's."""

    def test_the_form_says_whose_the_round_is(self, clock, at, floor):
        clock.seat("Ann", "Bob")
        table = f"/floor/sessions/{clock.session.pk}/"
        assert "Start round" in text(at(floor).get(table))
        page = at(floor).get(f"{table}start/")
        assert f'data-start-round="{clock.session.pk}"' in page.content.decode()
        assert "<bdi>dealer</bdi>&rsquo;s, who deals here" in page.content.decode()
        clock.start()
        assert "Start round" not in text(at(floor).get(table))

    def test_without_a_dealer_it_offers_the_push_and_no_start(self, clock, at, floor):
        clock.seat("Ann", "Bob")
        clock.push(None)
        page = at(floor).get(f"/floor/sessions/{clock.session.pk}/start/")
        assert "Push a dealer in first" in text(page)
        assert "data-stage" not in page.content.decode()

    def test_r51_it_goes_through_the_tablets_door(self, clock, at, floor, dealer):
        clock.seat("Ann", "Bob", "Cat", "Dan", "Eve")
        said = json.dumps({"key": clock.key(), "decline": [1], "cash": [2], "two_hands": []})
        door = f"/api/sessions/{clock.session.pk}/rounds"
        answer = at(floor).post(door, said, content_type="application/json")
        assert answer.status_code == 201
        round_ = Round.objects.get()
        assert (round_.dealer, sorted(hand.seat for hand in round_.hands.all())) == (dealer, [2, 3, 4, 5])
        shown = text(at(floor).get(f"/floor/sessions/{clock.session.pk}/"))
        assert "Round 1" in shown
        assert "Dealer dealer" in shown

    @pytest.mark.parametrize("person", ["dealer", "cashier", "regulator"])
    def test_the_form_is_the_floors(self, clock, at, request, person):
        page = at(request.getfixturevalue(person)).get(f"/floor/sessions/{clock.session.pk}/start/")
        assert page.status_code == 403


class TestMustMove:
    """R55: the form of a buy-in at a main game says where newcomers sit down."""

    @pytest.fixture
    def fed(self, clock, beside):
        clock.seat("Ann", "Bob")
        beside.buy_in("Cat", 1)
        must_move.set_must_move(
            session_id=beside.session.pk,
            to_session_id=clock.session.pk,
            act=Act(key=clock.key(), actor=clock.floor, now=clock.now),
        )
        return f"/sessions/{clock.session.pk}/seats/3/buy-in/"

    def test_r55_a_newcomer_is_sent_to_the_must_move_table(self, clock, fed, at, floor, dealer, codes_on):
        said = {"name": "Zoe", "amount": "300", "source": "cash"}
        for person, may_order in ((floor, True), (dealer, False)):
            page = at(person).get(fed)
            assert "Cat moves here first from Table 2. Who comes in sits down at Table 2." in text(page)
            assert ("the house orders it" in text(page)) is may_order
            refused = at(person).post(fed, {"key": clock.key(), **said, "ordered": ("", "on")[not may_order]})
            assert (refused.status_code, codes_on(refused)) == (409, ["must_move_first"])
        assert not Sitting.objects.filter(seat=3).exists()

    def test_r55_the_floor_orders_it_with_a_tick(self, clock, fed, at, floor):
        said = {"name": "Zoe", "amount": "300", "source": "cash", "ordered": "on"}
        assert at(floor).post(fed, {"key": clock.key(), **said}).status_code == 302
        assert str(clock.sitting(3).player) == "Zoe"

    def test_elsewhere_nothing_is_asked(self, clock, at, floor):
        page = at(floor).get(f"/sessions/{clock.session.pk}/seats/3/buy-in/")
        assert "orders it" not in text(page)


def test_r61_the_buy_in_says_what_entering_now_pays_and_all_of_it_while_the_clock_waits(clock, at, floor):
    clock.seat("Ann", "Bob")
    clock.play()

    def said(minute):
        clock.minute(minute)
        page = at(floor).get(f"/sessions/{clock.session.pk}/seats/3/buy-in/")
        return text(page).partition("Entering now pays ")[2]

    assert said(10).startswith("$10.00 with the first round ")
    assert said(30).startswith("$5.00 with the first round (half)")
    clock.cash_out(2)
    assert said(60).startswith("$10.00 with the first round ")
    assert "(half)" not in said(60)


class TestBoundsOfARateThatChanges:
    """R64: forms show the bounds by which the verb will hold, also in the first moments of a down."""

    @pytest.fixture
    def forty(self, clock):
        """A $40 table from down 2 on, at most $4,000; down 1 is played at $5, at most $500."""
        rate = Rate.objects.create(
            site=clock.site,
            option=6,
            limit_cents=4000,
            fee_cents=1500,
            approval_reference="BGC-7",
            effective_from=date(2026, 1, 1),
        )
        clock.seat("Ann", "Bob", points=100)
        clock.play()
        clock.announce(rate, 400_000)
        for seat in (1, 2):
            clock.add_on(seat, 100_000)
        return clock

    def test_r64_until_the_boundary_the_least_is_the_old_and_the_most_the_higher(self, forty, at, floor):
        shown = text(at(floor).get(f"/sessions/{forty.session.pk}/seats/3/buy-in/"))
        assert "$150.00 to $4,000.00" in shown
        assert "From down 2 limit $40.00, nine points are $360.00" in shown

    def test_r64_from_the_boundary_on_all_forms_show_the_new_bounds(self, forty, at, floor, beside):
        beside.buy_in("Cat", 1)
        forty.minute(40)
        assert state_of(forty.fresh_session()).latest_down.number == 1  # nobody has written the new one yet
        shown = text(at(floor).get(f"/sessions/{forty.session.pk}/seats/3/buy-in/"))
        assert "$1,200.00 to $4,000.00" in shown
        assert "From down" not in shown
        shown = text(at(floor).get(f"/sittings/{forty.sitting(1).pk}/add-on/"))
        assert f"At most ${(400_000 - forty.stack(1)) / 100:,.2f}" in shown
        moving = at(floor).get(f"/sittings/{beside.sitting(1).pk}/move/").content.decode()
        assert "$1,200.00 to $4,000.00" in moving


def test_a_table_with_one_player_who_can_be_dealt_in_says_what_it_waits_for(client, game, floor):
    game.seat("Ann", "Bob")
    game.sit_out(2)
    client.force_login(floor)
    page = client.get(f"/floor/sessions/{game.session.pk}/panel/").content.decode()
    assert "A round needs two players who can be dealt in." in page
    assert "Bob sits out." in page
