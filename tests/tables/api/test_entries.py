"""Each field of the API's entries: what it takes, what the verb gets, and the words of its refusal."""

import pytest

from ledger.errors import Refusal
from tables.api import views
from tables.api.entries import DRAFT, HAND, PLAN, START

KEY = {"key": "a-key-of-this-act"}
TEXT = "a text of at most {} characters"
SEATS = "a list of seats from 1 to 5"
VERSION = "Version must be a whole number from 0 to 2147483648."
ROYALTIES = "Royalties must be a list of front, middle and back."
SETTLE, VOID = views.SettleView.entry, views.VoidView.entry
WRONG = [
    (VOID, [], None, "Send one JSON object."),
    (VOID, {}, "key", "The key must be a text of 8 to 64 characters without a slash."),
    (VOID, {"key": "1234567"}, "key", "The key must be a text of 8 to 64 characters without a slash."),
    (VOID, {"key": "k" * 65}, "key", "The key must be a text of 8 to 64 characters without a slash."),
    (VOID, {"key": "schlüssel"}, "key", "The key must be a text of 8 to 64 characters without a slash."),
    (VOID, {"key": "a-key\nof-it"}, "key", "The key must be a text of 8 to 64 characters without a slash."),
    (VOID, {"key": "a-key/round"}, "key", "The key must be a text of 8 to 64 characters without a slash."),
    (VOID, {**KEY, "reason": "x" * 201}, "reason", f"Reason must be {TEXT.format(200)}."),
    (VOID, {**KEY, "reason": None}, "reason", f"Reason must be {TEXT.format(200)}."),
    (VOID, {**KEY, "reason": "one\ntwo"}, "reason", f"Reason must be {TEXT.format(200)}."),
    (DRAFT, {"hands": []}, "version", VERSION),
    (DRAFT, {"version": True, "hands": []}, "version", VERSION),
    (DRAFT, {"version": 2**31 + 1, "hands": []}, "version", VERSION),
    (DRAFT, {"version": 0}, "hands", "Hands must be a list of at most 4."),
    (DRAFT, {"version": 0, "hands": [{"seat": 1}] * 5}, "hands", "Hands must be a list of at most 4."),
    (DRAFT, {"version": 0, "hands": [5]}, "hands", "A hand must be a JSON object."),
    (DRAFT, {"version": 0, "hands": [{"seat": 1}, {"seat": 1}]}, "seat", "A seat has been entered twice."),
    (HAND, {}, "seat", "Seat must be a whole number from 0 to 5."),
    (HAND, {"seat": 6}, "seat", "Seat must be a whole number from 0 to 5."),
    (HAND, {"seat": 1.0}, "seat", "Seat must be a whole number from 0 to 5."),
    (HAND, {"seat": 1, "position": 5}, "position", "Position must be a whole number from 0 to 4."),
    (HAND, {"seat": 1, "front": None}, "front", f"Front must be {TEXT.format(60)}."),
    (HAND, {"seat": 1, "dealt": "x" * 61}, "dealt", f"Dealt must be {TEXT.format(60)}."),
    (HAND, {"seat": 1, "declares": "x" * 31}, "declares", f"Declares must be {TEXT.format(30)}."),
    (HAND, {"seat": 1, "fantasy_land": 1}, "fantasy_land", "Fantasy land must be true or false."),
    (HAND, {"seat": 1, "royalties": ["top"]}, "royalties", ROYALTIES),
    (HAND, {"seat": 1, "royalties": [[]]}, "royalties", ROYALTIES),
    (START, {**KEY, "decline": [0]}, "decline", f"Decline must be {SEATS}."),
    (START, {**KEY, "cash": [True]}, "cash", f"Cash must be {SEATS}."),
    (START, {**KEY, "two_hands": None}, "two_hands", f"Two hands must be {SEATS}."),
    (START, {**KEY, "pair_stakes": [{"seats": [1, 2]}]}, "pair_stakes",
     "Pair stakes must be a list, each with seats and a limit."),
    (START, {**KEY, "match_stake": "50"}, "match_stake",
     "A match stake is an amount with two places, as in 50.00."),
    (PLAN, {"decline": "6"}, "decline", "decline must be seats from 1 to 5 with commas between, as 2,4."),
]  # fmt: skip
STAKES = [
    ([{"seats": [1], "limit": "1.00"}], "bad_seat", "A stake is between two seats."),
    ([{"seats": [1, 2, 3], "limit": "1.00"}], "bad_seat", "A stake is between two seats."),
    ([{"seats": [1, 6], "limit": "1.00"}], "bad_seat", "A stake is between two seats."),
    ([{"seats": [1, 2], "limit": 1}], "bad_limit", "A stake is an amount with two places, as in 10.00."),
    (
        [{"seats": [1, 2], "limit": "1.00"}, {"seats": [2, 1], "limit": "2.00"}],
        "bad_entry",
        "Seats 1 and 2 have two stakes.",
    ),
]


@pytest.mark.parametrize(("entry", "sent", "field", "sentence"), WRONG)
def test_what_a_field_does_not_take_is_refused_in_its_words(entry, sent, field, sentence):
    with pytest.raises(Refusal) as refused:
        entry.read(sent)
    code = "bad_limit" if field == "match_stake" else "bad_entry"
    assert refused.value.as_json() == {"code": code, "error": sentence, "field": field}


@pytest.mark.parametrize(("stakes", "code", "sentence"), STAKES)
def test_r32_a_stake_is_of_two_seats_once_with_an_amount(stakes, code, sentence):
    with pytest.raises(Refusal) as refused:
        START.read({**KEY, "pair_stakes": stakes})
    assert refused.value.as_json() == {"code": code, "error": sentence, "field": "pair_stakes"}


def test_a_start_gives_the_verb_what_it_calls_by_other_names():
    sent = {
        **KEY,
        "decline": [5, 3, 5],
        "cash": [2],
        "two_hands": [1, 4],
        "pair_stakes": [{"seats": [4, 1], "limit": "10.00"}],
        "reserved": True,
        "match_stake": "50.00",
        "played_by": 7,
    }
    assert START.read(sent) == {
        **KEY,
        "declined": [3, 5],
        "in_cash": [2],
        "two_hands": [1, 4],
        "pair_stakes": {(1, 4): 1000},
        "reserved": True,
        "match_stake_cents": 5000,
        "played_by": 7,
    }
    assert PLAN.read({"decline": "4,,2", "cash": ""}) == {
        "declined": [2, 4],
        "in_cash": [],
        "two_hands": (),
        "tablet": "",
    }


def test_hands_are_read_in_the_score_format_by_seat():
    hands = [
        {"seat": 2, "position": 1, "front": " Qs  Qh 2c ", "declares": "", "misset": False},
        {"seat": 1, "position": None, "dealt": "As Kd", "royalties": ["back", "front", "back"]},
    ]
    assert DRAFT.read({"version": 0, "hands": hands})["hands"] == (
        {"seat": 1, "front": "", "middle": "", "back": "", "dealt": "As Kd", "royalties": ["front", "back"]},
        {"seat": 2, "position": 1, "front": "Qs Qh 2c", "middle": "", "back": ""},
    )
    assert SETTLE.read({**KEY, "hands": [], "shuffle": None}) == {
        **KEY,
        "hands": (),
        "shuffle": None,
        "played_by": None,
    }
