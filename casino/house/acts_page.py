"""The page on which whoever reads the books sees who did what."""

from datetime import datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.contrib.auth import get_user_model
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from casino.house.acts import GROUPS, ROWS, Sought, deeds
from ledger.rights import READ_BOOKS, require
from ledger.views.day import the_site
from ledger.views.fields import StatusForm

LARGEST = 2**63 - 1


class SoughtForm(StatusForm):
    """What to look for."""

    group = forms.ChoiceField(
        label="What",
        required=False,
        choices=[("", "Everything"), *((name, label) for name, (label, _) in GROUPS.items())],
    )
    person: Any = forms.ModelChoiceField(None, label="Who", required=False, empty_label="Everybody")
    first = forms.DateField(label="From", required=False, widget=forms.DateInput({"type": "date"}))
    last = forms.DateField(label="To", required=False, widget=forms.DateInput({"type": "date"}))
    before = forms.IntegerField(required=False, min_value=1, max_value=LARGEST, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["person"].queryset = get_user_model().objects.order_by("username")  # type: ignore[attr-defined]

    def sought(self, zone: ZoneInfo) -> Sought:
        """What was asked for; days are those of the house."""
        given = self.cleaned_data
        return Sought(
            group=given["group"],
            person=given["person"].pk if given["person"] else None,
            since=_midnight(given["first"], zone),
            until=_midnight(given["last"], zone, days=1),
            before=given["before"],
        )


def _midnight(day: Any, zone: ZoneInfo, days: int = 0) -> datetime | None:
    if day is None:
        return None
    try:
        return datetime.combine(day + timedelta(days=days), time(), zone)
    except OverflowError:
        return None


@require_safe
def acts_page(request: HttpRequest) -> HttpResponse:
    """Sign-ins, refusals, changes of people, downloads and what happened to the house, newest first."""
    require(request.user, READ_BOOKS)
    site = the_site()
    form = SoughtForm(request.GET)
    zone = ZoneInfo(site.time_zone)
    found = deeds(site, form.sought(zone) if form.is_valid() else Sought())
    query = request.GET.copy()
    query.pop("before", None)
    facts = {
        "site": site,
        "form": form,
        "deeds": found[:ROWS],
        "older": found[ROWS - 1].pk if len(found) > ROWS else None,
        "query": f"{query.urlencode()}&" if query else "",
    }
    return render(request, "house/acts.html", facts, status=form.status)
