"""Stopping and starting the clock of a table."""

from typing import Any

from tables.collection import clock
from tables.views.acts import TablePanelAct
from tables.views.fields import ReasonForm


class StopClock(TablePanelAct):
    """Stopping the table's clock for an incident."""

    title = "Stop the clock"
    button = "Stop the clock"
    form_class = ReasonForm

    def do(self, form: ReasonForm) -> str:
        clock.stop_clock(
            session_id=self.session.pk,
            reason=form.cleaned_data["reason"],
            key=form.cleaned_data["key"],
            actor=self.request.user,
            now=self.now,
        )
        return f"The clock of {self.session.table} stands still."


class StartClock(TablePanelAct):
    """Letting the clock run again."""

    title = "Start the clock"
    button = "Start the clock"

    def do(self, form: Any) -> str:
        clock.start_clock(
            session_id=self.session.pk,
            key=form.cleaned_data["key"],
            actor=self.request.user,
            now=self.now,
        )
        return f"The clock of {self.session.table} runs again."
