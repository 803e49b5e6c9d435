"""Fees that followed their players to other tables (R51), in the log and in their rows:
whatever is changed is named."""

import copy
from datetime import timedelta

import pytest

from ledger.journal import house_events
from ledger.journal.acts import Act
from ledger.proof.log import sealing
from tables.models import FeePayment, Uncollected
from tests.support.game import OPENING
from tests.support.kept import kept
from tests.support.remembered import remembered
from tests.support.replayed import bodies, replayed
from tests.tables.collection.test_uncollected import lose_everything
from tests.tables.log.test_verifying import findings, tampering

pytestmark = pytest.mark.django_db


@kept
def night(game, beside):
    """Bob leaves table 1 owing $10 for down 2, and table 2 takes it with its own fee."""
    house_events.note_particulars(
        game.site, act=Act(actor=None, now=OPENING - timedelta(hours=9)), opened=False
    )
    game.seat("Ann", "Bob", points=35)
    lose_everything(game, 2)
    game.minute(41).buy_in("Cat", 3)
    game.play()
    game.cash_out(2)
    beside.minute(42).seat("Dan", "Eve")
    beside.buy_in("Bob", 3, points=30)
    beside.play()  # takes both fees first
    return beside


@kept
def waiting(game, beside):
    """Bob is moved from table 2 owing $10, with too little to pay it: he waits at table 1 and leaves,
    still owing."""
    house_events.note_particulars(
        game.site, act=Act(actor=None, now=OPENING - timedelta(hours=9)), opened=False
    )
    beside.seat("Dan", "Bob", points=35)
    lose_everything(beside, 2)
    beside.minute(41).buy_in("Eve", 3)
    beside.play()
    game.minute(42).seat("Ann", "Cat")
    game.play()
    beside.minute(43).move(2, game, 3, ordered=True)
    game.minute(44).play()
    game.cash_out(3)
    return game


@pytest.fixture
def log(request):
    """What is written of the night, played once for all tests that only read it."""
    return remembered(request, "night", bodies)


@pytest.fixture
def unpaid(request):
    """The same of the night in which it is never paid."""
    return remembered(request, "waiting", bodies)


def run(log, *, whole=True):
    return replayed(log, whole=whole)[0]


def taking(log):
    (leaf,) = [at for at, body in enumerate(log) if "due_session" in body.get("evidence", {})]
    return leaf


def forged(log, leaf, part, **values):
    other = copy.deepcopy(log)
    other[leaf][part] = {**other[leaf][part], **values}
    return other


@pytest.mark.parametrize("whole", [True, False])
def test_an_honest_night_in_which_a_fee_follows_its_player_works_out(log, whole):
    assert run(log, whole=whole) == []


@pytest.mark.parametrize("whole", [True, False])
def test_so_does_one_in_which_it_is_never_paid(unpaid, whole):
    assert run(unpaid, whole=whole) == []


@pytest.mark.parametrize(
    ("name", "value"), [("due_session", 99), ("session", 1), ("sitting", 1), ("seat", 1), ("down", 1)]
)
def test_a_taking_that_says_another_table_sitting_or_down_is_named_alone(log, name, value):
    leaf = taking(log)
    told = log[leaf]["evidence"]
    value = told["due_session"] if name == "session" else value
    said = [(finding.code, finding.leaf) for finding in run(forged(log, leaf, "evidence", **{name: value}))]
    assert said == [("collection_differs", leaf)]


def test_a_taking_that_does_not_say_where_the_fee_fell_due_is_named(log):
    leaf, other = taking(log), copy.deepcopy(log)
    del other[leaf]["evidence"]["due_session"]
    assert [finding.leaf for finding in run(other)] == [leaf]


def test_it_goes_into_the_box_of_the_table_that_takes_it(log):
    leaf, other = taking(log), copy.deepcopy(log)
    boxes = [
        line["to"] for body in log for line in body.get("transfers", ()) if line["to_kind"] == "drop_box"
    ]
    other[leaf]["transfers"][0]["to"] = boxes[0]  # that of the table where it fell due
    (finding,) = run(other)
    assert (finding.code, finding.leaf) == ("collection_differs", leaf)
    assert "not that of the table's box" in finding.sentence


def test_taking_the_own_fee_before_the_older_one_is_named(log):
    leaf, other = taking(log), copy.deepcopy(log)
    (own,) = [
        at
        for at, body in enumerate(log)
        if body.get("kind") == "collection"
        and body["evidence"]["sitting"] == log[leaf]["evidence"]["sitting"]
        and at != leaf
    ]
    other[leaf], other[own] = other[own], other[leaf]
    assert [(finding.code, finding.leaf) for finding in run(other)] == [("collection_differs", leaf)]


def test_dealing_somebody_in_who_owes_a_fee_of_another_table_is_named(log):
    """Without the takings, the fees are open when the round starts;
    what followed from it is not accused for it."""
    who = log[taking(log)]["evidence"]["sitting"]
    without = [body for body in log if body.get("kind") != "collection" or body["evidence"]["sitting"] != who]
    assert len(without) == len(log) - 2
    start = max(at for at, body in enumerate(without) if body.get("kind") == "round_started")
    for hand in without[start]["data"]["hands"]:
        if hand["sitting"] == who:
            hand["stack_cents"] = sum(
                line["cents"] for line in bought(without, who)["transfers"] if line["to_kind"] == "stack"
            )
    found = [(finding.code, finding.leaf) for finding in run(without)]
    assert found == [("wrong_reason", start)]


def bought(log, sitting):
    """The buy-in of a sitting."""
    return next(
        body for body in log if body.get("kind") == "buy_in" and body["evidence"]["sitting"] == sitting
    )


def test_leaving_without_a_word_of_a_fee_of_another_table_is_named(unpaid):
    leaf = max(at for at, body in enumerate(unpaid) if body.get("kind") == "cash_out")
    assert unpaid[leaf]["evidence"]["unpaid_fees"]
    changed = forged(unpaid, leaf, "evidence", unpaid_fees=[])
    assert [(finding.code, finding.leaf) for finding in run(changed)] == [("unpaid_fees", leaf)]


@pytest.mark.parametrize(("model", "column"), [(FeePayment, "sitting_id"), (Uncollected, "player_id")])
def test_a_row_that_was_changed_is_named(night, model, column):
    row = model.objects.order_by("-pk").first()
    other = model.objects.order_by("pk").values_list(column, flat=True)[0]
    if model is Uncollected:
        other = night.players["Ann"].pk
    sealing.seal(night.site, now=night.now)
    with tampering(model._meta.db_table):
        model.objects.filter(pk=row.pk).update(**{column: other})
        said = [finding.code for finding in findings(night.site)]
    assert said == ["row_differs"]
