"""A cashier's drawer on the pages of the cage: without one the window is closed, two people count what goes
into it and what is left at the end, and nothing tells before what it should hold."""

from datetime import timedelta

import pytest

from ledger.cage import struck
from ledger.models import BankSignOff, CageSlip, Drawer, JournalEntry
from tests.support import addresses
from tests.support.cage import close_cage, handed
from tests.support.cast import PIN
from tests.support.kept import kept

pytestmark = pytest.mark.django_db
SECOND = {"second": "floor", "second_pin": PIN}
SOLD = 12_350
EXPECTED = ("49,876.50", "49876.50", "4987650", "50,123.50", "50123.50", "5012350")
"""What the drawer holds in chips and in cash after a sale of $123.50, as pages and papers write it."""


def text(page):
    return " ".join(page.content.decode().split())


@kept
def own(game):
    return Drawer.objects.get()


@kept
def closed(game, own):
    close_cage(game.site, game.now)
    return own


def count(screen, address, key, second=SECOND, **pieces):
    """Count on the page at this address, and again on the slip; return the second answer."""
    first = screen.post(address, {"key": f"{key}-counted-first", **pieces})
    assert first.status_code == 302, text(first)
    return screen.post(first.url, {"key": f"{key}-counted-second", **pieces, **second})


# -- without one ---------------------------------------------------------------------------------------------


def test_without_a_drawer_the_window_offers_to_open_one_and_nothing_else(at, cashier, closed):
    page = text(at(cashier).get("/cashier/"))
    assert "Open my drawer" in page
    assert 'action="/cashier/sell/' not in page


def test_a_sale_without_a_drawer_is_refused_in_a_sentence_on_the_page(at, cashier, closed, codes_on):
    answer = at(cashier).post("/cashier/sell/", {"key": "a sale of chips", **handed("20")})
    assert (answer.status_code, codes_on(answer)) == (409, ["no_drawer"])
    assert "Open your drawer first" in text(answer)


def test_a_drawer_is_opened_filled_worked_and_closed(at, cashier, floor, manager, closed, codes_on):
    screen = at(cashier)
    answer = screen.post("/cashier/drawers/", {"key": "open my drawer"})
    drawer = Drawer.objects.latest("pk")
    place = f"/cashier/drawers/{drawer.pk}/"
    assert (answer.status_code, answer.url, drawer.number) == (302, f"{place}take/", 2)
    assert count(screen, f"{place}take/", "take", chips_500="40", cash_2000="50").status_code == 302
    page = text(screen.get("/cashier/"))
    assert 'action="/cashier/sell/' in page
    assert "Drawer 2" in page
    screen.post("/cashier/sell/", {"key": "a sale of chips", **handed("50")})
    assert count(screen, f"{place}give-back/", "back", cash_2000="10").status_code == 302
    answer = count(screen, f"{place}close/", "close", chips_500="30", cash_2000="42")
    entry = JournalEntry.objects.get(kind="drawer_close", key="close-counted-second")
    sheet = text(screen.get(place))
    for words in ("The cage sells chips", "−$50.00", "Expected", "$850.00", "Counted", "$840.00", "−$10.00"):
        assert words in sheet, words
    assert f'href="/cashier/banks/{entry.pk}/"' in sheet
    assert codes_on(screen.post(f"/cashier/banks/{entry.pk}/", {"key": "sign it off", "cause": "gone"})) == [
        "counted_by_signer"
    ]
    answer = at(manager).post(
        f"/cashier/banks/{entry.pk}/", {"key": "sign it off", "cause": "a note was not found"}
    )
    assert (answer.status_code, answer.url) == (302, f"/audit/days/{drawer.gaming_day}/")
    assert BankSignOff.objects.get().signed_by == manager


def test_two_counts_that_differ_say_so_and_lead_to_a_new_slip(at, cashier, own):
    screen, place = at(cashier), f"/cashier/drawers/{own.pk}/close/"
    first = screen.post(place, {"key": "the first count", "chips_500": "2"})
    screen.post(first.url, {"key": "the second count", "chips_500": "3", **SECOND})
    page = text(screen.get(first.url))
    assert "The counts differ. Nothing was posted." in page
    assert f'href="{place}"' in page
    assert Drawer.objects.filter(chips__closed_at=None).exists()


def test_counts_of_a_drawer_that_differ_three_times_call_a_supervisor_until_two_agree(at, cashier, own, site):
    screen, place = at(cashier), f"/cashier/drawers/{own.pk}/close/"

    def count_twice(turn, second):
        first = screen.post(place, {"key": f"the first count {turn}", "chips_500": "2"})
        screen.post(first.url, {"key": f"the second count {turn}", "chips_500": second, **SECOND})
        return text(screen.get(first.url))

    for turn in (1, 2, 3):
        assert struck.called_slips(site) == []
        page = count_twice(turn, "3")
        assert ("call a supervisor" in page, "$15.00" in page) == (turn == 3, False)
    assert [str(slip) for slip in struck.called_slips(site)] == [str(CageSlip.objects.latest("pk"))]
    page = text(screen.get(place))
    assert ("3 counts were refused. Call a supervisor." in page, page.count("struck, C")) == (True, 3)
    assert "struck, F" in page
    assert "$15.00" not in page
    page = count_twice(4, "2")
    assert struck.called_slips(site) == []
    assert "3 × $5 chips" in page


def test_an_empty_drawer_is_closed_by_a_count_of_nothing(at, cashier, closed):
    screen = at(cashier)
    screen.post("/cashier/drawers/", {"key": "open my drawer"})
    drawer = Drawer.objects.latest("pk")
    address = f"/cashier/drawers/{drawer.pk}/close/"
    empty = screen.post(address, {"key": "nothing is filled in"})
    assert (empty.status_code, "If nothing is there, write 0." in text(empty)) == (400, True)
    assert count(screen, address, "close", chips_500="0").status_code == 302
    assert CageSlip.objects.latest("pk").result.outcome == "posted"


def test_the_drawer_of_another_cashier_is_only_closed(at, employ, own, codes_on):
    screen = at(employ("cashier2", "cashier"))
    page = text(screen.get(f"/cashier/drawers/{own.pk}/"))
    assert "Count and close it for" in page
    assert "Take from the vault" not in page
    refused = screen.post(f"/cashier/drawers/{own.pk}/take/", {"key": "not my drawer", "chips_500": "1"})
    assert codes_on(refused) == ["not_your_drawer"]


def test_the_difference_in_ones_own_drawer_is_signed_by_somebody_else_where_another_closed_it(
    at, cashier, employ, own, codes_on
):
    left = {"chips_100000": "50", "cash_10000": "499", "cash_1000": "9"}
    count(at(employ("cashier2", "cashier")), f"/cashier/drawers/{own.pk}/close/", "close", **left)
    place = f"/cashier/banks/{JournalEntry.objects.get(kind='drawer_close').pk}/"
    screen = at(cashier)
    assert "You counted it yourself, or it was your drawer" in text(screen.get(place))
    refused = screen.post(place, {"key": "my own loss", "cause": "gone"})
    assert codes_on(refused) == ["counted_by_signer"]


@pytest.mark.parametrize("who", ["floor", "dealer", "counter1", "compliance"])
def test_nobody_else_opens_a_drawer(at, request, game, who, employ):
    person = employ("carla", "compliance") if who == "compliance" else request.getfixturevalue(who)
    assert at(person).post("/cashier/drawers/", {"key": "open my drawer"}).status_code == 403


def test_a_regulator_reads_the_sheet_of_a_closed_drawer(at, regulator, closed):
    assert "Expected" in text(at(regulator).get(f"/cashier/drawers/{closed.pk}/"))
    day = text(at(regulator).get(f"/audit/days/{closed.gaming_day}/"))
    assert f'href="/cashier/drawers/{closed.pk}/"' in day


def test_the_closing_of_a_day_names_the_drawer_that_is_open(at, cashier, game, own, codes_on):
    page = f"/cashier/days/{own.gaming_day}/close/"
    assert f'href="/cashier/drawers/{own.pk}/"' in text(at(cashier).get(page))
    game.now += timedelta(days=1)


# -- counting without being told -----------------------------------------------------------------------------


def told(answer):
    body = b"".join(answer) if answer.streaming else answer.content
    return [figure for figure in EXPECTED if figure.encode() in body]


@pytest.mark.usefixtures("bare_refusals")
@pytest.mark.parametrize("who", ["cashier", "floor", "dealer", "counter1"])
def test_no_address_tells_what_a_drawer_should_hold_before_it_is_counted(
    at, request, game, cashier, own, who
):
    game.sell(SOLD, cashier)
    client, shown = at(request.getfixturevalue(who)), 0
    ids = {"drawer_id": own.pk, "session_id": game.session.pk, "table_id": game.session.table_id}
    ids |= {"entry_id": JournalEntry.objects.latest("pk").pk}
    for address in addresses.of(*({**ids, "account_id": one} for one in (own.chips_id, own.cash_id))):
        answer = client.get(address)
        if answer.streaming and answer.is_async:  # live pieces, which are those of the pages
            continue
        shown += answer.status_code == 200
        assert told(answer) == [], address
    assert shown > 5


def test_no_refusal_tells_it_either(at, game, cashier, own):
    game.sell(SOLD, cashier)
    screen, place = at(cashier), f"/cashier/drawers/{own.pk}"
    for address, sent in (
        ("/cashier/redeem/", handed("999999") | {"name": "Ann"}),
        ("/cashier/sell/", handed("999999") | {"name": "Ann"}),
        (f"{place}/give-back/", {"cash_10000": "999"}),
        (f"{place}/close/", {"cash_10000": "-1"}),
    ):
        answer = screen.post(address, {"key": "one of these acts", **sent})
        if answer.status_code == 302:
            answer = screen.post(answer.url, {"key": "the second count", **sent, **SECOND})
        assert answer.status_code >= 400, address
        assert told(answer) == [], address


def test_after_the_first_count_the_slip_tells_nothing_before_the_second(at, game, cashier, floor, own):
    game.sell(SOLD, cashier)
    screen = at(cashier)
    first = screen.post(f"/cashier/drawers/{own.pk}/close/", {"key": "the first count", "cash_10000": "77"})
    for person in (cashier, floor):
        page = at(person).get(first.url)
        assert told(page) == []
        assert "7,700" not in page.content.decode()
