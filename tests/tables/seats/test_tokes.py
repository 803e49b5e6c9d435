"""R52: a toke is a recorded transfer between rounds to the dealer's toke account, never into the box."""

import json

import pytest
from django.db import IntegrityError, transaction

from ledger.cage import tokes as lying
from ledger.errors import LedgerError
from ledger.models import JournalEntry, TokeAccount
from ledger.proof.log import sealing, verifying
from ledger.rules.denominations import Pieces
from tables.errors import TableError
from tables.models import TableSession
from tables.reports.session_report import session_report, sessions_to_report
from tables.reports.statements import statement
from tables.seats import tokes
from tables.seats.chip_corrections import correct_chips
from tests.support.acting import acting
from tests.support.kept import kept
from tests.tables.log.test_verifying import tampering


def refused(call, *args, **options) -> str:
    with pytest.raises((TableError, LedgerError)) as error:
        acting(call, *args, **options)
    return error.value.code


@kept
def between(game):
    """Ann and Bob between two rounds."""
    game.seat("Ann", "Bob")
    game.play()
    return game


def give(game, seat=1, cents=500, **options):
    options = {"key": game.key(), "actor": game.dealer, "now": game.now} | options
    return acting(tokes.give_toke, sitting_id=game.sitting(seat).pk, cents=cents, **options)


def test_the_books_call_its_account_by_the_username_which_is_nobody_elses(between):
    between.dealer.full_name = "Mei Tanaka"
    between.dealer.save()
    give(between)
    assert TokeAccount.objects.get().account.label == f"Tokes of {between.dealer.username}"
    sealing.seal(between.site, now=between.now)
    assert "Tokes of" not in str(verifying.Verification(between.site).run())


def pay_out(game, cashier, cents=500, **options):
    options = {"dealer": game.dealer, "key": game.key(), "actor": cashier, "now": game.now} | options
    options = {"approver": options["dealer"], "pieces": Pieces({50: cents // 50})} | options
    return acting(tokes.pay_out_tokes, site=game.site, cents=cents, **options)


def test_r52_a_toke_goes_from_the_stack_to_the_dealer_and_not_into_the_box(between):
    stack, box = between.stack(1), between.fresh_session().box.chips.balance_cents
    give(between)
    assert between.stack(1) == stack - 500
    assert TokeAccount.objects.get(dealer=between.dealer).account.balance_cents == 500
    assert between.fresh_session().box.chips.balance_cents == box


def test_it_goes_to_who_was_pushed_in_whoever_enters_it(between, employ):
    other = employ("zoe", "dealer")
    TableSession.objects.update(dealer=other)
    give(between, actor=between.floor)
    assert [(one.dealer, one.cents) for one in lying.to_pay_out(between.site)] == [(other, 500)]


def test_without_a_dealer_at_the_table_the_floor_cannot_enter_one(between):
    TableSession.objects.update(dealer=None)
    assert refused(give, between, actor=between.floor) == "no_dealer"


def test_nobody_who_is_dealt_in_gives_and_who_waits_may(game):
    game.seat("Ann", "Bob", "Cat")
    game.sit_out(3)
    game.start()
    assert refused(give, game) == "round_running"
    give(game, seat=3)


@pytest.mark.parametrize(
    ("cents", "code"), [(0, "toke_above_stack"), (-5, "bad_amount"), (10**8, "toke_above_stack")]
)
def test_a_toke_is_no_more_than_the_stack(between, cents, code):
    assert refused(give, between, cents=cents) == code
    assert not JournalEntry.objects.filter(kind="toke").exists()


def test_a_toke_may_be_the_whole_stack(between):
    give(between, cents=between.stack(1))
    assert between.stack(1) == 0


def test_who_has_left_gives_nothing(between):
    sitting = between.sitting(1)
    between.cash_out(1)
    options = {"key": between.key(), "actor": between.dealer, "now": between.now}
    assert refused(tokes.give_toke, sitting_id=sitting.pk, cents=100, **options) == "not_seated"


def test_one_key_gives_once(between):
    key = between.key()
    give(between, key=key)
    give(between, key=key)
    assert refused(give, between, cents=600, key=key) == "key_reused"
    assert lying.to_pay_out(between.site)[0].cents == 500


def test_the_cage_pays_all_of_them_in_cash_once(between, cashier):
    give(between)
    give(between, seat=2, cents=250)
    assert refused(pay_out, between, cashier, 500) == "stale_page"
    key = between.key()
    paid = pay_out(between, cashier, 750, key=key)
    assert pay_out(between, cashier, 750, key=key) == paid
    assert refused(pay_out, between, cashier, 750) == "no_tokes"
    said = json.loads(JournalEntry.objects.get(kind="chip_redemption").evidence)
    assert said == {"cents": 750, "pieces": {"cash": [], "chips": [[50, 15]]}, "receipt": 1}
    assert lying.to_pay_out(between.site) == []
    assert refused(pay_out, between, between.dealer, 750) == "not_allowed"


def test_nobody_pays_their_own_tokes_out(between, employ):
    both = employ("yan", "dealer", "cashier")
    TableSession.objects.update(dealer=both)
    give(between)
    assert refused(pay_out, between, both, dealer=both) == "second_person"


def test_the_dealer_signs_for_them_and_nobody_in_the_dealers_place(between, cashier, floor2, employ):
    give(between)
    for other in (None, cashier, floor2, employ("zoe", "dealer")):
        assert refused(pay_out, between, cashier, approver=other) == "second_person"
    assert not JournalEntry.objects.filter(kind__in=["toke_payout", "chip_redemption"]).exists()
    paid = pay_out(between, cashier)
    cash = JournalEntry.objects.get(kind="chip_redemption")
    assert [one.approver for one in (paid, cash)] == [between.dealer] * 2


def test_no_payout_is_written_without_a_second_person_even_past_the_verb(between, cashier):
    give(between)
    paid = pay_out(between, cashier)
    with pytest.raises(IntegrityError), transaction.atomic(), tampering("ledger_journalentry"):
        JournalEntry.objects.filter(pk=paid.pk).update(approver=None)


def test_statement_and_session_have_tokes_beside_what_was_won(between):
    give(between)
    between.cash_out(1)
    report = session_report(sessions_to_report().get(pk=between.session.pk))
    assert (report.totals.toked_cents, report.totals.won_cents, report.adds_up) == (500, 0, True)
    row = next(row for row in report.sittings if row.sitting.player.name == "Ann")
    told = statement(
        type(row.sitting)
        .objects.select_related("stack", "player", "session__table__site")
        .get(pk=row.sitting.pk)
    )
    assert (told.totals.toked_cents, told.adds_up) == (500, True)
    assert [line.what for line in told.lines if line.kind == "toke"] == ["Toke"]


def take_back(game, floor2, cents=0, entry=None, **options):
    options = {"key": game.key(), "actor": game.floor, "approver": floor2, "now": game.now} | options
    entry = entry or JournalEntry.objects.filter(kind="toke").latest("pk")
    return acting(correct_chips, entry=entry, cents=cents, reason="it was meant for the next seat", **options)


def test_a_toke_that_was_entered_wrongly_is_taken_back_by_two_people(between, floor2):
    stack = between.stack(1)
    give(between)
    take_back(between, floor2)
    assert between.stack(1) == stack
    assert lying.to_pay_out(between.site) == []
    reversal = JournalEntry.objects.get(kind="reversal")
    assert (reversal.approver, reversal.reason) == (floor2, "it was meant for the next seat")
    assert refused(take_back, between, floor2) == "already_reversed"
    assert statement(between.sitting(1)).totals.toked_cents == 0
    sealing.seal(between.site, now=between.now)
    assert [str(found) for found in verifying.Verification(between.site).run()] == []


def test_another_amount_stands_in_place_of_a_wrong_one(between, floor2):
    stack = between.stack(1)
    give(between)
    key = between.key()
    for _ in range(2):
        take_back(between, floor2, 200, key=key, entry=JournalEntry.objects.get(kind="toke"))
    assert between.stack(1) == stack - 200
    assert [one.cents for one in lying.to_pay_out(between.site)] == [200]
    assert refused(take_back, between, floor2, 200, entry=newest("correction")) == "nothing_changes"


def newest(kind):
    return JournalEntry.objects.filter(kind=kind).latest("pk")


def test_one_person_alone_takes_no_toke_back(between):
    give(between)
    assert refused(take_back, between, between.floor) == "second_person"


def test_tokes_that_were_paid_out_stay_with_the_dealer(between, cashier, floor2):
    give(between)
    pay_out(between, cashier)
    assert refused(take_back, between, floor2) == "insufficient_funds"


def test_a_player_who_is_dealt_in_or_has_left_gets_no_toke_back(between, floor2):
    give(between)
    round_ = between.start()
    assert refused(take_back, between, floor2) == "round_running"
    between.settle(round_)
    between.cash_out(1)
    assert refused(take_back, between, floor2) == "not_seated"
