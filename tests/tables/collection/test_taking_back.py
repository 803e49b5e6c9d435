"""A fee, a waiver or a toke that was taken wrongly is taken back: alone for ten seconds,
later by two (R63)."""

from datetime import date, timedelta

import pytest

from ledger.errors import LedgerError
from ledger.models import ReversalSlip
from ledger.proof.log import sealing, verifying
from ledger.reports import box_log
from ledger.reports.statements import journal_page
from tables.collection import taking_back, waivers
from tables.collection.taking import pay_fees
from tables.collection.taking_back import take_back_fee
from tables.errors import TableError
from tables.models import Charge, FeePayment, Uncollected
from tables.reports import reconciliation
from tables.reports.session_report import session_report, sessions_to_report
from tables.reports.statements import statement
from tables.reports.trails import entries_at
from tables.seats import tokes
from tables.state.locks import lock_sessions
from tables.state.table_state import state_of
from tables.views.panels import leaving
from tests.support.acting import acting
from tests.support.game import OPENING
from tests.support.kept import kept

DAY = date(2026, 3, 7)


@kept
def owing(game):
    """Ann and Bob between two rounds, in a down for which they have not paid yet; ten dollars each."""
    game.seat("Ann", "Bob")
    game.play()
    return game.minute(41)


@pytest.fixture
def cat(owing):
    """Cat has come in the second down and owes for it."""
    owing.buy_in("Cat", 3)
    return owing


@pytest.fixture(params=["stack", "waived"])
def undone(owing, request):
    """Ann's fee of the second down, paid ahead or waived by mistake and undone at once;
    no round has started in that down."""
    if request.param == "stack":
        (paid,) = owing.pay(1, "stack")
    else:
        paid = waive(owing, 1, request.getfixturevalue("equipment")).payment
    back(owing, paid, actor=paid.entry.actor)
    return paid.charge


@pytest.fixture
def equipment(owing, manager):
    return acting(
        waivers.publish_waiver_reason,
        site=owing.site,
        code="equipment",
        text="The table was out of order",
        approval_reference="BGC-7",
        effective_from=DAY,
        actor=manager,
        now=OPENING,
        key="publish-equipment",
    )


def waive(game, seat, reason, **options):
    options = {"key": game.key(), "actor": game.floor, "now": game.now} | options
    return acting(waivers.waive_fee, sitting_id=game.sitting(seat).pk, reason=reason, **options)


def back(game, payment, **options):
    """Taken back alone, by who took it, unless it says otherwise."""
    options = {"key": game.key(), "actor": game.dealer, "now": game.now} | options
    return acting(take_back_fee, payment_id=payment.pk, **options)


def back_by_two(game, floor2, payment, **options):
    options = {"actor": game.floor, "approver": floor2, "reason": "it was Bob who paid"} | options
    return back(game, payment, **options)


def refused(call, *args, **options) -> str:
    with pytest.raises((TableError, LedgerError)) as error:
        call(*args, **options)
    return error.value.code


def findings(game):
    return [str(finding) for finding in named(game)]


def named(game):
    """What the live check finds wrong."""
    sealing.seal(game.site, now=game.now)
    return list(verifying.Verification(game.site).run())


def at_table(game):
    """The kinds of the entries in the table's journal of the day."""
    page = journal_page(game.site, DAY, among=entries_at(game.table))
    return [entry.kind for entry in page.entries]


def adds_up(game):
    """Whether every report of this day and session agrees with the books."""
    day = reconciliation.collections_of(game.site, DAY)
    boxes = box_log.boxes_of_day(game.site, DAY)
    proof = reconciliation.proof(day, box_log.taken_on(game.site, DAY), boxes)
    report = session_report(sessions_to_report().get(pk=game.session.pk))
    lines = [statement(row.sitting).adds_up for row in report.sittings]
    return (proof.adds_up, proof.boxes_hold_it, report.adds_up, *lines)


def test_a_fee_is_undone_within_ten_seconds_and_is_due_again(owing):
    before, box = owing.stack(1), owing.fresh_session().box
    (paid,) = owing.pay(1, "stack")
    (slip,) = back(owing, paid, now=owing.now + timedelta(seconds=10))
    assert owing.stack(1) == before
    assert (slip.number, slip.entry.kind, slip.entry.reverses) == (1, "undo", paid.entry)
    assert slip.entry.transfers.get().source_id == box.chips_id
    charge = Charge.objects.open().get(player=owing.players["Ann"])
    assert charge.payment is None
    assert all(adds_up(owing))
    assert findings(owing) == []


@pytest.mark.parametrize("method", ["stack", "cash", "cage"])
def test_what_was_taken_back_is_paid_again_and_taken_back_again(owing, cashier, floor2, method):
    actor = cashier if method == "cage" else owing.dealer
    for number in (1, 2, 3):
        (paid,) = owing.pay(1, method, actor=actor)
        asks = cashier if method == "cage" else owing.floor
        (slip,) = back_by_two(owing.minute(41 + number), floor2, paid, actor=asks)
        assert slip.number == number
    (paid,) = owing.pay(1, method, actor=actor)
    charge = Charge.objects.get(pk=paid.charge_id)
    assert charge.payment == paid
    assert charge.payments.count() == 4
    assert at_table(owing).count("reversal") == 3
    assert all(adds_up(owing))
    assert findings(owing) == []


def test_the_rounds_that_follow_take_it_by_themselves(owing, floor2):
    (paid,) = owing.pay(1, "cash")
    back_by_two(owing, floor2, paid)
    owing.play()
    assert Charge.objects.get(pk=paid.charge_id).payment.method == "stack"
    assert findings(owing) == []


def test_a_fee_that_a_round_took_is_taken_back_between_rounds_by_two(owing, floor2):
    owing.play()
    paid = FeePayment.objects.filter(charge__down__number=2).first()
    assert refused(back, owing, paid) == "built_on"
    back_by_two(owing, floor2, paid)
    assert Charge.objects.open().count() == 1
    owing.start()
    assert findings(owing) == []


def test_nothing_moves_a_stack_that_is_dealt_in(owing, floor2):
    owing.start()
    paid = FeePayment.objects.filter(charge__down__number=2).first()
    assert refused(back_by_two, owing, floor2, paid) == "round_running"


def test_ten_seconds_are_for_who_did_it_at_the_same_terminal(owing, floor2):
    (paid,) = owing.pay(1, "stack")
    assert refused(back, owing, paid, actor=owing.floor) == "not_your_act"
    assert refused(back, owing, paid, terminal="another one") == "not_your_act"
    late = owing.now + timedelta(seconds=10, microseconds=1)
    assert refused(back, owing, paid, now=late) == "undo_too_late"
    assert ReversalSlip.objects.count() == 0


def test_an_undo_takes_back_everything_that_one_act_paid(owing):
    owing.buy_in("Cat", 3, points=60)
    owing.set_stack(3, 4_500)
    owing.start()  # Cat cannot pay and waits
    owing.minute(81)
    taken = owing.pay(3, "cash")
    if len(taken) == 1:
        pytest.fail("Cat was to owe for two downs")
    slips = back(owing, taken[1])
    assert [slip.entry.reverses for slip in slips] == [one.entry for one in taken]


def test_an_undo_of_two_fees_from_the_stack_is_one_act(owing, floor2):
    (paid,) = owing.pay(1, "stack")
    owing.minute(42).play()
    back_by_two(owing.minute(43), floor2, paid)
    first, second = owing.minute(81).pay(1, "stack")
    assert len(back(owing, second)) == 2
    assert not first.charge.payments.get(pk=first.pk).in_force
    assert findings(owing) == []


def test_a_second_press_changes_nothing_and_another_key_is_refused(owing):
    (paid,) = owing.pay(1, "stack")
    first = back(owing, paid, key="one-undo")
    assert back(owing, paid, key="one-undo", now=owing.now + timedelta(seconds=20)) == first
    assert refused(back, owing, paid) == "already_reversed"
    assert ReversalSlip.objects.count() == 1


def test_a_second_press_after_it_was_paid_again_leaves_nothing_uncollected(owing, floor2):
    (paid,) = owing.pay(1, "cash")
    first = back_by_two(owing, floor2, paid, key="one-take-back")
    owing.minute(42).play()
    owing.minute(43).cash_out(1)
    assert back_by_two(owing, floor2, paid, key="one-take-back") == first
    assert Uncollected.objects.count() == 0
    assert findings(owing) == []


def test_nobody_undoes_alone_what_the_stack_was_changed_after(owing):
    (paid,) = owing.pay(1, "stack")
    owing.add_on(1, 1000)
    assert refused(back, owing, paid) == "built_on"


def test_the_check_names_an_undo_after_the_stack_was_changed(owing, monkeypatch):
    monkeypatch.setattr(taking_back, "require_not_built_on", lambda *_: None)
    (paid,) = owing.pay(1, "cash")
    owing.add_on(1, 1000)
    (slip,) = back(owing, paid)
    (found,) = named(owing)
    assert (found.code, found.record) == ("built_on", f"entry {slip.entry_id}")


@pytest.fixture
def elsewhere(owing, beside):
    """Ann paid ahead in cash, played, and left owing nothing; now she sits at table 2."""
    (paid,) = owing.pay(1, "cash")
    owing.minute(42).play()
    owing.minute(43).cash_out(1)
    beside.minute(44).buy_in("Ann", 1, points=100)
    return paid


def test_the_table_where_the_player_sits_now_is_told_too(owing, beside, floor2, elsewhere, monkeypatch):
    told = []
    monkeypatch.setattr(taking_back, "publish", told.append)
    back_by_two(owing.minute(45), floor2, elsewhere)
    assert told == [owing.session.pk, beside.session.pk]


def test_who_sits_down_elsewhere_meanwhile_has_the_page_loaded_again(
    owing, beside, floor2, elsewhere, monkeypatch
):
    sitting = beside.cash_out(1)

    def sits_down_first(*sessions, act):
        beside.buy_in("Ann", 2, points=sitting.taken_away_cents // 500)
        return lock_sessions(*sessions, act=act)

    monkeypatch.setattr(taking_back, "lock_sessions", sits_down_first)
    assert refused(back_by_two, owing.minute(45), floor2, elsewhere) == "stale_page"


def test_it_takes_two_and_a_reason(owing, floor2, cashier):
    (paid,) = owing.pay(1, "stack")
    assert refused(back_by_two, owing, floor2, paid, reason=" ") == "reason_required"
    assert refused(back_by_two, owing, owing.floor, paid) == "second_person"
    assert refused(back_by_two, owing, owing.dealer, paid) == "not_allowed"
    assert refused(back_by_two, owing, floor2, paid, actor=cashier) == "not_allowed"


def test_a_waiver_is_taken_back_and_its_number_stays(owing, floor2, equipment):
    waiver = waive(owing, 1, equipment)
    back(owing, waiver.payment, actor=owing.floor)
    again = waive(owing, 1, equipment)
    back_by_two(owing, floor2, again.payment)
    assert (waiver.number, again.number) == (1, 2)
    assert [kind for kind in at_table(owing) if kind in ("waiver", "undo", "reversal")] == [
        "waiver",
        "undo",
        "waiver",
        "reversal",
    ]
    assert [one.payment.in_force for one in reconciliation.collections_of(owing.site, DAY).waivers] == [
        False,
        False,
    ]
    owing.play()
    assert all(adds_up(owing))
    assert findings(owing) == []


def test_r61_what_was_paid_ahead_and_undone_is_not_charged_to_who_leaves_before_a_round(owing, undone):
    stack = owing.stack(1)
    assert leaving(state_of(owing.fresh_session()), owing.sitting(1)).takes_away_cents == stack
    sitting = owing.cash_out(1)
    assert (sitting.taken_away_cents, Uncollected.objects.count()) == (stack, 0)
    assert [fee for fee in reconciliation.open_fees(owing.site, owing.now) if fee.sitting == sitting] == []
    day = reconciliation.collections_of(owing.site, DAY)
    assert (day.sums.charged_cents, day.sums.due_cents) == (2_000, 0)
    assert statement(sitting).due_cents == 0
    assert all(adds_up(owing))
    assert findings(owing) == []


def test_the_cashiers_page_reads_a_closed_table_only_for_what_was_left_uncollected(
    owing, undone, floor2, monkeypatch
):
    read = []
    monkeypatch.setattr(reconciliation, "load_states", lambda sessions: read.extend(sessions) or [])
    owing.cash_out(1)
    owing.cash_out(2)
    owing.close(floor2)
    assert (reconciliation.open_fees(owing.site, owing.now), read) == ([], [])


def test_r61_what_was_paid_ahead_and_taken_back_after_leaving_is_not_uncollected(owing, floor2):
    (paid,) = owing.pay(1, "cash")
    owing.cash_out(1)
    back_by_two(owing, floor2, paid)
    assert Uncollected.objects.count() == 0
    assert all(adds_up(owing))
    assert findings(owing) == []


def test_r61_a_down_in_which_no_round_started_is_owed_by_nobody(owing, undone):
    owing.minute(81).play()
    taken = FeePayment.objects.filter(charge__player=owing.players["Ann"], entry__reversed_by=None)
    assert [one.charge.down.number for one in taken] == [1, 3]
    assert Charge.objects.open().get() == undone
    assert findings(owing) == []


def test_r61_who_comes_back_before_the_first_round_of_the_down_owes_it_once(owing, undone):
    stack = owing.stack(1)
    owing.cash_out(1)
    owing.minute(42).buy_in("Ann", 1, stack // owing.limit)
    owing.play()
    assert undone.payments.count() == 2
    assert findings(owing) == []


def test_r62_what_was_undone_covers_nothing_at_the_next_table(owing, beside, undone):
    assert owing.move(1, beside, 1, ordered=True).covered_by is None
    beside.now = owing.now
    beside.buy_in("Dan", 2)
    beside.play()
    assert FeePayment.objects.filter(sitting__session=beside.session).count() == 2
    assert findings(owing) == []


def test_r61_the_check_names_what_was_taken_or_left_uncollected_though_nobody_owed_it(
    owing, floor2, undone, monkeypatch
):
    monkeypatch.setattr(Charge, "is_owed", lambda charge, until=None: True)
    owing.minute(81).cash_out(1)
    (paid,) = owing.pay(2, "cash")
    owing.cash_out(2)
    back_by_two(owing, floor2, paid)
    found, unjudged = named(owing)
    assert (found.code, unjudged.code) == ("collection_differs", "not_judged")
    assert "no round of its down started with the player there (R61)" in str(found)
    assert "1 table event fee uncollected" in str(unjudged)


def test_who_has_left_owes_it_as_an_uncollected_fee(owing, floor2):
    (paid,) = owing.pay(1, "cash")
    owing.minute(42).play()
    owing.minute(43).cash_out(1)
    assert refused(back, owing, paid) == "built_on"
    back_by_two(owing, floor2, paid)
    assert Uncollected.objects.get().charge == paid.charge
    assert all(adds_up(owing))
    assert findings(owing) == []


def test_what_was_paid_at_the_cage_is_taken_back_once_the_table_has_closed(owing, cashier, floor2):
    (paid,) = owing.pay(1, "cage", actor=cashier)
    owing.minute(42).play()
    owing.minute(43).cash_out(1)
    owing.cash_out(2)
    owing.close(floor2)
    back_by_two(owing, floor2, paid, actor=cashier)
    assert Uncollected.objects.get().charge == paid.charge
    assert findings(owing) == []


def test_chips_do_not_go_back_onto_a_stack_that_has_left(owing, floor2):
    (paid,) = owing.pay(1, "stack")
    owing.cash_out(1)
    assert refused(back_by_two, owing, floor2, paid) == "not_seated"


def test_a_box_that_was_pulled_keeps_what_is_in_it(owing, floor2):
    (paid,) = owing.pay(1, "cash")
    owing.cash_out(1)
    owing.cash_out(2)
    owing.close(floor2)
    with pytest.raises(LedgerError, match="Box 1, which it went into, has been pulled") as refusal:
        back_by_two(owing, floor2, paid)
    assert refusal.value.code == "box_pulled"


def test_a_covered_fee_is_not_taken_back_and_neither_is_what_covers_it(owing, beside, floor2):
    (paid,) = owing.pay(1, "stack")
    owing.move(1, beside, 1, ordered=True)
    assert refused(back_by_two, owing, floor2, paid) == "built_on"
    beside.now = owing.now
    beside.buy_in("Dan", 2)
    beside.play()
    covered = FeePayment.objects.get(method="covered")
    assert refused(back_by_two, owing, floor2, covered) == "not_taken_back"


def test_who_moves_after_it_was_taken_back_pays_it_again_on_leaving(owing, beside, floor2):
    (paid,) = owing.pay(1, "stack")
    owing.minute(42).play()
    back_by_two(owing.minute(43), floor2, paid)
    assert owing.move(1, beside, 1, ordered=True).covered_by == paid.charge
    assert paid.charge.payments.count() == 2
    assert findings(owing) == []


def test_an_uncollected_fee_is_recovered_twice(owing, cashier, floor2):
    owing.buy_in("Cat", 3)
    owing.set_stack(3, 500)
    owing.play()
    sitting = owing.cash_out(3)
    for number in (1, 2):
        asked = {"method": "cage", "actor": cashier, "now": owing.now, "key": owing.key()}
        (paid,) = acting(pay_fees, sitting_id=sitting.pk, **asked)
        assert paid.recovery.number == number
        if number == 1:
            back_by_two(owing, floor2, paid, actor=cashier)
    assert Uncollected.objects.get().recoveries.count() == 2


def test_a_toke_is_undone_within_ten_seconds(owing):
    before = owing.stack(1)
    acting(
        tokes.give_toke,
        sitting_id=owing.sitting(1).pk,
        cents=500,
        actor=owing.dealer,
        now=owing.now,
        key="a-toke",
    )
    entry = owing.site.entries.get(key="a-toke")
    late = {"actor": owing.dealer, "now": owing.now + timedelta(seconds=11), "key": "late"}
    assert refused(acting, tokes.undo_toke, entry=entry, **late) == "undo_too_late"
    act = {"actor": owing.dealer, "now": owing.now, "key": "undo-a-toke"}
    (slip,) = acting(tokes.undo_toke, entry=entry, **act)
    assert (slip.number, owing.stack(1)) == (1, before)
    assert all(adds_up(owing))
    assert findings(owing) == []
