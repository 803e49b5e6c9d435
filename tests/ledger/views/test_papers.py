"""The papers of any gaming days, taken as CSV, as a workbook, and printed."""

import csv
import io
import zipfile

import openpyxl
import pypdf
import pytest
from django.core.cache import cache
from django.urls import reverse

from ledger.models import HouseEvent
from ledger.papers.paper import declared
from ledger.printing import page
from ledger.proof.log import keeping_papers, making_papers

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
        "2026-11-21 to 2026-11-22, open from 2026-11-21"
    )


def test_a_day_on_which_nothing_happened_has_empty_papers(reader):
    pages = pypdf.PdfReader(io.BytesIO(taken(reader, "collections", "pdf"))).pages
    assert "Nothing to show for 2026-11-21 to 2026-11-22, open from 2026-11-21." in pages[0].extract_text()


def test_a_paper_of_a_day_that_is_open_says_so_on_every_page(reader):
    pages = pypdf.PdfReader(io.BytesIO(taken(reader, "controls", "pdf", "first=2026-11-21"))).pages
    assert len(pages) > 1
    assert all("2026-11-21, still open" in one.extract_text() for one in pages)


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


# -- a part ----------------------------------------------------------------------------------------


def test_a_part_has_the_lines_of_its_shift_and_each_form_says_that_it_is_a_part(reader):
    whole = taken(reader, "cage_slips", "csv")
    assert taken(reader, "cage_slips", "csv", f"{DAYS}&shift=1") == whole
    assert taken(reader, "cage_slips", "csv", f"{DAYS}&shift=2") == whole.splitlines(keepends=True)[0]
    assert noted()[2]["file"] == "cage_slips-2026-11-21-2026-11-22-shift-2.csv"
    pages = pypdf.PdfReader(io.BytesIO(taken(reader, "cage_slips", "pdf", f"{DAYS}&shift=1"))).pages
    printed = " ".join(pages[0].extract_text().split())
    assert ("shift 1 only" in printed, "(part)" in printed) == (True, True)
    book = openpyxl.load_workbook(io.BytesIO(taken(reader, "all", "xlsx", f"{DAYS}&table=1")))
    assert dict(map(tuple, ([cell.value for cell in row] for row in book["About"].rows)))["Gaming days"] == (
        "2026-11-21 to 2026-11-22, table 1 only, open from 2026-11-21"
    )
    assert "Collections" in book.sheetnames
    assert "Cage slips" not in book.sheetnames


def test_the_page_offers_of_a_part_the_papers_that_have_its_column(reader):
    text = reader.get(f"{reverse('papers')}?{DAYS}&table=3").text
    assert ("table 3 only" in text, "Down detail" in text, "Cage slips" in text) == (True, True, False)
    assert reader.get(f"{reverse('paper', args=['cage_slips', 'csv'])}?{DAYS}&table=3").status_code == 404


@pytest.mark.parametrize("part", ["table=0", "shift=x", "player=9999999999", "table=-1"])
def test_a_part_that_is_none_is_refused_in_a_sentence(reader, part):
    answer = reader.get(f"{reverse('paper', args=['collections', 'csv'])}?{DAYS}&{part}")
    assert (answer.status_code, "form-error" in answer.text or "field-error" in answer.text) == (400, True)
    assert noted() == []


@pytest.mark.parametrize("days", ["first=2026-11-22&last=2026-11-21", "first=2027-03-01&last=2027-03-02"])
def test_every_paper_of_days_turned_round_or_without_a_record_is_refused(reader, days):
    for paper in declared(players=False):
        answer = reader.get(f"{reverse('paper', args=[paper.name.removesuffix('.csv'), 'csv'])}?{days}")
        assert (answer.status_code, "bad_period" in answer.text) == (400, True), paper.name


# -- made and kept ---------------------------------------------------------------------------------

ASKED = {"paper": "cage_slips", "form": "csv", "first": "2026-11-21", "last": "2026-11-22"}
ASKED |= {"key": "paper-0001"}


@pytest.fixture
def kept(reader, site, settings, tmp_path):
    """Ask for a paper on the page, and make it as the server would."""
    settings.PAPERS = tmp_path / "papers"
    cache.clear()
    assert reader.post(reverse("keep-paper"), ASKED).status_code == 302
    paper = keeping_papers.take_up(site)
    making_papers.make(paper)
    return paper


def test_a_paper_is_asked_for_on_the_page_and_taken_there_once_it_is_made(reader, kept):
    page = reader.get(reverse("papers")).text
    assert "Paper 1: Cage slips" in page
    assert reverse("kept-paper", args=[1]) in page
    assert "every 2s" not in page
    sent = reader.get(reverse("kept-paper", args=[1]))
    assert sent["Content-Disposition"] == (
        'attachment; filename="paper-1-cage_slips-2026-11-21-2026-11-22.csv"'
    )
    assert b"".join(sent.streaming_content) == taken(reader, "cage_slips", "csv")


def test_while_one_waits_the_page_asks_again_and_offers_to_cancel_it(reader, site, settings, tmp_path):
    settings.PAPERS = tmp_path / "papers"
    cache.clear()
    reader.post(reverse("keep-paper"), ASKED)
    page = reader.get(reverse("papers")).text
    assert "every 2s" in page
    assert "Waiting for its turn" in page
    paper = keeping_papers.take_up(site)
    keeping_papers.show_progress(paper, keeping_papers.MakingProgress(40, 100))
    assert 'value="40" max="100"' in reader.get(reverse("papers")).text
    reader.post(reverse("cancel-paper", args=[1]), {"key": "paper-0002"})
    page = reader.get(reverse("papers")).text
    assert "Cancelled: It was cancelled." in page
    assert "every 2s" not in page
    refused = reader.post(reverse("cancel-paper", args=[1]), {"key": "paper-0003"})
    assert refused.status_code == 409
    assert "paper_ended" in refused.text


def test_a_part_is_kept_from_the_page_that_shows_it(reader, site, settings, tmp_path):
    settings.PAPERS = tmp_path / "papers"
    page = reader.get(f"{reverse('papers')}?{DAYS}&shift=2").text
    assert '<input type="hidden" name="shift" value="2"' in page
    assert ('value="bundle"' in page, 'value="all"' in page) == (False, True)
    sent = reader.post(reverse("keep-paper"), ASKED | {"shift": "2"})
    assert sent["Location"].endswith("?first=2026-11-21&last=2026-11-22&shift=2")
    assert "shift 2 only" in reader.get(sent["Location"]).text
    assert keeping_papers.asked_of(site.kept_papers.get()).part == (("shift", "2"),)


def test_a_paper_that_does_not_exist_is_refused_beside_its_field(reader):
    answer = reader.post(reverse("keep-paper"), ASKED | {"paper": "nothing"})
    assert answer.status_code == 400
    assert "nothing" in answer.text


def test_what_is_not_made_is_not_sent(reader, settings, tmp_path):
    settings.PAPERS = tmp_path / "papers"
    reader.post(reverse("keep-paper"), ASKED)
    assert "paper_not_ready" in reader.get(reverse("kept-paper", args=[1])).text
