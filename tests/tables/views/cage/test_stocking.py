"""Stocking the cage at the cashier's desk: a count, a second one by somebody else, and a slip to print."""

import re

import pytest
from django.utils import timezone

from ledger.cage import drawers, stocking
from ledger.journal.acts import Act
from ledger.models import CageSlip, HouseEvent, JournalEntry
from ledger.rules.denominations import foreign
from tests.support.cast import PIN

KEY = "a key made by the page"
COUNTED = {"chips_500": "20", "cash_2000": "7"}


@pytest.fixture
def stock(at, cashier, site):
    """`stock(**pieces)`: the cashier's own count, sent; the answer."""
    return lambda address="/cashier/stock/", **sent: at(cashier).post(address, {"key": KEY, **sent})


@pytest.fixture
def again(at, cashier, floor, stock):
    """`again(**pieces)`: the second count of COUNTED, by floor with a PIN; the answer."""
    stock(**COUNTED)
    address = f"/cashier/slips/{CageSlip.objects.get().pk}/"

    def count(who=cashier, **sent):
        return at(who).post(address, {"key": KEY + "2", "second": "floor", "second_pin": PIN, **sent})

    return count


def test_a_denomination_that_the_house_has_not_is_said_in_words(stock, again):
    page = stock(**COUNTED, chips_700="3").content.decode()
    has = "$0.50, $1, $5, $25, $100, $500, $1000"
    assert f"There is no $7 in chips here. The house counts {has}." in page.replace("1,000", "1000")


@pytest.mark.parametrize(
    ("field", "known", "says"),
    [
        (
            "second_cash_3",
            ["second_cash_1", "second_cash_100"],
            "no $0.03 in cash here. The house counts $0.01, $1.",
        ),
        ("cash_3", ["chips_500"], ""),
        ("chips_x", ["chips_500"], ""),
        ("reason", ["chips_500"], ""),
    ],
)
def test_only_a_field_of_a_denomination_is_answered_so(field, known, says):
    assert foreign(field, known) == (says and f"There is {says}")


def test_an_empty_cage_says_so_in_large_and_offers_to_stock_it(at, cashier, site):
    page = at(cashier).get("/cashier/").content.decode()
    assert "The vault is empty" in page
    assert 'href="/cashier/stock/"' in page


def test_the_page_has_a_field_for_every_denomination(at, cashier, site):
    page = at(cashier).get("/cashier/stock/").content.decode()
    for name in ("chips_50", "chips_100000", "cash_1", "cash_10000"):
        assert f'name="{name}"' in page
    site.chip_values = "3 20"
    site.save()
    page = at(cashier).get("/cashier/stock/").content.decode()
    assert 'name="chips_2000"' in page
    assert 'name="chips_500"' not in page


def test_two_people_stock_the_cage(again, at, cashier, site):
    answer = again(**COUNTED)
    assert answer.status_code == 302
    assert stocking.holds(site) == {"chips": 10_000, "cash": 14_000}
    page = at(cashier).get(answer["Location"]).content.decode()
    assert "Both counts agree: $240.00." in page
    assert "Cage slip 1" in page
    assert "The vault is empty" not in at(cashier).get("/cashier/").content.decode()
    day = at(cashier).get("/cashier/vault/").content.decode()
    assert "<bdi>cashier</bdi> and <bdi>floor</bdi>" in day


def test_an_opened_vault_has_no_form_to_open_it_again(stock, at, cashier, stocked_site, codes_on):
    page = at(cashier).get("/cashier/stock/").content.decode()
    assert "The vault is opened once." in page
    assert 'name="chips_500"' not in page
    assert codes_on(stock(**COUNTED)) == ["needs_document"]


def test_the_second_person_never_sees_the_first_count(stock, at, cashier):
    page = at(cashier).get(stock(**COUNTED)["Location"]).content.decode()
    assert "Hand over to the second person" in page
    for figure in ("$100.00", "$140.00", "$240.00", 'value="20"', 'value="7"'):
        assert figure not in page


def test_another_cashier_and_an_auditor_see_no_figures_before_the_second_count(again, at, employ, regulator):
    slip = CageSlip.objects.get()
    for person in (employ("cashier2", "cashier"), regulator):
        page = at(person).get(f"/cashier/slips/{slip.pk}/")
        assert page.status_code == 200
        assert "has the second count made" in page.content.decode()
        assert "$100.00" not in page.content.decode()


def test_counts_that_differ_post_nothing_and_show_the_difference(again, at, cashier, site, regulator):
    address = again(chips_500="20", cash_2000="6")["Location"]
    for person, shown in ((cashier, False), (regulator, True)):
        page = at(person).get(address).content.decode()
        assert "The counts differ" in page
        assert ("−$20.00" in page, "$240.00" in page or "$100.00" in page) == (shown, shown)
    assert not JournalEntry.objects.exists()
    assert stocking.holds(site) == {"chips": 0, "cash": 0}


def test_what_comes_after_a_slip_has_ended_is_answered_with_a_sentence_and_its_code(
    again, at, cashier, codes_on
):
    """Before, these were bare 409s: neither form is on the page of a slip that has ended."""
    address = again(**COUNTED)["Location"]
    late = again(**COUNTED, key="another key")
    assert (late.status_code, codes_on(late)) == (409, ["slip_closed"])
    late = at(cashier).post(f"{address}withdraw/", {"key": "the third key", "reason": "too much"})
    assert (late.status_code, codes_on(late)) == (409, ["slip_closed"])


@pytest.mark.parametrize("pieces", ["-1", "1.5", "twenty", "9" * 20, "1e3", "٣"])
def test_what_is_no_number_of_pieces_is_said_beside_it(stock, codes_on, pieces):
    answer = stock(chips_500=pieces)
    assert (answer.status_code, codes_on(answer)) == (400, ["bad_amount"])
    assert f'value="{pieces}"' in answer.content.decode()
    assert not CageSlip.objects.exists()


def test_a_count_of_nothing_is_refused(stock, codes_on):
    answer = stock(chips_500="0", cash_100="")
    assert (answer.status_code, codes_on(answer)) == (400, ["bad_amount"])


def test_more_than_the_cage_has_is_refused_when_two_have_counted_and_to_nobody_alone(
    stock, at, site, cashier, floor, codes_on
):
    drawer = drawers.open_drawer(site=site, act=Act(cashier, timezone.now(), "a drawer"))
    first = stock(f"/cashier/drawers/{drawer.pk}/take/", chips_500="1")
    assert first.status_code == 302
    signed = {"second": floor.username, "second_pin": PIN}
    answer = at(cashier).post(first.url, {"key": "the second count", "chips_500": "1", **signed})
    assert (answer.status_code, codes_on(answer)) == (409, ["insufficient_funds"])
    (noted,) = HouseEvent.objects.filter(kind="asked_for_more")
    assert noted.data == {"place": "Vault", "asset": "chips", "cents": 500, "key": "the second count"}


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        ({"second_pin": "0000"}, "wrong_pin"),
        ({"second": "", "second_pin": ""}, "bad_entry"),
        ({"second": "cashier"}, "wrong_pin"),
        ({"second": "dealer"}, "wrong_pin"),
        ({"second": "counter1"}, "wrong_pin"),
        ({"second": "regulator"}, "wrong_pin"),
    ],
)
def test_who_may_not_be_the_second_person_is_refused(
    sent, code, again, codes_on, dealer, counter1, regulator
):
    answer = again(**COUNTED, **sent)
    assert set(codes_on(answer)) == {code}
    assert not JournalEntry.objects.exists()
    assert 'value="20"' in answer.content.decode()


def test_only_who_may_be_second_is_offered(again, at, cashier, dealer, counter1, employ):
    employ("cashier2", "cashier")
    page = at(cashier).get(f"/cashier/slips/{CageSlip.objects.get().pk}/")
    offered = [value for value, _ in page.context["form"].fields["second"].widget.choices]
    assert offered == ["", "cashier2", "floor"]


@pytest.mark.parametrize("who", ["floor", "dealer", "counter1", "manager"])
def test_nobody_else_stocks_the_cage(who, again, at, request):
    person = request.getfixturevalue(who)
    assert at(person).get("/cashier/stock/").status_code == 403
    assert at(person).post("/cashier/vault/reserve/", {"key": KEY, **COUNTED}).status_code == 403
    assert again(who=person, **COUNTED).status_code == 403


def test_a_slip_is_withdrawn_for_a_reason(again, at, cashier, codes_on):
    address = f"/cashier/slips/{CageSlip.objects.get().pk}/withdraw/"
    answer = at(cashier).post(address, {"key": KEY + "3"})
    assert (answer.status_code, codes_on(answer)) == (400, ["bad_entry"])
    # The cursor is at what is wrong, below the count, and nowhere else.
    begins = re.findall(r'name="(\w+)"[^>]* autofocus', answer.content.decode())
    assert begins == ["reason"]
    page = at(cashier).post(address, {"key": KEY + "4", "reason": "The van was late"}, follow=True)
    assert "The van was late" in page.content.decode()
    assert (again(**COUNTED).status_code, JournalEntry.objects.count()) == (409, 0)


def test_a_slip_that_does_not_exist_is_not_found(at, cashier, site):
    assert at(cashier).get("/cashier/slips/77/").status_code == 404


def test_one_digit_too_many_is_asked_once_and_another_count_again(stock, codes_on):
    asked = stock(chips_500="90000")
    page = asked.content.decode()
    assert (asked.status_code, codes_on(asked)) == (409, ["confirm_count"])
    assert "Is it ninety thousand times $5 in chips? Then send it again." in page
    assert re.search(r'name="confirmed" value="45000000"', page)
    assert codes_on(stock(chips_500="90001", confirmed="45000000")) == ["confirm_count"]
    assert not CageSlip.objects.exists()
    assert stock(chips_500="90000", confirmed="45000000").status_code == 302
    assert CageSlip.objects.get().chips_cents == 45_000_000
