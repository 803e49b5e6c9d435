"""A buy-in, an add-on or a cash-out that was entered wrongly is put right by two people: taken back,
and posted again."""

import json
from datetime import date, timedelta

import pytest

from ledger.errors import LedgerError
from ledger.journal import balances
from ledger.journal.acts import Act
from ledger.models import Account, JournalEntry
from tables.errors import TableError
from tables.models import Sitting
from tables.reports.session_report import session_report, sessions_to_report
from tables.reports.statements import player_day, statement
from tables.rounds import corrections
from tables.seats import chip_corrections
from tests.support.acting import acting
from tests.support.balances import differences

WHY = "three purples were counted as black"


def refused(call, *args, **options) -> str:
    with pytest.raises((TableError, LedgerError)) as error:
        call(*args, **options)
    return error.value.code


def newest(kind) -> JournalEntry:
    return JournalEntry.objects.filter(kind=kind).order_by("-pk")[0]


@pytest.fixture
def correct(game, floor2):
    def correct(entry, cents, source="cash", **options):
        options = {"reason": WHY, "approver": floor2, "key": game.key(), "actor": game.floor} | options
        return acting(
            chip_corrections.correct_chips,
            entry=entry,
            cents=cents,
            source=source,
            **{"now": game.now} | options,
        )

    return correct


def bank(game):
    account = {one.pk: one.balance_cents for one in Account.objects.filter(kind="table_bank")}
    return account[game.session.bank_chips_id], account[game.session.bank_cash_id]


def over_short(asset):
    return sum(Account.objects.filter(kind="over_short", asset=asset).values_list("balance_cents", flat=True))


def sound(game):
    assert differences(game.site) == {}
    assert set(balances.asset_sums(game.site).values()) == {0}


def test_a_wrong_buy_in_is_taken_back_and_posted_again_with_the_right_amount(game, correct, floor2):
    game.buy_in("Ann", 1, 90)
    wrong = newest("buy_in")
    chips, cash = bank(game)
    game.minute(5)
    correct(wrong, 30_000)
    assert game.stack(1) == 30_000
    assert bank(game) == (chips + 15_000, cash - 15_000)
    reversal, anew = newest("reversal"), newest("correction")
    assert (reversal.reverses, json.loads(anew.evidence)["corrects"]) == (wrong, wrong.pk)
    for entry in (reversal, anew):
        assert (entry.actor, entry.approver, entry.reason) == (game.floor, floor2, WHY)
        assert entry.occurred_at == game.now
    sound(game)


def test_chips_from_the_cage_that_were_entered_as_cash_leave_the_bank_as_it_was(game, correct, cashier):
    before = bank(game)
    game.buy_in("Ann", 1)
    game.sell(30_000, cashier)
    correct(newest("buy_in"), 30_000, "chips")
    assert (bank(game), game.stack(1)) == (before, 30_000)


def test_an_add_on_that_never_was_is_corrected_to_nothing(game, correct):
    game.seat("Ann", "Bob")
    game.add_on(2, 5000)
    correct(newest("add_on"), 0)
    assert game.stacks() == {1: 30_000, 2: 30_000}
    assert not newest("correction").transfers.exists()


def test_what_was_corrected_wrongly_is_corrected_again_and_never_the_first_entry_twice(game, correct):
    game.buy_in("Ann", 1, 90)
    wrong = newest("buy_in")
    correct(wrong, 30_000)
    assert refused(correct, wrong, 40_000) == "already_reversed"
    correct(newest("correction"), 40_000)
    assert game.stack(1) == 40_000
    sound(game)


def test_the_same_request_sent_again_changes_nothing(game, correct):
    game.buy_in("Ann", 1, 90)
    wrong, key = newest("buy_in"), game.key()
    correct(wrong, 30_000, key=key)
    correct(wrong, 30_000, key=key)
    assert game.stack(1) == 30_000
    assert refused(correct, wrong, 31_000, key=key) == "key_reused"


def test_r58_it_takes_two_people_of_whom_one_may_approve_and_a_reason(game, correct, floor2):
    game.buy_in("Ann", 1, 90)
    wrong = newest("buy_in")
    assert refused(correct, wrong, 30_000, approver=None) == "second_person"
    assert refused(correct, wrong, 30_000, approver=game.floor) == "second_person"
    assert refused(correct, wrong, 30_000, approver=game.dealer) == "not_allowed"
    assert refused(correct, wrong, 30_000, reason="  ") == "reason_required"
    assert game.stack(1) == 45_000
    correct(wrong, 30_000, actor=game.dealer)
    assert game.stack(1) == 30_000


def test_r52_the_right_amount_is_held_to_the_bounds_of_a_buy_in(game, correct):
    game.buy_in("Ann", 1)
    wrong = newest("buy_in")
    assert refused(correct, wrong, 14_999) == "buy_in_too_small"
    assert refused(correct, wrong, 50_001) == "buy_in_too_large"
    assert refused(correct, wrong, 0) == "bad_amount"
    assert refused(correct, wrong, 30_000) == "nothing_changes"
    correct(wrong, 15_000)


def test_r52_who_comes_back_brings_what_they_took_away_also_by_a_correction(game, correct):
    game.seat("Ann")
    game.cash_out(1)
    game.minute(30).buy_in("Ann", 1, 80)
    assert refused(correct, newest("buy_in"), 29_999) == "buy_in_too_small"
    correct(newest("buy_in"), 30_000)


def test_r52_an_add_on_is_held_to_the_stack_that_it_came_to(game, correct):
    game.buy_in("Ann", 1, 90)
    game.add_on(1, 4000)
    assert refused(correct, newest("add_on"), 5001) == "buy_in_too_large"
    correct(newest("add_on"), 5000)


def test_r52_nothing_changes_the_stack_of_a_player_in_a_running_round(game, correct):
    game.seat("Ann", "Bob")
    wrong = newest("buy_in")
    round_ = game.start()
    assert refused(correct, wrong, 40_000) == "round_running"
    game.void(round_)
    correct(wrong, 40_000)


def test_chips_that_were_lost_since_cannot_be_taken_back(game, correct):
    game.buy_in("Ann", 1, 100)
    game.buy_in("Bob", 2, 100)
    bobs = JournalEntry.objects.get(kind="buy_in", transfers__target=game.sitting(2).stack)
    round_ = game.start()
    asked = {"round_id": round_.pk, "points": [(1, 2, 90)], "reason": "swept up", "actor": game.dealer}
    request = acting(corrections.ask_settlement_by_hand, **asked, key=game.key(), now=game.now)
    corrections.approve_correction(
        request_id=request.pk, act=Act(key=game.key(), actor=game.floor, now=game.now)
    )
    assert game.stack(2) == 50_000 - 1000 - 45_000
    assert refused(correct, bobs, 45_000) == "insufficient_funds"
    correct(bobs, 46_000)
    assert game.stack(2) == 0
    sound(game)


def test_a_stack_never_ends_below_zero(game, correct):
    game.seat("Ann", "Bob")
    wrong = newest("buy_in")
    game.set_stack(2, 1000)
    assert refused(correct, wrong, 15_000) == "insufficient_funds"


def test_r61_a_corrected_stack_counts_for_who_can_be_dealt_in(game, correct):
    game.seat("Ann", "Bob")
    game.play()
    game.set_stack(2, 4000)
    assert [seat.seat for seat in game.plan().dealt_in] == []
    correct(newest("buy_in"), 40_000)
    assert sorted(seat.seat for seat in game.plan().dealt_in) == [1, 2]


# -- somebody who has left -----------------------------------------------------------------------------------


def test_a_buy_in_of_somebody_who_has_left_changes_what_went_away(game, correct):
    game.buy_in("Ann", 1, 90)
    wrong = newest("buy_in")
    game.cash_out(1)
    game.minute(10)
    correct(wrong, 30_000)
    sitting = Sitting.objects.get()
    assert (sitting.stack.balance_cents, sitting.taken_away_cents) == (0, 30_000)
    assert over_short("chips") == 0
    says = json.loads(newest("correction").evidence)
    assert (says["of"], says["cents"], says["over_short_cents"]) == ("cash_out", 30_000, 0)
    sound(game)


def test_somebody_who_went_away_with_less_than_that_is_refused(game, correct):
    game.seat("Ann", "Bob")
    wrong = newest("buy_in")
    game.set_stack(2, 1000)
    game.cash_out(2)
    assert refused(correct, wrong, 15_000) == "insufficient_funds"


@pytest.mark.parametrize(
    ("cents", "missing"), [(25_000, 5000), (29_999, 1), (30_001, -1), (36_000, -6000), (0, 30_000)]
)
def test_a_wrong_cash_out_is_put_right_against_over_short(game, correct, cents, missing):
    game.seat("Ann")
    game.cash_out(1)
    correct(newest("cash_out"), cents, "")
    assert (Sitting.objects.get().taken_away_cents, over_short("chips")) == (cents, missing)
    sound(game)


def test_a_cash_out_is_corrected_also_after_the_table_has_closed_and_again(game, correct, floor2):
    game.seat("Ann")
    game.cash_out(1)
    game.close(floor2)
    correct(newest("cash_out"), 25_000, "")
    correct(newest("correction"), 29_000, "")
    assert over_short("chips") == 1000
    sound(game)


def test_what_two_people_said_went_out_of_the_door_stays_when_the_buy_in_is_corrected(game, correct):
    game.buy_in("Ann", 1, 90)
    wrong = newest("buy_in")
    game.cash_out(1)
    correct(newest("cash_out"), 30_000, "")
    assert over_short("chips") == 15_000
    correct(wrong, 30_000)
    assert (Sitting.objects.get().taken_away_cents, over_short("chips")) == (30_000, 0)
    sound(game)


def test_a_bank_that_was_counted_since_gets_back_what_the_count_put_to_over_short(game, correct, floor2):
    game.buy_in("Ann", 1, 90)
    wrong = newest("buy_in")
    game.cash_out(1)
    game.close(floor2, chips_over=15_000, cash_over=-15_000)
    assert (over_short("chips"), over_short("cash")) == (-15_000, 15_000)
    correct(wrong, 30_000)
    assert (over_short("chips"), over_short("cash")) == (0, 0)
    correct(
        JournalEntry.objects.filter(kind="correction").order_by("pk")[0],
        31_000,
    )
    assert (over_short("chips"), over_short("cash")) == (-1000, 1000)
    sound(game)


def test_r55_chips_that_were_carried_to_another_table_are_corrected_there(game, beside, correct):
    game.buy_in("Ann", 1, 90)
    wrong = newest("buy_in")
    beside.buy_in("Bob", 1)
    game.move(1, beside, 2, ordered=True)
    correct(wrong, 30_000)
    assert beside.stack(2) == 30_000
    assert Sitting.objects.get(session=game.session).taken_away_cents == 30_000
    round_ = beside.start()
    entry = JournalEntry.objects.filter(kind="correction").order_by("pk")[0]
    assert refused(correct, entry, 31_000) == "round_running"
    beside.void(round_)
    beside.cash_out(2)
    correct(entry, 31_000)
    assert Sitting.objects.get(session=beside.session, seat=2).taken_away_cents == 31_000 - 1000
    sound(game)


def test_entries_that_are_no_chips_of_a_player_are_not_corrected_here(game, beside, correct):
    game.seat("Ann", "Bob")
    game.play()
    game.move(1, beside, 2)
    for kind in ("collection", "round", "table_move", "document_received"):
        assert refused(correct, newest(kind), 1000) == "not_correctable"


def test_a_correction_is_dated_in_the_day_in_which_it_is_made(game, correct):
    game.buy_in("Ann", 1, 90)
    game.minute(24 * 60)
    correct(newest("buy_in"), 30_000)
    days = {entry.kind: entry.gaming_day for entry in JournalEntry.objects.all()}
    assert (days["buy_in"], days["correction"]) == (date(2026, 3, 7), date(2026, 3, 8))


# -- what follows --------------------------------------------------------------------------------------------


def of(sitting):
    found = Sitting.objects.select_related("player", "stack", "session__table__site", "session__sheet")
    return statement(found.get(pk=sitting.pk))


def test_the_statement_says_what_was_brought_and_taken_away_and_not_that_it_was_won(game, correct):
    sitting = game.buy_in("Ann", 1, 90)
    wrong = newest("buy_in")
    game.add_on(1, 1000)
    correct(wrong, 30_000)
    told = of(sitting)
    assert (told.totals.bought_in_cents, told.totals.won_cents) == (31_000, 0)
    assert [line.what for line in told.lines] == [
        "Buy-in",
        "Add-on",
        "Reversal of the buy-in",
        "Buy-in, corrected",
    ]
    game.cash_out(1)
    correct(newest("cash_out"), 30_000, "")
    told = of(sitting)
    assert (told.totals.cashed_out_cents, told.totals.over_short_cents) == (30_000, 1000)
    assert told.adds_up


def test_the_tables_session_and_the_players_day_count_what_was_really_brought_and_taken(
    game, correct, floor2
):
    sitting = game.buy_in("Ann", 1, 90)
    correct(newest("buy_in"), 30_000)
    game.cash_out(1)
    correct(newest("cash_out"), 29_000, "")
    report = session_report(sessions_to_report().get(pk=game.session.pk))
    assert [proof.says for proof in report.proofs if not proof.fits] == []
    (row,) = report.sittings
    assert (row.totals.bought_in_cents, row.totals.won_cents) == (30_000, 0)
    assert (row.totals.cashed_out_cents, row.totals.over_short_cents) == (29_000, 1000)
    start, end = (game.now - timedelta(hours=1), game.now + timedelta(hours=1))
    day = player_day(sitting.player, start, end)
    assert (day.totals.bought_in_cents, day.totals.over_short_cents, day.adds_up) == (30_000, 1000, True)


def test_the_table_of_a_move_that_was_corrected_says_what_was_carried(game, beside, correct):
    game.buy_in("Ann", 1, 90)
    wrong = newest("buy_in")
    game.move(1, beside, 2, ordered=True)
    correct(wrong, 30_000)
    left, came = (of(one) for one in Sitting.objects.order_by("pk"))
    assert (left.totals.bought_in_cents, left.totals.carried_away_cents, left.adds_up) == (
        30_000,
        30_000,
        True,
    )
    assert (came.totals.carried_in_cents, came.totals.carried_away_cents, came.adds_up) == (30_000, 0, True)
    reports = [session_report(sessions_to_report().get(pk=one.session.pk)) for one in (game, beside)]
    assert all(report.adds_up for report in reports)
    assert [report.totals.carried_in_cents for report in reports] == [0, 30_000]


def test_a_corrected_entry_leads_to_what_it_corrects_and_back(game, correct, client, regulator):
    game.buy_in("Ann", 1, 90)
    wrong = newest("buy_in")
    correct(wrong, 30_000)
    client.force_login(regulator)
    first = client.get(f"/audit/entries/{wrong.pk}/").content.decode()
    assert f"/audit/entries/{newest('reversal').pk}/" in first
    anew = client.get(f"/audit/entries/{newest('correction').pk}/").content.decode()
    assert f"/audit/entries/{wrong.pk}/" in anew
