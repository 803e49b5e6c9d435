"""Filling the bank of a table, changing its drop box."""

from collections.abc import Sequence
from typing import Any

from ledger.money import dollars
from tables.floor import opening
from tables.views.acts import TablePanelActPage
from tables.views.fields import TwoPeopleForm
from tables.views.floor.forms import FillForm


class FillBank(TablePanelActPage):
    """Bringing chips from the cage."""

    title = "Fill the bank"
    button = "Fill the bank"
    form_class = FillForm

    def notes(self) -> Sequence[tuple[str, str]]:
        return (("Chips in the bank", dollars(self.session.bank_chips.balance_cents)),)

    def do(self, form: FillForm) -> str:
        cents = form.cleaned_data["amount"]
        opening.fill_bank(
            session_id=self.session.pk,
            cents=cents,
            act=self.act(form),
        )
        return f"{dollars(cents)} in chips came to {self.session.table}."


class ChangeBox(TablePanelActPage):
    """Pulling the drop box and installing an empty one."""

    title = "Change the box"
    button = "Change the box"
    form_class = TwoPeopleForm

    def form_options(self) -> dict[str, Any]:
        return {"request": self.request}

    def notes(self) -> Sequence[tuple[str, str]]:
        return (("Box at the table", f"No. {self.session.box.number}"),)

    def do(self, form: TwoPeopleForm) -> str:
        session = opening.change_box(
            session_id=self.session.pk,
            second=form.second_person,
            act=self.act(form),
        )
        return f"Box {session.box.number} is at {session.table} now."
