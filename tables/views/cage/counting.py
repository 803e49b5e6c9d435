"""The count room: boxes that are received, the count sheet, counting a box in two steps, and the cashier who
receives a sheet. It never asks for what the books expect or what the other counter found."""

from collections.abc import Collection, Sequence
from datetime import date
from typing import Any, ClassVar

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from ledger import lengths
from ledger.cage import box_custody, boxes as drops, count_sheets, stocking
from ledger.cage.boxes import DropBox
from ledger.cage.count_sheets import CountNote, CountSheet
from ledger.cage.seals import SEAL_LENGTH, Pulling
from ledger.errors import Refusal, SealDiffers
from ledger.jurisdiction import jurisdiction
from ledger.reports import traces
from ledger.reports.count_sheets import sheet_row, struck_lines
from ledger.rights import COUNT_BOXES, DEAL, READ_BOOKS, RUN_FLOOR, SIGN_OFF_DROPS, WORK_CAGE
from ledger.rules.denominations import Pieces, compared, question
from ledger.views.day import the_site
from ledger.views.fields import ReasonField
from ledger.views.pages import FormOnPage, FormPage, answered, read_by
from tables.reports.days import without_box
from tables.views.cage.day import ROOM as CAGE
from tables.views.fields import FloorForm, KeyForm, PinField, SecondPersonForm, TwoPeopleForm, proved
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
    facts = {"days": _days(site, request.user), "form": form, "disputed": drops.disputed(site)}
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
        return {"box": self.box, "state": state, "sheet": sheet, "mine": mine, "form": form}


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


class ReceiveBoxesForm(TwoPeopleForm):
    """The seal of each box that is brought. A box whose field is empty is not received now."""

    signers = box_custody.BRINGERS

    place = forms.ChoiceField(label="Where they are received", choices=box_custody.Place.choices)
    seal_reason = ReasonField(label="Why a seal differs", required=False)

    def __init__(self, *args: Any, under_way: Sequence[DropBox], **options: Any) -> None:
        super().__init__(*args, **options)
        self.under_way = under_way
        self.also_sent = frozenset(name for name in self.data if name.startswith("seal_"))
        named = [_field(box) for box in under_way]
        for box, name in zip(under_way, named, strict=True):
            label = f"Seal of box {box.number}, {box.place}"
            self.fields[name] = forms.CharField(label=label, max_length=SEAL_LENGTH, required=False)
        self.order_fields(["key", "place", *named, "seal_reason", "second", "second_pin"])
        if named and not self.is_bound:
            self.without_cursor()
            self.fields[named[0]].widget.attrs["autofocus"] = True

    @property
    def plain_fields(self) -> list[forms.BoundField]:
        return [one for one in super().plain_fields if one.name != "seal_reason" or one.errors or one.value()]

    def read(self, box: DropBox) -> Pulling:
        seal, reason = self.cleaned_data[_field(box)].strip(), self.cleaned_data["seal_reason"]
        return Pulling(seal, reason if seal != box.seal else "")

    @property
    def brought(self) -> list[DropBox]:
        return [box for box in self.under_way if self.cleaned_data[_field(box)].strip()]


def _field(box: DropBox) -> str:
    return f"seal_{box.pk}"


class ReceiveBoxes(FormPage):
    rights = (COUNT_BOXES, RUN_FLOOR, DEAL, WORK_CAGE)
    room = ROOM
    template = "cage/receive_boxes.html"

    def form(self, data: Any = None) -> ReceiveBoxesForm:
        initial = {"place": "count_room" if self.request.user.has_perm(COUNT_BOXES) else "storage"}
        boxes = box_custody.under_way(self.site)
        return ReceiveBoxesForm(data, request=self.request, under_way=boxes, initial=initial)

    def do(self, form: ReceiveBoxesForm) -> str:
        if not form.brought:
            raise SealDiffers("Read the seal of each box that you bring.")
        act = self.act(form, approver=form.second_person)
        place = form.cleaned_data["place"]
        with transaction.atomic():
            for box in form.brought:
                own = act.under(f"{act.key}/{box.pk}")
                try:
                    box_custody.receive_box(box=box, place=place, read=form.read(box), act=own)
                except Refusal as refused:
                    if refused.field == "seal":
                        refused.field = _field(box)
                    raise
        numbers = ", ".join(str(box.number) for box in form.brought)
        return f"Received: box {numbers}. {box_custody.Place(place).label}."

    def back(self) -> str:
        counts = self.request.user.has_perm(COUNT_BOXES)
        return reverse("count" if counts else "receive-boxes")

    def facts(self, form: ReceiveBoxesForm) -> dict[str, Any]:
        return {"counts": self.request.user.has_perm(COUNT_BOXES)}


class ReceivedForm(CountPieces, SecondPersonForm):
    """A cashier's count, with a reason and a second person if it still differs from the counters'."""

    if_nothing = "If nothing arrived, write 0."
    second_needed = False
    signers = count_sheets.SECOND_AT_RECEIPT

    reason = ReasonField(label="Why it differs", required=False)


class ReceiveSheet(FormPage):
    """A cashier counts what was in the boxes of a signed sheet, and is not shown what the counters found."""

    rights = (WORK_CAGE,)
    room = CAGE
    template = "cage/receive_sheet.html"

    def find(self, sheet_id: int) -> None:
        self.sheet = get_object_or_404(self.site.count_sheets.select_related("site"), pk=sheet_id)

    def form(self, data: Any = None) -> ReceivedForm:
        return ReceivedForm(data, denominations=stocking.denominations(self.site), request=self.request)

    def do(self, form: ReceivedForm) -> str:
        act = self.act(form, approver=form.second_person).because(form.cleaned_data["reason"])
        received = count_sheets.receive_sheet(sheet=self.sheet, pieces=form.pieces, act=act)
        if received.reason:
            return f"What was counted on {self.sheet} is received, with a difference. Sign its boxes off."
        return f"What was counted on {self.sheet} is received. Sign its boxes off."

    def back(self) -> str:
        return reverse("count-sheet", args=[self.sheet.pk])

    def facts(self, form: ReceivedForm) -> dict[str, Any]:
        waits = count_sheets.is_signed(self.sheet) and not count_sheets.is_received(self.sheet)
        said = {"struck": struck_lines(self.sheet) if waits else []}
        return {"sheet": self.sheet, "waits": waits, **said}
