"""The reconciliation of a gaming day: what each box, table and shift should have held, what was counted, and
over/short of banks, drawers and the vault beside it. Read-only."""

from datetime import date
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from ledger.journal import closing
from ledger.journal.days import clock_on
from ledger.reports import box_log
from ledger.rights import READ_BOOKS, SIGN_OFF_DROPS
from ledger.views.day import asked_day
from ledger.views.pages import read_by
from tables.reports import day_reconciliation


def _waits_for_a_count(site: Any, day: date) -> bool:
    """Return whether the bank of a table is on its way: the cashier who receives it counts it blind."""
    return closing.open_documents(site).filter(kind="closer", gaming_day=day).exists()


@read_by(SIGN_OFF_DROPS, READ_BOOKS)
def reconciliation(request: HttpRequest, day: date) -> HttpResponse:
    """Show a day's boxes that were signed off, and its other counts. The make-up of one box gives away that
    of others, so it is shown once all of them are counted."""
    chosen, now = asked_day(request, day), timezone.now()
    boxes = box_log.boxes_of_day(chosen.site, chosen.day)
    own = [row for row in boxes if row.box.gaming_day == chosen.day]
    state = closing.day_state(chosen.site, chosen.day, now)
    rows = day_reconciliation.rows(chosen.site, chosen.day, now)
    away = not request.user.has_perm(READ_BOOKS) and _waits_for_a_count(chosen.site, chosen.day)
    facts = {
        "site": chosen.site,
        "day": chosen,
        "state": state,
        "told": box_log.may_be_told(boxes, request.user),
        "waiting": [row for row in own if row.state != "signed"],
        "rows": day_reconciliation.without_banks(rows) if away else rows,
        "away": away,
        "forms": ("csv", "xlsx", "pdf"),
        "several": clock_on(chosen.site, state.closed.closed_at if state.closed else None).shifts > 1,
    }
    return render(request, "cage/reconciliation.html", facts, status=chosen.status)
