"""Compliance's desk: the exclusion list, adding and lifting entries, and who looked when."""

from typing import Any

from django.contrib.auth import get_user_model
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from ledger.cage import exclusions
from ledger.models import Exclusion
from ledger.rights import KEEP_EXCLUSIONS
from ledger.views.day import the_site
from ledger.views.forms import BooksReasonForm, ExclusionForm
from ledger.views.listing import BY_NUMBER, LongList, SortColumn, list_page
from ledger.views.pages import FormPage, read_by
from ledger.views.terminal import act_of

ROOM = "compliance"
ROWS = 50
NEWEST = 10


LISTED = LongList(
    "name",
    name=SortColumn("Name", "from A", "from Z", ("name", "number", "pk")),
    number=SortColumn("Card number", *BY_NUMBER, ("number", "name", "pk")),
    begins=SortColumn("From", "longest ago first", "latest first", ("effective_from", "pk")),
    added=SortColumn("Added", "first to last", "last to first", ("added_at", "pk")),
)


def _words(one: Exclusion) -> str:
    return f"{one.name} {one.number} {one.description} {one.reference}"


class Listed(FormPage):
    home = "exclusions"
    rights = (KEEP_EXCLUSIONS,)
    form_class = ExclusionForm
    template = "exclusions/list.html"

    def form(self, data: Any = None) -> ExclusionForm:
        today = self.now.astimezone(self.zone).date()
        return ExclusionForm(data, initial={"effective_from": today})

    def do(self, form: ExclusionForm) -> str:
        act = act_of(self.request, ROOM, now=self.now)
        return f"{exclusions.add_exclusion(site=self.site, act=act, **form.entered)} is on the list."

    def get(self, request: HttpRequest, **found_by: Any) -> HttpResponse:
        page = super().get(request, **found_by)
        exclusions.note_opened(site=self.site, what="the list", act=act_of(request, ROOM, now=self.now))
        return page

    def facts(self, form: ExclusionForm) -> dict[str, Any]:
        entries = Exclusion.objects.filter(site=self.site).select_related("added_by", "lifted_by")
        held = list_page(self.request, LISTED, entries.filter(lifted_at__isnull=True), _words)
        newest = list(exclusions.withheld_of(self.site)[: NEWEST + 1])
        return {
            "list": held,
            "lifted": entries.filter(lifted_at__isnull=False).order_by("-lifted_at", "pk"),
            "looks": with_names(newest[:NEWEST]),
            "more": len(newest) > NEWEST,
        }


class Lift(FormPage):
    home = "exclusions"
    rights = (KEEP_EXCLUSIONS,)
    form_class = BooksReasonForm
    template = "exclusions/lift.html"

    def do(self, form: BooksReasonForm) -> str:
        one = self.found()
        act = act_of(self.request, ROOM, reason=form.cleaned_data["reason"])
        exclusions.lift_exclusion(exclusion_id=one.pk, act=act)
        return f"{one} is off the list."

    def found(self) -> Exclusion:
        return get_object_or_404(Exclusion, pk=self.kwargs["exclusion_id"], site=self.site)

    def facts(self, form: BooksReasonForm) -> dict[str, Any]:
        return {"one": self.found()}


@read_by(KEEP_EXCLUSIONS)
def looks(request: HttpRequest) -> HttpResponse:
    site = the_site()
    page = Paginator(exclusions.withheld_of(site), ROWS).get_page(request.GET.get("page"))
    facts = {"page_obj": page, "looks": with_names(page.object_list)}
    shown = render(request, "exclusions/looks.html", facts)
    exclusions.note_opened(site=site, what="who looked", act=act_of(request, ROOM))
    return shown


def with_names(rows: Any) -> list[tuple[exclusions.ExclusionEvent, str]]:
    events = exclusions.events(rows)
    people = get_user_model().objects.in_bulk({one.actor_id for one in events if one.actor_id})
    return [(one, str(people.get(one.actor_id, ""))) for one in events]
