"""R57 on the tablet: called time runs above the cards, then leads to a mis-set hand without cards."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from ledger.journal.acts import Act
from tables.models import Round, TableSession
from tables.rounds import running
from tests.browser.test_a_round import type_hand
from tests.support.game import QUEENS

pytestmark = pytest.mark.django_db(transaction=True)


def call(game, round_, seat, *, seconds_ago):
    now = timezone.now() - timedelta(seconds=seconds_ago)
    if seconds_ago:  # as if nothing had been recorded since
        TableSession.objects.update(latest_at=now)
    running.call_time(round_id=round_.pk, seat=seat, act=Act(key=game.key(), actor=game.floor, now=now))


def test_r57_a_hand_whose_time_is_up_is_entered_as_mis_set_without_cards(window, game):
    game.now = timezone.now()
    game.seat("Ann", "Bob")
    round_ = game.start()
    dealer = window("dealer", width=820, height=1180)
    dealer.goto(f"{dealer.base}/dealer/sessions/{game.session.pk}/")
    called = dealer.locator(".deal-time:not([hidden])")
    expect(dealer.locator(".deal-hand")).to_have_count(2)
    expect(called).to_have_count(0)

    call(game, round_, 1, seconds_ago=0)  # the page hears of it by itself
    expect(called).to_have_count(1)
    enter = dealer.get_by_role("button", name="as mis-set")
    expect(enter).to_have_count(0)
    type_hand(dealer, 1, QUEENS)
    expect(called).to_have_count(0)  # Ann has set in time

    call(game, round_, 2, seconds_ago=61)
    expect(enter).to_be_visible()
    enter.click()
    expect(dealer.get_by_label("Mis-set: Bob")).to_be_checked()
    expect(dealer.locator(".deal-result .net").nth(1)).to_contain_text("foul")
    dealer.locator("#confirm").click()
    expect(dealer.get_by_role("button", name="Start round")).to_be_visible()
    assert Round.objects.get().state == "settled"
