"""A floor supervisor runs a table of five through a night from the board alone, with the clock moved. The
test settles rounds in the tablet's place; everything else is done in the floor's window."""

import re
from datetime import UTC, date, datetime, timedelta

import pytest
import time_machine
from django.utils import timezone
from playwright.sync_api import expect

from casino.demo.nights.bank import bring_chips
from casino.demo.nights.house import APPROVAL
from casino.models import Staff
from ledger.journal import balances, records
from ledger.journal.acts import Act
from ledger.proof.log import sealing, verifying
from tables.collection.waivers import write_reason
from tables.floor.tables import write_table
from tables.models import (
    Charge,
    FeePayment,
    Rate,
    Round,
    Sitting,
    TableEvent,
    TableSession,
    Waiver,
)
from tables.rounds import settling
from tables.rounds.entry import RoundEntry, two_each
from tests.support.cage import fields_of, pieces, stock
from tests.support.cast import PIN
from tests.support.game import HANDS
from tests.support.menu import press

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "reading"])

EVENING = datetime(2026, 3, 8, 3, 0, tzinfo=UTC)
LIMIT, FEE = 3_000, 1_500


@pytest.fixture
def clock():
    with time_machine.travel(EVENING) as moved:
        yield moved


@pytest.fixture
def house(clock, site, floor, floor2, dealer, employ, cashier):
    """Two tables, the rate of option 5, chips in the cage, a reason for waivers, and tonight's staff."""
    now = timezone.now()
    employ("dealer2", "dealer")
    rate = Rate.objects.create(
        site=site,
        option=5,
        limit_cents=LIMIT,
        fee_cents=FEE,
        approval_reference=APPROVAL,
        effective_from=date(2026, 1, 1),
    )
    records.keep(site.pk, now, rate)
    write_reason(
        site=site,
        code="disturbance",
        text="Incident at the table",
        approval_reference=APPROVAL,
        effective_from=date(2026, 1, 1),
        act=Act(actor=None, now=now),
    )
    for number in (1, 2):
        write_table(site=site, number=number, act=Act(actor=None, now=now, key=f"enter-table-{number}"))
    stock(site, chips=9_000_000, cash=9_000_000, by=cashier, second=floor, now=now)
    return site


class Floor:
    def __init__(self, page, clock, dealer):
        self.page, self.clock, self.dealer, self.serial = page, clock, dealer, 0

    def open(self, number):
        page = self.page
        page.goto(f"{page.base}/floor/")
        page.get_by_role("link", name="Open a table").first.click()
        page.get_by_label("Table", exact=True).select_option(label=f"Table {number}")
        page.get_by_label("Game", exact=True).select_option("face-up")
        page.get_by_label("Limit and fee").select_option(index=1)
        page.get_by_label("Maximum buy-in").fill("6,000")
        page.get_by_role("button", name="Open the table").click()
        page.wait_for_url(re.compile(r"/floor/sessions/\d+/$"))
        session = TableSession.objects.get(table__number=number, closed_at=None)
        people = {name: Staff.objects.get(username=name) for name in ("floor", "dealer", "cashier")}
        act = Act(people["floor"], timezone.now(), f"opener of table {number}")
        bring_chips(session, {10_000: 200}, **people, act=act)
        return session

    def show(self, session):
        self.session = session
        self.page.goto(f"{self.page.base}/floor/sessions/{session.pk}/")

    def act(self, link, button, **fields):
        press(self.page.get_by_role("link", name=link, include_hidden=True).first)
        desk = self.page.locator("#desk")
        for label, value in fields.items():
            field = desk.locator(f"[name={label}]")
            field.evaluate(
                "one => one.closest('details')?.setAttribute('open', '')"
            )  # of the two counts, one is
            field.select_option(value) if field.evaluate("one => one.tagName") == "SELECT" else field.fill(
                value
            )
        desk.get_by_role("button", name=button).click()
        expect(desk).to_be_empty()

    def push(self, name):
        self.act("Push", "Push", comes=name, pin=PIN)
        expect(self.page.locator("#table-live")).to_contain_text(f"Dealer {name}")

    def buy_in(self, seat, name, amount):
        self.page.locator(f"#buy-in-{seat}").click()
        desk = self.page.locator("#desk")
        expect(desk).to_contain_text(f"seat {seat}")
        desk.locator("input[name=name]").fill(name)
        desk.locator("input[name=amount]").fill(amount)
        desk.locator("button[type=submit]").click()
        expect(self.page.locator("#seat-list")).to_contain_text(name)
        expect(desk).to_be_empty()

    def later(self, **time):
        self.clock.shift(timedelta(**time))

    def start(self, *, decline=(), cash=(), two_hands=()):
        page, desk = self.page, self.page.locator("#desk")
        self.show(self.session)
        page.locator(f"#start-round-{self.session.pk}").click()
        for name in decline:
            desk.get_by_role("checkbox", name=f"Declines this round: {name}").check()
            expect(desk.locator(".plan-seat--waits", has_text=name)).to_contain_text("Declines")
        for name in cash:
            desk.get_by_role("checkbox", name=f"Cash for the fee: {name}").check()
        if cash:
            expect(desk.locator("#start-note")).to_contain_text("in cash")
        for name in two_hands:
            desk.get_by_role("checkbox", name=f"{name} agrees").check()
        if two_hands:
            expect(desk.locator(".plan-title").first).to_have_text("Dealt in: 4 hands")
        desk.get_by_role("button", name="Start round").click()
        expect(desk).to_be_empty()
        started = Round.objects.get(session=self.session, state=Round.State.DEALT)
        expect(page.locator("#table-live")).to_contain_text(f"Round {started.number} since")
        assert started.dealer == self.dealer
        return started

    # -- what the dealer does at the tablet --------------------------------------------------------

    def key(self):
        self.serial += 1
        return f"the-tablet-{self.serial:04d}"

    def settle(self, round_):
        dealt = list(round_.hands.all())
        which = two_each(dealt)
        entered = tuple(
            {"seat": hand.seat, **({"position": hand.position} if which else {}), **cards}
            for hand, cards in zip(dealt, HANDS, strict=False)
        )
        entry = RoundEntry(round_.pk, self.key(), entered)
        return settling.settle_round(entry=entry, act=Act(actor=self.dealer, now=timezone.now()))


def charge_of(name, down):
    return Charge.objects.get(player__name=name, down__number=down)


def open_and_seat(night):
    """Open two tables, push a dealer in, seat four players, put two on the list; return the other table."""
    page = night.page
    second = night.open(2)
    night.show(night.open(1))
    night.push("dealer")
    for seat, name in enumerate(("Ann", "Bob", "Cat", "Dan"), 1):
        night.buy_in(seat, name, "3,000")
    page.goto(f"{page.base}/waiting/")
    for name in ("Eve", "Fay"):
        join = page.locator("form[aria-label='Check in']")
        join.locator("[name=name]").fill(name)
        join.get_by_role("button", name="Put on the list").click()
        expect(page.locator(".waiting-place", has_text=name)).to_be_visible()

    return second


def misdeal_and_first_round(night):
    """A misdeal, then the first round: everybody owes a whole fee."""
    night.later(minutes=2)
    night.start()
    night.act("Void the round", "Void the round", reason="Fourteen cards in one hand")
    assert Round.objects.get().state == Round.State.VOID
    night.settle(night.start())
    assert charge_of("Ann", 1).cents == FEE


def seat_from_the_list_late(night):
    """Eve is called at minute 21 and buys in: half a fee, $7.50. Five sit there, so one waits."""
    page = night.page
    night.later(minutes=21)
    page.goto(f"{page.base}/waiting/")
    eve = page.locator(".waiting-place", has_text="Eve")
    eve.get_by_role("link", name=re.compile("Elsewhere")).click()
    page.locator("select[name=place]").select_option(label="Table 1, seat 5")
    page.locator("main form button[type=submit]").click()
    eve.get_by_role("link", name=re.compile("^Seat")).click()
    page.locator("[name=amount]").fill("3,000")
    with page.expect_navigation():
        page.locator("main form button[type=submit]").click()
    night.show(night.session)
    expect(page.locator("#seat-list")).to_contain_text("Eve")
    page.goto(f"{page.base}/floor/due/")
    expect(page.locator("main")).to_contain_text("$7.50")
    round_ = night.start()
    owed = charge_of("Eve", 1)
    assert (owed.rule, owed.cents) == ("half", 750)
    assert owed.minute_seconds >= 20 * 60
    expect(page.locator("#table-live")).to_contain_text("Waiting")
    assert round_.hands.count() == 4
    night.settle(round_)


def stop_the_clock(night):
    """The clock stands for ten minutes, so the down ends later. Ann passes, and the fifth comes in."""
    night.act("Stop the clock", "Stop the clock", reason="Fire alarm, no fire")
    night.later(minutes=10)
    night.act("Start the clock", "Start the clock")
    night.later(minutes=17)
    round_ = night.start(decline=["Ann"])
    assert round_.down.number == 1
    assert sorted(round_.hands.values_list("sitting__player__name", flat=True)) == [
        "Bob",
        "Cat",
        "Dan",
        "Eve",
    ]
    night.settle(round_)


def waive_and_push(night):
    """A new down: Bob's fee is waived, and another dealer is pushed in."""
    page = night.page
    night.later(minutes=4)
    night.show(night.session)
    bob = Sitting.objects.get(player__name="Bob", left_at=None)
    press(page.locator(f"#waive-{bob.pk}"))
    desk = page.locator("#desk")
    desk.locator("select[name=reason]").select_option(label="Incident at the table")
    desk.locator("button[type=submit]").click()
    expect(desk).to_be_empty()
    assert Waiver.objects.get().payment.charge == charge_of("Bob", 2)
    night.push("dealer2")
    night.dealer = type(night.dealer).objects.get(username="dealer2")
    round_ = night.start(cash=["Cat"])
    assert (round_.down.number, round_.dealer.username) == (2, "dealer2")
    assert FeePayment.objects.get(charge=charge_of("Cat", 2)).method == "cash"
    night.settle(round_)
    assert not Charge.objects.open().exists()
    assert charge_of("Eve", 2).cents == FEE


def two_hands_each(night):
    """Three go to eat, and the two who stay agree to two hands each."""
    page = night.page
    night.show(night.session)
    for name in ("Cat", "Dan", "Eve"):
        out = page.locator(f"#out-{Sitting.objects.get(player__name=name, left_at=None).pk}")
        press(out)
        expect(out).to_contain_text("Back in")
    round_ = night.start(two_hands=["Ann", "Bob"])
    assert round_.hands.count() == 4
    night.settle(round_)


def break_up(night, second):
    """Break the table: three move to the other one, two cash out, and nothing is left."""
    page = night.page
    night.show(night.session)
    bank = TableSession.objects.select_related("bank_chips", "bank_cash").get(pk=night.session.pk)
    fields = {
        f"place_{sitting.pk}": f"{second.pk}-{seat}"
        for seat, sitting in enumerate(
            Sitting.objects.filter(session=bank, left_at=None).order_by("seat")[:3], 1
        )
    } | {
        f"place_{sitting.pk}": "cash-out"
        for sitting in Sitting.objects.filter(session=bank, left_at=None).order_by("seat")[3:]
    }
    held = {"chips": bank.bank_chips.balance_cents, "cash": bank.bank_cash.balance_cents}
    counted = pieces(bank.table.site, **held)
    night.act(
        "Break the table",
        "Break the table",
        **fields,
        **fields_of(counted),
        second="floor2",
        second_pin=PIN,
    )
    expect(page.locator("#table-live")).to_contain_text("closed")
    assert Sitting.objects.filter(session=second, left_at=None).count() == 3
    assert FeePayment.objects.filter(method="waived").count() == 1
    kinds = set(TableEvent.objects.values_list("kind", flat=True))
    assert kinds >= {"pushed", "round_voided", "clock_stopped", "clock_started", "sat_out", "closed"}


def test_r50_to_r65_a_night_at_a_table_of_five_from_the_board_alone(window, house, clock, dealer):
    night = Floor(window("floor"), clock, dealer)
    second = open_and_seat(night)
    misdeal_and_first_round(night)
    seat_from_the_list_late(night)
    stop_the_clock(night)
    waive_and_push(night)
    two_hands_each(night)
    break_up(night, second)

    # And the books say what happened, to the cent.
    assert balances.asset_sums(house) == {"chips": 0, "cash": 0}
    sealing.seal(house, now=timezone.now())
    assert [str(finding) for finding in verifying.Verification(house).run()] == []
