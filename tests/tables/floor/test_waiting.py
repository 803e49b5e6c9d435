"""Waiting lists, held seats and must-move tables (R55): who is called to which seat,
and when it is free again."""

from datetime import timedelta

import pytest

from ledger.errors import LedgerError
from ledger.journal.acts import Act
from tables.errors import TableError
from tables.floor import closing, waiting
from tables.models import Charge, Sitting, WaitingPlace
from tables.seats import buying_in
from tables.seats.players import Person
from tables.state.held_seats import expired, held_seats
from tests.support.acting import acting

pytestmark = pytest.mark.django_db


def refused(call, *args, **options) -> str:
    with pytest.raises((TableError, LedgerError)) as error:
        acting(call, *args, **options)
    return error.value.code


class TestPlaces:
    """Numbered from 1 in every gaming day, over all lists of the house."""

    def test_places_are_numbered_without_gaps(self, desk):
        places = [desk.join("Ann"), desk.join("Bob", limit_cents=1000), desk.join("Cat", game="2-4")]
        desk.leave(places[1])
        assert [place.number for place in [*places, desk.join("Dan")]] == [1, 2, 3, 4]

    def test_a_refused_place_takes_no_number(self, desk):
        desk.join("Ann")
        assert refused(desk.join, "Ann") == "already_waiting"
        assert refused(desk.join, "Bob", game="whist") == "unknown_game"
        assert refused(desk.join, "Bob", limit_cents=0) == "bad_entry"
        assert desk.join("Bob").number == 2

    def test_numbers_begin_again_with_the_gaming_day_and_places_stay(self, desk, game):
        old = desk.join("Ann")
        game.now += timedelta(days=1)
        assert desk.join("Bob").number == old.number == 1
        assert refused(desk.join, "Ann") == "already_waiting"

    def test_a_known_card_number_alone_checks_a_player_in(self, desk, game):
        assert refused(desk.join, number="4711") == "player_unknown"
        first = desk.join("Zoe", number="4711")
        assert refused(desk.join, number="4711") == "already_waiting"
        desk.leave(first)
        again = desk.join(number="4711")
        assert (again.number, str(again.player), again.player) == (2, "Zoe", first.player)

    def test_a_description_is_somebody_new_every_time(self, desk):
        said = {"description": "red cap"}
        assert desk.join(**said).player != desk.join(**said).player

    def test_the_same_request_is_one_place(self, desk):
        key = desk.game.key()
        for said in ({"name": "Ann"}, {"number": "12", "name": "Zoe"}, {"description": "red cap"}):
            first = desk.join(key=key, **said)
            assert desk.join(key=key, **said) == first
            key = desk.game.key()
        assert WaitingPlace.objects.count() == 3
        assert refused(desk.join, "Bob", key=first.key) == "key_reused"
        assert refused(desk.join, key=first.key, limit_cents=900, **said) == "key_reused"

    def test_who_sits_at_such_a_table_asks_for_another_one_there(self, desk, game):
        game.seat("Ann")
        assert refused(desk.join, "Ann") == "player_seated"
        assert desk.join("Ann", limit_cents=3000).number == 1

    def test_the_floor_keeps_the_lists(self, desk, game, dealer, cashier):
        for person in (dealer, cashier):
            assert refused(desk.join, "Ann", actor=person) == "not_allowed"


class TestCalling:
    """A called player's seat is kept for ten minutes, and for nobody else."""

    def test_a_called_seat_is_kept_for_who_was_called(self, desk, game):
        place = desk.call(desk.join("Ann"), game, 2)
        assert (place.state, place.until) == ("called", game.now + timedelta(minutes=10))
        with pytest.raises(TableError) as error:
            game.buy_in("Bob", 2)
        assert error.value.code == "seat_held"
        assert error.value.message == "Seat 2 is held for Ann until 12:10."
        assert game.buy_in("Ann", 2).seat == 2
        place.refresh_from_db()
        assert (place.state, place.seat) == ("seated", 2)

    def test_a_house_may_hold_seats_longer(self, desk, game):
        type(game.site).objects.update(hold_minutes=25)
        assert desk.call(desk.join("Ann"), game, 2).until == game.now + timedelta(minutes=25)

    def test_after_the_time_the_seat_is_free_whoever_marks_the_place(self, desk, game):
        place = desk.call(desk.join("Ann"), game, 2)
        game.minute(9.99)
        assert refused(game.buy_in, "Bob", 2) == "seat_held"
        game.minute(10)
        assert game.buy_in("Bob", 2).seat == 2
        assert expired(place, game.now)
        assert waiting.mark_expired(now=game.now) == 1
        assert waiting.mark_expired(now=game.now) == 0
        place.refresh_from_db()
        assert (place.state, place.number) == ("expired", 1)

    def test_an_expired_promise_gives_way_to_a_new_one(self, desk, game):
        first, second = desk.call(desk.join("Ann"), game, 2), desk.join("Bob")
        assert refused(desk.call, second, game, 2) == "seat_held"
        game.minute(10)
        assert desk.call(second, game, 2).state == "called"
        first.refresh_from_db()
        assert first.state == "expired"
        assert desk.put_back(first).state == "waiting"
        assert (first.number, desk.join("Cat").number) == (1, 3)

    def test_a_call_just_to_the_floor_keeps_no_seat(self, desk, game):
        place = desk.call(desk.join("Ann"))
        assert (place.state, place.session, place.seat) == ("called", None, None)
        assert game.buy_in("Bob", 2).seat == 2
        assert refused(waiting.call, place_id=place.pk, seat=2, **desk.by()) == "bad_entry"

    def test_a_taken_seat_another_game_and_a_closed_table_are_refused(self, desk, game, thirty, floor2):
        place = desk.join("Bob")
        game.buy_in("Ann", 1)
        assert refused(desk.call, place, game, 1) == "seat_taken"
        assert refused(desk.call, place, game, 6) == "unknown_seat"
        assert refused(desk.call, place, thirty, 1) == "other_game"
        game.cash_out(1)
        by = {"second": floor2, "key": game.key(), "actor": game.floor, "now": game.now}
        count = game.counted()
        acting(closing.close_table, session_id=game.session.pk, count=count, second_count=count, **by)
        assert refused(desk.call, place, game, 1) == "table_closed"

    def test_putting_back_frees_the_seat_and_keeps_the_number(self, desk, game):
        place, other = desk.join("Ann"), desk.join("Bob")
        desk.call(place, game, 2)
        back = desk.put_back(place)
        assert (back.state, back.session, back.seat, back.until, back.number) == (
            "waiting",
            None,
            None,
            None,
            1,
        )
        assert desk.call(other, game, 2).seat == 2

    def test_leaving_needs_a_reason_and_frees_the_seat(self, desk, game):
        place = desk.call(desk.join("Ann"), game, 2)
        assert refused(desk.leave, place, " ") == "reason_required"
        assert desk.leave(place, "went for dinner").reason == "went for dinner"
        assert game.buy_in("Bob", 2).seat == 2
        assert refused(desk.call, place, game, 3) == "place_gone"
        assert refused(desk.put_back, place) == "place_gone"

    def test_the_same_request_is_one_act_and_its_key_no_other(self, desk, game):
        place, key = desk.join("Ann"), game.key()
        first = desk.call(place, game, 2, key=key)
        game.minute(3)
        assert desk.call(place, game, 2, key=key).until == first.until
        assert refused(desk.call, place, game, 3, key=key) == "key_reused"
        assert refused(desk.put_back, place, key=key) == "key_reused"

    def test_an_older_request_comes_again_and_nothing_is_done(self, desk, game):
        place, other = desk.join("Ann"), desk.join("Bob")
        keys = [game.key() for _ in range(3)]
        desk.call(place, game, 2, key=keys[0])
        game.minute(1)
        desk.put_back(place, key=keys[1])
        desk.call(other, game, 2)
        for again in (
            lambda: desk.call(place, game, 2, key=keys[0]),
            lambda: desk.put_back(place, key=keys[1]),
        ):
            assert again().state == "waiting"
        desk.leave(place, "went home", key=keys[2])
        for again in (lambda: desk.call(place, game, 2, key=keys[0]), lambda: desk.leave(place, key=keys[2])):
            assert again().state == "left"
        game.minute(2).buy_in("Bob", 2)
        assert refused(desk.call, place, game, 3, key=keys[0]) == "key_reused"
        assert refused(desk.leave, place, "fell ill", key=keys[2]) == "key_reused"
        assert refused(desk.call, other, key=other.key) == "key_reused"
        assert refused(desk.leave, other, "went home", key=keys[2]) == "key_reused"

    def test_a_place_knows_what_was_done_with_it_when_and_by_whom(self, desk, game, floor2):
        place = desk.call(desk.join("Ann"), game, 2)
        game.minute(4)
        done = desk.leave(place, "went home", actor=floor2).acts
        assert [(one.said["state"], one.said["actor"], f"{one.at:%H:%M}") for one in done.order_by("pk")] == [
            ("called", game.floor.pk, "20:00"),
            ("left", floor2.pk, "20:04"),
        ]

    def test_one_who_joined_again_has_one_place(self, desk, game):
        first = desk.call(desk.join("Ann"), game, 2)
        game.minute(11)
        assert desk.join("Ann").number == 2
        for act in (desk.put_back, desk.call):
            assert refused(act, first) == "already_waiting"

    def test_both_screens_hear_of_it(self, desk, game, beside, monkeypatch):
        heard = []
        monkeypatch.setattr(waiting, "publish", heard.append)
        desk.call(desk.join("Ann"), game, 2)
        assert set(heard) == {game.session.pk, beside.session.pk}


class TestHeldSeats:
    """A seat can be reserved for somebody who is on no list."""

    def test_a_reserved_seat_waits_until_its_time(self, desk, game):
        place = desk.hold(game, 3, "Ann", minutes=30)
        assert (place.state, place.number) == ("held", 1)
        assert refused(game.buy_in, "Bob", 3) == "seat_held"
        assert list(held_seats([game.session.pk], game.now)) == [(game.session.pk, 3)]
        game.minute(30)
        assert held_seats([game.session.pk], game.now) == {}
        assert game.buy_in("Bob", 3).seat == 3

    def test_the_time_is_ahead_and_within_a_day(self, desk, game):
        for minutes in (0, -5, 24 * 60 + 1):
            assert refused(desk.hold, game, 3, "Ann", minutes) == "bad_time"
        assert desk.hold(game, 3, "Ann", 24 * 60).seat == 3

    def test_one_promise_a_seat_and_one_place_a_player(self, desk, game):
        desk.hold(game, 3, "Ann")
        assert refused(desk.hold, game, 3, "Bob") == "seat_held"
        assert refused(desk.hold, game, 4, "Ann") == "already_waiting"
        game.buy_in("Cat", 5)
        assert refused(desk.hold, game, 5, "Bob") == "seat_taken"

    def test_r61_a_held_seat_is_not_entry(self, desk, game):
        game.seat("Bob", "Cat")
        place = desk.hold(game, 3, "Ann", minutes=60)
        game.play()
        game.minute(25)
        assert desk.seat(place, game, 3).entered_at == game.now
        game.play()
        assert Charge.objects.get(player=place.player).cents == 500

    def test_no_move_takes_a_held_seat(self, desk, game, beside):
        desk.hold(beside, 3, "Ann")
        game.seat("Bob")
        for ordered in (True, False):
            assert refused(game.move, 1, beside, 3, ordered=ordered) == "seat_held"


class TestSeating:
    """From the list to the table: a first buy-in, or with the stack from another table."""

    def test_who_is_called_sits_down_with_a_buy_in(self, desk, game):
        place = desk.call(desk.join("Ann"), game, 2)
        key = game.key()
        sitting = desk.seat(place, game, 2, key=key)
        assert (sitting.seat, game.stacks()) == (2, {2: 30_000})
        assert desk.seat(place, game, 2, key=key) == sitting
        assert refused(desk.seat, place, game, 2) == "place_gone"
        place.refresh_from_db()
        assert (place.state, place.session_id) == ("seated", game.session.pk)

    def test_an_expired_place_can_sit_down_where_the_seat_is_free(self, desk, game):
        place = desk.call(desk.join("Ann"), game, 2)
        game.minute(15)
        waiting.mark_expired(now=game.now)
        assert desk.seat(place, game, 2).seat == 2

    def test_a_refused_buy_in_changes_nothing(self, desk, game):
        place = desk.call(desk.join("Ann"), game, 2)
        assert refused(desk.seat, place, game, 2, cents=100) == "buy_in_too_small"
        place.refresh_from_db()
        assert (place.state, game.stacks()) == ("called", {})

    def test_a_table_of_another_game_is_refused(self, desk, game, thirty):
        assert refused(desk.seat, desk.join("Ann"), thirty, 2, cents=100_000) == "other_game"

    def test_sitting_down_at_the_table_itself_leaves_the_list(self, desk, game, thirty):
        here, there = desk.join("Ann"), desk.join("Ann", limit_cents=3000)
        game.buy_in("Ann", 4)
        here.refresh_from_db()
        there.refresh_from_db()
        assert (here.state, there.state) == ("seated", "waiting")

    def test_r55_who_waits_elsewhere_brings_the_stack_within_the_bounds(self, desk, game, thirty):
        game.buy_in("Ann", 1, points=100)
        place = desk.join("Ann", limit_cents=3000)
        assert refused(desk.seat, place, thirty, 2) == "buy_in_too_small"
        game.set_stack(1, 90_000)
        key = game.key()
        arrived = desk.seat(place, thirty, 2, key=key)
        assert (arrived.moved_from.session, thirty.stacks(), game.stacks()) == (game.session, {2: 90_000}, {})
        assert desk.seat(place, thirty, 2, key=key) == arrived
        assert Sitting.objects.filter(player=place.player).count() == 2


class TestTableChange:
    """R55: a seated player asks for another table, and goes there with the whole stack."""

    def test_r55_a_table_change_is_honoured_as_the_player_s_wish(self, desk, game, beside):
        game.seat("Ann", "Bob")
        place = desk.change(game, 1, beside)
        assert (place.state, place.session, place.seat) == ("waiting", beside.session, None)
        desk.call(place, beside, 4)
        assert desk.seat(place, beside, 4).moved_from.session == game.session
        place.refresh_from_db()
        assert place.state == "seated"

    def test_a_table_change_is_for_another_open_table_and_asked_once(self, desk, game, beside, dealer):
        game.seat("Ann")
        assert refused(desk.change, game, 1, game) == "same_table"
        assert refused(desk.change, game, 1, beside, actor=dealer) == "not_allowed"
        key = game.key()
        assert desk.change(game, 1, beside, key=key) == desk.change(game, 1, beside, key=key)
        assert refused(desk.change, game, 1, beside) == "already_waiting"

    def test_who_cashes_out_no_longer_waits_for_another_table(self, desk, game, beside):
        game.seat("Ann")
        place = desk.change(game, 1, beside)
        game.cash_out(1)
        place.refresh_from_db()
        assert (place.state, place.reason) == ("left", "left the table")

    def test_a_wish_for_one_table_stays_through_a_move_to_another(self, desk, game, beside, table3):
        game.seat("Ann")
        place = desk.change(game, 1, table3)
        arrived = game.move(1, beside, 2, ordered=True)
        place.refresh_from_db()
        assert (place.state, place.sitting, place.session) == ("waiting", arrived, table3.session)
        desk.call(place, table3, 1)
        assert desk.put_back(place).session == table3.session


def test_an_excluded_player_is_sent_to_the_floor_and_the_look_is_kept(desk, game, employ):
    from ledger.cage import exclusions
    from ledger.models import Withheld

    compliance = employ("compliance", "compliance")
    exclusions.add_exclusion(
        site=game.site,
        name="Rex Black",
        number="666",
        reference="list of 2026-03",
        effective_from=game.now.date(),
        act=Act(actor=compliance, now=game.now),
    )
    before = Withheld.objects.count()
    acts = [
        lambda: desk.join("rex  black"),
        lambda: desk.join(number="666"),
        lambda: desk.hold(game, 1, "Rex Black"),
        lambda: acting(
            buying_in.buy_in,
            session_id=game.session.pk,
            who=Person("Rex Black"),
            entry=buying_in.FirstBuyIn(1, 30_000, "cash"),
            **desk.by(),
        ),
    ]
    for act in acts:
        with pytest.raises(LedgerError) as error:
            act()
        assert (error.value.code, error.value.message) == ("see_floor", "See floor.")
    assert Withheld.objects.count() == before + len(acts)
    assert not WaitingPlace.objects.exists()


def test_who_was_excluded_while_waiting_is_not_seated_or_sold_chips(desk, game, employ, players):
    from ledger.cage import exclusions

    place = desk.call(desk.join("Ann"), game, 2)
    game.buy_in("Bob", 1)
    for name in ("Ann", "Bob"):
        exclusions.add_exclusion(
            site=game.site,
            name=name,
            reference="order",
            effective_from=game.now.date(),
            act=Act(actor=employ(f"compliance-{name}", "compliance"), now=game.now),
        )
    assert refused(desk.seat, place, game, 2) == "see_floor"
    assert refused(game.add_on, 1, 5000) == "see_floor"
    game.sell(5000, employ("cage-1", "cashier"))
    assert game.add_on(1, 5000, source="chips").seat == 1


def test_a_mere_description_is_not_looked_up(desk):
    from ledger.models import Withheld

    desk.join(description="red cap")
    assert not Withheld.objects.exists()
