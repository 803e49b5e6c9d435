"""The published reasons to waive a fee."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from ledger.journal.days import gaming_day
from ledger.journal.particulars import of_the_house
from ledger.rights import require
from ledger.views.day import the_site
from tables.collection import waivers
from tables.models import WaiverReason
from tables.rights import MANAGE_HOUSE, READ_TABLES
from tables.views.acts import ActPage
from tables.views.collection.forms import PublishReasonForm
from tables.views.fields import FloorForm

# -- the published reasons ------------------------------------------------------------------------------------


@require_safe
def reasons(request: HttpRequest) -> HttpResponse:
    """The reasons for which fees may be waived, also those that were withdrawn."""
    require(request.user, READ_TABLES)
    site = the_site()
    facts = {
        "reasons": WaiverReason.objects.filter(site=site).order_by("withdrawn_on", "code"),
        "day": gaming_day(site, timezone.now()),
        "may_publish": request.user.has_perm(MANAGE_HOUSE),
    }
    return render(request, "collection/reasons.html", facts)


class OfReasons(ActPage):
    """An act of the manager about the published reasons."""

    right = MANAGE_HOUSE
    back_to = "Reasons for waivers"

    def find(self, *args: Any, **found_by: Any) -> None:
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
            act=self.act(form),
        )
        return f"{reason.code} is published from {reason.effective_from}."


class WithdrawReason(OfReasons):
    """Withdrawing a reason."""

    title = "Withdraw the reason"
    button = "Withdraw"
    danger = True

    def find(self, reason_id: int) -> None:
        self.reason = get_object_or_404(WaiverReason, of_the_house(), pk=reason_id)

    def notes(self) -> Sequence[tuple[str, str]]:
        return (("Reason", self.reason.text), ("Approval", self.reason.approval_reference))

    def do(self, form: FloorForm) -> str:
        waivers.withdraw_waiver_reason(
            reason_id=self.reason.pk,
            act=self.act(form),
        )
        return f"{self.reason.code} is withdrawn."
