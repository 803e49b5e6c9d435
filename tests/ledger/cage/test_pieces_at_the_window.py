"""Which chips are handed over at the window, change, whose they are, and the second question, asked by the
verb."""

import json
from functools import partial

import pytest

from ledger.cage import taking_back, window
from ledger.cage.window import Patron
from ledger.errors import LedgerError
from ledger.journal.acts import Act
from ledger.models import JournalEntry, Receipt
from ledger.rules.denominations import Pieces
from ledger.rules.window import lacks_patron, unknown_chips, wrong_pieces
from tests.support.cage import drawers_hold

pytestmark = pytest.mark.django_db

HUNDREDS = Pieces({10_000: 3})


def code_of(call, **entered):
    with pytest.raises(LedgerError) as refused:
        call(**entered)
    return refused.value.code


@pytest.fixture
def at_window(stocked, cashier, now):
    """The window's verbs, as the cashier of the stocked house uses them."""

    def use(verb, *, key="at the window", **entered):
        return verb(site=stocked, **entered, act=Act(actor=cashier, now=now, key=key))

    return use


@pytest.fixture
def refused(at_window):
    def code(verb, **entered):
        before = JournalEntry.objects.count(), Receipt.objects.count()
        found = code_of(partial(at_window, verb), **entered)
        assert (JournalEntry.objects.count(), Receipt.objects.count()) == before
        return found

    return code


def said(entry):
    return json.loads(JournalEntry.objects.get(pk=entry.pk).evidence)


@pytest.mark.parametrize(
    ("cents", "came", "given", "said"),
    [
        (300, Pieces({100: 3}), None, ""),
        (300, Pieces({100: 2}), None, "The chips come to $2.00, not to $3.00."),
        (300, Pieces(cash={100: 3}), None, "Of a sale or a redemption, only the chips"),
        (300, Pieces({100: 3}, {100: 1}), None, "Of a sale or a redemption, only the chips"),
        (500, Pieces({500: 1}), Pieces({100: 5}), ""),
        (700, Pieces({500: 1}, {200: 1}), Pieces({100: 5}, {100: 2}), ""),
        (
            500,
            Pieces({500: 1}),
            Pieces({100: 4}),
            "In chips, $5.00 comes in and $4.00 goes out",
        ),
        (500, Pieces({500: 1}), Pieces(cash={500: 1}), "In chips, $5.00 comes in and $0.00 goes out"),
        (900, Pieces({500: 1}), Pieces({100: 5}), "What came in is $5.00, not $9.00."),
    ],
)
def test_pieces_come_to_the_amount_and_change_is_as_much_in_chips_and_in_cash(cents, came, given, said):
    assert wrong_pieces(cents, came, given).startswith(said)
    assert bool(wrong_pieces(cents, came, given)) == bool(said)


def test_chips_that_the_house_has_not_and_a_patron_who_is_not_named():
    assert unknown_chips(Pieces({700: 1}), (500, 2500)) == "The house had no chips of $7."
    assert unknown_chips(Pieces({500: 1}), (500, 2500)) == ""
    assert lacks_patron(300_000, 300_000, None)
    assert not lacks_patron(300_000, 300_000, 7)
    assert not lacks_patron(299_999, 300_000, None)


def test_a_sale_and_a_redemption_say_which_chips(at_window):
    for verb in (window.sell_chips, window.redeem_chips):
        entry = at_window(verb, cents=30_000, pieces=HUNDREDS, key=verb.__name__)
        assert said(entry) == {
            "cents": 30_000,
            "pieces": {"cash": [], "chips": [[10_000, 3]]},
            "patron_from": 300_000,
            "report_above": 1_000_000,
            "report_days": 15,
            "receipt": entry.receipt.number,
        }


def test_the_same_amount_in_other_chips_is_another_request(at_window, refused):
    sold = at_window(window.sell_chips, cents=30_000, pieces=HUNDREDS)
    assert at_window(window.sell_chips, cents=30_000, pieces=Pieces({10_000: 3, 500: 0})) == sold
    assert refused(window.sell_chips, cents=30_000, pieces=Pieces({2_500: 12})) == "key_reused"


@pytest.mark.parametrize("verb", [window.sell_chips, window.redeem_chips])
def test_what_does_not_come_to_the_amount_is_refused_and_takes_no_number(refused, verb):
    refusal = partial(refused, verb, cents=30_000)
    assert refusal(pieces=None) == "pieces_missing"
    assert refusal(pieces=Pieces({10_000: 2})) == "pieces_differ"
    assert refusal(pieces=Pieces({30_000: 1})) == "bad_amount"
    assert refusal(pieces=Pieces(cash={10_000: 3})) == "pieces_differ"
    assert refusal(pieces=Pieces({10_000: -1})) == "bad_amount"


def test_a_house_may_ask_sooner_than_its_jurisdiction(stocked, refused, at_window):
    stocked.confirm_from_cents, stocked.patron_from_cents = 20_000, 10_000
    asked = {"cents": 20_000, "pieces": Pieces({10_000: 2}), "patron": Patron(enter=lambda: 7)}
    assert refused(window.sell_chips, **asked) == "confirm_amount"
    assert refused(window.sell_chips, cents=10_000, pieces=Pieces({10_000: 1})) == "patron_missing"
    assert said(at_window(window.sell_chips, **asked, confirmed=20_000))["patron_from"] == 10_000


@pytest.mark.parametrize("verb", [window.sell_chips, window.redeem_chips])
def test_a_large_amount_is_refused_unless_it_was_confirmed_and_its_patron_named(refused, at_window, verb):
    large = {"cents": 300_000, "pieces": Pieces({100_000: 3})}
    known = Patron(enter=lambda: 7)
    assert refused(verb, **large, patron=known) == "confirm_amount"
    assert refused(verb, **large, patron=known, confirmed=30_000) == "confirm_amount"
    assert refused(verb, **large, confirmed=300_000) == "patron_missing"
    if verb is window.redeem_chips:
        at_window(window.sell_chips, **large, patron=known, confirmed=300_000, key="sold before")
    assert said(at_window(verb, **large, patron=known, confirmed=300_000))["player"] == 7


def test_whoever_is_named_is_written_down_however_small_the_amount_is(at_window):
    sold = at_window(window.sell_chips, cents=30_000, pieces=HUNDREDS, patron=Patron(enter=lambda: 7))
    assert said(sold)["player"] == 7


def test_change_moves_no_balance_and_has_a_receipt_and_is_taken_back(at_window, stocked, cashier, floor, now):
    before = drawers_hold(stocked)
    change = {"pieces": Pieces({10_000: 1}), "given": Pieces({2_500: 4})}
    changed = at_window(window.change_chips, **change)
    assert at_window(window.change_chips, **change) == changed
    assert (drawers_hold(stocked), changed.transfers.count()) == (before, 0)
    assert (changed.receipt.cents, said(changed)["given"]) == (10_000, {"cash": [], "chips": [[2_500, 4]]})
    act = Act(actor=cashier, approver=floor, now=now, key="back", reason="the wrong patron")
    (slip,) = taking_back.take_back_at_window(entry=changed, act=act)
    assert slip.entry.reverses == changed


def test_change_is_refused_like_a_sale(refused):
    hundred = Pieces({10_000: 1})
    assert refused(window.change_chips, pieces=hundred, given=Pieces({2_500: 3})) == "pieces_differ"
    assert refused(window.change_chips, pieces=hundred, given=Pieces(cash={10_000: 1})) == "pieces_differ"
    assert refused(window.change_chips, pieces=hundred, given=Pieces({700: 1})) == "bad_amount"
    large = {"pieces": Pieces({100_000: 3}), "given": Pieces({10_000: 30})}
    assert refused(window.change_chips, **large) == "confirm_amount"
    assert refused(window.change_chips, **large, confirmed=300_000) == "patron_missing"


def test_change_needs_a_drawer_of_its_cashier(stocked, employ, now):
    other = employ("cashier9", "cashier")
    change = {"site": stocked, "pieces": Pieces({10_000: 1}), "given": Pieces({2_500: 4})}
    assert code_of(window.change_chips, **change, act=Act(other, now, "change")) == "no_drawer"
