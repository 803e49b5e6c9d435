"""The search box: one exact match opens at once, otherwise the page lists what was found by kind."""

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from ledger.rights import require
from ledger.rules.searches import FORMS
from ledger.views.day import the_site
from tables.reports import searching
from tables.reports.players import SEARCH_LENGTH
from tables.views.players.forms import TYPED, SearchForm


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
