"""The papers of any gaming days, taken as CSV, as a workbook, and printed."""

import csv
import io
import zipfile

import openpyxl
import pypdf
import pytest
from django.urls import reverse

from ledger.models import HouseEvent
from ledger.papers.paper import declared
from ledger.printing import page

pytestmark = pytest.mark.django_db
DAYS = "first=2026-11-21&last=2026-11-22"


@pytest.fixture
def reader(client, regulator, stocked):
    client.force_login(regulator)
    return client


def taken(reader, name, form, days=DAYS):
    answer = reader.get(f"{reverse('paper', args=[name, form])}?{days}")
    assert answer.status_code == 200, answer.text
    return b"".join(answer.streaming_content)


def noted():
    return [event.data for event in HouseEvent.objects.filter(kind="downloaded").order_by("pk")]


def test_the_page_lists_every_paper_with_what_it_is_for(reader):
    text = reader.get(reverse("papers")).text
    for paper in declared(players=False):
        assert paper.purpose.replace("'", "&#x27;") in text
        for form in ("csv", "xlsx", "pdf"):
            assert reverse("paper", args=[paper.name.removesuffix(".csv"), form]) in text


def test_the_csv_of_a_paper_is_the_one_in_an_export_of_the_same_days(reader):
    export = b"".join(reader.get(f"{reverse('audit-export')}?{DAYS}").streaming_content)
    members = zipfile.ZipFile(io.BytesIO(export))
    for paper in declared(players=False):
        if paper.by_day:
            name = paper.name.removesuffix(".csv")
            assert taken(reader, name, "csv") == members.read(f"papers/{paper.name}"), name


def test_all_forms_of_a_paper_have_the_same_lines_and_each_is_noted_with_them(reader, regulator):
    rows = list(csv.DictReader(io.StringIO(taken(reader, "cage_slips", "csv").decode())))
    book = openpyxl.load_workbook(io.BytesIO(taken(reader, "cage_slips", "xlsx")))
    pages = pypdf.PdfReader(io.BytesIO(taken(reader, "cage_slips", "pdf"))).pages
    assert len(list(book["Cage slips"].rows)) - 1 == len(rows) > 1
    printed = " ".join(one.extract_text() for one in pages)
    assert all(f"${float(row['amount']):,.2f}" in printed for row in rows)
    assert [data["rows"] for data in noted()] == [len(rows)] * 3
    assert noted()[2] == {
        "file": "cage_slips-2026-11-21-2026-11-22.pdf",
        "address": f"/audit/papers/cage_slips.pdf?{DAYS}",
        "rows": len(rows),
        "whole": True,
    }
    event = HouseEvent.objects.filter(kind="downloaded").latest("pk")
    assert (event.actor, event.terminal) == (regulator, "books 127.0.0.1")


def test_all_papers_come_in_one_workbook(reader):
    book = openpyxl.load_workbook(io.BytesIO(taken(reader, "all", "xlsx")))
    assert book.sheetnames == ["About", *(paper.title[:28] for paper in declared(players=False))]
    assert {row[0].value: row[1].value for row in book["About"].rows}["Gaming days"] == (
        "2026-11-21 to 2026-11-22"
    )


def test_a_day_on_which_nothing_happened_has_empty_papers(reader):
    pages = pypdf.PdfReader(io.BytesIO(taken(reader, "collections", "pdf"))).pages
    assert "Nothing to show for 2026-11-21 to 2026-11-22." in pages[0].extract_text()


def test_players_are_named_for_those_who_may_take_names(reader, client, manager):
    assert "players.csv" not in reader.get(reverse("papers")).text
    named = taken(reader, "players", "csv", f"{DAYS}&players=on")
    assert named.startswith(b"person,what,value")
    assert reader.get(f"{reverse('paper', args=['players', 'csv'])}?{DAYS}").status_code == 404
    client.force_login(manager)
    answer = client.get(f"{reverse('paper', args=['players', 'csv'])}?{DAYS}&players=on")
    assert answer.status_code == 403


@pytest.mark.parametrize(
    "address", ["/audit/papers/journal.doc", "/audit/papers/wages.csv", "/audit/papers/all.pdf"]
)
def test_what_there_is_not_is_not_found(reader, address):
    assert reader.get(address).status_code == 404


@pytest.mark.parametrize(
    ("days", "code"),
    [("first=2026-11-22&last=2026-11-21", "bad_period"), ("first=yesterday", "bad_text")],
)
def test_days_that_are_none_are_refused_in_a_sentence(reader, days, code):
    answer = reader.get(f"{reverse('paper', args=['journal', 'csv'])}?{days}")
    assert (answer.status_code, code in answer.text) == (400, True)
    assert noted() == []


def test_a_paper_too_long_to_print_says_what_to_take_instead(reader, monkeypatch):
    monkeypatch.setattr(page, "MOST_LINES", 1)
    answer = reader.get(f"{reverse('paper', args=['journal', 'pdf'])}?{DAYS}")
    assert ("paper_too_long" in answer.text, "take XLSX or CSV" in answer.text) == (True, True)
    assert noted() == []


@pytest.mark.parametrize("sent_by", ["cross-site", "same-site"])
def test_another_site_takes_no_paper_under_somebodys_name(reader, sent_by):
    answer = reader.get(reverse("paper", args=["journal", "csv"]), headers={"sec-fetch-site": sent_by})
    assert (answer.status_code, noted()) == (403, [])
