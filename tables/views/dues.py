"""What is due now at all tables, and the acts about fees that are not taken: waiving one, and a player gone without paying."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from ledger.days import gaming_day
from ledger.forms import new_key
from ledger.money import dollars
from ledger.rights import require
from ledger.views.day import the_site
from ledger.views.terminal import terminal_of
from tables import collection, uncollected, waivers
from tables.dues import dues_now
from tables.fee_forms import CURRENT, CashForm, PublishReasonForm, WaiveForm
from tables.forms import FloorForm, ReasonForm
from tables.models import Charge, WaiverReason
from tables.queries import planned_fees, state_of
from tables.views.acts import READERS, ROOM, Act, SittingAct

MANAGES = "tables.manage_house"
BOARD = "board"


@require_safe
def board(request: HttpRequest) -> HttpResponse:
    """Everything that is due at this moment, by table and seat."""
    require(request.user, *READERS)
    site = the_site()
    facts = {
        "dues": dues_now(timezone.now()),
        "zone": site.time_zone,
        "key": new_key(),
        "may_run": request.user.has_perm("tables.run_floor"),
    }
    return render(request, "dues/board.html", facts)


class OfFees(SittingAct):
    """An act about a fee of a player, from the seat or, with `?from=board`, from the board of what is due."""

    right = "tables.run_floor"
    page_template = "dues/act.html"

    @property
    def from_board(self) -> bool:
        return self.request.GET.get("from") == BOARD

    @property
    def back_to(self) -> str:
        """What the way back leads to."""
        return "Due now" if self.from_board else str(self.session.table)

    def back(self) -> str:
        return reverse("dues") if self.from_board else super().back()

    def act_facts(self, form: FloorForm) -> dict[str, Any]:
        return super().act_facts(form) | {"address": self.request.get_full_path()}

    def heading(self) -> str:
        where = f"seat {self.sitting.seat}" if self.sitting.left_at is None else "left the table"
        return f"{self.title}: {self.sitting.player}, {where}"


class WaiveFee(OfFees):
    """Letting a fee go for a published reason."""

    title = "Waive the fee"
    button = "Waive the fee"
    form_class = WaiveForm

    def form_options(self) -> dict[str, Any]:
        site = self.session.table.site
        state = state_of(self.session)
        seated = self.sitting.left_at is None
        fees, _ = planned_fees(
            state,
            self.sitting,
            state.down_at(self.now) if seated else None,
            fresh_down=bool(state.downs_begun(self.now)),
        )
        offered = [
            (str(fee.charge.pk) if fee.charge else CURRENT, f"Down {fee.down_number}, {dollars(fee.cents)}")
            for fee in fees
            if fee.rule != Charge.Rule.COVERED
        ]
        return {"fees": offered, "reasons": waivers.reasons_in_force(site, self.now), "site": site}

    def notes(self) -> Sequence[tuple[str, str]]:
        return () if self.form_options()["fees"] else (("Owes", "nothing now"),)

    def warning(self) -> str:
        return (
            "The waiver gets a number and stands on the day's papers with your name. It cannot be taken back."
        )

    def do(self, form: WaiveForm) -> str:
        waiver = waivers.waive_fee(
            sitting_id=self.sitting.pk,
            charge_id=form.cleaned_data["fee"],
            reason=form.cleaned_data["reason"],
            key=form.cleaned_data["key"],
            actor=self.request.user,
            now=self.now,
            terminal=terminal_of(self.request, ROOM),
        )
        return f"{waiver}: {self.sitting.player} does not pay {dollars(waiver.collection.charge.cents)}."


class LeftWithoutPaying(OfFees):
    """Recording that a player walked away from a fee that the stack cannot pay."""

    title = "Left without paying"
    button = "Record it"
    form_class = ReasonForm

    def warning(self) -> str:
        return "The fee gets a number and stays due in the player's name. Cash out what is left on the table separately."

    def do(self, form: ReasonForm) -> str:
        written = uncollected.declare_uncollected(
            sitting_id=self.sitting.pk,
            reason=form.cleaned_data["reason"],
            key=form.cleaned_data["key"],
            actor=self.request.user,
            now=self.now,
        )
        return f"{self.sitting.player}: {', '.join(map(str, written)).lower()} recorded."


class TakeCash(OfFees):
    """Taking in cash at the table what the board says is due."""

    right = "tables.handle_chips"
    title = "Take in cash"
    button = "Take the cash"
    form_class = CashForm

    def do(self, form: CashForm) -> str:
        taken = collection.pay_fees(
            sitting_id=self.sitting.pk,
            method="cash",
            cents=form.cleaned_data["cents"],
            key=form.cleaned_data["key"],
            actor=self.request.user,
            now=self.now,
            terminal=terminal_of(self.request, ROOM),
        )
        return f"{self.sitting.player} pays {dollars(sum(fee.charge.cents for fee in taken))} in cash, into the box."


# -- the published reasons ------------------------------------------------------------------------------------


@require_safe
def reasons(request: HttpRequest) -> HttpResponse:
    """The reasons for which fees may be waived, also those that were withdrawn."""
    require(request.user, "tables.read_tables")
    site = the_site()
    facts = {
        "reasons": WaiverReason.objects.filter(site=site).order_by("withdrawn_on", "code"),
        "day": gaming_day(site, timezone.now()),
        "may_publish": request.user.has_perm(MANAGES),
    }
    return render(request, "dues/reasons.html", facts)


class OfReasons(Act):
    """An act of the manager about the published reasons."""

    right = MANAGES
    page_template = "dues/act.html"
    back_to = "Reasons for waivers"

    def find(self, **found_by: Any) -> None:
        """No table is concerned."""

    def require_sight(self) -> None:
        """Reasons belong to the house, not to a table."""

    def back(self) -> str:
        return reverse("waiver-reasons")


class PublishReason(OfReasons):
    """Publishing a reason."""

    title = "Publish a reason"
    button = "Publish"
    form_class = PublishReasonForm

    def warning(self) -> str:
        return "What is published never changes. It can be withdrawn, and another one published."

    def do(self, form: PublishReasonForm) -> str:
        entry = form.cleaned_data
        reason = waivers.publish_waiver_reason(
            site=the_site(),
            code=entry["code"],
            text=entry["text"],
            approval_reference=entry["approval_reference"],
            effective_from=entry["effective_from"],
            key=entry["key"],
            actor=self.request.user,
            now=self.now,
        )
        return f"{reason.code} is published from {reason.effective_from}."


class WithdrawReason(OfReasons):
    """Withdrawing a reason."""

    title = "Withdraw the reason"
    button = "Withdraw"
    danger = True

    def find(self, reason_id: int) -> None:
        self.reason = get_object_or_404(WaiverReason, pk=reason_id)

    def notes(self) -> Sequence[tuple[str, str]]:
        return (("Reason", self.reason.text), ("Approval", self.reason.approval_reference))

    def do(self, form: FloorForm) -> str:
        waivers.withdraw_waiver_reason(
            reason_id=self.reason.pk,
            key=form.cleaned_data["key"],
            actor=self.request.user,
            now=self.now,
        )
        return f"{self.reason.code} is withdrawn."
