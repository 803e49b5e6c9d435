"""A period played again: under its own sheet, or as it would have been. Changes nothing."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render

from ledger.errors import BadAmount, BadText
from ledger.rights import READ_BOOKS
from ledger.views.day import asked_day, the_site
from ledger.views.downloads import csv_download
from ledger.views.fields import AmountField, BooksForm
from ledger.views.forms import PeriodForm
from ledger.views.pages import FormPage, read_by
from tables.floor.games import games, title_of
from tables.log.replaying import Period, Terms, fees_again, keep_replay, replayed, seat_lines
from tables.models import Table
from tables.rules.game.sheet import Sheet

MOST_ROUNDS = 20_000
"""How many rounds are played again while the reader waits. A CSV is sent as it is made, or is kept."""


class ReplayForm(PeriodForm):
    """Gaming days, a table, and what to change when they are played again; an empty field changes nothing."""

    players = None  # type: ignore[assignment]
    table = forms.ModelChoiceField(
        Table.objects.none(), required=False, to_field_name="number", empty_label="Every table"
    )
    sheet = forms.ChoiceField(required=False, label="Rules")
    limit = AmountField(required=False, label="Limit, dollars a point")
    fee = AmountField(required=False, label="Fee, dollars a down")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        table: Any = self.fields["table"]
        table.queryset = Table.objects.filter(site=the_site()).order_by("number")
        sheet: Any = self.fields["sheet"]
        sheet.choices = [("", "The rules it was played by"), *((one.code, title_of(one)) for one in games())]
        self.fields["first"].required = self.fields["last"].required = True

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        first, last = cleaned.get("first"), cleaned.get("last")
        if first and last and last < first:
            self.add_error("last", ValidationError("The first day comes first.", code=BadText.code))
        for name in ("limit", "fee"):
            if cleaned.get(name) == 0:
                self.add_error(name, ValidationError("It must be above zero.", code=BadAmount.code))
        return cleaned

    @property
    def terms(self) -> Terms:
        chosen = self.cleaned_data["sheet"]
        sheet: Sheet | None = next((one for one in games() if one.code == chosen), None)
        return Terms(sheet, self.cleaned_data["limit"])

    @property
    def period(self) -> Period:
        asked = self.cleaned_data
        return Period(the_site(), asked["first"], asked["last"], asked["table"])


@read_by(READ_BOOKS)
def replay_page(request: HttpRequest) -> HttpResponse:
    """Show the results of a period played again beside those it had."""
    return _page(request, ReplayForm(request.GET or None, initial=_today(request)))


@read_by(READ_BOOKS)
def replay_csv(request: HttpRequest) -> HttpResponseBase:
    form = ReplayForm(request.GET or _today(request))
    if not form.is_valid():
        return _page(request, form)
    name = f"replay-{form.cleaned_data['first']}-{form.cleaned_data['last']}.csv"
    return csv_download(request, seat_lines(form.period.settlements(), form.terms), name)


class KeepReplayForm(BooksForm):
    """The replay that the page shows, as its address says it."""

    query = forms.CharField(max_length=300, widget=forms.HiddenInput)

    def clean_query(self) -> ReplayForm:
        form = ReplayForm(QueryDict(self.cleaned_data["query"]))
        if not form.is_valid():
            raise ValidationError("Choose again what is scored.", code=BadText.code)
        return form


class KeepReplay(FormPage):
    """Have a replay made beside the night's work; it is kept among the papers."""

    rights = (READ_BOOKS,)
    room = "books"
    home = "papers"
    form_class = KeepReplayForm

    def get(self, request: HttpRequest, **found_by: Any) -> HttpResponse:
        return redirect("replay")

    def do(self, form: KeepReplayForm) -> str:
        replay: ReplayForm = form.cleaned_data["query"]
        paper = keep_replay(period=replay.period, terms=replay.terms, act=self.act(form))
        return f"{paper}, the replay, is being made. This page says when it is there."

    def shown(self, form: KeepReplayForm) -> HttpResponse:
        return _page(self.request, ReplayForm(initial=_today(self.request)), form)


def _today(request: HttpRequest) -> dict[str, str]:
    return dict.fromkeys(("first", "last"), asked_day(request).day.isoformat())


def _page(request: HttpRequest, form: ReplayForm, keep: KeepReplayForm | None = None) -> HttpResponse:
    query = request.GET.urlencode()
    facts: dict[str, Any] = {"form": form, "query": query}
    facts["keep"] = keep or KeepReplayForm(initial={"query": query})
    if form.is_valid():
        settlements, fee = form.period.settlements(), form.cleaned_data["fee"]
        facts["count"] = len(settlements)
        facts["found"] = replayed(settlements, form.terms) if len(settlements) <= MOST_ROUNDS else None
        facts["fees"] = fees_again(form.period, fee) if fee else []
        facts["fees_were"] = sum(one.was for one in facts["fees"])
        facts["fees_again"] = sum(one.again for one in facts["fees"])
    status = (
        max(one.status for one in (form, facts["keep"]) if one.is_bound) if form.is_bound or keep else 200
    )
    return render(request, "audit/replay.html", facts, status=status)
