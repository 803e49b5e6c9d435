"""What one patron buys in several acts adds up: the window asks who it is, and for identification."""

import json

import pytest

from ledger.cage import taking_back, window
from ledger.cage.window import Patron
from ledger.errors import LedgerError
from ledger.journal.acts import Act
from ledger.journal.cash_of_day import cash_of_day
from ledger.journal.days import gaming_day
from ledger.models import JournalEntry, Receipt
from ledger.rules.cash_of_day import CashOfDay, reached
from ledger.rules.denominations import Pieces
from ledger.rules.window import wrong_patron
from tests.support.cage import pieces

FROM = {"patron_from": 300_000, "report_above": 1_000_000}


def sale(entry, cents, kind="chip_sale", **said):
    ends = {"from_kind": "public"} if kind != "chip_redemption" else {"to_kind": "public"}
    transfers = [{**ends, "asset": "cash", "cents": cents}]
    return {"id": entry, "kind": kind, "transfers": transfers, "evidence": {"cents": cents} | said}


def code_of(cash, body):
    wrong = wrong_patron(cash, body)
    return wrong and wrong[0]


def test_cash_in_and_cash_out_of_one_person_add_up_apart():
    cash = CashOfDay()
    cash.take(sale(1, 200, receipt=1, player=7))
    cash.take(sale(2, 300, "buy_in", player=7, session=1))
    cash.take(sale(3, 900, receipt=2, player=8))
    out = cash.take(sale(4, 50, "chip_redemption", receipt=3, player=7))
    assert (cash.sums(("player", 7)), reached(cash.sums(("player", 7)), out)) == ((500, 50), 50)
    assert [list(each.parts) for each in cash.crossings] == [
        [(18, 200, 0)],
        [(18, 300, 0)],
        [(18, 900, 0)],
        [(28, 0, 50)],
    ]


def test_somebody_unknown_is_followed_by_earlier_receipts_and_named_with_all_of_it():
    cash = CashOfDay()
    cash.take(sale(1, 200, receipt=1))
    cash.take(sale(2, 300, receipt=2, seen=1))
    assert cash.sums(("receipt", 1)) == (500, 0)
    cash.take(sale(3, 400, receipt=3, seen=2, player=7))
    assert cash.sums(("player", 7)) == (900, 0) == cash.sums(("receipt", 1))
    assert cash.of_receipt(1) == ("player", 7)


def test_cash_for_cash_is_exchanged_in_and_out_and_chips_for_chips_is_no_cash():
    cash = CashOfDay()
    change = {"pieces": {"cash": [[10_000, 2]]}, "given": {"cash": [[2_000, 10]]}, "player": 7}
    exchanged = cash.take({"id": 1, "kind": "chip_change", "evidence": change})
    assert list(exchanged.parts) == [(14, 20_000, 0), (15, 0, 20_000)]
    chips = {"pieces": {"chips": [[100, 5]]}, "given": {"chips": [[500, 1]]}, "player": 7}
    assert cash.take({"id": 2, "kind": "chip_change", "evidence": chips}) is None


def test_what_is_taken_back_no_longer_counts():
    cash = CashOfDay()
    cash.take(sale(1, 200, receipt=1, player=7))
    cash.take({"id": 2, "kind": "undo", "reverses": 1, "evidence": {}})
    assert cash.sums(("player", 7)) == (0, 0)


def test_a_dealers_tokes_are_no_patrons_cash():
    assert CashOfDay().take(sale(1, 200, "chip_redemption", receipt=1) | {"approver": 4}) is None


def test_entries_of_one_person_that_were_merged_add_up():
    cash = CashOfDay()
    cash.take(sale(1, 200, receipt=1, player=7))
    cash.take(sale(2, 300, receipt=2, player=9))
    cash.join(("player", 7), ("player", 9))
    assert cash.sums(("player", 7)) == (500, 0)


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ({}, None),
        ({"seen": 1}, "patron_missing"),
        ({"seen": 1, "player": 7}, None),
        ({"seen": 5}, "not_seen"),
        ({"seen": 2}, "patron_missing"),
        ({"seen": 2, "player": 8}, "not_identified"),
        ({"player": 8, "identified": True}, None),
    ],
)
def test_the_second_time_is_asked_for_by_what_the_first_one_was(said, code):
    cash = CashOfDay()
    cash.take(sale(1, 299_900, receipt=1))
    cash.take(sale(2, 900_000, receipt=2, player=8))
    assert code_of(cash, sale(3, 299_900, receipt=3, **FROM, **said)) == code


def test_exactly_ten_thousand_dollars_is_not_reported_and_a_dollar_more_is():
    for more, code in ((0, None), (1, "not_identified")):
        cash = CashOfDay()
        cash.take(sale(1, 900_000, receipt=1, player=8))
        assert code_of(cash, sale(2, 100_000 + more, receipt=2, player=8, **FROM)) == code


@pytest.fixture
def at_window(stocked, cashier, now):
    def sell(cents, key, verb=window.sell_chips, **patron):
        return verb(
            site=stocked,
            cents=cents,
            pieces=pieces(stocked, chips=cents),
            patron=Patron(**patron),
            confirmed=cents,
            act=Act(actor=cashier, now=now, key=key),
        )

    return sell


@pytest.mark.django_db
def test_who_buys_for_2999_dollars_twice_is_asked_for(at_window):
    first = at_window(299_900, "first")
    before = JournalEntry.objects.count(), Receipt.objects.count()
    with pytest.raises(LedgerError) as refused:
        at_window(299_900, "second", seen=first.receipt.number)
    assert refused.value.code == "patron_missing"
    assert (JournalEntry.objects.count(), Receipt.objects.count()) == before
    second = at_window(299_900, "second", seen=first.receipt.number, enter=lambda: 7)
    said = json.loads(JournalEntry.objects.get(pk=second.pk).evidence)
    assert (said["player"], said["seen"]) == (7, first.receipt.number)


@pytest.mark.django_db
def test_above_ten_thousand_dollars_identification_is_seen_first(at_window, stocked, cashier, floor, now):
    somebody = {"enter": lambda: 7}
    first = at_window(600_000, "first", **somebody)
    with pytest.raises(LedgerError) as refused:
        at_window(500_000, "second", **somebody)
    assert refused.value.code == "not_identified"
    assert "$11,000.00" in refused.value.message
    at_window(500_000, "out", window.redeem_chips, **somebody)
    at_window(500_000, "second", **somebody, identified=True)
    cash = cash_of_day(stocked, gaming_day(stocked, now))
    assert cash.sums(("player", 7)) == (1_100_000, 500_000)
    act = Act(actor=cashier, approver=floor, now=now, key="back", reason="the wrong patron")
    taking_back.take_back_at_window(entry=first, act=act)
    assert cash_of_day(stocked, gaming_day(stocked, now)).sums(("player", 7)) == (500_000, 500_000)


@pytest.mark.django_db
def test_entries_of_the_register_that_were_merged_are_one_person_at_the_window(at_window):
    at_window(600_000, "first", enter=lambda: 7)
    with pytest.raises(LedgerError) as refused:
        at_window(500_000, "second", enter=lambda: 9, merged=lambda: {7: 9})
    assert refused.value.code == "not_identified"


@pytest.mark.django_db
def test_a_receipt_that_is_none_of_today_was_not_seen(at_window):
    with pytest.raises(LedgerError) as refused:
        at_window(10_000, "first", seen=77)
    assert refused.value.code == "not_seen"


@pytest.mark.django_db
def test_change_of_cash_adds_up_like_a_sale(at_window, stocked, cashier, now):
    at_window(900_000, "first", enter=lambda: 7)
    notes = {"pieces": Pieces(cash={10_000: 20}), "given": Pieces(cash={5_000: 40})}
    act = Act(actor=cashier, now=now, key="change")
    with pytest.raises(LedgerError) as refused:
        window.change_chips(site=stocked, **notes, patron=Patron(enter=lambda: 7), act=act)
    assert refused.value.code == "not_identified"
