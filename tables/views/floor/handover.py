"""The handover of the floor: gone through item by item, signed by who comes, kept under a number, printed."""

from itertools import groupby
from typing import Any

from django import forms
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from ledger import lengths
from ledger.rights import READ_BOOKS
from ledger.templatetags.languages import said
from ledger.views.day import the_site
from ledger.views.pages import read_by
from tables.floor.handover import hand_over, handovers, kept_handovers, to_hand_over
from tables.floor.needs import LAST, TAKERS
from tables.views.acts import HouseActPage
from tables.views.fields import SecondPersonForm


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
        return super().facts(form) | {"kept": kept, "page_obj": page, "site": self.site}

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
    return render(request, "floor/handover.html", {"one": found[0], "site": the_site()})
