"""What is due now at all tables, waiving a fee, and a player who left without paying."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.text import capfirst

from ledger.money import dollars
from ledger.views.day import the_site
from ledger.views.fields import new_key
from ledger.views.pages import read_by
from tables.collection import taking, uncollected, waivers
from tables.models import Charge
from tables.reports.dues import dues_now
from tables.rights import HANDLE_CHIPS, RUN_FLOOR
from tables.rules.table.paying import Method
from tables.state.plan import planned_fees
from tables.state.table_state import state_of
from tables.views.acts import READERS, SittingActPage
from tables.views.collection.published import CURRENT, CashForm, WaiveForm
from tables.views.fields import ReasonForm

BOARD = "board"


@read_by(*READERS)
def board(request: HttpRequest) -> HttpResponse:
    facts = due_facts(request.user, timezone.now())
    return render(request, "collection/dues.html", facts | {"key": new_key()})


def due_facts(person: Any, now: datetime) -> dict[str, Any]:
    return {"dues": dues_now(now), "zone": the_site().time_zone, "may_run": person.has_perm(RUN_FLOOR)}


class OfFees(SittingActPage):
    rights = (RUN_FLOOR,)

    @property
    def from_board(self) -> bool:
        return self.request.GET.get("from") == BOARD

    @property
    def back_to(self) -> str:
        return "Due now" if self.from_board else super().back_to

    def back(self) -> str:
        return reverse("dues") if self.from_board else super().back()

    def heading(self) -> str:
        where = f"seat {self.sitting.seat}" if self.sitting.left_at is None else "left the table"
        return f"{self.title}: {self.sitting.player}, {where}"


class WaiveFee(OfFees):
    title = "Waive the fee"
    undone_at = "undo"
    form_class = WaiveForm
    warning = (
        "The waiver gets a number and stands on the day's papers with your name. After ten seconds two"
        " people can take it back."
    )

    def form_options(self) -> dict[str, Any]:
        state = state_of(self.session)
        down = state.down_at(self.now) if self.sitting.left_at is None else None
        fees, _ = planned_fees(state, self.sitting, down, fresh_down=bool(state.downs_begun(self.now)))
        offered = [
            (str(fee.charge.pk) if fee.charge else CURRENT, f"{capfirst(fee.fell_due)}, {dollars(fee.cents)}")
            for fee in fees
            if fee.rule != Charge.Rule.COVERED
        ]
        return {"fees": offered, "reasons": waivers.reasons_in_force(self.site, self.now), "site": self.site}

    def notes(self) -> Sequence[tuple[str, str]]:
        return () if self.form_options()["fees"] else (("Owes", "nothing now"),)

    def do(self, form: WaiveForm) -> str:
        entry = form.entered
        charge, act = entry.pop("fee"), self.act(form)
        waiver = waivers.waive_fee(sitting_id=self.sitting.pk, charge_id=charge, **entry, act=act)
        return f"{waiver}: {self.sitting.player} does not pay {dollars(waiver.payment.charge.cents)}."


class LeftWithoutPaying(OfFees):
    """Record that a player left with a fee that the stack cannot pay."""

    title = "Left without paying"
    button = "Record it"
    form_class = ReasonForm
    warning = (
        "The fee gets a number and stays due in the player's name. Cash out what is left on the table"
        " separately."
    )

    def do(self, form: ReasonForm) -> str:
        written = uncollected.declare_uncollected(sitting_id=self.sitting.pk, act=self.act(form))
        return f"{self.sitting.player}: {', '.join(map(str, written)).lower()} recorded."


class TakeCash(OfFees):
    rights = (HANDLE_CHIPS,)
    title = "Take in cash"
    undone_at = "undo"
    button = "Take the cash"
    form_class = CashForm

    def do(self, form: CashForm) -> str:
        taken = taking.pay_fees(
            sitting_id=self.sitting.pk,
            method=Method.CASH,
            cents=form.cleaned_data["cents"],
            act=self.act(form),
        )
        return (
            f"{self.sitting.player} pays {dollars(sum(fee.charge.cents for fee in taken))} in cash, into the"
            " box."
        )
