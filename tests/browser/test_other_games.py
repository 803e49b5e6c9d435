"""The dealer's page at tables of other games: each shows what its game needs, and nothing else."""

import json
import re

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from tables.models import CorrectionRequest, Match, Round, Settlement
from tests.support.game import FULL_HOUSE, LOW, PLAIN, QUEENS
from tests.support.screens import assert_accessible, assert_fits, at_every_width

pytestmark = pytest.mark.django_db(transaction=True)

TRIPS = {"front": "7s 7h 7d", "middle": "Ks Kh Kd 2c 3c", "back": "4c 5c 6c Tc Qc"}
WEAK = {"front": "2s 3h 4h", "middle": "5h 6h 8h 9s Jd", "back": "As Ad 9d 8d Jc"}
SIX_PAIRS = "2h 2d 3s 3d 4s 4d 5s 5d 6s 6d 8s 8c Kc"


@pytest.fixture
def table_tonight(table_of):
    """`table_tonight("western", "Ann", "Bob")`: seat players at a table of a game, at the real time."""

    def open_table(code, *names):
        table = table_of(code)
        table.now = timezone.now()
        table.seat(*names)
        return table

    return open_table


@pytest.fixture
def deal(window):
    def open_page(table, **viewport):
        page = window("dealer", **({"width": 820, "height": 1180} | viewport))
        page.goto(f"{page.base}/dealer/sessions/{table.session.pk}/")
        expect(page.get_by_role("button", name="Start round")).to_be_visible()
        return page

    return open_page


def start(page):
    page.get_by_role("button", name="Start round").click()
    expect(page.locator(".key[data-card='As']")).to_be_visible()


def lay(page, seat, cards, which="Cards of"):
    """Fill in a hand: a setting, or thirteen unset cards."""
    texts = [cards] if isinstance(cards, str) else [cards[name] for name in ("front", "middle", "back")]
    field = page.locator(f".deal-type[aria-label*='{which}'][aria-label$='seat {seat}']")
    for text in texts:
        field.fill(text.replace(" ", ""))


def confirm(page):
    page.locator("#confirm").click()
    expect(page.get_by_role("button", name="Start round")).to_be_visible()


def entered(round_=None):
    settlement = Settlement.objects.filter(**({"round": round_} if round_ else {})).latest("pk")
    return {hand["seat"]: hand for hand in json.loads(settlement.entry.evidence)["input"]["hands"]}


def test_a_surrender_an_announced_bonus_and_a_pair_stake_are_settled(table_tonight, deal):
    table = table_tonight("2-4", "Ann", "Bob", "Cat")
    page = deal(table)
    expect(page.locator("#match-stake")).to_be_hidden()
    page.get_by_role("button", name="Pair stake", exact=True).click()
    form = page.locator(".stakes-form")
    form.get_by_label("Ann").check()
    form.get_by_label("Bob").check()
    expect(form.get_by_label("Cat")).to_be_disabled()  # two agree
    form.get_by_role("button", name="$10.00").click()
    assert_accessible(page)
    form.get_by_role("button", name="Agree on $10.00").click()
    expect(page.locator(".stake")).to_have_text(["Ann and Bob$10.00 a point"])
    start(page)

    page.get_by_label("Surrenders: Cat").focus()
    page.keyboard.press("Space")
    expect(page.get_by_role("region", name="Cat")).to_contain_text("No cards needed")
    lay(page, 1, TRIPS)
    front = page.get_by_role("button", name=re.compile("^Front of Ann"))
    expect(front).to_have_accessible_name(
        "Front of Ann: Three of a kind, a bonus of 3 points that was not announced. Fill next."
    )
    page.get_by_label("Announces front: Ann").check()
    expect(front).to_have_accessible_name("Front of Ann: Three of a kind, bonus 3 points. Fill next.")
    assert_accessible(page)
    lay(page, 2, WEAK)
    expect(page.locator(".payment").filter(has_text="Bob pays Ann")).to_contain_text(
        "$70.007 points at $10.00"
    )
    expect(page.locator(".payment").filter(has_text="Cat pays Ann")).to_contain_text("Surrender")
    expect(page.locator(".payment").filter(has_text="Cat pays Ann")).to_contain_text("3 points")
    assert_accessible(page)
    page.locator("#confirm").click()

    expect(page.locator(".stake")).to_contain_text(["Ann and Bob"])  # proposed again
    assert table.stacks() == {1: 29_000 + 8_500, 2: 29_000 - 5_500, 3: 29_000 - 3_000}
    hands = entered()
    assert hands[1]["royalties"] == ["front"]
    assert hands[3]["surrenders"] is True
    page.get_by_role("button", name="No stake between Ann and Bob").click()
    expect(page.locator(".stake")).to_have_count(0)
    start(page)
    assert Round.objects.latest("pk").pair_stakes == []


def test_r27_a_surrender_by_mistake_gives_the_cards_back_and_the_pad_passes_who_surrenders(
    table_tonight, deal
):
    page = deal(table_tonight("2-4", "Ann", "Bob", "Cat"))
    start(page)
    lay(page, 2, "As Ks")
    slip = page.get_by_label("Surrenders: Bob")
    slip.check()
    expect(page.locator(".key[data-card='As']")).not_to_have_attribute("aria-disabled", "true")
    slip.uncheck()
    expect(page.get_by_role("group", name="Bob, front")).to_contain_text("K")
    slip.check()
    page.get_by_role("group", name="Ann, front").get_by_role("button", name="Front of Ann").click()
    for card in "2s 3s 4s 5s 6s 7s 8s 9s Ts Js Qs 2h 3h 4h".split():
        page.locator(f".key[data-card='{card}']").click()
    expect(page.get_by_label("four of hearts: take back from Cat’s front")).to_be_visible()
    page.get_by_role("button", name="Enter cards of Bob").click()
    page.keyboard.type("Kd")
    expect(page.get_by_label("king of diamonds: take back from Bob’s front")).to_be_visible()


def test_r35_criss_cross_is_two_hands_each_without_asking(table_tonight, deal):
    table = table_tonight("criss-cross", "Ann", "Bob", "Cat")
    page = deal(table)
    expect(page.locator(".plan-title").first).to_have_text("Dealt in: 4 hands")
    expect(page.get_by_label("Two hands each")).to_have_count(0)
    expect(page.locator(".plan-seat--waits")).to_contain_text("two play at a time")
    start(page)
    lay(page, 1, QUEENS, "first hand")
    lay(page, 1, PLAIN, "second hand")
    lay(page, 2, FULL_HOUSE, "first hand")
    page.get_by_label("Surrenders: Bob, second hand").check()
    expect(page.get_by_label("Surrenders: Bob, first hand")).not_to_be_checked()
    expect(page.locator(".deal-result .net").nth(1)).to_contain_text("second hand surrendered")
    page.locator("#confirm").click()
    expect(page.get_by_role("button", name="Start round 2")).to_be_visible()
    assert Settlement.objects.get().round.hands.count() == 4
    assert sum(table.stacks().values()) == 3 * 30_000 - 3 * 1_000


def test_r25_a_clean_sweep_declared_before_its_cards_and_never_set(table_tonight, deal):
    page = deal(table_tonight("western", "Ann", "Bob", "Cat"))
    start(page)
    expect(page.locator(".calls")).to_have_count(0)  # no bonus is announced here
    page.get_by_label("Ann declares").select_option("six-pairs")
    page.get_by_label("Lies unset: Ann").check()
    lay(page, 1, SIX_PAIRS)
    ann = page.get_by_role("region", name="Ann")
    expect(ann).to_contain_text("Declared")
    lay(page, 2, WEAK)
    page.get_by_label("Bob declares").select_option("dragon")  # he has none: a foul (R22)
    expect(page.get_by_role("region", name="Bob")).to_contain_text("Not in cards")
    assert_accessible(page)
    expect(page.locator("#kept")).to_have_text("Saved")
    page.reload()
    expect(page.get_by_label("Lies unset: Ann")).to_be_checked()
    expect(ann.locator(".slot--card")).to_have_count(13)
    lay(page, 3, TRIPS)
    expect(page.locator(".deal-result .net").first).to_contain_text("six pairs")
    expect(page.locator(".deal-result .net").nth(1)).to_contain_text("foul")
    confirm_button = page.locator("#confirm")
    confirm_button.click()
    expect(page.get_by_role("button", name="Start round 2")).to_be_visible()
    hands = entered()
    assert (hands[1]["dealt"], hands[1]["declares"]) == (SIX_PAIRS, "six-pairs")
    assert hands[2]["declares"] == "dragon"


def test_r25_unset_cards_offer_only_what_lies_in_them(table_tonight, deal):
    page = deal(table_tonight("2-4", "Ann", "Bob"))
    start(page)
    page.get_by_label("Lies unset: Ann").check()
    lay(page, 1, SIX_PAIRS)
    ann = page.get_by_role("region", name="Ann")
    expect(ann).to_contain_text("Undeclared")
    page.get_by_role("checkbox", name="Ann declares six pairs").check()
    expect(ann).to_contain_text("Declared")
    page.get_by_label("Lies unset: Bob").check()
    lay(page, 2, " ".join(WEAK.values()))
    expect(page.get_by_role("region", name="Bob")).to_contain_text(
        "No clean sweep lies in these 13 cards: the hand must be set."
    )
    page.get_by_label("Lies unset: Bob").uncheck()
    expect(page.get_by_role("group", name="Bob, back")).to_contain_text("J")
    expect(page.locator("#confirm")).to_be_visible()


def test_r42_a_match_to_eleven_with_its_stake_and_its_score_over_the_rounds(table_tonight, deal):
    table = table_tonight("first-to-11", "Ann", "Bob")
    page = deal(table)
    button = page.get_by_role("button", name="Start round 1 of the match")
    expect(button).to_be_disabled()
    expect(page.get_by_text("Say the match stake first.")).to_be_visible()
    expect(page.get_by_text("Pair stakes")).to_be_hidden()
    page.get_by_role("button", name="$50.00").click()
    expect(button).to_be_enabled()
    assert_accessible(page)
    start(page)
    lay(page, 1, TRIPS)
    lay(page, 2, WEAK)
    expect(page.locator(".deal-result .net").first).to_contain_text("+3 makes 3 of 11")
    confirm(page)
    score = page.locator(".match-score li")
    expect(score.first).to_contain_text("3 of 11")
    assert_accessible(page)

    table.now = timezone.now()
    for _ in range(2):
        table.play([WEAK, TRIPS] if table.plan().button == 2 else [TRIPS, WEAK])
    page.reload()
    expect(score.first).to_contain_text("9 of 11")
    page.get_by_role("button", name="Start round 4 of the match").click()
    expect(page.locator("#round-title")).to_have_text("Round 4 (round 4 of match 1)")
    lay(page, 1, TRIPS)
    lay(page, 2, WEAK)
    expect(page.get_by_text("Match 1 ends with this round")).to_be_visible()
    page.locator("#confirm").click()
    expect(page.locator(".match-won")).to_have_text("Ann has won")
    expect(page.locator(".match-paid")).to_have_text("Bob paid Ann $50.00")
    expect(page.get_by_role("button", name="Start round 1 of the match")).to_be_disabled()
    assert table.stacks() == {1: 34_000, 2: 24_000}
    assert Match.objects.count() == 1


def test_r43_two_kept_hands_are_dealt_and_share_the_deck(table_tonight, deal):
    page = deal(table_tonight("2-4", "Ann", "Bob"))
    kept = page.get_by_label("The two undealt hands were kept: deal those")
    expect(kept).to_have_count(0)
    start(page)
    lay(page, 1, TRIPS)
    lay(page, 2, WEAK)
    confirm(page)
    kept.check()
    start(page)
    expect(page.locator("#round-title")).to_have_text("Round 2, hands kept from round 1")
    lay(page, 1, "7s")
    expect(page.get_by_role("region", name="Ann")).to_contain_text("7s was in the round before")
    assert Round.objects.latest("pk").reserved_from.number == 1


def test_the_correction_desk_takes_what_the_game_has(table_tonight, deal):
    page = deal(table_tonight("2-4", "Ann", "Bob"))
    start(page)
    lay(page, 1, TRIPS)
    page.get_by_label("Surrenders: Bob").check()
    confirm(page)
    page.get_by_role("button", name=re.compile("correct", re.IGNORECASE)).click()
    expect(page.get_by_label("Surrenders: Bob")).to_be_checked()
    page.get_by_label("Surrenders: Bob").uncheck()
    lay(page, 2, WEAK)
    page.get_by_label("Announces front: Ann").check()
    page.locator("#correction-reason").fill("Bob did not surrender")
    assert_accessible(page)
    page.get_by_role("button", name="Ask the floor").click()
    expect(page.get_by_text("Waiting for the floor")).to_be_visible()
    ann, bob = CorrectionRequest.objects.get().hands
    assert ann["royalties"] == ["front"]
    assert "surrenders" not in bob
    assert bob["back"] == WEAK["back"]


def test_face_up_shows_nothing_of_other_games(table_tonight, deal):
    page = deal(table_tonight("face-up", "Ann", "Bob"))
    for words in ("Pair stake", "Match stake", "undealt hands"):
        expect(page.get_by_text(words).locator("visible=true")).to_have_count(0)
    start(page)
    for words in ("Surrenders", "Announces", "unset", "declares"):
        expect(page.get_by_text(words).locator("visible=true")).to_have_count(0)
    lay(page, 1, QUEENS)
    lay(page, 2, FULL_HOUSE)
    confirm(page)
    hands = entered()
    assert set(hands[1]) == {"seat", "stack", "front", "middle", "back"}


def test_r6_a_low_middle_says_so_where_its_cards_lie(table_tonight, deal):
    page = deal(table_tonight("low-middle", "Ann", "Bob"))
    start(page)
    expect(page.get_by_role("button", name=re.compile("^Middle, low of Ann"))).to_be_visible()
    expect(page.get_by_label("Announces middle: Ann")).to_have_count(0)
    expect(page.get_by_label("Announces back: Ann")).to_be_visible()


@pytest.mark.parametrize("code", ["2-4", "western"])
def test_four_hands_and_the_pad_fit_the_screen(table_tonight, deal, code):
    page = deal(table_tonight(code, "Ann", "Bob", "Cat", "Dan"))
    start(page)
    lay(page, page.evaluate("Number(document.querySelector('.deal-type').ariaLabel.at(-1))"), LOW)
    page.locator("#kept[data-state='saved']").wait_for(state="attached")  # the rules' answer is there by then
    for width in at_every_width(page):
        assert_fits(page, width)
        assert page.evaluate("document.documentElement.scrollHeight") <= page.viewport_size["height"]
        small = page.evaluate(
            "[...document.querySelectorAll('.deal button, .deal label, .deal select')].filter((one) => "
            "one.checkVisibility()"
            " && !one.matches('.slot, .segment-name')).map((one) => one.getBoundingClientRect())"
            ".filter((box) => box.width < 44 || box.height < 44).length"
        )
        assert small == 0
