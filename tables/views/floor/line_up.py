"""The dealers' line-up, needs that somebody takes, and the handover of the floor."""

from itertools import groupby
from typing import Any

from django import forms
from django.contrib.auth import get_user_model
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone

from ledger import lengths
from ledger.rights import READ_BOOKS
from ledger.templatetags.languages import said
from ledger.views.day import the_site
from ledger.views.fields import new_key
from ledger.views.pages import read_by
from tables.floor.attention import KINDS
from tables.floor.handover import hand_over, handovers, kept_handovers, to_hand_over
from tables.floor.line_up import line_rows, order_line
from tables.floor.needs import LAST, TAKERS, change_need, last_done
from tables.rights import RUN_FLOOR
from tables.rules.table.line_up import DEALING, IN_LINE, OFF, ON_BREAK, ORDERS, may_order
from tables.rules.table.needs import DEEDS, DISMISS, RECALL, RELEASE, TAKE
from tables.views.acts import HouseActPage
from tables.views.fields import FloorForm, SecondPersonForm

WORDS = {
    "line": ("Put in line", "{dealer} is in line."),
    "first": ("Put first", "{dealer} comes next."),
    "break": ("Send on break", "{dealer} is on break."),
    "off": ("Off for the day", "{dealer} is off for the day."),
}
PARTS = ((DEALING, "At the tables"), (IN_LINE, "In line"), (ON_BREAK, "On break"), (OFF, "Off for the day"))


@read_by(RUN_FLOOR)
def line_up(request: HttpRequest) -> HttpResponse:
    now, site = timezone.now(), the_site()
    rows = line_rows(site, now)
    acts = [
        (row, [(does, WORDS[does][0]) for does in ORDERS if may_order(row.standing, does)]) for row in rows
    ]
    parts = [
        (title, [one for one in acts if one[0].standing and one[0].standing.place == place])
        for place, title in PARTS
    ]
    shown = {"parts": parts, "absent": [one for one in acts if one[0].standing is None]}
    return render(request, "floor/line_up.html", shown | {"key": new_key()})


class OrderLine(HouseActPage):
    """One order of the floor about one dealer, by a button in the line-up."""

    rights = (RUN_FLOOR,)
    home, back_to = "line-up", "Dealers"

    def find(self, dealer_id: int, does: str) -> None:
        if does not in ORDERS:
            raise Http404
        self.dealer, self.does = get_object_or_404(get_user_model(), pk=dealer_id), does
        self.title = WORDS[does][0]

    def heading(self) -> str:
        return f"{self.title}: {self.dealer}"

    def do(self, form: FloorForm) -> Any:
        order_line(site=self.site, dealer=self.dealer, does=self.does, act=self.act(form))
        return WORDS[self.does][1].format(dealer=self.dealer)


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
    shown = {"done": last_done(site, timezone.now()), "key": new_key()}
    return render(request, "floor/needs.html", shown)


class ChangeNeed(HouseActPage):
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


class HandoverForm(SecondPersonForm):
    """A tick and a note for each item, and the PIN of who comes."""

    signers = TAKERS

    def __init__(self, *args: Any, items: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.items = items
        self.fields["second"].label = "Who comes"
        self.fields["second"].widget.attrs.pop("autofocus", None)  # the items come first
        for number, one in enumerate(items):
            tick = forms.BooleanField(label="Handed over")
            tick.error_messages["required"] = f"Not handed over yet: {one.sentence}"
            note = {
                "class": "input",
                "placeholder": said("Note"),
                "autocomplete": "off",
                "aria-label": ": ".join((said("Note"), said(one.sentence))),
            }
            self.fields[f"told_{number}"] = tick
            self.fields[f"note_{number}"] = forms.CharField(
                label="Note", required=False, max_length=lengths.REASON, widget=forms.TextInput(attrs=note)
            )
            self.fields[f"which_{number}"] = forms.CharField(
                initial="/".join(one.which), widget=forms.HiddenInput, required=False
            )

    def clean(self) -> dict[str, Any]:
        """Take a tick only for the item that it was shown for."""
        cleaned = super().clean() or self.cleaned_data
        for number, one in enumerate(self.items):
            if cleaned.get(f"which_{number}") != "/".join(one.which) and f"told_{number}" not in self.errors:
                self.add_error(f"told_{number}", f"This has come up meanwhile: {one.sentence}")
        return cleaned

    @property
    def parts(self) -> list[tuple[str, list[Any]]]:
        """The items by place, each with its tick, note and hidden name."""
        numbered = [
            (one, self[f"told_{number}"], self[f"note_{number}"], self[f"which_{number}"])
            for number, one in enumerate(self.items)
        ]
        return [(place, list(rows)) for place, rows in groupby(numbered, lambda row: row[0].place)]

    @property
    def notes(self) -> dict[tuple[str, str], str]:
        return {one.which: self.cleaned_data[f"note_{number}"] for number, one in enumerate(self.items)}


class Handovers(HouseActPage):
    """What must be handed over now, with the handovers that were kept."""

    rights = TAKERS
    title = "Handover"
    button = "Take over"
    form_class = HandoverForm
    template = "floor/handovers.html"
    home, back_to = "floor", "Floor"

    def form_options(self) -> dict[str, Any]:
        return {"items": to_hand_over(self.site, self.now)}

    def facts(self, form: Any) -> dict[str, Any]:
        page = Paginator(handovers(self.site), LAST).get_page(self.request.GET.get("page"))
        kept = kept_handovers(self.site, list(page))
        return super().facts(form) | {"kept": kept, "page_obj": page}

    def do(self, form: HandoverForm) -> Any:
        act = self.act(form, approver=form.second_person)
        self.number = hand_over(site=self.site, notes=form.notes, act=act)
        return f"Handover {self.number} is signed."

    def done(self, sentence: str, form: Any) -> HttpResponse:
        return redirect("handover", number=self.number)


@read_by(*TAKERS, READ_BOOKS)
def handover(request: HttpRequest, number: int) -> HttpResponse:
    found = kept_handovers(the_site(), handovers(the_site()).filter(data__number=number))
    if not found:
        raise Http404
    return render(request, "floor/handover.html", {"one": found[0]})
