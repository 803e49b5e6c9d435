"""The cashier's desk: the collection of a gaming day against its boxes, the window, and signing a counted box off."""

from datetime import date
from typing import Any, ClassVar

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.views import View
from django.views.decorators.http import require_safe

from ledger import box_log, cage, closing, drops, tokes
from ledger.errors import LedgerError
from ledger.forms import BooksForm, CloseDayForm, ReceiptForm, SignOffForm, WindowForm
from ledger.money import dollars
from ledger.rights import READ_BOOKS, SIGN_OFF_DROPS, WORK_CAGE, require
from ledger.views.day import Day, asked_day
from ledger.views.terminal import terminal_of
from tables import reconciliation
from tables.collection import pay_fees
from tables.errors import TableError
from tables.models import Collection, Sitting
from tables.players import known_name
from tables.rates_played import name_rates

ROOM = "cage"
CONFLICTS = {
    "key_reused",
    "insufficient_funds",
    "box_signed",
    "box_not_pulled",
    "box_not_signed",
    "count_open",
    "day_already_closed",
    "day_not_over",
    "earlier_day_open",
}
FORBIDDEN = {"not_allowed", "counted_by_signer", "see_floor"}


def status_of(refusal: LedgerError | TableError) -> int:
    """The HTTP status of a refusal at the desk."""
    if refusal.code in FORBIDDEN:
        return 403
    return getattr(refusal, "status", 409 if refusal.code in CONFLICTS else 400)


def day_facts(day: Day) -> dict[str, Any]:
    """What every page about a gaming day's money shows: the list, the boxes, the receipts, and the proof of them."""
    collections = reconciliation.collections_of(day.site, day.day)
    name_rates([row.session for row in collections.sessions])
    boxes = box_log.boxes_of_day(day.site, day.day)
    taken = box_log.taken_on(day.site, day.day)
    return {
        "site": day.site,
        "day": day,
        "state": closing.day_state(day.site, day.day, timezone.now()),
        "collections": collections,
        "boxes": [row for row in boxes if row.box.gaming_day == day.day],
        "elsewhere": [(row.box, row.fees[day.day]) for row in boxes if row.box.gaming_day != day.day],
        "receipts": reconciliation.receipts_of(day.site, day.day),
        "proof": reconciliation.proof(collections, taken, boxes),
    }


def desk(request: HttpRequest, *, status: int = 200, **refused: Any) -> HttpResponse:
    """The cashier's page. `refused` holds forms that are shown again with what is wrong."""
    day = asked_day(request)
    fees = reconciliation.open_fees(day.site, timezone.now())
    facts = day_facts(day) | {
        "holds": cage.holds(day.site),
        "due": [fee for fee in fees if not fee.ahead],
        "ahead": [fee for fee in fees if fee.ahead],
        "sell": WindowForm(auto_id="sell-%s"),
        "redeem": WindowForm(auto_id="redeem-%s"),
        "receipt": ReceiptForm(),
        "tokes": tokes.to_pay_out(day.site),
        "may_work": request.user.has_perm(WORK_CAGE),
    }
    return render(request, "cashier/day.html", facts | refused, status=max(status, day.status))


@require_safe
def day_page(request: HttpRequest) -> HttpResponse:
    """A gaming day: what was owed and taken, the boxes, what is still due; and the window."""
    require(request.user, SIGN_OFF_DROPS)
    return desk(request)


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
            return self.refused(form, 400)
        try:
            said = self.do(form.cleaned_data, **rest)
        except (LedgerError, TableError) as refusal:
            form.refuse(refusal)
            return self.refused(form, status_of(refusal))
        messages.success(request, said)
        query = f"?{urlencode({'day': request.GET['day']})}" if request.GET.get("day") else ""
        return redirect(reverse("cashier") + query)

    def do(self, entry: dict[str, Any], **rest: Any) -> str:
        """Call the verb, and say in a sentence what was done."""
        raise NotImplementedError

    def refused(self, form: BooksForm, status: int) -> HttpResponse:
        """The page with this form as it was sent."""
        return desk(self.request, status=status, **{self.name: form})

    def verb_facts(self, entry: dict[str, Any]) -> dict[str, Any]:
        """What every verb is told."""
        return {
            "key": entry["key"],
            "actor": self.request.user,
            "now": timezone.now(),
            "terminal": terminal_of(self.request, ROOM),
        }


def patron(site: Any, entry: dict[str, Any]) -> dict[str, str]:
    """Who stands at the window, as far as that is known; a card number also gives the name that goes with it."""
    return {"name": known_name(site, entry["name"], entry["number"]), "number": entry["number"]}


class SellChips(AtTheWindow):
    """A patron pays cash and carries chips away."""

    name = "sell"

    def do(self, entry: dict[str, Any]) -> str:
        site = asked_day(self.request).site
        sold = cage.sell_chips(
            site=site, cents=entry["amount"], **patron(site, entry), **self.verb_facts(entry)
        )
        return f"Chips for {dollars(entry['amount'])} sold. Entry {sold.pk}."


class RedeemChips(AtTheWindow):
    """A patron hands chips in and is paid in cash."""

    name = "redeem"

    def do(self, entry: dict[str, Any]) -> str:
        site = asked_day(self.request).site
        paid = cage.redeem_chips(
            site=site, cents=entry["amount"], **patron(site, entry), **self.verb_facts(entry)
        )
        return f"Chips for {dollars(entry['amount'])} redeemed: pay that in cash. Entry {paid.pk}."


class PayFee(AtTheWindow):
    """A player pays what is due, in cash, against a receipt (R63)."""

    name = "receipt"
    form_class = ReceiptForm

    def do(self, entry: dict[str, Any], sitting_id: int) -> str:
        sitting = get_object_or_404(Sitting.objects.select_related("player"), pk=sitting_id)
        taken = pay_fees(sitting_id=sitting_id, method="cage", cents=entry["cents"], **self.verb_facts(entry))
        numbers = " and ".join(str(fee.entry_id) for fee in taken)
        word = "Receipt" if len(taken) == 1 else "Receipts"
        return f"{sitting.player} paid {dollars(sum(f.charge.cents for f in taken))}. {word} {numbers}."

    def refused(self, form: BooksForm, status: int) -> HttpResponse:
        """The page as it is now, with what is wrong above the fees that can be paid."""
        return desk(self.request, status=status, refused_fee=form)


@require_safe
def receipt(request: HttpRequest, entry_id: int) -> HttpResponse:
    """The receipt of a fee that was paid at the cage, to be printed."""
    require(request.user, WORK_CAGE, READ_BOOKS)
    shown = Collection.objects.select_related(
        "entry__actor", "charge__down", "charge__player", "charge__session__table__site"
    )
    paid = get_object_or_404(shown, entry=entry_id, method=Collection.Method.CAGE)
    return render(request, "cashier/receipt.html", {"paid": paid, "site": paid.charge.session.table.site})


class Box(View):
    """One drop box: what the books expect, what was counted, the fees in it, and its sign-off."""

    def get(self, request: HttpRequest, box_id: int) -> HttpResponse:
        """The paper of this box, for the desk and for those who read the books."""
        require(request.user, SIGN_OFF_DROPS, READ_BOOKS)
        return self.page(SignOffForm())

    def post(self, request: HttpRequest, box_id: int) -> HttpResponse:
        """Sign it off."""
        require(request.user, SIGN_OFF_DROPS)
        row = self.row()
        form = SignOffForm(request.POST)
        if not form.is_valid():
            return self.page(form, status=400)
        try:
            signed = drops.sign_off(
                box=row.box,
                actor=request.user,
                cause=form.cleaned_data["cause"],
                key=form.cleaned_data["key"],
                now=timezone.now(),
                terminal=terminal_of(request, ROOM),
            )
        except LedgerError as refusal:
            form.refuse(refusal)
            return self.page(form, status=status_of(refusal))
        messages.success(request, f"Box {row.box.number} is signed off. Entry {signed.entry_id}.")
        return redirect("cashier-box", box_id=row.box.pk)

    def row(self) -> box_log.BoxRow:
        """The box as the books see it, or 404."""
        row = box_log.box_row(self.kwargs["box_id"])
        if row is None:
            raise Http404
        return row

    def page(self, form: SignOffForm, status: int = 200) -> HttpResponse:
        row, person = self.row(), self.request.user
        form.fields["cause"].required = row.differs  # for its label; that it is given is for the verb to see
        fees = list(reconciliation.collections_in((row.box.chips_id, row.box.cash_id)))
        handled = row.handled_by(person)
        facts = {
            "site": row.box.site,
            "row": row,
            "form": form,
            "fees": fees,
            "fees_cents": sum(fee.charge.cents for fee in fees),
            "counts": row.box.counts.all(),
            "counters": row.counters,
            "handled": handled,
            "may_sign": person.has_perm(SIGN_OFF_DROPS) and not handled and row.state == "counted",
        }
        return render(self.request, "cashier/box.html", facts, status=status)


class CloseDay(View):
    """The closing of a gaming day: what it came to, what is missing, and the one button."""

    def get(self, request: HttpRequest, day: date) -> HttpResponse:
        """What is about to become final."""
        require(request.user, SIGN_OFF_DROPS)
        return self.page(CloseDayForm())

    def post(self, request: HttpRequest, day: date) -> HttpResponse:
        """Close it."""
        require(request.user, SIGN_OFF_DROPS)
        form = CloseDayForm(request.POST)
        if not form.is_valid():
            return self.page(form, status=400)
        asked = asked_day(request, day)
        try:
            closing.close_day(
                site=asked.site,
                day=asked.day,
                actor=request.user,
                now=timezone.now(),
                key=form.cleaned_data["key"],
                terminal=terminal_of(self.request, ROOM),
            )
        except LedgerError as refusal:
            form.refuse(refusal)
            return self.page(form, status=status_of(refusal))
        messages.success(request, f"Gaming day {asked.day} is closed.")
        return redirect(f"{reverse('cashier')}?{urlencode({'day': asked.day})}")

    def page(self, form: CloseDayForm, status: int = 200) -> HttpResponse:
        facts = day_facts(asked_day(self.request, self.kwargs["day"]))
        over_cents = sum(row.difference or 0 for row in facts["boxes"])
        return render(
            self.request,
            "cashier/close_day.html",
            facts | {"form": form, "over_cents": over_cents},
            status=status,
        )
