"""Chips beyond the books: two people accept chips that no entry handed out."""

from typing import Any

from django import forms

from ledger.cage import beyond
from ledger.errors import ConfirmAmount, Refusal
from ledger.money import dollars
from ledger.rights import READ_BOOKS, WORK_CAGE
from ledger.views.fields import AmountField, ReasonField
from ledger.views.pages import FormPage
from tables.views.cage.day import ROOM
from tables.views.fields import TwoPeopleForm


class BeyondForm(TwoPeopleForm):
    """`asked_again` is the amount that was asked for once more."""

    signers = beyond.SECOND
    asked_again: int | None = None

    amount = AmountField(label="Chips")
    reason = ReasonField(label="Whose chips they are, and why the books do not know them")

    confirmed = forms.IntegerField(required=False, widget=forms.HiddenInput)

    field_order = ("amount", "reason", "second", "second_pin")

    def refuse(self, error: Refusal) -> None:
        if error.code == ConfirmAmount.code:
            self.asked_again = self.cleaned_data["amount"]
        super().refuse(error)


class AcceptChips(FormPage):
    """The form, and what was accepted so far."""

    home = "cashier-vault"
    rights = (WORK_CAGE,)
    readers = (READ_BOOKS,)
    room = ROOM
    form_class = BeyondForm
    template = "cage/beyond.html"

    def form(self, data: Any = None) -> BeyondForm:
        return BeyondForm(data, request=self.request)

    def do(self, form: BeyondForm) -> str:
        cents, act = form.cleaned_data["amount"], self.act(form, approver=form.second_person)
        entry = beyond.accept(site=self.site, cents=cents, confirmed=form.cleaned_data["confirmed"], act=act)
        return f"{dollars(cents)} in chips accepted. Entry {entry.pk}."

    def facts(self, form: BeyondForm) -> dict[str, Any]:
        return {
            "site": self.site,
            "held": beyond.held(self.site),
            "accepted": beyond.accepted(self.site),
            "may_work": self.request.user.has_perm(WORK_CAGE),
        }
