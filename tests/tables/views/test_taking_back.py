"""The screens that take something back: the button for ten seconds, and the pages of two people."""

import re

import pytest
from django.contrib.auth.models import Group, Permission

from ledger.models import JournalEntry, ReversalSlip
from tables.models import Charge, FeePayment
from tests.support.cage import drawers_hold, handed
from tests.support.cast import PIN
from tests.support.pages import words
from tests.tables.collection import test_following

pytestmark = pytest.mark.django_db
owing = test_following.owing


@pytest.fixture
def due(clock):
    """Ann and Bob owe $10 that their stacks can pay."""
    clock.seat("Ann", "Bob")
    clock.play()
    return clock.minute(41)


def pay(screen, game, **headers):
    """Ann's fee is taken from the stack."""
    form = {"key": "one-payment", "method": "stack"}
    address = f"/sittings/{game.sitting(1).pk}/pay/"
    return screen.post(address, form, headers=headers, follow=not headers).content.decode()


def button(text):
    """The form of the offer on a page: address and key."""
    found = re.search(r'action="(/[^"]+/undo/)" data-undo=.*?name="key" value="([^"]+)"', text, re.DOTALL)
    return found and found.groups()


def two(floor2, **other):
    return {"key": "back-by-two", "reason": "Bob paid it", "second": str(floor2), "second_pin": PIN} | other


@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}])
def test_the_screen_that_took_a_fee_offers_to_undo_it(at, floor, due, headers):
    screen = at(floor)
    text = pay(screen, due, **headers)
    assert "Undo, <span data-seconds>10</span> s" in text
    address, key = button(text)
    said = screen.post(address, {"key": key}, follow=True, headers=headers).content.decode()
    again = "Nothing is owed unless a round of its down starts with Ann at the table."
    assert f"Taken back: fee. {again} Reversal slip 1." in said
    assert Charge.objects.open().count() == 1
    assert button(said) is None


def test_after_ten_seconds_the_page_says_how_two_people_do_it(at, floor, floor2, due, codes_on):
    screen = at(floor)
    address, key = button(pay(screen, due))
    due.minute(41.2)
    answer = screen.post(address, {"key": key})
    assert (answer.status_code, codes_on(answer)) == (409, ["undo_too_late"])
    entry = FeePayment.objects.get(entry__key="one-payment").entry_id
    assert f'href="/entries/{entry}/back/"' in answer.content.decode()
    assert "Ann" in screen.get(f"/entries/{entry}/back/").content.decode()
    answer = screen.post(f"/entries/{entry}/back/", two(floor2), follow=True)
    assert "Reversal slip 1." in answer.content.decode()
    assert "Taken back, slip 1" in answer.content.decode()
    assert "Bob paid it" in answer.content.decode()


@pytest.mark.parametrize(
    ("other", "code"),
    [({"second_pin": "0000"}, "wrong_pin"), ({"reason": ""}, "bad_entry"), ({"second": ""}, "bad_entry")],
)
def test_what_is_wrong_stands_beside_what_was_typed(at, floor, floor2, due, codes_on, other, code):
    screen = at(floor)
    pay(screen, due)
    entry = FeePayment.objects.get(entry__key="one-payment").entry_id
    answer = screen.post(f"/entries/{entry}/back/", two(floor2) | other)
    assert code in codes_on(answer)
    assert ReversalSlip.objects.count() == 0


def test_nobody_undoes_what_somebody_else_took(at, floor, dealer, due, codes_on):
    address, key = button(pay(at(dealer), due, **{"HX-Request": "true"}))
    answer = at(floor).post(address, {"key": key})
    assert (answer.status_code, codes_on(answer)) == (403, ["not_your_act"])


def test_a_toke_has_the_button_too(at, dealer, due):
    screen = at(dealer)
    stack = due.stack(1)
    address, form = f"/sittings/{due.sitting(1).pk}/toke/", {"key": "one-toke", "amount": "5"}
    text = screen.post(address, form, headers={"HX-Request": "true"}).content.decode()
    address, key = button(text)
    screen.post(address, {"key": key})
    assert due.stack(1) == stack


@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}])
@pytest.mark.parametrize("what", ["toke", "fee"])
def test_an_undo_that_is_too_late_leads_to_where_two_people_do_it(at, dealer, due, what, headers):
    screen = at(dealer)
    act, said = ("toke", {"amount": "5"}) if what == "toke" else ("pay", {"method": "stack"})
    screen.post(f"/sittings/{due.sitting(1).pk}/{act}/", {"key": "one-payment"} | said)
    entry = JournalEntry.objects.get(key="one-payment").pk
    due.minute(41.2)
    text = screen.post(f"/entries/{entry}/undo/", {"key": "one-undo"}, headers=headers).content.decode()
    link = f"/chips/{entry}/correct/" if what == "toke" else f"/entries/{entry}/back/"
    assert f'href="{link}"' in text
    assert screen.get(link).status_code == 200
    Group.objects.get(name="dealer").permissions.remove(Permission.objects.get(codename="ask_corrections"))
    text = screen.post(f"/entries/{entry}/undo/", {"key": "two-undo"}, headers=headers).content.decode()
    assert f'href="{link}"' not in text


def offered(page):
    """Who is offered as the second person."""
    return set(page.context["form"].offered)


def test_who_may_sign_is_offered_at_each_desk_and_nobody_else(at, floor, cashier, evening, floor2, employ):
    employ("cashier2", "cashier")
    of_floor, of_cage = {"floor", "floor2"}, {"cashier", "cashier2"}
    table, cage = (FeePayment.objects.filter(method=one).first().entry_id for one in ("stack", "cage"))
    assert offered(at(floor).get(f"/entries/{table}/back/")) == of_floor - {"floor"}
    assert offered(at(cashier).get(f"/cashier/entries/{cage}/back/")) == of_floor | of_cage - {"cashier"}


def test_a_fee_is_listed_where_it_was_taken_and_where_it_fell_due(at, floor, game, owing):
    owing.pay(3, "cash")
    at_one, at_two = (
        words(" ".join(at(floor).get(f"/floor/sessions/{pk}/fees/").content.decode().split()))
        for pk in (game.session.pk, owing.session.pk)
    )
    assert "Table 1, down 2, in cash" in at_two
    assert "Down 1, in cash" in at_two
    assert "Taken at Table 2: down 2, in cash" in at_one


def test_who_reads_the_books_finds_the_fees_and_the_way_back(at, regulator, due):
    screen, table = at(regulator), f"/floor/sessions/{due.session.pk}/"
    text = screen.get(table).content.decode()
    assert "Take a fee back" not in text
    assert re.search(rf'href="{table}fees/">\s*Fees\s*<', text)
    assert f'href="{table}"' in screen.get(f"{table}fees/").content.decode()


def test_the_window_undoes_a_sale(at, cashier, evening):
    screen, before = at(cashier), drawers_hold(evening.site)
    text = screen.post(
        "/cashier/sell/", {"key": "one-sale-of-chips", **handed("120")}, follow=True
    ).content.decode()
    address, key = button(text)
    assert address.startswith("/cashier/")
    said = screen.post(address, {"key": key}, follow=True).content.decode()
    assert "Taken back: sale of chips. Reversal slip 1." in said
    assert "undone within ten seconds" in screen.get("/cashier/day/").content.decode()
    assert drawers_hold(evening.site) == before


def test_the_window_takes_a_redemption_back_by_two(at, cashier, floor2, evening):
    evening.sell(12_000, cashier)
    screen, before = at(cashier), drawers_hold(evening.site)
    screen.post("/cashier/redeem/", {"key": "one-redemption", **handed("120")})
    entry = JournalEntry.objects.get(key="one-redemption")
    link = f"/cashier/entries/{entry.pk}/back/"
    assert link in screen.get("/cashier/").content.decode()
    assert "redemption of chips" in screen.get(link).content.decode()
    said = screen.post(link, two(floor2), follow=True).content.decode()
    assert "Reversal slip 1" in said
    assert "Bob paid it" in screen.get("/cashier/day/").content.decode()
    assert drawers_hold(evening.site) == before


@pytest.mark.parametrize("person", ["counter1", "cashier"])
def test_the_pages_of_a_table_are_for_who_works_there(at, request, due, person):
    pay(at(request.getfixturevalue("dealer")), due)
    entry = FeePayment.objects.get(entry__key="one-payment").entry_id
    screen = at(request.getfixturevalue(person))
    for address in (f"/entries/{entry}/undo/", f"/entries/{entry}/back/"):
        assert screen.get(address).status_code == 403


def test_an_entry_of_another_kind_is_not_there(at, floor, cashier, due):
    bought = JournalEntry.objects.filter(kind="buy_in").first().pk
    assert at(floor).get(f"/entries/{bought}/back/").status_code == 404
    assert at(cashier).get(f"/cashier/entries/{bought}/undo/").status_code == 404
