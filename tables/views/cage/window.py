"""The cage window: selling and redeeming chips, fees, tokes, receipts."""

from typing import Any, ClassVar

from django.contrib import messages
from django.contrib.auth import get_user_model
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from ledger.cage import window as at_cage
from ledger.journal.particulars import of_the_house
from ledger.money import dollars
from ledger.rights import READ_BOOKS, WORK_CAGE
from ledger.views.fields import BooksForm
from ledger.views.forms import ReceiptForm, WindowForm
from ledger.views.pages import FormPage, read_by
from tables.collection.taking import pay_fees
from tables.models import FeePayment, Sitting
from tables.reports.undo_offers import offer_of
from tables.rules.table.paying import Method
from tables.seats import tokes
from tables.seats.players import Person, names_of
from tables.views.cage.day import ROOM
from tables.views.cage.desks import window


class AtTheWindow(FormPage):
    """One act at the window; its form and refusals are on the window's page."""

    rights = (WORK_CAGE,)
    room = ROOM
    form_class: ClassVar[type[BooksForm]] = WindowForm
    name: ClassVar[str]

    def get(self, request: HttpRequest, **found_by: Any) -> HttpResponse:
        """Redirect: the form is on the window's page."""
        return redirect("cashier")

    def form(self, data: Any = None) -> BooksForm:
        return self.form_class(data, auto_id=f"{self.name}-%s")

    def refused(self, form: BooksForm) -> HttpResponse:
        return window(self.request, status=form.status, **{self.name: form})

    def done(self, said: str, form: BooksForm) -> HttpResponse:
        offer = offer_of(self.site, form.cleaned_data["key"], "undo-at-cage")
        messages.success(self.request, said, extra_tags=offer.tag if offer else "")
        return redirect("cashier")


def patron(site: Any, entry: dict[str, Any]) -> dict[str, Any]:
    """Return the patron as far as known, with their other names and numbers."""
    given, *others = names_of(site, Person(entry["name"], entry["number"], known=entry["known"]))
    return {"name": given[0], "number": given[1], "others": others}


class SellChips(AtTheWindow):
    name = "sell"

    def do(self, form: BooksForm) -> str:
        entry = form.cleaned_data
        sold = at_cage.sell_chips(
            site=self.site, cents=entry["amount"], **patron(self.site, entry), act=self.act(form)
        )
        return f"Chips for {dollars(entry['amount'])} sold. Entry {sold.pk}."


class RedeemChips(AtTheWindow):
    name = "redeem"

    def do(self, form: BooksForm) -> str:
        entry = form.cleaned_data
        paid = at_cage.redeem_chips(
            site=self.site, cents=entry["amount"], **patron(self.site, entry), act=self.act(form)
        )
        return f"Chips for {dollars(entry['amount'])} redeemed: pay that in cash. Entry {paid.pk}."


class PayFeeAtWindow(AtTheWindow):
    """A player pays what is due in cash, against a receipt (R63)."""

    name = "refused_fee"
    form_class = ReceiptForm

    def do(self, form: BooksForm) -> str:
        sitting = get_object_or_404(
            Sitting.objects.select_related("player"),
            of_the_house("session__table__site"),
            pk=self.kwargs["sitting_id"],
        )
        taken = pay_fees(
            sitting_id=sitting.pk, method=Method.CAGE, cents=form.cleaned_data["cents"], act=self.act(form)
        )
        numbers = " and ".join(str(fee.entry_id) for fee in taken)
        word = "Receipt" if len(taken) == 1 else "Receipts"
        return f"{sitting.player} paid {dollars(sum(f.charge.cents for f in taken))}. {word} {numbers}."


class PayOutTokes(AtTheWindow):
    name = "refused_tokes"
    form_class = ReceiptForm

    def do(self, form: BooksForm) -> str:
        dealer = get_object_or_404(get_user_model(), pk=self.kwargs["dealer_id"])
        cents = form.cleaned_data["cents"]
        paid = tokes.pay_out_tokes(site=self.site, dealer=dealer, cents=cents, act=self.act(form))
        return f"Pay {dealer} {dollars(cents)} in cash for the tokes. Entry {paid.pk}."


@read_by(WORK_CAGE, READ_BOOKS)
def receipt(request: HttpRequest, entry_id: int) -> HttpResponse:
    """Show the receipt of a fee paid at the cage, for printing."""
    shown = FeePayment.objects.select_related(
        "entry__actor",
        "entry__reversed_by__reversal_slip",
        "charge__down",
        "charge__player",
        "charge__session__table__site",
    )
    paid = get_object_or_404(shown, of_the_house("entry__site"), entry=entry_id, method=Method.CAGE)
    return render(request, "cage/receipt.html", {"paid": paid, "site": paid.charge.session.table.site})
