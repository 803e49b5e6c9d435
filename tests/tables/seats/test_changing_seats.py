"""Changing to another seat of the same table: what stays, where the buttons go, what is refused, and that it
is replayed (R50, R61)."""

import copy
from itertools import product

import pytest

from ledger.proof.log import sealing, verifying
from tables.errors import TableError
from tables.models import Charge, Sitting, TableEvent
from tables.rules.table.moves import wrong_seat_change
from tables.seats.sitting import change_seat
from tests.support.acting import acting
from tests.support.game import FULL_HOUSE, PLAIN, QUEENS
from tests.support.kept import kept
from tests.support.race import STAKE, scores
from tests.support.replayed import bodies, replayed

pytestmark = pytest.mark.django_db


def change(game, seat, to_seat, **options):
    options = {"key": game.key(), "actor": game.floor, "now": game.now} | options
    return acting(change_seat, sitting_id=game.sitting(seat).pk, seat=to_seat, **options)


def refused(*args, **options):
    with pytest.raises(TableError) as error:
        change(*args, **options)
    return error.value.code


def accused(records):
    return [(finding.code, finding.leaf) for finding in replayed(records)[0]]


def test_r50_a_player_sits_down_wherever_a_chair_is_free_at_the_table_between_rounds():
    """Asked of somebody who puts players on chairs."""
    for seat, to_seat, running, played in product(range(1, 6), range(7), (False, True), (False, True)):
        chairs = {1: "Ann", 2: "Bob", 4: "Cat"} | {seat: "who moves"}
        may = to_seat in range(1, 6) and to_seat not in chairs and not running and not played
        wrong = wrong_seat_change(seat, to_seat, chairs, round_running=running, played_match=played)
        assert (wrong is None) == may, (seat, to_seat, running, played)


class TestWhatStays:
    def test_r61_sitting_stack_entry_and_fees_stay_with_the_player(self, game):
        game.seat("Ann", "Bob")
        game.play([QUEENS, FULL_HOUSE])
        ann = game.sitting(1)
        changed = change(game.minute(5), 1, 4)
        assert (changed.pk, changed.seat, changed.entered_at) == (ann.pk, 4, ann.entered_at)
        assert game.stacks()[4] == ann.stack.balance_cents
        game.play([QUEENS, FULL_HOUSE])
        assert Charge.objects.filter(player=ann.player).count() == 1
        assert Sitting.objects.count() == 2

    def test_r41_fantasy_land_stays_with_the_player(self, game):
        game.seat("Ann", "Bob")
        game.play([QUEENS, FULL_HOUSE])
        assert change(game, 1, 3).fantasy_land
        dealt = {hand.seat: hand.fantasy_land for hand in game.start().hands.all()}
        assert dealt == {2: False, 3: True}

    def test_r50_the_buttons_go_on_by_seats(self, game):
        game.seat("Ann", "Bob", "Cat")
        assert game.play().button_seat == 1
        change(game, 2, 5)
        assert game.play().button_seat == 3
        assert game.play().button_seat == 5
        assert accused(bodies()) == []

    def test_r32_a_stake_between_two_players_goes_with_them(self, table_of):
        game = table_of("western")
        game.seat("Ann", "Bob", "Cat")
        game.play([QUEENS, FULL_HOUSE, PLAIN], pair_stakes={(1, 2): 1000})
        change(game, 1, 5)
        change(game, 3, 1)
        assert game.plan().pair_stakes == ({"seats": [2, 5], "limit": "10.00"},)

    def test_the_same_key_changes_once(self, game):
        game.seat("Ann", "Bob")
        key = game.key()
        sitting = game.sitting(1).pk
        for _ in range(2):
            acting(
                change_seat,
                sitting_id=sitting,
                seat=3,
                key=key,
                actor=game.floor,
                now=game.now,
            )
        assert TableEvent.objects.filter(kind="seat_changed").count() == 1


class TestWhatIsRefused:
    def test_r50_a_seat_that_is_taken_or_none_or_the_own_one(self, game):
        game.seat("Ann", "Bob")
        assert [refused(game, 1, seat) for seat in (2, 6, 1)] == [
            "seat_taken",
            "unknown_seat",
            "nothing_changes",
        ]

    def test_r50_while_a_round_runs(self, game):
        game.seat("Ann", "Bob")
        game.start()
        assert refused(game, 1, 3) == "round_running"

    def test_a_seat_that_is_held_for_somebody_else(self, game, desk):
        game.seat("Ann", "Bob")
        desk.hold(game, 3, "Gus")
        assert refused(game, 1, 3) == "seat_held"
        desk.hold(game, 4, "Ann")
        assert change(game, 1, 4).seat == 4

    def test_r42_a_player_of_a_match_keeps_the_seat(self, table_of):
        race = table_of("first-to-11")
        race.seat("Ann", "Bob")
        scores(race, stake=STAKE, seat1=QUEENS)
        race.buy_in("Cat", 3)
        assert refused(race, 1, 5) == "seat_of_match"
        assert change(race, 3, 5).seat == 5

    def test_somebody_who_has_left(self, game):
        game.seat("Ann", "Bob")
        left = game.cash_out(1)
        with pytest.raises(TableError) as error:
            acting(
                change_seat,
                sitting_id=left.pk,
                seat=3,
                key=game.key(),
                actor=game.floor,
                now=game.now,
            )
        assert error.value.code == "not_seated"

    def test_r61_nobody_sat_in_the_seat_then_from_which_another_has_changed_since(self, game, floor2):
        game.seat("Ann", "Bob")
        game.play([QUEENS, FULL_HOUSE])
        change(game.minute(10), 1, 4)
        game.minute(12)
        with pytest.raises(TableError) as error:
            game.buy_in("Cat", 1, entered_at=game.minute(5).now, now=game.minute(12).now, approver=floor2)
        assert error.value.code == "bad_time"


class TestInTheLog:
    @kept
    def night(self, game):
        sealing.seal(game.site, now=game.now)
        game.seat("Ann", "Bob", "Cat")
        game.play()
        change(game.minute(5), 3, 5)
        game.play()
        game.cash_out(5)
        sealing.seal(game.site, now=game.now)
        return game

    def test_the_night_is_right_offline_and_in_the_live_books(self, night):
        assert accused(bodies()) == []
        assert [*verifying.Verification(night.site).run()] == []

    @pytest.mark.parametrize(
        ("name", "value", "code"),
        [
            ("to_seat", 2, "seat_taken"),
            ("to_seat", 6, "unknown_seat"),
            ("to_seat", 3, "nothing_changes"),
            ("seat", 4, "other_seat"),
            ("sitting", 9999, "not_seated"),
        ],
    )
    def test_a_change_that_says_something_else_is_named(self, night, name, value, code):
        records = copy.deepcopy(bodies())
        at = next(at for at, body in enumerate(records) if body.get("kind") == "seat_changed")
        records[at]["data"][name] = value
        assert (code, at) in accused(records)

    def test_one_in_a_running_round_is_named(self, night):
        records = bodies()
        at = next(at for at, body in enumerate(records) if body.get("kind") == "seat_changed")
        start = [n for n, body in enumerate(records) if body.get("kind") == "round_started"][1]
        now = records[start]["recorded_at"]
        again = {**records[at], "data": {**records[at]["data"], "seat": 5, "to_seat": 4}}
        moved = [*records[: start + 1], {**again, "recorded_at": now, "at": now}, *records[start + 1 :]]
        assert accused(moved) == [("round_running", start + 1)]

    def test_a_seat_that_nobody_changed_to_is_found_in_the_row(self, night):
        bob = Sitting.objects.get(player__name="Bob")
        Sitting.objects.filter(pk=bob.pk).update(seat=4)
        found = {finding.record for finding in verifying.Verification(night.site).run()}
        assert f"sitting {bob.pk}" in found
