"""Disputes and complaints (4 CCR 12392): taken, decided once, by somebody who may, and judged offline."""

import pytest

from ledger.errors import Refusal
from ledger.journal.acts import Act
from ledger.models import AuditRecord
from tables.floor.disputes import decide_dispute, open_disputes, take_dispute
from tables.rules.table.disputes import Decided, wrong_decision
from tests.support.game import HANDS
from tests.support.replayed import bodies, judged

pytestmark = pytest.mark.django_db


@pytest.fixture
def act(game):
    return lambda who, reason="": Act(who, game.now, game.key(), "floor tablet", reason=reason)


@pytest.fixture
def taken(game, act, floor):
    """A dispute about round 1, which the dealer entered."""
    game.seat("Ann", "Bob", "Cat")
    round_ = game.play()
    where = {"site": game.site, "session": game.session, "round_": round_}
    return take_dispute(**where, seats=[1], what="cards", act=act(floor, "it was a flush"))


def refused(dispute, outcome, act):
    with pytest.raises(Refusal) as error:
        decide_dispute(dispute=dispute, outcome=outcome, told=True, act=act)
    return error.value.code


def test_a_dispute_keeps_the_round_the_player_and_who_entered_it(game, taken, floor):
    standing = taken.round.settlements.last().entry
    assert (taken.number, taken.entered_by_id, taken.taken_by) == (1, standing.actor_id, floor)
    assert taken.players == [game.sitting(1).player_id]
    assert list(open_disputes(game.site)) == [taken]


def test_it_is_decided_once_with_a_sentence(game, taken, floor, floor2, act):
    assert refused(taken, "as_dealt", act(floor2)) == "reason_required"
    decided = act(floor2, "the camera shows three spades")
    first = decide_dispute(dispute=taken, outcome="as_dealt", told=True, act=decided)
    assert decide_dispute(dispute=taken, outcome="as_dealt", told=True, act=decided) == first
    assert refused(taken, "referred", act(floor, "once more")) == "dispute_decided"
    assert not open_disputes(game.site)
    assert judged(bodies())[0] == []


def test_a_corrected_one_stands_on_the_entry_that_corrected_the_round_since(game, taken, floor2, act):
    assert refused(taken, "corrected", act(floor2, "seen")) == "not_corrected"
    game.approve(game.ask(taken.round, HANDS[::-1]), actor=floor2)
    decision = decide_dispute(dispute=taken, outcome="corrected", told=True, act=act(floor2, "seen"))
    assert decision.entry == taken.round.settlements.last().entry
    assert judged(bodies())[0] == []


def test_whoever_entered_the_round_does_not_decide_about_it():
    both = Decided("as_dealt", None, 7, at_table=True, taken_by=3, entered_by=7)
    assert wrong_decision(both)[0] == "second_person"
    assert wrong_decision(both._replace(by=3)) is None
    assert wrong_decision(both._replace(at_table=False, outcome="upheld", by=3))[0] == "second_person"
    assert wrong_decision(both._replace(outcome="upheld", by=3))[0] == "bad_outcome"


def test_a_complaint_says_what_it_is_about_and_somebody_else_decides(game, floor, floor2, act):
    with pytest.raises(Refusal, match="what the complaint is about"):
        take_dispute(site=game.site, what="conduct", act=act(floor))
    complaint = take_dispute(site=game.site, what="conduct", act=act(floor, "a long wait for a seat"))
    assert str(complaint) == "Complaint 1"
    assert refused(complaint, "upheld", act(floor, "it is so")) == "second_person"
    decide_dispute(dispute=complaint, outcome="upheld", told=True, act=act(floor2, "the list was not called"))
    assert judged(bodies())[0] == []


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"decided_by": "entered_by"}, "second_person"),
        ({"outcome": "upheld"}, "bad_outcome"),
        ({"dispute": 999}, "not_asked"),
        ({"text": " "}, "reason_required"),
    ],
)
def test_the_offline_check_refuses_a_decision_that_could_not_be(taken, floor2, act, change, code):
    decide_dispute(dispute=taken, outcome="as_dealt", told=True, act=act(floor2, "seen"))
    records = bodies()
    (decision,) = [body for body in records if body["record"] == "dispute_decision"]
    decision |= {
        name: taken.entered_by_id if value == "entered_by" else value for name, value in change.items()
    }
    assert [finding.code for finding in judged(records)[0]] == [code]
    assert AuditRecord.objects.filter(kind="dispute_decision").count() == 1


def test_a_dealer_takes_none(game, dealer, act):
    with pytest.raises(Refusal) as error:
        take_dispute(site=game.site, session=game.session, what="cards", act=act(dealer))
    assert error.value.code == "not_allowed"
