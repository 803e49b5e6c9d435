"""A workbook and a printed page show what the CSV of a paper says: dates, amounts and numbers as such, text
as text."""

import io
import re
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import openpyxl
import pypdf
import pytest

from ledger.errors import PaperNotSet, PaperTooLong
from ledger.papers.cells import KINDS_OF_CELLS, cell, line_of
from ledger.papers.paper import Paper, declared
from ledger.printing import page, typesetting, workbook
from ledger.printing.reading import About, Names, cents_in, names_in
from tools import other_readers

ABOUT = About(
    house="Two Rivers Card Room",
    licence="GEGE-001234",
    zone=ZoneInfo("America/Los_Angeles"),
    period="2026-03-07 to 2026-03-08",
    made_by="Élise Nguyễn",
    made_at=datetime(2026, 3, 9, 17, tzinfo=UTC),
    log="tables.example.com/log",
    leaves=41882,
    root="9f31c07a",
)
NOBODY = Names({}, {})


class Sample(Paper):
    name = "sample.csv"
    title, purpose, law = "A sample", "To be tried", "4 CCR 12386"
    columns = ("gaming_day", "at", "local_time", "kind", "entry", "amount", "person", "minute", "reason")
    sums, signs = ("amount",), ("Prepared by", "Verified by")
    place, takes = 1, frozenset()


def file_of(*lines, paper=Sample):
    return io.BytesIO(paper.header() + b"".join(map(line_of, lines)))


def line(
    reason="", *, day="2026-03-07", at="2026-03-08T05:00:16.000000Z", amount="1234.50", person="7", entry="3"
):
    return [
        day,
        at,
        "2026-03-07T21:00:16.000000-08:00",
        "table_bank",
        entry,
        amount,
        person,
        "7:05.5",
        reason,
    ]


def sheets_of(*lines, names=NOBODY, paper=Sample):
    out = io.BytesIO()
    files = {paper.name: file_of(*lines, paper=paper)}
    workbook.write_workbook(out, [paper], files, names=names, about=ABOUT)
    book = openpyxl.load_workbook(out)
    return {sheet.title: [[cell.value for cell in row] for row in sheet.rows] for sheet in book}, book


def test_each_column_of_each_paper_has_a_kind():
    where = "Say what is in it in ledger/papers/cells.py."
    for paper in declared(players=True):
        assert set(paper.columns) <= KINDS_OF_CELLS.keys(), f"{paper.name}: {where}"
        assert set(paper.sums) | set(paper.unprinted) <= set(paper.columns), paper.name


def test_each_paper_says_what_it_is_for_under_a_title_of_its_own():
    papers = declared(players=True)
    assert all(paper.purpose for paper in papers)
    assert len({paper.title[: workbook.MOST_OF_A_TITLE] for paper in papers}) == len(papers)


def test_a_cell_of_a_workbook_is_what_its_column_says():
    found, book = sheets_of(line("He said =1+1"), line("", amount="-7.50", day="2026-03-08"))
    head, first, second, last = found["A sample"]
    assert head[:4] == ["Gaming day", "At", "Local time", "Kind"]
    assert [str(cell) for cell in first[:3]] == [
        "2026-03-07 00:00:00",
        "2026-03-07 21:00:16",  # of the house's clock
        "2026-03-07 21:00:16",
    ]
    assert first[3:] == [
        *("table_bank", 3, 1234.5, "7", "7:05.5", "He said =1+1"),
    ]
    assert (str(second[0]), second[5]) == ("2026-03-08 00:00:00", -7.5)
    assert (last[0], last[5]) == ("Sum", 1227)
    assert book["A sample"].freeze_panes == "A2"


@pytest.mark.parametrize("text", ["=HYPERLINK(1)", "+1", "@x", "-", "'quoted", "0044", "1e5", "http://a.b"])
def test_text_stays_text_in_a_workbook(text):
    found, book = sheets_of(line(text))
    assert found["A sample"][1][-1] == text
    assert book["A sample"]["I2"].data_type == "s"


@pytest.mark.parametrize(("column", "text"), [(4, "9" * 20), (5, "12"), (0, "2026-13-01"), (1, "yesterday")])
def test_what_is_not_of_its_kind_is_written_as_it_is(column, text):
    row = line()
    row[column] = text
    assert sheets_of(row)[0]["A sample"][1][column] == text


def test_a_paper_without_lines_is_a_sheet_with_its_head():
    assert sheets_of()[0]["A sample"] == [
        ["Gaming day", "At", "Local time", "Kind", "Entry", "Amount", "Person", "Minute", "Reason"]
    ]


def test_a_paper_that_is_longer_than_a_sheet_goes_on_in_the_next(monkeypatch):
    monkeypatch.setattr(workbook, "MOST_ROWS", 2)
    found, _ = sheets_of(*[line() for _ in range(3)])
    assert [len(found["A sample"]), len(found["A sample 2"])] == [3, 3]
    assert found["A sample 2"][-1][5] == 3703.5  # of both


def test_the_first_sheet_says_where_it_came_from():
    said = dict(map(tuple, sheets_of(line())[0]["About"]))
    assert said["Establishment"] == "Two Rivers Card Room"
    assert said["Made"] == "2026-03-09 10:00:00 PDT by Élise Nguyễn"
    assert said["From checkpoint"] == "41882 records of tables.example.com/log, root 9f31c07a"
    assert said["A sample"] == "4 CCR 12386"


HOSTILE = ("=1+1", "a\x07b", "陳偉" * 30, "أمل " * 15, "-cmd|' /C calc'!A0", "1,2\n3", "अ" * 60)


def hostile_lines(paper):
    """Lines of a paper that say in each column what nobody should write there."""
    return file_of(*([cell(text)] * len(paper.columns) for text in HOSTILE), paper=paper)


def test_in_a_workbook_of_all_papers_nothing_that_somebody_wrote_is_a_formula():
    papers, out = declared(players=True), io.BytesIO()
    files = {paper.name: hostile_lines(paper) for paper in papers}
    workbook.write_workbook(out, papers, files, names=NOBODY, about=ABOUT)
    for sheet in openpyxl.load_workbook(out).worksheets[1:]:
        for text, row in zip(HOSTILE, sheet.iter_rows(min_row=2), strict=False):
            shown = {(cell.data_type, cell.value) for cell in row}
            assert shown == {("s", text.replace("\x07", "_x0007_"))}, sheet.title


@pytest.mark.long
@pytest.mark.parametrize("paper", declared(players=True), ids=lambda paper: paper.name)
def test_every_paper_is_printed_whatever_stands_in_it(paper):
    pdf, count = page.printed(paper, hostile_lines(paper), names=NOBODY, about=ABOUT)
    assert (count, pdf[:5]) == (len(HOSTILE), b"%PDF-")


OF_ITS_PART = {
    "Error on MetaData, part must be 1",
    "Invalid graphics object, Invalid version of the ICCProfile",
}
"""What preflight, which knows PDF/A-1b alone, has against each PDF/A-2b."""


@pytest.mark.long
@pytest.mark.parametrize(("standard", "allowed"), [("a-1b", set()), ("a-2b", OF_ITS_PART)])
def test_preflight_has_nothing_against_a_printed_paper(monkeypatch, tmp_path, standard, allowed):
    assert other_readers.judges(), f"Install {', '.join(other_readers.PACKAGES)}, as make soak does."
    monkeypatch.setattr(typesetting, "STANDARD", standard)
    monkeypatch.setattr(page, "_set", typesetting.typeset)
    printed = {}
    for paper in declared(players=True):
        many = file_of(*[["x y"] * len(paper.columns)] * 150, paper=paper)
        for name, file in {"none": file_of(paper=paper), "any": hostile_lines(paper), "many": many}.items():
            path = tmp_path / f"{paper.name}-{name}.pdf"
            path.write_bytes(page.printed(paper, file, names=NOBODY, about=ABOUT)[0])
            printed[path.name] = path
    found = other_readers.complaints([*printed.values()])
    assert found == dict.fromkeys(printed, allowed)


@pytest.mark.long
def test_preflight_has_something_against_a_paper_that_was_cut_or_is_no_archival_one(tmp_path):
    cut, plain = tmp_path / "cut.pdf", tmp_path / "plain.pdf"
    pdf = page.printed(Sample, file_of(line()), names=NOBODY, about=ABOUT)[0]
    cut.write_bytes(pdf[:-900])
    writer = pypdf.PdfWriter()
    writer.add_blank_page(612, 792)
    writer.write(plain)
    assert all(other_readers.complaints([cut, plain]).values())


def test_people_are_called_by_their_last_names():
    staff = file_of(
        ["7", "username", "mtanaka", "2026-01-01", ""],
        ["7", "name", "Mei Tanaka", "2026-01-01", "2026-02-01"],
        ["7", "name", "Mei Ito", "2026-02-01", ""],
        ["8", "username", "dealer8", "2026-01-01", ""],
        paper=next(paper for paper in declared(players=False) if paper.name == "staff.csv"),
    )
    names = names_in({"staff.csv": staff})
    assert names.staff == {"7": "Mei Ito", "8": "dealer8"}
    assert sheets_of(line(), names=names)[0]["A sample"][1][6] == "7 Mei Ito"


def text_of(*lines, names=NOBODY):
    pdf, count = page.printed(Sample, file_of(*lines), names=names, about=ABOUT)
    assert count == len(lines)
    reader = pypdf.PdfReader(io.BytesIO(pdf))
    return " ".join(" ".join(one.extract_text() for one in reader.pages).split()), len(reader.pages)


def test_a_printed_page_says_what_the_csv_says_and_who_signs():
    text, _ = text_of(line("Nobody found it"), line(amount="-7.50"))
    for said in (
        *(
            "A sample",
            "4 CCR 12386",
            "Two Rivers Card Room",
            "Licence GEGE-001234",
            "2026-03-07 to 2026-03-08",
        ),
        *("2026-03-07 21:00:16", "table bank", "$1,234.50", "-$7.50", "7:05", "Nobody found it"),
        *("Sum", "$1,227.00", "Prepared by", "Verified by", "Page 1 of 1", "41882 records"),
    ):
        assert said in text


def test_a_column_that_says_nothing_or_what_the_head_says_is_not_printed():
    text, _ = text_of(line())
    assert ("Reason" in text, "Gaming day" in text) == (False, True)
    alone = page._said(Sample, [line()], NOBODY, ABOUT.__class__(**vars(ABOUT) | {"period": "2026-03-07"}))
    assert alone["columns"][0]["title"] == "At"


def test_on_a_page_of_many_columns_none_waits_for_the_room_that_others_leave():
    for paper in declared(players=True):
        said = page._said(paper, [["x"] * len(paper.columns)], NOBODY, ABOUT)
        long = [column["title"] for column in said["columns"] if column["long"]]
        assert not long or len(said["columns"]) < page._NARROW, paper.name


def test_a_column_has_the_room_of_its_longest_number_or_time_and_of_their_sum():
    lines = [line(amount="999999.50"), line(amount="0.50"), line(amount="x" * 30)]
    said = page._said(Sample, lines, NOBODY, ABOUT)
    widest = {column["title"]: column["widest"] for column in said["columns"]}
    assert (widest["Amount"], widest["At"]) == ("$1,000,000.00", "2026-03-07 21:00:16")
    assert widest["Kind"] == ""


def test_a_word_without_a_place_to_break_is_broken_and_copied_as_it_was():
    seal = "0f1e2d3c" * 16
    text, _ = text_of(line(seal), line("short"))
    assert seal not in text
    assert seal in text.replace(" ", "")


@pytest.mark.parametrize("name", ["陳偉", "أمل", "Łukasz Żółć", "Ελένη", "Мария", "דנה"])
def test_names_in_other_scripts_are_printed(name):
    assert page._readable(name) == name
    text_of(line(name))


@pytest.mark.parametrize(("text", "said"), [("अ", "[U+0905]"), ("ก", "[U+0E01]"), ("a\x07b", "a[U+0007]b")])
def test_a_letter_that_no_font_has_is_printed_by_its_number(text, said):
    assert said in text_of(line(text))[0]


def test_the_same_paper_is_the_same_to_the_byte():
    first, second = (page.printed(Sample, file_of(line()), names=NOBODY, about=ABOUT)[0] for _ in "12")
    assert first == second
    assert b"pdfaid" in first


def test_a_printed_page_says_that_it_is_archival_and_has_all_that_it_needs():
    pdf = page.printed(Sample, file_of(line("陳偉 أمل fi")), names=NOBODY, about=ABOUT)[0]
    reader = pypdf.PdfReader(io.BytesIO(pdf))
    root, xmp = reader.root_object, reader.root_object["/Metadata"].get_data().decode()
    assert re.findall(r"pdfaid:(?:part|conformance)>(\w+)<", xmp) == ["2", "B"]
    assert [one["/S"] for one in root["/OutputIntents"]] == ["/GTS_PDFA1"]
    assert not reader.is_encrypted
    assert reader.trailer["/ID"]
    assert not {"/OpenAction", "/AA", "/AcroForm"} & root.keys()
    fonts = [font.get_object() for font in reader.pages[0]["/Resources"]["/Font"].values()]
    of_letters = [font["/DescendantFonts"][0].get_object()["/FontDescriptor"] for font in fonts]
    assert len(of_letters) >= 3  # Latin, Chinese, Arabic
    assert all({"/FontFile2", "/FontFile3"} & one.keys() for one in of_letters)


def test_a_page_of_one_line_is_printed_and_ten_thousand_are_refused_before_they_are_set():
    assert text_of(line("the only one"))[1] == 1
    with pytest.raises(PaperTooLong, match="2,000 lines"):
        text_of(*[line()] * 10_000)


@pytest.mark.parametrize("name", ["=1+1 " + "W" * 55, "陳" * 60, "a\x07" * 30, "أمل" * 20])
def test_a_name_of_sixty_letters_stays_itself_in_every_form(name):
    assert len(name) == 60
    shown = sheets_of(line(name))[0]["A sample"][1][-1]
    assert shown.replace("_x0007_", "\x07") == name
    assert cell(name).removeprefix("'") == name
    text = text_of(line(name), line("x"))[0].replace(" ", "")
    assert "$1,234.50" in text
    assert name.startswith("أ") or page._readable(name).replace(" ", "") in text  # Arabic is set joined up


def test_too_many_lines_are_refused_with_what_to_take_instead(monkeypatch):
    monkeypatch.setattr(page, "MOST_LINES", 1)
    with pytest.raises(PaperTooLong, match="take XLSX or CSV"):
        text_of(line(), line())


def test_a_paper_that_cannot_be_set_is_refused(monkeypatch):
    monkeypatch.setattr(page.sys, "executable", "/bin/false")
    with pytest.raises(PaperNotSet):
        text_of(line())
    monkeypatch.undo()
    monkeypatch.setattr(page, "PATIENCE_SECONDS", 0.01)
    with pytest.raises(PaperNotSet, match="too long"):
        text_of(line())


@pytest.mark.parametrize(
    ("text", "cents"), [("12.50", 1250), ("-0.05", -5), ("12.5", None), ("", None), ("1,2.00", None)]
)
def test_an_amount_is_read_in_cents(text, cents):
    assert cents_in(text) == cents


def test_a_day_is_a_date():
    assert workbook.day_in("2026-03-07") == date(2026, 3, 7)
