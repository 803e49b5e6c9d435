"""The translated screens in a browser: a round in Chinese from signing in to its result, and every language
on every width."""

from itertools import islice

import pytest
from django.test import Client
from django.urls import get_resolver, reverse
from django.utils import timezone
from playwright.sync_api import expect

from casino.languages import ASKED, ENGLISH, LANGUAGES, PAGES
from casino.models import Staff
from casino.sign_in import terminals
from tables.models import Settlement
from tests.support.game import FULL_HOUSE, QUEENS
from tests.support.lengths import LONG
from tests.support.screens import assert_accessible, assert_fits, at_every_width, read_at

TRANSLATED = [code for code, _ in LANGUAGES if code != ENGLISH]

pytestmark = pytest.mark.django_db(transaction=True)


SEATED = ("Ann", "Bob")


def sign_in(page, language):
    """Sign the dealer in on an enrolled device, in a language that is chosen on the sign-in page."""
    enrolled = terminals.enrol_for_demo(timezone.now())
    page.context.add_cookies([{"name": terminals.COOKIE, "value": enrolled, "url": page.base}])
    page.goto(f"{page.base}/sign-in/")
    page.locator(f".languages a[lang={language}]").click()
    page.locator("input[name=username]").fill("dealer")
    page.locator("input[name=password]").fill("dealer signs in")
    page.locator("form.panel button[type=submit]").click()
    page.wait_for_url("**/dealer/sessions/*/")


def test_a_dealer_signs_in_in_chinese_enters_a_round_and_reads_the_result(stranger, tonight):
    page = stranger(width=820, height=1180)
    sign_in(page, "zh-hant")
    page.get_by_role("button", name="開始第 1 局").click()
    for segment in ("front", "middle", "back"):
        for card in QUEENS[segment].split():
            page.locator(f".key[data-card='{card}']").click()
    expect(page.locator("[aria-label='Ann, 前墩']")).to_contain_text("一對")
    expect(page.locator(".pad-aim")).to_contain_text("前墩，第 1 / 3 張")
    for segment in ("front", "middle", "back"):
        page.locator(".deal-type[data-hand='1']").fill(FULL_HOUSE[segment].replace(" ", ""))
    payment = page.locator(".payment")
    expect(payment).to_contain_text("Bob 付 Ann")
    expect(payment).to_contain_text("10 分")
    page.get_by_role("button", name="確認第 1 局：共付 $50.00").click()
    expect(page.get_by_role("button", name="開始第 2 局")).to_be_visible()
    expect(page.locator("#last")).to_contain_text("第 1 局")
    expect(page.locator("#last")).to_contain_text("已結算")
    assert Settlement.objects.count() == 1


def test_the_seats_that_the_house_sends_by_itself_are_in_the_language_of_the_page(stranger, tonight):
    page = stranger(width=820, height=1180)
    sign_in(page, "zh-hant")
    expect(page.locator("#seat-list h2")).to_have_text("座位")
    tonight.buy_in("Cat", 3)
    expect(page.locator("#seat-list")).to_contain_text("Cat")
    expect(page.locator("#seat-list h2")).to_have_text("座位")


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_translated_screen_fits_and_is_accessible_in_every_language(stranger, tonight, language):
    turn = TRANSLATED.index(language)
    page = stranger(width=820, height=1180)
    sign_in(page, language)
    page.locator("[data-focus=start]").click()
    expect(page.locator(".key[data-card='As']")).to_be_visible()
    read(page, turn, f"tablet in {language}")
    for address in ("tv", "pin"):
        page.goto(f"{page.base}/{address}/")
        read(page, turn, f"{address} in {language}")
    page.locator("form[action$='sign-out/'] button").first.click()
    page.wait_for_url("**/sign-in/")
    read(page, turn, f"sign-in in {language}")


def test_the_floor_is_in_the_language_of_its_device(window, tonight):
    page = window("floor")
    page.goto(f"{page.base}/floor/?language=zh-hant")
    expect(page.locator("h1")).to_have_text("樓面")
    expect(page.locator(".table-card-name")).to_have_text("1 號桌")
    tonight.buy_in("Cat", 3)
    expect(page.locator(".line-seats")).to_contain_text("已坐 3 位")  # it came by itself
    for address in (f"sessions/{tonight.session.pk}", "dealers", "open", "due"):
        page.goto(f"{page.base}/floor/{address}/")
        expect(page.locator("html")).to_have_attribute("lang", "zh-hant")
        for width in at_every_width(page, (1280, 820, 390)):
            assert_fits(page, width, f"{address} in Chinese")


@pytest.mark.parametrize("language", TRANSLATED if LONG else TRANSLATED[:1])
def test_the_cage_and_the_count_room_fit_and_are_accessible(window, tonight, counter1, language):
    turn = TRANSLATED.index(language)
    for username, addresses in (
        ("cashier", ("cashier", "cashier/vault", "cashier/day")),
        ("counter1", ("count",)),
    ):
        page = window(username)
        page.goto(f"{page.base}/sign-in/?language={language}")
        for address in addresses:
            page.goto(f"{page.base}/{address}/")
            expect(page.locator("html")).to_have_attribute("lang", language)
            read(page, turn, f"{address} in {language}")


def test_a_translated_page_is_printed_in_english(window, tonight):
    page = window("cashier")
    page.add_init_script("window.printed = 0; window.print = () => { window.printed += 1; }")
    page.goto(f"{page.base}/sign-in/?language=zh-hant")
    page.goto(f"{page.base}/cashier/day/")
    page.get_by_role("link", name="列印當日").click()
    page.wait_for_url("**/cashier/day/?paper=en")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    page.wait_for_function("() => window.printed === 1")


def addresses(game):
    """The address of every page of a translated room that is about nothing, or about what a table has."""
    known = {"session_id": game.session.pk, "sitting_id": game.sitting(1).pk, "seat": 3}
    known |= {
        "table_id": game.session.table_id,
        "player_id": game.players["Ann"].pk,
        "dealer_id": game.dealer.pk,
    }
    for name in sorted(PAGES):
        for forms, *_ in get_resolver().reverse_dict.getlist(name):
            if set(forms[0][1]) <= known.keys():
                yield reverse(name, kwargs={one: known[one] for one in forms[0][1]})


def is_page(answer):
    """Whether somebody reads a whole page there, and not a piece of one."""
    return answer.status_code == 200 and b"<html" in answer.content


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_page_of_a_translated_room_fits_and_is_accessible(
    window, tonight, employ, floor, manager, language
):
    """In the short form every sixteenth page, at one width."""
    turn, people = TRANSLATED.index(language), [tonight.dealer, floor, manager]
    people += [employ(f"a-{role}", role) for role in ("cashier", "compliance", "counter", "regulator")]
    clients, pages = {person.username: Client() for person in people}, {}
    for who, client in clients.items():
        client.force_login(Staff.objects.get(username=who))
    for address in islice(addresses(tonight), 0 if LONG else turn, None, 1 if LONG else 16):
        who = next((one for one, client in clients.items() if is_page(client.get(address))), None)
        if who is not None:
            page = pages[who] = pages.get(who) or window(who)
            page.goto(f"{page.base}{address}?{ASKED}={language}")
            read(page, turn, f"{address} in {language}")


def read(page, turn, what):
    for width in at_every_width(page, (1280, 820, 390, 320)):
        assert_fits(page, width, what)
        if read_at(width, turn):
            assert_accessible(page)


@pytest.mark.parametrize(
    ("username", "pages"),
    [
        ("floor", {"waiting": "候補名單", "players": "玩家", "dispute": "解決爭議"}),
        ("manager", {"house/staff": "員工", "house/tables": "桌", "terminals": "終端機"}),
    ],
)
def test_the_desks_of_people_and_of_the_house_are_in_chinese(window, tonight, manager, username, pages):
    page = window(username)
    page.goto(f"{page.base}/pin/?language=zh-hant")
    for address, heading in pages.items():
        page.goto(f"{page.base}/{address}/")
        expect(page.locator("h1")).to_contain_text(heading)
        read(page, 0, f"{address} in Chinese")
