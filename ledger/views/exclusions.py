"""Compliance's desk: the exclusion list, putting somebody on it and taking them off, and who looked when."""

from typing import Any
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.contrib.auth import get_user_model
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views import View
from django.views.decorators.http import require_safe

from ledger.cage import exclusions
from ledger.errors import Refusal
from ledger.models import Exclusion
from ledger.rights import KEEP_EXCLUSIONS, require
from ledger.views.day import the_site
from ledger.views.fields import BooksForm
from ledger.views.forms import ExclusionForm, LiftForm
from ledger.views.terminal import act_of

ROOM = "compliance"
ROWS = 50
NEWEST = 10


class Listed(View):
    """The list with the form that adds to it, and the newest looks."""

    def dispatch(self, request: HttpRequest, *args: Any, **found_by: Any) -> HttpResponseBase:
        require(request.user, KEEP_EXCLUSIONS)
        self.site, self.now = the_site(), timezone.now()
        return super().dispatch(request, *args, **found_by)

    def get(self, request: HttpRequest) -> HttpResponse:
        today = self.now.astimezone(ZoneInfo(self.site.time_zone)).date()
        return self.page(ExclusionForm(initial={"effective_from": today}))

    def post(self, request: HttpRequest) -> HttpResponse:
        """Put somebody on the list."""
        form = ExclusionForm(request.POST)
        if not form.is_valid():
            return self.page(form)
        entry = {name: value for name, value in form.cleaned_data.items() if name != "key"}
        try:
            added = exclusions.add_exclusion(site=self.site, act=act_of(request, ROOM, now=self.now), **entry)
        except Refusal as refusal:
            form.refuse(refusal)
            return self.page(form)
        messages.success(request, f"{added} is on the list.")
        return redirect("exclusions")

    def page(self, form: ExclusionForm) -> HttpResponse:
        entries = Exclusion.objects.filter(site=self.site).select_related("added_by", "lifted_by")
        newest = list(exclusions.withheld_of(self.site)[: NEWEST + 1])
        facts = {
            "site": self.site,
            "form": form,
            "entries": entries.filter(lifted_at__isnull=True).order_by("name", "number", "pk"),
            "lifted": entries.filter(lifted_at__isnull=False).order_by("-lifted_at", "pk"),
            "looks": with_names(newest[:NEWEST]),
            "more": len(newest) > NEWEST,
        }
        return render(self.request, "exclusions/list.html", facts, status=form.status)


class Lift(View):
    """Taking somebody off the list."""

    def dispatch(self, request: HttpRequest, *args: Any, **found_by: Any) -> HttpResponseBase:
        require(request.user, KEEP_EXCLUSIONS)
        return super().dispatch(request, *args, **found_by)

    def get(self, request: HttpRequest, exclusion_id: int) -> HttpResponse:
        return self.page(LiftForm())

    def post(self, request: HttpRequest, exclusion_id: int) -> HttpResponse:
        """Lift it."""
        form = LiftForm(request.POST)
        if not form.is_valid():
            return self.page(form)
        one = self.found()
        try:
            exclusions.lift_exclusion(
                exclusion_id=one.pk,
                act=act_of(request, ROOM, reason=form.cleaned_data["reason"]),
            )
        except Refusal as refusal:
            form.refuse(refusal)
            return self.page(form)
        messages.success(request, f"{one} is off the list.")
        return redirect("exclusions")

    def found(self) -> Exclusion:
        return get_object_or_404(Exclusion, pk=self.kwargs["exclusion_id"], site=the_site())

    def page(self, form: BooksForm) -> HttpResponse:
        facts = {"site": the_site(), "one": self.found(), "form": form}
        return render(self.request, "exclusions/lift.html", facts, status=form.status)


@require_safe
def looks(request: HttpRequest) -> HttpResponse:
    """Who looked when and whom for, and who changed the list, newest first."""
    require(request.user, KEEP_EXCLUSIONS)
    site = the_site()
    page = Paginator(exclusions.withheld_of(site), ROWS).get_page(request.GET.get("page"))
    facts = {"site": site, "page_obj": page, "looks": with_names(page.object_list)}
    return render(request, "exclusions/looks.html", facts)


def with_names(rows: Any) -> list[tuple[exclusions.ExclusionEvent, str]]:
    """Return what these rows record, each with the name of the person who did it."""
    events = exclusions.events(rows)
    people = get_user_model().objects.in_bulk({one.actor_id for one in events if one.actor_id})
    return [(one, str(people.get(one.actor_id, ""))) for one in events]
