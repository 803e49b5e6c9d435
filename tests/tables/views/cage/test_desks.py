"""The three desks of the cage: which one a link leads to, who may read them, what each shows and costs;
none tells a cashier what the vault holds."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from ledger.cage import drawers, stocking
from ledger.journal.acts import Act
from ledger.money import dollars
from ledger.rules.denominations import Pieces
from tests.support.cage import count_vault, handed
from tests.support.evening import DAY

WINDOW, VAULT, DAY_DESK = "/cashier/", "/cashier/vault/", "/cashier/day/"
DESKS = {WINDOW: "Window", VAULT: "Vault and drawers", DAY_DESK: "Day"}


def words(answer):
    return " ".join(re.sub(r"<[^>]+>", " ", answer.content.decode()).split())


def marked(answer):
    """Return the tabs of a page and the one that is marked."""
    tabs = re.search(r"<nav[^>]*Desks of the cage.*?</nav>", answer.content.decode(), re.S)[0]
    links = re.findall(r'<a href="([^"]*)"( aria-current="page")?>\s*([^<]*)</a>', tabs)
    return [(address, text) for address, _, text in links], [text for _, current, text in links if current]


@pytest.mark.parametrize("desk", DESKS)
def test_each_desk_leads_to_all_three_and_marks_itself(at, cashier, evening, desk):
    assert marked(at(cashier).get(desk)) == (list(DESKS.items()), [DESKS[desk]])


def test_the_tabs_keep_the_day_and_the_window_is_always_now(at, cashier, evening):
    tabs, _ = marked(at(cashier).get(f"{VAULT}?day=2026-03-06"))
    assert [address for address, _ in tabs] == [
        WINDOW,
        f"{VAULT}?day=2026-03-06",
        f"{DAY_DESK}?day=2026-03-06",
    ]


@pytest.mark.parametrize("day", [DAY, "2026-02-30", "a&b"])
def test_an_old_link_to_a_day_leads_to_the_desk_of_that_day(at, cashier, evening, day):
    answer = at(cashier).get(WINDOW, {"day": day}, follow=True)
    assert answer.redirect_chain[0][1] == 302
    assert answer.request["PATH_INFO"] == DAY_DESK
    assert answer.context["day"].form.data["day"] == day
    assert answer.status_code == (200 if day == DAY else 400)


@pytest.mark.parametrize("desk", DESKS)
@pytest.mark.parametrize("who", ["floor", "dealer", "counter1", "regulator", "manager", "compliance"])
def test_nobody_else_reads_a_desk(at, evening, employ, request, desk, who):
    person = employ("carla", "compliance") if who == "compliance" else request.getfixturevalue(who)
    assert at(person).get(desk).status_code == 403


def test_who_signs_off_and_works_no_window_comes_to_the_day(at, employ, evening):
    from django.contrib.auth.models import Permission

    person = employ("zoe", "dealer")
    person.user_permissions.add(Permission.objects.get(codename="sign_off_drops"))
    answer = at(person).get(WINDOW, follow=True)
    assert answer.request["PATH_INFO"] == DAY_DESK
    assert [text for _, text in marked(answer)[0]] == ["Vault and drawers", "Day"]
    assert "Stock the vault" not in words(at(person).get(VAULT))


def test_no_page_of_the_cage_tells_a_cashier_what_the_vault_holds(at, cashier, floor, manager, evening):
    site, screen = evening.site, at(cashier)
    given = {"site": site, "way": "to_drawer", "drawer": drawers.drawer_of(site, cashier)}
    first = Act(cashier, evening.now, "counted first")
    slip = stocking.count_first(**given, pieces=Pieces({500: 7}, {100: 3}), act=first)
    act = Act(cashier, evening.now, "counted again", approver=floor)
    stocking.count_second(slip=slip, pieces=Pieces({500: 7}, {100: 3}), act=act)
    figures = {dollars(cents) for cents in stocking.holds(site).values()}
    drawer = drawers.drawer_of(site, cashier).pk
    counts = ("stock/", *(f"drawers/{drawer}/{way}" for way in ("", "take/", "close/")))
    for page in (*DESKS, *(f"{WINDOW}{count}" for count in counts), f"{WINDOW}slips/{slip.pk}/"):
        said = words(screen.get(page))
        assert [figure for figure in figures if figure in said] == [], page
    said = words(at(manager).get("/audit/balance/"))
    assert [figure for figure in figures if figure not in said] == []


def test_whoever_counts_more_than_the_vault_holds_is_not_told_what_it_does(at, cashier, evening):
    drawer = drawers.drawer_of(evening.site, cashier).pk
    sent = {"key": "more than there is", "cash_10000": "999999", "confirmed": "9999990000"}
    answer = at(cashier).post(f"{WINDOW}drawers/{drawer}/take/", sent)
    assert answer.status_code == 302
    said = words(at(cashier).get(answer.url))
    assert "Waits for the second count" in said
    assert dollars(stocking.holds(evening.site)["cash"]) not in said


def test_the_vaults_desk_says_who_counted_it_last_and_when_without_a_figure(at, cashier, evening):
    assert "The vault has not been counted yet." in at(cashier).get("/cashier/vault/").content.decode()
    count_vault(evening.site, evening.now)
    page = at(cashier).get("/cashier/vault/").content.decode()
    assert "counted last by <bdi>cashier</bdi> and <bdi>floor</bdi>" in " ".join(page.split())


def test_once_a_slip_was_begun_nothing_says_that_the_vault_is_empty(at, cashier, site):
    assert "The vault is empty" in words(at(cashier).get(WINDOW))
    stocking.count_first(
        site=site, way="count", pieces=Pieces({500: 1}), act=Act(cashier, timezone.now(), "a first slip")
    )
    assert set(stocking.holds(site).values()) == {0}
    assert "The vault is empty" not in words(at(cashier).get(WINDOW))


def test_what_was_done_folds_under_its_number(at, cashier, evening):
    screen = at(cashier)
    for number in range(3):
        screen.post("/cashier/sell/", {"key": f"a sale, number {number}", **handed("20")})
    assert "Done at the window 3" in words(screen.get(WINDOW))
    day, vault = words(screen.get(DAY_DESK)), words(screen.get(VAULT))
    assert "Receipts of the cage 1" in day
    assert "Done at the window" not in day
    assert "Documents 1" in vault


def test_what_was_done_at_the_window_of_an_earlier_day_is_on_that_day_s_desk(at, cashier, evening):
    screen = at(cashier)
    screen.post("/cashier/sell/", {"key": "a sale of chips", **handed("20")})
    evening.minute(17 * 60)
    screen = at(cashier)  # who has been idle for hours signs in again
    assert "Done at the window 0" in words(screen.get(WINDOW))
    earlier = screen.get(f"{DAY_DESK}?day={DAY}")
    assert "Done at the window 1" in words(earlier)
    link = re.search(r"/cashier/entries/\d+/back/", earlier.content.decode())[0]
    assert f'href="{DAY_DESK}?day={DAY}"' in screen.get(link).content.decode()


def test_a_drawer_left_open_is_named_the_next_day(at, cashier, evening):
    evening.now += timedelta(days=1)
    evening.minute(17 * 60)
    assert re.search(rf"Drawer \d+ of cashier , {DAY}, is still open", words(at(cashier).get(VAULT)))


@pytest.mark.parametrize(("desk", "most"), [(WINDOW, 43), (VAULT, 39), (DAY_DESK, 60)])
def test_a_desk_asks_little(at, cashier, evening, desk, most):
    """The one page that the desks were before asked 71 queries."""
    at(cashier).get(desk)
    with CaptureQueriesContext(connection) as queries:
        at(cashier).get(desk)
    assert len(queries) <= most
