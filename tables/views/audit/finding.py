"""Finding a round in the books by anything known of it, and anything of the house by the search box."""

from collections.abc import Mapping
from datetime import datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from ledger.journal.days import day_bounds
from ledger.rights import READ_BOOKS, require
from ledger.rules.searches import FORMS
from ledger.views.day import the_site
from ledger.views.forms import DayForm
from ledger.views.listing import BY_NUMBER, LongList, SortColumn
from ledger.views.pages import read_by
from tables.errors import BadEntry
from tables.models import Round
from tables.reports import rounds, searching
from tables.reports.players import SEARCH_LENGTH
from tables.views.players.pages import TYPED, SearchForm

ROWS = 50
MOST_ID = 2**31 - 1


def _number(label: str, help_text: str = "") -> forms.IntegerField:
    widget = forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"})
    return forms.IntegerField(
        label=label, required=False, min_value=1, max_value=MOST_ID, help_text=help_text, widget=widget
    )


class FindForm(forms.Form):
    """A search form; what cannot be read is `bad_entry`."""

    def full_clean(self) -> None:
        """Check all fields; Django's faults get this house's code, those of the books keep theirs."""
        super().full_clean()
        for errors in self.errors.values():
            for error in errors.as_data():
                error.code = error.code if error.code == "bad_text" else BadEntry.code


ROUNDS = LongList(
    "-started",
    started=SortColumn("Started", "first to last", "last to first", ("started_at", "pk")),
    round=SortColumn("Table and round", *BY_NUMBER, ("session__table__number", "number", "pk")),
    dealer=SortColumn("Dealer", "from A", "from Z", ("dealer__full_name", "dealer__username", "pk")),
    state=SortColumn(
        "State", "running, settled, void", "void, settled, running", ("state", "started_at", "pk")
    ),
)
OF_A_DAY = ("at", "state", "dealer")
"""Fields that need a gaming day: without one, the rounds of years would have to be read."""
WHICH_DAY = "Of which gaming day? A time, a state, a dealer and an order other than by time need it."


class FindRoundForm(DayForm, FindForm):
    """A round by table, gaming day, number, id or time; on a given day also by outcome and dealer."""

    table = _number("Table")
    number = _number("Round", "Its number at the table.")
    id = _number("Round id", "As in the journal.")
    at = forms.TimeField(
        label="Running at",
        required=False,
        input_formats=["%H:%M", "%H:%M:%S"],
        widget=forms.TimeInput(attrs={"type": "time", "step": 1}),
        help_text="On the house's clock; needs the gaming day.",
    )
    state = forms.ChoiceField(
        label="State",
        required=False,
        choices=[("", "Any state"), ("settled", "Settled"), ("void", "Void"), ("dealt", "Running")],
    )
    dealer = forms.CharField(
        label="Dealer",
        required=False,
        max_length=150,
        help_text="The beginning of the name; needs the gaming day.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    sort = ROUNDS.field()
    field_order = ("table", "day", "number", "at", "id", "state", "dealer", "sort")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["day"].required = False

    def clean(self) -> dict[str, Any]:
        """Require the day for the fields that need one, and for any order but by time."""
        cleaned = super().clean() or self.cleaned_data
        of_a_day = any(cleaned.get(name) for name in OF_A_DAY) or cleaned.get("sort", "") not in (
            "",
            "started",
        )
        if of_a_day and not cleaned.get("day") and not self.has_error("day"):
            self.add_error("day", ValidationError(WHICH_DAY, code=BadEntry.code))
        return cleaned


@read_by(READ_BOOKS)
def find_rounds(request: HttpRequest) -> HttpResponse:
    site = the_site()
    form = FindRoundForm(request.GET if _asked(request, FindRoundForm) else None)
    facts: dict[str, Any] = {"form": form, "asked": form.is_bound}
    if form.is_bound:
        day = form.data.get("day")
        facts |= {"list": (shown := ROUNDS.shown(form, without=() if day else ("round", "dealer", "state")))}
    if form.is_bound and form.is_valid():
        if found_id := form.cleaned_data["id"]:
            if Round.objects.filter(pk=found_id, session__table__site=site).exists():
                return redirect("round", round_id=found_id)
            found = Round.objects.none()
        else:
            found = rounds_by(site, form.cleaned_data).order_by(*shown.order)
        facts["page_obj"] = Paginator(found, ROWS).get_page(request.GET.get("page"))
        facts["query"] = shown.query
    return render(request, "audit/find_round.html", facts, status=400 if form.errors else 200)


def rounds_by(site: Any, words: Mapping[str, Any]) -> QuerySet[Round]:
    """Return rounds by `table`, `number`, gaming `day`, and on it `at`, `state`, `dealer`; None is any."""
    query = rounds.rounds().filter(session__table__site=site)
    if words["table"]:
        query = query.filter(session__table__number=words["table"])
    if words["number"]:
        query = query.filter(number=words["number"])
    if words["day"]:
        start, end = day_bounds(site, words["day"])
        query = query.filter(started_at__gte=start, started_at__lt=end)
        if words["state"]:
            query = query.filter(state=words["state"])
        if words["dealer"]:
            begins = Q(dealer__username__istartswith=words["dealer"])
            query = query.filter(begins | Q(dealer__full_name__istartswith=words["dealer"]))
        if words["at"]:
            first, last = _moments(start, end, words["at"], ZoneInfo(site.time_zone))
            still = Q(ended_at__isnull=True) | Q(ended_at__gte=first)
            query = query.filter(still, started_at__lt=last)
    return query


def _moments(start: datetime, end: datetime, at: time, zone: ZoneInfo) -> tuple[datetime, datetime]:
    """Return the second, or the minute if no seconds are given, when the clock showed `at` in that day."""
    day = start.astimezone(zone).date()
    shown = datetime.combine(day, at, zone).astimezone(start.tzinfo)
    if shown < start:
        shown = datetime.combine(day + timedelta(days=1), at, zone).astimezone(start.tzinfo)
    return shown, shown + (timedelta(seconds=1) if at.second else timedelta(minutes=1))


def _asked(request: HttpRequest, form: type[forms.Form]) -> bool:
    return any(request.GET.get(name) for name in form.base_fields)


class EverythingForm(SearchForm):
    q = forms.CharField(
        label="Find",
        required=False,
        widget=forms.TextInput(attrs={"type": "search", "maxlength": SEARCH_LENGTH, **TYPED}),
    )


@require_safe
def search(request: HttpRequest) -> HttpResponse:
    """Open the one thing that was meant, or show everything that this person may open, by kind."""
    require(request.user, *searching.rights())
    form = EverythingForm(request.GET if "q" in request.GET else None)
    facts: dict[str, Any] = {"form": form, "forms": FORMS, "site": the_site()}
    if form.is_bound and form.is_valid():
        text = form.cleaned_data["q"]
        asked = searching.Search(facts["site"], request.user, text, timezone.now())
        found = searching.results(asked)
        meant = searching.exact(found)
        if meant is not None:
            return redirect(meant.address)
        facts |= {"found": found, "search_text": text}
    return render(request, "search.html", facts, status=form.status)
