"""Must-move tables (R55): whose turn it is to go to the main game, and whose its free seats are."""

import json
from datetime import timedelta

import pytest

from ledger.errors import LedgerError
from ledger.journal.acts import Act
from ledger.proof.log import sealing, verifying
from tables.errors import TableError
from tables.floor import must_move
from tables.models import TableEvent, TableSession
from tables.seats.players import Person, know_player
from tables.state.held_seats import held_seats
from tables.state.table_state import load_states, sessions
from tests.support.acting import acting
from tests.support.replayed import bodies, replayed
from tests.tables.log.test_verifying import tampering

pytestmark = pytest.mark.django_db


def refused(call, *args, **options) -> str:
    with pytest.raises((TableError, LedgerError)) as error:
        acting(call, *args, **options)
    return error.value.code


def turn(main, now):
    states = load_states(sessions().filter(closed_at=None))
    held = held_seats([state.session.pk for state in states], now)
    return must_move.turns(states, held).get(main.session.pk, ([], None))[1]


class TestMustMove:
    """R55: the players of a must-move table go to the main game, longest there first, whatever the bounds."""

    @pytest.fixture
    def feeder(self, desk, game, beside):
        """Table 2 feeds table 1, which has a free seat. Dan has been at the feeder for longest, then Eve."""
        game.seat("Ann", "Bob", "Cat")
        game.minute(2)
        beside.now = game.now
        beside.buy_in("Dan", 3)
        beside.minute(5).buy_in("Eve", 1)
        game.minute(5)
        desk.must_move(beside, game)
        return beside

    @pytest.fixture(autouse=True)
    def newcomers(self, game, players):
        """Fay and Gus sit nowhere yet."""
        for name in ("Fay", "Gus"):
            players[name] = know_player(Person(name), site=game.site, act=Act(game.floor, game.now))

    def test_r55_whoever_has_been_there_for_longest_is_next(self, desk, game, feeder):
        assert str(turn(game, game.now).sitting.player) == "Dan"
        assert refused(desk.move_up, feeder.sitting(1), game, 4) == "not_their_turn"
        key, dan = game.key(), feeder.sitting(3)
        arrived = desk.move_up(dan, game, 4, key=key)
        assert desk.move_up(dan, game, 4, key=key) == arrived
        event = TableEvent.objects.get(session=game.session, kind="seated", data__sitting=arrived.pk)
        assert event.data["ordered"] is True
        assert str(turn(game, game.now).sitting.player) == "Eve"

    def test_r55_a_player_in_a_running_round_goes_when_it_is_settled(self, desk, game, feeder):
        round_ = feeder.start()
        assert turn(game, game.now).in_round
        assert refused(desk.move_up, feeder.sitting(3), game, 4) == "round_running"
        feeder.settle(round_)
        assert not turn(game, game.now).in_round
        assert desk.move_up(feeder.sitting(3), game, 4).seat == 4

    def test_r55_nobody_moves_to_a_main_game_without_a_free_seat(self, desk, game, feeder):
        acting(must_move.set_must_move, session_id=feeder.session.pk, to_session_id=None, **desk.by())
        desk.hold(game, 4, "Fay")
        desk.hold(game, 5, "Gus")
        desk.must_move(feeder, game)
        assert turn(game, game.now) is None
        assert turn(game, game.now + timedelta(minutes=31)).seats == (4, 5)

    def test_r55_free_seats_belong_to_the_feeder_first(self, desk, game, feeder):
        place = desk.join("Fay")
        assert refused(desk.call, place, game, 4) == "must_move_first"
        assert refused(desk.seat, place, game, 4) == "must_move_first"
        assert refused(desk.hold, game, 4, "Gus") == "must_move_first"
        assert desk.call(place, feeder, 2).seat == 2
        for seat in (1, 3):
            feeder.cash_out(seat)
        assert desk.call(place, game, 4).seat == 4

    def test_r55_a_newcomer_sits_down_at_the_must_move_table(self, game, feeder, dealer):
        with pytest.raises(TableError) as error:
            game.buy_in("Fay", 4)
        assert error.value.code == "must_move_first"
        assert error.value.message == (
            "Free seats of Table 1 belong to the players of Table 2: Dan moves first."
            " New players sit down at Table 2."
        )
        assert feeder.buy_in("Fay", 2).seat == 2
        for seat in (1, 2, 3):
            feeder.cash_out(seat)
        assert game.buy_in("Gus", 4).seat == 4

    def test_r55_the_floor_can_order_a_newcomer_to_the_main_game(self, game, feeder, dealer):
        assert refused(game.buy_in, "Fay", 4, ordered=True, actor=dealer) == "not_allowed"
        key = game.key()
        sitting = game.buy_in("Fay", 4, ordered=True, key=key)
        assert game.buy_in("Fay", 4, ordered=True, key=key) == sitting
        assert refused(game.buy_in, "Fay", 4, key=key) == "key_reused"
        told = sitting.stack.incoming.get().entry
        assert (json.loads(told.evidence)["ordered"], told.actor) == (True, game.floor)

    def test_r55_nobody_goes_to_the_main_game_out_of_turn_by_their_own_wish(self, game, feeder, table3):
        table3.now = feeder.now
        table3.buy_in("Fay", 1)
        assert refused(table3.move, 1, game, 4) == "must_move_first"
        assert refused(feeder.move, 1, game, 4) == "must_move_first"
        assert feeder.move(3, game, 4).seat == 4
        assert table3.move(1, game, 5, ordered=True).seat == 5

    def test_r55_a_seat_that_was_promised_before_stays_promised(self, desk, game, beside):
        game.seat("Ann")
        beside.buy_in("Dan", 3)
        place = desk.call(desk.join("Fay"), game, 4)
        desk.must_move(beside, game)
        assert desk.call(place, game, 4).seat == 4
        assert refused(desk.call, place, game, 5) == "must_move_first"
        assert desk.seat(place, game, 4).seat == 4

    def test_the_main_game_is_another_open_table_of_the_same_game_and_limit(self, desk, game, beside, thirty):
        assert refused(desk.must_move, beside, thirty) == "other_game"
        assert refused(desk.must_move, game, game) == "same_table"
        assert refused(desk.must_move, game, beside, actor=game.dealer) == "not_allowed"

    def test_no_table_comes_back_to_itself(self, desk, game, beside, table3):
        desk.must_move(table3, beside)
        desk.must_move(beside, game)
        assert refused(desk.must_move, game, table3) == "must_move_circle"

    def test_it_is_recorded_once_for_one_key_and_not_where_nothing_changes(self, desk, game, beside):
        key = game.key()
        for _ in range(2):
            desk.must_move(beside, game, key=key)
        desk.must_move(beside, game)
        assert refused(desk.must_move, beside, None, key=key) == "key_reused"
        desk.must_move(beside, None)
        events = TableEvent.objects.filter(kind="must_move_set", session=beside.session).order_by("pk")
        assert [event.data["to_session"] for event in events] == [game.session.pk, None]

    def test_a_night_with_lists_and_must_move_verifies_and_a_changed_main_game_is_found(
        self, desk, game, feeder
    ):
        place = desk.call(desk.join("Fay"), feeder, 2)
        desk.seat(place, feeder, 2)
        desk.move_up(feeder.sitting(3), game, 4)
        game.play()
        sealing.seal(game.site, now=game.now)
        assert [str(finding) for finding in verifying.Verification(game.site).run()] == []
        with tampering("tables_tablesession"):
            TableSession.objects.filter(pk=feeder.session.pk).update(must_move_to=None)
            found = list(verifying.Verification(game.site).run())
        assert [(one.code, one.record) for one in found] == [
            ("row_differs", f"table session {feeder.session.pk}")
        ]

    def test_an_order_that_says_another_time_than_it_was_recorded_at_is_named(self, game, feeder):
        records = bodies()
        (order,) = (body for body in records if body.get("kind") == "must_move_set")
        order["at"] = "2026-03-07T19:59:00.000000Z"
        found, _ = replayed(records)
        assert [(one.code, one.record) for one in found] == [("other_time", f"table event {order['id']}")]
