"""A gaming day as a page that reads: its six lines, its pictures, and the weeks before it."""

import re
from datetime import date

import pytest

from casino.roles import assign
from ledger.cage import boxes
from ledger.chart import AccountKind
from ledger.journal.acts import Act
from ledger.models import Account
from tests.support.evening import DAY
from tests.support.game import HANDS, PLAIN

PAGE = f"/audit/days/{DAY}/"


@pytest.fixture
def day(at, regulator):
    """`day()`: the page of the evening's day, as the regulator reads it."""

    def read(address=PAGE, person=regulator):
        page = at(person).get(address)
        assert page.status_code == 200
        return page

    return read


def lines_of(page):
    """The six lines in plain words, without their heads."""
    (listed,) = re.findall(r'<ol class="day-lines.*?</ol>', page.content.decode(), re.DOTALL)
    plain = [" ".join(re.sub("<[^>]+>", "", one).split()) for one in listed.split("</li>")[:-1]]
    return dict(one.split(". ", 1) for one in plain)


def picture_of(page, code):
    return next(one for one in page.context["pictures"] if one.code == code)


def test_an_evening_reads_in_six_lines(day, evening):
    lines = lines_of(day())
    assert list(lines) == ["Collection", "Over/short", "Corrections", "Exceptions", "People", "Log"]
    assert lines["Collection"] == (
        "The tables charged $95.00; $70.00 went into boxes and $5.00 was taken at the cage. "
        "$20.00 is still due. The one drop box is not counted yet."
    )
    assert lines["Over/short"] == "Nothing is known to be over or short."
    assert lines["Corrections"] == "No round was corrected, voided or settled by hand."
    assert lines["People"].startswith("5 players sat at 1 table; 1 dealer dealt,")
    assert "Still open" in day().content.decode()


def test_what_went_wrong_reads_with_its_number_and_where_it_is_listed(day, evening, counted, cashier):
    evening.minute(45).void(evening.start(), reason="a card lay face up")
    asked = evening.ask(evening.session.rounds.first(), [PLAIN, HANDS[1], HANDS[0], HANDS[3]])
    evening.approve(asked)
    counted(5500, 1000)
    page = day()
    lines, text = lines_of(page), page.content.decode()
    assert lines["Corrections"] == "1 correction was approved, and 1 round was voided."
    assert "The count found $65.00 in 1 box, where $70.00 was expected." in lines["Collection"]
    assert lines["Over/short"] == (
        "Counted against expected, the day stands at −$5.00: −$5.00 in boxes. 1 count differed."
    )
    parts = set(re.findall(r'href="#([a-z-]+)"', text)) - {"content"}
    assert {"corrections", "voids", "boxes", "collections"} <= parts
    assert [part for part in parts if f'id="{part}"' not in text] == []


def test_a_day_on_which_nothing_happened_says_so(day, evening):
    page = day("/audit/days/2026-01-04/")
    lines = lines_of(page)
    assert lines["Collection"] == "Nobody was charged. No drop box was installed."
    assert lines["People"] == "No table was open, and nobody made an entry."
    assert lines["Log"].startswith("The day has no entry.")
    assert [one.code for one in page.context["pictures"] if one.marks] == []


def test_a_day_to_come_has_not_begun_and_has_no_cage(day, evening):
    page = day("/audit/days/2026-04-01/")
    assert "It has not begun." in page.content.decode()
    assert "cage" not in [one.code for one in page.context["pictures"]]


def test_the_picture_of_the_collection_has_what_the_journal_took(day, evening):
    page = day()
    proof, picture = page.context["proof"], picture_of(page, "collection")
    assert proof.boxes + proof.cage == 7500
    assert picture.rows[-1] == ("Together", "$75.00")
    assert [row for row in picture_of(page, "rounds").rows if row[0] == "Together"] == [("Together", "3")]


def test_the_picture_of_the_cage_ends_with_what_stands_there(day, evening):
    held = dict.fromkeys(("chips", "cash"), 0)
    for account in Account.objects.filter(kind__in=[AccountKind.VAULT, AccountKind.DRAWER]):
        held[account.asset] += account.balance_cents
    cage = picture_of(day(), "cage")
    assert cage.rows[-1][1:] == tuple(f"${held[asset] / 100:,.2f}" for asset in ("chips", "cash"))
    assert cage.rows[0] != cage.rows[-1]


def test_a_box_has_no_bar_before_it_is_counted(day, evening, counted):
    assert picture_of(day(), "boxes").marks == ()
    counted(5500, 1000)
    assert picture_of(day(), "boxes").rows[0] == ("Box 1, Table 1", "−$5.00")


def test_a_manager_who_also_deals_gets_no_picture_of_the_cage(day, evening, manager):
    def shown():
        return [one.code for one in day(person=manager).context["pictures"]]

    assert "cage" in shown()
    assign(manager, "dealer")
    assert "cage" not in shown()


def test_the_last_weeks_say_who_dealt_at_a_box_that_was_short(
    at, regulator, evening, counted, cashier, dealer
):
    box, address = counted(5500, 1000), f"/audit/variance/?day={DAY}"
    assert at(regulator).get(address).context["variance"].weeks == ()
    act = Act(actor=cashier, key="signed off", now=evening.now)
    boxes.sign_off(box=box, cause="short", act=act)
    page = at(regulator).get(address)
    (week,), (row,) = page.context["variance"].weeks, page.context["variance"].dealers
    assert (week.first, week.boxes, week.differing, week.expected, week.cents) == (
        date(2026, 3, 2),
        1,
        1,
        7000,
        -500,
    )
    assert (row.person.pk, row.boxes, row.cents) == (dealer.pk, 1, -500)
    assert at(regulator).get("/audit/variance/?day=2026-05-10").context["variance"].weeks == ()
