"""An entry has the keys that its address knows, each once: what was mistyped must not go unheard."""

import json

import pytest

KEY = {"key": "a-key-of-this-act"}
HAND = {"seat": 1, "front": "", "middle": "", "back": ""}
# What each address takes, and a key that somebody could take for one of its own.
MISTYPED = [
    ("POST", "sessions/{session}/rounds", {**KEY, "declined": [1]}, "declined"),
    ("POST", "sessions/{session}/rounds", {**KEY, "pair_stake": []}, "pair_stake"),
    ("PUT", "rounds/{round}/draft", {"version": 0, "hands": [], "key": "a-key-of-it"}, "key"),
    ("PUT", "rounds/{round}/draft", {"version": 0, "hands": [HAND | {"declare": "x"}]}, "declare"),
    ("POST", "rounds/{round}/settle", {**KEY, "hands": [], "reason": "none"}, "reason"),
    ("POST", "rounds/{round}/void", {**KEY, "reason": "a card", "because": "x"}, "because"),
    ("POST", "rounds/{round}/corrections", {**KEY, "hands": [], "reason": "x", "why": "y"}, "why"),
    ("POST", "rounds/{round}/corrections/check", {"hands": [], "version": 1}, "version"),
]


@pytest.fixture
def tablet(tablet_at, seated):
    tablet = tablet_at(seated)
    tablet.round = tablet.start()["id"]
    return tablet


@pytest.mark.parametrize(("method", "path", "body", "unknown"), MISTYPED)
def test_an_unknown_key_is_refused_by_name(tablet, method, path, body, unknown):
    there = path.format(session=tablet.session, round=tablet.round)
    refused = tablet(method, there, body, expect=400)
    assert refused["code"] == "bad_entry"
    assert refused["error"].startswith(f"{unknown} means nothing here.")


def test_a_refusal_of_a_key_names_those_that_there_are(tablet):
    refused = tablet("POST", f"rounds/{tablet.round}/settle", {**KEY, "hand": []}, expect=400)
    assert refused["error"] == "hand means nothing here. There is key, hands, shuffle, played_by."


def test_of_two_wrong_fields_the_refusal_names_the_one_declared_first(tablet):
    refused = tablet(
        "PUT", f"rounds/{tablet.round}/draft", {"hands": [{"seat": 9}], "version": -1}, expect=400
    )
    assert (refused["code"], refused["field"]) == ("bad_entry", "version")
    assert refused["error"] == "Version must be a whole number from 0 to 2147483648."


def test_null_says_the_same_as_a_field_left_out_where_the_document_says_so(tablet):
    hand = {"seat": 9, "position": None, "declares": None, "royalties": None}
    refused = tablet(
        "POST", f"rounds/{tablet.round}/settle", {**KEY, "shuffle": None, "hands": [hand]}, expect=400
    )
    assert refused["error"] == "Seat must be a whole number from 0 to 5."  # the only wrong field
    refused = tablet("POST", f"rounds/{tablet.round}/void", {**KEY, "reason": None}, expect=400)
    assert refused["error"] == "Reason must be a text of at most 200 characters."


def test_a_mistyped_key_starts_no_round(tablet_at):
    tablet = tablet_at("face-up", "Ann", "Bob", "Cat")
    tablet("POST", f"sessions/{tablet.session}/rounds", {**KEY, "declined": [3]}, expect=400)
    assert tablet.plan()["round"] is None


def test_a_key_that_occurs_twice_is_refused(tablet):
    sent = '{"key": "a-key-of-this-act", "reason": "one", "reason": "another"}'
    answer = tablet.client.post(f"/api/rounds/{tablet.round}/void", sent, content_type="application/json")
    assert answer.status_code == 400
    refused = json.loads(answer.content)
    assert (refused["code"], refused["error"]) == (
        "bad_json",
        "This can't be read: the key 'reason' occurs twice.",
    )


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("?declined=1", "declined means nothing here. There is decline, cash, two_hands, tablet."),
        ("?decline=1&decline=2", "decline occurs twice in the address."),
        ("?decline=99999999999999999999", "decline must be seats from 1 to 5 with commas between, as 2,4."),
        ("?cash=1_0", "cash must be seats from 1 to 5 with commas between, as 2,4."),
        ("?cash=%D9%A1", "cash must be seats from 1 to 5 with commas between, as 2,4."),
        ("?two_hands=6", "two_hands must be seats from 1 to 5 with commas between, as 2,4."),
    ],
)
def test_an_address_names_choices_that_there_are_once_each(tablet, query, sentence):
    refused = tablet("GET", f"sessions/{tablet.session}/plan{query}", expect=400)
    assert (refused["code"], refused["error"]) == ("bad_entry", sentence)
