"""Closing a gaming day."""

from datetime import date

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views import View

from ledger.errors import Refusal
from ledger.journal import closing
from ledger.rights import SIGN_OFF_DROPS, require
from ledger.views.day import asked_day
from ledger.views.forms import CloseDayForm
from ledger.views.terminal import act_of
from tables.views.cage.day import ROOM, day_facts


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
            return self.page(form)
        asked = asked_day(request, day)
        try:
            closing.close_day(
                site=asked.site,
                day=asked.day,
                act=act_of(request, ROOM, key=form.cleaned_data["key"]),
            )
        except Refusal as refusal:
            form.refuse(refusal)
            return self.page(form)
        messages.success(request, f"Gaming day {asked.day} is closed.")
        return redirect(f"{reverse('cashier')}?{urlencode({'day': str(asked.day)})}")

    def page(self, form: CloseDayForm) -> HttpResponse:
        facts = day_facts(asked_day(self.request, self.kwargs["day"]))
        over_cents = sum(row.difference or 0 for row in facts["boxes"])
        return render(
            self.request,
            "cage/close_day.html",
            facts | {"form": form, "over_cents": over_cents},
            status=form.status,
        )
