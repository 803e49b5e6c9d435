"""Closing and breaking a table on the floor's page: two people count the bank blind, everybody else has gone or goes."""

from collections.abc import Sequence
from typing import Any

from ledger.money import dollars
from tables.floor import closing
from tables.state.table_state import state_of
from tables.views.acts import TablePanelActPage
from tables.views.floor.forms import BreakForm, CloseForm


class CloseTable(TablePanelActPage):
    """Closing a table whose players have left. The bank's figures are not shown here: it is counted blind."""

    title = "Close the table"
    button = "Close the table"
    danger = True
    form_class = CloseForm

    def form_options(self) -> dict[str, Any]:
        return {"request": self.request}

    def notes(self) -> Sequence[tuple[str, str]]:
        return (
            ("Bank", "two of you count it; then the page says what should be there"),
            ("Box to be pulled", f"No. {self.session.box.number}"),
        )

    def counted(self, form: CloseForm) -> dict[str, Any]:
        """What both verbs take."""
        entry = form.cleaned_data
        return {
            "session_id": self.session.pk,
            "count": closing.BankCount(entry["chips"], entry["cash"], entry["cause"]),
            "second": form.second_person,
            "act": self.act(form),
        }

    def do(self, form: Any) -> str:
        session = closing.close_table(**self.counted(form))
        return f"{session.table} is closed; {dollars(session.closer_cents or 0)} in chips went to the cage."


class BreakTable(CloseTable):
    """Breaking a table: free seats of the same game and limit are proposed, in order; whoever is left cashes out."""

    title = "Break the table"
    button = "Break the table"
    form_class = BreakForm

    def warning(self) -> str:
        return "Everybody is moved or cashed out at once, and the table closes. Fantasy land stays behind."

    def form_options(self) -> dict[str, Any]:
        free = closing.free_seats(closing.other_tables(self.session), self.now)
        return super().form_options() | {
            "seated": state_of(self.session).sittings,
            "proposed": closing.proposed_places(self.session, self.now),
            "places": [
                (
                    f"{other.table}, {other.sheet.title}, limit {dollars(other.limit_cents)}",
                    [(f"{other.pk}-{seat}", f"{other.table}, seat {seat}") for seat in seats],
                )
                for other, seats in free
                if seats
            ],
        }

    def do(self, form: BreakForm) -> str:
        session = closing.break_table(places=form.places, **self.counted(form))
        return f"{session.table} is broken and closed."
