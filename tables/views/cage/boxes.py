"""Reconciling a drop box."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views import View

from ledger.cage import boxes
from ledger.errors import Refusal
from ledger.reports import box_log
from ledger.rights import READ_BOOKS, SIGN_OFF_DROPS, require
from ledger.views.day import the_site
from ledger.views.forms import SignOffForm
from ledger.views.terminal import act_of
from tables.reports import reconciliation
from tables.views.cage.day import ROOM


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
            return self.page(form)
        try:
            signed = boxes.sign_off(
                box=row.box,
                cause=form.cleaned_data["cause"],
                act=act_of(request, ROOM, key=form.cleaned_data["key"]),
            )
        except Refusal as refusal:
            form.refuse(refusal)
            return self.page(form)
        messages.success(request, f"Box {row.box.number} is signed off. Entry {signed.entry_id}.")
        return redirect("cashier-box", box_id=row.box.pk)

    def row(self) -> box_log.BoxRow:
        """The box as the books see it, or 404."""
        row = box_log.box_row(self.kwargs["box_id"])
        if row is None or row.box.site != the_site():
            raise Http404
        return row

    def page(self, form: SignOffForm) -> HttpResponse:
        row, person = self.row(), self.request.user
        form.fields["cause"].required = row.differs  # for its label; that it is given is for the verb to see
        fees = list(reconciliation.collections_in((row.box.chips_id, row.box.cash_id)))
        handled = row.handled_by(person)
        facts = {
            "site": row.box.site,
            "row": row,
            "form": form,
            "fees": fees,
            "fees_in_force": sum(fee.in_force for fee in fees),
            "fees_cents": sum(fee.charge.cents for fee in fees if fee.in_force),
            "counts": row.box.counts.all(),
            "counters": row.counters,
            "handled": handled,
            "may_sign": person.has_perm(SIGN_OFF_DROPS) and not handled and row.state == "counted",
        }
        return render(self.request, "cage/box.html", facts, status=form.status)
