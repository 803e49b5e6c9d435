"""A wrong card on the dealer's tablet: the changes are shown before asking, and the outcome at once."""

import re

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from tables.models import CorrectionRequest, Round
from tables.rounds import corrections
from tests.browser.test_a_round import deal
from tests.support.acting import acting
from tests.support.game import FULL_HOUSE, QUEENS

pytestmark = pytest.mark.django_db(transaction=True)

JACK = {**QUEENS, "front": "Qs Jc 2c"}


@pytest.fixture
def settled(game):
    game.now = timezone.now()
    game.seat("Ann", "Bob")
    game.play([QUEENS, FULL_HOUSE])
    return game


def refuse(game, request, reason):
    game.now = timezone.now()
    acting(
        corrections.refuse_correction,
        request_id=request.pk,
        reason=reason,
        key=game.key(),
        actor=game.floor,
        now=game.now,
    )


def open_correction(window, game):
    page = window("dealer", width=820, height=1180)
    page.goto(f"{page.base}/dealer/sessions/{game.session.pk}/")
    page.get_by_role("button", name=re.compile("Ask for a correction")).click()
    page.get_by_label("queen of hearts: take back").click()
    page.locator(".key[data-card='Jc']").click()
    return page


def test_categories_fouls_and_the_new_result_are_seen_before_the_floor_is_asked(window, settled):
    page = open_correction(window, settled)
    hand = page.get_by_role("region", name="Ann")
    expect(hand).to_contain_text("Flush")
    expect(page.get_by_role("group", name="Ann, front")).to_contain_text("High card")
    result = page.locator(".correction-result")
    expect(result.locator(".net").first).to_contain_text("−$45.00")
    assert CorrectionRequest.objects.count() == 0
    page.get_by_label("Mis-set: Ann").check()
    expect(hand).to_contain_text("Mis-set")
    expect(result.locator(".net").first).to_contain_text("difference")


@pytest.mark.parametrize("state", ["approved", "refused"])
def test_a_decision_reaches_the_tablet_that_waits_for_it(window, settled, state):
    page = open_correction(window, settled)
    page.locator("#correction-reason").fill("the jack was read as a queen")
    page.get_by_role("button", name="Ask the floor").click()
    expect(page.get_by_text("Waiting for the floor")).to_be_visible()
    asked = CorrectionRequest.objects.get()
    settled.now = timezone.now()
    if state == "approved":
        settled.approve(asked)
    else:
        refuse(settled, asked, "the camera shows a queen")
    said = page.locator("#notices")
    expect(said).to_contain_text(f"Correction of round 1: {state}")
    expect(said).to_contain_text("by floor" if state == "approved" else "the camera shows a queen")
    expect(page.get_by_role("button", name="Start round 2")).to_be_visible()
    page.reload()
    expect(said).to_contain_text(f"Correction of round 1: {state}")  # until somebody has read it
    page.get_by_role("button", name="Understood").click()
    expect(said).to_be_empty()


def test_a_running_round_takes_the_tablet_back_and_keeps_what_was_entered(window, settled):
    page = open_correction(window, settled)
    expect(page.locator(".correction-result .net").first).to_be_visible()
    settled.now = timezone.now()
    round_ = settled.start()
    expect(page.locator("#round-title")).to_have_text("Round 2")
    expect(page.locator(".deal-hand").first).to_contain_text("0 of 13")
    settled.now = timezone.now()
    settled.settle(round_, [QUEENS, FULL_HOUSE])
    page.get_by_role("button", name="Go on correcting round 1").click()
    expect(page.get_by_label("jack of clubs: take back from Ann’s front")).to_be_visible()
    assert Round.objects.count() == 2


def test_points_that_cards_overtake_are_said_to_whom_looks_at_them_with_the_way_on(window, game, floor2):
    game.now = timezone.now()
    game.seat("Ann", "Bob")
    round_ = game.start()
    by = {"round_id": round_.pk, "key": game.key(), "actor": game.floor, "now": game.now}
    acting(corrections.ask_settlement_by_hand, points=[(1, 2, 3)], reason="the deck was swept up", **by)
    page = window("floor2", width=820, height=1180)
    page.goto(f"{page.base}/floor/sessions/{game.session.pk}/")
    desk, approve = page.locator("#desk"), page.get_by_role("button", name="Approve")
    page.get_by_role("link", name="Approve").click()
    expect(desk).to_contain_text("Approve the settlement by hand: round 1")
    game.now = timezone.now()
    game.settle(round_, [QUEENS, FULL_HOUSE])
    expect(page.get_by_role("link", name="Approve")).to_have_count(0)
    approve.click()
    expect(desk).to_contain_text("Round 1 has been settled: correct it instead.")
    game.now = timezone.now()
    game.ask(round_, [JACK, FULL_HOUSE])
    expect(page.get_by_role("heading", name="Correction")).to_be_visible()
    approve.click()
    expect(desk).to_contain_text(
        "The cards turned up and settled this round: decide on its correction instead."
    )
    page.errors.clear()  # the browser notes the refusals
    page.get_by_role("link", name="Approve").click()
    expect(desk).to_contain_text("Approve the correction: round 1")
    approve.click()
    expect(page.get_by_text("Round 1 is settled again.")).to_be_visible()


def test_a_decision_is_said_while_the_next_round_runs(window, settled):
    asked = settled.ask(Round.objects.get(), [JACK, FULL_HOUSE])
    page = window("dealer", width=390, height=844)
    deal(page, settled)
    refuse(settled, asked, "it was a queen")
    expect(page.locator("#notices")).to_contain_text("Correction of round 1: refused")
    expect(page.locator(".key[data-card='As']")).to_be_visible()
