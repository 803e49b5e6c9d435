"""A fee is let go by the floor alone, for a published reason, with a number;
it is charged all the same (R60, R61)."""

from datetime import date, timedelta

import pytest

from ledger.errors import BadText, KeyReused, NotAllowed
from ledger.journal.acts import Act
from ledger.models import HouseEvent
from ledger.proof.log import sealing, verifying
from tables.collection import waivers
from tables.errors import BadEntry, NothingDue, ReasonPublished, UnknownReason
from tables.models import Charge, FeePayment, Waiver
from tables.reports.reconciliation import collections_of
from tests.support.acting import acting
from tests.support.game import OPENING

pytestmark = pytest.mark.django_db
DAY = date(2026, 3, 7)


@pytest.fixture
def publish(site, manager):
    """`publish("equipment")`: a reason in force since the year began."""

    def publish(code="equipment", since=date(2026, 1, 1), **more):
        asked = {"text": f"Because of {code}", "approval_reference": "BGC-7", "key": f"publish-{code}"}
        asked |= {"actor": manager, "now": OPENING} | more
        return acting(waivers.publish_waiver_reason, site=site, code=code, effective_from=since, **asked)

    return publish


@pytest.fixture
def reason(publish):
    return publish()


def waive(game, seat, reason, **options):
    options = {"key": game.key(), "actor": game.floor, "now": game.now} | options
    return acting(waivers.waive_fee, sitting_id=game.sitting(seat).pk, reason=reason, **options)


def findings(game):
    sealing.seal(game.site, now=game.now)
    return [str(finding) for finding in verifying.Verification(game.site).run()]


def test_the_fee_of_the_current_down_is_waived_before_a_round_makes_it_due(game, reason):
    game.seat("Ann", "Bob")
    game.play()
    game.minute(41)
    waiver = waive(game, 1, reason)
    assert (waiver.number, waiver.payment.method, waiver.payment.charge.cents) == (1, "waived", 1000)
    before = game.stack(1)
    game.start()
    assert game.stack(1) == before  # and the round charges nobody twice
    assert Charge.objects.filter(down__number=2).count() == 2
    assert findings(game) == []


def test_an_entry_that_moves_nothing_says_who_waived_what_and_why(game, reason):
    game.seat("Ann", "Bob")
    game.play()
    entry = waive(game.minute(41), 1, reason).payment.entry
    assert (entry.kind, entry.actor, entry.reason) == ("waiver", game.floor, reason.text)
    assert not entry.transfers.exists()
    assert '"waiver":{"code":"equipment","number":1,"text":"Because of equipment"}' in entry.evidence


def test_a_charge_that_is_due_already_is_waived_by_its_id_and_the_player_is_dealt_in_again(game, reason):
    game.seat("Ann", "Bob", "Cat")
    game.play()
    game.set_stack(3, 5000)  # $50: nine points would not be left
    game.minute(41).play()
    charge = Charge.objects.get(player=game.players["Cat"], down__number=2)
    assert [seat.seat for seat in game.plan().waiting] == [3]
    waive(game, 3, reason, charge_id=charge.pk)
    assert [seat.seat for seat in game.plan().waiting] == []


def test_waivers_are_numbered_without_gaps_also_after_one_that_was_refused(game, reason):
    game.seat("Ann", "Bob")
    game.play()
    game.minute(41)
    waive(game, 1, reason)
    with pytest.raises(NothingDue):
        waive(game, 1, reason)
    waive(game, 2, reason)
    assert list(Waiver.objects.order_by("pk").values_list("number", flat=True)) == [1, 2]


def test_a_waived_fee_is_never_taken(game, reason):
    game.seat("Ann", "Bob")
    game.play()
    waive(game.minute(41), 1, reason)
    with pytest.raises(NothingDue):
        game.pay(1)
    game.play()
    assert FeePayment.objects.filter(charge__player=game.players["Ann"]).count() == 2


def test_the_same_key_waives_once_and_another_wish_under_it_is_refused(game, reason, publish):
    game.seat("Ann", "Bob")
    game.play()
    game.minute(41)
    first = waive(game, 1, reason, key="waive-it-once")
    assert waive(game, 1, reason, key="waive-it-once") == first
    with pytest.raises(KeyReused):
        waive(game, 1, publish("fire"), key="waive-it-once")
    assert Waiver.objects.count() == 1


def test_nothing_is_waived_before_the_first_round(game, reason):
    game.seat("Ann", "Bob")
    with pytest.raises(NothingDue):
        waive(game, 1, reason)


def test_dealers_and_cashiers_waive_nothing(game, reason, dealer, cashier):
    game.seat("Ann", "Bob")
    game.play()
    game.minute(41)
    for person in (dealer, cashier):
        with pytest.raises(NotAllowed):
            waive(game, 1, reason, actor=person)


def test_a_reason_counts_from_its_day_until_it_is_withdrawn(game, publish, manager):
    game.seat("Ann", "Bob")
    game.play()
    game.minute(41)
    to_come, gone = publish("to-come", since=date(2026, 3, 8)), publish("gone")
    waivers.withdraw_waiver_reason(reason_id=gone.pk, act=Act(key="withdraw-it", actor=manager, now=game.now))
    for reason in (to_come, gone):
        with pytest.raises(UnknownReason):
            waive(game, 1, reason)
    assert not Waiver.objects.exists()
    assert findings(game) == []


def test_what_a_reason_says_never_changes_and_its_code_is_taken_once(publish, manager):
    reason = publish()
    assert publish() == reason  # the same key
    with pytest.raises(ReasonPublished):
        publish(key="another-key", text="Something else")
    with pytest.raises(KeyReused):
        publish("fire", key="publish-equipment")
    with pytest.raises(BadEntry):
        publish("Not A Code")
    assert reason.text == "Because of equipment"


def test_a_reason_has_a_code_of_30_a_text_of_120_and_a_reference_of_80_characters_at_most(publish):
    longest = {"code": "c" * 30, "text": "t" * 120, "approval_reference": "r" * 80}
    reason = publish(**longest)
    assert {name: getattr(reason, name) for name in longest} == longest
    for field, text in longest.items():
        with pytest.raises((BadEntry, BadText)) as refused:
            publish(**{"code": "fire", field: text + "x"})
        assert refused.value.field == field


def test_publishing_and_withdrawing_are_the_managers_and_leave_an_event_each(publish, reason, floor, manager):
    with pytest.raises(NotAllowed):
        publish("fire", actor=floor)
    with pytest.raises(NotAllowed):
        waivers.withdraw_waiver_reason(
            reason_id=reason.pk, act=Act(key="withdraw-it", actor=floor, now=OPENING)
        )
    for _ in range(2):
        waivers.withdraw_waiver_reason(
            reason_id=reason.pk, act=Act(key="withdraw-it", actor=manager, now=OPENING)
        )
    with pytest.raises(UnknownReason):
        waivers.withdraw_waiver_reason(
            reason_id=reason.pk, act=Act(key="once-more", actor=manager, now=OPENING)
        )
    kinds = HouseEvent.objects.filter(kind__startswith="waiver").order_by("pk")
    assert list(kinds.values_list("kind", "actor")) == [
        ("waiver_reason_published", manager.pk),
        ("waiver_reason_withdrawn", manager.pk),
    ]


def test_the_day_explains_a_waived_fee_to_the_cent(game, reason):
    game.seat("Ann", "Bob")
    game.play()
    waive(game.minute(41), 1, reason)
    game.play()
    day = collections_of(game.site, DAY)
    sums = day.sums
    assert (sums.charged_cents, sums.waived, sums.waived_cents, sums.expected_cents) == (4000, 1, 1000, 3000)
    assert (
        sums.charged_cents == sums.taken_cents + sums.waived_cents + sums.uncollected_cents + sums.due_cents
    )
    assert [(waiver.number, waiver.reason.text) for waiver in day.waivers] == [(1, "Because of equipment")]


def test_r62_a_waived_fee_covers_the_first_one_after_a_move_that_the_house_ordered(game, beside, reason):
    game.seat("Ann", "Bob", "Cat")
    beside.buy_in("Dan", 1)
    beside.buy_in("Eve", 2)
    game.play()
    beside.play()
    game.minute(41)
    game.play()
    waive(game.minute(81), 3, reason)
    game.move(3, beside, 3, ordered=True)
    beside.minute(82).play()
    covered = Charge.objects.get(session=beside.session, player=game.players["Cat"])
    assert (covered.rule, covered.cents) == ("covered", 0)
    assert findings(game) == []


def test_a_fee_of_a_down_that_began_just_now_is_that_of_the_half_where_the_player_came_late(game, reason):
    game.seat("Ann", "Bob")
    game.play()
    game.minute(20).buy_in("Cat", 3)
    waiver = waive(game.minute(30), 3, reason)
    assert (waiver.payment.charge.rule, waiver.payment.charge.cents) == ("half", 500)
    assert waiver.payment.charge.charged_at == OPENING + timedelta(minutes=30)
