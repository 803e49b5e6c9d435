"""Downloads of the books: a day's journal, staff and balances, the trial balance, an account's statement."""

from collections import Counter
from collections.abc import Iterable
from datetime import date
from zoneinfo import ZoneInfo

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.http import urlencode

from ledger.chart import SOURCES, AccountKind, Asset
from ledger.errors import DayNotClosed
from ledger.journal.balances import asset_sums
from ledger.models import ClosedDay, Site
from ledger.reports import statements
from ledger.reports.journal_csv import blocks as journal_blocks, closing_blocks, staff_blocks
from ledger.reports.journal_jsonl import jsonl_lines
from ledger.reports.trial_balance import (
    AccountRow,
    sums_of,
    trial_balance as balances_at,
    trial_balance_lines,
)
from ledger.rights import READ_BOOKS
from ledger.views.day import the_site
from ledger.views.downloads import CSV, JSONL, blocks_of, csv_download, download
from ledger.views.forms import MomentForm
from ledger.views.pages import read_by


@read_by(READ_BOOKS)
def journal_csv(request: HttpRequest, day: date) -> StreamingHttpResponse:
    blocks = journal_blocks(the_site(), day)
    return download(request, blocks, CSV, f"journal-{day:%Y-%m-%d}.csv")


@read_by(READ_BOOKS)
def journal_jsonl(request: HttpRequest, day: date) -> StreamingHttpResponse:
    blocks = blocks_of(jsonl_lines(the_site(), day))
    return download(request, blocks, JSONL, f"journal-{day:%Y-%m-%d}.jsonl")


@read_by(READ_BOOKS)
def staff_csv(request: HttpRequest, day: date) -> StreamingHttpResponse:
    return download(request, staff_blocks(the_site(), day), CSV, f"staff-{day:%Y-%m-%d}.csv")


@read_by(READ_BOOKS)
def closing_csv(request: HttpRequest, day: date) -> StreamingHttpResponse:
    closed = ClosedDay.objects.filter(site=the_site(), gaming_day=day).first()
    if closed is None:
        raise DayNotClosed(f"Gaming day {day} has no closing of its own, and so no closing balances.")
    return download(request, closing_blocks(closed), CSV, f"closing-balances-{day:%Y-%m-%d}.csv")


@read_by(READ_BOOKS)
def trial_balance(request: HttpRequest) -> HttpResponse:
    """Show the accounts open now or at a moment, summed by kind and asset; each asset adds up to zero."""
    site, form, rows = _balances(request)
    held: Counter[tuple[str, str]] = Counter()
    for row in rows:
        held[row.kind, row.asset] += row.balance_cents
    kinds = [(kind, held[kind, Asset.CHIPS], held[kind, Asset.CASH]) for kind in AccountKind]
    came = (*SOURCES, AccountKind.OVER_SHORT)  # counted minus expected, as everywhere
    places = [row for row in kinds if row[0] not in came]
    sources = [(kind, -chips, -cash) for kind, chips, cash in kinds if kind in came]
    asked = {name: request.GET[name] for name in form.fields if name in request.GET} if form.moment else {}
    at = form.moment or timezone.now()
    facts = {
        "form": form,
        # Django's own format of a moment leaves the zone out in the hour that the clock shows twice.
        "clock": f"{at.astimezone(ZoneInfo(site.time_zone)):%Y-%m-%d %H:%M:%S %Z}",
        "past": form.moment is not None,
        "came": ("Came from there", sources, _together(sources)),
        "stands": ("Stands there", places, _together(places)),
        "accounts": [row for row in rows if row.balance_cents],
        "empty": sum(not row.balance_cents for row in rows),
        "sums": sums_of(rows) if form.moment else asset_sums(site),
        "query": urlencode(asked),
        "until": urlencode({f"to-{name}": value for name, value in asked.items()}),
    }
    return render(request, "audit/trial_balance.html", facts, status=400 if form.errors else 200)


@read_by(READ_BOOKS)
def trial_balance_csv(request: HttpRequest) -> HttpResponseBase:
    _, form, rows = _balances(request)
    if form.errors:
        return trial_balance(request)
    at = form.moment or timezone.now()
    return csv_download(request, trial_balance_lines(rows, at), f"trial-balance-{at:%Y-%m-%d-%H%M%S}-utc.csv")


def _together(rows: Iterable[tuple[AccountKind, int, int]]) -> tuple[int, int]:
    """Return the sums of rows (kind, chips, cash), in cents."""
    chips = cash = 0
    for _, of_chips, of_cash in rows:
        chips, cash = chips + of_chips, cash + of_cash
    return chips, cash


def _balances(request: HttpRequest) -> tuple[Site, MomentForm, list[AccountRow]]:
    """Return the house, the moment asked for, and the balances then, or now if missing or unreadable."""
    site = the_site()
    form = MomentForm(request.GET, zone=site.time_zone)
    form.full_clean()
    return site, form, balances_at(site, form.moment)


@read_by(READ_BOOKS)
def account_csv(request: HttpRequest, account_id: int) -> StreamingHttpResponse:
    """Stream the whole statement of an account over the period asked for, in constant memory."""
    site = the_site()
    account = statements.account_of(site, account_id)
    since, until = asked_period(request, site)
    if account is None or since.errors or until.errors:
        raise Http404
    lines = statements.account_csv(account, since.moment, until.moment or timezone.now())
    return csv_download(request, lines, f"account-{account.pk}.csv")


def asked_period(request: HttpRequest, site: Site) -> tuple[MomentForm, MomentForm]:
    """Return the forms of the moments after which and until which is asked; both are optional."""
    since, until = (MomentForm(request.GET, zone=site.time_zone, prefix=prefix) for prefix in ("from", "to"))
    since.full_clean()
    until.full_clean()
    return since, until
