"""Seats in the log: played nights are found right, and whatever a record says otherwise of seats,
chips or claims is named."""

import copy

import pytest

from tables.floor import opening
from tests.support.acting import acting
from tests.support.changed_records import changed, leaves, other
from tests.support.game import HANDS, LOW, PLAIN, QUEENS
from tests.support.kept import kept
from tests.support.lengths import LONG
from tests.support.nights import play_a_night
from tests.support.race import STAKE, wins
from tests.support.replayed import bodies, replayed

pytestmark = pytest.mark.django_db


def close(table, second):
    for seat in table.stacks():
        table.cash_out(seat)
    table.close(second)


@kept
def night(game, beside, floor2):
    """Two tables: claims and claims taken back, a void, a fifth who waits, a move, an add-on, a new box,
    a late entry."""
    game.seat("Ann", "Bob", "Cat", "Dan", "Eve")
    first = game.play()
    game.minute(15).cash_out(2)
    game.approve(game.ask(first, HANDS[::-1]), actor=floor2)
    game.approve(game.ask(first, HANDS), actor=floor2)
    game.void(game.start())
    beside.minute(28).buy_in("Bob", 1)
    game.minute(30).move(5, beside, 2, ordered=True)
    game.add_on(min(game.stacks(), key=game.stacks().get), 5_000)
    game.sit_out(1)
    game.play()
    game.sit_out(1, out=False)
    box = {"session_id": game.session.pk, "second": floor2, "actor": game.floor, "now": game.now}
    acting(opening.change_box, key=game.key(), **box)
    game.minute(46).play((PLAIN, LOW, QUEENS))
    beside.minute(46).play((PLAIN, LOW))
    close(game, floor2)
    close(beside, floor2)
    return game


@kept
def race(table_of, floor2):
    """A match that is won, and one that is called off."""
    table = table_of("first-to-11")
    table.seat("Ann", "Bob", "Cat", "Dan")
    wins(table, 1, stake=STAKE)
    wins(table, 1, declined=(4,))
    wins(table, 1)
    wins(table, 3, stake=STAKE)
    return table


def test_a_night_is_right(night):
    found, checked = replayed(bodies())
    assert [str(finding) for finding in found] == []
    assert (checked["buy-ins"], checked["cash-outs"], checked["corrections"]) == (6, 6, 2)
    assert checked["claims"] > 0


def test_a_race_is_right(race):
    assert replayed(bodies())[0] == []


@pytest.mark.parametrize("seed", [3, 4] if LONG else [3])
def test_any_simulated_night_is_right(site, seed):
    play_a_night(site, tables=2, hours=2, seed=seed)
    found, checked = replayed(bodies())
    assert [str(finding) for finding in found] == []
    assert checked["rounds begun"] > 20


@pytest.mark.parametrize("first", [5, 12, 20, 35, 50, 70])
def test_records_that_begin_in_the_middle_of_a_night_accuse_nobody(night, first):
    records = bodies()
    assert first < len(records)
    assert [str(finding) for finding in replayed(records[first:], whole=False, first=first)[0]] == []


# -- one wrong record ----------------------------------------------------------------------------------------


HELD = {
    "entry buy_in": ("cents", "source", "player", "seat", "sitting", "entered_at"),
    "entry add_on": ("cents", "source", "sitting", "seat"),
    "entry cash_out": ("seat", "sitting"),
    "entry table_move": ("cents", "seat", "from_seat", "sitting", "to_sitting"),
    "table_event opened": ("box", "box_chips", "box_cash", "bank_chips", "bank_cash"),
    "table_event seated": ("seat", "sitting", "player", "entered_at", "from_sitting"),
    "table_event left": ("seat", "sitting", "to_session", "to_seat", "player"),
    "table_event sat_out": ("seat", "sitting"),
    "table_event pushed": ("previous",),
    "table_event closed": (
        "closer_cents",
        "closer_cash_cents",
        "over_chips_cents",
        "second",
    ),
    "document opener": ("chips", "cash", "place"),
    "entry bank_count": ("table", "pieces", "over_cash_cents", "counted_by"),
    "table_event box_changed": ("pulled", "installed", "box_chips", "box_cash"),
    "table_event round_started": ("button", "down_id"),
    "claim": ("round_id", "debtor", "creditor", "cents"),
    "entry reversal": ("reason",),
    "entry correction": ("reason",),
}


def test_what_a_record_says_otherwise_is_named_with_it_or_with_the_one_that_says_the_same(night):
    """Where an entry and its event contradict each other, nobody can tell which of the two is wrong."""
    records, tried = bodies(), set()
    for at, body in enumerate(records):
        kind = f"{body['record']} {body['kind']}" if "kind" in body else body["record"]
        for path, value in leaves(body):
            if path[-1] not in HELD.get(kind, ()) or path[:-1] not in ((), ("data",), ("evidence",)):
                continue
            found, _ = replayed(changed(records, at, path, other(value)))
            numbers = {wrong.leaf for wrong in found}
            assert numbers, (kind, path, value)
            assert min(abs(leaf - at) for leaf in numbers) <= 4, (kind, path, [*map(str, found)])
            assert len(found) <= 3, (kind, path, [*map(str, found)])
            tried.add(kind)
    assert tried == set(HELD)


def without(records, kind):
    """The records without the first of this kind, and where that stood."""
    at = next(at for at, body in enumerate(records) if (body["record"], body.get("kind")) == kind)
    return [*records[:at], *records[at + 1 :]], at


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (("claim", None), "wrong_claim"),
        (("table_event", "seated"), "not_seated"),
        (("table_event", "left"), "not_seated"),
        (("table_event", "correction_asked"), "not_asked"),
        (("entry", "correction"), "not_settled_again"),
        (("entry", "cash_out"), "not_cashed_out"),
        (("entry", "buy_in"), "no_buy_in"),
    ],
)
def test_a_record_that_is_left_out_is_missed(night, kind, code):
    records, _ = without(bodies(), kind)
    assert code in {finding.code for finding in replayed(records)[0]}


def named(records, at, **said):
    """The codes for these records, of which one says something else in its evidence or data."""
    body = copy.deepcopy(records[at])
    body["evidence" if body["record"] == "entry" else "data"].update(said)
    return {finding.code for finding in replayed([*records[:at], body, *records[at + 1 :]])[0]}


def leaves_of(records, kind):
    return [at for at, body in enumerate(records) if body.get("kind") == kind]


def test_r52_a_buy_in_keeps_to_its_bounds(game):
    game.seat("Ann", "Bob")
    records = bodies()
    at = leaves_of(records, "buy_in")[0]
    for cents, code in ((14_999, "buy_in_too_small"), (50_001, "buy_in_too_large")):
        entry = copy.deepcopy(records[at])
        entry["evidence"]["cents"] = cents
        for line in entry["transfers"]:
            line["cents"] = cents
        found, _ = replayed([*records[:at], entry, *records[at + 1 :]])
        assert [finding.code for finding in found] == [code]


@pytest.mark.parametrize("kind", ["buy_in", "add_on"])
def test_chips_that_come_from_nowhere_are_named(night, kind):
    records = bodies()
    at = leaves_of(records, kind)[0]
    for source in ("nowhere", [], {}, None):
        codes = named(records, at, source=source)
        assert "wrong_amount" in codes
        assert "bad_record" not in codes


def test_r50_r51_the_buttons_go_to_the_next_player_and_who_waits_has_a_reason(night):
    records = bodies()
    at = leaves_of(records, "round_started")[0]
    assert records[at]["data"]["waiting"] == {"5": "fifth"}
    for reason in ("short", "sitting_out", "fee_due", "match", "two_only"):
        assert named(records, at, waiting={"5": reason}) == {"wrong_reason"}
    assert "other_seats" in named(records, at, waiting={})


def test_a_correction_is_the_one_that_was_asked_for(night):
    records = bodies()
    at = leaves_of(records, "correction_asked")[0]
    assert named(records, at, reason="another") == {"not_asked"}
    assert "not_settled" in named(records, at, round=99)


@pytest.mark.parametrize("wrong", [None, "x", [], {}, [[]], -1, True])
def test_no_record_however_wrong_makes_it_raise(night, wrong):
    records = bodies()
    spoilt = []
    for at, body in enumerate(records):
        spoilt += [changed(records, at, (name,), wrong)[at] for name in body]
        for holder in ("data", "evidence"):
            spoilt += [changed(records, at, (holder, name), wrong)[at] for name in body.get(holder) or ()]
        spoilt.append(body)
    found, _ = replayed(spoilt)
    assert "bad_record" in {finding.code for finding in found}
