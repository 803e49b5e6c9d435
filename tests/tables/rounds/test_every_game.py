"""A table plays every sheet: what each game asks of a round's start and entry, and what it refuses (R10-R36,
R54)."""

import json

import pytest

from ledger.errors import LedgerError
from tables.errors import TableError
from tables.floor.games import keep_sheet
from tables.models import Settlement, TableEvent, TableSession
from tables.reports.corrections import comparison
from tables.rounds.entry import RoundEntry
from tables.rounds.scoring import check_entry
from tables.rules.errors import RuleError
from tables.rules.game.rounds import library, parse_round, parse_sheet, score
from tests.support.acting import acting
from tests.support.answers import answer_to
from tests.support.game import FULL_HOUSE, HANDS, LOW, PLAIN, QUEENS
from tests.support.kept import kept

SHEETS = {sheet.code: sheet for sheet in library()}
PAID = sorted(code for code, sheet in SHEETS.items() if not sheet.race_to)
ONE_EACH = [code for code in PAID if SHEETS[code].hands_per_player == 1]
NAMES = ("Ann", "Bob", "Cat", "Dan")

DRAGON = "As Kd Qc Jh Ts 9d 8c 7h 6s 5d 4c 3h 2s"
TRIPS = {"front": "7s 7h 7d", "middle": "Ks Kh Kd 2c 3c", "back": "4c 5c 6c Tc Qc"}
WEAK = {"front": "2s 3h 4h", "middle": "5h 6h 8h 9s Jd", "back": "As Ad 9d 8d Jc"}
SURRENDERED = {"surrenders": True}


def refused(call, *args, **options) -> str:
    with pytest.raises((TableError, LedgerError, RuleError)) as error:
        acting(call, *args, **options)
    return error.value.code


def evidence(round_):
    return json.loads(round_.settlements.order_by("-ordinal")[0].entry.evidence)


def reasons(round_):
    return {line["reason"] for payment in answer_to(round_)["payments"] for line in payment["lines"]}


def check(table, round_, hands):
    return check_entry(table.session, round_, list(round_.hands.all()), table.entry(round_, hands).hands)


@kept
def western(table_of):
    """Ann, Bob and Cat at a table of the western game."""
    table = table_of("western")
    table.seat("Ann", "Bob", "Cat")
    return table


@kept
def two_four(table_of):
    """Ann and Bob at a table of 2-4, whose bonuses must be announced."""
    table = table_of("2-4")
    table.seat("Ann", "Bob")
    return table


class TestEveryGame:
    """A whole round of each game through the verbs."""

    @pytest.mark.parametrize("code", PAID)
    def test_a_round_is_started_settled_and_can_be_scored_again(self, table_of, code):
        table = table_of(code)
        table.seat(*(NAMES[:2] if SHEETS[code].hands_per_player == 2 else NAMES))
        before = sum(table.stacks().values())
        round_ = table.start()
        assert round_.hands.count() == 4
        charged = before - sum(table.stacks().values())
        table.settle(round_)
        assert sum(table.stacks().values()) == before - charged
        kept = evidence(round_)
        assert kept["input"]["sheet"] == code
        assert score(parse_round(kept["input"], library())).answer_hash == kept["answer_hash"]
        assert any(payment["paid"] != "0.00" for payment in answer_to(round_)["payments"])

    @pytest.mark.parametrize("code", PAID)
    def test_r30_hands_lie_at_the_positions_at_which_the_rules_score_them(self, table_of, code):
        table = table_of(code)
        table.seat(*(NAMES[:2] if SHEETS[code].hands_per_player == 2 else NAMES))
        table.play()
        round_ = table.play()
        assert round_.button_seat == 2
        scored = [(hand["position"], hand["seat"]) for hand in answer_to(round_)["hands"]]
        assert [(hand.position, hand.seat) for hand in round_.hands.all()] == scored

    @pytest.mark.parametrize(("code", "first"), [("western", 1), ("2-4", 2), ("face-up", 2)])
    def test_r30_who_compares_first_is_the_sheets_to_say(self, table_of, code, first):
        table = table_of(code)
        table.seat(*NAMES)
        table.play()
        assert table.play().hands.all()[0].seat == first

    @pytest.mark.parametrize("code", ONE_EACH)
    def test_r54_two_who_agree_play_two_hands_each(self, table_of, code):
        table = table_of(code)
        table.seat("Ann", "Bob")
        assert table.plan().two_hands_possible
        round_ = table.settle(table.start(two_hands=(1, 2)))
        assert len({hand["seat"] for hand in answer_to(round_)["hands"]}) == 2
        assert sum(table.stacks().values()) == 58_000

    def test_r35_a_race_knows_no_two_hands_each(self, table_of):
        table = table_of("first-to-11")
        table.seat("Ann", "Bob")
        plan = table.plan(two_hands=(1, 2))
        assert (plan.two_hands, plan.two_hands_possible, plan.problem) == (
            False,
            False,
            "two_hands_not_agreed",
        )


class TestTwoHandsAsTheGame:
    """R35: in criss-cross exactly two play, with two hands each, and nobody is asked."""

    @pytest.fixture
    def criss_cross(self, table_of):
        table = table_of("criss-cross")
        table.seat("Ann", "Bob")
        return table

    def test_two_hands_each_need_no_agreement(self, criss_cross):
        plan = criss_cross.plan()
        assert (plan.two_hands, plan.two_hands_possible, plan.problem) == (True, False, None)
        assert [hand.seat for hand in criss_cross.start().hands.all()] == [1, 2, 1, 2]
        assert TableEvent.objects.get(kind=TableEvent.Kind.ROUND_STARTED).data["hands_each"] == 2

    def test_an_agreement_of_both_says_nothing_new_and_of_one_is_refused(self, criss_cross):
        assert refused(criss_cross.start, two_hands=[1]) == "two_hands_not_agreed"
        assert criss_cross.start(two_hands=[1, 2]).hands.count() == 4

    def test_a_third_waits_for_the_buttons_and_is_told_why(self, criss_cross):
        criss_cross.buy_in("Cat", 3)
        plan = criss_cross.plan()
        assert {seat.seat: seat.reason for seat in plan.seats} == {1: None, 2: None, 3: "two_only"}
        sentence = plan.waiting[0].sentence
        assert sentence == "Cat waits: two play at a time, with two hands each."
        dealt = [
            {hand.seat for hand in criss_cross.settle(criss_cross.start()).hands.all()} for _ in range(3)
        ]
        assert dealt == [{1, 2}, {2, 3}, {3, 1}]

    def test_whoever_declines_makes_room_for_the_third(self, criss_cross):
        criss_cross.buy_in("Cat", 3)
        assert {hand.seat for hand in criss_cross.start(declined=[2]).hands.all()} == {1, 3}


class TestSurrender:
    """R27: a hand is given up for the sheet's points, with or without its cards."""

    def test_r27_a_surrendered_hand_pays_each_opponent_and_compares_nothing(self, western):
        round_ = western.start()
        entered = {hand.seat: cards for hand, cards in zip(round_.hands.all(), HANDS, strict=False)}
        western.settle(round_, [SURRENDERED if seat == 1 else cards for seat, cards in entered.items()])
        paid = [
            (payment["to"], payment["paid"])
            for payment in answer_to(round_)["payments"]
            if payment["from"] == 1
        ]
        assert sorted(paid) == [(2, "15.00"), (3, "15.00")]
        assert "surrender" in reasons(round_)

    @pytest.mark.parametrize(
        ("game", "hand", "code"),
        [
            ("western", SURRENDERED | {"front": "Qs Qh 2c"}, "card_count"),
            ("western", SURRENDERED | {"declares": "dragon"} | QUEENS, "declares_and_surrenders"),
            ("western", SURRENDERED | {"dealt": DRAGON}, "unset_hand"),
            ("pokerlistings", SURRENDERED, "no_surrender"),
            ("face-up", SURRENDERED | QUEENS, "no_surrender"),
        ],
    )
    def test_r27_a_surrender_that_cannot_be_is_refused_and_nothing_changes(self, table_of, game, hand, code):
        table = table_of(game)
        table.seat("Ann", "Bob")
        assert refused(table.settle, table.start(), [hand, FULL_HOUSE]) == code
        assert not Settlement.objects.exists()

    def test_r27_it_is_complete_without_cards_and_never_foul(self, western):
        round_ = western.start()
        checked = check(western, round_, [SURRENDERED, FULL_HOUSE, PLAIN])
        hand = checked.hands[0]
        assert (hand.surrendered, hand.setting.foul, hand.setting.clean_sweeps) == (True, False, ())
        assert sum(checked.score.net_cents.values()) == 0
        foul_cards = check(western, round_, [SURRENDERED | LOW, FULL_HOUSE, PLAIN])
        assert (foul_cards.hands[0].setting.foul, foul_cards.hands[0].setting.front) == (False, "high-card")
        assert foul_cards.score is not None
        assert check(western, round_, [SURRENDERED | {"front": "2h"}, FULL_HOUSE, PLAIN]).score is None

    def test_r58_a_forgotten_surrender_is_corrected(self, western):
        round_ = western.play([QUEENS, FULL_HOUSE, PLAIN])
        asked = western.ask(round_, [QUEENS | SURRENDERED, FULL_HOUSE, PLAIN])
        changed = [hand for hand in comparison(asked).hands if hand.changed]
        assert [hand.changed for hand in changed] == [("surrender",)]
        western.approve(asked)
        assert [hand["surrendered"] for hand in answer_to(round_)["hands"]] == [True, False, False]


class TestAnnouncedBonuses:
    """R13: where bonuses are declared, only those announced before the reveal count."""

    @pytest.mark.parametrize(("royalties", "paid"), [([], False), (["back"], False), (["front"], True)])
    def test_r13_only_an_announced_bonus_is_paid(self, two_four, royalties, paid):
        round_ = two_four.play([TRIPS | {"royalties": royalties}, WEAK])
        assert ("bonus_front" in reasons(round_)) is paid

    def test_r13_announcing_is_a_set_whatever_its_order(self, two_four):
        round_, key = two_four.start(), two_four.key()
        two_four.settle(round_, [TRIPS | {"royalties": ["back", "front", "back"]}, WEAK], key=key)
        two_four.settle(round_, [TRIPS | {"royalties": ["front", "back"]}, WEAK], key=key)
        assert evidence(round_)["input"]["hands"][0]["royalties"] == ["front", "back"]
        other = [TRIPS | {"royalties": ["front"]}, WEAK]
        assert refused(two_four.settle, round_, other, key=key) == "key_reused"
        assert Settlement.objects.count() == 1

    def test_r13_a_segment_that_is_none_is_refused(self, two_four):
        assert (
            refused(two_four.settle, two_four.start(), [TRIPS | {"royalties": ["top"]}, WEAK]) == "bad_json"
        )

    def test_r58_an_announcement_read_wrong_is_corrected_and_the_same_one_changes_nothing(self, two_four):
        round_ = two_four.play([TRIPS | {"royalties": ["back", "front"]}, WEAK])
        same = [TRIPS | {"royalties": ["front", "back"], "misset": False, "declares": ""}, WEAK]
        assert refused(two_four.ask, round_, same) == "nothing_changes"
        two_four.approve(two_four.ask(round_, [TRIPS | {"royalties": ["back"]}, WEAK]))
        assert "bonus_front" not in reasons(round_)


class TestUnsetHands:
    """R25: where clean sweeps count as dealt, a declared hand need not be set."""

    def test_r25_an_unset_dragon_collects_from_everybody(self, western):
        round_ = western.start()
        fouls = [{"dealt": DRAGON, "declares": "dragon"}, {"misset": True}, {"misset": True}]
        western.settle(round_, fouls)
        answer = answer_to(round_)
        holder = round_.hands.all()[0].seat
        assert answer["hands"][0]["clean_sweep"] == "dragon"
        assert answer["hands"][0]["front"] is None
        assert {payment["to"] for payment in answer["payments"]} == {holder}
        assert {payment["points"] for payment in answer["payments"]} == {13}

    @pytest.mark.parametrize(
        ("game", "hand", "code"),
        [
            ("western", {"dealt": DRAGON}, "unset_hand"),
            ("western", {"dealt": DRAGON[3:], "declares": "dragon"}, "card_count"),
            ("western", {"dealt": DRAGON, "declares": "dragon"} | QUEENS, "bad_json"),
            ("western", {"dealt": DRAGON.replace("2s", "As"), "declares": "dragon"}, "duplicate_card"),
            ("pokerlistings", {"dealt": DRAGON, "declares": "three-flushes"}, "false_declaration"),
            ("face-up", {"dealt": DRAGON, "declares": "dragon"}, "unset_hand"),
        ],
    )
    def test_r25_an_unset_hand_that_cannot_be_is_refused(self, table_of, game, hand, code):
        table = table_of(game)
        table.seat("Ann", "Bob")
        assert refused(table.settle, table.start(), [hand, {"misset": True}]) == code
        assert not Settlement.objects.exists()

    def test_r22_a_false_declaration_of_an_unset_hand_is_a_foul_where_the_sheet_says_so(self, western):
        others = [{"misset": True}, {"misset": True}]
        round_ = western.play([{"dealt": DRAGON, "declares": "six-pairs"}, *others])
        assert [hand["foul"] for hand in answer_to(round_)["hands"]] == [True, True, True]

    def test_r25_its_clean_sweeps_are_known_once_all_thirteen_cards_are_there(self, western):
        round_ = western.start()
        others = [{"misset": True}, {"misset": True}]
        part = check(western, round_, [{"dealt": DRAGON[3:], "declares": "dragon"}, *others])
        assert (part.hands[0].setting.clean_sweeps, part.score) == ((), None)
        undeclared = check(western, round_, [{"dealt": DRAGON}, *others])
        setting = undeclared.hands[0].setting
        assert (setting.front, setting.foul) == (None, False)
        assert setting.clean_sweeps == ("dragon", "three-straights")
        assert (undeclared.score, undeclared.error) == (None, None)
        whole = check(western, round_, [{"dealt": DRAGON, "declares": "dragon"}, *others])
        assert whole.score.hands[0].clean_sweep == "dragon"

    @pytest.mark.parametrize(
        ("hand", "code"),
        [
            ({"dealt": "As As"}, "duplicate_card"),
            ({"dealt": "As Zz"}, "bad_card"),
            ({"dealt": f"{DRAGON} 2d"}, "card_count"),
            ({"dealt": "Ah"}, "duplicate_card"),  # it lies in the hand before
        ],
    )
    def test_r7_cards_of_an_unset_hand_are_checked_as_they_come(self, western, hand, code):
        round_ = western.start()
        checked = check(western, round_, [FULL_HOUSE, hand])
        assert checked.hands[1].error.code == code
        assert checked.score is None

    def test_r25_a_game_of_set_clean_sweeps_says_at_once_that_a_hand_must_be_set(self, game):
        game.seat("Ann", "Bob")
        checked = check(game, game.start(), [{"dealt": "As"}])
        assert checked.hands[0].error.code == "unset_hand"


class TestMissetHands:
    """R7 and R20: a mis-set hand is foul whatever its cards, and complete with any of them."""

    @pytest.mark.parametrize("cards", [{}, {"front": "As Ks Qs Js"}, {"front": "2c", "back": "Ah Kh"}])
    def test_r7_a_misset_hand_is_complete_with_any_cards(self, western, cards):
        checked = check(
            western, western.start(), [cards | {"misset": True}, FULL_HOUSE | {"front": "2d 2h 2s"}]
        )
        assert (checked.hands[0].error, checked.hands[0].setting.foul) == (None, True)
        assert set(checked.hands[0].setting.bonus.values()) == {0}

    def test_r20_where_fouls_play_a_misset_hand_needs_its_cards(self, western):
        raw = SHEETS["western"].raw.replace(b"version = 1", b"version = 2")
        sheet = parse_sheet(raw.replace(b"[foul]", b"[foul]\nplays = true"), "western.toml")
        TableSession.objects.update(sheet=keep_sheet(sheet, western.now))
        western.session = western.fresh_session()
        round_ = western.start()
        half = check(western, round_, [{"misset": True}, FULL_HOUSE, PLAIN])
        assert (half.score, half.error) == (None, None)
        assert refused(western.settle, round_, [{"misset": True}, FULL_HOUSE, PLAIN]) == "unset_hand"
        assert check(western, round_, [QUEENS | {"misset": True}, FULL_HOUSE, PLAIN]).score is not None


def test_what_is_empty_or_false_says_the_same_as_what_is_left_out(western):
    round_, key = western.start(), western.key()
    plain = [QUEENS, FULL_HOUSE, {"misset": True}]
    western.settle(round_, plain, key=key)
    nothing = {"declares": "", "surrenders": False, "royalties": [], "dealt": "", "fantasy_land": False}
    western.settle(round_, [hand | nothing for hand in plain], key=key)
    assert Settlement.objects.count() == 1
    assert refused(western.ask, round_, [hand | nothing for hand in plain]) == "nothing_changes"


def test_a_hand_of_which_nothing_is_entered_is_missing_its_setting(western):
    round_ = western.start()
    empty = {"front": "", "middle": "", "back": ""}
    assert refused(western.settle, round_, [empty, FULL_HOUSE, PLAIN]) == "unset_hand"
    entry = RoundEntry(round_.pk, western.key(), ())
    assert check_entry(western.session, round_, list(round_.hands.all()), entry.hands).score is None
