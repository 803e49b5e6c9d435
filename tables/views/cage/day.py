"""The day at the cage: boxes to reconcile, receipts, what keeps the day open."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from ledger.cage import taking_back, tokes, window
from ledger.journal import closing
from ledger.reports import box_log, cage_slips
from ledger.rights import SIGN_OFF_DROPS, WORK_CAGE, require
from ledger.views.day import Day, asked_day
from ledger.views.forms import ReceiptForm, WindowForm
from tables.reports import reconciliation
from tables.reports.downs import name_rates

ROOM = "cage"


def day_facts(day: Day) -> dict[str, Any]:
    """What every page about a gaming day's money shows: the list, the boxes, the receipts, and the proof of them."""
    collections = reconciliation.collections_of(day.site, day.day)
    name_rates([row.session for row in collections.sessions])
    boxes = box_log.boxes_of_day(day.site, day.day)
    taken = box_log.taken_on(day.site, day.day)
    return {
        "site": day.site,
        "day": day,
        "state": closing.day_state(day.site, day.day, timezone.now()),
        "collections": collections,
        "boxes": [row for row in boxes if row.box.gaming_day == day.day],
        "elsewhere": [(row.box, row.fees[day.day]) for row in boxes if row.box.gaming_day != day.day],
        "slips": cage_slips.slips_of_day(day.site, day.day),
        "reversals": taking_back.slips_of_day(day.site, day.day),
        "receipts": reconciliation.receipts_of(day.site, day.day),
        "proof": reconciliation.proof(collections, taken, boxes),
    }


def desk(request: HttpRequest, *, status: int = 200, **refused: Any) -> HttpResponse:
    """The cashier's page. `refused` holds forms that are shown again with what is wrong."""
    day = asked_day(request)
    fees = reconciliation.open_fees(day.site, timezone.now())
    facts = day_facts(day) | {
        "holds": window.holds(day.site),
        "waiting_slips": cage_slips.waiting(day.site),
        "due": [fee for fee in fees if not fee.ahead],
        "ahead": [fee for fee in fees if fee.ahead],
        "sell": WindowForm(auto_id="sell-%s"),
        "redeem": WindowForm(auto_id="redeem-%s"),
        "receipt": ReceiptForm(),
        "tokes": tokes.to_pay_out(day.site),
        "done": taking_back.acts_at_window(day.site, day.day),
        "may_work": request.user.has_perm(WORK_CAGE),
    }
    return render(request, "cage/day.html", facts | refused, status=max(status, day.status))


@require_safe
def day_page(request: HttpRequest) -> HttpResponse:
    """A gaming day: what was owed and taken, the boxes, what is still due; and the window."""
    require(request.user, SIGN_OFF_DROPS)
    return desk(request)
