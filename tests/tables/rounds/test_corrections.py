"""R58: a wrong card in a settled round is corrected by reversal and new entry, by two people."""

import json

import pytest
from hypothesis import given, strategies as st

from ledger.errors import LedgerError
from ledger.models import Account, JournalEntry
from tables.errors import TableError
from tables.models import Claim, Settlement
from tables.rounds import corrections
from tables.rules.table.corrections import plan_changes
from tests.support.acting import acting
from tests.support.game import FULL_HOUSE, LOW, PLAIN, QUEENS
from tests.support.kept import kept

# The dealer read the jack of the first hand's front for a queen.
JACK = {**QUEENS, "front": "Qs Jc 2c"}


def refused(call, *args, **options) -> str:
    with pytest.raises((TableError, LedgerError)) as error:
        acting(call, *args, **options)
    return error.value.code


@kept
def settled(game):
    """A settled round between Ann (queens in front) and Bob."""
    game.seat("Ann", "Bob")
    game.round = game.play([QUEENS, FULL_HOUSE])
    return game


def test_a_correction_reverses_the_entry_and_posts_a_new_one(settled, floor):
    before = settled.stacks()
    request = settled.ask(settled.round, [JACK, FULL_HOUSE])
    assert settled.stacks() == before
    settled.approve(request)
    first, second = Settlement.objects.order_by("ordinal")
    assert first.entry.reversed_by.kind == "reversal"
    assert (second.entry.kind, second.entry.actor, second.entry.approver) == (
        "correction",
        settled.dealer,
        floor,
    )
    result = json.loads(second.entry.evidence)["result"]
    assert settled.stacks() == {int(seat): 29_000 + cents for seat, (_, cents) in result.items()}


def test_it_is_scored_at_the_stacks_the_round_began_with(settled):
    settled.minute(3).play([LOW, PLAIN])
    settled.approve(settled.ask(settled.round, [JACK, FULL_HOUSE]))
    hands = json.loads(Settlement.objects.get(round=settled.round, ordinal=2).entry.evidence)["input"][
        "hands"
    ]
    assert [hand["stack"] for hand in hands] == ["290.00", "290.00"]


def test_who_asks_does_not_approve(settled):
    request = settled.ask(settled.round, [JACK, FULL_HOUSE], actor=settled.floor)
    assert refused(settled.approve, request) == "second_person"
    assert Settlement.objects.count() == 1


def test_a_dealer_does_not_approve(settled):
    request = settled.ask(settled.round, [JACK, FULL_HOUSE], actor=settled.floor)
    assert refused(settled.approve, request, actor=settled.dealer) == "not_allowed"


def test_approving_twice_with_one_key_corrects_once(settled):
    request, key = settled.ask(settled.round, [JACK, FULL_HOUSE]), settled.key()
    settled.approve(request, key=key)
    settled.approve(request, key=key)
    assert refused(settled.approve, request) == "correction_decided"
    assert JournalEntry.objects.filter(kind="correction").count() == 1


def test_one_correction_of_a_round_waits_at_a_time(settled):
    settled.ask(settled.round, [JACK, FULL_HOUSE])
    assert refused(settled.ask, settled.round, [PLAIN, FULL_HOUSE]) == "correction_open"


def test_asking_twice_with_one_key_asks_once(settled):
    key = settled.key()
    first = settled.ask(settled.round, [JACK, FULL_HOUSE], key=key)
    assert settled.ask(settled.round, [JACK, FULL_HOUSE], key=key) == first
    assert refused(settled.ask, settled.round, [PLAIN, FULL_HOUSE], key=key) == "key_reused"


@pytest.mark.parametrize(
    ("reason", "hands", "code"),
    [(" ", [JACK, FULL_HOUSE], "reason_required"), ("why", [QUEENS, FULL_HOUSE], "nothing_changes")],
)
def test_a_correction_needs_a_reason_and_a_difference(settled, reason, hands, code):
    assert refused(settled.ask, settled.round, hands, reason) == code


def test_an_unsettled_round_is_not_corrected(game):
    game.seat("Ann", "Bob")
    assert refused(game.ask, game.start(), [JACK, FULL_HOUSE]) == "not_settled"


def test_no_stack_changes_while_a_round_runs(settled):
    request = settled.ask(settled.round, [JACK, FULL_HOUSE])
    settled.start()
    assert refused(settled.approve, request) == "round_running"


def test_a_correction_can_itself_be_corrected(settled):
    before = settled.stacks()
    settled.approve(settled.ask(settled.round, [JACK, FULL_HOUSE]))
    settled.approve(settled.ask(settled.round, [QUEENS, FULL_HOUSE]))
    assert settled.stacks() == before
    assert Settlement.objects.count() == 3


def test_a_refused_correction_changes_nothing_and_says_why(settled):
    before, request = settled.stacks(), settled.ask(settled.round, [JACK, FULL_HOUSE])
    refuse = {"request_id": request.pk, "actor": settled.floor, "now": settled.now}
    assert refused(corrections.refuse_correction, reason="", **refuse) == "reason_required"
    acting(corrections.refuse_correction, reason="the camera shows a queen", **refuse)
    assert settled.stacks() == before
    assert refused(settled.approve, request) == "correction_decided"
    settled.ask(settled.round, [JACK, FULL_HOUSE])


def test_fantasy_land_follows_the_corrected_cards_while_no_later_round_was_dealt(settled):
    assert settled.sitting(1).fantasy_land
    settled.approve(settled.ask(settled.round, [JACK, FULL_HOUSE]))
    assert not settled.sitting(1).fantasy_land


def test_fantasy_land_already_played_stays(settled):
    settled.minute(3).play([QUEENS, LOW])
    settled.approve(settled.ask(settled.round, [JACK, FULL_HOUSE]))
    assert settled.sitting(2).fantasy_land


def test_the_preview_says_what_each_seat_gains_or_loses(settled):
    request = settled.ask(settled.round, [JACK, FULL_HOUSE])
    before = settled.stacks()
    _, difference = corrections.preview(request)
    settled.approve(request)
    assert difference == {seat: cents - before[seat] for seat, cents in settled.stacks().items()}


class TestChipsThatAreGone:
    """What is missing at the table becomes a numbered claim between the two players,
    never the house's money."""

    def test_a_stack_that_cannot_pay_owes_the_rest_as_a_claim(self, settled):
        gained = settled.stack(1) - settled.stack(2)
        settled.set_stack(1, 700)
        bob = settled.stack(2)
        settled.approve(settled.ask(settled.round, [JACK, FULL_HOUSE]))
        claim = Claim.objects.get()
        assert (claim.number, str(claim.debtor), str(claim.creditor)) == (1, "Ann", "Bob")
        assert settled.stack(1) == 0
        assert settled.stack(2) == bob + 700
        assert 0 < claim.cents < gained

    def test_one_who_has_left_moves_no_chips(self, settled):
        settled.cash_out(1)
        before = settled.stack(2)
        _, difference = corrections.preview(request := settled.ask(settled.round, [JACK, FULL_HOUSE]))
        settled.approve(request)
        assert settled.stack(2) == before
        assert Claim.objects.get().cents == difference[2]

    def test_the_house_pays_nothing(self, settled):
        house = Account.objects.exclude(kind="stack").order_by("pk").values_list("pk", "balance_cents")
        before = list(house)
        settled.set_stack(1, 700)
        outside = list(house)
        settled.approve(settled.ask(settled.round, [JACK, FULL_HOUSE]))
        assert list(house) == outside
        assert len(before) == len(outside)

    def test_claims_are_numbered_without_gaps_and_a_correction_back_cancels_them(self, settled):
        settled.cash_out(1)
        settled.approve(settled.ask(settled.round, [JACK, FULL_HOUSE]))
        settled.approve(settled.ask(settled.round, [QUEENS, FULL_HOUSE]))
        first, second = Claim.objects.order_by("number")
        assert (first.number, second.number) == (1, 2)
        assert (second.debtor, second.creditor, second.cents) == (first.creditor, first.debtor, first.cents)


def test_plan_changes_uses_chips_that_come_in_through_the_same_correction():
    # Seat 1 gets 100 back from seat 2 and owes seat 3 as much; its own stack is empty.
    changes = plan_changes({(1, 2): 100}, {(1, 3): 100}, {1: 0, 2: 100, 3: 0})
    assert [(change.payer, change.receiver, change.moved) for change in changes] == [(2, 1, 100), (1, 3, 100)]


def test_a_correction_moves_everything_while_every_stack_can_hold_its_result():
    # Seat 1 has nothing yet, but seat 3 gives it what it owes seat 2.
    changes = plan_changes({}, {(1, 2): 100, (1, 3): -100}, {1: 0, 2: 0, 3: 100})
    assert [change.moved for change in changes] == [100, 100]


def test_chips_that_come_in_late_still_go_out_before_a_claim_is_written():
    # Seat 4 is short by 50, whatever the order; all that is there moves on to seat 2.
    changes = plan_changes({}, {(1, 2): 100, (1, 4): -100}, {1: 0, 2: 0, 4: 50})
    assert {(change.payer, change.receiver): change.moved for change in changes} == {(1, 2): 50, (4, 1): 50}


@given(
    payments=st.dictionaries(
        st.sampled_from([(1, 2), (1, 3), (2, 3), (2, 4), (3, 4)]), st.integers(-200, 200)
    ),
    stacks=st.fixed_dictionaries({seat: st.integers(0, 300) for seat in (1, 2, 3, 4)}),
)
def test_no_stack_goes_below_zero_and_nothing_is_claimed_that_could_have_moved(payments, stacks):
    changes = plan_changes({}, payments, stacks)
    left = dict(stacks)
    for change in changes:
        left[change.payer] -= change.moved
        left[change.receiver] += change.moved
    assert min(left.values()) >= 0
    assert all(left[change.payer] == 0 for change in changes if change.moved < change.owed)


def test_r41_a_correction_takes_fantasy_land_back_from_one_who_declined_since(game):
    game.seat("Ann", "Bob", "Cat")
    first = game.play([QUEENS, FULL_HOUSE, PLAIN])
    game.minute(3).play([FULL_HOUSE, PLAIN], declined=[1])
    game.approve(game.ask(first, [JACK, FULL_HOUSE, PLAIN]))
    assert not game.sitting(1).fantasy_land
