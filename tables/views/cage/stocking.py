"""Stocking the cage: the cashier's count, the second person's blind count, the slip as a paper, and its withdrawal."""

import re
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views import View

from ledger.audit.denominations import Pieces, field_of, value_text
from ledger.cage import stocking, window
from ledger.errors import BadAmount, Refusal
from ledger.journal.acts import Act
from ledger.money import dollars
from ledger.reports import cage_slips
from ledger.rights import READ_BOOKS, RUN_FLOOR, WORK_CAGE, require
from ledger.views.day import the_site
from ledger.views.terminal import terminal_of
from tables.views.cage.day import ROOM
from tables.views.fields import FloorForm, ReasonForm, SecondPersonForm

WAYS = {"in": "Stock the cage", "out": "Take out of the cage"}


class PiecesField(forms.CharField):
    """How many pieces of one denomination there are; empty means none."""

    def __init__(self, cents: int) -> None:
        inputs = {"inputmode": "numeric", "autocomplete": "off", "placeholder": "0", "data-value": cents}
        super().__init__(required=False, label=value_text(cents), widget=forms.TextInput(attrs=inputs))

    def to_python(self, value: Any) -> int:  # type: ignore[override]
        """Return the number of pieces. Refuses what is no whole number (`bad_amount`)."""
        text = (super().to_python(value) or "").strip()
        if not re.fullmatch(r"[0-9]{0,9}", text, re.ASCII):
            raise ValidationError("Count whole pieces, from 0 up.", code=BadAmount.code)
        return int(text or 0)


class CountPieces(FloorForm):
    """A count by denomination, of the house's chips and of notes and coins."""

    def __init__(self, *args: Any, denominations: dict[str, tuple[int, ...]], **options: Any) -> None:
        super().__init__(*args, **options)
        self.denominations = denominations
        for asset, values in denominations.items():
            for value in reversed(values):
                self.fields[field_of(asset, value)] = PiecesField(value)
        for field in self.fields.values():
            field.widget.attrs.pop("autofocus", None)
        self.assets[0][1][0].field.widget.attrs["autofocus"] = (
            True  # who counts begins on top, and signs at the end
        )

    @property
    def assets(self) -> list[tuple[str, list[forms.BoundField]]]:
        """The fields of the pieces by asset, the largest denomination first."""
        return [
            (asset, [self[field_of(asset, value)] for value in reversed(values)])
            for asset, values in self.denominations.items()
        ]

    @property
    def pieces(self) -> Pieces:
        """What was counted."""
        counted = {
            asset: {value: self.cleaned_data[field_of(asset, value)] for value in values}
            for asset, values in self.denominations.items()
        }
        return Pieces(counted["chips"], counted["cash"])


class CountAgain(CountPieces, SecondPersonForm):
    """The second count, by somebody who works the cage or runs the floor and proves it with a PIN."""

    signers = (WORK_CAGE, RUN_FLOOR)


class CountFirst(View):
    """The cashier counts what comes into the cage, or leaves it (`way`)."""

    way = "in"

    def get(self, request: HttpRequest) -> HttpResponse:
        """Show an empty count."""
        require(request.user, WORK_CAGE)
        return self.page(self.form())

    def post(self, request: HttpRequest) -> HttpResponse:
        """Record the count on a new slip; then the second person counts."""
        require(request.user, WORK_CAGE)
        form = self.form(request.POST)
        if not form.is_valid():
            return self.page(form)
        try:
            slip = stocking.count_first(
                site=the_site(), way=self.way, pieces=form.pieces, act=_act(request, form)
            )
        except Refusal as refusal:
            form.refuse(refusal)
            return self.page(form)
        return redirect("cage-slip", slip_id=slip.pk)

    def form(self, data: Any = None) -> CountPieces:
        return CountPieces(data, denominations=stocking.denominations(the_site()))

    def page(self, form: CountPieces) -> HttpResponse:
        site = the_site()
        facts = {
            "site": site,
            "form": form,
            "way": self.way,
            "title": WAYS[self.way],
            "holds": window.holds(site),
        }
        return render(self.request, "cage/stock.html", facts, status=form.status)


class Slip(View):
    """One cage slip: while it waits, the second person's count; once it has ended, the paper."""

    def get(self, request: HttpRequest, slip_id: int) -> HttpResponse:
        """Show the count or the paper."""
        require(request.user, WORK_CAGE, READ_BOOKS)
        return self.page(self.form())

    def post(self, request: HttpRequest, slip_id: int) -> HttpResponse:
        """Take the second count. Both people see on the slip whether the counts agree."""
        require(request.user, WORK_CAGE)
        row, form = self.row(), self.form(request.POST)
        if not form.is_valid():
            return self.page(form)
        try:
            result = stocking.count_second(
                slip=row.slip, pieces=form.pieces, act=_act(request, form, approver=form.second_person)
            )
        except Refusal as refusal:
            form.refuse(refusal)
            return self.page(form)
        if result.entry_id:
            total = dollars(result.chips_cents + result.cash_cents)
            messages.success(request, f"Both counts agree: {total}. Entry {result.entry_id}.")
        return redirect("cage-slip", slip_id=row.slip.pk)

    def row(self) -> cage_slips.SlipRow:
        """Return the slip, or raise 404."""
        row = cage_slips.slip_row(self.kwargs["slip_id"])
        if row is None or row.slip.site != the_site():
            raise Http404
        return row

    def form(self, data: Any = None) -> CountAgain:
        return CountAgain(
            data, denominations=stocking.denominations(the_site()), request=self.request, auto_id="again-%s"
        )

    def page(self, form: CountAgain) -> HttpResponse:
        row, may_work = self.row(), self.request.user.has_perm(WORK_CAGE)
        facts = {
            "site": row.slip.site,
            "row": row,
            "form": form,
            "withdraw": ReasonForm(auto_id="withdraw-%s"),
            "may_work": may_work,
            "mine": may_work and row.result is None and row.slip.counted_by == self.request.user,
        }
        return render(self.request, "cage/slip.html", facts, status=form.status)


class WithdrawSlip(Slip):
    """Withdrawing a slip that waits for its second count."""

    def get(self, request: HttpRequest, slip_id: int) -> HttpResponse:
        """Show the slip: the form is there."""
        require(request.user, WORK_CAGE)
        return redirect("cage-slip", slip_id=slip_id)

    def post(self, request: HttpRequest, slip_id: int) -> HttpResponse:
        """Withdraw it."""
        require(request.user, WORK_CAGE)
        row, form = self.row(), ReasonForm(request.POST, auto_id="withdraw-%s")
        if not form.is_valid():
            return self.refused(form)
        try:
            stocking.withdraw_slip(slip=row.slip, act=_act(request, form, reason=form.cleaned_data["reason"]))
        except Refusal as refusal:
            form.refuse(refusal)
            return self.refused(form)
        messages.success(request, f"{row.slip} is withdrawn. Nothing was posted.")
        return redirect("cage-slip", slip_id=row.slip.pk)

    def refused(self, form: ReasonForm) -> HttpResponse:
        """Show the slip with what is wrong in the withdrawal."""
        row = self.row()
        facts = {
            "site": row.slip.site,
            "row": row,
            "form": self.form(),
            "withdraw": form,
            "may_work": True,
            "mine": row.result is None and row.slip.counted_by == self.request.user,
        }
        return render(self.request, "cage/slip.html", facts, status=form.status)


def _act(request: HttpRequest, form: FloorForm, **more: Any) -> Act:
    key = form.cleaned_data["key"]
    return Act(request.user, timezone.now(), key, terminal_of(request, ROOM), **more)
