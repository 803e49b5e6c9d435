"""Stopping and starting the clock of a table."""

from typing import Any

from tables.collection import clock
from tables.views.acts import TablePanelActPage
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
