"""The window: chips against cash, and fees paid against a receipt.
What is wrong stands beside what was typed."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from ledger.cage import exclusions
from ledger.journal.acts import Act
from ledger.models import JournalEntry, Receipt
from tables.models import Charge, FeePayment, Player
from tests.support.cage import drawers_hold, handed
from tests.support.cast import PIN
from tests.support.pages import words

KEY = "a key made by the page"


@pytest.fixture
def window(at, cashier, evening):
    """The cashier's own browser on the evening's page."""
    return at(cashier)


def books():
    return JournalEntry.objects.count(), FeePayment.objects.count()


def test_chips_are_sold_and_redeemed_for_the_same_cash(window, site):
    before = drawers_hold(site)
    window.post("/cashier/sell/", {"key": KEY, **handed("120.50")})
    assert drawers_hold(site) == {"chips": before["chips"] - 12050, "cash": before["cash"] + 12050}
    answer = window.post("/cashier/redeem/", {"key": KEY + "2", **handed("$120.50")})
    assert answer["Location"] == "/cashier/"
    assert drawers_hold(site) == before


def test_a_sale_that_is_sent_twice_happens_once(window):
    before = books()[0]
    for _ in range(2):
        answer = window.post("/cashier/sell/", {"key": KEY, **handed("40")}, follow=True)
    assert books()[0] == before + 1
    entry = JournalEntry.objects.latest("pk")
    assert (entry.kind, entry.terminal) == ("chip_sale", "cage 127.0.0.1")
    assert f"sold. {entry.receipt}." in answer.content.decode()


def test_no_redemption_is_sent_under_the_key_of_the_cash_of_a_payout_of_tokes(window, codes_on):
    window.post("/cashier/sell/", {"key": KEY, **handed("40")})
    before = books()
    answer = window.post("/cashier/redeem/", {"key": "payout of tokes/cash", **handed("40")})
    assert (answer.status_code, codes_on(answer), books()) == (400, ["bad_text"], before)


@pytest.mark.parametrize("act", ["sell", "redeem"])
@pytest.mark.parametrize(
    ("amount", "code"),
    [
        ("1.005", "bad_amount"),
        ("-5", "bad_amount"),
        ("", "bad_amount"),
        ("forty", "bad_amount"),
        ("0", "bad_amount"),
        ("1e3", "bad_amount"),
        ("99999999999999999999", "bad_amount"),
        ("99999999", "insufficient_funds"),
        ("4\x000", "bad_amount"),
    ],
)
def test_a_bad_amount_is_said_beside_it_and_changes_nothing(window, codes_on, act, amount, code):
    if (act, code) == ("sell", "insufficient_funds"):
        amount = "500000.50"
    before = books()
    meant = handed(amount) | {"name": "Ann", "identified": "on"} if code == "insufficient_funds" else {}
    answer = window.post(f"/cashier/{act}/", {"key": KEY, "amount": amount, **meant})
    assert answer.status_code == (409 if code == "insufficient_funds" else 400)
    assert codes_on(answer) == [code]
    form = answer.context[act]
    assert list(form.errors) == ["amount"]
    assert form["amount"].value() == amount
    if amount.isprintable():
        assert f'value="{amount}"' in answer.content.decode() or not amount
    assert books() == before


@pytest.mark.parametrize("key", ["", "short", "k" * 65, "naïve keys are refused"])
def test_a_form_without_a_proper_key_is_refused_and_gets_a_new_one(window, codes_on, key):
    before = books()
    answer = window.post("/cashier/sell/", {"key": key, **handed("40")})
    assert answer.status_code == 400
    assert codes_on(answer) == ["bad_text"]
    assert len(answer.context["sell"]["key"].value()) == 32
    assert books() == before


@pytest.mark.parametrize("act", ["sell", "redeem"])
def test_a_large_amount_is_asked_once_more_in_words_before_anything_moves(window, codes_on, act):
    window.post("/cashier/sell/", {"key": KEY + "0", **handed("2999.50")})
    window.post("/cashier/sell/", {"key": KEY + "1", **handed("2999.50")})
    before, sent = books(), {"key": KEY, "amount": "3000", "name": "Ann"}
    answer = window.post(f"/cashier/{act}/", sent)
    page = answer.content.decode()
    assert (answer.status_code, codes_on(answer), books()) == (409, ["confirm_amount"], before)
    assert "Is it three thousand dollars?" in page
    assert 'name="confirmed" value="300000"' in page
    other = window.post(f"/cashier/{act}/", sent | {"amount": "30000", "confirmed": "300000"})
    assert "Is it thirty thousand dollars?" in other.content.decode()
    assert (codes_on(other), books()) == (["confirm_amount"], before)
    assert window.post(f"/cashier/{act}/", sent | handed("3000")).status_code == 302
    assert books()[0] == before[0] + 1


def test_a_key_that_sold_something_else_sells_nothing(window, codes_on):
    window.post("/cashier/sell/", {"key": KEY, **handed("40")})
    before = books()
    answer = window.post("/cashier/sell/", {"key": KEY, **handed("41")})
    assert (answer.status_code, codes_on(answer)) == (409, ["key_reused"])
    assert books() == before


def test_the_window_lists_who_owes_and_who_could_pay_ahead(window, evening):
    page = window.get("/cashier/")
    assert [(str(fee.sitting.player), fee.cents) for fee in page.context["due"]] == [
        ("Cat", 1000),
        ("Dan", 1000),
    ]
    assert page.context["ahead"] == []
    evening.minute(81)  # the next down has begun: the next round takes it from the stacks of those who can
    page = window.get("/cashier/")
    assert [(str(fee.sitting.player), fee.cents) for fee in page.context["ahead"]] == [
        ("Ann", 1000),
        ("Bob", 1000),
        ("Eve", 1000),
    ]
    assert [(str(fee.sitting.player), fee.cents) for fee in page.context["due"]] == [
        ("Cat", 2000),
        ("Dan", 2000),
    ]


def test_a_fee_paid_at_the_cage_has_a_receipt_and_goes_into_no_box(window, evening, site):
    before, box = drawers_hold(site), evening.session.box
    cat = evening.sitting(3)
    paid = {"key": KEY, "cents": "1000"}
    answer = window.post(f"/cashier/fees/{cat.pk}/", paid, follow=True)
    again = window.post(f"/cashier/fees/{cat.pk}/", paid, follow=True)
    entry = JournalEntry.objects.latest("pk")
    assert f"Cat paid $10.00. {entry.receipt}." in answer.content.decode()
    assert f"{entry.receipt}." in again.content.decode()
    assert drawers_hold(site) == {**before, "cash": before["cash"] + 1000}
    box.cash.refresh_from_db()
    assert box.cash.balance_cents == 1000
    assert window.get("/cashier/day/").context["proof"].adds_up
    receipt = window.get(f"/cashier/receipts/{entry.pk}/").content.decode()
    assert "Cat" in receipt
    assert "$10.00" in receipt


def test_who_left_without_paying_pays_at_the_cage_later(window, evening):
    evening.set_stack(3, 0)
    evening.cash_out(3)
    (debt,) = [fee for fee in window.get("/cashier/").context["due"] if str(fee.sitting.player) == "Cat"]
    evening.minute(300)
    assert debt.sitting.left_at is not None
    window.post(f"/cashier/fees/{debt.sitting.pk}/", {"key": KEY, "cents": "1000"})
    charge = Charge.objects.get(player=debt.sitting.player, down__number=2)
    assert charge.payment.method == "cage"
    assert (
        Charge.objects.filter(player=debt.sitting.player).count() == 2
    )  # nothing new is owed by who has left


def test_an_amount_that_is_no_longer_owed_is_not_taken(window, evening, codes_on):
    cat = evening.sitting(3)
    evening.minute(81)
    before = books()
    answer = window.post(f"/cashier/fees/{cat.pk}/", {"key": KEY, "cents": "1000"})
    assert (answer.status_code, codes_on(answer)) == (409, ["stale_page"])
    assert "now owes $20.00, not $10.00" in answer.content.decode()
    assert books() == before


def test_nobody_pays_what_is_not_owed(window, evening, codes_on):
    answer = window.post(f"/cashier/fees/{evening.sitting(1).pk}/", {"key": KEY, "cents": "1000"})
    assert (answer.status_code, codes_on(answer)) == (409, ["nothing_due"])


@pytest.mark.parametrize("cents", ["", "0", "-1000", "ten", "10.5"])
def test_a_fee_without_its_amount_is_refused(window, evening, codes_on, cents):
    before = books()
    answer = window.post(f"/cashier/fees/{evening.sitting(3).pk}/", {"key": KEY, "cents": cents})
    assert answer.status_code == 400
    assert codes_on(answer)
    assert books() == before


@pytest.mark.parametrize("who", ["floor", "dealer", "counter1", "regulator", "manager"])
@pytest.mark.parametrize("address", ["/cashier/sell/", "/cashier/redeem/", "/cashier/fees/1/"])
def test_only_the_cage_works_the_window(at, evening, request, who, address):
    before = books()
    answer = at(request.getfixturevalue(who)).post(address, {"key": KEY, "amount": "5", "cents": "1000"})
    assert answer.status_code == 403
    assert books() == before


def shown(window, receipt):
    page = words(window.get(f"/cashier/receipts/{receipt.entry_id}/").content.decode())
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def test_whatever_moves_cash_at_the_window_has_the_next_receipt_of_one_series(window, evening, cashier):
    last = Receipt.objects.count()
    window.post("/cashier/sell/", {"key": KEY, **handed("120.50")})
    window.post(f"/cashier/fees/{evening.sitting(3).pk}/", {"key": KEY + "2", "cents": "1000"})
    window.post("/cashier/redeem/", {"key": KEY + "3", **handed("20")})
    window.post(
        "/cashier/redeem/", {"key": KEY + "4", **handed("999999"), "name": "Ann"}
    )  # refused: takes no number
    window.post("/cashier/sell/", {"key": KEY + "5", **handed("1")})
    sold, fee, redeemed, again = Receipt.objects.order_by("number")[last:]
    assert [one.number - last for one in (sold, fee, redeemed, again)] == [1, 2, 3, 4]
    assert f"{sold} Print $120.50 For Chips sold for cash Chips 241 × $0.50 Received in cash" in shown(
        window, sold
    )
    assert f"Cashier {cashier}" in shown(window, sold)
    assert "Received from Cat For" in shown(window, fee)
    assert "$20.00 For Chips redeemed for cash Chips 40 × $0.50 Paid in cash" in shown(window, redeemed)
    assert f"receipt {redeemed.number}" in window.get("/cashier/").content.decode()


def test_what_was_taken_back_says_so_on_its_receipt(window, evening):
    window.post("/cashier/sell/", {"key": KEY, **handed("40")})
    receipt = Receipt.objects.latest("number")
    assert "Taken back" not in shown(window, receipt)
    two = {"second": "floor", "second_pin": PIN, "reason": "it was another patron"}
    window.post(f"/cashier/entries/{receipt.entry_id}/back/", {"key": KEY + "2", **two})
    assert "Taken back Reversal slip 1," in shown(window, receipt)


def test_a_receipt_is_of_cash_at_the_window_alone(window, evening):
    stack = FeePayment.objects.filter(method="stack").first()
    assert window.get(f"/cashier/receipts/{stack.entry_id}/").status_code == 404
    assert window.get("/cashier/fees/1/").status_code == 302
    assert window.post("/cashier/fees/999999/", {"key": KEY, "cents": "1000"}).status_code == 404


def test_a_sale_proposes_the_fewest_chips_and_sells_what_is_sent(window, codes_on):
    before = books()
    asked = window.post("/cashier/sell/", {"key": KEY, "amount": "130"})
    form = asked.context["sell"]
    assert (asked.status_code, books()) == (409, before)
    assert form.proposed.replace("\u00a0", " ") == "1 × $100, 1 × $25, 1 × $5"
    assert "pieces_missing" in asked.content.decode()
    counted = {"chips_2500": "5", "chips_500": "1"}
    assert window.post("/cashier/sell/", {"key": KEY, "amount": "130", **counted}).status_code == 302
    assert "Chips 5 × $25, 1 × $5" in shown(window, Receipt.objects.latest("number"))
    differs = window.post("/cashier/sell/", {"key": KEY + "2", "amount": "1300", **counted})
    assert (differs.status_code, codes_on(differs)) == (400, ["pieces_differ"])
    assert differs.context["sell"].proposed == "5\u00a0×\u00a0$25, 1\u00a0×\u00a0$5"  # what was typed stays


def test_a_redemption_fills_no_count_in_and_offers_chips_of_one_kind(window):
    window.post("/cashier/sell/", {"key": KEY, **handed("300")})
    asked = window.post("/cashier/redeem/", {"key": KEY + "2", "amount": "300"})
    form = asked.context["redeem"]
    assert {field.value() for field in form.count.fields} == {None}
    assert form.offers == [("3x10000", "3 × $100"), ("12x2500", "12 × $25"), ("60x500", "60 × $5")]
    window.post("/cashier/redeem/", {"key": KEY + "2", "amount": "300", "only": "12x2500"})
    assert "Chips 12 × $25" in shown(window, Receipt.objects.latest("number"))


@pytest.mark.parametrize("only", ["0x500", "x", "1x", "3x700", "1x0"])
def test_a_button_that_the_page_does_not_have_sells_nothing(window, codes_on, only):
    before = books()
    answer = window.post("/cashier/sell/", {"key": KEY, "amount": "30", "only": only})
    assert (answer.status_code in (400, 409), books()) == (True, before)


def test_a_large_amount_names_its_patron_from_the_register_or_in_words(window, codes_on, evening):
    large = {"amount": "3000", "chips_100000": "3", "confirmed": "300000"}
    before = books()
    answer = window.post("/cashier/sell/", {"key": KEY, **large})
    assert (answer.status_code, codes_on(answer), books()) == (409, ["patron_missing"], before)
    ann = evening.sitting(1).player
    window.post("/cashier/sell/", {"key": KEY, **large, "name": ann.name, "number": ann.number})
    assert f"Patron {ann}" in shown(window, Receipt.objects.latest("number"))
    window.post("/cashier/redeem/", {"key": KEY + "2", **large, "description": "red cap, scar on the chin"})
    assert "Patron red cap, scar on the chin" in shown(window, Receipt.objects.latest("number"))


def test_an_excluded_patron_is_refused_and_leaves_no_name_in_the_register(window, codes_on, site, employ):
    act = Act(employ("carla", "compliance"), timezone.now() - timedelta(days=2), "excluded")
    today = act.now.date()
    exclusions.add_exclusion(site=site, name="Rex", reference="List 1", effective_from=today, act=act)
    large = {"amount": "3000", "chips_100000": "3", "confirmed": "300000", "name": "rex"}
    answer = window.post("/cashier/sell/", {"key": KEY, **large})
    assert (answer.status_code, codes_on(answer)) == (403, ["see_floor"])
    assert not Player.objects.filter(name="rex").exists()


def test_chips_are_changed_with_a_receipt_and_what_differs_stays_typed(window, codes_on, site):
    before, drawers = books(), drawers_hold(site)
    wrong = {"key": KEY, "chips_10000": "1", "given_chips_2500": "3"}
    answer = window.post("/cashier/change/", wrong)
    assert (answer.status_code, codes_on(answer), books()) == (400, ["pieces_differ"], before)
    assert 'value="3"' in answer.content.decode()
    answer = window.post("/cashier/change/", wrong | {"given_chips_2500": "4"}, follow=True)
    receipt = Receipt.objects.latest("number")
    assert f"$100.00 changed. {receipt}." in answer.content.decode()
    assert "Came in 1 × $100 Went out 4 × $25 Changed" in shown(window, receipt)
    assert drawers_hold(site) == drawers
    assert "$100.00 at" in words(window.get("/cashier/").content.decode())


def test_who_was_seen_before_is_picked_by_the_receipt_and_needs_no_name_again(window, codes_on):
    one = {"amount": "1000", "only": "1x100000"}
    three = {"amount": "2999.50", "only": "5999x50"}
    window.post("/cashier/sell/", {"key": KEY, **three})
    first = Receipt.objects.latest("number").number
    assert f'<option value="{first}">Receipt {first}, the cage sells chips, $2,999.50' in shown_now(window)
    answer = window.post("/cashier/sell/", {"key": KEY + "2", **one, "seen": first})
    assert (answer.status_code, codes_on(answer)) == (409, ["patron_missing"])
    assert answer.context["sell"].who_shown
    window.post("/cashier/sell/", {"key": KEY + "2", **one, "seen": first, "description": "red cap"})
    second = Receipt.objects.latest("number").number
    assert f'<option value="{second}">red cap, $3,999.50 in, $0.00 out' in shown_now(window)
    window.post("/cashier/redeem/", {"key": KEY + "3", **one, "seen": second})
    assert "Patron red cap" in shown(window, Receipt.objects.latest("number"))
    assert Player.objects.filter(description="red cap").count() == 1


def test_a_receipt_that_is_nobodys_is_said_beside_its_own_field(window, codes_on):
    """Before, it stood under the name."""
    sent = {"key": KEY, "amount": "2999", "only": "2999x100", "seen": "77"}
    answer = window.post("/cashier/sell/", sent)
    assert (answer.status_code, codes_on(answer)) == (409, ["not_seen"])
    assert set(answer.context["sell"].errors) == {"seen"}


def test_identification_is_asked_for_above_what_is_reported_and_the_box_appears(window, codes_on):
    large = {"key": KEY, "amount": "11000", "chips_100000": "11", "confirmed": "1100000", "name": "Mei"}
    answer = window.post("/cashier/sell/", large)
    assert (answer.status_code, codes_on(answer)) == (409, ["not_identified"])
    assert set(answer.context["sell"].errors) == {"identified"}
    assert "Identification seen" in answer.content.decode()
    assert window.post("/cashier/sell/", large | {"identified": "on"}).status_code == 302


def shown_now(window):
    return words(window.get("/cashier/").content.decode()).replace("\u2068", "").replace("\u2069", "")
