"""The count room: boxes that wait, the count sheet, and counting one in two steps. It never asks for what the
books expect or what the other counter found."""

from collections.abc import Collection
from datetime import date
from typing import Any, ClassVar

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from ledger import lengths
from ledger.cage import box_custody, count_sheets, stocking
from ledger.cage import boxes as drops
from ledger.cage.count_sheets import CountNote, CountSheet
from ledger.jurisdiction import jurisdiction
from ledger.reports import traces
from ledger.reports.count_sheets import sheet_row, struck_lines
from ledger.rights import COUNT_BOXES, READ_BOOKS, SIGN_OFF_DROPS
from ledger.rules.denominations import Pieces, compared, question
from ledger.views.day import the_site
from ledger.views.pages import FormOnPage, FormPage, answered, read_by
from tables.reports.days import without_box
from tables.views.fields import FloorForm, KeyForm, PinField, TwoPeopleForm, proved
from tables.views.pieces import CountPieces

ROOM = "count room"
ENTERED = "Box {number}: entered. Waiting for the second counter."
DIFFER = "Box {number}: entered. The two counts differ: count again, both of you."
CALL = "Box {number}: entered. The counts differ again: call a supervisor, then count again, both of you."
AGREE = "Box {number}: entered. Both counts agree."


@read_by(COUNT_BOXES)
def room(request: HttpRequest) -> HttpResponse:
    return _room(request, KeyForm())


def _room(request: HttpRequest, form: KeyForm) -> HttpResponse:
    site = the_site()
    facts = {"site": site, "days": _days(site, request.user), "form": form, "disputed": drops.disputed(site)}
    facts["under_way"] = box_custody.under_way(site)
    return answered(request, "cage/count.html", facts, form)


def _days(site: Any, person: Any) -> list[tuple[date, Any, bool, list[tuple[Any, bool]]]]:
    """Return the gaming days with boxes on no signed sheet: the day, its open sheet, whether that can be
    signed, and its boxes that do not agree yet, each with whether this person counts it now."""
    found = []
    for day in drops.days_to_count(site):
        if waiting := drops.boxes_of(site, day).waiting:
            there = [state for state in waiting if drops.in_count_room(state.box)]
            counted = [(state, state.waits_for(person)) for state in there if not state.agreed]
            found.append((day, count_sheets.open_sheet(site, day), count_sheets.is_ready(waiting), counted))
    return found


class BeginSheet(FormPage):
    rights = (COUNT_BOXES,)
    room = ROOM
    home = "count"
    form_class = KeyForm
    day: date

    def find(self, day: date) -> None:
        self.day = day

    def get(self, request: HttpRequest, **found_by: Any) -> HttpResponse:
        return redirect("count")

    def shown(self, form: KeyForm) -> HttpResponse:
        return _room(self.request, form)

    def do(self, form: KeyForm) -> str:
        sheet = count_sheets.begin_sheet(site=self.site, day=self.day, act=self.act(form))
        return f"{sheet} is begun. Both of you count each box, each alone."


class CountForm(CountPieces):
    also_sent = frozenset({"step"})
    if_nothing = "If the box is empty, write 0."


class CountBox(FormPage):
    rights = (COUNT_BOXES,)
    room = ROOM
    template = "cage/count_box.html"
    box: drops.DropBox

    def find(self, box_id: int) -> None:
        self.box = get_object_or_404(self.site.boxes.select_related("site"), pk=box_id)

    def form(self, data: Any = None) -> CountForm:
        return CountForm(data, denominations=stocking.denominations(self.site))

    def post(self, request: HttpRequest, **found_by: Any) -> HttpResponse:
        """Handle `step` review, change or confirm; only confirm writes anything."""
        form, step = self.form(request.POST), request.POST.get("step")
        if step == "confirm" or not form.is_valid():
            return super().post(request, **found_by)
        if step == "review":
            reviewed = _reviewed(form.pieces, jurisdiction(self.site.jurisdiction).confirm_pieces["drop_box"])
            return render(request, "cage/count_review.html", self.facts(form) | reviewed)
        return self.shown(form)

    def do(self, form: CountForm) -> str:
        drops.enter_count(box=self.box, pieces=form.pieces, act=self.act(form))
        return ENTERED

    def done(self, sentence: str, form: CountForm) -> HttpResponse:
        state = drops.count_state(self.box)
        differ = state.again and not state.counted_by
        if differ:
            sentence = CALL if state.calls_supervisor else DIFFER
        sentence = AGREE if state.agreed else sentence
        level = messages.warning if differ else messages.success
        level(self.request, sentence.format(number=self.box.number))
        return redirect("count")

    def facts(self, form: CountForm) -> dict[str, Any]:
        state = drops.count_state(self.box)
        sheet = count_sheets.open_sheet(self.site, self.box.gaming_day)
        mine = state.waits_for(self.request.user) and sheet is not None
        return {
            "site": self.box.site,
            "box": self.box,
            "state": state,
            "sheet": sheet,
            "mine": mine,
            "form": form,
        }


def _reviewed(pieces: Pieces, most: int) -> dict[str, Any]:
    return {
        "lines": list(compared(pieces, Pieces())),
        "chips_cents": pieces.chips_cents,
        "cash_cents": pieces.cash_cents,
        "asked": question(pieces, most),
        "confirmed": pieces.chips_cents + pieces.cash_cents,
    }


class SignSheetForm(TwoPeopleForm):
    """Both counters' PINs; only those who counted on the sheet are offered."""

    signers = (COUNT_BOXES,)

    pin = PinField(label="Your PIN")

    def __init__(self, *args: Any, counters: Collection[int], **options: Any) -> None:
        self.counters = counters
        super().__init__(*args, **options)

    def may_sign(self, one: Any) -> bool:
        return one.pk in self.counters

    def clean_pin(self) -> str:
        """Prove who is signed in; the second person is proved after."""
        own = self.request.user.get_username()
        proved(self, self.request, own, "pin", [own])
        return ""


class NoteForm(FloorForm):
    kind = forms.ChoiceField(label="What happened", choices=CountNote.Kind.choices)
    text = forms.CharField(label="Who or what", max_length=lengths.REASON)


class CountSheetPage(FormPage):
    """A count sheet; two counters sign it here once all its boxes agree."""

    rights = (COUNT_BOXES,)
    readers: ClassVar[tuple[str, ...]] = (SIGN_OFF_DROPS, READ_BOOKS)
    room = ROOM
    template = "cage/count_sheet.html"
    sheet: CountSheet

    def find(self, sheet_id: int) -> None:
        sheets = self.site.count_sheets.select_related("site", "begun_by")
        self.sheet = get_object_or_404(sheets, pk=sheet_id)

    def form(self, data: Any = None) -> Any:
        counters = count_sheets.counters_of(self.sheet)
        return SignSheetForm(data, request=self.request, counters=counters)

    def do(self, form: Any) -> str:
        bare = without_box(self.site, self.sheet.gaming_day)
        act = self.act(form, approver=form.second_person)
        count_sheets.sign_sheet(sheet=self.sheet, without_box=bare, act=act)
        return f"{self.sheet} is signed. Its boxes are ready for the cashier."

    def back(self) -> str:
        return reverse("count-sheet", kwargs=self.kwargs)

    def facts(self, form: Any) -> dict[str, Any]:
        row = sheet_row(self.sheet, self.request.user)
        bare = row.signature.without_box if row.signature else without_box(self.site, self.sheet.gaming_day)
        counts = self.request.user.has_perm(COUNT_BOXES) and row.signature is None
        return {
            "site": self.site,
            "row": row,
            "traces": traces.traces(self.site, self.request.user, traces.of_sheet(row)),
            "without_box": bare,
            "struck": struck_lines(self.sheet),
            "note": NoteForm(auto_id="note-%s").without_cursor(),
            "counts": counts,
            "may_sign": counts and row.ready and row.shown,
        }


class NoteOnSheet(FormOnPage, CountSheetPage):
    beside = "note"

    def form(self, data: Any = None) -> NoteForm:
        return NoteForm(data, auto_id="note-%s")

    def do(self, form: NoteForm) -> str:
        count_sheets.note_on_sheet(sheet=self.sheet, **form.entered, act=self.act(form))
        return "Noted."
