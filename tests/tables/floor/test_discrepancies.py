"""What a tablet worked out without the house, and the house settles otherwise, is told to the floor."""

import json

import pytest

from ledger.errors import Refusal
from ledger.journal.acts import Act
from tables.errors import BadEntry
from tables.floor.attention import waiting_now
from tables.floor.disputes import (
    TabletResult,
    decide_dispute,
    open_disputes,
    report_discrepancy,
    take_dispute,
)
from tests.support.game import FULL_HOUSE, QUEENS
from tests.support.replayed import bodies, judged

pytestmark = pytest.mark.django_db

SETTLED = {1: 5000, 2: -5000}
SHOWN = {1: 4000, 2: -4000}


@pytest.fixture
def played(game):
    game.seat("Ann", "Bob")
    game.session.refresh_from_db()  # it has its dealer
    return game.play([QUEENS, FULL_HOUSE])


@pytest.fixture
def tell(game, played):
    def tell(net, round_=played, **options):
        act = Act(game.dealer, game.now, "told-by-tablet-1", "tablet")
        shown = TabletResult(1, net, **options)
        return report_discrepancy(session=game.session, round_=round_, shown=shown, act=act)

    return tell


def told(game):
    return [one for one in waiting_now(game.site, game.now) if one.kind == "discrepancy"]


def test_the_same_amounts_are_nothing_to_tell(game, tell):
    assert tell(SETTLED) is None
    assert not told(game)


def test_other_amounts_wait_for_the_floor_until_somebody_else_decides(game, tell, floor, floor2):
    dispute = tell(SHOWN)
    assert tell(SHOWN) == dispute  # sent again
    assert dispute.text == (
        "Round 1 was played while the house was away. The tablet showed seat 1 +$40.00, seat 2 −$40.00;"
        " the house settled seat 1 +$50.00, seat 2 −$50.00."
    )
    (need,) = told(game)
    assert need.session == game.session
    assert need.sentence.startswith("Table 1: Dispute 1 was told by the tablet. Round 1 was played")
    decided = Act(floor2, game.now, "a-decision", "desk", reason="the add-on came in between")
    decide_dispute(dispute=dispute, outcome="as_dealt", told=True, act=decided)
    assert not told(game)
    assert judged(bodies())[0] == []


def test_a_round_that_the_house_did_not_take_is_told_with_the_reason(game, tell):
    dispute = tell(SHOWN, round_=None, why="A round needs two players.")
    assert dispute.round is None
    assert dispute.text.endswith("; the house refused it: A round needs two players.")
    assert [need.subject for need in told(game)] == [str(dispute.pk)]


def test_r61_a_round_that_started_for_the_house_in_a_later_down_keeps_when_it_was_played(game, tell):
    dispute = tell(SETTLED, played_at="20:39")
    assert dispute.text.startswith("Round 1 was played at 20:39 while the house was away.")
    assert dispute.text.endswith("It started for the house in a later down: look at its fees (R61).")


def test_whoever_told_it_does_not_decide(game, tell):
    dispute = tell(SHOWN)
    with pytest.raises(Refusal):
        decide_dispute(
            dispute=dispute,
            outcome="as_dealt",
            told=True,
            act=Act(game.dealer, game.now, "a-decision", "tablet", reason="it stands"),
        )


def test_who_was_pushed_out_meanwhile_still_tells_it_and_who_never_dealt_there_does_not(
    client, game, played, employ
):
    game.push(employ("dora", "dealer"))
    body = json.dumps({"key": "told-by-tablet-1", "number": 1, "net": [], "why": "Not your table."})
    address = f"/api/sessions/{game.session.pk}/discrepancies"
    for person, status in ((game.dealer, 200), (employ("eve", "dealer"), 404)):
        client.force_login(person)
        assert client.post(address, body, content_type="application/json").status_code == status


def test_a_round_of_another_table_is_refused(game, beside, tell):
    beside.seat("Cat", "Dan")
    with pytest.raises(BadEntry):
        tell(SHOWN, round_=beside.play())


def test_a_dispute_that_the_floor_took_itself_is_no_need_of_the_board(game, played, tell, floor):
    act = Act(floor, game.now, "taken-by-the-floor", "desk", reason="it was a flush")
    take_dispute(site=game.site, session=game.session, round_=played, what="cards", act=act)
    assert open_disputes(game.site)
    assert not told(game)


def test_the_tablet_tells_it_by_the_api(client, game, played):
    client.force_login(game.dealer)
    body = {"key": "told-by-tablet-1", "number": 1, "round": played.pk}
    net = [{"seat": 1, "amount": "40.00"}, {"seat": 2, "amount": "-40.00"}]
    address = f"/api/sessions/{game.session.pk}/discrepancies"
    sent = client.post(address, json.dumps({**body, "net": net}), content_type="application/json")
    assert (sent.status_code, sent.json()) == (200, {"dispute": 1})
    sent = client.post(address, json.dumps({**body, "net": ["?"]}), content_type="application/json")
    assert (sent.status_code, sent.json()["code"]) == (400, "bad_entry")
