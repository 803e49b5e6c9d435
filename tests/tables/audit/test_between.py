"""What happens between rounds is worked out again from the log: settlements by hand, tokes, counts, time
called (R52, R57, R58)."""

import contextlib
import copy

import pytest
from django.db import transaction

from ledger.journal.acts import Act
from ledger.models import TokeAccount
from ledger.proof.log import sealing, verifying
from ledger.rules.denominations import Pieces
from tables.models import Settlement
from tables.rounds import corrections, running
from tables.seats import chip_counts, tokes
from tests.support.acting import acting
from tests.support.behind import behind_the_triggers
from tests.support.changed_records import changed, leaves, other
from tests.support.game import FULL_HOUSE, QUEENS
from tests.support.kept import kept
from tests.support.replayed import bodies, replayed


def check(records, *, whole=True, first=0):
    """What the replay finds in these records."""
    return replayed(records, whole=whole, first=first)[0]


@kept
def night(game, floor2, cashier):
    """Three players: a round settled by hand after a refusal, and twice settled so anew, the second time with
    claims, fantasy land kept through another one, tokes, a count with a difference,
    and a hand on which time was called."""
    sealing.seal(game.site, now=game.now)
    acts = {"actor": game.floor, "now": game.now}
    game.seat("Ann", "Bob", "Cat")
    tokes.give_toke(
        sitting_id=game.sitting(1).pk, cents=500, act=Act(key=game.key(), actor=game.dealer, now=game.now)
    )
    round_ = game.start()
    acting(running.call_time, round_id=round_.pk, seat=2, key=game.key(), **acts)
    by_hand(game, round_, [(1, 2, 10), (1, 3, -30), (2, 3, 400)], floor2, refuse_first=True)
    by_hand(game, round_, [(1, 2, -10), (1, 3, 0), (2, 3, 3)], floor2, refuse_first=True)
    game.cash_out(3)
    game.play([QUEENS, FULL_HOUSE])
    second = game.start(two_hands=(1, 2))
    by_hand(game, second, [(1, 2, 1)], floor2)
    by_hand(game, second, [(1, 2, 0)], floor2)
    by_hand(game, round_, [(1, 2, 400), (1, 3, 9), (2, 3, 3)], floor2)
    stacks = game.stacks()
    acting(
        chip_counts.count_chips,
        session_id=game.session.pk,
        counted={1: stacks[1] - 100, 2: stacks[2]},
        key=game.key(),
        **acts,
    )
    act = Act(key=game.key(), actor=cashier, now=game.now, approver=game.dealer)
    five = Pieces({500: 1})
    tokes.pay_out_tokes(site=game.site, dealer=game.dealer, cents=500, pieces=five, act=act)
    game.play([FULL_HOUSE, QUEENS])
    sealing.seal(game.site, now=game.now)
    return game


def by_hand(game, round_, points, approver, *, refuse_first=False):
    asked = {"points": points, "reason": "the deck was swept up", "actor": game.dealer, "now": game.now}
    if refuse_first:
        request = acting(corrections.ask_settlement_by_hand, round_id=round_.pk, key=game.key(), **asked)
        corrections.refuse_correction(
            request_id=request.pk,
            act=Act(reason="ask the camera first", key=game.key(), actor=approver, now=game.now),
        )
    request = acting(corrections.ask_settlement_by_hand, round_id=round_.pk, key=game.key(), **asked)
    corrections.approve_correction(
        request_id=request.pk, act=Act(key=game.key(), actor=approver, now=game.now)
    )


def test_the_night_is_right(night):
    assert [str(finding) for finding in check(bodies())] == []


@pytest.mark.parametrize("first", [8, 15, 22, 28, 34])
def test_records_that_begin_in_the_middle_of_it_accuse_nobody(night, first):
    records = bodies()
    assert first < len(records)
    assert [str(finding) for finding in check(records[first:], whole=False, first=first)] == []


# What these checks do not look at: others do, or it is only told.
UNSEEN = {"asset", "from_kind", "to_kind", "rules_version"}


def test_r58_whatever_a_settlement_by_hand_says_otherwise_is_named_with_it_alone(night):
    records, tried = bodies(), set()
    for at, body in enumerate(records):
        if body.get("kind") not in ("hand_settlement", "correction"):
            continue
        said = {name: body[name] for name in ("evidence", "transfers", "reason", "actor")}
        for path, value in leaves(said):
            if path[-1] in UNSEEN:
                continue
            found = check(changed(records, at, path, other(value)))
            numbers = {wrong.leaf for wrong in found}
            # Moved to another table, its chips are missing at this one too.
            also = numbers - {at} if path[-1] == "session" else set()
            assert numbers == {at} | also, (path, value, [*map(str, found)])
            tried.add(path[-1])
    assert len(tried) > 10


def test_a_settlement_by_hand_cannot_pass_for_one_with_cards_nor_the_other_way(night):
    records = bodies()
    for one, another in (("hand_settlement", "round"), ("round", "hand_settlement")):
        at = next(at for at, body in enumerate(records) if body.get("kind") == one)
        found = check(changed(records, at, ("kind",), another))
        assert at in {wrong.leaf for wrong in found}


HELD = {
    "entry toke": ("sitting", "seat", "cents", "dealer", "account"),
    "entry toke_payout": ("cents", "dealer", "account"),
    "table_event chips_counted": ("seat", "sitting", "expected_cents", "difference_cents", "1", "2"),
    "table_event time_called": ("round", "round_id", "ends_at"),
    "table_event hand_settlement_asked": ("round", "round_id", "request"),
    "table_event hand_settlement_refused": ("request", "round_id"),
}


def test_what_is_said_otherwise_between_rounds_is_named(night):
    records, tried = bodies(), set()
    for at, body in enumerate(records):
        kind = f"{body['record']} {body.get('kind')}"
        holder = "evidence" if body["record"] == "entry" else "data"
        for path, value in leaves({holder: body.get(holder)} if kind in HELD else {}):
            if path[-1] not in HELD[kind]:
                continue
            found = check(changed(records, at, path, other(value)))
            if (kind, path[-1]) == ("entry toke", "dealer"):
                # Of a first toke nobody can tell whose account it is; who takes them to the cage says it.
                assert found, path
            elif kind == "table_event hand_settlement_asked":
                nearest = min((abs(wrong.leaf - at) for wrong in found), default=None)
                # Between the asking and a second settlement stands the reversal.
                assert nearest in (0, 1, 2), (path, [*map(str, found)])
            else:
                assert at in {wrong.leaf for wrong in found}, (kind, path, value, [*map(str, found)])
            tried.add(kind)
    assert tried == set(HELD)


def test_a_settlement_by_hand_that_nobody_asked_for_is_named(night):
    records = bodies()
    asked = [at for at, body in enumerate(records) if body.get("kind") == "hand_settlement_asked"][-1]
    found = check([*records[:asked], *records[asked + 1 :]])
    assert [wrong.code for wrong in found] == ["not_asked"]


@pytest.mark.parametrize("wrong", [None, "x", [], {}, [[]], -1, True])
def test_no_record_however_wrong_makes_it_raise(night, wrong):
    records = bodies()
    spoilt = []
    for at, body in enumerate(records):
        for holder in ("data", "evidence"):
            spoilt += [changed(records, at, (holder, name), wrong)[at] for name in body.get(holder) or ()]
        spoilt.append(copy.deepcopy(body))
    assert "bad_record" in {finding.code for finding in check(spoilt)}


# -- the live books ------------------------------------------------------------------------------------------


@contextlib.contextmanager
def tampering(*tables):
    with transaction.atomic():
        with behind_the_triggers(*tables):
            yield
        transaction.set_rollback(True)


def findings(site):
    return [str(finding.record) for finding in verifying.Verification(site).run()]


def test_the_live_books_of_the_night_verify(night):
    assert findings(night.site) == []


def test_taking_the_mark_off_a_settlement_is_found(night):
    row = Settlement.objects.filter(by_hand=True).first()
    with tampering("tables_settlement"):
        Settlement.objects.filter(pk=row.pk).update(by_hand=False)
        assert findings(night.site) == [f"settlement {row.pk}"]


def test_giving_a_dealers_tokes_to_another_is_found(night, floor2):
    row = TokeAccount.objects.get()
    with tampering("ledger_tokeaccount"):
        TokeAccount.objects.update(dealer=floor2)
        assert findings(night.site) == [f"toke account {row.pk}"]
