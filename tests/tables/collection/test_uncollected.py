"""R63: whoever leaves with less than the fee leaves a numbered record, and paying it later another one."""

from datetime import date

import pytest

from ledger.errors import KeyReused, NotAllowed, ReasonRequired
from ledger.journal.acts import Act
from ledger.proof.log import sealing, verifying
from tables.collection import uncollected, waivers
from tables.errors import FeeCollectable, NothingDue, NotSeated
from tables.models import Charge, Recovery, TableEvent, Uncollected
from tables.reports.reconciliation import collections_of
from tables.reports.statements import statement
from tests.support.acting import acting
from tests.support.game import LOW, OPENING, QUEENS
from tests.support.kept import kept

pytestmark = pytest.mark.django_db
DAY = date(2026, 3, 7)


@kept
def broke(game):
    """Cat owes $10 for down 2 and has $5 left; Ann and Bob have paid. The round is settled."""
    game.seat("Ann", "Bob", "Cat")
    game.play()
    game.set_stack(3, 500)
    game.minute(41).play()
    return game


def declare(game, seat, reason="went home without a word", **options):
    options = {"key": game.key(), "actor": game.floor, "now": game.now} | options
    return acting(uncollected.declare_uncollected, sitting_id=game.sitting(seat).pk, reason=reason, **options)


def pay_later(game, sitting, cashier):
    from tables.collection import taking

    return taking.pay_fees(
        sitting_id=sitting.pk, method="cage", act=Act(key=game.key(), actor=cashier, now=game.now)
    )


def rows(game):
    return list(Uncollected.objects.order_by("pk").values_list("number", "charge__player__name"))


def test_leaving_with_less_than_the_fee_writes_it_down_by_itself(broke):
    broke.cash_out(3)
    assert rows(broke) == [(1, "Cat")]
    event = TableEvent.objects.get(kind="fee_uncollected")
    said = {name: event.data[name] for name in ("number", "cents", "seat", "reason", "gaming_day")}
    assert said == {
        "number": 1,
        "cents": 1000,
        "seat": 3,
        "reason": "left with less than the fee",
        "gaming_day": "2026-03-07",
    }
    charge = Charge.objects.get(pk=event.data["charge"])
    assert charge.payment is None  # it stays due, in Cat's name


def test_a_move_to_another_table_writes_it_down_as_well(broke, beside):
    broke.move(3, beside, 1, ordered=True)
    assert rows(broke) == [(1, "Cat")]


def test_who_can_pay_on_leaving_pays_and_nothing_is_written(broke):
    broke.add_on(3, 2000)
    broke.cash_out(3)
    assert rows(broke) == []


def test_who_leaves_with_exactly_the_fee_pays_it_and_takes_nothing_away(broke):
    broke.set_stack(3, 1000)
    sitting = broke.cash_out(3)
    assert rows(broke) == []
    assert sitting.taken_away_cents == 0


def test_the_cage_takes_it_later_as_a_numbered_recovery(broke, cashier):
    sitting = broke.cash_out(3)
    (taken,) = pay_later(broke, sitting, cashier)
    recovery = Recovery.objects.get()
    assert (recovery.number, recovery.uncollected.number, recovery.payment) == (1, 1, taken)
    assert '"recovery":1' in taken.entry.evidence
    assert '"uncollected":1' in taken.entry.evidence
    with pytest.raises(NothingDue):
        pay_later(broke, sitting, cashier)


def test_it_is_recovered_from_the_stack_when_the_player_sits_down_again(broke):
    broke.cash_out(3)
    broke.minute(45).buy_in("Cat", 4)
    broke.play()
    assert Recovery.objects.get().payment.method == "stack"


def test_leaving_again_with_the_same_debt_takes_no_second_number(broke):
    broke.cash_out(3)
    broke.minute(45).buy_in("Cat", 4)
    broke.set_stack(4, 500)
    broke.cash_out(4)
    assert rows(broke) == [(1, "Cat")]


def test_an_uncollected_fee_can_be_waived_and_is_no_recovery_then(broke, manager):
    reason = waivers.publish_waiver_reason(
        site=broke.site,
        code="house-error",
        text="The house erred",
        approval_reference="BGC-7",
        effective_from=DAY,
        act=Act(key="publish-one", actor=manager, now=OPENING),
    )
    sitting = broke.cash_out(3)
    charge = Charge.objects.get(uncollected__number=1)
    waivers.waive_fee(
        sitting_id=sitting.pk,
        charge_id=charge.pk,
        reason=reason,
        act=Act(key=broke.key(), actor=broke.floor, now=broke.now),
    )
    sums = collections_of(broke.site, DAY).sums
    assert (sums.waived, sums.uncollected, Recovery.objects.count()) == (1, 0, 0)


def test_the_floor_declares_it_for_somebody_who_walked_away_and_cashing_out_adds_nothing(broke):
    (written,) = declare(broke, 3)
    assert written.event.data["reason"] == "went home without a word"
    broke.cash_out(3)
    assert rows(broke) == [(1, "Cat")]


def test_a_fee_that_lies_on_the_felt_is_not_given_up(broke):
    broke.add_on(3, 1000)  # $15: not enough for nine points, but for the fee
    with pytest.raises(FeeCollectable):
        declare(broke, 3)


def test_a_stack_of_exactly_the_fee_pays_it_and_nothing_is_given_up(broke):
    broke.set_stack(3, 1000)
    with pytest.raises(FeeCollectable):
        declare(broke, 3)


def test_of_two_fees_the_smaller_one_that_lies_on_the_felt_is_enough_to_refuse(game):
    game.seat("Ann", "Bob")
    game.play()
    game.minute(25).buy_in("Cat", 3)
    game.set_stack(3, 200)
    game.play()
    game.minute(41).play()
    assert list(Charge.objects.filter(player__name="Cat").order_by("pk").values_list("cents", flat=True)) == [
        500,
        1000,
    ]
    game.set_stack(3, 700)
    with pytest.raises(FeeCollectable):
        declare(game, 3)


def test_declaring_needs_a_reason_a_seat_a_debt_and_the_floor(broke, dealer):
    with pytest.raises(ReasonRequired):
        declare(broke, 3, reason=" ")
    with pytest.raises(NothingDue):
        declare(broke, 1)
    with pytest.raises(NotAllowed):
        declare(broke, 3, actor=dealer)
    sitting = broke.cash_out(3)
    with pytest.raises(NotSeated):
        uncollected.declare_uncollected(
            sitting_id=sitting.pk, act=Act(reason="gone", key=broke.key(), actor=broke.floor, now=broke.now)
        )


def test_the_same_key_declares_once(broke):
    first = declare(broke, 3, key="declare-it-once")
    assert declare(broke, 3, key="declare-it-once") == first
    with pytest.raises(KeyReused):
        declare(broke, 3, reason="something else", key="declare-it-once")
    assert len(rows(broke)) == 1


def test_the_day_tells_what_was_left_unpaid_and_what_came_back(broke, cashier):
    sitting = broke.cash_out(3)
    day = collections_of(broke.site, DAY)
    sums = day.sums
    assert (sums.charged_cents, sums.uncollected_cents, sums.due_cents) == (6000, 1000, 0)
    assert sums.expected_cents == sums.taken_cents == 5000
    assert [lost.number for lost in day.uncollected] == [1]
    pay_later(broke, sitting, cashier)
    day = collections_of(broke.site, DAY)
    assert (day.sums.uncollected_cents, day.sums.taken_cents, day.sums.expected_cents) == (0, 6000, 6000)
    assert [(back.number, back.uncollected.number) for back in day.recoveries] == [(1, 1)]


def test_a_statement_says_that_a_fee_is_uncollected_and_then_recovered(broke, cashier):
    sitting = broke.cash_out(3)
    assert [charge.serials for charge in statement(sitting).charges] == ["", "Uncollected fee 1"]
    pay_later(broke, sitting, cashier)
    assert statement(sitting).charges[1].serials == "Uncollected fee 1, Recovery 1"


def lose_everything(game, seat):
    """Honest rounds, in which this seat's hand is foul against a flush until fewer than nine points are
    left."""
    for _ in range(20):
        if game.stack(seat) < 9 * game.limit:
            return
        round_ = game.start()
        game.settle(round_, [LOW if hand.seat == seat else QUEENS for hand in round_.hands.all()])
    raise AssertionError("nobody loses that slowly")


def test_books_with_an_unpaid_and_recovered_fee_verify(game, cashier):
    game.seat("Ann", "Bob", points=35)
    lose_everything(game, 2)
    game.minute(41).buy_in("Cat", 3)
    game.play()
    assert game.stack(2) < 1000
    sitting = game.cash_out(2)
    pay_later(game, sitting, cashier)
    assert Recovery.objects.count() == 1
    sealing.seal(game.site, now=game.now)
    assert [str(finding) for finding in verifying.Verification(game.site).run()] == []
