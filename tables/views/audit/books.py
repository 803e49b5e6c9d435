"""The books with links to the floor: the journal of a day, an entry, an account. Read-only."""

import json
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.contrib.auth import get_user_model
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.http import urlencode

from ledger.chart import EVENTS, EntryKind
from ledger.journal.days import day_bounds, gaming_day
from ledger.records.shown import readable
from ledger.reports import statements, traces
from ledger.reports.journal_jsonl import entries_on
from ledger.rights import READ_BOOKS
from ledger.views.day import asked_day, the_site
from ledger.views.forms import MomentForm
from ledger.views.journal import asked_period
from ledger.views.listing import LongList, SortColumn
from ledger.views.pages import found_or_404, read_by
from tables.models import Table
from tables.reports.trails import Trail, entries_at, owners_of, place_of, trails_of, trails_of_lines
from tables.views.audit.finding import MOST_ID, FindForm

KINDS = [("", "Every kind"), *((kind.value, EVENTS[kind].title) for kind in EntryKind)]


class PageForm(FindForm):
    after = forms.IntegerField(required=False, min_value=0, max_value=MOST_ID, widget=forms.HiddenInput)
    before = forms.IntegerField(required=False, min_value=0, max_value=MOST_ID, widget=forms.HiddenInput)


JOURNAL = LongList("entry", entry=SortColumn("Entry", "first to last", "last to first", ("pk",)))


class JournalForm(PageForm):
    kind = forms.ChoiceField(label="Kind", required=False, choices=KINDS)
    table = forms.ModelChoiceField(
        Table.objects.none(), label="Table", required=False, to_field_name="number"
    )
    person = forms.ModelChoiceField(
        get_user_model().objects.none(), label="Recorded by", required=False, to_field_name="username"
    )
    sort = JOURNAL.field()

    def __init__(self, *args: Any, site: Any, day: date, **options: Any) -> None:
        super().__init__(*args, **options)
        person: Any = self.fields["person"]
        acted = entries_on(site, day).order_by().values("actor")
        person.queryset = get_user_model().objects.filter(pk__in=acted).order_by("username")
        person.empty_label = "Everybody"
        table: Any = self.fields["table"]
        table.queryset = Table.objects.filter(site=site).order_by("number")
        table.empty_label = "Every table"


@dataclass(frozen=True)
class Followed:
    row: Any
    trail: Trail


@read_by(READ_BOOKS)
def journal_page(request: HttpRequest, day: date) -> HttpResponse:
    """Show the journal of a gaming day, filtered by kind, table and person; the newest first if asked."""
    chosen = asked_day(request, day)
    form = JournalForm(request.GET, site=chosen.site, day=chosen.day)
    asked = form.cleaned_data if form.is_valid() else {}
    table, shown = asked.get("table"), JOURNAL.shown(form)
    where = {name: asked[key] for name, key in (("kind", "kind"), ("actor", "person")) if asked.get(key)}
    newest_first = shown.order[0].startswith("-")
    at_the_end = newest_first and asked.get("after") is None and asked.get("before") is None
    page = statements.journal_page(
        chosen.site,
        chosen.day,
        among=entries_at(table) if table else None,
        after=asked.get("after"),
        before=MOST_ID if at_the_end else asked.get("before"),
        **where,
    )
    trails, entries = trails_of(page.entries), page.entries[:: -1 if newest_first else 1]
    facts = {
        "day": chosen,
        "form": form,
        "page": page,
        "entries": [Followed(entry, trails[entry.pk]) for entry in entries],
        "place": replace(page.place, after=None) if at_the_end else page.place,
        "filtered": bool(where or table),
        "newest_first": newest_first,
        "list": shown,
        "query": shown.query,
        "last": MOST_ID,
    }
    return render(request, "audit/journal.html", facts, status=400 if form.errors else 200)


@read_by(READ_BOOKS)
def entry_page(request: HttpRequest, entry_id: int) -> HttpResponse:
    """Show one entry with its transfers, evidence, and what it takes back and belongs to."""
    site = the_site()
    entry = found_or_404(statements.entry_of(site, entry_id))
    evidence = json.loads(entry.evidence)
    trail = trails_of([entry])[entry.pk]
    moments = traces.of_entry(entry, place_of(trail, entry))
    facts = {
        "traces": traces.traces(site, request.user, moments),
        "entry": entry,
        "reversal": getattr(entry, "reversed_by", None),
        "corrects": evidence.get("corrects") if isinstance(evidence, dict) else None,
        "trail": trail,
        "evidence": readable(evidence).get("pairs", []),
    }
    return render(request, "audit/entry.html", facts)


@read_by(READ_BOOKS)
def account_page(request: HttpRequest, account_id: int) -> HttpResponse:
    """Show an account's statement. Without a period, a house account starts with today's gaming day."""
    site = the_site()
    account = found_or_404(statements.account_of(site, account_id))
    now = timezone.now()
    first, last = asked_period(request, site)
    if account.opened_at is None and not any(name.startswith("from-") for name in request.GET):
        first = _today(site, now)
    page = PageForm(request.GET)
    asked = page.cleaned_data if page.is_valid() else {}
    found = statements.account_statement(
        account,
        since=first.moment,
        until=last.moment or now,
        after=asked.get("after"),
        before=asked.get("before"),
    )
    trails = trails_of_lines(found.lines)
    period = urlencode({name: form.data[name] for form in (first, last) for name in _names(form)})
    facts = {
        "account": account,
        "statement": found,
        "lines": [Followed(line, trails[line.entry.pk]) for line in found.lines],
        "owner": owners_of(account),
        "first": first,
        "last_moment": last,
        "now": last.moment is None,
        "period": period,
        "query": f"{period}&",
        "last": MOST_ID,
    }
    wrong = first.errors or last.errors or page.errors
    return render(request, "audit/account.html", facts, status=400 if wrong else 200)


def _today(site: Any, now: datetime) -> MomentForm:
    """Return the form as if the start of today's gaming day had been asked for."""
    start = day_bounds(site, gaming_day(site, now))[0].astimezone(ZoneInfo(site.time_zone))
    form = MomentForm(
        {"from-on": start.date().isoformat(), "from-time": start.time().isoformat()},
        zone=site.time_zone,
        prefix="from",
    )
    form.full_clean()
    return form


def _names(form: MomentForm) -> list[str]:
    return [name for name in map(form.add_prefix, form.fields) if name in form.data]
