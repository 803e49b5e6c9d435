"""R51: a fee that is due counts wherever in the house it fell due, and is taken where its player sits now."""

import json
from datetime import date

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ledger.journal.acts import Act
from ledger.proof.log import sealing, verifying
from tables.collection import taking, taking_back, waivers
from tables.errors import NothingDue, PlayerSeated, StackTooSmall
from tables.models import Charge, FeePayment, Recovery, Sitting, Uncollected
from tables.reports.reconciliation import open_fees
from tables.reports.session_report import session_report, sessions_to_report
from tables.seats import player_entries
from tables.state.table_state import load_states, sessions, state_of
from tests.support.acting import acting
from tests.support.game import OPENING, Game
from tests.support.kept import kept
from tests.tables.collection.test_uncollected import declare, lose_everything

pytestmark = pytest.mark.django_db


@kept
def owing(game, beside, players):
    """Bob lost at table 1 and owes $10 for its down 2; he has just sat down at table 2,
    where Dan and Eve play."""
    game.seat("Ann", "Bob", points=35)
    lose_everything(game, 2)
    game.minute(41).buy_in("Cat", 3)
    game.play()
    game.cash_out(2)
    beside.minute(41)
    beside.seat("Dan", "Eve")
    beside.play()
    beside.minute(45).buy_in("Bob", 3, points=40)
    return beside


def due(game, name="Bob", number=2):
    return Charge.objects.get(player=game.players[name], down__number=number)


def box_of(entry):
    (line,) = entry.transfers.all()
    return line.target_id


def test_r51_it_is_taken_from_the_stack_with_the_own_fee_into_the_box_of_the_table_that_takes_it(owing):
    old = due(owing)
    owing.start()
    paid = FeePayment.objects.filter(sitting=owing.sitting(3)).order_by("pk")
    assert [one.charge.session.table.number for one in paid] == [1, 2]  # oldest first
    assert {box_of(one.entry) for one in paid} == {owing.fresh_session().box.chips_id}
    assert owing.stack(3) == 40 * 500 - 2000
    recovery = Recovery.objects.get()
    assert (recovery.number, recovery.uncollected.number, recovery.payment.charge) == (1, 1, old)
    said = json.loads(paid[0].entry.evidence)
    assert (said["session"], said["due_session"], said["down"]) == (owing.session.pk, old.session_id, 2)


def test_r51_who_cannot_pay_it_is_not_dealt_in_and_is_told_where_it_fell_due(owing):
    owing.set_stack(3, 4500 + 1500)  # nine points, and one of the two fees
    (seat,) = owing.plan().waiting
    assert seat.sentence == "Bob owes $10.00: add on or pay it in cash."  # the older one is taken first
    owing.set_stack(3, 4500 + 900)
    (seat,) = owing.plan().waiting
    assert seat.reason == "fee_due"
    assert seat.sentence == "Bob owes $20.00 ($10.00 from Table 1, down 2): add on or pay it in cash."
    assert owing.start().hands.count() == 2
    with pytest.raises(StackTooSmall):
        owing.pay(3, "stack")


def test_the_tablet_says_due_while_one_of_two_fees_is(owing, client):
    owing.set_stack(3, 900)
    owing.cash_out(3)
    owing.minute(66).buy_in("Bob", 3)
    owing.set_stack(3, 4500 + 500)  # nine points and the half fee of this table, which is the newer one
    client.force_login(owing.dealer)
    with time_machine.travel(owing.now, tick=False):
        plan = client.get(f"/api/sessions/{owing.session.pk}/plan").json()
    (bob,) = (seat for seat in plan["waiting"] if seat["player"] == "Bob")
    assert (bob["fee"]["amount"], bob["fee"]["how"], bob["reason"]) == ("15.00", "due", "fee_due")


def test_r51_it_is_paid_in_cash_at_the_table_that_the_player_has_come_to(owing):
    old, own = owing.pay(3, "cash", cents=2000)
    assert (old.charge, own.charge.session) == (due(owing), owing.session)
    assert {box_of(one.entry) for one in (old, own)} == {owing.fresh_session().box.cash_id}
    with pytest.raises(NothingDue):
        owing.pay(3, "cash")


def test_r63_who_leaves_pays_the_fees_of_other_tables_from_what_they_take_away(owing):
    sitting = owing.cash_out(3)
    assert Recovery.objects.get().payment.sitting == sitting
    assert sitting.taken_away_cents == 40 * 500 - 1000


def test_r63_who_leaves_again_without_the_money_takes_no_second_number(owing):
    owing.set_stack(3, 900)
    sitting = owing.cash_out(3)
    assert json.loads(sitting.stack.outgoing.get().entry.evidence)["unpaid_fees"] == [due(owing).pk]
    assert Uncollected.objects.count() == 1


def test_it_moves_along_to_a_third_table(owing, table_of, stocked_site, floor, dealer, players):
    third = Game(stocked_site, floor, dealer, players, number=3)
    owing.set_stack(3, 900)
    owing.move(3, third, 5, ordered=True)
    assert [charge.pk for charge in state_of(third.fresh_session()).open_charges] == [due(owing).pk]
    assert state_of(owing.fresh_session()).open_charges == []


def test_the_cage_takes_it_at_the_seat_and_no_more_from_the_sitting_that_ended(owing, cashier):
    old = Sitting.objects.get(player=owing.players["Bob"], session=due(owing).session)
    act = {"actor": cashier, "now": owing.now}
    with pytest.raises(PlayerSeated) as refused:
        acting(taking.pay_fees, sitting_id=old.pk, method="cage", key="at-the-cage-1", **act)
    assert str(refused.value) == "Bob sits at Table 2, seat 3, and the fee is due there now."
    (line,) = [fee for fee in open_fees(owing.site, owing.now) if fee.sitting.player.name == "Bob"]
    assert (line.sitting, line.cents) == (owing.sitting(3), 2000)
    taken, _ = acting(taking.pay_fees, sitting_id=line.sitting.pk, method="cage", key="at-the-cage-2", **act)
    assert taken.charge == due(owing)


def test_it_can_be_waived_where_the_player_sits_now_and_nowhere_else(owing, manager, floor):
    reason = waivers.publish_waiver_reason(
        site=owing.site,
        code="house-error",
        text="The house erred",
        approval_reference="BGC-7",
        effective_from=date(2026, 3, 7),
        act=Act(key="publish-one", actor=manager, now=OPENING),
    )
    old = due(owing)
    told = {"reason": reason, "charge_id": old.pk, "actor": floor, "now": owing.now}
    with pytest.raises(PlayerSeated):
        acting(waivers.waive_fee, sitting_id=old.sitting_id, key="waive-it-there", **told)
    waiver = acting(waivers.waive_fee, sitting_id=owing.sitting(3).pk, key="waive-it-here", **told)
    assert (waiver.payment.charge, waiver.payment.sitting) == (old, owing.sitting(3))
    assert (Recovery.objects.count(), len(owing.start().hands.all())) == (0, 3)


def test_waiving_the_current_fee_does_not_waive_one_of_another_table(owing, manager, floor):
    reason = waivers.publish_waiver_reason(
        site=owing.site,
        code="house-error",
        text="The house erred",
        approval_reference="BGC-7",
        effective_from=date(2026, 3, 7),
        act=Act(key="publish-one", actor=manager, now=OPENING),
    )
    owing.set_stack(3, 900)
    owing.cash_out(3)
    owing.minute(82).play()  # down 2 here as well
    owing.minute(105).buy_in("Bob", 4)
    owing.set_stack(4, 4500 + 700)
    owing.play()  # takes the half fee; the one of table 1 is more than can be spared
    told = {"reason": reason, "charge_id": None, "actor": floor, "now": owing.now}
    with pytest.raises(NothingDue):
        acting(waivers.waive_fee, sitting_id=owing.sitting(4).pk, key="waive-it-here", **told)


def test_r62_it_follows_the_person_whose_other_entry_owes_it(game, beside, floor, floor2):
    game.seat("Ann", "Bob", points=35)
    lose_everything(game, 2)
    game.minute(41).buy_in("Cat", 3)
    game.play()
    game.cash_out(2)
    beside.minute(45).seat("Dan", "Eve")
    player_entries.merge_players(
        merged_id=game.players["Bob"].pk,
        into_id=beside.players["Eve"].pk,
        act=Act(key="merge-the-two", actor=floor, now=beside.now, approver=floor2, reason="same passport"),
    )
    beside.start()
    assert FeePayment.objects.get(charge=due(game)).sitting.player == beside.players["Eve"]


def test_it_is_not_declared_a_second_time(owing):
    with pytest.raises(NothingDue):
        declare(owing, 3)


def test_one_query_more_reads_what_followed_players_to_any_number_of_tables(owing):
    with CaptureQueriesContext(connection) as asked:
        states = load_states(sessions())
    assert len(asked) == 1 + 5 + 1
    with CaptureQueriesContext(connection) as nothing:
        (followed,) = next(state for state in states if state.session.pk == owing.session.pk).open_charges
        assert (str(followed.session.table), followed.down.number) == ("Table 1", 2)
    assert len(nothing) == 0


def test_the_sessions_of_both_tables_add_up(owing, game):
    owing.start()
    for session in (game.session, owing.session):
        report = session_report(sessions_to_report().get(pk=session.pk))
        assert [proof.says for proof in report.proofs if not proof.fits] == []


def test_books_with_a_fee_that_followed_its_player_verify(owing):
    owing.play()
    sealing.seal(owing.site, now=owing.now)
    assert [str(finding) for finding in verifying.Verification(owing.site).run()] == []


def take_back(owing, payment, floor2):
    sent = {"actor": owing.floor, "approver": floor2, "reason": "Cat paid it", "key": owing.key()}
    return acting(taking_back.take_back_fee, payment_id=payment.pk, now=owing.now, **sent)


def test_r51_what_is_taken_back_is_due_again_where_the_player_sits(owing, floor2):
    """Bob paid at table 2 what fell due at table 1. Taken back, it keeps him out of the next round there."""
    old, _ = owing.pay(3, "cash", cents=2000)
    take_back(owing, old, floor2)
    owing.set_stack(3, 4500 + 900)
    (seat,) = owing.plan().waiting
    assert seat.sentence == "Bob owes $10.00 ($10.00 from Table 1, down 2): add on or pay it in cash."


def test_r51_taking_back_takes_its_turn_at_the_table_where_the_player_sits_now(owing, game, floor2):
    """A round that starts there meanwhile knows of the fee, or comes before it (R65)."""
    old, _ = owing.pay(3, "cash", cents=2000)
    owing.cash_out(3)
    game.minute(46).buy_in("Bob", 2, points=40)
    owing.minute(47)
    take_back(owing, old, floor2)
    assert game.fresh_session().latest_at == owing.now
    assert due(owing) in state_of(game.fresh_session()).open_charges
    sealing.seal(owing.site, now=owing.now)
    assert [str(finding) for finding in verifying.Verification(owing.site).run()] == []
