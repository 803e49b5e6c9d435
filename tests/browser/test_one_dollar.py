"""One dollar of collection on its way from a stack to the bank, past seven people; a fill, and a drawer's
shift. At each step somebody who must not is not offered it, and is refused with its code when they send it
all the same. What is done is done in a browser; whoever is refused asks the same server without a page."""

import re
import subprocess
import sys
import zipfile
from dataclasses import replace
from datetime import timedelta

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone
from playwright.sync_api import expect

from casino.models import Staff
from ledger.cage import stocking
from ledger.cage.drawers import drawer_of
from ledger.journal import balances
from ledger.journal.acts import Act
from ledger.journal.particulars import change_house, particulars_of
from ledger.models import (
    Account,
    BoxReceipt,
    CageSlip,
    CountSheet,
    CountSheetReceipt,
    Document,
    Drawer,
    DropSignOff,
)
from ledger.proof.log import keys, sealing, verifying
from ledger.views.fields import new_key
from tests.browser.test_a_first_day import fill
from tests.support.cage import handed
from tests.support.cast import PIN
from tests.support.game import OPENING, Game

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "reading"])

FEE = {"cash_1000": "1"}
"""The collection of one player for one down, a note of ten dollars."""
IN_BOX = {**FEE, "chips_500": "4"}
"""With what two others have paid from their stacks."""
SEAL, NEXT_SEAL = "A-0017", "A-0018"
CHIPS = {"chips_500": "40"}
TAKEN = {"chips_500": "40", "cash_2000": "10"}


class House:
    """One window that people come to in turn; `turned_away` asks for them without it."""

    def __init__(self, page, game):
        self.page, self.game = page, game

    def as_(self, name):
        """Have somebody else sit down at the window, signed in."""
        client = signed_in(name)
        value = client.cookies[settings.SESSION_COOKIE_NAME].value
        cookie = {"name": settings.SESSION_COOKIE_NAME, "value": value, "url": self.page.base}
        self.page.context.add_cookies([cookie])
        return self

    def at(self, address):
        self.page.goto(f"{self.page.base}{address}")
        return self

    def send(self, button, said="", **fields):
        """Fill in the form with this button and send it; the next page says this."""
        form = self.page.locator("main form", has=self.page.get_by_role("button", name=button))
        fill(form, fields)
        with self.page.expect_navigation():
            form.get_by_role("button", name=button).click()
        if said:
            expect(self.page.get_by_text(said).first).to_be_visible()
        return self.page

    def turned_away(self, address, button, people, /, **sent):
        """Each of these `people` is offered no form with the button there, and refused with their code for
        sending it."""
        for name, code in people.items():
            client = signed_in(name)
            seen = client.get(address, follow=True)
            assert seen.status_code in (200, 403, 404, 405), (name, address, seen)
            assert not offers(seen.content.decode(), button), (name, address, button)
            answer = client.post(address, {"key": new_key(), **sent})
            assert 400 <= answer.status_code < 500, (name, address, answer)
            assert code in codes_of(answer), (name, address, codes_of(answer))


def signed_in(name):
    client = Client()
    client.force_login(Staff.objects.get(username=name))
    return client


def offers(page, button):
    return re.search(rf"<button[^>]*>\s*{button}", page) is not None


def codes_of(answer):
    return re.findall(r"<code>([a-z_]+)</code>", answer.content.decode())


@pytest.fixture
def sealed(stocked_site, manager, floor, dealer, players):
    """An open table of a house whose boxes carry seals."""
    said = replace(particulars_of(stocked_site), box_seals=True)
    change_house(site=stocked_site, particulars=said, act=Act(manager, OPENING, "boxes carry seals"))
    return Game(stocked_site, floor, dealer, players, seal=SEAL)


@pytest.fixture
def house(stranger, sealed, floor2, counter1, counter2, manager, regulator, employ):
    game = sealed
    employ("cashier2", "cashier")
    game.now = timezone.now() - timedelta(minutes=1)
    game.seat("Ann", "Bob")
    game.play()
    game.now = timezone.now()
    game.buy_in("Cat", 3)
    return House(stranger(), game)


# From the stack into the box


def the_dealer_takes_it_from_the_player(house):
    sitting = house.game.sitting(3)
    address, form = f"/sittings/{sitting.pk}/pay/", {"method": "cash"}
    nobody = dict.fromkeys(("counter1", "cashier", "manager"), "not_allowed")
    house.turned_away(address, "Take the fee", nobody, **form)
    house.as_("dealer").at(address)
    house.page.locator("[name=method][value=cash]").check()
    house.send("Take the fee")
    assert Account.objects.get(pk=house.game.session.box.cash_id).balance_cents == 1000


def the_floor_pulls_the_box_with_the_dealer(house):
    box, address = house.game.session.box, f"/floor/sessions/{house.game.session.pk}/box/"
    signed = {"seal": SEAL, "new_seal": NEXT_SEAL, "second": "dealer", "second_pin": PIN}
    nobody = dict.fromkeys(("dealer", "cashier", "counter1", "manager"), "not_allowed")
    house.turned_away(address, "Change the box", nobody, **signed)
    house.turned_away(address, "Nothing", {"floor": "seal_differs"}, **signed | {"seal": "A-0071"})
    house.turned_away(address, "Nothing", {"floor": "seal_in_use"}, **signed | {"new_seal": SEAL})
    house.as_("floor").at(address)
    assert SEAL not in house.page.content()
    house.send("Change the box", **signed)
    box.refresh_from_db()
    assert (box.pulled_by.username, box.pulled_with.username) == ("floor", "dealer")
    return box


def two_people_bring_it_into_the_count_room(house, box):
    """Nobody counts it before; a counter receives it with one of those who pulled it."""
    address = "/count/receive/"
    early = {**IN_BOX, "step": "confirm"}
    house.turned_away(f"/count/boxes/{box.pk}/", "Review", {"counter1": "box_not_received"}, **early)
    brought = {"place": "count_room", f"seal_{box.pk}": SEAL}
    with_dealer = {"second": "dealer", "second_pin": PIN}
    nobody = dict.fromkeys(("manager", "regulator"), "not_allowed")
    house.turned_away(address, "Receive them", nobody, **brought, **with_dealer)
    not_counters = dict.fromkeys(("floor", "cashier", "floor2"), "not_allowed")
    house.turned_away(address, "Nothing", not_counters, **brought, **with_dealer)
    neither_pulled = {"second": "counter2", "second_pin": PIN}
    house.turned_away(address, "Nothing", {"counter1": "second_person"}, **brought, **neither_pulled)
    another = brought | {f"seal_{box.pk}": NEXT_SEAL}
    house.turned_away(address, "Nothing", {"counter1": "seal_differs"}, **another, **with_dealer)
    house.as_("counter1").at("/count/").page.get_by_role("link", name="Receive 1 box").click()
    house.send("Receive them", "Received: box 1. Count room.", **brought, **with_dealer)
    received = BoxReceipt.objects.get()
    assert (received.person.username, received.second.username) == ("counter1", "dealer")


# From the box into the vault


def two_counters_count_it_alone(house, box):
    day, address = f"/count/days/{box.gaming_day}/begin/", f"/count/boxes/{box.pk}/"
    nobody = dict.fromkeys(("floor", "dealer", "cashier", "manager"), "not_allowed")
    house.turned_away(day, "Begin a count sheet", nobody)
    house.as_("counter1").at("/count/").send("Begin a count sheet", "is begun")
    sent = {**IN_BOX, "step": "confirm"}
    house.turned_away(address, "Review the count", nobody, **sent)
    for number, name in enumerate(("counter1", "counter2")):
        house.as_(name).at(address).send("Review the count", **IN_BOX)
        house.send("Confirm", "Both counts agree." if number else "Waiting for the second counter.")
        again = {name: "count_closed" if number else "already_counted"}
        house.turned_away(address, "Review the count", again, **sent)


def the_counters_sign_their_sheet(house):
    sheet = CountSheet.objects.get()
    address, signed = f"/count/sheets/{sheet.pk}/", {"pin": PIN, "second": "counter2", "second_pin": PIN}
    nobody = dict.fromkeys(("floor", "cashier", "manager"), "not_allowed")
    house.turned_away(address, "Sign the count sheet", nobody, **signed)
    house.as_("counter1").at(address).send("Sign the count sheet", "is signed", **signed)


def the_cashier_counts_the_money_and_receives_it(house, box):
    """The cashier is told what was found after having found the same."""
    sheet = CountSheet.objects.get()
    address, off = f"/count/sheets/{sheet.pk}/receive/", f"/cashier/boxes/{box.pk}/"
    nobody = dict.fromkeys(("floor", "dealer", "counter1", "manager"), "not_allowed")
    house.turned_away(address, "Receive what I counted", nobody, **IN_BOX)
    house.turned_away(address, "Nothing", {"cashier": "counts_differ"}, **FEE)
    house.turned_away(address, "Nothing", {"cashier": "counts_differ"}, **FEE, reason="They are gone.")
    house.turned_away(off, r"Receive \$", {"cashier": "sheet_not_received"})
    for page in ("/cashier/day/", f"/count/sheets/{sheet.pk}/", off, address):
        house.as_("cashier").at(page)
        assert not re.search(r"\$(10|20|30)\.00", house.page.locator("main").inner_text()), page
    house.send("Receive what I counted", "$20.00 chips, $10.00 cash", **IN_BOX)
    house.turned_away(address, "Receive what I counted", {"cashier": "sheet_received"}, **IN_BOX)
    assert CountSheetReceipt.objects.get().received_by.username == "cashier"


def the_cashier_signs_it_off(house, box):
    address = f"/cashier/boxes/{box.pk}/"
    nobody = dict.fromkeys(("floor", "dealer", "counter1", "manager"), "not_allowed")
    house.turned_away(address, r"Receive \$", nobody)
    house.as_("cashier").at(address).send("sign off", "Signed by")
    house.turned_away(address, r"Receive \$", {"cashier": "box_signed"})
    assert DropSignOff.objects.get().counted_cash == 1000


# From the vault to the bank


def the_cashier_prepares_its_deposit(house, box):
    sent = {"boxes": [str(box.pk)], **FEE}
    nobody = dict.fromkeys(("floor", "manager", "counter1", "dealer"), "not_allowed")
    house.turned_away("/cashier/deposit/", "Prepare", nobody, **sent)
    house.as_("cashier").at("/cashier/deposit/")
    form = house.page.locator("main form[data-pieces]")
    fill(form, FEE)
    with house.page.expect_navigation():
        form.locator("button[type=submit]").click()
    document = Document.objects.get(kind="deposit")
    house.turned_away("/cashier/deposit/", "Nothing", {"cashier": "box_deposited"}, **sent)
    return f"/documents/{document.pk}/"


def the_manager_authorises_it(house, deposit):
    not_theirs = {"cashier": "second_person", "dealer": "not_allowed", "counter1": "not_allowed"}
    house.turned_away(deposit, "Authorise it", not_theirs, step="authorised")
    house.as_("manager").at(deposit).send("Authorise it")


def the_cashier_hands_it_to_the_carrier(house, deposit):
    not_theirs = {"manager": "not_allowed", "floor": "not_allowed", "counter1": "not_allowed"}
    house.turned_away(deposit, "Handed to the carrier", not_theirs, step="sent")
    house.turned_away(deposit, "Nothing", {"cashier": "bad_entry"}, step="sent", reference="")
    house.as_("cashier").at(deposit).send("Handed to the carrier", reference="Carl Carrier")


def a_second_of_the_floor_confirms_it_by_the_banks_slip(house, deposit):
    slip = {"step": "received", **FEE}
    not_theirs = {"cashier": "second_person", "counter1": "not_allowed", "dealer": "not_allowed"}
    house.turned_away(deposit, "Confirmed", not_theirs, **slip)
    house.turned_away(deposit, "Nothing", {"floor2": "bad_entry"}, **slip, reference="")
    house.as_("floor2").at(deposit).send("Confirmed", "slip 4711", reference="slip 4711", **FEE)
    house.turned_away(deposit, "Confirmed", {"floor2": "document_ended", "manager": "document_ended"}, **slip)


def is_right(site):
    """Return whether the books balance and the live verifier finds nothing."""
    sealing.seal(site, now=timezone.now(), whole=True)
    return [str(one) for one in verifying.Verification(site).run()] == []


def taken(page, link):
    """What somebody takes away by this link."""
    with page.expect_download() as download:
        link.first.click()
    return download.value.path()


def a_regulator_follows_it_from_half_a_name(house, box, deposit):
    """From the search box to the player, the fee, its box and its deposit, by links alone."""
    page = house.as_("regulator").at("/audit/").page
    page.get_by_role("searchbox").fill("ca")
    page.keyboard.press("Enter")
    page.locator("main a[href^='/audit/players/']", has_text="Cat").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Cat")
    fee = house.game.site.entries.filter(kind="collection").latest("pk")
    page.locator(f"main a[href='/audit/entries/{fee.pk}/']").first.click()
    page.locator(f"main a[href='/cashier/boxes/{box.pk}/']").first.click()
    page.get_by_role("link", name="Deposit 1").click()
    expect(page).to_have_url(f"{page.base}{deposit}")
    expect(page.get_by_text("$10.00").first).to_be_visible()


def a_regulator_takes_the_day_and_verifies_it(house, folder):
    """As pages, as a workbook, and as an export, which plain Python verifies."""
    page = house.as_("regulator").at("/audit/papers/").page
    page.locator("summary", has_text="Cage").click()
    printed = page.get_by_role("link", name="Deposits, cash orders and capital as PDF")
    assert taken(page, printed).read_bytes()[:5] == b"%PDF-"
    assert taken(page, page.get_by_role("link", name="All in one workbook")).read_bytes()[:2] == b"PK"
    house.at("/audit/log/")
    export = folder / "export.zip"
    export.write_bytes(taken(page, page.get_by_role("button", name="Download the export")).read_bytes())
    with zipfile.ZipFile(export) as archive:
        archive.extract("verify.pyz", folder)
    key = keys.known_keys(sealing.log_of(house.game.site))[-1]
    said = subprocess.run(
        [sys.executable, "-I", folder / "verify.pyz", export, "--key", key.fingerprint],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "Everything is right." in said.stdout, said


def test_one_dollar_from_the_stack_to_the_bank_past_seven_people(house, tmp_path):
    bank = Account.objects.get(site=house.game.site, kind="bank")
    before = bank.balance_cents
    the_dealer_takes_it_from_the_player(house)
    box = the_floor_pulls_the_box_with_the_dealer(house)
    two_people_bring_it_into_the_count_room(house, box)
    two_counters_count_it_alone(house, box)
    the_counters_sign_their_sheet(house)
    the_cashier_counts_the_money_and_receives_it(house, box)
    the_cashier_signs_it_off(house, box)
    deposit = the_cashier_prepares_its_deposit(house, box)
    the_manager_authorises_it(house, deposit)
    the_cashier_hands_it_to_the_carrier(house, deposit)
    a_second_of_the_floor_confirms_it_by_the_banks_slip(house, deposit)
    bank.refresh_from_db()
    assert bank.balance_cents == before + 1000
    assert balances.asset_sums(house.game.site) == {"chips": 0, "cash": 0}
    assert is_right(house.game.site)
    a_regulator_follows_it_from_half_a_name(house, box, deposit)
    a_regulator_takes_the_day_and_verifies_it(house, tmp_path)
    house.page.errors.clear()


# A fill


def the_dealer_asks_for_a_fill(house):
    address = f"/sessions/{house.game.session.pk}/bank/fill/"
    nobody = dict.fromkeys(("cashier", "counter1", "manager"), "not_allowed")
    house.turned_away(address, "Ask for it", nobody, **CHIPS)
    house.as_("dealer").at(address).send("Ask for it", **CHIPS)
    return f"/documents/{Document.objects.get(kind='fill').pk}/"


def the_floor_authorises_it(house, document):
    not_theirs = {"dealer": "not_allowed", "cashier": "not_allowed", "counter1": "not_allowed"}
    house.turned_away(document, "Authorise it", not_theirs, step="authorised")
    house.turned_away(document, "Send it", {"cashier": "wrong_step"}, step="sent")
    house.as_("floor").at(document).send("Authorise it")


def a_cashier_sends_it(house, document):
    not_theirs = dict.fromkeys(("dealer", "floor", "manager", "counter1"), "not_allowed")
    house.turned_away(document, "Send it", not_theirs, step="sent")
    house.as_("cashier").at(document).send("Send it")


def the_dealer_receives_what_they_count(house, document):
    counted = {"step": "received", **CHIPS}
    not_theirs = {"cashier": "not_allowed", "counter1": "not_allowed", "manager": "not_allowed"}
    house.turned_away(document, "Receive what I counted", not_theirs, **counted)
    house.turned_away(document, "Nothing", {"dealer": "not_as_sent"}, **counted | {"chips_500": "39"})
    house.as_("dealer").at(document).send("Receive what I counted", **CHIPS)
    ended = dict.fromkeys(("dealer", "floor"), "document_ended")
    house.turned_away(document, "Receive what I counted", ended, **counted)


def test_a_fill_from_hand_to_hand(house):
    before = house.game.fresh_session().bank_chips.balance_cents
    document = the_dealer_asks_for_a_fill(house)
    the_floor_authorises_it(house, document)
    a_cashier_sends_it(house, document)
    the_dealer_receives_what_they_count(house, document)
    assert house.game.fresh_session().bank_chips.balance_cents == before + 20_000
    assert is_right(house.game.site)


# A drawer's shift


def a_cashier_opens_a_drawer_by_a_count_of_two(house):
    nobody = dict.fromkeys(("floor", "counter1", "manager"), "not_allowed")
    house.turned_away("/cashier/drawers/", "Open my drawer", nobody)
    house.turned_away("/cashier/drawers/", "Open my drawer", {"cashier": "drawer_open"})
    house.as_("cashier2").at("/cashier/").send("Open my drawer")
    house.send("Record my count", **TAKEN)
    count_again_with_the_floor(house, TAKEN)
    return Drawer.objects.get(cashier__username="cashier2")


def count_again_with_the_floor(house, counted):
    """The second count of the newest slip, which nobody makes alone, nor for another cashier."""
    slip = CageSlip.objects.latest("pk")
    address, signed = f"/cashier/slips/{slip.pk}/", {"second": "floor", "second_pin": PIN}
    other = "cashier" if slip.counted_by.username == "cashier2" else "cashier2"
    house.turned_away(
        address, "Compare and post", {other: "not_your_slip", "floor": "not_allowed"}, **counted, **signed
    )
    house.send("Compare and post", "Both counts agree", **counted, **signed)


def they_work_from_it_and_no_other_cashier_does(house, drawer):
    house.as_("cashier2").at("/cashier/").page.locator("#sell-amount, [id^=sell-amount]").first.fill("100")
    house.send("Cash in, chips out")
    house.send("Cash in, chips out: $100.00", "sold")
    house.page.errors.clear()  # the browser reports the status of the question which chips
    drawer.chips.refresh_from_db()
    assert drawer.chips.balance_cents == 20_000 - 10_000
    for way in ("take", "give-back"):
        address = f"/cashier/drawers/{drawer.pk}/{way}/"
        house.turned_away(address, "Nothing", {"cashier": "not_your_drawer", "floor": "not_allowed"}, **TAKEN)


def it_is_closed_by_a_blind_count(house, drawer):
    address = f"/cashier/drawers/{drawer.pk}/close/"
    left = {"chips_500": "20", "cash_2000": "15"}
    nobody = dict.fromkeys(("floor", "counter1", "manager"), "not_allowed")
    house.turned_away(address, "Record my count", nobody, **left)
    house.as_("cashier2").at(address)
    assert not re.search(r"\$(100|300|400)\.00", house.page.locator("main").inner_text())
    house.send("Record my count", **left)
    count_again_with_the_floor(house, left)
    house.turned_away(address, "Nothing", {"cashier2": "drawer_closed"}, **left)


def the_next_cashier_opens_one_of_their_own(house, drawer):
    """Nothing is handed over past the vault: what one has counted back, another counts out."""
    sale = handed("100.00")
    house.turned_away("/cashier/sell/", "Nothing", {"cashier2": "no_drawer"}, **sale)
    held = stocking.holds(house.game.site)
    house.as_("cashier2").at("/cashier/").send("Open my drawer")
    house.send("Record my count", **TAKEN)
    count_again_with_the_floor(house, TAKEN)
    assert stocking.holds(house.game.site) == {"chips": held["chips"] - 20_000, "cash": held["cash"] - 20_000}
    assert drawer_of(house.game.site, drawer.cashier).number == drawer.number + 1


def test_a_drawers_shift(house):
    drawer = a_cashier_opens_a_drawer_by_a_count_of_two(house)
    they_work_from_it_and_no_other_cashier_does(house, drawer)
    it_is_closed_by_a_blind_count(house, drawer)
    the_next_cashier_opens_one_of_their_own(house, drawer)
    assert is_right(house.game.site)
