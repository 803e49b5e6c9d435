"""The cage window: selling, redeeming and changing chips, fees, tokes, receipts."""

import json
from collections.abc import Callable
from typing import Any, ClassVar

from django import forms
from django.contrib import messages
from django.contrib.auth import get_user_model
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from ledger.cage import receipts, window as at_cage
from ledger.cage.stocking import denominations
from ledger.journal.particulars import of_the_house
from ledger.money import dollars
from ledger.reports import traces
from ledger.rights import COUNT_BOXES, DEAL, KEEP_EXCLUSIONS, MANAGE_HOUSE, READ_BOOKS, RUN_FLOOR, WORK_CAGE
from ledger.rules.denominations import Pieces, listed
from ledger.views.fields import BooksForm
from ledger.views.forms import ReceiptForm
from ledger.views.pages import FormPage, read_by
from tables.collection.taking import pay_fees
from tables.models import FeePayment, Player, Sitting
from tables.reports.patrons_cash import seen_today
from tables.reports.undo_offers import offer_of
from tables.rules.table.paying import Method
from tables.seats import tokes
from tables.views.cage.day import ROOM
from tables.views.cage.desks import exchange_form, window
from tables.views.cage.window_forms import ChangeForm, WindowForm
from tables.views.fields import TwoPeopleForm
from tables.views.pieces import OneCount


class ActOfWindow(FormPage):
    """One act at the window, which can be undone for ten seconds; it leads back there."""

    rights = (WORK_CAGE,)
    room = ROOM

    def done(self, said: str, form: BooksForm) -> HttpResponse:
        offer = offer_of(self.site, form.cleaned_data["key"], "undo-at-cage")
        messages.success(self.request, said, extra_tags=offer.tag if offer else "")
        return redirect("cashier")


class AtTheWindow(ActOfWindow):
    form_class: ClassVar[type[BooksForm]]
    name: ClassVar[str]

    def get(self, request: HttpRequest, **found_by: Any) -> HttpResponse:
        """Redirect: the form is on the window's page."""
        return redirect("cashier")

    def form(self, data: Any = None) -> BooksForm:
        return self.form_class(data, auto_id=f"{self.name}-%s")

    def refused(self, form: BooksForm) -> HttpResponse:
        return window(self.request, **{self.name: form})


class Exchange(AtTheWindow):
    form_class = WindowForm
    verb: ClassVar[Callable[..., Any]]

    def form(self, data: Any = None) -> WindowForm:
        return exchange_form(self.site, self.name, data)

    def exchanged(self, form: WindowForm) -> Any:
        return type(self).verb(
            site=self.site,
            cents=form.cleaned_data["amount"],
            pieces=form.pieces,
            patron=form.patron(self.site, self.act(form)),
            confirmed=form.meant,
            act=self.act(form),
        )


class SellChips(Exchange):
    name = "sell"
    verb = staticmethod(at_cage.sell_chips)

    def do(self, form: Any) -> str:
        return f"Chips for {dollars(form.cleaned_data['amount'])} sold. {self.exchanged(form).receipt}."


class RedeemChips(Exchange):
    name = "redeem"
    verb = staticmethod(at_cage.redeem_chips)

    def do(self, form: Any) -> str:
        amount, receipt = dollars(form.cleaned_data["amount"]), self.exchanged(form).receipt
        return f"Chips for {amount} redeemed: pay that in cash. {receipt}."


class ChangeChips(ActOfWindow):
    template = "cage/change.html"

    def form(self, data: Any = None) -> ChangeForm:
        return ChangeForm(data, denominations=denominations(self.site))

    def facts(self, form: BooksForm) -> dict[str, Any]:
        return {"seen_today": seen_today(self.site, self.now)}

    def do(self, form: Any) -> str:
        changed = at_cage.change_chips(
            site=self.site,
            pieces=form.came.pieces,
            given=form.given.pieces,
            patron=form.patron(self.site, self.act(form)),
            confirmed=form.cleaned_data["confirmed"],
            act=self.act(form),
        )
        return f"{dollars(changed.receipt.cents)} changed. {changed.receipt}."


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
        numbers = " and ".join(str(fee.entry.receipt.number) for fee in taken)
        word = "Receipt" if len(taken) == 1 else "Receipts"
        return f"{sitting.player} paid {dollars(sum(f.charge.cents for f in taken))}. {word} {numbers}."


class PayoutForm(TwoPeopleForm):
    """The `dealer` whose tokes they are signs, and nobody else, even with another role in the house."""

    signers = (DEAL, RUN_FLOOR, WORK_CAGE, COUNT_BOXES, KEEP_EXCLUSIONS, MANAGE_HOUSE)

    cents = forms.IntegerField(min_value=1, widget=forms.HiddenInput)

    def __init__(self, *args: Any, dealer: Any, chips: tuple[int, ...], **options: Any) -> None:
        self.dealer = dealer
        super().__init__(*args, initial={"second": dealer.get_username()}, **options)
        self.fields["second"].label = "Dealer"
        self.count = OneCount(self, {"chips": chips, "cash": ()})
        self.count.begin()

    @property
    def pieces(self) -> Pieces | None:
        return self.count.pieces if self.count.pieces.chips_cents else None

    def may_sign(self, one: Any) -> bool:
        return bool(one.pk == self.dealer.pk)


class PayOutTokes(ActOfWindow):
    """A dealer takes the tokes in cash, and signs for them beside the cashier."""

    template = "cage/tokes.html"

    def find(self, dealer_id: int) -> None:
        self.dealer = get_object_or_404(get_user_model(), pk=dealer_id)

    def form(self, data: Any = None) -> PayoutForm:
        chips = denominations(self.site)["chips"]
        return PayoutForm(data, request=self.request, dealer=self.dealer, chips=chips)

    def facts(self, form: BooksForm) -> dict[str, Any]:
        lying = tokes.lying_for(self.site, self.dealer)
        return {"dealer": self.dealer, "lying": lying}

    def do(self, form: Any) -> str:
        cents, act = form.cleaned_data["cents"], self.act(form, approver=form.second_person)
        paid = tokes.pay_out_tokes(
            site=self.site, dealer=self.dealer, cents=cents, pieces=form.pieces, act=act
        )
        return f"Pay {self.dealer} {dollars(cents)} in cash for the tokes. {receipts.of_payout(paid)}."


@read_by(WORK_CAGE, READ_BOOKS)
def receipt(request: HttpRequest, entry_id: int) -> HttpResponse:
    found = get_object_or_404(receipts.to_show(), of_the_house("site"), entry=entry_id)
    fees = FeePayment.objects.select_related("charge__down", "charge__player", "charge__session__table")
    said, fee = json.loads(found.entry.evidence), fees.filter(entry=entry_id).first()
    facts = {
        "receipt": found,
        "traces": traces.traces(
            found.site, request.user, traces.of_entry(found.entry, traces.CAGE, "At the window")
        ),
        "paid": fee,
        "pieces": listed(said.get("pieces")),
        "given": listed(said.get("given")),
        "patron": None if fee else Player.objects.filter(pk=said.get("player")).first(),
    }
    return render(request, "cage/receipt.html", facts)
