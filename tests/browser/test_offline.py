"""A tablet without the network: its page opens, play goes on, and rounds are settled once as shown."""

import re

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Error, expect

from ledger.templatetags.figures import signed_dollars
from tables.floor.disputes import open_disputes
from tables.models import Round, Settlement
from tables.state.evidence import net_of, standing_evidence
from tests.browser.test_a_round import type_hand
from tests.support.game import FULL_HOUSE, LOW, PLAIN, QUEENS
from tests.support.lengths import OUTAGE_SECONDS
from tests.support.wire import Wire

pytestmark = pytest.mark.django_db(transaction=True)

PATIENCE = 120_000
"""Milliseconds for a page that was opened anew to load the rules, also on a busy machine."""


SEATED = ("Ann", "Bob")


@pytest.fixture
def wire(asgi):
    wire = Wire(int(asgi.rpartition(":")[2]))
    yield wire
    wire.cut()


@pytest.fixture
def tablet(window, tonight, wire):
    """The dealer's tablet, which keeps its page; the test cuts the wire to the house, and mends it."""
    page = window("dealer", width=820, height=1180, base=wire.base)
    page.goto(f"{page.base}/dealer/sessions/{tonight.session.pk}/")
    expect(page.get_by_role("button", name="Start round")).to_be_visible()
    keeps(page, f"/dealer/sessions/{tonight.session.pk}/")
    yield page
    page.errors.clear()  # what the browser says of a network that is away


def keeps(page, path, *, kept=True):
    """Wait until the tablet keeps this, or no longer does."""
    found = f"caches.match({path!r}, {{ignoreSearch: true}}).then(Boolean)"
    for _ in range(600):
        if page.evaluate(found) is kept:
            return
        page.wait_for_timeout(100)
    raise AssertionError(path)


def test_the_page_opens_without_the_network_and_says_of_when_it_is(tablet, tonight, wire):
    wire.cut()
    tablet.reload()
    expect(tablet.locator("#notices")).to_contain_text("This is how it was at")
    expect(tablet.locator("#live")).to_have_attribute("data-state", "away")
    expect(tablet.get_by_role("button", name="Start round")).to_be_visible()
    wire.mend()
    expect(tablet.locator("#notices")).not_to_contain_text("This is how it was at", timeout=20_000)
    expect(tablet.locator("html")).not_to_have_attribute("data-kept", re.compile("."))


def has_the_rules(tablet):
    keeps(tablet, "/dealer/tablet/rules.zip")
    keeps(tablet, "/static/pyodide/pyodide.asm.wasm")


def play_here(tablet, hands):
    """Enter a round of two and confirm it on the tablet alone; return what it showed."""
    expect(tablet.locator(".key[data-card='As']")).to_be_visible()
    for seat, hand in enumerate(hands, 1):
        type_hand(tablet, seat, hand)
    expect(tablet.locator(".settle")).to_contain_text("Worked out on this tablet, not settled yet")
    shown = tablet.locator(".deal-result .net-amount").all_inner_texts()
    tablet.locator("#confirm").click()
    tablet.wait_for_timeout(OUTAGE_SECONDS * 1000 / 3)
    return shown


def settled():
    """What the house settled, as a tablet shows it, by round."""
    rounds = Round.objects.order_by("number")
    nets = [net_of(standing_evidence(one)) for one in rounds]
    return [[signed_dollars(net[seat]) for seat in sorted(net)] for net in nets]


def test_r57_three_rounds_without_the_network_are_settled_once_as_they_were_shown(
    tablet, tonight, wire, floor
):
    has_the_rules(tablet)
    wire.cut()
    tablet.get_by_role("button", name="Start round 1").click()
    tablet.get_by_role("button", name="Play on without the house").click()
    shown = [play_here(tablet, [QUEENS, FULL_HOUSE])]
    expect(tablet.locator("#notices")).to_contain_text("Played without the house since")
    expect(tablet.locator("#last")).to_contain_text("not settled yet")
    tablet.reload()
    tablet.get_by_role("button", name="Start round 2").click(timeout=PATIENCE)
    expect(tablet.locator(".key[data-card='As']")).to_be_visible()
    type_hand(tablet, 1, PLAIN)
    tablet.reload()  # in the middle of a round
    expect(tablet.locator("[aria-label='Ann, back']")).to_contain_text("Three of a kind")
    shown.append(play_here(tablet, [PLAIN, LOW]))
    tablet.get_by_role("button", name="Start round 3").click()
    shown.append(play_here(tablet, [FULL_HOUSE, QUEENS]))
    expect(tablet.get_by_role("button", name="Start round 4")).to_be_visible()
    assert Round.objects.count() == 0

    wire.mend()
    expect(tablet.locator("#notices")).not_to_contain_text("without the house", timeout=20_000)
    expect(tablet.locator("#last")).to_contain_text("Round 3")
    expect(tablet.locator("#last")).to_contain_text("Settled")
    assert Settlement.objects.count() == 3
    assert settled() == shown
    assert not open_disputes(tonight.site)


def test_what_the_house_settles_otherwise_is_told_to_the_dealer_and_the_floor(tablet, tonight, wire, window):
    has_the_rules(tablet)
    tablet.get_by_role("button", name="Start round 1").click()
    expect(tablet.locator(".key[data-card='As']")).to_be_visible()
    wire.cut()
    for seat, hand in enumerate([QUEENS, FULL_HOUSE], 1):
        type_hand(tablet, seat, hand)
    tablet.get_by_role("button", name="Play on without the house").click()
    tablet.get_by_role("button", name="Start round 2").click()
    play_here(tablet, [FULL_HOUSE, QUEENS])
    running = Round.objects.get()
    tonight.now = timezone.now()
    tonight.settle(running, [QUEENS, LOW])  # somebody else did, with other cards
    wire.mend()
    notices = tablet.locator("#notices")
    expect(notices).to_contain_text("The house does not take round 1 as it was played here", timeout=20_000)
    expect(notices).to_contain_text("The floor has been told")
    notices.get_by_role("button", name="Leave it to the floor").click()
    expect(notices).not_to_contain_text("without the house", timeout=20_000)
    assert Round.objects.count() == Settlement.objects.count() == 2
    board = window("floor")
    board.goto(f"{board.base}/floor/")
    need = board.get_by_role("region", name="Needs somebody")
    expect(need).to_contain_text("was told by the tablet. Round 1 was played while the house was away")
    assert open_disputes(tonight.site).get().round == running


@pytest.mark.long
def test_a_dealer_who_was_pushed_out_meanwhile_tells_the_floor_what_was_played(tablet, tonight, wire, employ):
    has_the_rules(tablet)
    wire.cut()
    tablet.get_by_role("button", name="Start round 1").click()
    tablet.get_by_role("button", name="Play on without the house").click()
    play_here(tablet, [QUEENS, FULL_HOUSE])
    tonight.push(employ("dora", "dealer"))
    wire.mend()
    notices = tablet.locator("#notices")
    expect(notices).to_contain_text("The house does not take round 1 as it was played here", timeout=20_000)
    assert "the house refused it: You are not the dealer" in open_disputes(tonight.site).get().text
    notices.get_by_role("button", name="Leave it to the floor").click()
    tablet.wait_for_url("**/dealer/")


def test_nobody_is_shown_or_sends_what_another_kept_on_the_tablet(tablet, tonight, wire, employ, floor):
    has_the_rules(tablet)
    wire.cut()
    tablet.get_by_role("button", name="Start round 1").click()
    tablet.get_by_role("button", name="Play on without the house").click()
    shown = play_here(tablet, [QUEENS, FULL_HOUSE])
    expect(tablet.get_by_role("button", name="Start round 2")).to_be_visible()
    tablet.goto("about:blank")  # the queue waits
    other = employ("dora", "dealer")
    tonight.push(other)
    client = Client()
    client.force_login(other)
    name = settings.SESSION_COOKIE_NAME
    tablet.context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": tablet.base}])
    wire.mend()
    address = f"{tablet.base}/dealer/sessions/{tonight.session.pk}/"
    tablet.goto(address)
    expect(tablet.locator("#notices")).to_contain_text("1 round of dealer, played here without the house")
    assert not Round.objects.exists()
    tablet.locator("#notices").get_by_role("button", name="Send them").click()
    expect(tablet.locator("#last")).to_contain_text("Settled", timeout=20_000)
    assert settled() == [shown]

    tablet.goto(f"{tablet.base}/sign-out/")
    tablet.context.clear_cookies()
    tablet.goto(f"{tablet.base}/sign-in/")
    keeps(tablet, f"/dealer/sessions/{tonight.session.pk}/", kept=False)
    wire.cut()
    with pytest.raises(Error):
        tablet.goto(address)


def test_a_tablet_that_cannot_run_the_rules_says_so_beforehand(window, tonight):
    page = window("dealer")
    page.add_init_script("delete window.WebAssembly")
    page.goto(f"{page.base}/dealer/sessions/{tonight.session.pk}/")
    expect(page.locator("#notices")).to_contain_text("This tablet cannot play on without the network")
    page.locator("#notices").get_by_role("button", name="Understood").click()
    page.reload()
    expect(page.get_by_role("button", name="Start round")).to_be_visible()
    expect(page.locator("#notices")).to_be_empty()
