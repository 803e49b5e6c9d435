"""The tables of the house: entered, turned, retired and brought back."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from ledger.journal.particulars import of_the_house
from ledger.rights import require
from ledger.views.day import the_site
from tables.floor import tables
from tables.models import Table, TableSession
from tables.rights import MANAGE_HOUSE
from tables.views.acts import ActPage
from tables.views.fields import FloorForm
from tables.views.house.forms import AddTableForm, SideForm


@require_safe
def listed(request: HttpRequest) -> HttpResponse:
    """Every table of the house, those in use first."""
    require(request.user, MANAGE_HOUSE)
    site = the_site()
    every = list(Table.objects.filter(site=site).order_by("number"))
    opened = set(
        TableSession.objects.filter(table__site=site, closed_at__isnull=True).values_list("table", flat=True)
    )
    facts = {
        "in_use": [(table, table.pk in opened) for table in every if table.retired_at is None],
        "retired": [table for table in every if table.retired_at is not None],
        "site": site,
    }
    return render(request, "house/tables.html", facts)


class OfTables(ActPage):
    """An act of the manager about a table, which is none of its sessions'."""

    right = MANAGE_HOUSE
    back_to = "Tables"
    table: Table

    def find(self, table_id: int = 0) -> None:
        """The table of the address, or 404."""
        self.table = get_object_or_404(Table, of_the_house(), pk=table_id)

    def require_sight(self) -> None:
        """A manager sees every table."""

    def heading(self) -> str:
        return f"{self.title}: {self.table}"

    def back(self) -> str:
        return reverse("house-tables")


class AddTable(OfTables):
    """Entering a table."""

    title = "Enter a table"
    button = "Enter the table"
    form_class = AddTableForm

    def find(self, table_id: int = 0) -> None:
        """There is no table yet."""

    def heading(self) -> str:
        return self.title

    def do(self, form: AddTableForm) -> str:
        entry = form.cleaned_data
        table = tables.add_table(
            site=the_site(), number=entry["number"], seat_one=entry["seat_one"], act=self.act(form)
        )
        return f"{table} is entered."


class TurnTable(OfTables):
    """Saying where seat 1 is."""

    title = "Where seat 1 is"
    button = "Change it"
    form_class = SideForm

    def form_options(self) -> dict[str, Any]:
        return {"initial": {"seat_one": self.table.seat_one}}

    def do(self, form: SideForm) -> str:
        table = tables.turn_table(
            table_id=self.table.pk, seat_one=form.cleaned_data["seat_one"], act=self.act(form)
        )
        side = table.get_seat_one_display()
        return f"Seat 1 of {table} is at {side[0].lower()}{side[1:]}."


class RetireTable(OfTables):
    """Taking a table out of use."""

    title = "Retire"
    button = "Retire the table"
    danger = True

    def notes(self) -> Sequence[tuple[str, str]]:
        return (("What stays", "Its nights stay in the books, and it can be brought back at any time."),)

    def do(self, form: FloorForm) -> str:
        return f"{tables.retire_table(table_id=self.table.pk, act=self.act(form))} is retired."


class RestoreTable(OfTables):
    """Bringing a table back."""

    title = "Bring back"
    button = "Bring the table back"

    def do(self, form: FloorForm) -> str:
        return f"{tables.restore_table(table_id=self.table.pk, act=self.act(form))} is in use again."
