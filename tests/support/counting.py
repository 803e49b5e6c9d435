"""Count boxes in a test: on the day's count sheet, in the fewest pieces, and sign the sheet."""

import pytest
from django.contrib.auth import get_user_model

from ledger.cage import boxes, count_sheets
from ledger.cage.boxes import counted_together
from ledger.errors import CountsDiffer
from ledger.journal.acts import Act
from ledger.models import Count, CountSheet, DropBox
from ledger.rules.denominations import Pieces
from tests.support.cage import pieces


def begin_sheet(box, counter, now):
    """Return the open count sheet of a box's gaming day; begin it if there is none."""
    found = count_sheets.open_sheet(box.site, box.gaming_day)
    act = Act(actor=counter, now=now, key=f"sheet {CountSheet.objects.count()}")
    return found or count_sheets.begin_sheet(site=box.site, day=box.gaming_day, act=act)


def enter_count(box, counter, now, *, chips=None, cash=None, key=None):
    """Enter one person's count in cents; without figures, what the box has by the books."""
    box = DropBox.objects.select_related("site", "chips", "cash").get(pk=box.pk)
    begin_sheet(box, counter, now)
    chips = box.chips.balance_cents if chips is None else chips
    cash = box.cash.balance_cents if cash is None else cash
    act = Act(actor=counter, now=now, key=key or f"count {Count.objects.count()}")
    return boxes.enter_count(box=box, pieces=pieces(box.site, chips=chips, cash=cash), act=act)


def sign_sheet(box, counters, now, *, miscounts=False):
    """Have two counters sign the open sheet of a box's gaming day; a cashier receives it, or miscounts it
    first."""
    sheet = count_sheets.open_sheet(box.site, box.gaming_day)
    act = Act(actor=counters[0], approver=counters[1], now=now, key=f"sheet {sheet.pk} signed")
    signed = count_sheets.sign_sheet(sheet=sheet, without_box=[], act=act)
    if miscounts:
        with pytest.raises(CountsDiffer):
            receive_sheet(sheet, now, found=Pieces(cash={100: 1}), key="miscounted")
    receive_sheet(sheet, now)
    return signed


def receive_sheet(sheet, now, *, found=None, key="received"):
    """Have a cashier find what the counters found, or something else, if the test has one."""
    cashier = get_user_model().objects.filter(groups__name="cashier", is_active=True).order_by("pk").first()
    if cashier is not None:
        found = counted_together(sheet) if found is None else found
        act = Act(actor=cashier, now=now, key=f"sheet {sheet.pk} {key}")
        return count_sheets.receive_sheet(sheet=sheet, pieces=found, act=act)
    return None


def count_box(box, counters, now, **found):
    """Have two people count a box alike and sign the sheet, on which no other box waits."""
    for counter in counters:
        enter_count(box, counter, now, **found)
    return sign_sheet(box, counters, now)


def count_boxes(pulled, counters, now):
    """Have two people count these boxes as the books have them, and sign the sheet of each gaming day."""
    pulled = list(pulled)
    for box in pulled:
        for counter in counters:
            enter_count(box, counter, now)
    for box in {box.gaming_day: box for box in pulled}.values():
        sign_sheet(box, counters, now)
