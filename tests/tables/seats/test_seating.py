"""R52, R53: buying in, adding on, sitting out, leaving."""

from datetime import timedelta

import pytest

from ledger.errors import LedgerError
from ledger.journal.acts import Act
from ledger.models import Account, JournalEntry
from tables.errors import TableError
from tables.models import Charge, Player, Sitting, TableEvent as Event
from tables.seats import players
from tables.seats.sitting import cash_out
from tests.support.acting import acting
from tests.support.game import OPENING
from tests.support.kept import kept


def refused(call, *args, **options) -> str:
    with pytest.raises((TableError, LedgerError)) as error:
        acting(call, *args, **options)
    return error.value.code


def test_r52_the_first_buy_in_is_at_least_thirty_times_the_limit(game):
    assert refused(game.buy_in, "Ann", 1, points=29) == "buy_in_too_small"
    assert game.buy_in("Ann", 1, points=30).stack_id
    assert game.stack(1) == 15_000


def test_r52_the_first_buy_in_is_at_most_the_maximum(game):
    assert refused(game.buy_in, "Ann", 1, points=101) == "buy_in_too_large"
    game.buy_in("Ann", 1, points=100)


def test_a_refused_buy_in_leaves_nothing_behind(game):
    before = JournalEntry.objects.count()
    refused(game.buy_in, "Ann", 1, points=29)
    assert (Sitting.objects.count(), JournalEntry.objects.count()) == (0, before)
    assert not Account.objects.filter(kind="stack").exists()


def test_cash_goes_to_the_table_bank_and_chips_come_out_of_it(game):
    game.buy_in("Ann", 1, points=60)
    chips, cash = (
        Account.objects.get(pk=pk) for pk in (game.session.bank_chips_id, game.session.bank_cash_id)
    )
    assert (chips.balance_cents, cash.balance_cents) == (5_000_000 - 30_000, 30_000)


def test_chips_brought_from_the_cage_leave_the_table_bank_alone(game, cashier):
    game.sell(30_000, cashier)
    game.buy_in("Ann", 1, source="chips")
    assert Account.objects.get(pk=game.session.bank_chips_id).balance_cents == 5_000_000


def test_nobody_brings_more_chips_from_the_cage_than_it_sold(game, cashier):
    game.sell(29_950, cashier)
    assert refused(game.buy_in, "Ann", 1, source="chips") == "chips_beyond_books"
    assert not Sitting.objects.exists()


def test_chips_cannot_be_bought_with_words(game):
    assert refused(game.buy_in, "Ann", 1, source="cheque") == "bad_method"


def test_a_seat_holds_one_player_and_a_player_one_seat(game, thirty):
    game.buy_in("Ann", 1)
    assert refused(game.buy_in, "Bob", 1) == "seat_taken"
    assert refused(game.buy_in, "Ann", 2) == "player_seated"
    assert refused(thirty.buy_in, "Ann", 2) == "player_seated"


@pytest.mark.parametrize("seat", [0, 6, -1])
def test_a_table_has_five_seats(game, seat):
    assert refused(game.buy_in, "Ann", seat) == "unknown_seat"


def test_a_double_tap_buys_in_once(game):
    key = game.key()
    assert game.buy_in("Ann", 1, key=key) == game.buy_in("Ann", 1, key=key)
    assert game.stack(1) == 30_000


def test_the_same_key_with_another_amount_is_refused(game):
    key = game.key()
    game.buy_in("Ann", 1, key=key)
    assert refused(game.buy_in, "Ann", 1, points=70, key=key) == "key_reused"


def test_r52_an_add_on_may_fill_the_stack_up_to_the_maximum(game):
    game.buy_in("Ann", 1, points=60)
    assert refused(game.add_on, 1, 20_001) == "buy_in_too_large"
    game.add_on(1, 20_000)
    assert game.stack(1) == 50_000


def test_r52_no_add_on_for_a_player_in_a_running_round(game):
    game.seat("Ann", "Bob")
    game.start()
    assert refused(game.add_on, 1, 1000) == "round_running"
    assert game.stack(1) == 29_000


def test_r52_the_fifth_may_add_on_while_the_round_runs(game):
    game.seat("Ann", "Bob", "Cat", "Dan", "Eve")
    game.start()
    game.add_on(5, 1000)
    assert game.stack(5) == 30_000


def test_an_add_on_sent_twice_adds_once(game):
    game.buy_in("Ann", 1)
    key = game.key()
    game.add_on(1, 1000, key=key)
    game.add_on(1, 1000, key=key)
    assert game.stack(1) == 31_000


def test_r52_whoever_leaves_takes_everything_along(game):
    game.seat("Ann")
    sitting = game.cash_out(1)
    assert sitting.taken_away_cents == 30_000
    assert Account.objects.get(pk=sitting.stack_id).balance_cents == 0


def test_nobody_leaves_in_mid_round(game):
    game.seat("Ann", "Bob")
    game.start()
    assert refused(game.cash_out, 1) == "round_running"


def test_a_player_leaves_once(game):
    game.seat("Ann")
    sitting, key = game.sitting(1), game.key()
    cash_out(sitting_id=sitting.pk, act=Act(key=key, actor=game.floor, now=game.now))
    cash_out(sitting_id=sitting.pk, act=Act(key=key, actor=game.floor, now=game.now))
    other = {"sitting_id": sitting.pk, "key": game.key(), "actor": game.floor, "now": game.now}
    assert refused(cash_out, **other) == "not_seated"


def test_r52_who_comes_back_within_two_hours_brings_at_least_what_was_taken_away(game):
    game.seat("Ann")
    game.set_stack(1, 61_000)
    game.cash_out(1)
    assert refused(game.minute(119).buy_in, "Ann", 2, points=60) == "buy_in_too_small"
    game.buy_in("Ann", 2, points=122)
    assert game.stack(2) == 61_000


def test_r52_after_the_interval_the_usual_bounds_hold(game):
    game.seat("Ann")
    game.set_stack(1, 61_000)
    game.cash_out(1)
    game.minute(120.1).buy_in("Ann", 2, points=30)


def test_sitting_out_and_returning_are_recorded_once(game):
    game.seat("Ann")
    for out in (True, True, False):
        game.sit_out(1, out)
    assert list(
        Event.objects.filter(kind__in=["sat_out", "returned"]).order_by("pk").values_list("kind", flat=True)
    ) == [
        "sat_out",
        "returned",
    ]


def test_a_player_is_known_by_number_name_or_description(site, floor):
    site = {"site": site, "act": Act(floor, OPENING)}
    by_number = players.know_player(players.Person(number="1007", name="Ann"), **site)
    assert players.know_player(players.Person(number="1007"), **site) == by_number
    assert players.know_player(players.Person(name="Bob"), **site) == players.know_player(
        players.Person(name="Bob"), **site
    )
    masked = players.know_player(players.Person(description="red cap, seat by the window"), **site)
    assert str(masked) == "red cap, seat by the window"
    assert players.know_player(players.Person(description="red cap, seat by the window"), **site) != masked
    assert refused(players.know_player, players.Person(name="  "), **site) == "player_unknown"
    assert Player.objects.count() == 4


def test_r62_a_name_with_a_card_number_is_not_taken_for_somebody_new(game):
    at = {"site": game.site, "act": Act(game.floor, game.now)}
    numbered = players.know_player(players.Person(name="Zoe", number="77"), **at)
    game.players["Zoe"] = numbered
    game.buy_in("Zoe", 1)
    assert refused(players.know_player, players.Person(name="Zoe"), **at) == "player_unknown"
    game.cash_out(1)
    assert refused(players.know_player, players.Person(name="Zoe"), **at) == "player_unknown"
    at["act"] = at["act"].at(game.now + timedelta(minutes=121))
    assert refused(players.know_player, players.Person(name="Zoe"), **at) == "player_alike"


def test_a_retry_after_the_table_has_closed_is_the_same_buy_in(game, floor2):
    key = game.key()
    sitting = game.buy_in("Ann", 1, key=key)
    game.cash_out(1)
    game.close(floor2)
    assert game.buy_in("Ann", 1, key=key) == sitting
    assert refused(game.buy_in, "Bob", 1) == "table_closed"


class TestALateEntryRecordedLater:
    """R61: a claimed time of entry is kept beside the recorded one; where it changes the fee,
    two people stand for it."""

    @kept
    def running(self, thirty):
        thirty.seat("Ann", "Bob")
        thirty.play()
        return thirty.minute(25)

    def enter(self, game, minutes_ago, **options):
        return game.buy_in("Cat", 3, entered_at=game.now - timedelta(minutes=minutes_ago), **options)

    def test_both_times_are_kept(self, running, floor2):
        sitting = self.enter(running, 3)
        assert (running.now - sitting.entered_at, sitting.recorded_at) == (timedelta(minutes=3), running.now)

    def test_a_claim_that_changes_the_fee_needs_a_second_person(self, running, floor2):
        assert refused(self.enter, running, 6) == "second_person"
        assert refused(self.enter, running, 6, approver=running.floor) == "second_person"
        self.enter(running, 6, approver=floor2)
        running.start()
        assert Charge.objects.get(player=running.players["Cat"]).rule == "full"

    def test_a_round_that_started_after_the_claimed_entry_is_owed_at_once(self, running, floor2):
        running.minute(26).play()
        running.minute(45)
        self.enter(running, 30, approver=floor2)
        assert [
            (c.down.number, c.rule)
            for c in Charge.objects.filter(player=running.players["Cat"]).order_by("pk")
        ] == [(1, "full")]

    def test_r61_a_round_that_started_at_the_very_moment_of_the_claimed_entry_is_owed(self, running, floor2):
        running.minute(26).play()
        running.minute(30)
        self.enter(running, 4, approver=floor2)
        assert [c.rule for c in Charge.objects.filter(player=running.players["Cat"])] == ["half"]

    def test_nobody_sat_where_somebody_else_still_did(self, running, floor2):
        running.buy_in("Dan", 3)
        running.minute(30).cash_out(3)
        assert refused(self.enter, running, 4, approver=floor2) == "bad_time"
        self.enter(running.minute(32), 1, approver=floor2)

    def test_nobody_sits_in_two_places_at_once(self, running, floor2):
        running.buy_in("Cat", 4)
        running.minute(30).cash_out(4)
        assert refused(self.enter, running, 4, approver=floor2) == "bad_time"

    def test_the_claimed_time_lies_between_the_opening_and_now(self, running, floor2):
        assert refused(self.enter, running, -1, approver=floor2) == "bad_time"
        assert refused(self.enter, running, 26, approver=floor2) == "bad_time"
