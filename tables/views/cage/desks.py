"""The three desks of the cage: the window, the vault and drawers, the day and its reconciliation."""

from datetime import date
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode

from ledger.cage import beyond, documents, drawers, stocking, taking_back, tokes
from ledger.journal import closing, vault_counts
from ledger.journal.bank_differences import bank_differences
from ledger.journal.days import clock_on, gaming_day
from ledger.reports import box_log, cage_slips, custody
from ledger.reports.over_short import differed_on
from ledger.rights import READ_BOOKS, SIGN_OFF_DROPS, WORK_CAGE
from ledger.views.day import asked_day, the_site
from ledger.views.forms import ReceiptForm
from ledger.views.pages import answered, read_by
from tables.reports import day_reconciliation
from tables.reports.patrons_cash import seen_today
from tables.reports.reconciliation import open_fees
from tables.views.cage import beyond_house, day_lists
from tables.views.cage.day import custody_facts, day_facts
from tables.views.cage.window_forms import WindowForm


@read_by(SIGN_OFF_DROPS)
def cashier(request: HttpRequest) -> HttpResponse:
    """Show the window. Redirect to the day if the address names one, or if this person has no window."""
    asked = request.GET.get("day")
    if not asked and request.user.has_perm(WORK_CAGE):
        return window(request)
    return redirect(reverse("cashier-day") + (f"?{urlencode({'day': asked})}" if asked else ""))


def exchange_form(site: Any, name: str, data: Any = None) -> WindowForm:
    """Return the form that sells or redeems chips (`name`); the chips that are sold are proposed."""
    values = stocking.denominations(site)
    return WindowForm(data, denominations=values, proposes=name == "sell", auto_id=f"{name}-%s")


def window(request: HttpRequest, **refused: Any) -> HttpResponse:
    """Show the window as it is now. `refused` holds forms that are shown again with their errors."""
    site, now = the_site(), timezone.now()
    day = gaming_day(site, now)
    drawer = drawers.drawer_of(site, request.user)
    fees = open_fees(site, now)
    sell = exchange_form(site, "sell")
    if not refused:
        sell.fields["amount"].widget.attrs["autofocus"] = True
    facts = {
        "today": day,
        "drawer": drawer,
        "first_slip_due": drawer is None and cage_slips.first_is_due(site),
        "documents": custody.rows_for(documents.trails(documents.open_documents(site)), request.user),
        "waiting_slips": cage_slips.waiting(site),
        "patrons_hold": beyond.held(site),
        "due": [fee for fee in fees if not fee.ahead],
        "ahead": [fee for fee in fees if fee.ahead],
        "sell": sell,
        "redeem": exchange_form(site, "redeem"),
        "receipt": ReceiptForm(),
        "tokes": tokes.to_pay_out(site),
        "done": taking_back.acts_at_window(site, day),
        "seen_today": seen_today(site, now) if drawer else [],
        "refused": list(refused.values()),
    }
    return answered(request, "cage/window.html", facts | refused, *(refused.values() or [sell]))


@read_by(SIGN_OFF_DROPS)
def vault(request: HttpRequest) -> HttpResponse:
    """Show what went between vault, drawers and tables on a gaming day, and the counts that differed."""
    day = asked_day(request)
    counted = vault_counts.last_count(day.site)
    facts = custody_facts(day, request.user) | {
        "day": day,
        "earlier": [one for one in drawers.open_drawers(day.site) if one.gaming_day < day.day],
        "banks": bank_differences(day.site, gaming_day=day.day),
        "differed": differed_on(day.site, gaming_day=day.day),
        "vault_count": counted,
        "first_slip_due": counted is None and not vault_counts.was_moved(day.site),
        "beyond": beyond_house.begun_at(),
        "away": beyond_house.waiting(day.site, request.user),
    }
    facts["document_list"] = day_lists.documents(request, facts)
    return render(request, "cage/vault.html", facts, status=day.status)


@read_by(SIGN_OFF_DROPS)
def day(request: HttpRequest) -> HttpResponse:
    """Show a gaming day: owed, taken, boxes, still due; what was done at the window of an earlier one."""
    day = asked_day(request)
    may_work = request.user.has_perm(WORK_CAGE)
    earlier = may_work and day.day != day.today
    facts = day_facts(day, request.user) | {
        "may_work": may_work,
        "done": taking_back.acts_at_window(day.site, day.day) if earlier else [],
    }
    facts["receipt_list"] = day_lists.receipts(request, facts)
    return render(request, "cage/day.html", facts, status=day.status)


def _waits_for_a_count(site: Any, day: date) -> bool:
    """Return whether the bank of a table is on its way: the cashier who receives it counts it blind."""
    return closing.open_documents(site).filter(kind="closer", gaming_day=day).exists()


@read_by(SIGN_OFF_DROPS, READ_BOOKS)
def reconciliation(request: HttpRequest, day: date) -> HttpResponse:
    """Show a day's counts. What one box should hold tells of others: it is shown once all are counted."""
    chosen, now = asked_day(request, day), timezone.now()
    boxes = box_log.boxes_of_day(chosen.site, chosen.day)
    own = [row for row in boxes if row.box.gaming_day == chosen.day]
    state = closing.day_state(chosen.site, chosen.day, now)
    rows = day_reconciliation.rows(chosen.site, chosen.day, now)
    away = not request.user.has_perm(READ_BOOKS) and _waits_for_a_count(chosen.site, chosen.day)
    facts = {
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
