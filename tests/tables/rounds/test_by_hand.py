"""R58: a round whose cards are gone is settled by hand: points per pair, within table stakes, by two people,
marked for ever."""

import json
from dataclasses import replace

import pytest
from django.db import IntegrityError, transaction
from hypothesis import given, strategies as st

from ledger.errors import LedgerError
from ledger.models import JournalEntry
from ledger.money import amount_text
from tables.errors import TableError
from tables.log import rescoring
from tables.models import Claim, CorrectionRequest, Round, Settlement, TableEvent
from tables.reports.rounds import round_record, rounds
from tables.rounds import corrections
from tables.rounds.by_hand import waiting_by_hand
from tables.rules.errors import RuleError
from tables.rules.game.by_hand import normal_points, settle_by_hand
from tables.rules.game.rounds import library
from tables.state.evidence import standing_evidence
from tables.state.table_state import sheet_of
from tests.support.acting import acting
from tests.support.answers import answer_to
from tests.support.game import FULL_HOUSE, LOW, PLAIN, QUEENS
from tests.support.kept import kept

GONE = "the deck was swept up before the cards were entered"


def refused(call, *args, **options) -> str:
    with pytest.raises((TableError, LedgerError, RuleError)) as error:
        call(*args, **options)
    return error.value.code


@kept
def dealt(game):
    """A round between Ann, Bob and Cat that is dealt and not settled; each has $290 after the fee."""
    game.seat("Ann", "Bob", "Cat")
    game.round = game.start()
    return game


def ask(game, points=((1, 2, 10), (1, 3, -4), (2, 3, 0)), **options):
    options = {"reason": GONE, "key": game.key(), "actor": game.dealer, "now": game.now} | options
    return acting(corrections.ask_settlement_by_hand, round_id=game.round.pk, points=points, **options)


def approve(game, request, **options):
    options = {"key": game.key(), "actor": game.floor, "now": game.now} | options
    return acting(corrections.approve_correction, request_id=request.pk, **options)


def refuse(game, request, **options):
    options = {"reason": "the camera has the cards", "key": game.key(), "actor": game.floor} | options
    return acting(corrections.refuse_correction, request_id=request.pk, now=game.now, **options)


def test_r58_points_are_paid_at_the_limit_once_a_second_person_approves(dealt):
    request = ask(dealt)
    assert dealt.stacks() == {1: 29_000, 2: 29_000, 3: 29_000}
    approve(dealt, request)
    assert dealt.stacks() == {1: 29_000 + 5_000 - 2_000, 2: 24_000, 3: 31_000}
    settlement = Settlement.objects.get()
    entry = settlement.entry
    assert (settlement.by_hand, entry.kind, entry.reason) == (True, "hand_settlement", GONE)
    assert (entry.actor, entry.approver) == (dealt.dealer, dealt.floor)
    assert Round.objects.get().state == "settled"


def test_the_evidence_says_everything_to_work_it_out_again(dealt):
    approve(dealt, ask(dealt))
    said = standing_evidence(dealt.round)
    again = settle_by_hand(said["input"], sheet_of(dealt.fresh_session()))
    assert said["by_hand"] is True
    assert (again.result, again.answer_hash) == (said["result"], said["answer_hash"])
    assert said["input"]["points"] == [[1, 2, 10], [1, 3, -4], [2, 3, 0]]
    assert {hand["stack"] for hand in said["input"]["hands"]} == {"290.00"}


def test_who_asks_does_not_approve_and_a_dealer_never_does(dealt):
    request = ask(dealt, actor=dealt.floor)
    assert refused(approve, dealt, request) == "second_person"
    assert refused(approve, dealt, request, actor=dealt.dealer) == "not_allowed"
    assert Round.objects.get().state == "dealt"


@pytest.mark.parametrize(
    "points",
    [
        [],
        [(1, 2, 3)],
        [(1, 2, 3), (1, 3, 0), (2, 3, 0), (3, 2, 1)],
        [(1, 2, 3), (1, 3, 0), (2, 4, 0)],
        [(1, 2, 1.5), (1, 3, 0), (2, 3, 0)],
        [(1, 2, True), (1, 3, 0), (2, 3, 0)],
        [(1, 2, 10**9), (1, 3, 0), (2, 3, 0)],
        [(1, 2), (1, 3, 0), (2, 3, 0)],
        [(1, 2, 3), (1, 3, 0), (2, 3, 0), (1, 1, 0)],
    ],
)
def test_points_are_one_whole_number_for_every_two_players(dealt, points):
    assert refused(ask, dealt, points) == "bad_points"
    assert not CorrectionRequest.objects.exists()


def test_a_pair_may_be_named_from_either_side(dealt):
    assert ask(dealt, [(3, 2, 5), (2, 1, 1), (3, 1, 0)]).points == [[1, 2, -1], [1, 3, 0], [2, 3, -5]]


def test_r33_nobody_pays_more_than_the_stack_or_wins_more_than_their_own(dealt):
    approve(dealt, ask(dealt, [(1, 2, 500), (1, 3, 500), (2, 3, 500)]))
    # Ann's $290 is all she may win: Bob pays it, and has then nothing left for Cat, who owes him in the end.
    assert dealt.stacks()[1] == 58_000
    assert sum(dealt.stacks().values()) == 87_000
    payments = answer_to(dealt.round)["payments"]
    assert all(payment["due"] == "2500.00" for payment in payments)
    assert min(dealt.stacks().values()) >= 0


def test_r31_payments_come_in_the_order_of_positions(dealt):
    approve(dealt, ask(dealt, [(1, 2, 1), (1, 3, 1), (2, 3, 1)]))
    pairs = [sorted(one["positions"]) for one in answer_to(dealt.round)["payments"]]
    assert pairs == [[1, 2], [1, 3], [2, 3]]


def test_r31_the_first_position_is_the_one_left_of_the_button_and_not_the_lowest_seat(dealt):
    approve(dealt, ask(dealt))
    dealt.round = dealt.minute(3).start()
    approve(dealt, ask(dealt, [(1, 2, 1), (1, 3, -1), (2, 3, -1)]))
    payments = answer_to(dealt.round)["payments"]
    assert [hand.seat for hand in dealt.round.hands.order_by("position")] == [2, 3, 1]
    assert [sorted(one["positions"]) for one in payments] == [[1, 2], [1, 3], [2, 3]]


def test_r32_a_pair_with_a_stake_of_its_own_plays_for_that(table_of):
    game = table_of("2-4")
    game.seat("Ann", "Bob", "Cat")
    game.round = game.start(pair_stakes={(1, 2): 1_000})
    approve(game, ask(game, [(1, 2, 3), (1, 3, 3), (2, 3, 0)]))
    assert game.stacks() == {1: 29_000 + 3_000 + 1_500, 2: 26_000, 3: 27_500}


def test_r35_two_hands_each_have_one_number_between_the_two_players(game):
    game.seat("Ann", "Bob")
    game.round = game.start(two_hands=(1, 2))
    approve(game, ask(game, [(1, 2, -7)]))
    assert game.stacks() == {1: 29_000 - 3_500, 2: 29_000 + 3_500}


def test_fantasy_land_stays_as_it_was(game):
    game.seat("Ann", "Bob")
    game.play([QUEENS, FULL_HOUSE])
    assert [game.sitting(seat).fantasy_land for seat in (1, 2)] == [True, False]
    game.round = game.minute(3).start()
    approve(game, ask(game, [(1, 2, 0)]))
    assert [game.sitting(seat).fantasy_land for seat in (1, 2)] == [True, False]


def test_the_button_moves_on_as_after_any_round(dealt):
    approve(dealt, ask(dealt))
    assert (dealt.round.button_seat, dealt.plan().button) == (1, 2)


def test_a_round_settled_by_hand_is_not_corrected_by_cards(dealt):
    approve(dealt, ask(dealt))
    assert refused(dealt.ask, dealt.round, [QUEENS, FULL_HOUSE]) == "settled_by_hand"


def test_a_settled_or_void_round_is_not_settled_by_hand(game):
    game.seat("Ann", "Bob")
    game.round = game.play([QUEENS, FULL_HOUSE])
    assert refused(ask, game, [(1, 2, 1)]) == "already_settled"
    game.round = game.minute(3).start()
    game.void(game.round)
    assert refused(ask, game, [(1, 2, 1)]) == "round_void"


def test_cards_that_turn_up_settle_the_round_and_overtake_the_request(dealt):
    request = ask(dealt)
    dealt.settle(dealt.round)
    assert refused(approve, dealt, request) == "already_settled"
    assert not Settlement.objects.get().by_hand
    assert waiting_by_hand(dealt.session) == []
    refuse(dealt, request)


def test_points_that_cards_have_overtaken_do_not_stand_in_the_way_of_a_correction(dealt):
    overtaken = ask(dealt)
    dealt.settle(dealt.round, [QUEENS, FULL_HOUSE, PLAIN])
    other = dealt.ask(dealt.round, [LOW, FULL_HOUSE, PLAIN])
    overtaken.refresh_from_db()
    assert (overtaken.state, overtaken.decided_by, other.state) == ("overtaken", None, "asked")
    assert refused(refuse, dealt, overtaken) == "correction_decided"
    assert refused(dealt.ask, dealt.round, [PLAIN, FULL_HOUSE, LOW]) == "correction_open"


def test_one_key_of_the_house_asks_for_cards_or_for_points(game):
    game.seat("Ann", "Bob")
    first, key = game.play([QUEENS, FULL_HOUSE]), game.key()
    game.ask(first, [LOW, FULL_HOUSE], key=key)
    game.round = game.minute(3).start()
    assert refused(ask, game, [(1, 2, 1)], key=key) == "key_reused"


@pytest.mark.parametrize("said", [{}, {"hands": [], "points": [[1, 2, 0]]}])
def test_a_request_has_cards_or_points_and_never_both(dealt, said):
    plain = {"site": dealt.site, "round": dealt.round, "key": dealt.key(), "asked_by": dealt.dealer}
    with pytest.raises(IntegrityError), transaction.atomic():
        CorrectionRequest.objects.create(asked_at=dealt.now, reason=GONE, **plain, **said)


def test_r42_a_round_of_a_race_scores_for_its_match_and_is_refused(table_of):
    game = table_of("first-to-11")
    game.seat("Ann", "Bob")
    game.round = game.start(match_stake_cents=5_000)
    assert refused(ask, game, [(1, 2, 1)]) == "race_by_hand"


def test_it_needs_a_reason_and_one_waits_at_a_time(dealt):
    assert refused(ask, dealt, reason=" ") == "reason_required"
    request = ask(dealt)
    assert refused(ask, dealt) == "correction_open"
    assert refused(refuse, dealt, request, reason="") == "reason_required"
    refuse(dealt, request)
    assert refused(approve, dealt, request) == "correction_decided"
    assert Round.objects.get(pk=dealt.round.pk).state == "dealt"
    ask(dealt)


def test_each_act_counts_once_for_its_key(dealt):
    key = dealt.key()
    request = ask(dealt, key=key)
    assert ask(dealt, key=key) == request
    assert refused(ask, dealt, [(1, 2, 0), (1, 3, 0), (2, 3, 0)], key=key) == "key_reused"
    key = dealt.key()
    approve(dealt, request, key=key)
    approve(dealt, request, key=key)
    assert refused(approve, dealt, request) == "correction_decided"
    assert JournalEntry.objects.filter(kind="hand_settlement").count() == 1


def test_an_even_round_is_settled_though_nothing_moves(dealt):
    approve(dealt, ask(dealt, [(1, 2, 0), (1, 3, 0), (2, 3, 0)]))
    assert JournalEntry.objects.get(kind="hand_settlement").transfers.count() == 0
    assert Round.objects.get().state == "settled"


def test_asking_and_refusing_are_in_the_tables_log(dealt):
    refuse(dealt, ask(dealt))
    kinds = list(TableEvent.objects.order_by("pk").values_list("kind", flat=True))
    assert kinds[-2:] == ["hand_settlement_asked", "hand_settlement_refused"]


def test_r43_its_undealt_hands_cannot_be_kept_for_the_next_round(table_of):
    game = table_of("2-4")
    game.seat("Ann", "Bob")
    game.round = game.start()
    assert game.plan().problem == "round_running"
    approve(game, ask(game, [(1, 2, 1)]))
    assert not game.minute(3).plan().reserved_possible
    assert refused(game.start, reserved=True) == "no_reserved_hands"


def test_the_record_of_the_round_has_its_points_and_no_cards(dealt):
    approve(dealt, ask(dealt))
    record = round_record(rounds().get(pk=dealt.round.pk))
    settled = record.standing
    assert record.by_hand
    assert settled.points == (("Ann", "Bob", 10), ("Ann", "Cat", -4), ("Bob", "Cat", 0))
    assert [
        (hand.net_cents, dict(hand.cards)) for hand in sorted(settled.hands, key=lambda h: h.hand.seat)
    ] == [
        (3_000, {}),
        (-5_000, {}),
        (2_000, {}),
    ]


def test_it_is_scored_again_from_its_points(dealt):
    approve(dealt, ask(dealt))
    dealt.minute(3).play()
    found = list(rescoring.rescore(rescoring.settlements()))
    assert [(part.settlements, part.differences) for part in found] == [(2, ())]


STAKES = ("starting_stack", "running_stack", "uncapped_win")


@pytest.mark.parametrize("stakes", STAKES)
@given(
    stacks=st.lists(st.integers(0, 50_000), min_size=2, max_size=4),
    points=st.lists(st.integers(-200, 200), min_size=6, max_size=6),
    limit=st.integers(1, 3_000),
)
def test_whatever_the_points_the_sum_is_zero_and_no_stack_goes_below_it(stakes, stacks, points, limit):
    sheet = replace(library().find("face-up"), stakes=stakes)
    seats = range(1, len(stacks) + 1)
    said = [(one, other, points.pop()) for one in seats for other in seats if one < other]
    entry = {
        "limit": amount_text(limit),
        "button": 1,
        "hands": [
            {"seat": seat, "stack": amount_text(cents)} for seat, cents in zip(seats, stacks, strict=True)
        ],
        "points": normal_points(said, seats),
    }
    settled = settle_by_hand(entry, sheet)
    assert sum(settled.net_cents.values()) == 0
    left = dict(zip(seats, stacks, strict=True))
    for payment in settled.payments:
        assert 0 <= payment.paid_cents <= payment.due_cents == payment.points * limit
        left[payment.from_seat] -= payment.paid_cents
        left[payment.to_seat] += payment.paid_cents
        assert min(left.values()) >= 0
        if stakes == "starting_stack":
            assert left[payment.to_seat] <= 2 * stacks[payment.to_seat - 1]
    assert json.loads(json.dumps(settled.as_json())) == settled.as_json()


# -- a wrong settlement by hand ------------------------------------------------------------------------------


@kept
def by_hand(dealt):
    """The same round, settled by hand: Ann wins ten points from Bob and loses four to Cat."""
    approve(dealt, ask(dealt))
    return dealt


def test_r58_a_wrong_settlement_by_hand_is_replaced_by_another_that_two_people_stand_for(by_hand, floor2):
    request = ask(
        by_hand, [(1, 2, -10), (1, 3, -4), (2, 3, 0)], actor=by_hand.floor, reason="the other way round"
    )
    assert by_hand.stacks() == {1: 32_000, 2: 24_000, 3: 31_000}
    assert refused(approve, by_hand, request) == "second_person"
    approve(by_hand, request, actor=floor2)
    assert by_hand.stacks() == {1: 22_000, 2: 34_000, 3: 31_000}
    first, second = Settlement.objects.order_by("ordinal")
    assert (first.by_hand, second.by_hand, second.entry.kind) == (True, True, "correction")
    assert (second.entry.actor, second.entry.approver) == (by_hand.floor, floor2)
    assert json.loads(second.entry.evidence)["corrects"] == first.entry_id
    assert first.entry.reversed_by.reason == "the other way round"


def test_r58_it_is_taken_back_by_points_for_nobody_and_stays_marked(by_hand):
    approve(by_hand, ask(by_hand, [(1, 2, 0), (1, 3, 0), (2, 3, 0)]))
    assert by_hand.stacks() == {1: 29_000, 2: 29_000, 3: 29_000}
    assert round_record(rounds().get()).by_hand
    assert not round_record(rounds().get()).standing.settlement.entry.transfers.exists()


def test_it_is_replaced_as_often_as_needed_and_not_by_the_same(by_hand):
    assert refused(ask, by_hand) == "nothing_changes"
    approve(by_hand, ask(by_hand, [(1, 2, 1), (1, 3, 0), (2, 3, 0)]))
    approve(by_hand, ask(by_hand))
    assert by_hand.stacks() == {1: 32_000, 2: 24_000, 3: 31_000}
    assert [one.ordinal for one in Settlement.objects.order_by("ordinal")] == [1, 2, 3]


def test_r33_a_replaced_settlement_is_held_to_the_stacks_the_round_began_with(by_hand):
    by_hand.add_on(2, 20_000)
    approve(by_hand, ask(by_hand, [(1, 2, 500), (1, 3, 0), (2, 3, 0)]))
    assert by_hand.stacks()[1] == 58_000


def test_r58_what_the_stacks_can_no_longer_move_is_claimed_between_the_players(by_hand):
    by_hand.cash_out(1)
    approve(by_hand, ask(by_hand, [(1, 2, -10), (1, 3, -4), (2, 3, 3)]))
    assert by_hand.stacks() == {2: 25_500, 3: 29_500}
    claim = Claim.objects.get()
    assert (claim.debtor.name, claim.creditor.name, claim.cents) == ("Ann", "Bob", 10_000)


def test_r52_it_is_replaced_between_rounds_alone(by_hand):
    request = ask(by_hand, [(1, 2, 0), (1, 3, 0), (2, 3, 0)])
    running = by_hand.start()
    assert refused(approve, by_hand, request) == "round_running"
    by_hand.void(running)
    approve(by_hand, request)


def test_the_same_approval_twice_replaces_it_once(by_hand):
    request, key = ask(by_hand, [(1, 2, 0), (1, 3, 0), (2, 3, 0)]), by_hand.key()
    approve(by_hand, request, key=key)
    approve(by_hand, request, key=key)
    assert Settlement.objects.count() == 2


def test_a_refused_replacement_leaves_the_settlement_that_stands(by_hand):
    refuse(by_hand, ask(by_hand, [(1, 2, 0), (1, 3, 0), (2, 3, 0)]))
    assert by_hand.stacks() == {1: 32_000, 2: 24_000, 3: 31_000}


def test_no_points_replace_cards(dealt):
    dealt.settle(dealt.round)
    assert refused(ask, dealt) == "already_settled"


def test_the_tables_page_shows_what_stands_beside_what_is_asked_for(by_hand):
    asked = ask(by_hand, [(1, 2, 0), (1, 3, 0), (2, 3, 0)])
    (waiting,) = waiting_by_hand(by_hand.fresh_session())
    assert waiting.request == asked
    assert waiting.before == [("Ann", "Bob", 10), ("Cat", "Ann", 4), ("Bob", "Cat", 0)]


def test_the_round_leads_to_settling_it_anew_and_the_tables_page_asks_for_a_decision(by_hand, client, floor2):
    client.force_login(by_hand.floor)
    address = f"/floor/rounds/{by_hand.round.pk}/by-hand/"
    assert address in client.get(f"/rounds/{by_hand.round.pk}/").content.decode()
    page = client.get(address).content.decode()
    assert "Settle by hand again" in page
    assert "10 points until now" in page
    even = {f"winner_{one}_{other}": "0" for one, other in ((1, 2), (1, 3), (2, 3))}
    sent = client.post(address, {"key": by_hand.key(), "reason": "the other way round", **even})
    assert sent.status_code == 302
    client.force_login(floor2)
    assert "by hand again" in client.get(f"/floor/sessions/{by_hand.session.pk}/").content.decode()
    asked = CorrectionRequest.objects.get(state="asked")
    client.post(f"/floor/corrections/{asked.pk}/approve/", {"key": by_hand.key()})
    assert by_hand.stacks() == {1: 29_000, 2: 29_000, 3: 29_000}
    page = client.get(f"/rounds/{by_hand.round.pk}/").content.decode()
    assert "Taken back" in page
    assert "Correction 1" in page
