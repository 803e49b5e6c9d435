"""The papers of custody of a closed day say what its page says, and are the same in its export."""

import csv
import io
import zipfile
from datetime import date, timedelta
from decimal import Decimal

import pytest

from ledger.cage import boxes
from ledger.cage.banks import sign_off_bank
from ledger.journal import closing
from ledger.journal.acts import Act
from ledger.models import Document, Drawer, DropBox, JournalEntry
from ledger.proof.log import exporting
from tables.log.paper_files import folder_of, write_papers
from tests.support.acting import acting
from tests.support.cage import close_drawer, count_vault
from tests.support.cast import PIN
from tests.support.counting import count_box

pytestmark = pytest.mark.django_db
DAY = date(2026, 3, 7)


@pytest.fixture
def short(screen, game, floor2, cashier, counter1, counter2, manager):
    """A day on which a fill came with $5.00 less, a bank had $30.00 too much in cash, and a box a dollar too
    much in chips, a drawer a dollar less in cash. Closed."""
    pieces, two = {"chips_500": "37", "chips_2500": "8"}, {"second": "floor", "second_pin": PIN}
    screen.post(f"/sessions/{game.session.pk}/bank/fill/", **pieces)
    fill = f"/documents/{Document.objects.get(kind='fill').pk}/"
    screen.as_(floor2).post(fill, step="authorised")
    screen.as_(cashier).post(fill, step="sent")
    counted = pieces | {"chips_500": "36", "reason": "one chip is missing"}
    assert screen.as_(game.dealer).post(fill, step="received", **counted, **two).status_code == 302
    game.close(floor2, cash_over=3_000)
    bank, box = JournalEntry.objects.get(kind="bank_count").pk, game.session.box
    given = {"site": game.site, "entry_id": bank, "cause": "a buy-in was not entered"}
    sign_off_bank(**given, act=Act(cashier, game.now, "sign the bank"))
    count_box(box, (counter1, counter2), game.now, chips=100, cash=0)
    boxes.sign_off(box=box, cause="a chip of the bank", act=Act(cashier, game.now, "sign the box"))
    game.sell(10_000, cashier)
    left = {"chips": 4_990_000, "cash": 5_009_900}
    closed = close_drawer(Drawer.objects.get(), **left, by=cashier, second=game.floor, now=game.now)
    act = Act(manager, game.now, "sign the drawer")
    sign_off_bank(site=game.site, entry_id=closed.pk, cause="not found", act=act)
    count_vault(game.site, game.now)
    game.now += timedelta(days=1)
    act = Act(actor=cashier, approver=manager, now=game.now, key="close-it")
    closing.close_day(site=game.site, day=DAY, act=act)
    return game


@pytest.fixture
def saved(short, tmp_path):
    assert write_papers(short.site, tmp_path, short.now) == 1
    return folder_of(tmp_path, short.site) / str(DAY)


def lines_of(data):
    return list(csv.DictReader(io.StringIO(data.decode(), newline="")))


def test_over_and_short_comes_to_the_figure_of_the_days_page(screen, saved, cashier, manager):
    *lines, sums = lines_of((saved / "over-short.csv").read_bytes())
    assert [(line["what"], line["over_short"], line["cause"]) for line in lines] == [
        ("fill", "-5.00", "one chip is missing"),
        ("table_bank", "30.00", "a buy-in was not entered"),
        ("drop_box", "1.00", "a chip of the bank"),
        ("drawer", "-1.00", "not found"),
        ("vault", "0.00", ""),
    ]
    signers = [str(person.pk) for person in (cashier, cashier, manager)]
    assert [line["signed_by"] for line in lines[1:-1]] == signers
    page = screen.as_(cashier).get("/cashier/day/?day=2026-03-07").context["over"]
    assert (sums["what"], sums["over_short"], page.cents) == ("together", "25.00", 2_500)


def test_the_reconciliation_has_boxes_by_table_and_shift_then_banks_drawers_and_the_vault(saved):
    lines = lines_of((saved / "reconciliation.csv").read_bytes())
    assert [(line["what"], line["over_short"]) for line in lines] == [
        *((what, "1.00") for what in ("drop_box", "table", "shift", "boxes")),
        *(("table_bank", "30.00"), ("drawer", "-1.00"), ("vault", "0.00"), ("fill", "-5.00")),
        ("together", "25.00"),
    ]
    assert [line["percent"] for line in lines[4:6]] == ["0.06", "0.00"]


def test_a_drawer_has_what_came_and_went_and_what_was_counted(saved, cashier, floor):
    (line,) = lines_of((saved / "drawers.csv").read_bytes())
    figures = ("chips_in", "chips_out", "expected_chips", "cash_in", "expected_cash", "counted_cash")
    said = ["50000.00", "100.00", "49900.00", "50100.00", "50100.00", "50099.00"]
    assert [line[name] for name in figures] == said
    assert (line["number"], line["over_chips"], line["over_cash"]) == ("1", "0.00", "-1.00")
    assert (line["cashier"], line["first"], line["second"]) == (*[str(cashier.pk)] * 2, str(floor.pk))


def test_every_document_of_the_day_has_its_steps_to_the_end(saved, game, floor2, cashier):
    lines = [line for line in lines_of((saved / "documents.csv").read_bytes()) if (line["kind"] == "fill")]
    people = (game.floor, floor2, cashier, game.dealer)
    assert [(line["step"], line["person"]) for line in lines] == [
        (step, str(person.pk))
        for step, person in zip(("requested", "authorised", "sent", "differed"), people, strict=True)
    ]
    assert lines[-1]["second"] == str(game.floor.pk)
    assert lines[-1]["local_time"][:10] == "2026-03-07"


def test_saved_papers_of_custody_are_those_of_the_export(short, saved):
    out = io.BytesIO()
    acting(exporting.export, out, site=short.site, wanted=exporting.Wanted((DAY, DAY)), now=short.now)
    with zipfile.ZipFile(out) as archive:
        for name in ("documents.csv", "drawers.csv", "over_short.csv", "reconciliation.csv"):
            assert archive.read(f"papers/{name}") == (saved / name.replace("_", "-")).read_bytes()


@pytest.fixture
def exported(short):
    out = io.BytesIO()
    acting(exporting.export, out, site=short.site, wanted=exporting.Wanted((DAY, DAY)), now=short.now)
    with zipfile.ZipFile(out) as archive:
        return {name: lines_of(archive.read(name)) for name in archive.namelist() if name.endswith(".csv")}


def test_each_slip_is_one_line_with_the_people_of_its_steps(exported, game):
    columns = {"requested": "requested", "authorised": "authorised", "sent": "sent"}
    columns |= dict.fromkeys(("received", "differed"), "received")
    lines = {(line["kind"], line["number"]): line for line in exported["papers/slips.csv"]}
    slips = Document.objects.filter(kind__in=("opener", "fill", "credit", "closer"))
    assert lines.keys() == {(slip.kind, str(slip.number)) for slip in slips}
    for slip in slips:
        line, steps = lines[slip.kind, str(slip.number)], list(slip.steps.order_by("ordinal"))
        for step in steps:
            assert line[f"{columns[step.step]}_by"] == str(step.person_id)
        assert (line["table"], line["state"]) == (str(game.session.table.number), steps[-1].step)
    assert lines["fill", "1"]["over_chips"] == "-5.00"


def test_the_papers_that_sum_up_the_cage_say_what_its_other_papers_say(exported):
    (drawer,), sheet = exported["papers/drawers.csv"], exported["papers/drawer_sheets.csv"]
    for column in ("chips_in", "cash_in", "chips_out", "cash_out"):
        assert sum(Decimal(line[column] or 0) for line in sheet) == Decimal(drawer[column])
    last = sheet[-1]
    assert [last[name] for name in ("chips_held", "cash_held", "over_cash")] == [
        *(drawer[name] for name in ("expected_chips", "expected_cash", "over_cash")),
    ]
    closing = exported["papers/cage_accountability.csv"][-1]
    held = {
        line["asset"]: line["balance"]
        for line in exported["papers/closing_balances.csv"]
        if line["account_kind"] == "vault"
    }
    assert (closing["what"], closing["chips_held"], closing["cash_held"]) == (
        *("closing", held.get("chips", "0.00"), held.get("cash", "0.00")),
    )


def test_the_master_report_has_the_variance_of_box_and_bank(exported):
    over = {line["what"]: line["over_short"] for line in exported["papers/over_short.csv"]}
    (line,) = exported["papers/master.csv"]
    assert (line["over_box"], line["over_bank"]) == (over["drop_box"], over["table_bank"])
    assert (line["variance"], line["negative"]) == ("31.00", "")


def test_the_log_of_boxes_has_each_box_with_whoever_pulled_it(exported, game):
    box = DropBox.objects.get()
    (line,) = exported["papers/box_log.csv"]
    assert (line["box"], line["table"]) == (str(box.number), str(game.session.table.number))
    assert (line["pulled_by"], line["pulled_with"]) == (str(box.pulled_by_id), str(box.pulled_with_id))
