"""The page of exceptions is its paper, filtered; each line leads to its record."""

import re

import pytest
from django.urls import reverse

from ledger.journal import house_events
from ledger.journal.acts import Act
from ledger.models import AuditRecord
from ledger.views.exceptions import FEW

pytestmark = pytest.mark.django_db


@pytest.fixture
def reader(client, regulator, stocked):
    client.force_login(regulator)
    return client


@pytest.fixture
def refused(site, stocked, now):
    return house_events.note(
        site,
        "pin_refused",
        act=Act(None, now, terminal="table 3"),
        guessed="pin",
        username="zoe",
        count=2,
        since="",
    )


def shown(reader, **asked):
    asked = {"first": "2026-11-20", "last": "2026-11-23"} | asked
    return reader.get(reverse("exceptions", query=asked))


def test_lines_are_filtered_by_kind_and_by_person_and_the_address_keeps_it(reader, refused, regulator):
    assert "2 wrong PINs" in shown(reader, kind="refused").text
    assert "2 wrong PINs" not in shown(reader, kind="waiver").text
    assert "2 wrong PINs" not in shown(reader, person=regulator.pk).text


def test_all_kinds_are_folded_with_how_many_there_are_and_one_kind_is_open(reader, refused, site, now):
    """Before, a phone had to scroll through fourteen thousand pixels."""
    for turn in range(FEW + 1):
        house_events.note(site, "checkpoint_taken", act=Act(None, now), size=turn)
    page = shown(reader).text
    assert page.count('<details class="more fold">') > 1
    assert re.search(r"<h2>Refused PINs, sign-ins and amounts</h2>\s+1<", page)
    assert "kind=taken_out" in page
    assert page.count("checkpoint</a>") == FEW
    page = shown(reader, kind="taken_out").text
    assert (page.count("<details"), page.count("checkpoint</a>")) == (page.count(" open>"), FEW + 1)


def test_a_line_leads_to_its_record_as_it_was_sealed(reader, refused):
    address = reverse("audit-record", args=["house_event", refused.pk])
    assert address in shown(reader).text
    page = reader.get(address).text
    record = AuditRecord.objects.get(kind="house_event", subject=refused.pk)
    assert "table 3" in page
    assert bytes(record.leaf.hash).hex() in page


def test_more_days_than_a_page_takes_are_refused_and_days_without_records_are_empty(reader):
    assert shown(reader, first="2026-01-01").status_code == 400
    assert "none of these" in shown(reader, first="2020-01-01", last="2020-01-02").text


def test_only_readers_of_the_books_come_here(client, floor):
    client.force_login(floor)
    assert client.get(reverse("exceptions")).status_code == 403
    assert client.get(reverse("audit-record", args=["entry", 1])).status_code == 403
