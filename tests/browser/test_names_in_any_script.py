"""Names from right to left, in Chinese and of sixty characters: the pages with them fit and read well."""

import pytest
from playwright.sync_api import expect

from ledger.journal.acts import Act
from tables.models import Sitting
from tables.seats.player_entries import change_player
from tables.seats.players import enter_player
from tests.support.desk import Desk
from tests.support.screens import assert_accessible, at_every_width, beyond, read_at, violations

pytestmark = pytest.mark.django_db(transaction=True)

ARABIC, CHINESE = "محمد عبد الرحمن الحسيني", "欧阳小明"
LONG = "Wolfeschlegelsteinhausenbergerdorffwelchevoralternwarengewis"
WIDTHS = (1280, 820, 390, 320)
READABLE_AT = (1280, 320)
"""Side by side and stacked; between these two widths only sizes change."""


@pytest.fixture
def guests(game, floor):
    """Three with such names have played a round; two more wait, and a seat is offered to the first."""
    for key, name in {"Arabic": ARABIC, "Chinese": CHINESE, "Long": LONG}.items():
        description = "كاب أحمر" if key == "Arabic" else ""
        game.players[key] = enter_player(
            site=game.site, name=name, description=description, act=Act(floor, game.now)
        )
    game.seat("Arabic", "Chinese", "Long")
    game.play()
    Desk(game).join(LONG[::-1])
    Desk(game).join(f"{ARABIC} 2")
    return game


def pages(game):
    sitting = Sitting.objects.get(player=game.players["Long"]).pk
    table, round_ = f"/floor/sessions/{game.session.pk}/", game.session.rounds.get().pk
    player, other = game.players["Long"].pk, game.players["Arabic"].pk
    return {
        "floor": (
            *("/floor/", table, f"{table}chips/", "/waiting/", f"/sittings/{sitting}/cash-out/"),
            *(f"/players/{player}/", f"/players/{player}/merge/?q=小明", f"/players/{player}/merge/{other}/"),
        ),
        "dealer": (f"/dealer/sessions/{game.session.pk}/",),
        "regulator": (
            *("/players/?q=محمد", f"/audit/players/{player}/", f"/audit/sessions/{game.session.pk}/"),
            *(f"/rounds/{round_}/", f"/sittings/{sitting}/"),
        ),
    }


def test_no_page_breaks_on_a_name_in_another_script_or_a_long_one(window, guests, dealer, regulator):
    wide, wrong = [], []
    for reader, addresses in pages(guests).items():
        page = window(reader)
        for turn, address in enumerate(addresses):
            page.goto(f"{page.base}{address}")
            expect(page.get_by_text(LONG).or_(page.get_by_text(ARABIC)).first).to_be_attached()
            for width in at_every_width(page, WIDTHS):
                if found := beyond(page, width):
                    wide.append((address, width, found))
                read = width in READABLE_AT and read_at(width, turn, READABLE_AT)
                if read and (found := violations(page)):
                    wrong.append((address, width, found))
    assert wide == [], wide
    assert wrong == [], wrong


def test_somebody_is_suggested_and_chosen_by_keyboard(window, guests):
    guests.cash_out(1)
    change_player(
        player_id=guests.players["Arabic"].pk,
        name=ARABIC,
        description="كاب أحمر",
        alias="Mo",
        act=Act(guests.floor, guests.now, "an-alias-for-him"),
    )
    page = window("floor")
    page.goto(f"{page.base}/sessions/{guests.session.pk}/seats/1/buy-in/")
    name = page.get_by_role("combobox", name="Name")
    page.locator("input[name=name]").focus()
    name.press_sequentially("الحسيني")
    option = page.get_by_role("option", name=ARABIC).first
    expect(option).to_be_visible()
    assert_accessible(page)
    name.press("ArrowDown")
    expect(option).to_have_attribute("aria-selected", "true")
    name.press("Enter")
    expect(name).to_have_value(ARABIC)
    expect(page.locator("input[name=known]")).to_have_value(str(guests.players["Arabic"].pk))
    expect(page.get_by_role("listbox")).to_have_count(0)
    name.press_sequentially("x")
    expect(page.locator("input[name=known]")).to_have_value("")
