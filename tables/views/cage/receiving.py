"""Receiving: pulled boxes come into storage or the count room; a cashier receives the contents of a count
sheet's boxes, counted without knowing what the counters found."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.db import transaction
from django.shortcuts import get_object_or_404
from django.urls import reverse

from ledger.cage import box_custody, count_sheets, stocking
from ledger.cage.boxes import DropBox
from ledger.cage.seals import SEAL_LENGTH, Pulling
from ledger.errors import Refusal, SealDiffers
from ledger.reports.count_sheets import struck_lines
from ledger.rights import COUNT_BOXES, DEAL, RUN_FLOOR, WORK_CAGE
from ledger.views.fields import ReasonField
from ledger.views.pages import FormPage
from tables.views.cage.counting import ROOM
from tables.views.cage.day import ROOM as CAGE
from tables.views.fields import SecondPersonForm, TwoPeopleForm
from tables.views.pieces import CountPieces


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
    """Receive the boxes that two people bring to one place."""

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
        return {"site": self.site, "counts": self.request.user.has_perm(COUNT_BOXES)}


class ReceivedForm(CountPieces, SecondPersonForm):
    """A cashier's count, with a reason and a second person if it still differs from the counters'."""

    if_nothing = "If nothing arrived, write 0."
    second_needed = False
    signers = count_sheets.SECOND_AT_RECEIPT

    reason = ReasonField(label="Why it differs", required=False)


class ReceiveSheet(FormPage):
    """A cashier counts what was in the boxes of a signed sheet; nothing here shows what the counters
    found."""

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
        return {"site": self.site, "sheet": self.sheet, "waits": waits, **said}
