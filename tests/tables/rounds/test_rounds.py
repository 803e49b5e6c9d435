"""R50-R58: starting, entering, settling and voiding rounds."""

import hashlib
import json
from dataclasses import replace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ledger.errors import KeyReused, LedgerError
from ledger.journal.acts import Act
from ledger.models import AuditRecord, JournalEntry
from ledger.records import canonical
from tables.errors import TableError
from tables.models import Round, Settlement, Sitting
from tables.rounds import running, settling
from tables.rounds.entry import RoundEntry
from tables.rounds.scoring import check_entry
from tables.rules.errors import RuleError
from tables.rules.game.rounds import library, parse_round, score
from tables.state.evidence import answer_of, standing_evidence
from tables.state.table_state import sheet_of
from tests.support.acting import acting
from tests.support.game import FULL_HOUSE, HANDS, LOW, PLAIN, QUEENS


def refused(call, *args, **options) -> str:
    with pytest.raises((TableError, LedgerError, RuleError)) as error:
        acting(call, *args, **options)
    return error.value.code


def reasons(plan) -> dict[int, str | None]:
    return {seat.seat: seat.reason for seat in plan.seats}


def test_r50_the_first_round_has_its_buttons_at_the_first_seat(game):
    game.buy_in("Ann", 3)
    game.buy_in("Bob", 5)
    assert game.start().button_seat == 3


def test_r50_the_buttons_move_clockwise_after_each_round(game):
    game.seat("Ann", "Bob", "Cat")
    assert [game.play().button_seat for _ in range(4)] == [1, 2, 3, 1]


def test_r51_the_fifth_waits_and_says_so(game):
    game.seat("Ann", "Bob", "Cat", "Dan", "Eve")
    assert reasons(game.plan()) == {1: None, 2: None, 3: None, 4: None, 5: "fifth"}
    assert [hand.seat for hand in game.start().hands.all()] == [1, 2, 3, 4]


def test_r51_the_fifth_comes_in_for_one_who_declines(game):
    game.seat("Ann", "Bob", "Cat", "Dan", "Eve")
    round_ = game.start(declined=[1])
    assert round_.button_seat == 2
    assert [hand.seat for hand in round_.hands.all()] == [2, 3, 4, 5]


def test_r51_fewer_than_two_is_no_round_and_nobody_is_charged(game):
    game.seat("Ann", "Bob")
    game.sit_out(2)
    assert refused(game.start) == "too_few_players"
    assert game.stacks() == {1: 30_000, 2: 30_000}
    assert game.session.downs.count() == 0


def test_r53_below_nine_points_a_seat_is_short(game):
    game.seat("Ann", "Bob", "Cat")
    game.set_stack(2, 4499)
    assert reasons(game.plan())[2] == "short"
    game.set_stack(2, 4500)
    assert reasons(game.plan())[2] == "fee_due"  # nine points, but not after the fee (R63)


def test_sitting_out_waits(game):
    game.seat("Ann", "Bob", "Cat")
    game.sit_out(3)
    assert reasons(game.plan())[3] == "sitting_out"


def test_one_round_runs_at_a_time(game):
    game.seat("Ann", "Bob")
    game.start()
    assert refused(game.start) == "round_running"


def test_a_double_tap_starts_one_round(game):
    game.seat("Ann", "Bob")
    key = game.key()
    assert game.start(key=key) == game.start(key=key)
    assert refused(game.start, key=key, declined=[1]) == "key_reused"
    assert Round.objects.count() == 1


def test_a_round_is_scored_into_transfers_that_conserve_chips(game):
    game.seat("Ann", "Bob", "Cat", "Dan")
    before = sum(game.stacks().values())
    round_ = game.start()
    charged = before - sum(game.stacks().values())
    game.settle(round_)
    assert charged == 4 * 1000
    assert sum(game.stacks().values()) == before - charged
    result = json.loads(Settlement.objects.get().entry.evidence)["result"]
    assert {int(seat): 29_000 + cents for seat, (_, cents) in result.items()} == game.stacks()


def test_r33_a_player_loses_no_more_than_the_stack_at_the_start(game):
    game.seat("Ann", "Bob")
    game.set_stack(2, 5500)
    game.settle(game.start(), [QUEENS, FULL_HOUSE])
    assert game.stacks() == {1: 29_000 + 4500, 2: 0}


def test_a_round_confirmed_twice_with_the_same_key_pays_once(game):
    game.seat("Ann", "Bob")
    round_, key = game.start(), game.key()
    game.settle(round_, key=key)
    stacks = game.stacks()
    game.settle(round_, key=key)
    assert game.stacks() == stacks
    assert Settlement.objects.count() == 1


def test_the_same_key_with_other_cards_is_refused(game):
    game.seat("Ann", "Bob")
    round_, key = game.start(), game.key()
    game.settle(round_, key=key)
    assert refused(game.settle, round_, [QUEENS, PLAIN], key=key) == "key_reused"


def test_a_stale_page_does_not_settle_again(game):
    game.seat("Ann", "Bob")
    round_ = game.start()
    game.settle(round_)
    assert refused(game.settle, round_) == "already_settled"


@pytest.mark.parametrize(
    ("hand", "code"),
    [
        ({**QUEENS, "front": "Qs Qh Zz"}, "bad_card"),
        ({**QUEENS, "back": "Ad Kd 9d 4d"}, "card_count"),
        ({**QUEENS, "front": "Qs Qs 2c"}, "duplicate_card"),
        ({**QUEENS, "front": "Qs Qh Ah"}, "duplicate_card"),
        ({**QUEENS, "declares": "six-pairs"}, "false_declaration"),
        ({**QUEENS, "declares": "four-dragons"}, "unknown_clean_sweep"),
        ({**QUEENS, "fantasy_land": True}, "fantasy_land_not_earned"),
        ({**QUEENS, "seat": 4}, "hand_for_empty_seat"),
    ],
)
def test_a_wrong_hand_is_refused_and_nothing_changes(game, hand, code):
    game.seat("Ann", "Bob")
    round_ = game.start()
    before, entries = game.stacks(), JournalEntry.objects.count()
    assert refused(game.settle, round_, [hand, FULL_HOUSE]) == code
    assert (game.stacks(), JournalEntry.objects.count()) == (before, entries)
    assert Round.objects.get().state == "dealt"


def test_a_missing_hand_is_named(game):
    game.seat("Ann", "Bob")
    assert refused(game.settle, game.start(), [QUEENS]) == "hand_missing"


def test_r7_a_misset_hand_is_foul_without_cards(game):
    game.seat("Ann", "Bob")
    game.settle(game.start(), [QUEENS, {"misset": True}])
    # Nine points of penalty, and fifteen of bonuses for the queens, the straight and the flush (R20).
    assert game.stacks() == {1: 29_000 + 24 * 500, 2: 29_000 - 24 * 500}


def test_r41_queens_in_front_earn_fantasy_land_for_the_next_round_dealt_in(game):
    game.seat("Ann", "Bob", "Cat")
    game.play([QUEENS, FULL_HOUSE, PLAIN])
    assert game.sitting(1).fantasy_land
    game.play([FULL_HOUSE, PLAIN], declined=[1])
    round_ = game.start()
    assert {hand.seat: hand.fantasy_land for hand in round_.hands.all()} == {1: True, 2: False, 3: False}


def test_r56_a_forgotten_announcement_forfeits_nothing(game):
    game.seat("Ann", "Bob")
    game.play([QUEENS, FULL_HOUSE])
    round_ = game.start()
    game.settle(round_, [FULL_HOUSE, QUEENS])
    hands = json.loads(Settlement.objects.get(round=round_).entry.evidence)["input"]["hands"]
    assert {hand["seat"]: hand.get("fantasy_land") for hand in hands} == {1: True, 2: None}


def test_r41_leaving_the_table_gives_fantasy_land_up(game):
    game.seat("Ann", "Bob")
    game.play([QUEENS, FULL_HOUSE])
    game.cash_out(1)
    game.minute(1).buy_in("Ann", 1, points=100)
    assert not game.sitting(1).fantasy_land


def test_r58_a_voided_round_pays_nothing_and_leaves_the_buttons(game):
    game.seat("Ann", "Bob", "Cat")
    game.play([QUEENS, FULL_HOUSE, PLAIN])
    before = game.stacks()
    round_ = game.start()
    game.void(round_)
    assert game.stacks() == before
    again = game.start()
    assert again.button_seat == round_.button_seat == 2
    assert again.hands.get(seat=1).fantasy_land


def test_a_void_needs_a_reason_and_an_unsettled_round(game):
    game.seat("Ann", "Bob")
    round_ = game.start()
    assert refused(game.void, round_, "  ") == "reason_required"
    game.settle(round_)
    assert refused(game.void, round_) == "already_settled"


def test_a_voided_round_is_not_settled(game):
    game.seat("Ann", "Bob")
    round_ = game.start()
    game.void(round_)
    assert refused(game.settle, round_) == "round_void"


def test_a_draft_is_kept_and_an_older_page_does_not_overwrite_it(game):
    game.seat("Ann", "Bob")
    round_ = game.start()
    save = {"round_id": round_.pk, "actor": game.dealer, "now": game.now}
    acting(running.save_draft, version=0, hands=[{"seat": 1, "front": "Qs"}], **save)
    assert refused(running.save_draft, version=0, hands=[], **save) == "stale_page"
    assert Round.objects.get().draft == [{"seat": 1, "front": "Qs"}]


def test_a_half_filled_hand_is_described_as_far_as_it_goes(game):
    game.seat("Ann", "Bob")
    round_ = game.start()
    entered = [{"seat": 1, "front": "Qs Qh 2c", "middle": "5c 6d", "back": ""}, {"seat": 2, "front": "Qs"}]
    check = check_entry(game.session, round_, list(round_.hands.all()), entered)
    assert check.hands[0].setting.front == "pair"
    assert check.hands[0].setting.middle is None
    assert check.hands[1].error.code == "duplicate_card"
    assert check.score is None


def test_settling_takes_the_same_number_of_queries_for_two_and_for_four_hands(game):
    game.seat("Ann", "Bob")
    two = game.start()
    with CaptureQueriesContext(connection) as for_two:
        game.settle(two, [PLAIN, FULL_HOUSE])
    game.buy_in("Cat", 3)
    game.buy_in("Dan", 4)
    four = game.start()
    with CaptureQueriesContext(connection) as for_four:
        game.settle(four, [PLAIN, FULL_HOUSE, LOW, {"misset": True}])
    assert len(for_two) == len(for_four) <= 20


@pytest.mark.both_databases
def test_starting_takes_the_same_statements_for_two_and_for_four_fees_and_keeps_their_records_in_order(game):
    """The down and the fees that it brings are written by kind of row;
    nothing is asked or written for each fee."""
    asked = {}

    def start(name):
        with CaptureQueriesContext(connection) as queries:
            round_ = game.start()
        asked[name] = sum("SAVEPOINT" not in query["sql"] for query in queries)
        game.void(round_)

    game.seat("Ann", "Bob")
    game.play()
    game.minute(41)
    start("two fees")
    game.buy_in("Cat", 3)
    game.buy_in("Dan", 4)
    game.minute(81)
    before = AuditRecord.objects.count()
    start("four fees")
    kinds = list(AuditRecord.objects.order_by("pk").values_list("kind", flat=True))[before:]
    assert kinds == ["down", *["charge"] * 4, *["entry"] * 4, "table_event", "table_event"]  # the last voids
    start("no fee")
    # The table's newest moment, down, charges, payments; box, accounts; the entries, which SQLite writes by
    # table when it has asked for their keys. PostgreSQL writes the records of down and charges before those,
    # SQLite all records at the end.
    more = {"sqlite": 10, "postgresql": 8}[connection.vendor]
    assert asked["two fees"] == asked["four fees"] == asked["no fee"] + more


def test_a_regulator_neither_starts_nor_settles(game, regulator):
    game.seat("Ann", "Bob")
    assert refused(game.start, actor=regulator) == "not_allowed"
    round_ = game.start()
    assert refused(game.settle, round_, actor=regulator) == "not_allowed"


def test_the_evidence_is_enough_to_work_the_round_out_again(game):
    game.seat("Ann", "Bob", "Cat", "Dan")
    game.play()
    evidence = json.loads(Settlement.objects.get().entry.evidence)
    again = score(parse_round(evidence["input"], library()))
    assert (again.result, again.answer_hash) == (evidence["result"], evidence["answer_hash"])
    assert hashlib.sha256(canonical.text(again.as_json()).encode()).hexdigest() == evidence["answer_hash"]


def test_a_round_that_these_rules_answer_otherwise_is_shown_as_recorded_without_its_lines(game):
    game.seat("Ann", "Bob")
    round_ = game.play([QUEENS, FULL_HOUSE])
    recorded, sheet = standing_evidence(round_), sheet_of(game.session)
    explained = answer_of(recorded, sheet)
    for other in ({"answer_hash": "0" * 64}, {"input": recorded["input"] | {"sheet": "western"}}):
        shown = answer_of(recorded | other, sheet)
        assert (shown["unexplained"], shown["payments"]) == (True, [])
        assert shown["net"] == explained["net"] == {"1": "50.00", "2": "-50.00"}
        assert shown["hands"] == [{"position": 1, "seat": 1}, {"position": 2, "seat": 2}]


SHUFFLE = {"order": "As - Td 2c", "deck": "blue 3", "shuffler": "machine 2", "collected": "by rows"}


def settle_shuffled(game, round_, shuffle, key="shuffled-1"):
    entry = replace(game.entry(round_, [QUEENS, FULL_HOUSE]), key=key, shuffle=shuffle)
    return settling.settle_round(entry=entry, act=Act(actor=game.dealer, now=game.now))


def test_how_the_cards_were_shuffled_and_dealt_stands_in_the_record_and_changes_no_point(game):
    game.seat("Ann", "Bob")
    round_ = settle_shuffled(game, game.start(), SHUFFLE)
    recorded = standing_evidence(round_)
    assert recorded["input"]["shuffle"] == SHUFFLE
    alone = {name: value for name, value in recorded["input"].items() if name != "shuffle"}
    assert score(parse_round(alone, library())).answer_hash == recorded["answer_hash"]
    game.approve(game.ask(round_, [QUEENS, LOW]))
    assert standing_evidence(round_)["input"]["shuffle"] == SHUFFLE


def test_another_shuffle_under_the_same_key_is_another_request(game):
    game.seat("Ann", "Bob")
    round_ = settle_shuffled(game, game.start(), SHUFFLE)
    assert settle_shuffled(game, round_, SHUFFLE) == round_
    with pytest.raises(KeyReused):
        settle_shuffled(game, round_, SHUFFLE | {"deck": "red 1"})


def test_entry_order_does_not_matter_to_the_key(game):
    game.seat("Ann", "Bob")
    round_ = game.start()
    entry = game.entry(round_, HANDS[:2])
    settling.settle_round(entry=entry, act=Act(actor=game.dealer, now=game.now))
    assert Sitting.objects.filter(stack__balance_cents__gt=29_000).count() == 1
    assert (
        settling.settle_round(
            entry=RoundEntry(round_.pk, entry.key, entry.hands), act=Act(actor=game.dealer, now=game.now)
        ).state
        == "settled"
    )
