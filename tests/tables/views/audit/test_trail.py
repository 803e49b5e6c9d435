"""The regulator's way through the books: from a day to its entries, from each to its round and back,
and no link is dead."""

import csv
import io
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from ledger.models import JournalEntry
from tests.support.evening import DAY
from tests.support.game import HANDS, PLAIN

LINK = re.compile(r'<a\b[^>]*?\bhref="([^"]+)"([^>]*)')
BOOKS = re.compile(r"/(audit|rounds|downs|sittings|cashier/boxes|cashier/receipts)/")
AMOUNT = re.compile(r"-?[0-9]+\.[0-9]{2}")
FORMULAS = {"=", "+", "-", "@"}
MOST = 400
JOURNAL = f"/audit/days/{DAY}/journal/"


@pytest.fixture
def corrected(evening):
    """The evening, with its second round corrected; the round."""
    round_ = evening.session.rounds.get(number=2)
    evening.approve(evening.ask(round_, [PLAIN, HANDS[1], HANDS[0], HANDS[3]]))
    return round_


@pytest.fixture
def links(at, regulator):
    """`links(address)`: where a page leads that the regulator reads; of downloads nothing."""
    browser = at(regulator)

    def read(address):
        page = browser.get(address, follow=True)
        assert page.status_code == 200, address
        if page.streaming or not page["Content-Type"].startswith("text/html"):
            return set()
        found = ((href.replace("&amp;", "&"), rest) for href, rest in LINK.findall(page.content.decode()))
        return {
            href.partition("#")[0]
            for href, rest in found
            if "download" not in rest and not href.startswith("#")
        }

    return read


@pytest.fixture
def walk(links):
    """`walk(address)`: every page of the books that can be reached from there, with where it leads."""

    def crawl(start):
        seen, waiting = {}, [start]
        while waiting:
            address = waiting.pop()
            if address in seen:
                continue
            assert len(seen) < MOST, "the walk does not end"
            seen[address] = links(address)
            waiting += [to for to in seen[address] if BOOKS.match(to) and "?" not in to]
        return seen

    return crawl


def entry(pk):
    return reverse("entry", args=[pk])


def test_every_entry_round_down_and_sitting_is_reached_from_the_day_and_nothing_is_dead(
    walk, evening, corrected
):
    seen = set(walk(JOURNAL))
    entries = JournalEntry.objects.filter(gaming_day=DAY).values_list("pk", flat=True)
    assert {entry(pk) for pk in entries} <= seen
    assert {reverse("round", args=[one.pk]) for one in evening.session.rounds.all()} <= seen
    assert {reverse("down", args=[one.pk]) for one in evening.session.downs.all()} <= seen
    assert {reverse("sitting", args=[one.pk]) for one in evening.session.sittings.all()} <= seen
    assert reverse("cashier-box", args=[evening.session.box_id]) in seen


def test_a_round_leads_to_each_of_its_entries_and_each_of_them_back(links, corrected):
    first, second = corrected.settlements.order_by("ordinal")
    there = reverse("round", args=[corrected.pk])
    for pk in (first.entry_id, first.entry.reversed_by.pk, second.entry_id):
        assert entry(pk) in links(there)
        assert there in links(entry(pk))


def test_a_correction_leads_to_what_it_takes_back_and_that_to_it(links, corrected):
    wrong = corrected.settlements.get(ordinal=1).entry
    assert entry(wrong.reversed_by.pk) in links(entry(wrong.pk))
    assert entry(wrong.pk) in links(entry(wrong.reversed_by.pk))


def test_a_fee_leads_to_its_down_and_the_down_to_its_entry(links, evening):
    down = evening.session.downs.get(number=1)
    there = reverse("down", args=[down.pk])
    for charge in down.charges.paid():
        assert there in links(entry(charge.payment.entry_id))
        assert entry(charge.payment.entry_id) in links(there)


def test_pages_ask_as_much_for_many_lines_as_for_few(links, evening):
    stack = evening.sitting(1).stack_id
    pages = [
        JOURNAL,
        reverse("account", args=[stack]),
        reverse("sitting", args=[evening.sitting(1).pk]),
        reverse("table-session", args=[evening.session.pk]),
    ]

    def questions():
        counts = {}
        for page in pages:
            with CaptureQueriesContext(
                connection,
            ) as asked:
                links(page)
            counts[page] = len(asked)
        return counts

    few = questions()
    for minute in (42, 43, 44):
        evening.minute(minute).play()
    assert questions() == few


def test_no_statement_that_is_taken_away_holds_a_formula(at, regulator, evening):
    round_ = evening.session.rounds.get(number=1)
    wrong = evening.ask(round_, [PLAIN, HANDS[1], HANDS[0], HANDS[3]], reason='=HYPERLINK("x")')
    evening.approve(wrong)
    sitting = evening.sitting(1)
    browser = at(regulator)
    taken = {}
    for address in (
        "/audit/balance.csv",
        f"/audit/accounts/{sitting.stack_id}/statement.csv",
        f"/sittings/{sitting.pk}/statement.csv",
        f"/audit/players/{sitting.player_id}/day.csv?day={DAY}",
        f"/audit/sessions/{evening.session.pk}/session.csv",
    ):
        answer = browser.get(address)
        assert answer.status_code == 200, address
        assert answer["Content-Disposition"].startswith("attachment"), address
        text = b"".join(answer.streaming_content).decode()
        taken[address] = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    for address, cells in taken.items():
        assert len(cells) > 10, address
        assert [cell for cell in cells if cell[:1] in FORMULAS and not AMOUNT.fullmatch(cell)] == [], address
    assert any("HYPERLINK" in cell for cells in taken.values() for cell in cells)


def test_a_counter_reads_none_of_it(walk, evening, counter1, client):
    addresses = set(walk(JOURNAL))
    client.force_login(counter1)
    assert {address: client.get(address).status_code for address in addresses} == dict.fromkeys(
        addresses, 403
    )
