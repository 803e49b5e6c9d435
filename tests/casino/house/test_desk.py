"""The manager's desk: who may open it, what it shows, and each of its forms."""

import re
from datetime import date
from html import unescape

import pytest
from django.urls import reverse

from casino import roles
from ledger.journal.acts import Act
from ledger.models import HouseEvent
from tables.collection.rates import RateEntry, publish_rate
from tables.models import Table
from tests.support.game import OPENING

PAGES = ("house", "house-particulars", "house-tables", "add-table", "house-games")


@pytest.fixture
def desk(client, site, manager):
    client.force_login(manager)
    return client


def shown(answer):
    return answer.content.decode()


def field(page, name):
    return re.search(rf'name="{name}" value="([^"]+)"', page)[1]


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("role", ["floor", "dealer", "cashier", "counter", "compliance", "regulator"])
def test_nobody_but_managers_has_the_desk(client, site, employ, role, page):
    client.force_login(employ("zoe", role))
    assert client.get(reverse(page)).status_code == 403


def test_the_desk_shows_the_house_and_leads_to_its_parts(desk, site):
    page = shown(desk.get("/house/"))
    for words in (site.name, site.licence, "California", "America/Los_Angeles", "6:00"):
        assert words in page
    for name in ("house-particulars", "house-tables", "house-games", "rates", "waiver-reasons"):
        assert f'href="{reverse(name)}"' in page


def test_the_checklist_leads_who_may_and_names_who_else_has_to(desk):
    page = shown(desk.get("/house/"))
    assert "The house has no tables" in page
    assert f'href="{reverse("add-table")}"' in page
    assert "The cage has no chips" in page
    assert (
        f'href="{reverse("stock-cage")}"' not in page.partition("parts of the house")[0].partition("<main")[2]
    )


def test_the_floor_sees_the_checklist_while_nothing_can_open(client, site, floor):
    client.force_login(floor)
    page = shown(client.get("/floor/"))
    assert "What the house lacks" in page
    assert "The house has no tables" in page
    assert reverse("add-table") not in page


def test_the_floor_that_can_open_tables_sees_no_checklist(client, game, floor):
    client.force_login(floor)
    assert "What the house lacks" not in shown(client.get("/floor/"))


def test_a_manager_changes_the_particulars_and_finds_the_change_on_the_desk(desk, site, manager):
    page = shown(desk.get(reverse("house-particulars")))
    entry = {
        "name": site.name,
        "licence": "GEGE-9",
        "jurisdiction": "california",
        "time_zone": site.time_zone,
        "day_starts_at": 6,
        "shifts": 1,
        "authorised_tables": 10,
        "return_minutes": 120,
        "hold_minutes": 10,
        "seen": field(page, "seen"),
        "key": field(page, "key"),
    }
    refused = desk.post(reverse("house-particulars"), entry | {"time_zone": "Mars/Olympus"})
    assert (refused.status_code, "bad_time_zone" in shown(refused)) == (400, True)
    assert 'value="GEGE-9"' in shown(refused)
    desk.post(reverse("house-particulars"), entry)
    assert "Licence: GEGE-001234 → GEGE-9." in shown(desk.get("/house/"))
    seen = field(shown(desk.get(reverse("house-particulars"))), "seen")
    own = entry | {"licence": "GEGE-9", "seen": seen, "key": "the-own-chips", "chip_values": "25 5 twenty"}
    wrong = desk.post(reverse("house-particulars"), own)
    assert (wrong.status_code, "bad_amount" in shown(wrong)) == (400, True)
    assert 'value="25 5 twenty"' in shown(wrong)
    assert "twenty is no denomination" in shown(wrong)
    desk.post(reverse("house-particulars"), own | {"chip_values": "25 5 0.50"})
    page = shown(desk.get("/house/"))
    assert "Chips: the usual ones → 0.50 5 25." in page
    assert "$0.50 $5 $25" in page
    seen = field(shown(desk.get(reverse("house-particulars"))), "seen")
    amounts = {"confirm_from_cents": "500", "patron_from_cents": "1000", "seen": seen, "key": "own-amounts"}
    desk.post(reverse("house-particulars"), own | {"chip_values": "25 5 0.50"} | amounts)
    page = shown(desk.get("/house/"))
    assert "The window asks once more from: the law's amount → $500.00." in unescape(page)
    assert "$1,000.00" in page
    stale = desk.post(reverse("house-particulars"), entry | {"key": "another-key", "licence": "GEGE-10"})
    assert (stale.status_code, "stale_page" in shown(stale)) == (409, True)


def test_a_manager_enters_turns_retires_and_brings_back_a_table(desk):
    added = desk.post(reverse("add-table"), {"number": "4", "seat_one": "left", "key": "add-table-4"})
    assert added.url == reverse("house-tables")
    again = desk.post(reverse("add-table"), {"number": "4", "seat_one": "left", "key": "add-4-again"})
    assert (again.status_code, "table_number_taken" in shown(again)) == (409, True)
    pk = Table.objects.get().pk
    desk.post(reverse("turn-table", args=[pk]), {"seat_one": "right", "key": "turn-table"})
    assert "The dealer&#x27;s right" in shown(desk.get(reverse("house-tables")))
    desk.post(reverse("retire-table", args=[pk]), {"key": "retire-table"})
    assert "Bring back Table 4" in shown(desk.get(reverse("house-tables")))
    desk.post(reverse("restore-table", args=[pk]), {"key": "restore-table"})
    kinds = HouseEvent.objects.filter(kind__startswith="table_").order_by("pk").values_list("kind", flat=True)
    assert list(kinds) == ["table_added", "table_turned", "table_retired", "table_restored"]
    page = shown(desk.get("/house/"))
    for words in ("Table 4 was entered.", "is now at the dealer&#x27;s right.", "Table 4 was brought back."):
        assert words in page


def test_a_manager_takes_a_game_off_and_the_floor_is_not_offered_it(desk, site, client, floor):
    chosen = {"games": ["face-up", "western"], "key": "choose-games"}
    assert desk.post(reverse("house-games"), chosen).url == "/house/"
    assert "taken off." in shown(desk.get("/house/"))
    nothing = desk.post(reverse("house-games"), {"key": "choose-nothing"})
    assert (nothing.status_code, "Offer at least one game" in shown(nothing)) == (400, True)
    client.force_login(floor)
    form = shown(client.get(reverse("floor-open")))
    assert 'value="western"' in form
    assert 'value="eastern"' not in form


def test_a_checkpoint_that_is_taken_away_leaves_the_list(desk, site):
    from django.utils import timezone

    from ledger.proof.log import sealing

    assert "No checkpoint" in shown(desk.get("/house/"))
    sealing.seal(site, now=timezone.now())
    desk.get(reverse("audit-checkpoint"))
    assert "No checkpoint" not in shown(desk.get("/house/"))
    assert HouseEvent.objects.get(kind="checkpoint_taken").data["size"] > 0


def test_what_changed_about_somebody_is_said_from_what_to_what(desk, employ):
    zoe = employ("zoe", "dealer")
    roles.assign(zoe, "floor")
    page = shown(desk.get("/house/"))
    assert "zoe: roles dealer → dealer, floor." in page
    assert "manager works here: no role." in page


def test_a_published_rate_is_among_what_changed_last(desk, site, manager):
    rate = publish_rate(
        site=site, entry=RateEntry(700, 1_400, "Letter 7", date(2026, 9, 1)), act=Act(manager, OPENING)
    )
    page = shown(desk.get("/house/"))
    assert (
        f"Option {rate.option}, version 1 was published: fee $14.00 at limit $7.00, from 2026-09-01." in page
    )
