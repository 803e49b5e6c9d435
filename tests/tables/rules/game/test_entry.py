"""What is refused, with which code, in which order;
and that nothing but a refusal ever comes of bad input (section 9)."""

import copy
import json

import pytest
from hypothesis import given, strategies as st

from ledger.records import canonical
from tables.rules import errors
from tables.rules.errors import RuleError
from tables.rules.game.rounds import RoundScore, describe, parse_round, score
from tests.support.chance import entries
from tests.support.play import CODES, SHEETS, at, entry, play, variant

CODES_OF_ROUNDS = set(
    "bad_json unknown_sheet bad_card card_count duplicate_card bad_seat bad_limit bad_stack hand_count"
    " false_declaration unknown_clean_sweep unset_hand no_surrender no_pair_stakes declares_and_surrenders"
    " not_in_fantasy_land".split()
)
FIRST = "2: Qs Qh 2c / 5c 6d 7h 8s 9s / Ad Kd 9d 4d 2d"
SECOND = "3: Ah Kc 8h / 3c 3d 7s 7c 4h / Ts Th Tc 6h 6c"


def good(sheet: str = "face-up") -> dict:
    return entry(sheet, FIRST, SECOND, button=2)


def refusal(value: object, sheets=SHEETS) -> RuleError:
    with pytest.raises(RuleError) as caught:
        parse_round(value, sheets)
    return caught.value


def with_hand(place: int = 0, sheet: str = "face-up", **changes) -> dict:
    value = good(sheet)
    value["hands"][place] |= changes
    return value


def without(value: dict, *path) -> dict:
    value = copy.deepcopy(value)
    inner = value
    for key in path[:-1]:
        inner = inner[key]
    del inner[path[-1]]
    return value


def test_every_code_of_the_score_format_has_one_class():
    classes = [
        kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, RuleError)
    ]
    codes = [kind.code for kind in classes if kind is not RuleError]
    assert len(codes) == len(set(codes))
    assert set(codes) == CODES_OF_ROUNDS | {"bad_sheet", "batch_unfit", "bad_points"}
    assert all(kind.__doc__ for kind in classes)


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("bad_json", None),
        ("bad_json", []),
        ("bad_json", "round"),
        ("bad_json", 7),
        ("bad_json", {}),
        ("bad_json", good() | {"players": 2}),
        ("bad_json", without(good(), "limit")),
        ("bad_json", without(good(), "button")),
        ("bad_json", without(good(), "hands")),
        ("bad_json", good() | {"hands": {"2": {}}}),
        ("bad_json", good() | {"hands": [None, None]}),
        ("bad_json", good() | {"version": "1"}),
        ("bad_json", good() | {"version": True}),
        ("bad_json", good() | {"version": None}),
        ("bad_json", good("2-4") | {"pair_stakes": {"seats": [2, 3], "limit": "5.00"}}),
        ("bad_json", good("2-4") | {"pair_stakes": [{"seats": [2, 3]}]}),
        ("bad_json", good("2-4") | {"pair_stakes": [{"seats": [2, 3], "limit": "5.00"}] * 2}),
        ("bad_json", with_hand(front=None)),
        ("bad_json", with_hand(back=["Ad", "Kd", "9d", "4d", "2d"])),
        ("bad_json", with_hand(misset="yes")),
        ("bad_json", with_hand(surrenders=1)),
        ("bad_json", with_hand(declares=True)),
        ("bad_json", with_hand(royalties="back")),
        ("bad_json", with_hand(royalties=["broken"])),
        ("bad_json", with_hand(royalties=[["back"]])),
        ("bad_json", with_hand(surrender=True)),
        ("bad_json", with_hand(sheet="2-4", dealt="As", declares="dragon")),
        ("bad_json", without(good(), "hands", 0, "seat")),
        ("bad_json", without(good(), "hands", 0, "stack")),
        ("unknown_sheet", good("northern")),
        ("unknown_sheet", good() | {"sheet": ["face-up"]}),
        ("unknown_sheet", good() | {"version": 2}),
        ("unknown_sheet", good() | {"version": 10**6000}),
        ("bad_seat", good() | {"button": 0}),
        ("bad_seat", good() | {"button": True}),
        ("bad_seat", good() | {"button": 2.0}),
        ("bad_seat", with_hand(seat=6)),
        ("bad_seat", with_hand(seat="2")),
        ("bad_seat", with_hand(seat=True)),
        ("bad_seat", with_hand(seat=10**6000)),
        ("bad_seat", good("2-4") | {"pair_stakes": [{"seats": [2, 4], "limit": "5.00"}]}),
        ("bad_seat", good("2-4") | {"pair_stakes": [{"seats": [2, 2], "limit": "5.00"}]}),
        ("bad_seat", good("2-4") | {"pair_stakes": [{"seats": [2], "limit": "5.00"}]}),
        ("bad_limit", good("2-4") | {"pair_stakes": [{"seats": [2, 3], "limit": "0.00"}]}),
        ("no_pair_stakes", good() | {"pair_stakes": [{"seats": [2, 3], "limit": "5.00"}]}),
        ("hand_count", good() | {"hands": []}),
        ("hand_count", good() | {"hands": good()["hands"][:1]}),
        ("hand_count", good() | {"hands": good()["hands"] * 3}),
        ("hand_count", with_hand(1, seat=2)),
        ("hand_count", good("criss-cross")),
        ("unset_hand", entry("face-up", "2: ", SECOND)),
        (
            "unset_hand",
            with_hand(misset=False, surrenders=False)
            | {"hands": [{"seat": 1, "stack": "1.00"}, good()["hands"][0]]},
        ),
        ("card_count", with_hand(front="Qs Qh")),
        ("card_count", with_hand(front="")),
        ("card_count", with_hand(middle="5c 6d 7h 8s 9s 3s")),
        ("card_count", with_hand(front="Qs Qh 2c 5c", middle="6d 7h 8s 9s")),
        ("card_count", entry("2-4", "2: dealt 2c 3c, declares dragon", SECOND)),
        ("bad_card", with_hand(front="Qs Qh 1c")),
        ("bad_card", with_hand(front="qs Qh 2c")),
        ("bad_card", with_hand(front="QsQh2c")),
        ("bad_card", entry("2-4", "2: dealt 2c 3x, declares dragon", SECOND)),
        ("duplicate_card", with_hand(front="Qs Qs 2c")),
        ("duplicate_card", with_hand(1, front="Ah Kc Qs")),
        ("duplicate_card", entry("face-up", "2: Qs Qs, misset".replace("Qs Qs", "Qs Qs / / "), SECOND)),
        ("not_in_fantasy_land", with_hand(sheet="2-4", fantasy_land=True)),
        ("no_surrender", with_hand(surrenders=True)),
    ],
)
def test_r7_malformed_entries_are_refused_with_the_code_that_fits(code, value):
    assert refusal(value).code == code


AMOUNTS = [
    "5", "5.0", "5.000", "-5.00", "+5.00", " 5.00", "5.00 ", "5.00\n", "5,00", ".50", "5.", "1e3", "1e999",
    "NaN", "٥.00", "٥.٠٠", "0x5.00", "1_0.00", "", "9" * 14 + ".00", "9" * 5000 + ".00", 5, 5.0,
    True, None, [], {}, 1e999, float("nan"), 10**6000,
]  # fmt: skip


@pytest.mark.parametrize("amount", AMOUNTS, ids=[f"amount {place}" for place in range(len(AMOUNTS))])
def test_amounts_are_texts_with_two_places_and_nothing_else(amount):
    assert refusal(good() | {"limit": amount}).code == "bad_limit"
    assert refusal(with_hand(stack=amount)).code == "bad_stack"


def test_a_limit_is_above_nothing_and_a_stack_may_be_nothing():
    assert refusal(good() | {"limit": "0.00"}).code == "bad_limit"
    assert parse_round(with_hand(stack="0.00"), SHEETS).hands[0].stack_cents == 0


def test_r35_both_hands_of_a_player_have_one_stack_and_no_seat_has_three():
    two = ("1: , misset", "2: , misset", "1: , misset", "2: , misset")
    assert len(play("2-4", *two).hands) == 4
    assert refusal(entry("2-4", *two[:3], "2: , misset, stack 1.00")).code == "bad_stack"
    assert refusal(entry("2-4", *two[:3])).code == "hand_count"
    assert refusal(entry("2-4", two[0], two[0], two[0], two[1])).code == "hand_count"
    assert refusal(entry("2-4", two[0], two[0], two[1], "3: , misset")).code == "hand_count"
    assert refusal(entry("first-to-11", *two)).code == "hand_count"


@pytest.mark.parametrize(
    ("code", "value"),
    [
        # The whole round's form before cards, cards before declarations, whatever hand they are in.
        (
            "bad_stack",
            entry("face-up", "2: Qs Qs 2c / 5c 6d 7h 8s 9s / Ad Kd 9d 4d 2d", SECOND + ", stack 5"),
        ),
        ("bad_card", entry("face-up", FIRST + ", declares dragon", SECOND.replace("6c", "6x"))),
        ("no_surrender", entry("face-up", FIRST + ", surrenders, declares dragon", SECOND)),
        ("declares_and_surrenders", entry("2-4", FIRST + ", surrenders, declares seven-pairs", SECOND)),
        ("unknown_clean_sweep", entry("2-4", FIRST + ", declares seven-pairs, fantasy", SECOND)),
        ("not_in_fantasy_land", entry("2-4", FIRST + ", declares dragon, fantasy", SECOND)),
        ("false_declaration", entry("face-up", FIRST + ", declares dragon, fantasy", SECOND)),
        # Hand by hand in the order of the entry.
        ("false_declaration", entry("2-4", FIRST + ", declares dragon", SECOND + ", declares seven-pairs")),
        ("unknown_clean_sweep", entry("2-4", SECOND + ", declares seven-pairs", FIRST + ", declares dragon")),
    ],
)
def test_checks_run_in_the_order_of_the_rules(code, value):
    assert refusal(value).code == code


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (with_hand(1, front="Ah Kc Qs"), ("seat 3", "Qs")),
        (with_hand(1, front="Ah Kc 1h"), ("seat 3", "1h")),
        (with_hand(1, front="Ah Kc"), ("seat 3", "front")),
        (with_hand(1, declares="dragon"), ("seat 3", "dragon")),
        (with_hand(1, stack="x"), ("seat 3",)),
    ],
)
def test_r7_messages_name_the_seat_and_the_card(value, said):
    message = refusal(value).message
    assert all(word in message for word in said)
    assert refusal(value).field.startswith("hands.1")


def test_hostile_text_never_reaches_a_message_as_it_is():
    for text in ("\ud800", "\x1b[2J", "x" * 10_000):
        for value in (
            good(text),
            with_hand(front=text + " Qh 2c"),
            with_hand(declares=text),
            with_hand(**{text: 1}),
        ):
            message = refusal(value).message
            assert message.isascii()
            assert message.isprintable()
            assert len(message) < 200


def test_the_highest_version_counts_where_none_is_named():
    sheets = variant("2-4", "version = 1")
    newer = variant("1-6", "version = 2").find("house")
    sheets = sheets.with_sheet(newer)
    assert parse_round(good("house"), sheets).sheet.version == 2
    assert parse_round(good("house") | {"version": 1}, sheets).sheet.version == 1


def test_royalties_are_ignored_where_they_are_not_declared():
    assert at(play("face-up", FIRST + ", royalties front", SECOND), 2).counted == (7, 4, 4, 0)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
    | st.sampled_from(["5.00", "face-up", "2-4", "Qs Qh 2c", "dragon", 10**4000, -(10**4000)]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


def refused(action, *values: object) -> RuleError | None:
    """The refusal of an action, None if it was done; whatever else it raises fails the test."""
    try:
        action(*values)
    except RuleError as fault:
        return fault
    return None


def settle(value: object) -> None:
    result = score(parse_round(value, SHEETS))
    assert isinstance(result, RoundScore)
    assert canonical.text(result.as_json()) == result.as_text()


def settled_or_refused(value: object) -> None:
    fault = refused(settle, value)
    if fault is not None:
        assert fault.code in CODES_OF_ROUNDS
        assert json.dumps([fault.message, fault.code]).isascii()


@given(values)
def test_any_json_value_is_settled_or_refused(value):
    settled_or_refused(value)


@pytest.mark.parametrize("code", CODES)
@given(data=st.data(), other=values, where=st.integers(0, 2**32))
def test_a_round_with_any_part_replaced_or_removed_is_settled_or_refused(code, data, other, where):
    value = data.draw(entries(codes=[code]))
    value.setdefault("pair_stakes", [])
    for hand in value["hands"]:
        for key in ("declares", "dealt", "fantasy_land", "surrenders"):
            if where % 7 == 0:
                hand.setdefault(key, other)
    paths = list(_paths(value))
    *path, last = paths[where % len(paths)]
    inner = value
    for key in path:
        inner = inner[key]
    if where % 3 == 0:
        del inner[last]
    else:
        inner[last] = other
    settled_or_refused(value)


def _paths(value, path=()):
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield (*path, key)
        yield from _paths(inner, (*path, key))


@given(
    st.lists(st.text(max_size=3) | st.sampled_from(["As", "Kd", "Qc", "Jh", "Ts", "9d", "8c"]), max_size=6),
    st.lists(st.sampled_from(["2s", "3d", "4c", "5h", "6s", "7d", "8c"]), max_size=6),
    st.sampled_from(CODES),
)
def test_any_texts_for_a_hand_being_laid_are_described_or_refused(front, middle, code):
    fault = refused(describe, front, middle, [], SHEETS.find(code))
    assert fault is None or fault.code in {"bad_card", "card_count", "duplicate_card"}
