"""The dealer's tablet: every address, what it answers, and what it refuses in which words."""

import html
import json
import re
from datetime import timedelta

import pytest

from ledger.models import JournalEntry
from tables.models import Round, Settlement, TableSession
from tests.support.game import FULL_HOUSE, PLAIN, QUEENS


@pytest.fixture
def tablet(client, seated):
    """A signed-in dealer's tablet at a table where Ann and Bob sit."""
    client.force_login(seated.dealer)

    def call(method, path, body=None, expect=200):
        answer = client.generic(
            method,
            f"/api/{path}",
            json.dumps(body) if body is not None else "",
            content_type="application/json",
        )
        assert answer.status_code == expect, answer.content
        return answer.json()

    call.client = client
    call.session = seated.session.pk
    return call


def start(tablet, **body):
    return tablet("POST", f"sessions/{tablet.session}/rounds", {"key": "start-the-round", **body}, expect=201)


def hands(*cards):
    return [{"seat": seat, **hand} for seat, hand in enumerate(cards, 1)]


def test_the_plan_says_who_is_dealt_in_and_what_they_pay(tablet):
    plan = tablet("GET", f"sessions/{tablet.session}/plan")
    assert plan["can_start"] is True
    assert [(seat["seat"], seat["player"], seat["stack"], seat["fee"]) for seat in plan["dealt_in"]] == [
        (1, "Ann", "300.00", {"amount": "10.00", "rule": "full", "how": "stack", "following": ""}),
        (2, "Bob", "300.00", {"amount": "10.00", "rule": "full", "how": "stack", "following": ""}),
    ]


def test_the_plan_shows_choices_before_they_are_made(tablet):
    plan = tablet("GET", f"sessions/{tablet.session}/plan?decline=2&cash=1")
    assert plan["can_start"] is False
    assert plan["why_not"].startswith("A round needs two players")
    assert {seat["seat"]: seat["reason"] for seat in plan["waiting"]} == {1: None, 2: "declined"}


def test_a_round_from_start_to_settled(tablet, game):
    round_ = start(tablet)
    assert [(hand["seat"], hand["position"], hand["stack"]) for hand in round_["hands"]] == [
        (1, 1, "290.00"),
        (2, 2, "290.00"),
    ]
    draft = tablet(
        "PUT", f"rounds/{round_['id']}/draft", {"version": 0, "hands": hands({"front": "Qs Qh 2c"})}
    )
    assert draft["hands"][0]["front"] == "pair"
    assert draft["complete"] is False
    draft = tablet("PUT", f"rounds/{round_['id']}/draft", {"version": 1, "hands": hands(QUEENS, FULL_HOUSE)})
    assert draft["complete"] is True
    assert draft["score"]["payments"][0]["lines"]
    settled = tablet(
        "POST",
        f"rounds/{round_['id']}/settle",
        {
            "key": "confirm-it",
            "hands": hands(QUEENS, FULL_HOUSE),
            "shuffle": {"order": "As -", "deck": "blue"},
        },
    )
    assert settled["state"] == "settled"
    assert settled["settlement"]["names"] == {"1": "Ann", "2": "Bob"}
    assert settled["settlement"]["net"] == draft["score"]["net"]


def test_a_reload_finds_what_was_entered(tablet):
    round_ = start(tablet)
    tablet("PUT", f"rounds/{round_['id']}/draft", {"version": 0, "hands": hands({"front": "Qs Qh 2c"})})
    again = tablet("GET", f"sessions/{tablet.session}/plan")["round"]
    assert again["draft"]["hands"][0]["front"] == "Qs Qh 2c"
    assert again["draft_version"] == 1
    assert again["check"]["hands"][0]["front"] == "pair"


def test_a_stale_draft_answers_the_newer_one(tablet):
    round_ = start(tablet)
    tablet("PUT", f"rounds/{round_['id']}/draft", {"version": 0, "hands": hands({"front": "Qs"})})
    stale = tablet("PUT", f"rounds/{round_['id']}/draft", {"version": 0, "hands": []}, expect=409)
    assert (stale["code"], stale["version"], stale["draft"]["hands"][0]["front"]) == ("stale_page", 1, "Qs")


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"hands": hands(QUEENS, FULL_HOUSE)}, 400, "bad_entry"),
        ({"key": "short", "hands": hands(QUEENS, FULL_HOUSE)}, 400, "bad_entry"),
        (
            {"key": "confirm-it", "hands": hands(QUEENS, FULL_HOUSE), "shuffle": {"deck": 3.5}},
            400,
            "bad_json",
        ),
        ({"key": 5, "hands": hands(QUEENS, FULL_HOUSE)}, 400, "bad_entry"),
        ({"key": "k" * 65, "hands": hands(QUEENS, FULL_HOUSE)}, 400, "bad_entry"),
        ({"key": "confirm-it", "hands": "QsQh"}, 400, "bad_entry"),
        ({"key": "confirm-it", "hands": [5]}, 400, "bad_entry"),
        ({"key": "confirm-it", "hands": [{"seat": True}]}, 400, "bad_entry"),
        ({"key": "confirm-it", "hands": [{"seat": 1, "tip": "5.00"}]}, 400, "bad_entry"),
        ({"key": "confirm-it", "hands": [{"seat": 1, "front": ["Qs"]}]}, 400, "bad_entry"),
        ({"key": "confirm-it", "hands": [{"seat": 1, "misset": "yes"}]}, 400, "bad_entry"),
        ({"key": "confirm-it", "hands": [{"seat": 1}, {"seat": 1}]}, 400, "bad_entry"),
        ({"key": "confirm-it", "hands": hands(QUEENS)}, 400, "hand_missing"),
        ({"key": "confirm-it", "hands": [{"seat": 4, **QUEENS}, *hands(QUEENS)]}, 400, "hand_for_empty_seat"),
        ({"key": "confirm-it", "hands": hands({**QUEENS, "front": "Qs Qh 1x"}, FULL_HOUSE)}, 400, "bad_card"),
        ({"key": "confirm-it", "hands": hands({**QUEENS, "front": "Qs Qh"}, FULL_HOUSE)}, 400, "card_count"),
        (
            {"key": "confirm-it", "hands": hands({**QUEENS, "front": "Qs Qh Ah"}, FULL_HOUSE)},
            400,
            "duplicate_card",
        ),
        (
            {"key": "confirm-it", "hands": hands({**QUEENS, "fantasy_land": True}, FULL_HOUSE)},
            400,
            "fantasy_land_not_earned",
        ),
        (
            {"key": "confirm-it", "hands": hands({**QUEENS, "declares": "dragon"}, FULL_HOUSE)},
            400,
            "false_declaration",
        ),
        ([], 400, "bad_entry"),
        ("text", 400, "bad_entry"),
    ],
)
def test_bad_input_is_refused_with_a_code_and_a_sentence_and_settles_nothing(tablet, body, status, code):
    round_ = start(tablet)
    entries = JournalEntry.objects.count()
    answer = tablet("POST", f"rounds/{round_['id']}/settle", body, expect=status)
    assert answer["code"] == code
    assert answer["error"].endswith((".", "twice", "card", "cards")) or " " in answer["error"]
    assert set(answer) == {"code", "error", "field"}
    assert JournalEntry.objects.count() == entries
    assert Round.objects.get().state == "dealt"


def test_text_that_is_no_json_is_refused(tablet):
    answer = tablet.client.generic(
        "POST", f"/api/sessions/{tablet.session}/rounds", "{not json", content_type="application/json"
    )
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_json")


def test_a_double_tap_settles_once_and_answers_the_same(tablet):
    round_ = start(tablet)
    body = {"key": "confirm-it", "hands": hands(QUEENS, FULL_HOUSE)}
    first = tablet("POST", f"rounds/{round_['id']}/settle", body)
    assert tablet("POST", f"rounds/{round_['id']}/settle", body) == first
    assert Settlement.objects.count() == 1


def test_another_key_and_other_cards_meet_a_conflict(tablet):
    round_ = start(tablet)
    path = f"rounds/{round_['id']}/settle"
    tablet("POST", path, {"key": "confirm-it", "hands": hands(QUEENS, FULL_HOUSE)})
    other = {"key": "confirm-it", "hands": hands(PLAIN, FULL_HOUSE)}
    assert tablet("POST", path, other, expect=409)["code"] == "key_reused"
    late = {"key": "another-tap", "hands": hands(QUEENS, FULL_HOUSE)}
    assert tablet("POST", path, late, expect=409)["code"] == "already_settled"


def test_a_misdeal_voids_the_round(tablet):
    round_ = start(tablet)
    assert tablet("POST", f"rounds/{round_['id']}/void", {"key": "void-it-now", "reason": ""}, expect=400)[
        "code"
    ] == ("reason_required")
    voided = tablet("POST", f"rounds/{round_['id']}/void", {"key": "void-it-now", "reason": "boxed card"})
    assert voided["state"] == "void"


def test_the_tablet_lets_a_dealer_type_exactly_the_reason_that_the_house_takes(tablet):
    page = tablet.client.get(f"/dealer/sessions/{tablet.session}/").content.decode()
    longest = int(re.search(r'id="misdeal-reason"[^>]* maxlength="([0-9]+)"', page)[1])
    words = json.loads(html.unescape(re.search(r'data-words="([^"]*)"', page)[1]))
    assert words["reason_length"] == longest
    path = f"rounds/{start(tablet)['id']}/void"
    refused = tablet("POST", path, {"key": "void-it-now", "reason": "x" * (longest + 1)}, expect=400)
    assert (refused["code"], refused["field"]) == ("bad_entry", "reason")
    assert tablet("POST", path, {"key": "void-it-now", "reason": "x" * longest})["state"] == "void"


def test_a_correction_is_asked_on_the_tablet_and_approved_by_the_floor(tablet, game):
    round_ = start(tablet)
    tablet("POST", f"rounds/{round_['id']}/settle", {"key": "confirm-it", "hands": hands(QUEENS, FULL_HOUSE)})
    asked = tablet(
        "POST",
        f"rounds/{round_['id']}/corrections",
        {"key": "correct-it", "hands": hands(PLAIN, FULL_HOUSE), "reason": "wrong front"},
        expect=201,
    )
    assert asked["state"] == "asked"
    assert set(asked["difference"]) == {"1", "2"}
    refusal = tablet("POST", f"corrections/{asked['id']}/approve", {"key": "approve-it"}, expect=403)
    assert refusal["code"] == "not_allowed"
    tablet.client.force_login(game.floor)
    approved = tablet("POST", f"corrections/{asked['id']}/approve", {"key": "approve-it"})
    assert approved["state"] == "approved"
    assert tablet("GET", f"rounds/{round_['id']}")["settlement"]["corrected"] is True


@pytest.mark.parametrize(
    "path",
    ["sessions/99/plan", "rounds/99", "sessions/99/rounds", "rounds/99/settle", "corrections/99/approve"],
)
def test_what_is_not_there_is_not_found_in_the_one_shape(tablet, path):
    method = "GET" if path in ("sessions/99/plan", "rounds/99") else "POST"
    answer = tablet(
        method, path, {"key": "some-key-12", "hands": []} if method == "POST" else None, expect=404
    )
    assert answer["code"] == "not_found"


@pytest.mark.parametrize("query", ["decline=x", "decline=9", "cash=1.5"])
def test_seats_are_numbers_from_1_to_5(tablet, query):
    assert tablet("GET", f"sessions/{tablet.session}/plan?{query}", expect=400)["code"] == "bad_entry"


def test_a_regulator_reads_and_changes_nothing(tablet, regulator):
    round_ = start(tablet)
    tablet.client.force_login(regulator)
    tablet("GET", f"rounds/{round_['id']}")
    for method, path in [
        ("PUT", f"rounds/{round_['id']}/draft"),
        ("POST", f"rounds/{round_['id']}/settle"),
        ("POST", f"rounds/{round_['id']}/void"),
        ("POST", f"sessions/{tablet.session}/rounds"),
    ]:
        body = {"key": "some-key-12", "version": 0, "hands": hands(QUEENS, FULL_HOUSE), "reason": "no"}
        assert tablet(method, path, body, expect=403)["code"] == "not_allowed"


def test_nobody_is_served_without_signing_in(client, game):
    answer = client.get(f"/api/sessions/{game.session.pk}/plan")
    assert (answer.status_code, answer.json()["code"]) == (403, "not_signed_in")


def test_text_that_no_record_can_hold_is_refused_and_the_round_stays_readable(tablet):
    round_ = start(tablet)
    draft = {"version": 0, "hands": [{"seat": 1, "front": "\ud800"}]}
    assert tablet("PUT", f"rounds/{round_['id']}/draft", draft, expect=400)["code"] == "bad_entry"
    void = {"key": "void-it-now", "reason": "\ud800"}
    assert tablet("POST", f"rounds/{round_['id']}/void", void, expect=400)["code"] == "bad_entry"
    tablet("GET", f"rounds/{round_['id']}")


def test_json_nested_without_end_is_refused(tablet):
    body = '{"a":' * 100_000
    answer = tablet.client.generic(
        "POST", f"/api/sessions/{tablet.session}/rounds", body, content_type="application/json"
    )
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_json")


def test_the_plan_of_a_closed_table_says_so(tablet, game, floor2):
    game.cash_out(1)
    game.cash_out(2)
    game.close(floor2)
    plan = tablet("GET", f"sessions/{tablet.session}/plan")
    assert (plan["can_start"], plan["why_not"]) == (False, "This table has been closed.")


def test_one_player_alone_is_not_called_the_fifth(tablet, game):
    game.cash_out(2)
    waiting = tablet("GET", f"sessions/{tablet.session}/plan")["waiting"]
    assert waiting[0]["sentence"] == "Ann can be dealt in once another player can."


def test_other_cards_for_a_settled_round_are_judged_before_anybody_is_asked(tablet):
    round_ = start(tablet)
    tablet("POST", f"rounds/{round_['id']}/settle", {"key": "confirm-it", "hands": hands(QUEENS, FULL_HOUSE)})
    path = f"rounds/{round_['id']}/corrections/check"
    same = tablet("POST", path, {"hands": hands(QUEENS, FULL_HOUSE)})
    assert same["difference"] == {"1": "0.00", "2": "0.00"}
    other = tablet("POST", path, {"hands": hands(PLAIN, FULL_HOUSE)})
    assert other["hands"][0]["back"] == "trips"
    assert set(other["difference"].values()) != {"0.00"}
    half = tablet("POST", path, {"hands": [{"seat": 1, "front": "Qs Qh 2c"}]})
    assert (half["complete"], half["difference"]) == (False, {})
    assert tablet("GET", f"sessions/{tablet.session}/plan")["corrections"] == []


def test_what_became_of_a_correction_is_told_with_the_plan(tablet, game):
    round_ = start(tablet)
    tablet("POST", f"rounds/{round_['id']}/settle", {"key": "confirm-it", "hands": hands(QUEENS, FULL_HOUSE)})
    asking = {"key": "correct-it", "hands": hands(PLAIN, FULL_HOUSE), "reason": "wrong front"}
    asked = tablet("POST", f"rounds/{round_['id']}/corrections", asking, expect=201)

    def told():
        (correction,) = tablet("GET", f"sessions/{tablet.session}/plan")["corrections"]
        return correction["number"], correction["state"], correction["decision_reason"]

    assert told() == (1, "asked", "")
    tablet.client.force_login(game.floor)
    tablet("POST", f"corrections/{asked['id']}/refuse", {"reason": "it was right"})
    tablet.client.force_login(game.dealer)
    assert told() == (1, "refused", "it was right")


def test_r65_a_server_whose_clock_is_behind_the_tables_records_says_so_and_starts_nothing(tablet_at):
    tablet = tablet_at("face-up", "Ann", "Bob")
    TableSession.objects.update(latest_at=tablet.game.now + timedelta(minutes=5))
    assert tablet.start(503)["code"] == "clock_behind"
    assert not Round.objects.exists()
