"""The page on which two people accept chips beyond the books, and where an auditor reads of them."""

import re
from zoneinfo import ZoneInfo

import pytest

from ledger.cage import beyond
from tests.support.cage import handed
from tests.support.cast import PIN
from tests.support.pages import words

PAGE = "/cashier/beyond/"
REASON = "Mr Lee had them before the books."
ACCEPTED = {
    "key": "a-key-of-this-act",
    "amount": "300",
    "reason": REASON,
    "second": "floor2",
    "second_pin": PIN,
}


def seen(answer):
    """Return the words of a page without its marks."""
    return " ".join(re.sub(r"<[^>]+>", " ", words(answer.content.decode())).split())


@pytest.fixture
def desk(at, cashier, floor2, evening):
    return at(cashier)


def test_the_window_shows_what_patrons_hold_and_refuses_more_with_the_way_on(desk, site):
    assert "Patrons hold $0.00" in seen(desk.get("/cashier/"))
    answer = desk.post("/cashier/redeem/", {"key": "a-redemption", **handed("300")})
    assert answer.status_code == 409
    assert "By the books patrons hold $0.00 in chips; this needs $300.00." in seen(answer)
    assert PAGE in answer.content.decode()


def test_two_accept_and_the_page_says_who_when_in_the_houses_time_and_why(desk, site):
    answer = desk.post(PAGE, ACCEPTED)
    assert (answer.status_code, answer["Location"]) == (302, "/cashier/vault/")
    (number, entry), said = beyond.accepted(site)[0], seen(desk.get(PAGE))
    local = entry.recorded_at.astimezone(ZoneInfo(site.time_zone))
    assert (number, beyond.held(site)) == (1, 30_000)
    assert f"1, entry {entry.pk}" in said
    assert f"cashier and floor2 {REASON} $300.00" in said
    assert f"{local:%Y-%m-%d %H:%M}" in said


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"second": ""}, "bad_entry"),
        ({"second_pin": "739154"}, "wrong_pin"),
        ({"reason": " "}, "bad_entry"),
        ({"amount": "0"}, "bad_amount"),
        ({"amount": "1.005"}, "bad_amount"),
        ({"second": "dealer"}, "wrong_pin"),
    ],
)
def test_what_is_wrong_stands_beside_its_field_and_nothing_is_accepted(desk, site, changed, code):
    answer = desk.post(PAGE, ACCEPTED | changed)
    assert answer.status_code >= 400
    assert code in answer.content.decode()
    assert beyond.accepted(site) == []


def test_one_digit_too_many_is_asked_for_on_a_button_with_the_amount(desk, site):
    asked = desk.post(PAGE, ACCEPTED | {"amount": "3000"})
    assert (asked.status_code, "Is it three thousand dollars?" in seen(asked)) == (409, True)
    assert 'name="confirmed" value="300000"' in asked.content.decode()
    assert beyond.held(site) == 0
    desk.post(PAGE, ACCEPTED | {"amount": "3000", "confirmed": "300000"})
    assert beyond.held(site) == 300_000


def test_an_auditor_comes_to_it_from_a_day_and_cannot_accept(at, regulator, desk, site):
    desk.post(PAGE, ACCEPTED)
    reads = at(regulator)
    assert f'href="{PAGE}"' in reads.get("/audit/days/2026-03-07/").content.decode()
    page = reads.get(PAGE)
    assert REASON in page.content.decode()
    assert "Accept these chips" not in page.content.decode()
    assert reads.post(PAGE, ACCEPTED | {"key": "another-key-of-it"}).status_code == 403
