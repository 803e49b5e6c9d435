"""R55, R62: moving to another table with the whole stack, and which fees a move changes."""

import json

import pytest

from ledger.errors import LedgerError
from ledger.models import Account, JournalEntry
from tables.errors import TableError
from tables.models import Charge, Down, FeePayment, Sitting, TableEvent
from tables.reports.reconciliation import charges_of, collections_of, open_fees
from tables.reports.statements import statement
from tables.seats import moving
from tables.state.table_state import state_of
from tests.support.acting import acting
from tests.support.balances import differences
from tests.support.game import FULL_HOUSE, PLAIN, QUEENS
from tests.support.kept import kept

pytestmark = pytest.mark.django_db


def refused(call, *args, **options) -> str:
    with pytest.raises((TableError, LedgerError)) as error:
        acting(call, *args, **options)
    return error.value.code


def fees(name) -> list[tuple[int, int, str, int]]:
    """Every charge of a player in order: table, down, rule, cents."""
    rows = Charge.objects.filter(player__name=name).order_by("pk").select_related("session__table", "down")
    return [(c.session.table.number, c.down.number, c.rule, c.cents) for c in rows]


class TestTheStackIsCarriedAlong:
    """R55: the whole stack, and nothing but the stack."""

    def test_r55_the_whole_stack_arrives_and_the_old_one_is_closed(self, game, beside):
        before = game.buy_in("Ann", 1)
        arrived = game.minute(3).move(1, beside, 4)
        assert (arrived.session, arrived.seat, arrived.entered_at) == (beside.session, 4, game.now)
        assert beside.stacks() == {4: 30_000}
        assert game.stacks() == {}
        before.refresh_from_db()
        assert (before.left_at, before.taken_away_cents, before.moved_to) == (game.now, 30_000, arrived)
        old = Account.objects.get(pk=before.stack_id)
        assert (old.balance_cents, old.closed_at) == (0, game.now)
        assert differences(game.site) == {}

    def test_r55_the_journal_says_from_where_to_where_and_by_whose_wish(self, game, beside):
        sitting = game.buy_in("Ann", 1)
        arrived = game.move(1, beside, 4, ordered=True)
        entry = JournalEntry.objects.get(kind="table_move")
        told = json.loads(entry.evidence)
        assert [(t.source_id, t.target_id, t.cents) for t in entry.transfers.all()] == [
            (sitting.stack_id, arrived.stack_id, 30_000)
        ]
        assert (told["session"], told["to_session"]) == (game.session.pk, beside.session.pk)
        assert (told["from_seat"], told["seat"], told["ordered"], told["cents"]) == (1, 4, True, 30_000)
        assert (told["unpaid_fees"], told["covered_by"]) == ([], None)

    def test_r55_both_tables_note_the_move_and_both_screens_are_told(self, game, beside, monkeypatch):
        heard = []
        monkeypatch.setattr(moving, "publish", heard.append)
        game.buy_in("Ann", 1)
        game.move(1, beside, 4)
        assert heard == [game.session.pk, beside.session.pk]
        left = TableEvent.objects.get(session=game.session, kind="left")
        came = TableEvent.objects.get(session=beside.session, kind="seated")
        assert (left.data["to_session"], left.data["to_seat"]) == (beside.session.pk, 4)
        assert (came.data["from_session"], came.data["from_seat"]) == (game.session.pk, 1)

    def test_r55_a_move_sent_twice_is_one_move(self, game, beside):
        sitting, key = game.buy_in("Ann", 1), game.key()
        what = {"to_session_id": beside.session.pk, "seat": 4, "ordered": False, "key": key}
        by = {"sitting_id": sitting.pk, "actor": game.floor, "now": game.now}
        first = acting(moving.move_player, **what, **by)
        assert acting(moving.move_player, **what, **by) == first
        assert JournalEntry.objects.filter(kind="table_move").count() == 1
        assert refused(moving.move_player, **what | {"seat": 5}, **by) == "key_reused"
        assert refused(moving.move_player, **what | {"key": game.key()}, **by) == "not_seated"

    def test_r55_the_same_key_is_the_same_move_also_when_the_table_has_closed_since(
        self, game, beside, floor2
    ):
        sitting, key = game.buy_in("Ann", 1), game.key()
        what = {"sitting_id": sitting.pk, "to_session_id": beside.session.pk, "seat": 4, "ordered": False}
        by = {"key": key, "actor": game.floor, "now": game.now}
        arrived = acting(moving.move_player, **what, **by)
        beside.cash_out(4)
        beside.close(floor2)
        assert acting(moving.move_player, **what, **by) == arrived

    def test_r55_an_empty_stack_moves_as_well_where_the_house_orders_it(self, game, beside):
        game.buy_in("Ann", 1)
        game.set_stack(1, 0)
        assert game.move(1, beside, 4, ordered=True).stack.balance_cents == 0
        assert not JournalEntry.objects.get(kind="table_move").transfers.exists()

    def test_r55_who_sits_out_does_so_at_the_new_table(self, game, beside):
        game.buy_in("Ann", 1)
        game.sit_out(1)
        assert game.move(1, beside, 4).sitting_out
        assert TableEvent.objects.filter(session=beside.session, kind="sat_out").exists()

    def test_r41_fantasy_land_stays_behind(self, game, beside):
        game.seat("Ann", "Bob")
        Sitting.objects.filter(seat=1).update(fantasy_land=True)
        assert not game.move(1, beside, 4).fantasy_land

    def test_r58_a_correction_after_the_move_moves_no_chips_of_the_other_table(self, game, beside):
        game.seat("Ann", "Bob")
        round_ = game.play((QUEENS, FULL_HOUSE))
        seats = [hand.seat for hand in round_.hands.all()]
        asked = game.ask(round_, (FULL_HOUSE, QUEENS))
        game.move(seats[0], beside, 4, ordered=True)
        carried = beside.stack(4)
        game.approve(asked, actor=game.floor)
        assert beside.stack(4) == carried
        assert asked.round.settlements.get(ordinal=2).claims.exists()


class TestWhatIsRefused:
    """R55: only between rounds, only to a free seat of another open table."""

    def test_r52_nobody_moves_in_mid_round(self, game, beside):
        game.seat("Ann", "Bob")
        game.start()
        assert refused(game.move, 1, beside, 1, ordered=True) == "round_running"

    def test_the_fifth_may_move_while_the_round_runs(self, game, beside):
        game.seat("Ann", "Bob", "Cat", "Dan", "Eve")
        game.start()
        assert game.move(5, beside, 1).seat == 1

    @pytest.mark.parametrize("seat", [0, 6])
    def test_a_table_has_five_seats(self, game, beside, seat):
        game.buy_in("Ann", 1)
        assert refused(game.move, 1, beside, seat) == "unknown_seat"

    def test_a_taken_seat_stays_taken_and_nothing_has_happened(self, game, beside):
        game.buy_in("Ann", 1)
        beside.buy_in("Bob", 4)
        assert refused(game.move, 1, beside, 4, ordered=True) == "seat_taken"
        assert (game.stacks(), beside.stacks()) == ({1: 30_000}, {4: 30_000})

    def test_a_seat_at_the_same_table_is_no_move(self, game):
        game.buy_in("Ann", 1)
        assert refused(game.move, 1, game, 2) == "same_table"

    def test_a_closed_table_takes_nobody(self, game, beside, floor2):
        beside.close(floor2)
        game.buy_in("Ann", 1)
        assert refused(game.move, 1, beside, 4, ordered=True) == "table_closed"

    def test_a_dealer_moves_who_asks_and_only_the_floor_orders(self, game, beside, dealer, cashier):
        game.buy_in("Ann", 1)
        assert refused(game.move, 1, beside, 4, actor=cashier) == "not_allowed"
        assert refused(game.move, 1, beside, 4, ordered=True, actor=dealer) == "not_allowed"
        assert game.move(1, beside, 4, actor=dealer).seat == 4


class TestTheBounds:
    """R55: those of the new table where the player asked, none where the house ordered;
    R52 between the two."""

    @pytest.mark.parametrize(("cents", "code"), [(89_999, "buy_in_too_small"), (300_001, "buy_in_too_large")])
    def test_r55_who_asks_needs_a_stack_within_the_new_tables_bounds(self, game, thirty, cents, code):
        game.buy_in("Ann", 1)
        game.set_stack(1, cents)
        assert refused(game.move, 1, thirty, 1) == code
        assert game.stacks() == {1: cents}
        assert game.move(1, thirty, 1, ordered=True).stack_id
        assert thirty.stacks() == {1: cents}

    @pytest.mark.parametrize("cents", [90_000, 300_000])
    def test_r55_the_bounds_themselves_are_within(self, game, thirty, cents):
        game.buy_in("Ann", 1)
        game.set_stack(1, cents)
        game.move(1, thirty, 1)
        assert thirty.stacks() == {1: cents}

    def test_r55_what_is_carried_counts_after_the_fees_that_are_due(self, thirty, game, beside):
        game.seat("Ann", "Bob", "Cat")
        game.set_stack(3, 4500)
        game.play()
        game.set_stack(3, 15_999)
        assert refused(game.move, 3, beside, 1) == "buy_in_too_small"
        game.set_stack(3, 16_000)
        game.move(3, beside, 1)
        assert beside.stacks() == {1: 15_000}

    def test_r52_a_moved_stack_may_come_back_even_above_the_maximum(self, game, beside):
        game.buy_in("Ann", 1)
        game.set_stack(1, 61_000)
        game.move(1, beside, 1, ordered=True)
        beside.minute(30).move(1, game, 1)
        assert game.stacks() == {1: 61_000}

    def test_r52_what_was_lost_at_the_other_table_need_not_come_back(self, game, beside):
        game.buy_in("Ann", 1)
        game.set_stack(1, 50_000)
        game.move(1, beside, 1)
        beside.set_stack(1, 20_000)
        beside.minute(30).move(1, game, 1)
        assert game.stacks() == {1: 20_000}

    def test_r52_who_cashes_out_elsewhere_brings_back_what_was_left_of_the_stack(self, game, beside):
        game.buy_in("Ann", 1)
        game.set_stack(1, 50_000)
        game.move(1, beside, 1)
        beside.set_stack(1, 40_000)
        beside.minute(10).cash_out(1)
        assert refused(game.minute(20).buy_in, "Ann", 2, points=79) == "buy_in_too_small"
        game.buy_in("Ann", 2, points=80)

    def test_r52_winnings_at_the_other_table_were_never_at_this_one(self, game, beside):
        game.buy_in("Ann", 1)
        game.move(1, beside, 1)
        beside.set_stack(1, 90_000)
        beside.minute(10).cash_out(1)
        assert refused(game.minute(20).buy_in, "Ann", 2, points=59) == "buy_in_too_small"
        game.buy_in("Ann", 2, points=60)

    def test_r52_winnings_are_not_left_behind_by_way_of_another_table(self, game, beside):
        beside.buy_in("Ann", 1)
        beside.set_stack(1, 50_000)
        beside.minute(5).cash_out(1)
        game.minute(6).buy_in("Ann", 1, points=30)
        assert refused(game.minute(7).move, 1, beside, 1) == "buy_in_too_small"


class TestFeesAtTheOldTable:
    """R63: what is due is paid out of what is carried away, as by anybody who leaves."""

    def test_r63_a_due_fee_is_paid_from_the_stack_on_leaving(self, thirty, game):
        thirty.seat("Ann", "Bob", "Cat")
        thirty.set_stack(3, 27_000)
        thirty.play()
        box = Account.objects.get(pk=thirty.session.box.chips_id).balance_cents
        thirty.move(3, game, 1, ordered=True)
        assert game.stacks() == {1: 25_500}
        assert Account.objects.get(pk=thirty.session.box.chips_id).balance_cents == box + 1500
        assert FeePayment.objects.filter(charge__player__name="Cat", method="stack").exists()

    def test_r51_a_fee_larger_than_the_stack_stays_due_and_follows_to_the_new_table(self, thirty, game):
        thirty.seat("Ann", "Bob", "Cat")
        thirty.set_stack(3, 1000)
        thirty.play()
        thirty.move(3, game, 1, ordered=True)
        assert game.stacks() == {1: 1000}
        unpaid = Charge.objects.open().get(player__name="Cat")
        told = json.loads(JournalEntry.objects.get(kind="table_move").evidence)
        assert (unpaid.session, told["unpaid_fees"]) == (thirty.session, [unpaid.pk])
        assert told["covered_by"] is None
        owing = [fee for fee in open_fees(game.site, game.now) if str(fee.sitting.player) == "Cat"]
        assert [(fee.session, fee.cents) for fee in owing] == [(game.session, 1500)]

    def test_r62_no_refund_for_moving_early(self, game, beside):
        game.seat("Ann", "Bob", "Cat")
        game.play()
        game.minute(1).move(3, beside, 1)
        assert fees("Cat") == [(1, 1, "full", 1000)]


class TestTheCover:
    """R62: a paid fee covers the first down at the new table, where the house ordered the move."""

    @kept
    def both(self, game, beside):
        """Cat has paid down 1 here; Dan and Eve play beside since minute 5."""
        game.seat("Ann", "Bob", "Cat")
        game.play()
        beside.minute(5)
        beside.buy_in("Dan", 1)
        beside.buy_in("Eve", 2)
        beside.play()
        return game, beside

    def test_r62_an_ordered_move_costs_nothing_for_the_first_down_there(self, both):
        here, there = both
        here.minute(10).move(3, there, 3, ordered=True)
        box = Account.objects.get(pk=there.session.box.chips_id).balance_cents
        there.minute(11).play()
        assert fees("Cat") == [(1, 1, "full", 1000), (2, 1, "covered", 0)]
        assert Account.objects.get(pk=there.session.box.chips_id).balance_cents == box

    def test_r62_the_covered_fee_is_recorded_once_with_what_covers_it(self, both):
        here, there = both
        arrived = here.minute(10).move(3, there, 3, ordered=True)
        there.minute(11).play()
        there.minute(12).play()
        charge = Charge.objects.get(player__name="Cat", rule="covered")
        assert (charge.fee_cents, float(charge.minute_seconds)) == (1000, 5 * 60)
        assert charge.payment.method == "covered"
        assert not charge.payment.entry.transfers.exists()
        paid = Charge.objects.get(player__name="Cat", rule="full")
        assert json.loads(charge.payment.entry.evidence)["covered_by"] == paid.pk
        assert arrived.covered_by == paid

    def test_r62_the_second_down_there_is_paid(self, both):
        here, there = both
        here.minute(10).move(3, there, 3, ordered=True)
        there.minute(11).play()
        there.minute(46).play()
        assert fees("Cat")[-1] == (2, 2, "full", 1000)

    def test_r62_where_no_round_starts_in_the_down_of_arrival_the_next_one_is_the_first(self, both):
        here, there = both
        here.minute(39).move(3, there, 3, ordered=True)
        there.minute(46).play()
        assert fees("Cat") == [(1, 1, "full", 1000), (2, 2, "covered", 0)]
        there.minute(86).play()
        assert fees("Cat")[-1] == (2, 3, "full", 1000)

    def test_r62_a_move_the_player_asked_for_pays_there_as_anybody_who_enters(self, both):
        here, there = both
        here.minute(10).move(3, there, 3)
        there.minute(11).play()
        assert fees("Cat")[-1] == (2, 1, "full", 1000)

    def test_r61_who_asks_and_arrives_from_20_00_on_pays_half(self, both):
        here, there = both
        here.minute(25).move(3, there, 3)
        there.minute(26).play()
        assert fees("Cat")[-1] == (2, 1, "half", 500)

    def test_r62_nothing_was_paid_so_nothing_is_covered(self, both):
        here, there = both
        here.minute(41).move(3, there, 3, ordered=True)  # the new down here has had no round
        there.minute(42).play()
        assert fees("Cat")[-1] == (2, 1, "half", 500)

    def test_r62_a_clock_that_waits_has_no_current_down(self, both):
        here, there = both
        here.minute(30).sit_out(1)
        here.sit_out(2)
        here.minute(44).move(3, there, 3, ordered=True)
        there.minute(44.5).play()
        assert fees("Cat")[-1] == (2, 1, "half", 500)

    def test_r62_a_fee_paid_on_the_way_out_covers_as_well(self, both):
        here, there = both
        here.set_stack(3, 4500)
        here.minute(41).play()
        assert Charge.objects.open().filter(player__name="Cat").count() == 1
        here.set_stack(3, 40_000)
        here.minute(42).move(3, there, 3, ordered=True)
        there.minute(43).play()
        assert fees("Cat")[-1] == (2, 1, "covered", 0)

    def test_r62_nobody_is_charged_twice_for_one_down_across_moves(self, both):
        here, there = both
        here.minute(6).move(3, there, 3)
        there.minute(7).play()
        there.set_stack(3, 30_000)
        there.minute(8).move(3, here, 3)
        here.minute(9).play()
        here.minute(10).move(3, there, 3, ordered=True)
        there.minute(11).play()
        assert fees("Cat") == [(1, 1, "full", 1000), (2, 1, "full", 1000)]
        for game in (here, there):
            for down in Down.objects.filter(session=game.session):
                charged = list(down.charges.values_list("player", flat=True))
                assert len(charged) == len(set(charged))

    def test_r62_a_cover_for_a_down_that_is_charged_already_is_none_for_the_next(self, both):
        here, there = both
        here.minute(6).move(3, there, 3)
        there.minute(7).play()
        there.minute(8).move(3, here, 3, ordered=True)  # down 1 here was paid before
        here.minute(9).play()
        here.minute(41).play()
        assert fees("Cat")[-1] == (1, 2, "full", 1000)

    def test_r62_an_order_after_an_order_keeps_the_cover(self, both, thirty):
        here, there = both
        here.minute(10).move(3, there, 3, ordered=True)
        there.minute(12).move(3, thirty, 3, ordered=True)
        thirty.minute(13)
        thirty.set_stack(3, 60_000)
        there.minute(13).move(1, thirty, 1, ordered=True)
        thirty.set_stack(1, 60_000)
        thirty.play()
        assert fees("Cat") == [(1, 1, "full", 1000), (5, 1, "covered", 0)]

    def test_r62_a_covered_down_covers_the_next_order_too(self, both, thirty):
        here, there = both
        here.minute(10).move(3, there, 3, ordered=True)
        there.minute(11).play()
        there.minute(12).move(3, thirty, 3, ordered=True)
        there.move(1, thirty, 1, ordered=True)
        for seat in (1, 3):
            thirty.set_stack(seat, 60_000)
        thirty.minute(13).play()
        assert fees("Cat")[1:] == [(2, 1, "covered", 0), (5, 1, "covered", 0)]

    def test_r62_a_fee_never_covers_its_own_table(self, both):
        here, there = both
        here.minute(10).move(3, there, 3, ordered=True)
        there.minute(42).move(3, here, 3, ordered=True)  # no round beside, and the next down here
        here.minute(43).play()
        assert fees("Cat") == [(1, 1, "full", 1000), (1, 2, "full", 1000)]

    def test_r62_a_covered_fee_is_not_paid_ahead(self, both):
        here, there = both
        here.minute(10).move(3, there, 3, ordered=True)
        assert refused(there.minute(11).pay, 3) == "nothing_due"
        assert "Cat" not in {str(fee.sitting.player) for fee in open_fees(there.site, there.now)}

    def test_r51_an_old_debt_there_is_taken_here_before_the_fee_that_covers_the_next_one(self, both):
        here, there = both
        here.minute(8).move(3, there, 3)
        there.set_stack(3, 500)
        there.minute(9).play()
        there.minute(10).cash_out(3)  # the fee of down 1 beside stays due
        here.minute(11).buy_in("Cat", 3)
        here.minute(43).play()
        here.minute(45).move(3, there, 3, ordered=True)
        there.minute(46)
        paid = FeePayment.objects.filter(charge__player__name="Cat", sitting__session=here.session).order_by(
            "pk"
        )
        assert [(taken.charge.session, taken.charge.down.number) for taken in paid][-2:] == [
            (there.session, 1),
            (here.session, 2),
        ]
        fees_now = next(seat.fees for seat in there.plan().seats if seat.seat == 3)
        assert [(fee.down_number, fee.rule, fee.method) for fee in fees_now] == [(2, "covered", "covered")]
        there.play()
        assert fees("Cat")[-1] == (2, 2, "covered", 0)

    def test_r62_a_covered_fee_keeps_nobody_from_being_dealt_in(self, both):
        here, there = both
        here.minute(10).move(3, there, 3, ordered=True)
        there.set_stack(3, 4500)
        there.minute(11)
        plan = there.plan(in_cash=[3])
        (fee,) = next(seat for seat in plan.seats if seat.seat == 3).fees
        assert (fee.rule, fee.cents, fee.method) == ("covered", 0, "covered")
        assert there.start(in_cash=[3]).hands.filter(seat=3).exists()

    def test_r62_the_cashiers_list_counts_the_covered_and_still_adds_up(self, both):
        here, there = both
        here.minute(10).move(3, there, 3, ordered=True)
        there.minute(11).play()
        sums = collections_of(here.site, there.now.date()).sums
        assert (sums.full, sums.half, sums.covered, sums.due) == (5, 0, 1, 0)
        assert sums.charged_cents == sums.taken_cents == 5000
        down = Down.objects.get(session=there.session)
        assert [charge.rule for charge in charges_of(down)] == ["full", "full", "covered"]


class TestTheClocks:
    """R61: both clocks are kept; who leaves may leave one too few, who arrives may be the second."""

    def test_r61_a_table_that_is_left_with_one_waits_at_the_boundary(self, game, beside):
        game.seat("Ann", "Bob")
        game.play()
        game.minute(39).move(2, beside, 1)
        game.minute(50)
        assert state_of(game.session).waits(game.now)

    def test_r61_the_second_who_arrives_lets_a_waiting_clock_go_on(self, game, beside):
        beside.seat("Cat", "Dan")
        beside.play()
        beside.minute(30).cash_out(2)
        game.buy_in("Ann", 1)
        game.minute(50).move(1, beside, 2)
        down = Down.objects.get(session=beside.session, number=2)
        assert (down.started_at, down.waited_from) == (game.now, beside.minute(40).now)

    def test_r61_a_down_that_began_before_the_move_has_its_row(self, game, beside):
        game.seat("Ann", "Bob")
        game.play()
        game.minute(45).move(2, beside, 1)
        assert Down.objects.get(session=game.session, number=2).started_at == game.minute(40).now


class TestTheStatement:
    """What a sitting's paper says of a move."""

    def of(self, sitting):
        return statement(
            Sitting.objects.select_related("player", "stack", "session__table__site").get(pk=sitting.pk)
        )

    def test_a_move_is_neither_won_nor_bought(self, game, beside):
        game.seat("Ann", "Bob")
        game.play((PLAIN, QUEENS))
        before, stack = game.sitting(1), game.stack(1)
        arrived = game.move(1, beside, 4)
        left, came = self.of(before).totals, self.of(arrived).totals
        assert (left.carried_away_cents, left.stack_cents) == (stack, 0)
        assert (came.carried_in_cents, came.bought_in_cents, came.won_cents) == (stack, 0, 0)
        assert came.stack_cents == stack
        assert self.of(arrived).lines[0].parts[0].other == "Table 1, seat 1"
