"""Rounds that one person played on a tablet without the house, and left, and another sent: neither of them
decides about them, and the log names both."""

import json
from dataclasses import replace

import pytest

from ledger.errors import Refusal
from ledger.journal.acts import Act
from tables.floor.disputes import TabletResult, decide_dispute, report_discrepancy, take_dispute
from tables.models import TableEvent
from tables.rounds import corrections, settling
from tables.rules.table.runners import Runners
from tests.support.game import FULL_HOUSE, QUEENS
from tests.support.replayed import bodies, judged

pytestmark = pytest.mark.django_db

CARDS = [QUEENS, FULL_HOUSE]
ANOTHER = [FULL_HOUSE, QUEENS]


@pytest.fixture
def lead(employ):
    """Deals and runs the floor: played without the house, and left the tablet as it was."""
    return employ("lead", "dealer", "floor")


@pytest.fixture
def sent(game, lead):
    """Round 1, which the lead played and the table's dealer sent."""
    game.seat("Ann", "Bob")
    game.session.refresh_from_db()
    round_ = game.start(played_by=lead.pk)
    entry = replace(game.entry(round_, CARDS), played_by=lead.pk)
    return settling.settle_round(entry=entry, act=Act(game.dealer, game.now, entry.key, "tablet"))


def act(game, who, reason=""):
    return Act(who, game.now, game.key(), "desk", reason=reason)


def code(wrong):
    """Return the code of a refusal."""
    with pytest.raises(Refusal) as error:
        wrong()
    return error.value.code


def decide(game, dispute, who):
    decided = act(game, who, "the camera shows it")
    return decide_dispute(dispute=dispute, outcome="as_dealt", told=True, act=decided)


def test_the_log_names_who_played_a_round_and_who_sent_it(game, lead, sent):
    events = TableEvent.objects.filter(kind="round_handed_in")
    assert [(event.actor, event.data["played_by"]) for event in events] == [(game.dealer, lead.pk)] * 2
    assert judged(bodies())[0] == []


def test_whoever_played_a_round_that_another_sent_does_not_decide_a_dispute_about_it(
    game, lead, sent, floor2
):
    dispute = take_dispute(
        site=game.site, session=game.session, round_=sent, what="cards", act=act(game, floor2, "a flush")
    )
    assert (dispute.entered_by, dispute.played_by) == (game.dealer, lead)
    assert code(lambda: decide(game, dispute, lead)) == "second_person"
    decide(game, dispute, floor2)
    assert judged(bodies())[0] == []


def test_nor_one_that_the_sender_told_of_a_round_which_the_house_refused(game, lead, floor2):
    game.seat("Ann", "Bob")
    game.session.refresh_from_db()
    shown = TabletResult(1, {1: 4000, 2: -4000}, why="A card occurs twice.", played_by=lead.pk)
    told = report_discrepancy(session=game.session, round_=None, shown=shown, act=act(game, game.dealer))
    assert (told.entered_by, told.played_by) == (game.dealer, lead)
    assert code(lambda: decide(game, told, lead)) == "second_person"
    decide(game, told, floor2)
    assert judged(bodies())[0] == []


@pytest.mark.parametrize("asks", ["dealer", "floor2"])
def test_r58_whoever_played_it_neither_approves_nor_refuses_its_correction(game, lead, sent, floor2, asks):
    asked = game.ask(sent, ANOTHER, actor={"dealer": game.dealer, "floor2": floor2}[asks])
    assert code(lambda: game.approve(asked, actor=lead)) == "second_person"
    refusing = act(game, lead, "it stands")
    refuse = corrections.refuse_correction
    assert code(lambda: refuse(request_id=asked.pk, act=refusing)) == "second_person"
    game.approve(asked, actor=game.floor)
    assert judged(bodies())[0] == []


def test_a_round_that_its_dealer_sends_alone_is_nobody_elses(game, lead, floor2):
    game.seat("Ann", "Bob")
    game.session.refresh_from_db()
    round_ = game.play(CARDS, played_by=game.dealer.pk)
    game.approve(game.ask(round_, ANOTHER), actor=lead)
    assert not TableEvent.objects.filter(kind="round_handed_in").exists()


def test_nobody_blames_somebody_who_does_not_deal(client, game, cashier):
    game.seat("Ann", "Bob")
    client.force_login(game.dealer)
    address = f"/api/sessions/{game.session.pk}/rounds"
    for nobody in (cashier.pk, 999_999):
        body = json.dumps({"key": "left-on-the-tablet", "played_by": nobody})
        refused = client.post(address, body, content_type="application/json")
        assert (refused.status_code, refused.json()["field"]) == (400, "played_by")


def test_the_tablet_says_by_the_api_whose_round_it_sends(client, game, lead):
    game.seat("Ann", "Bob")
    game.session.refresh_from_db()
    client.force_login(game.dealer)

    def post(path, **body):
        answer = client.post(f"/api/{path}", json.dumps(body), content_type="application/json")
        assert answer.status_code < 300, answer.content
        return answer.json()

    sent = {"played_by": lead.pk}
    round_ = post(f"sessions/{game.session.pk}/rounds", key="start-of-round-1", **sent)["id"]
    hands = [dict(hand, seat=seat) for seat, hand in enumerate(CARDS, 1)]
    for _ in "once", "again":
        post(f"rounds/{round_}/settle", key="settles-round-1", hands=hands, **sent)
    assert TableEvent.objects.filter(kind="round_handed_in", data__played_by=lead.pk).count() == 2
    net = [{"seat": 1, "amount": "40.00"}]
    told = {"number": 1, "round": round_, "net": net, **sent}
    post(f"sessions/{game.session.pk}/discrepancies", key="tells-the-floor", **told)
    assert judged(bodies())[0] == []


def test_whoever_played_without_the_house_ran_the_table_and_signs_no_box_off():
    runners = Runners()
    runners.take("opened", 1, {"box": 3})
    runners.take("round_handed_in", 2, {"played_by": 7})
    assert runners.everybody == {1, 2, 7}


# -- offline ----------------------------------------------------------------------------------------------


def changed(kind, **fields):
    """Return the house's records, with the last of this kind changed."""
    records = bodies()
    last = next(body for body in reversed(records) if kind in (body["record"], body.get("kind")))
    last |= fields
    return records


def found(records):
    return [finding.code for finding in judged(records)[0]]


def test_the_offline_check_finds_the_player_among_those_who_decided(game, lead, sent, floor2):
    game.approve(game.ask(sent, ANOTHER, actor=floor2))
    dispute = take_dispute(
        site=game.site, session=game.session, round_=sent, what="cards", act=act(game, floor2)
    )
    decide(game, dispute, game.floor)
    assert found(bodies()) == []
    assert found(changed("dispute_decision", decided_by=lead.pk)) == ["second_person"]
    assert found(changed("dispute_decision", decided_by=game.dealer.pk)) == ["second_person"]
    assert "second_person" in found(changed("correction", approver=lead.pk))
    assert "second_person" in found(changed("correction", approver=game.dealer.pk))


def test_the_offline_check_finds_the_player_who_refused_a_correction(game, lead, sent, floor2):
    asked = game.ask(sent, ANOTHER, actor=floor2)
    corrections.refuse_correction(request_id=asked.pk, act=act(game, game.floor, "it stands"))
    assert found(bodies()) == []
    assert found(changed("correction_refused", actor=lead.pk)) == ["second_person"]


@pytest.mark.parametrize(
    ("data", "wrong"), [({"round": 9}, "no_round"), ({"round_id": 999}, "no_round"), ({}, "bad_record")]
)
def test_the_offline_check_reads_who_sent_which_round(game, sent, data, wrong):
    (*_, last) = (body for body in bodies() if body.get("kind") == "round_handed_in")
    said = last["data"] | (data or {"played_by": last["actor"]})
    assert found(changed("round_handed_in", data=said))[0] == wrong
