"""Needs that somebody takes by one press, and the last ten that were settled or dismissed."""

from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from ledger.views.day import the_site
from ledger.views.fields import new_key
from ledger.views.pages import read_by
from tables.floor.attention import KINDS
from tables.floor.needs import TAKERS, change_need, last_done
from tables.rules.table.needs import DEEDS, DISMISS, RECALL, RELEASE, TAKE
from tables.views.acts import HouseActPage
from tables.views.fields import FloorForm

SAID = {
    TAKE: "You have taken it.",
    RELEASE: "It waits for somebody again.",
    DISMISS: "It is dismissed. The last ten can be recalled.",
    RECALL: "It waits for somebody again.",
}


class NeedForm(FloorForm):
    need = forms.ChoiceField(choices=[(kind, kind) for kind in KINDS], widget=forms.HiddenInput)
    subject = forms.CharField(max_length=60, widget=forms.HiddenInput)


@read_by(*TAKERS)
def done(request: HttpRequest) -> HttpResponse:
    site = the_site()
    shown = {"done": last_done(site, timezone.now()), "site": site, "key": new_key()}
    return render(request, "floor/needs.html", shown)


class ChangeNeed(HouseActPage):
    """What somebody does to a need, by its button."""

    rights = TAKERS
    title = "Needs somebody"
    form_class = NeedForm
    home, back_to = "floor", "Floor"

    def find(self, does: str) -> None:
        if does not in DEEDS:
            raise Http404
        self.does = does

    def do(self, form: NeedForm) -> Any:
        which = form.cleaned_data["need"], form.cleaned_data["subject"]
        change_need(site=self.site, which=which, does=self.does, act=self.act(form))
        return SAID[self.does]
