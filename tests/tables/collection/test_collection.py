"""R60-R65 at the table: who is charged, how it is taken, exactly once."""

import itertools

import pytest

from ledger.errors import LedgerError
from ledger.journal.acts import Act
from ledger.models import Account, JournalEntry
from tables.collection import clock
from tables.errors import TableError
from tables.models import Charge, Down, FeePayment
from tests.support.acting import acting


def refused(call, *args, **options) -> str:
    with pytest.raises((TableError, LedgerError)) as error:
        acting(call, *args, **options)
    return error.value.code


def charges(game) -> list[tuple[str, int, str, int]]:
    """Who owes for which down, by which rule, how many cents."""
    rows = Charge.objects.filter(session=game.session).order_by("down__number", "sitting__seat")
    return [(str(c.player), c.down.number, c.rule, c.cents) for c in rows.select_related("player", "down")]


def test_r61_the_first_round_starts_the_first_down_and_everybody_owes(thirty):
    thirty.seat("Ann", "Bob", "Cat")
    thirty.sit_out(3)
    thirty.play()
    assert charges(thirty) == [("Ann", 1, "full", 1500), ("Bob", 1, "full", 1500), ("Cat", 1, "full", 1500)]


def test_r61_the_fifth_owes_as_well(thirty):
    thirty.seat("Ann", "Bob", "Cat", "Dan", "Eve")
    thirty.play()
    assert ("Eve", 1, "full", 1500) in charges(thirty)


def test_r62_one_fee_a_down_however_many_rounds(thirty):
    thirty.seat("Ann", "Bob")
    for minute in (0, 5, 39.99):
        thirty.minute(minute).play()
    assert len(charges(thirty)) == 2
    thirty.minute(40).play()
    assert charges(thirty)[2:] == [("Ann", 2, "full", 1500), ("Bob", 2, "full", 1500)]


@pytest.mark.parametrize(("minute", "cents"), [(19 + 59.999 / 60, 1500), (20, 750), (39, 750)])
def test_r61_a_late_player_owes_half_from_20_00_on(thirty, minute, cents):
    thirty.seat("Ann", "Bob")
    thirty.play()
    thirty.minute(minute).buy_in("Cat", 3)
    thirty.minute(39.5).play()
    assert charges(thirty)[-1][3] == cents


def test_r61_whoever_leaves_before_a_round_starts_in_the_down_owes_nothing_for_it(thirty):
    thirty.seat("Ann", "Bob", "Cat")
    thirty.play()
    thirty.minute(41).cash_out(3)
    thirty.minute(42).play()
    assert [name for name, down, _, _ in charges(thirty) if down == 2] == ["Ann", "Bob"]


def test_r62_leaving_and_coming_back_in_one_down_costs_nothing_more(thirty):
    thirty.seat("Ann", "Bob", "Cat")
    thirty.play()
    thirty.minute(10).cash_out(3)
    thirty.minute(25).buy_in("Cat", 4)
    thirty.minute(26).play()
    assert [c for c in charges(thirty) if c[0] == "Cat"] == [("Cat", 1, "full", 1500)]


def test_r63_the_fee_comes_from_the_stack_into_the_box_before_the_round(thirty):
    thirty.seat("Ann", "Bob")
    round_ = thirty.start()
    assert [hand.stack_cents for hand in round_.hands.all()] == [180_000 - 1500] * 2
    assert Account.objects.get(pk=thirty.session.box.chips_id).balance_cents == 3000


def test_r63_a_fee_that_would_leave_less_than_nine_points_stays_due(thirty):
    thirty.seat("Ann", "Bob", "Cat")
    thirty.set_stack(3, 27_000 + 1499)
    round_ = thirty.start()
    assert [hand.seat for hand in round_.hands.all()] == [1, 2]
    assert thirty.stack(3) == 28_499
    assert Charge.objects.get(sitting__seat=3).cents == 1500
    assert not FeePayment.objects.filter(charge__sitting__seat=3).exists()


def test_r63_exactly_nine_points_left_is_enough(thirty):
    thirty.seat("Ann", "Bob", "Cat")
    thirty.set_stack(3, 27_000 + 1500)
    assert thirty.start().hands.filter(seat=3).exists()
    assert thirty.stack(3) == 27_000


def test_r63_who_pays_the_due_fee_in_cash_is_dealt_in_again(thirty):
    thirty.seat("Ann", "Bob", "Cat")
    thirty.set_stack(3, 27_000)
    thirty.play()
    thirty.pay(3)
    assert Account.objects.get(pk=thirty.session.box.cash_id).balance_cents == 1500
    assert thirty.start().hands.filter(seat=3).exists()


def test_r63_cash_named_at_the_start_goes_into_the_box(thirty):
    thirty.seat("Ann", "Bob")
    round_ = thirty.start(in_cash=[2])
    assert {hand.seat: hand.stack_cents for hand in round_.hands.all()} == {1: 178_500, 2: 180_000}
    box = thirty.session.box
    assert [Account.objects.get(pk=pk).balance_cents for pk in (box.chips_id, box.cash_id)] == [1500, 1500]


def test_r63_at_the_cage_the_fee_stays_out_of_the_box(thirty, cashier):
    thirty.seat("Ann", "Bob")
    thirty.set_stack(2, 27_000)
    thirty.buy_in("Cat", 3)
    thirty.play()
    before = Account.objects.get(kind="drawer", asset="cash").balance_cents
    assert refused(thirty.pay, 2, "cage") == "not_allowed"
    thirty.pay(2, "cage", actor=cashier)
    assert Account.objects.get(kind="drawer", asset="cash").balance_cents == before + 1500
    assert Account.objects.get(pk=thirty.session.box.cash_id).balance_cents == 0


def test_r63_a_fee_may_be_paid_ahead_of_the_round_that_makes_it_due(thirty):
    thirty.seat("Ann", "Bob")
    thirty.play()
    thirty.minute(41).pay(1)
    assert charges(thirty)[-1] == ("Ann", 2, "full", 1500)
    thirty.minute(42).play()
    assert [c[0] for c in charges(thirty) if c[1] == 2] == ["Ann", "Bob"]


def test_paying_twice_with_one_key_takes_once(thirty):
    thirty.seat("Ann", "Bob")
    thirty.play()
    key = thirty.key()
    first = thirty.minute(41).pay(1, key=key)
    assert thirty.pay(1, key=key) == first
    assert refused(thirty.pay, 1, "stack", key=key) == "key_reused"
    assert refused(thirty.pay, 1) == "nothing_due"


@pytest.mark.parametrize("shown", [3000, 1499, 0])
def test_nothing_is_taken_from_a_page_that_showed_another_amount(thirty, shown):
    thirty.seat("Ann", "Bob")
    thirty.play()
    assert refused(thirty.minute(41).pay, 1, cents=shown) == "stale_page"
    assert [charge[1] for charge in charges(thirty)] == [1, 1]
    thirty.pay(1, cents=1500)


def test_a_fee_does_not_come_from_a_stack_that_cannot_pay_it(thirty):
    thirty.seat("Ann", "Bob", "Cat")
    thirty.set_stack(3, 27_000)
    thirty.play()
    assert refused(thirty.pay, 3, "stack") == "stack_too_small"
    assert refused(thirty.pay, 3, "cheque") == "bad_method"


def test_r52_no_fee_comes_from_the_stack_of_a_running_round(thirty):
    thirty.seat("Ann", "Bob")
    thirty.start()
    assert refused(thirty.minute(41).pay, 1, "stack") == "round_running"


def test_r63_whoever_leaves_pays_a_due_fee_out_of_what_they_take_away(thirty):
    thirty.seat("Ann", "Bob", "Cat")
    thirty.set_stack(3, 27_000)
    thirty.play()
    assert thirty.cash_out(3).taken_away_cents == 25_500
    assert FeePayment.objects.filter(charge__sitting__seat=3, method="stack").exists()


def test_r63_a_fee_larger_than_what_is_taken_away_stays_due_in_the_players_name(thirty):
    thirty.seat("Ann", "Bob", "Cat")
    thirty.set_stack(3, 1000)
    thirty.play()
    assert thirty.cash_out(3).taken_away_cents == 1000
    assert Charge.objects.open().get(player=thirty.players["Cat"]).cents == 1500


def test_r64_every_charge_says_by_which_rate_down_and_minute(thirty):
    thirty.seat("Ann", "Bob")
    thirty.play()
    thirty.minute(21.5).buy_in("Cat", 3)
    thirty.play()
    charge = Charge.objects.get(player=thirty.players["Cat"])
    assert (charge.rate, charge.down.number, charge.fee_cents, float(charge.minute_seconds)) == (
        thirty.rate,
        1,
        1500,
        21.5 * 60,
    )


def test_a_charge_belongs_to_the_gaming_day_its_down_starts_in(thirty):
    thirty.seat("Ann", "Bob")
    boundary = 18 * 60 - 10  # the session opens at noon in Los Angeles; the day turns at six in the morning
    thirty.minute(boundary).play()
    thirty.minute(boundary + 20).buy_in("Cat", 3)
    thirty.minute(boundary + 25).play()
    days = {str(c.player): (c.gaming_day, c.charged_at.date()) for c in Charge.objects.all()}
    assert days["Ann"][0] == days["Cat"][0]
    entry = FeePayment.objects.get(charge__player=thirty.players["Cat"]).entry
    assert entry.gaming_day == days["Cat"][0]


def test_a_key_of_one_verb_is_not_taken_for_another(thirty):
    thirty.seat("Ann", "Bob")
    key = thirty.key()
    thirty.start(key=key)
    assert refused(thirty.minute(1).pay, 1, key=key) == "key_reused"


class TestTheClockWaits:
    """R61: a new down does not start while fewer than two players are eligible but for the fee."""

    def test_it_waits_at_the_boundary_and_that_is_recorded(self, thirty):
        thirty.seat("Ann", "Bob")
        thirty.play()
        thirty.minute(30).sit_out(2)
        thirty.minute(53).sit_out(2, out=False)
        down = Down.objects.get(number=2)
        assert (down.started_at, down.waited_from) == (thirty.now, thirty.minute(40).now)

    def test_a_late_comer_who_ends_the_wait_enters_at_minute_zero(self, thirty):
        thirty.seat("Ann", "Bob")
        thirty.play()
        thirty.minute(30).cash_out(2)
        thirty.minute(65).buy_in("Cat", 3)
        thirty.minute(66).play()
        assert charges(thirty)[2:] == [("Ann", 2, "full", 1500), ("Cat", 2, "full", 1500)]

    def test_a_player_who_leaves_after_the_boundary_does_not_hold_it_back(self, thirty):
        thirty.seat("Ann", "Bob")
        thirty.play()
        thirty.minute(45).sit_out(2)
        thirty.minute(50).sit_out(2, out=False)
        thirty.play()
        assert Down.objects.get(number=2).started_at == thirty.minute(40).now

    def test_a_stack_lost_below_nine_points_makes_it_wait_and_an_add_on_ends_it(self, thirty):
        thirty.seat("Ann", "Bob")
        thirty.play()
        thirty.set_stack(2, 1000)
        thirty.minute(70).add_on(2, 100_000)
        assert Down.objects.get(number=2).waited_from == thirty.minute(40).now

    def test_nobody_owes_while_the_clock_waits(self, thirty):
        thirty.seat("Ann", "Bob")
        thirty.play()
        thirty.minute(30).sit_out(2)
        assert refused(thirty.minute(45).pay, 1) == "nothing_due"


class TestTheClockStops:
    """R65: a stopped clock shifts the rest of the down."""

    def stop(self, game, reason="fire alarm"):
        return clock.stop_clock(
            session_id=game.session.pk, act=Act(reason=reason, key=game.key(), actor=game.floor, now=game.now)
        )

    def start(self, game):
        return clock.start_clock(
            session_id=game.session.pk, act=Act(key=game.key(), actor=game.floor, now=game.now)
        )

    def test_a_stop_that_is_sent_again_does_not_stop_the_clock_again(self, thirty):
        thirty.seat("Ann", "Bob")
        thirty.play()
        stop = {"session_id": thirty.session.pk, "key": thirty.key(), "actor": thirty.floor}
        acting(clock.stop_clock, reason="fire alarm", now=thirty.minute(10).now, **stop)
        self.start(thirty.minute(25))
        acting(clock.stop_clock, reason="fire alarm", now=thirty.minute(26).now, **stop)
        assert thirty.session.stops.count() == 1
        assert refused(clock.stop_clock, reason="flood", now=thirty.now, **stop) == "key_reused"

    def test_the_down_ends_later_by_as_much(self, thirty):
        thirty.seat("Ann", "Bob")
        thirty.play()
        self.stop(thirty.minute(10))
        self.start(thirty.minute(25))
        thirty.minute(54).play()
        assert Down.objects.count() == 1
        thirty.minute(55).play()
        assert Down.objects.get(number=2).started_at == thirty.now

    def test_minutes_of_entry_are_those_of_the_clock(self, thirty):
        thirty.seat("Ann", "Bob")
        thirty.play()
        self.stop(thirty.minute(10))
        self.start(thirty.minute(25))
        thirty.minute(34).buy_in("Cat", 3)
        thirty.play()
        assert charges(thirty)[-1] == ("Cat", 1, "full", 1500)

    def test_no_round_starts_while_it_stands(self, thirty):
        thirty.seat("Ann", "Bob")
        thirty.play()
        self.stop(thirty.minute(10))
        assert refused(thirty.start) == "clock_stopped"

    def test_a_stop_needs_a_reason_and_a_running_clock(self, thirty):
        assert refused(self.stop, thirty) == "clock_running"
        thirty.seat("Ann", "Bob")
        thirty.play()
        assert refused(self.stop, thirty, " ") == "reason_required"
        assert refused(self.start, thirty) == "clock_running"
        self.stop(thirty)
        assert refused(self.stop, thirty) == "clock_stopped"

    def test_a_clock_that_waits_and_then_stands_goes_on_when_it_is_started(self, thirty):
        thirty.seat("Ann", "Bob")
        thirty.play()
        thirty.minute(30).sit_out(2)
        self.stop(thirty.minute(50))
        thirty.minute(60).sit_out(2, out=False)
        assert Down.objects.count() == 1
        self.start(thirty.minute(70))
        down = Down.objects.get(number=2)
        assert (down.started_at, down.waited_from) == (thirty.now, thirty.minute(40).now)


def test_r65_a_night_is_charged_the_same_however_often_the_clock_is_asked(thirty):
    thirty.seat("Ann", "Bob")
    thirty.play()
    for minute in itertools.chain(range(1, 200, 7)):
        thirty.minute(minute).plan()
    thirty.minute(205).play()
    assert [c[1] for c in charges(thirty)] == [1, 1, 6, 6]
    assert list(Down.objects.order_by("pk").values_list("number", flat=True)) == [1, 2, 3, 4, 5, 6]


def test_r61_a_round_that_waited_for_the_tables_lock_is_not_dated_before_its_down(thirty):
    thirty.seat("Ann", "Bob")
    thirty.play()
    thirty.minute(40.1).sit_out(2)
    thirty.sit_out(2, out=False)
    late = thirty.start(now=thirty.minute(39.9).now)
    assert late.down.number == 2
    assert late.started_at == thirty.minute(40.1).now > late.down.started_at


def test_every_fee_taken_is_one_entry_with_its_evidence(thirty):
    thirty.seat("Ann", "Bob")
    thirty.play()
    entries = JournalEntry.objects.filter(kind="collection")
    assert entries.count() == FeePayment.objects.count() == 2
    assert all('"rule":"full"' in entry.evidence for entry in entries)
