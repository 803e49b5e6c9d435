"""The books to take away and to look at: the journal of a gaming day as CSV and JSON lines, and the trial balance."""

from collections.abc import AsyncIterator, Iterator
from datetime import date
from itertools import islice

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from ledger import reports
from ledger.chart import AccountKind, Asset
from ledger.rights import READ_BOOKS, require
from ledger.views.day import the_site

LINES_AT_A_TIME = 500


@require_safe
def journal_csv(request: HttpRequest, day: date) -> StreamingHttpResponse:
    """The journal of a gaming day, one row per transfer."""
    require(request.user, READ_BOOKS)
    lines = reports.csv_lines(the_site(), day)
    return _download(request, lines, "text/csv; charset=utf-8", f"journal-{day:%Y-%m-%d}.csv")


@require_safe
def journal_jsonl(request: HttpRequest, day: date) -> StreamingHttpResponse:
    """The journal of a gaming day, one object per entry with its transfers and evidence."""
    require(request.user, READ_BOOKS)
    lines = reports.jsonl_lines(the_site(), day)
    return _download(request, lines, "application/jsonl; charset=utf-8", f"journal-{day:%Y-%m-%d}.jsonl")


@require_safe
def trial_balance(request: HttpRequest) -> HttpResponse:
    """Every account that is open, summed by kind and asset; each asset adds up to zero."""
    require(request.user, READ_BOOKS)
    site = the_site()
    rows = reports.trial_balance(site)
    kinds = [
        (kind, *(sum(r.balance_cents for r in rows if (r.kind, r.asset) == (kind, asset)) for asset in Asset))
        for kind in AccountKind
    ]
    facts = {
        "site": site,
        "at": timezone.now(),
        "kinds": kinds,
        "accounts": [row for row in rows if row.balance_cents],
        "empty": sum(not row.balance_cents for row in rows),
        "sums": reports.asset_sums(site),
    }
    return render(request, "audit/trial_balance.html", facts)


def _download(request: HttpRequest, lines: Iterator[str], kind: str, name: str) -> StreamingHttpResponse:
    """Lines as a file, in constant memory. Under ASGI Django would gather a plain iterator before sending any of it."""
    pieces = iter(lambda: "".join(islice(lines, LINES_AT_A_TIME)), "")
    streamed = _in_thread(pieces) if isinstance(request, ASGIRequest) else pieces
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return StreamingHttpResponse(streamed, content_type=kind, headers=headers)


async def _in_thread(pieces: Iterator[str]) -> AsyncIterator[str]:
    """The same pieces, each fetched in the thread that holds the request's database connection."""
    while piece := await sync_to_async(next)(pieces, ""):
        yield piece
