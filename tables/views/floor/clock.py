"""Stopping and starting the clock of a table, and confirming the time of the house."""

from collections.abc import Sequence
from typing import Any
from zoneinfo import ZoneInfo

from django.urls import reverse

from ledger.views.day import the_site
from tables.collection import clock
from tables.floor import house_clock
from tables.rights import RUN_FLOOR
from tables.views.acts import ActPage, TablePanelActPage
from tables.views.fields import ReasonForm


class StopClock(TablePanelActPage):
    """Stopping the table's clock for an incident."""

    title = "Stop the clock"
    button = "Stop the clock"
    form_class = ReasonForm

    def do(self, form: ReasonForm) -> str:
        clock.stop_clock(
            session_id=self.session.pk,
            act=self.act(form),
        )
        return f"The clock of {self.session.table} stands still."


class StartClock(TablePanelActPage):
    """Letting the clock run again."""

    title = "Start the clock"
    button = "Start the clock"

    def do(self, form: Any) -> str:
        clock.start_clock(
            session_id=self.session.pk,
            act=self.act(form),
        )
        return f"The clock of {self.session.table} runs again."


class ConfirmTime(ActPage):
    """Confirming what the server's clock shows, after it has jumped."""

    title = "Confirm the time"
    button = "The time is right"
    right = RUN_FLOOR
    back_to = "Floor"

    def find(self) -> None:
        """The clock is the house's."""
        self.site = the_site()

    def require_sight(self) -> None:
        """It is no table's."""

    def back(self) -> str:
        return reverse("floor")

    def notes(self) -> Sequence[tuple[str, str]]:
        here = self.now.astimezone(ZoneInfo(self.site.time_zone))
        compare = "Compare it with a clock that is not the server's. If it is wrong, have it set right first."
        return (
            ("The server's clock shows", f"{here:%A, %B %-d %Y, %H:%M:%S}"),
            ("Before you confirm", compare),
            ("What it does", "Rounds start and fees are charged by this time. Nothing recorded is changed."),
        )

    def do(self, form: Any) -> str:
        house_clock.confirm_time(site=self.site, reading=house_clock.read(), act=self.act(form))
        return "The time is confirmed: rounds start again."
