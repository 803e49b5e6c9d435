"""The cage window: selling and redeeming chips, fees, tokes, receipts."""

from typing import Any, ClassVar

from django.contrib import messages
from django.contrib.auth import get_user_model
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views import View
from django.views.decorators.http import require_safe

from ledger.cage import window
from ledger.errors import Refusal
from ledger.journal.acts import Act
from ledger.journal.particulars import of_the_house
from ledger.money import dollars
from ledger.rights import READ_BOOKS, WORK_CAGE, require
from ledger.views.day import asked_day
from ledger.views.fields import BooksForm
from ledger.views.forms import ReceiptForm, WindowForm
from ledger.views.terminal import act_of
from tables.collection.taking import pay_fees
from tables.models import FeePayment, Sitting
from tables.reports.undo_offers import offer_of
from tables.seats import tokes
from tables.seats.players import Person, names_of
from tables.views.cage.day import ROOM, desk


class AtTheWindow(View):
    """One act at the window: the form stands on the cashier's page, and a refusal is shown there."""

    form_class: ClassVar[type[BooksForm]] = WindowForm
    name: ClassVar[str]

    def dispatch(self, request: HttpRequest, *args: Any, **rest: Any) -> HttpResponseBase:
        require(request.user, WORK_CAGE)
        return super().dispatch(request, *args, **rest)

    def get(self, request: HttpRequest, **rest: Any) -> HttpResponse:
        """The form is on the cashier's page."""
        return redirect("cashier")

    def post(self, request: HttpRequest, **rest: Any) -> HttpResponse:
        """Do it with one verb, then show the page anew; or show it with what is wrong."""
        form = self.form_class(request.POST, auto_id=f"{self.name}-%s")
        if not form.is_valid():
            return self.refused(form)
        try:
            said = self.do(form.cleaned_data, **rest)
        except Refusal as refusal:
            form.refuse(refusal)
            return self.refused(form)
        offer = offer_of(asked_day(request).site, form.cleaned_data["key"], "undo-at-cage")
        messages.success(request, said, extra_tags=offer.tag if offer else "")
        query = f"?{urlencode({'day': request.GET['day']})}" if request.GET.get("day") else ""
        return redirect(reverse("cashier") + query)

    def do(self, entry: dict[str, Any], *args: Any, **rest: Any) -> str:
        """Call the verb, and say in a sentence what was done."""
        raise NotImplementedError

    def refused(self, form: BooksForm) -> HttpResponse:
        """The page with this form as it was sent."""
        return desk(self.request, status=form.status, **{self.name: form})

    def act(self, entry: dict[str, Any]) -> Act:
        """Who acts at the window, when and where."""
        return act_of(self.request, ROOM, key=entry["key"])


def patron(site: Any, entry: dict[str, Any]) -> dict[str, Any]:
    """Who stands at the window, as far as that is known, and by which other names and numbers they are known."""
    given, *others = names_of(site, Person(entry["name"], entry["number"], known=entry["known"]))
    return {"name": given[0], "number": given[1], "others": others}


class SellChips(AtTheWindow):
    """A patron pays cash and carries chips away."""

    name = "sell"

    def do(self, entry: dict[str, Any]) -> str:
        site = asked_day(self.request).site
        sold = window.sell_chips(
            site=site,
            cents=entry["amount"],
            **patron(site, entry),
            act=self.act(entry),
        )
        return f"Chips for {dollars(entry['amount'])} sold. Entry {sold.pk}."


class RedeemChips(AtTheWindow):
    """A patron hands chips in and is paid in cash."""

    name = "redeem"

    def do(self, entry: dict[str, Any]) -> str:
        site = asked_day(self.request).site
        paid = window.redeem_chips(
            site=site,
            cents=entry["amount"],
            **patron(site, entry),
            act=self.act(entry),
        )
        return f"Chips for {dollars(entry['amount'])} redeemed: pay that in cash. Entry {paid.pk}."


class PayFeeAtWindow(AtTheWindow):
    """A player pays what is due, in cash, against a receipt (R63)."""

    name = "receipt"
    form_class = ReceiptForm

    def do(self, entry: dict[str, Any], sitting_id: int) -> str:
        sitting = get_object_or_404(
            Sitting.objects.select_related("player"), of_the_house("session__table__site"), pk=sitting_id
        )
        taken = pay_fees(sitting_id=sitting_id, method="cage", cents=entry["cents"], act=self.act(entry))
        numbers = " and ".join(str(fee.entry_id) for fee in taken)
        word = "Receipt" if len(taken) == 1 else "Receipts"
        return f"{sitting.player} paid {dollars(sum(f.charge.cents for f in taken))}. {word} {numbers}."

    def refused(self, form: BooksForm) -> HttpResponse:
        """The page as it is now, with what is wrong above the fees that can be paid."""
        return desk(self.request, status=form.status, refused_fee=form)


class PayOutTokes(AtTheWindow):
    """A dealer brings tokes to the cage and is paid in cash."""

    name = "tokes"
    form_class = ReceiptForm

    def do(self, entry: dict[str, Any], dealer_id: int) -> str:
        dealer = get_object_or_404(get_user_model(), pk=dealer_id)
        site = asked_day(self.request).site
        paid = tokes.pay_out_tokes(site=site, dealer=dealer, cents=entry["cents"], act=self.act(entry))
        return f"Pay {dealer} {dollars(entry['cents'])} in cash for the tokes. Entry {paid.pk}."

    def refused(self, form: Any) -> Any:
        """The page as it is now, with what is wrong above the tokes."""
        return desk(self.request, status=form.status, refused_tokes=form)


@require_safe
def receipt(request: HttpRequest, entry_id: int) -> HttpResponse:
    """The receipt of a fee that was paid at the cage, to be printed."""
    require(request.user, WORK_CAGE, READ_BOOKS)
    shown = FeePayment.objects.select_related(
        "entry__actor",
        "entry__reversed_by__reversal_slip",
        "charge__down",
        "charge__player",
        "charge__session__table__site",
    )
    paid = get_object_or_404(
        shown, of_the_house("entry__site"), entry=entry_id, method=FeePayment.Method.CAGE
    )
    return render(request, "cage/receipt.html", {"paid": paid, "site": paid.charge.session.table.site})
