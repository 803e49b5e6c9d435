"""Rows inserted below or beside what was verified: the short run sees them as the full one does."""

import copy

import pytest
from django.db import connection, transaction

from ledger.models import AuditLog, AuditRecord, Checkpoint, JournalEntry, Leaf, Site, Tile, Transfer
from ledger.proof.log import verifying
from ledger.proof.log.state import LATE_AFTER
from ledger.proof.log.unchanged import BLOCK, Digests
from ledger.proof.log.verifying import Verification
from tests.support.behind import behind_the_constraints, behind_the_triggers
from tests.support.kept import kept
from tests.support.states import left
from tests.support.unsealing import files_of_the_log, put_back

pytestmark = [pytest.mark.usefixtures("books_alone"), pytest.mark.both_databases]


@kept
def sold(stocked, sell):
    """The state after two sales, after which two more were made; and the log's files."""
    sell("first")
    sell("second")
    with pytest.MonkeyPatch.context() as patched:
        for tables in ("_checks", "_rows"):
            patched.setattr(verifying, tables, [])
        found = left(stocked)
    sell("third")
    sell("fourth")
    return found, files_of_the_log()


@pytest.fixture
def state(sold):
    found, files = sold
    put_back(files)
    return found


@pytest.fixture(autouse=True)
def undone(db):
    """Roll dangling rows back before constraints are checked."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def short(site, state):
    """Return the findings of the short run, and why it was not enough."""
    asked = Verification(site, start=state)
    return [str(one) for one in asked.run()], asked.again


def put_in(row, **columns):
    """Insert another row like this one, without triggers and constraints."""
    row = copy.copy(row)
    for name, value in columns.items():
        setattr(row, name, value)
    table = row._meta.db_table
    with behind_the_constraints(table), behind_the_triggers(table):
        type(row)._base_manager.bulk_create([row])
    return row


FAR = 2**40


@pytest.mark.parametrize("number", [-(2**40), -1, 0, 2**31 + 1, FAR])
def test_a_sale_that_is_forged_under_any_number_is_named_by_the_short_run(stocked, state, number):
    """With its transfers and its record, as far as the forger has no leaf for it."""
    sale = stocked.entries.order_by("-pk")[0]
    lines, record = sale.transfers.all(), AuditRecord.objects.get(kind="entry", subject=sale.pk)
    forged = put_in(sale, pk=number, key="forged")
    for place, line in enumerate(lines):
        put_in(line, pk=number - 5 - place, entry=forged)
    assert any(f"entry {number}" in one for one in short(stocked, state)[0])
    text = record.text.replace(f'"id":{sale.pk},', f'"id":{number},').replace(sale.key, "forged")
    put_in(record, pk=number, subject=number, text=text)
    assert short(stocked, state)[0]


def test_a_transfer_that_is_added_to_an_old_entry_is_named_by_the_short_run(stocked, state):
    """Its entry is below the state: nothing newer reads it."""
    old = stocked.entries.order_by("pk")[0]
    line = old.transfers.order_by("-line")[0]
    put_in(line, pk=Transfer.objects.order_by("-pk")[0].pk + 1, line=line.line + 1, cents=500)
    found, again = short(stocked, state)
    assert (
        again
        == "Something has been put in below what was verified before: a row was added to ledger_transfer."
    )
    assert any(f"entry {old.pk}" in one for one in found)


def test_a_checkpoint_that_is_added_below_the_state_is_named_by_the_short_run(stocked, state):
    old = Checkpoint.objects.order_by("size")[0]
    put_in(old, pk=Checkpoint.objects.order_by("-pk")[0].pk + 1, size=old.size - 1)
    found, again = short(stocked, state)
    assert "a row was added to ledger_checkpoint" in again
    assert f"checkpoint {old.size - 1}: it was signed for {old.size} leaves." in found


@pytest.mark.parametrize("place", [{"index": -1}, {"level": 9}])
def test_a_tile_that_is_put_in_where_the_tree_has_none_is_named(stocked, state, place):
    log = AuditLog.objects.get()
    tile = Tile(log=log, **{"level": 0, "index": 0, "hashes": bytes(8192), "root": bytes(32)} | place)
    put_in(tile, pk=1)
    found, _ = short(stocked, state)
    assert [one for one in found if "its leaves do not exist" in one]
    assert found == [str(one) for one in Verification(stocked).run()]


@pytest.mark.parametrize("number", [-5, FAR])
def test_a_leaf_that_is_put_in_where_the_tree_has_none_is_named(stocked, state, number):
    leaf = Leaf.objects.order_by("-number")[0]
    put_in(leaf, pk=leaf.pk + 1, number=number, record_id=99_999)
    assert short(stocked, state)[0]
    assert [*Verification(stocked).run()]


@pytest.mark.parametrize("where", ["of no house", "of no log"])
def test_rows_of_no_house_or_log_are_named(stocked, state, where):
    if where == "of no house":
        sale = JournalEntry.objects.order_by("-pk")[0]
        put_in(AuditRecord.objects.get(kind="entry", subject=sale.pk), pk=9999, site_id=99, subject=9999)
    else:
        put_in(Checkpoint.objects.order_by("-pk")[0], pk=9999, log_id=99)
    assert any("that is not there" in one for one in short(stocked, state)[0])


def test_blocks_leave_no_number_out_and_do_not_count_through_a_gap(stocked, sell):
    """The numbers before the first row, and gaps, are in a block as well."""
    sell("first")
    sale = stocked.entries.order_by("-pk")[0]
    for number in (FAR, FAR + BLOCK + 7):
        put_in(sale, pk=number, key=f"at {number}")
    kept = Digests(connection).keep(JournalEntry, ["id", "key"])
    assert kept.last == FAR + BLOCK + 7
    assert [end for end, _ in kept.blocks][-1] == kept.last
    assert len(kept.blocks) < 6
    tables = {"tables": [list(kept)]}
    assert Digests(connection).changed(tables) == ""
    for number in (-3, 0, BLOCK * 9, FAR - 1, FAR + 9):
        row = put_in(sale, pk=number, key=f"at {number}")
        assert "ledger_journalentry" in Digests(connection).changed(tables)
        with behind_the_triggers("ledger_journalentry"):
            JournalEntry.objects.filter(pk=row.pk)._raw_delete("default")
        assert Digests(connection).changed(tables) == ""


@pytest.mark.parametrize("place", ["record", "leaf", "entry"])
def test_a_sale_whose_record_is_in_the_log_of_another_house_is_named(stocked, state, now, place):
    """The other house and its log are forged as well: nobody verifies them."""
    other = put_in(Site.objects.get(pk=stocked.pk), pk=77, name="Other", licence="other")
    log = put_in(AuditLog.objects.get(), pk=77, site=other, origin="other/house/77")
    sale = stocked.entries.order_by("-pk")[0]
    lines, record = sale.transfers.all(), AuditRecord.objects.get(kind="entry", subject=sale.pk)
    house = other if place == "entry" else stocked
    forged = put_in(sale, pk=FAR, key="forged", site=house)
    for number, line in enumerate(lines, FAR):
        put_in(line, pk=number, entry=forged)
    text = record.text.replace(f'"id":{sale.pk},', f'"id":{FAR},').replace(sale.key, "forged")
    text = text.replace(f'"site":{stocked.pk}', f'"site":{house.pk}')
    copied = put_in(record, pk=FAR, subject=FAR, text=text, site=stocked if place == "leaf" else other)
    if place == "leaf":
        put_in(Leaf.objects.order_by("-number")[0], pk=FAR, log=log, number=0, record_id=copied.pk)
    for start in (None, state):
        found = Verification(stocked, start=start, now=now + LATE_AFTER * 2).run()
        assert any(one.record == f"entry {FAR}" for one in found), (place, start)
