"""A race over rounds at a table (R42): who plays a match, what is added up, who pays,
and what ends it without a winner."""

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ledger.errors import LedgerError
from ledger.models import JournalEntry
from tables.errors import TableError
from tables.models import Claim, Match, Round, Settlement, TableEvent
from tables.reports.corrections import comparison
from tables.reports.rounds import recent_rounds, round_record
from tables.reports.statements import statement
from tables.rounds import matches, settling
from tables.rules.errors import RuleError
from tables.rules.table.eligibility import NO_ROUND
from tables.state.evidence import latest_standing, standing_at
from tables.state.table_state import state_of
from tests.support.acting import acting
from tests.support.game import FULL_HOUSE, PLAIN, QUEENS
from tests.support.kept import kept
from tests.support.race import STAKE, laid, scores, wins

NAMES = ("Ann", "Bob", "Cat", "Dan")


def refused(call, *args, **options) -> str:
    with pytest.raises((TableError, LedgerError, RuleError)) as error:
        acting(call, *args, **options)
    return error.value.code


def evidence(round_):
    return json.loads(round_.settlements.order_by("-ordinal")[0].entry.evidence)


def points(table):
    return dict(latest_standing(table.session.pk).points)


@kept
def race(table_of):
    """Ann, Bob, Cat and Dan with $300 each at a table of First to 11, before the first match."""
    table = table_of("first-to-11")
    table.seat(*NAMES)
    return table


@kept
def won(race):
    """A match for $50 that Ann has won in three rounds, with 12 points; Bob has none,
    nor has anybody else."""
    wins(race, 1, stake=STAKE)
    wins(race, 1)
    race.last = wins(race, 1)
    return race


class TestTheNight:
    """A match from its stake to its payments."""

    def test_r42_four_play_to_eleven_and_each_other_player_pays_the_stake(self, race):
        before = race.stacks()
        scores(race, stake=STAKE, seat1=QUEENS, seat2=FULL_HOUSE)
        assert points(race) == {1: 2, 2: 1, 3: 0, 4: 0}
        scores(race, seat2=QUEENS, seat3=FULL_HOUSE)
        wins(race, 2)
        wins(race, 3)
        assert points(race) == {1: 2, 2: 7, 3: 5, 4: 0}
        charged = {seat: cents - 1000 for seat, cents in before.items()}
        assert race.stacks() == charged
        last = wins(race, 2)
        assert points(race) == {1: 2, 2: 11, 3: 5, 4: 0}
        assert race.stacks() == {
            seat: cents + (3 * STAKE if seat == 2 else -STAKE) for seat, cents in charged.items()
        }
        entry = last.settlements.get().entry
        assert entry.kind == "round"
        assert sum(transfer.cents for transfer in entry.transfers.all()) == 3 * STAKE
        said = evidence(last)["match"]
        assert said == {
            "number": 1,
            "stake": "50.00",
            "race_to": 11,
            "before": {"1": 2, "2": 7, "3": 5, "4": 0},
            "after": {"1": 2, "2": 11, "3": 5, "4": 0},
            "stacks": dict.fromkeys("1234", "290.00"),
            "won_by": 2,
            "payments": [{"from": seat, "to": 2, "due": "50.00", "paid": "50.00"} for seat in (3, 4, 1)],
        }
        assert evidence(last)["result"] == {"1": [0, 0], "2": [4, 0], "3": [0, 0], "4": [0, 0]}

    def test_r42_the_next_round_begins_another_match_with_a_stake_of_its_own(self, won):
        assert refused(won.start) == "match_stake_required"
        wins(won, 2, stake=100)
        second = Match.objects.get(number=2)
        assert (second.stake_cents, points(won)) == (100, {1: 0, 2: 4, 3: 0, 4: 0})
        assert [round_.match.number for round_ in Round.objects.order_by("number")] == [1, 1, 1, 2]

    def test_r34_a_payment_is_cut_to_the_stack_and_the_rest_is_never_owed(self, race):
        total = sum(race.stacks().values())
        wins(race, 1, stake=29_000)
        wins(race, 1)
        race.minute(41)
        round_ = race.start(in_cash=[2])
        race.settle(round_, laid(round_, seat1=PLAIN))
        paid = {payment["from"]: payment["paid"] for payment in evidence(round_)["match"]["payments"]}
        assert paid == {2: "290.00", 3: "280.00", 4: "280.00"}
        assert race.stacks() == {1: 28_000 + 29_000 + 2 * 28_000, 2: 0, 3: 0, 4: 0}
        assert sum(race.stacks().values()) == total - 4 * 1000 - 3 * 1000
        assert not Claim.objects.exists()

    def test_the_same_key_is_the_same_round_and_pays_once(self, won):
        stacks, key = won.stacks(), won.key()
        started = won.start(key=key, match_stake_cents=STAKE)
        assert won.start(key=key, match_stake_cents=STAKE) == started
        assert refused(won.start, key=key, match_stake_cents=STAKE + 100) == "key_reused"
        assert refused(won.start, key=key) == "key_reused"
        assert Match.objects.count() == 2
        entry = won.entry(won.last, laid(won.last, seat1=PLAIN), key="the-last-round")
        assert refused(settling.settle_round, entry=entry, actor=won.dealer, now=won.now) == "already_settled"
        settle, entries = won.key(), JournalEntry.objects.count()
        for _ in range(2):
            assert won.settle(started, laid(started, seat1=PLAIN), key=settle) == started
        assert JournalEntry.objects.count() == entries + 1
        assert won.stacks() == stacks

    def test_r42_whoever_declines_or_sits_out_scores_nothing_and_pays_all_the_same(self, race):
        wins(race, 1, stake=STAKE)
        race.sit_out(4)
        assert race.plan().problem is None
        stacks = race.stacks()
        assert wins(race, 1, declined=[3]).hands.count() == 2
        assert points(race) == {1: 7, 2: 0, 3: 0, 4: 0}
        wins(race, 1, declined=[3])
        last = wins(race, 1, declined=[3])
        assert evidence(last)["result"] == {"1": [3, 0], "2": [0, 0]}
        assert race.stacks() == {1: stacks[1] + 3 * STAKE} | {
            seat: stacks[seat] - STAKE for seat in (2, 3, 4)
        }

    @pytest.mark.parametrize(("button", "won_by"), [(1, 1), (2, 2), (3, 1), (4, 1)])
    def test_r42_with_two_there_in_one_round_and_as_many_points_who_is_nearer_to_the_button_wins(
        self, race, button, won_by
    ):
        for place, seat in enumerate((1, 2, 1, 2)):
            wins(race, seat, stake=None if place else STAKE)
        scores(race, seat2=QUEENS, seat1=FULL_HOUSE)
        while race.plan().button != button:
            scores(race)  # everybody is foul: nobody scores, and the buttons move
        round_ = scores(race, seat1=QUEENS, seat2=FULL_HOUSE)
        assert (round_.button_seat, points(race)) == (button, {1: 11, 2: 11, 3: 0, 4: 0})
        assert evidence(round_)["match"]["won_by"] == won_by

    def test_r42_a_voided_round_counts_nothing_and_the_match_goes_on(self, race):
        race.void(race.start(match_stake_cents=STAKE))
        assert (points(race), latest_standing(race.session.pk).rounds) == ({1: 0, 2: 0, 3: 0, 4: 0}, 0)
        wins(race, 1)
        race.void(race.start())
        assert points(race) == {1: 4, 2: 0, 3: 0, 4: 0}
        assert Match.objects.count() == 1


class TestTheStake:
    """What must be agreed before the first round, and cannot be said elsewhere."""

    def test_r42_a_first_round_without_a_stake_does_not_start(self, race):
        assert refused(race.start) == "match_stake_required"
        assert not Round.objects.exists()

    def test_r42_a_stake_while_a_match_runs_is_refused(self, race):
        wins(race, 1, stake=STAKE)
        assert refused(race.start, match_stake_cents=STAKE) == "match_stake_unwanted"

    def test_r42_a_stake_in_a_game_without_matches_is_refused(self, game):
        game.seat("Ann", "Bob")
        assert refused(game.start, match_stake_cents=STAKE) == "match_stake_unwanted"

    @pytest.mark.parametrize("cents", [0, -100])
    def test_r42_a_stake_is_above_zero(self, race, cents):
        assert refused(race.start, match_stake_cents=cents) == "bad_limit"

    def test_r42_every_player_can_cover_the_stake_with_what_the_fee_leaves(self, race):
        assert refused(race.start, match_stake_cents=29_001) == "stake_above_stack"
        assert not Match.objects.exists()
        assert race.stacks() == dict.fromkeys((1, 2, 3, 4), 30_000)
        race.set_stack(4, 6000)
        assert refused(race.start, match_stake_cents=5001) == "stake_above_stack"
        assert race.start(match_stake_cents=5001, declined=[4]).match.players.count() == 3


class TestThePlayers:
    """Who was dealt into the first round plays the match; others wait, and nobody leaves it."""

    def test_r42_who_sits_down_later_waits_for_the_next_match(self, race):
        wins(race, 1, stake=STAKE)
        race.buy_in("Eve", 5)
        plan = race.plan()
        assert {seat.seat: seat.reason for seat in plan.seats if seat.reason} == {5: "match"}
        assert plan.waiting[0].sentence == "Eve waits for the next match."
        assert {hand.seat for hand in race.start(declined=[2]).hands.all()} == {1, 3, 4}

    def test_r51_a_fifth_who_waits_when_the_match_begins_is_not_in_it(self, race):
        race.buy_in("Eve", 5)
        assert {seat.seat: seat.reason for seat in race.plan().seats if seat.reason} == {5: "fifth"}
        wins(race, 1, stake=STAKE)
        plan = race.plan(declined=[2])
        assert {seat.seat: seat.reason for seat in plan.seats if seat.reason} == {2: "declined", 5: "match"}

    def test_r51_the_buttons_go_round_among_the_players_of_the_match(self, race):
        race.buy_in("Eve", 5)
        buttons = [
            wins(race, 1 + place % 2, stake=None if place else STAKE).button_seat for place in range(5)
        ]
        assert buttons == [1, 2, 3, 4, 1]

    def test_the_next_match_is_played_by_who_is_dealt_in_then(self, won):
        won.buy_in("Eve", 5)
        assert [seat.seat for seat in won.plan().dealt_in] == [4, 5, 1, 2]
        round_ = won.start(match_stake_cents=STAKE)
        assert sorted(player.sitting.seat for player in round_.match.players.all()) == [1, 2, 4, 5]

    def test_r42_a_player_neither_cashes_out_nor_moves_before_the_match_is_over(self, race, beside):
        wins(race, 1, stake=STAKE)
        race.buy_in("Eve", 5)
        assert refused(race.cash_out, 2) == "match_running"
        assert refused(race.move, 2, beside, 1, ordered=True) == "match_running"
        race.cash_out(5)
        wins(race, 1)
        wins(race, 1)
        race.cash_out(2)
        assert race.move(3, beside, 1, ordered=True).session == beside.session

    def test_two_of_its_players_are_needed_and_the_plan_says_what_the_floor_can_do(self, race):
        wins(race, 1, stake=STAKE)
        race.buy_in("Eve", 5)
        for seat in (2, 3, 4):
            race.sit_out(seat)
        plan = race.plan()
        assert (plan.problem, plan.dealt_in) == ("match_too_few_players", ())
        assert "call the match off" in NO_ROUND[plan.problem]
        assert refused(race.start) == "too_few_players"


class TestCallingOff:
    """The floor ends a match without a winner: nobody pays."""

    @kept
    def running(self, race):
        """A match for $50 after one round, in which Ann scored four."""
        race.first = wins(race, 1, stake=STAKE)
        return race

    def call_off(self, table, **options):
        options = {
            "reason": "Dan was taken ill",
            "key": table.key(),
            "actor": table.floor,
            "now": table.now,
        } | options
        return acting(matches.call_off, session_id=table.session.pk, **options)

    def test_r42_nobody_pays_and_everybody_may_leave(self, running):
        stacks = running.stacks()
        match = self.call_off(running.minute(5))
        assert (match.called_off_at, match.called_off_by) == (running.now, running.floor)
        assert running.stacks() == stacks
        running.cash_out(4)
        assert refused(running.start) == "match_stake_required"
        assert running.start(match_stake_cents=STAKE).match.number == 2

    def test_it_is_in_the_log_with_points_and_reason(self, running):
        self.call_off(running)
        event = TableEvent.objects.get(kind=TableEvent.Kind.MATCH_CALLED_OFF)
        assert event.actor == running.floor
        assert event.data["match"] == 1
        assert event.data["points"] == {"1": 4, "2": 0, "3": 0, "4": 0}
        assert event.data["reason"] == "Dan was taken ill"

    def test_the_same_key_calls_off_once(self, running):
        key = running.key()
        assert self.call_off(running, key=key) == self.call_off(running, key=key)
        assert TableEvent.objects.filter(kind=TableEvent.Kind.MATCH_CALLED_OFF).count() == 1
        assert refused(self.call_off, running, key=key, reason="another") == "key_reused"
        assert refused(self.call_off, running) == "no_match"

    def test_it_needs_a_reason_the_floor_and_no_running_round(self, running):
        assert refused(self.call_off, running, reason=" ") == "reason_required"
        assert refused(self.call_off, running, actor=running.dealer) == "not_allowed"
        round_ = running.start()
        assert refused(self.call_off, running) == "round_running"
        running.void(round_)
        self.call_off(running)

    def test_a_match_that_was_won_cannot_be_called_off(self, running):
        wins(running, 1)
        wins(running, 1)
        assert refused(self.call_off, running) == "no_match"

    def test_r58_a_correction_afterwards_changes_points_and_pays_nobody(self, running):
        last = wins(running, 1)
        self.call_off(running)
        stacks = running.stacks()
        running.approve(running.ask(last, laid(last, seat2=PLAIN)))
        assert points(running) == {1: 4, 2: 4, 3: 0, 4: 0}
        assert running.stacks() == stacks


class TestCorrections:
    """R58: a correction changes its own round's points;
    what a match that was won has paid is another matter."""

    def correct(self, table, round_, **by_seat):
        asked = table.ask(round_, laid(round_, **by_seat))
        return table.approve(asked)

    def test_r58_points_of_a_running_match_follow_and_later_rounds_stay(self, race):
        first = wins(race, 1, stake=STAKE)
        second = wins(race, 1)
        stacks = race.stacks()
        self.correct(race, first, seat2=PLAIN)
        assert points(race) == {1: 4, 2: 4, 3: 0, 4: 0}
        assert race.stacks() == stacks
        assert evidence(second)["match"]["after"] == {"1": 8, "2": 0, "3": 0, "4": 0}
        last = wins(race, 1)
        assert evidence(last)["match"]["after"] == {"1": 8, "2": 4, "3": 0, "4": 0}

    def test_r58_a_correction_that_brings_somebody_there_ends_the_match_and_pays(self, race):
        first = wins(race, 2, stake=STAKE)
        wins(race, 1)
        wins(race, 1)
        stacks = race.stacks()
        self.correct(race, first, seat1=PLAIN)
        assert latest_standing(race.session.pk).won_by == 1
        assert race.stacks() == {1: stacks[1] + 3 * STAKE} | {
            seat: stacks[seat] - STAKE for seat in (2, 3, 4)
        }
        assert refused(race.start) == "match_stake_required"

    def test_r58_the_round_that_ended_it_pays_by_its_new_points(self, race):
        for seat in (1, 2, 1, 2):
            wins(race, seat, stake=None if Match.objects.exists() else STAKE)
        stacks = race.stacks()
        last = wins(race, 1)
        asked = race.ask(last, laid(last, seat2=PLAIN))
        assert {
            hand.seat: (hand.before_cents, hand.difference_cents) for hand in comparison(asked).hands
        } == {
            1: (3 * STAKE, -4 * STAKE),
            2: (-STAKE, 4 * STAKE),
            3: (-STAKE, 0),
            4: (-STAKE, 0),
        }
        race.approve(asked)
        assert race.stacks() == {2: stacks[2] + 3 * STAKE} | {
            seat: stacks[seat] - STAKE for seat in (1, 3, 4)
        }
        assert latest_standing(race.session.pk).won_by == 2

    def test_r58_it_may_take_the_win_back_and_the_match_goes_on(self, won):
        stacks = won.stacks()
        self.correct(won, won.last, seat2=PLAIN)
        assert won.stacks() == {1: stacks[1] - 3 * STAKE} | {seat: stacks[seat] + STAKE for seat in (2, 3, 4)}
        assert (latest_standing(won.session.pk).running, points(won)) == (True, {1: 8, 2: 4, 3: 0, 4: 0})
        assert refused(won.cash_out, 2) == "match_running"
        assert refused(won.start, match_stake_cents=STAKE) == "match_stake_unwanted"
        assert evidence(wins(won, 2))["match"]["won_by"] is None
        assert evidence(wins(won, 1))["match"]["won_by"] == 1

    def test_r58_once_the_next_match_has_begun_the_win_and_its_payments_stay(self, won):
        won.void(won.start(match_stake_cents=STAKE))
        stacks = won.stacks()
        self.correct(won, won.last, seat2=PLAIN)
        assert won.stacks() == stacks
        kept = evidence(won.last)["match"]
        assert (kept["won_by"], len(kept["payments"])) == (1, 3)
        assert kept["after"] == {"1": 8, "2": 4, "3": 0, "4": 0}
        assert won.last.settlements.count() == 2
        assert latest_standing(won.session.pk).match.number == 2

    def test_r58_an_earlier_round_of_a_match_that_was_won_moves_nothing(self, won):
        first = Round.objects.get(number=1)
        stacks = won.stacks()
        self.correct(won, first, seat2=PLAIN)
        assert won.stacks() == stacks
        standing = latest_standing(won.session.pk)
        assert (standing.won_by, dict(standing.points)) == (1, {1: 8, 2: 4, 3: 0, 4: 0})

    def test_r58_what_is_gone_by_then_becomes_claims(self, won):
        won.cash_out(1)
        self.correct(won, won.last, seat2=PLAIN)
        assert won.stacks() == dict.fromkeys((2, 3, 4), 24_000)
        claims = {(str(claim.debtor), str(claim.creditor), claim.cents) for claim in Claim.objects.all()}
        assert claims == {("Ann", name, STAKE) for name in ("Bob", "Cat", "Dan")}
        assert {seat.seat for seat in won.plan().dealt_in} == {2, 3, 4}

    def test_r58_a_player_who_was_not_dealt_into_the_last_round_gets_the_stake_back_too(self, race):
        wins(race, 1, stake=STAKE)
        wins(race, 1)
        last = wins(race, 1, declined=[3])
        stacks = race.stacks()
        asked = race.ask(last, laid(last, seat2=PLAIN))
        assert [hand.after_points for hand in comparison(asked).hands] == [0, 3, 0]
        race.approve(asked)
        assert race.stacks() == {1: stacks[1] - 3 * STAKE} | {
            seat: stacks[seat] + STAKE for seat in (2, 3, 4)
        }

    def test_r58_corrected_back_it_is_as_if_nothing_had_been(self, won):
        stacks = won.stacks()
        self.correct(won, won.last, seat2=PLAIN)
        self.correct(won, won.last, seat1=PLAIN)
        assert won.stacks() == stacks
        assert latest_standing(won.session.pk).won_by == 1


class TestTheBooks:
    """What statements, records and lists say of a race."""

    def test_a_list_of_rounds_has_points_and_money_only_where_the_match_ended(self, won):
        rows = recent_rounds(won.session)
        assert rows[0].net == ((1, "Ann", 15_000), (2, "Bob", -5000), (3, "Cat", -5000), (4, "Dan", -5000))
        assert [row.net for row in rows[1:]] == [(), ()]
        assert rows[1].points == ((1, "Ann", 4), (2, "Bob", 0), (3, "Cat", 0), (4, "Dan", 0))

    def test_a_record_has_the_match_and_each_players_result(self, race):
        wins(race, 1, stake=STAKE)
        wins(race, 1)
        last = wins(race, 1, declined=[3])
        standing = round_record(last).standing
        assert standing.answer["match"]["won_by"] == 1
        assert standing.answer["names"] == {"1": "Ann", "2": "Bob", "3": "Cat", "4": "Dan"}
        assert {one.hand.seat: (one.net_cents, one.moved_cents) for one in standing.hands} == {
            1: (15_000, 15_000),
            2: (-5000, -5000),
            4: (-5000, -5000),
        }

    def test_a_statement_adds_up_also_for_a_player_who_declined_the_last_round(self, race):
        wins(race, 1, stake=STAKE)
        wins(race, 1)
        last = wins(race, 1, declined=[3])
        for seat in (1, 3):
            sitting = race.sitting(seat)
            said = statement(sitting)
            assert said.totals.stack_cents == sitting.stack.balance_cents
            line = said.lines[-1]
            assert (line.round, line.cents) == (last, 15_000 if seat == 1 else -5000)

    def test_how_a_match_stood_at_each_of_its_rounds(self, won):
        stood = [standing_at(round_) for round_ in Round.objects.order_by("number")]
        assert [(one.points[1], one.rounds, one.won_by) for one in stood] == [
            (4, 1, None),
            (8, 2, None),
            (12, 3, 1),
        ]
        running = won.start(match_stake_cents=STAKE)
        assert standing_at(running).points == {1: 0, 2: 0, 3: 0, 4: 0}

    def test_the_start_of_a_round_is_recorded_with_its_match(self, race):
        race.start(match_stake_cents=STAKE)
        data = TableEvent.objects.get(kind=TableEvent.Kind.ROUND_STARTED).data
        assert (data["match"], data["match_stake"]) == (1, "50.00")

    def test_a_state_costs_the_same_however_long_the_match_is(self, race):
        def cost():
            with CaptureQueriesContext(connection) as queries:
                state_of(race.fresh_session())
            return len(queries)

        wins(race, 1, stake=STAKE)
        once = cost()
        wins(race, 1)
        assert cost() == once
        assert Settlement.objects.count() == 2
