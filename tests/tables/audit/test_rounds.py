"""Played nights, round by round, are found right; and whatever one record says otherwise is named,
and nothing else."""

import pytest

from ledger.journal.acts import Act
from tables.rounds import matches
from tests.support.changed_records import changed, leaves, other
from tests.support.game import FULL_HOUSE, HANDS, LOW, PLAIN, QUEENS
from tests.support.kept import kept
from tests.support.lengths import one_of_each
from tests.support.race import STAKE, laid, wins
from tests.support.replayed import bodies, replayed

NAMES = ("Ann", "Bob", "Cat", "Dan")


def close(table, second):
    for seat in table.stacks():
        table.cash_out(seat)
    table.close(second)


@kept
def night(game, beside, floor2):
    """Two tables of Face-Up: a correction that leaves a claim, one that all stacks cover, a correction of a
    correction, a void, a move, somebody who leaves, an add-on; and then two hands each."""
    game.seat("Ann", "Bob", "Cat", "Dan", "Eve")
    first = game.play()
    second = game.minute(5).play(HANDS[::-1])
    game.minute(15).cash_out(2)
    game.approve(game.ask(first, HANDS[::-1]), actor=floor2)
    game.approve(game.ask(second, (LOW, QUEENS, PLAIN, FULL_HOUSE)), actor=floor2)
    game.approve(game.ask(first, HANDS), actor=floor2)
    game.void(game.start())
    game.minute(30).move(5, beside, 2, ordered=True)
    game.add_on(min(game.stacks(), key=game.stacks().get), 5_000)
    game.minute(45).play()
    beside.minute(46).buy_in("Bob", 1)
    beside.play((PLAIN, LOW, FULL_HOUSE, QUEENS), two_hands=(1, 2))
    beside.play((PLAIN, LOW))
    close(game, floor2)
    close(beside, floor2)
    return game


def test_a_night_of_face_up_is_right(night):
    found, checked = replayed(bodies())
    assert [str(finding) for finding in found] == []
    assert checked["rounds scored again"] == checked["settlements held against what was dealt"] == 8


@kept
def race(table_of, floor2):
    """Two matches to eleven: one that is won, corrected and won by somebody else's stack,
    and one that is called off."""
    table = table_of("first-to-11")
    table.seat(*NAMES)
    wins(table, 1, stake=STAKE)
    wins(table, 1, declined=(4,))
    last = wins(table, 1)
    table.approve(table.ask(last, laid(last, seat2=PLAIN)), actor=floor2)
    wins(table, 1)
    wins(table, 3, stake=STAKE)
    matches.call_off(
        session_id=table.session.pk,
        act=Act(reason="too late", key=table.key(), actor=table.floor, now=table.now),
    )
    close(table, floor2)
    return table


def test_a_race_is_right(race):
    found, checked = replayed(bodies())
    assert [str(finding) for finding in found] == []
    assert checked["settlements held against what was dealt"] == 6


@kept
def western(table_of, floor2):
    """A closed game with a surrender, a mis-set hand, kept hands, and stakes between two;
    corrected after the closing."""
    table = table_of("western")
    table.seat("Ann", "Bob")
    table.play(({"surrenders": True}, FULL_HOUSE))
    table.play((QUEENS, FULL_HOUSE))
    table.last = table.settle(table.start(reserved=True), (PLAIN, LOW))
    close(table, floor2)
    table.approve(table.ask(table.last, (LOW, PLAIN)), actor=floor2)
    return table


def test_a_surrender_and_kept_hands_are_right(western):
    found, checked = replayed(bodies())
    assert [str(finding) for finding in found] == []
    assert checked["settlements held against what was dealt"] == 4


@kept
def pair_stakes(table_of):
    table = table_of("pokerlistings")
    table.seat("Ann", "Bob", "Cat")
    table.play([QUEENS, FULL_HOUSE, PLAIN], pair_stakes={(1, 3): 1000})
    return table


def test_stakes_between_two_players_are_right(pair_stakes):
    assert replayed(bodies())[0] == []


@pytest.mark.parametrize("first", [3, 10, 20, 30, 40, 50, 60])
def test_records_that_begin_in_the_middle_of_a_night_accuse_nobody(night, first):
    records = bodies()
    assert first < len(records)
    found, _ = replayed(records[first:], whole=False, first=first)
    assert [str(finding) for finding in found] == []


# -- one wrong record ----------------------------------------------------------------------------------------


# What this check does not look at: other checks do, or it is only told.
UNSEEN = {"reason", "asset", "from_kind", "to_kind", "rules_version"}


def named(path):
    """A path whose hands and payments are all alike, whichever they are."""
    return ["each" if isinstance(step, int) else step for step in path]


@pytest.mark.parametrize("played", ["night", "race", "western", "pair_stakes"])
def test_whatever_a_settlement_says_otherwise_is_named_with_it_alone(request, played):
    request.getfixturevalue(played)
    records = bodies()
    settled = [
        (at, path, value)
        for at, body in enumerate(records)
        if body["record"] == "entry" and body["kind"] in ("round", "correction")
        for path, value in leaves({"evidence": body["evidence"], "transfers": body["transfers"]})
        if path[-1] not in UNSEEN
    ]
    assert len(settled) > 40
    for at, path, value in one_of_each(settled, lambda case: (records[case[0]]["kind"], *named(case[1]))):
        found, _ = replayed(changed(records, at, path, other(value)))
        said = [(wrong.leaf, wrong.record) for wrong in found]
        assert said == [(at, f"entry {records[at]['id']}")], (path, value, [*map(str, found)])


@pytest.mark.parametrize("played", ["night", "race", "western", "pair_stakes"])
def test_whatever_the_start_of_a_round_says_otherwise_is_named_with_it_alone(request, played):
    request.getfixturevalue(played)
    records = bodies()
    started = [
        (at, path, value)
        for at, body in enumerate(records)
        if body.get("kind") == "round_started"
        for path, value in leaves({"data": body["data"]})
        if "waiting" not in path and path[-1] not in ("down", "down_id")
    ]
    assert len(started) > 10
    for at, path, value in one_of_each(started, lambda case: (*named(case[1]), case[2] is None)):
        found, _ = replayed(changed(records, at, path, other(value)))
        # Where start and settlement merely differ, nobody can tell which of the two is wrong.
        numbers = [at + 1] if set(path) & {"round_id", "match_stake", "pair_stakes"} else [at]
        assert [wrong.leaf for wrong in found] in ([at], numbers), (path, value, [*map(str, found)])


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
