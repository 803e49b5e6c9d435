"""What was taken back, in the log and in its rows: whatever is changed about it is named."""

import copy
from datetime import timedelta

import pytest

from ledger.cage import taking_back
from ledger.journal import house_events
from ledger.journal.acts import Act
from ledger.models import JournalEntry, ReversalSlip
from ledger.proof.audit.checks.books import BooksCheck
from ledger.proof.log import sealing
from ledger.records.findings import name_of
from ledger.rules.denominations import Pieces
from tables.collection import waivers
from tables.models import FeePayment, WaiverReason
from tables.seats import tokes
from tests.support.acting import acting
from tests.support.cage import redeem, sell
from tests.support.changed_records import changed, leaves, other
from tests.support.game import OPENING
from tests.support.kept import kept
from tests.support.remembered import remembered
from tests.support.replayed import bodies, replayed
from tests.tables.collection.test_taking_back import DAY, back, back_by_two, waive
from tests.tables.log.test_verifying import findings, tampering

pytestmark = pytest.mark.django_db


@kept
def night(game, floor2, cashier, manager):
    """Fees from the stack, in cash and at the cage, a waiver, a toke and three acts of the window:
    all taken back."""
    house_events.note_particulars(
        game.site, act=Act(actor=None, now=OPENING - timedelta(hours=9)), opened=False
    )
    acting(
        waivers.publish_waiver_reason,
        site=game.site,
        code="equipment",
        text="The table was out of order",
        approval_reference="BGC-7",
        effective_from=DAY,
        actor=manager,
        now=OPENING,
        key="publish-equipment",
    )
    game.seat("Ann", "Bob")
    game.play()
    game.minute(41)
    (stack,) = game.pay(1, "stack")
    back(game, stack)
    (cage,) = game.pay(1, "cage", actor=cashier)
    back_by_two(game, floor2, cage, actor=cashier)
    back(game, waive(game, 2, WaiverReason.objects.get()).payment, actor=game.floor)
    act = {"actor": game.dealer, "now": game.now}
    acting(tokes.give_toke, sitting_id=game.sitting(1).pk, cents=500, key="a-toke", **act)
    acting(tokes.undo_toke, entry=game.site.entries.get(key="a-toke"), key="undo-a-toke", **act)
    game.play()
    (ahead,) = game.minute(81).pay(1, "cash")
    game.play()
    game.minute(82).cash_out(1)
    back_by_two(game, floor2, ahead)
    of_cage = {"actor": cashier, "now": game.now}
    sold = acting(sell, site=game.site, cents=5_000, key="a-sale", **of_cage)
    acting(taking_back.take_back_at_window, entry=sold, key="undo-a-sale", **of_cage)
    paid = acting(redeem, site=game.site, cents=2_000, key="a-redemption", **of_cage)
    by_two = of_cage | {"approver": floor2, "reason": "it was another patron"}
    acting(taking_back.take_back_at_window, entry=paid, key="not-a-redemption", **by_two)
    acting(tokes.give_toke, sitting_id=game.sitting(2).pk, cents=500, key="b-toke", **act | {"now": game.now})
    paid_out = of_cage | {"key": "tokes-paid", "approver": game.dealer}
    paid_out |= {"cents": 500, "pieces": Pieces({500: 1})}
    out = acting(tokes.pay_out_tokes, site=game.site, dealer=game.dealer, **paid_out)
    acting(taking_back.take_back_at_window, entry=out, key="not-tokes-paid", **by_two)
    return game


@pytest.fixture
def log(request):
    """What is written of the night, played once for all tests that only read it."""
    return remembered(request, "night", bodies)


def run(log):
    books = BooksCheck(whole=True)
    found = [wrong for leaf, body in enumerate(log) for wrong in books.take(leaf, body)]
    return [*replayed(log)[0], *found, *books.finish()]


def slips(log):
    return [leaf for leaf, body in enumerate(log) if body["record"] == "entry" and "slip" in body["evidence"]]


def test_an_honest_night_of_acts_taken_back_works_out(night):
    assert ReversalSlip.objects.count() == 9
    assert run(bodies()) == []
    sealing.seal(night.site, now=night.now)
    assert [str(finding) for finding in findings(night.site)] == []


def test_whatever_a_slip_says_otherwise_is_named(log):
    for leaf in slips(log):
        if log[leaf]["kind"] not in ("reversal", "undo"):
            continue
        body = log[leaf]
        for path, value in leaves(body["evidence"]):
            forged = changed(log, leaf, ("evidence", *path), other(value))
            assert name_of(body) in {one.record for one in run(forged)}, (body["kind"], path)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("actor", 99),
        ("terminal", "elsewhere"),
        ("gaming_day", "2026-03-06"),
        ("recorded_at", "2026-03-08T11:00:00.000000Z"),
        ("reverses", 1),
        ("transfers", []),
    ],
)
def test_whatever_an_undo_says_otherwise_of_itself_is_named(log, field, value):
    for leaf in slips(log):
        body = log[leaf]
        if body["kind"] == "undo" and body[field] != value:
            assert name_of(body) in {one.record for one in run(changed(log, leaf, (field,), value))}


@pytest.mark.parametrize(("field", "value"), [("approver", None), ("reason", ""), ("kind", "undo")])
def test_a_reversal_without_two_people_or_a_reason_is_named(log, field, value):
    for leaf in slips(log):
        body = log[leaf]
        if body["kind"] == "reversal":
            assert name_of(body) in {one.record for one in run(changed(log, leaf, (field,), value))}


def test_a_slip_that_is_missing_or_there_twice_is_named(log):
    newest = slips(log)[-1]  # that one is gone with its leaf, which the tree shows
    for leaf in slips(log):
        body = log[leaf]
        if body["kind"] in ("reversal", "undo"):
            assert leaf == newest or run([*log[:leaf], *log[leaf + 1 :]])
            assert run([*log[: leaf + 1], body, *log[leaf + 1 :]])


def test_a_round_between_an_act_and_its_undo_is_named(log):
    leaf = next(leaf for leaf, body in enumerate(log) if body.get("key") == "undo-a-toke")
    started = next(at for at, body in enumerate(log) if body.get("kind") == "round_started" and at > leaf)
    body, start = log[leaf], copy.deepcopy(log[started])
    for hand in start["data"]["hands"]:  # the stack without the toke, so that nothing else is wrong
        if hand["sitting"] == body["evidence"]["sitting"]:
            hand["stack_cents"] -= body["evidence"]["cents"]
    rest = [*log[:leaf], *log[leaf + 1 : started], start, body, *log[started + 1 :]]
    assert ("built_on", name_of(body)) in {(one.code, one.record) for one in run(rest)}


def test_only_a_toke_is_undone_at_a_table(log):
    leaf = next(leaf for leaf, body in enumerate(log) if body.get("kind") == "buy_in")
    bought = log[leaf]
    undone = {**bought, "id": 999, "kind": "undo", "reverses": bought["id"], "transfers": []}
    undone["evidence"] = {**bought["evidence"], "of": "buy_in", "dealer": None, "account": None}
    found = replayed([*log[: leaf + 2], undone, *log[leaf + 2 :]])[0]
    assert ("other_entry", leaf + 2) in [(one.code, one.leaf) for one in found]


@pytest.mark.parametrize("values", [{"number": 99}, {"entry_id": 1}])
def test_the_row_of_a_slip_is_held_against_its_entry(night, values):
    slip = ReversalSlip.objects.order_by("-pk").first()
    sealing.seal(night.site, now=night.now)
    with tampering("ledger_reversalslip"):
        ReversalSlip.objects.filter(pk=slip.pk).update(**values)
        assert f"reversal slip {slip.pk}" in {one.record for one in findings(night.site)}


def test_a_slip_without_its_row_is_missed(night):
    slip = ReversalSlip.objects.order_by("-pk").first()
    sealing.seal(night.site, now=night.now)
    with tampering("ledger_reversalslip"):
        ReversalSlip.objects.filter(pk=slip.pk)._raw_delete("default")
        assert [one.record for one in findings(night.site)] == [f"entry {slip.entry_id}"]


def test_a_payment_that_follows_another_reversal_is_named(night):
    later = FeePayment.objects.filter(after__isnull=False).first()
    strange = JournalEntry.objects.get(key="undo-a-sale")
    sealing.seal(night.site, now=night.now)
    with tampering("tables_feepayment"):
        FeePayment.objects.filter(pk=later.pk).update(after=strange)
        assert [one.record for one in findings(night.site)] == [f"fee payment {later.pk}"]
