"""A house's first day through its screens, from an empty database to a closed day. Nothing is prepared or
switched off: people come in by one-time codes, set passwords, PINs and apps, and do their work. The test
moves the clock, and seals the log in the scheduler's place."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from allauth.mfa.totp.internal import auth as app_codes
from django.utils import timezone
from playwright.sync_api import expect

from casino.house import first_start
from ledger.cage import stocking
from ledger.journal import balances
from ledger.models import ClosedDay, DropBox, Site
from ledger.money import amount_text
from ledger.proof.log import verifying
from ledger.tasks import seal_logs
from tables.models import TableSession
from tests.support.game import HANDS
from tests.support.menu import press

pytestmark = [
    pytest.mark.django_db(transaction=True, databases=["default", "reading"]),
    pytest.mark.usefixtures("real_terminals", "asks_for_factors"),
]

EVENING = datetime(2026, 1, 10, 3, 0, tzinfo=UTC)  # seven in the evening of the 9th, in Los Angeles
DAY = "2026-01-09"
MANAGER = "a long key to the house"
HIRED = (  # username, role, and the line of the checklist that asks for them
    ("flo", "Floor", "0 of 2 people for the floor"),
    ("fay", "Floor", "1 of 2 people for the floor"),
    ("dee", "Dealer", "for the tables, as dealer"),
    ("cas", "Cashier", "for the cage"),
    ("cora", "Counter", "0 of 2 people for the count room"),
    ("curt", "Counter", "1 of 2 people for the count room"),
    ("kim", "Compliance", "for compliance"),
)
PINS = {name: f"{number}8305" for number, (name, *_) in enumerate(HIRED, 41)}
# Counters as well: the device on which they sign in is no terminal.
NEEDS_AN_APP = {"Floor", "Cashier", "Counter", "Compliance"}
PLAYERS = ("Ann", "Bob", "Cat", "Dan")
STOCK = {"chips_500": 400, "chips_2500": 320, "cash_2000": 150}
TAKEN = {"chips_500": "20", "cash_2000": "10"}
OPENER = {"chips_500": 200, "chips_2500": 40}
SEAL = "A-0017"
IN_BOX = {"chips_500": "8"}  # four fees of ten dollars


@dataclass
class Person:
    page: object
    name: str
    password: str
    secret: str = ""  # of the app, once there is one
    half_minute: int = 0  # of the last code typed

    def go(self, address):
        self.page.goto(f"{self.page.base}{address}")

    def sign_in(self, password=""):
        self.go("/sign-in/")
        self.page.get_by_label("Username").fill(self.name)
        self.page.get_by_label("Password").fill(password or self.password)
        with self.page.expect_navigation():
            self.page.get_by_role("button", name="Sign in", exact=True).click()
        if self.secret:
            self.page.get_by_label("Code").fill(self.shown_by_the_app())
            with self.page.expect_navigation():
                self.page.get_by_role("button", name="Sign in", exact=True).click()

    def sign_out(self):
        self.page.get_by_role("button", name=re.compile("^Sign out")).first.click()
        self.page.wait_for_url("**/sign-in/")

    def add_app(self):
        self.page.get_by_role("link", name="Set up an authenticator app").click()
        self.secret = self.page.locator("#secret").inner_text().replace(" ", "")
        self.page.get_by_label("Code that the app shows now").fill(self.shown_by_the_app())
        self.page.get_by_role("button", name="Set up the app").click()
        expect(self.page.locator(".recovery-codes li")).to_have_count(10)
        self.page.get_by_role("link", name="Done").click()

    def shown_by_the_app(self):
        """Return the current code, or the next one if it is used: the house accepts each code once."""
        now = list(app_codes.yield_hotp_counters_from_time())[1]
        self.half_minute = max(now, self.half_minute + 1)
        return app_codes.format_hotp_value(app_codes.hotp_value(self.secret, self.half_minute))

    def comes_back(self, page):
        self.page = page
        self.sign_in()
        return self

    def send(self, button, **fields):
        form = self.page.locator("main form", has=self.page.get_by_role("button", name=button, exact=True))
        fill(form, fields)
        with self.page.expect_navigation():
            form.get_by_role("button", name=button, exact=True).click()

    def act(self, link, button, **fields):
        press(link)
        desk = self.page.locator("#desk")
        button = desk.get_by_role("button", name=button, exact=True)
        expect(button).to_be_visible()
        fill(desk, fields)
        button.click()
        expect(desk).to_be_empty()


def fill(form, fields):
    for name, value in fields.items():
        field = form.locator(f"[name={name}]")
        folded = form.locator(f"details.counts:not([open]):has([name={name}]) summary")
        if folded.count():
            folded.click()
        chosen = field.first.evaluate("one => one.tagName === 'SELECT'")
        field.select_option(value) if chosen else field.fill(str(value))


@pytest.fixture
def clock():
    with time_machine.travel(EVENING) as moved:
        yield moved


def set_up(manager):
    """At the address that the server printed: the house, then its manager."""
    manager.go(f"/set-up/?token={first_start.make_link(timezone.now())}")
    manager.send(
        "Go on to the manager",
        name="The Sixth Street Room",
        licence="GEGE-004711",
        time_zone="America/Los_Angeles",
    )
    manager.send(
        "Set up the house",
        full_name="Mo Manager",
        username=manager.name,
        password=manager.password,
        again=manager.password,
    )
    manager.add_app()
    expect(manager.page.get_by_role("heading", level=1)).to_have_text("The Sixth Street Room")


def follow(manager, sentence, action):
    """Follow the checklist's link for one missing thing."""
    manager.go("/house/")
    line = manager.page.locator(".lacks li", has_text=sentence).first
    line.get_by_role("link", name=action).click()


def hire(manager, stranger, name, role, wanted):
    follow(manager, wanted, "Hire somebody")
    page = manager.page
    page.get_by_label(f"{role}:").check()
    manager.send("Hire and make a code", username=name, full_name=f"{name.capitalize()} {role}")
    code = page.locator(".one-time-code").inner_text()
    person = Person(stranger(), name, f"{name} has a fine long password")
    person.sign_in(code)
    password, pin = person.password, PINS[name]
    person.send("Set and go on", new_password=password, again=password, pin=pin, pin_again=pin)
    expect(person.page.get_by_text("Your password and PIN are set.")).to_be_visible()
    if role in NEEDS_AN_APP:
        person.add_app()
    return person


def enrol(people, clock):
    """Enrol the floor's desk, the cage and the tablet of table 1."""
    flo = people["flo"]
    for user, device in (("flo", "Floor desk"), ("cas", "Cage"), ("dee", "Table 1")):
        person = people[user]
        if person is not flo:
            clock.shift(timedelta(minutes=1))  # a code of the app is taken once
            person.sign_out()
            Person(person.page, flo.name, flo.password, flo.secret).sign_in()
        person.go("/terminals/")
        person.send("Enrol", name=device)
        expect(person.page.get_by_text(f"This device is {device}.")).to_be_visible()
        if person is not flo:
            person.sign_out()
    people["cas"].sign_in()
    dealer = people["dee"]
    dealer.page.get_by_role("link", name="Badge and PIN").click()
    dealer.send("Sign in", badge=dealer.name, pin=PINS[dealer.name])
    dealer.page.wait_for_url("**/dealer/")


def furnish(manager):
    """The manager's part of the checklist: tables, a rate, a reason for waivers."""
    page = manager.page
    follow(manager, "The house has no tables", "Enter a table")
    manager.send("Enter the table", number=1)
    manager.go("/house/tables/add/")
    manager.send("Enter the table", number=2)
    follow(manager, "No collection rate is in force", "Publish a rate")
    manager.send("Publish the rate", option="2", limit="5", fee="10", approval_reference="Letter 1")
    follow(manager, "No reason for waiving a fee", "Publish a reason")
    manager.send(
        "Publish",
        text="Incident at the table",
        code="incident",
        approval_reference="Letter 2",
        effective_from=DAY,
    )
    manager.go("/house/")
    expect(page.locator(".lacks li")).to_have_count(3)  # the terminals, the cage and the checkpoint


def stock(cashier):
    cashier.go("/cashier/")
    cashier.page.get_by_role("link", name="Open the vault").first.click()
    cashier.send("Record my count", **STOCK)
    cashier.send("Compare and post", **STOCK, second="flo", second_pin=PINS["flo"])
    expect(cashier.page.get_by_text("Both counts agree: $13,000.00.")).to_be_visible()


def open_drawer(cashier):
    """Take $300 into a drawer, counted by two."""
    cashier.go("/cashier/")
    cashier.send("Open my drawer")
    cashier.send("Record my count", **TAKEN)
    cashier.send("Compare and post", **TAKEN, second="flo", second_pin=PINS["flo"])
    expect(cashier.page.get_by_text("Both counts agree: $300.00.")).to_be_visible()


def close_drawer(cashier):
    cashier.go("/cashier/")
    cashier.page.get_by_role("link", name="Close it").click()
    cashier.send("Record my count", **TAKEN)
    cashier.send("Compare and post", **TAKEN, second="flo", second_pin=PINS["flo"])
    expect(cashier.page.get_by_text("Both counts agree: $300.00.")).to_be_visible()


def take_checkpoint(manager):
    """The last line of the checklist; afterwards it is gone."""
    seal_logs()
    follow(manager, "No checkpoint has left the house", "Take a checkpoint")
    with manager.page.expect_download():
        manager.page.get_by_role("link", name="Take the newest checkpoint").click()
    manager.go("/house/")
    expect(manager.page.get_by_role("heading", name="Changed last")).to_be_visible()
    expect(manager.page.locator(".lacks")).to_have_count(0)


def open_table(floor, cashier):
    page = floor.page
    floor.go("/floor/")
    page.get_by_role("link", name="Open a table").first.click()
    page.get_by_label("Table", exact=True).select_option(label="Table 1")
    page.get_by_label("Limit and fee").select_option(index=1)
    floor.send("Open the table", game="face-up", new_seal=SEAL)
    page.wait_for_url(re.compile(r"/floor/sessions/\d+/$"))
    push = page.get_by_role("link", name="Push", exact=True)
    floor.act(push, "Push", comes="dee", pin=PINS["dee"])
    bring_opener(floor, cashier)
    for seat, name in enumerate(PLAYERS, 1):
        floor.act(page.locator(f"#buy-in-{seat}"), "Seat the player", name=name, amount="300")
        expect(page.locator("#seat-list")).to_contain_text(name)


def bring_opener(floor, cashier):
    """The dealer asks on the floor's form, the floor authorises; the cashier sends, and the floor counts."""
    page, table = floor.page, floor.page.url
    page.get_by_role("link", name="Openers, fills, credits").click()
    page.get_by_role("link", name="Ask for the opener").click()
    floor.send("Ask for it", **OPENER, second="dee", second_pin=PINS["dee"])
    cashier.go("/cashier/")
    cashier.page.get_by_role("link", name="Opener 1, Table 1: to be sent by a cashier").click()
    cashier.send("Send it")
    page.get_by_role("link", name="Opener 1").click()
    expect(page.get_by_text("$2,000.00")).to_have_count(0)
    floor.send("Receive what I counted", **OPENER)
    expect(page.get_by_text("$2,000.00")).to_have_count(1)
    page.goto(table)


def deal(dealer):
    page = dealer.page
    dealer.go("/dealer/")  # at one table alone, it is that table's page
    page.get_by_role("button", name="Start round").click()
    expect(page.locator(".key[data-card='As']")).to_be_visible()
    for seat, hand in enumerate(HANDS, 1):
        field = page.locator(f".deal-type[aria-label*='Cards of'][aria-label$='seat {seat}']")
        for segment in ("front", "middle", "back"):
            field.press_sequentially(hand[segment].replace(" ", ""))
    page.locator("#confirm").click()
    expect(page.get_by_role("button", name="Start round 2")).to_be_visible()


def close_table(floor, cashier):
    """Cash everybody out; two people count the bank, which a cashier counts again, and pull the box, whose
    seal they read."""
    page = floor.page
    for name in PLAYERS:
        seat = page.locator(".floor-seat", has_text=name)
        floor.act(seat.get_by_role("link", name="Cash out", include_hidden=True), "Cash out")
        expect(page.locator("#seat-list")).not_to_contain_text(name)
    bank = TableSession.objects.select_related("bank_chips", "bank_cash").get()
    chips, cash = (bank.bank_chips.balance_cents, bank.bank_cash.balance_cents)
    expect(page.locator("[aria-labelledby=money-heading]")).not_to_contain_text(amount_text(chips))
    counted = {"chips_500": chips // 500, "cash_2000": cash // 2000}
    close = page.get_by_role("link", name="Close the table", exact=True)
    floor.act(
        close,
        "Close the table",
        **counted,
        **{f"second_{name}": number for name, number in counted.items()},
        seal=SEAL,
        second="fay",
        second_pin=PINS["fay"],
    )
    expect(page.get_by_text("This table has been closed.")).to_be_visible()
    cashier.sign_in()  # who was idle for too long
    cashier.page.get_by_role("link", name="Closer 1, Table 1: to be received by a cashier").click()
    expect(cashier.page.get_by_text(amount_text(chips))).to_have_count(0)
    cashier.send("Receive what I counted", **counted)
    expect(cashier.page.get_by_text("Closer 1 is received.")).to_be_visible()


def lock_away(floor):
    """Those who pulled the box bring it into locked storage for the night."""
    floor.go("/floor/")
    press(floor.page.get_by_role("link", name="Receive boxes", include_hidden=True))
    bring(floor, "storage", "fay")
    expect(floor.page.get_by_text("Received: box 1. Locked storage.")).to_be_visible()


def bring_in(counter):
    """A counter and the floor bring the box into the count room; before that it is not counted."""
    counter.go("/count/")
    expect(counter.page.get_by_text("Box 1", exact=True)).to_have_count(0)
    counter.page.get_by_role("link", name="Receive 1 box").click()
    expect(counter.page.get_by_text("(in locked storage)")).to_be_visible()
    bring(counter, "count_room", "flo")
    expect(counter.page.get_by_text("Received: box 1. Count room.")).to_be_visible()


def bring(person, place, second):
    read = {f"seal_{DropBox.objects.get().pk}": SEAL}
    person.send("Receive them", place=place, **read, second=second, second_pin=PINS[second])


def count(counter):
    """A counter, who does not see what to expect, counts what is in the box."""
    counter.go("/count/")
    begin = counter.page.get_by_role("button", name="Begin a count sheet")
    if begin.count():
        begin.click()
    counter.page.get_by_role("link", name="Count box 1").click()
    counter.send("Review the count", **IN_BOX)
    counter.send("Confirm")


def sign_sheet(counter):
    """At a terminal, where both counters sign by PIN; it is the cage's before the cashier comes."""
    counter.go("/count/")
    counter.page.get_by_role("link", name="Sign Count sheet 1").click()
    counter.send("Sign the count sheet", pin=PINS[counter.name], second="curt", second_pin=PINS["curt"])
    expect(counter.page.get_by_text("is signed. Its boxes are ready")).to_be_visible()
    counter.sign_out()


def count_vault(cashier):
    """Count what the vault has by the books, which no page says."""
    held = stocking.holds(Site.objects.get())
    counted = {"chips_100": str(held["chips"] // 100), "cash_100": str(held["cash"] // 100)}
    cashier.go(f"/cashier/?day={DAY}")
    cashier.page.get_by_role("link", name="Count the vault").click()
    cashier.send("Record my count", **counted)
    cashier.send("Compare and post", **counted, second="flo", second_pin=PINS["flo"])
    expect(cashier.page.get_by_text("Both counts agree")).to_be_visible()


def receive_and_sign_off(cashier):
    """Count what the counters hand over, and no page says how much that is; then sign the box off."""
    page = cashier.page
    cashier.go(f"/cashier/?day={DAY}")
    page.get_by_role("link", name="Receive the money of Count sheet 1").click()
    expect(page.get_by_text("$40.00")).to_have_count(0)
    cashier.send("Receive what I counted", **IN_BOX)
    expect(page.get_by_text("$40.00 chips, $0.00 cash")).to_be_visible()
    cashier.go(f"/cashier/?day={DAY}")
    page.get_by_role("link", name="Box 1", exact=True).first.click()
    expect(page.get_by_text("Counted is what was expected.")).to_be_visible()
    cashier.send("Receive $40.00 and sign off")
    expect(page.get_by_text("Signed by")).to_be_visible()


def close_day(cashier):
    page = cashier.page
    cashier.go(f"/cashier/?day={DAY}")
    page.get_by_role("link", name="Close the day").click()
    cashier.send(f"Close gaming day {DAY}", second="fay", second_pin=PINS["fay"])
    expect(page.get_by_text("Day closed")).to_be_visible()


def test_from_an_empty_database_to_a_closed_gaming_day(stranger, clock):
    manager = Person(stranger(), "mo", MANAGER)
    set_up(manager)
    people = {name: hire(manager, stranger, name, *of_them) for name, *of_them in HIRED}
    furnish(manager)
    enrol(people, clock)
    stock(people["cas"])
    open_drawer(people["cas"])
    take_checkpoint(manager)

    for name in ("flo", "dee"):
        people[name].go("/")
    open_table(people["flo"], people["cas"])
    deal(people["dee"])
    clock.shift(timedelta(minutes=50))
    close_table(people["flo"], people["cas"])
    lock_away(people["flo"])

    cage = people["cas"].page  # a terminal, on which the second person types a PIN
    people["cas"].sign_out()
    for person in (manager, *people.values()):
        if person.page is not cage:
            person.page.close()

    clock.shift(timedelta(hours=13))  # the next gaming day; whoever comes to work signs in
    cora = people["cora"].comes_back(cage)
    bring_in(cora)
    count(cora)
    cora.sign_out()
    count(people["curt"].comes_back(stranger()))
    clock.shift(timedelta(minutes=1))  # a code of the app is taken once
    sign_sheet(cora.comes_back(cage))
    cashier = people["cas"].comes_back(cage)
    close_drawer(cashier)
    receive_and_sign_off(cashier)
    count_vault(cashier)
    close_day(cashier)

    # And the books say what happened, to the cent.
    house = Site.objects.get()
    assert ClosedDay.objects.get().gaming_day.isoformat() == DAY
    assert balances.asset_sums(house) == {"chips": 0, "cash": 0}
    seal_logs()
    assert [str(finding) for finding in verifying.Verification(house).run()] == []
