"""The tables of the house (entering, turning, retiring, restoring), the games on offer, and what the
house lacks before it can open one."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from ledger.rights import READ_BOOKS, WORK_CAGE
from ledger.views.day import the_site
from ledger.views.pages import find_here, read_by
from tables.floor import games, tables
from tables.floor.readiness import lacks
from tables.floor.tables import HIGHEST
from tables.models import Table, TableSession
from tables.rights import MANAGE_HOUSE, RUN_FLOOR
from tables.views.acts import HouseActPage
from tables.views.fields import FloorForm


class SideForm(FloorForm):
    seat_one = forms.ChoiceField(
        label="Seat 1 is at",
        choices=Table.Side.choices,
        initial=Table.Side.LEFT,
        widget=forms.RadioSelect,
        help_text="Seen from the dealer. The seats are counted from there, around the table.",
    )


class AddTableForm(SideForm):
    number = forms.IntegerField(
        min_value=1,
        max_value=HIGHEST,
        help_text="As it stands on the table. It never changes.",
        widget=forms.NumberInput(attrs={"autocomplete": "off"}),
    )

    field_order = ("number", "seat_one")


class GamesForm(FloorForm):
    games = forms.MultipleChoiceField(label="On offer", required=False, widget=forms.CheckboxSelectMultiple)


@read_by(MANAGE_HOUSE)
def listed(request: HttpRequest) -> HttpResponse:
    site = the_site()
    every = list(Table.objects.filter(site=site).order_by("number"))
    opened = set(
        TableSession.objects.filter(table__site=site, closed_at__isnull=True).values_list("table", flat=True)
    )
    facts = {
        "in_use": [(table, table.pk in opened) for table in every if table.retired_at is None],
        "retired": [table for table in every if table.retired_at is not None],
    }
    return render(request, "house/tables.html", facts)


class AddTable(HouseActPage):
    rights = (MANAGE_HOUSE,)
    title = "Enter a table"
    button = "Enter the table"
    form_class = AddTableForm
    home, back_to = "house-tables", "Tables"

    def do(self, form: AddTableForm) -> str:
        return f"{tables.add_table(site=self.site, **form.entered, act=self.act(form))} is entered."


class OfTable(HouseActPage):
    """An act of the manager about a table, not a session."""

    rights = (MANAGE_HOUSE,)
    home, back_to = "house-tables", "Tables"
    table: Table

    def find(self, table_id: int) -> None:
        self.table = find_here(Table, table_id)

    def heading(self) -> str:
        return f"{self.title}: {self.table}"


class TurnTable(OfTable):
    title = "Where seat 1 is"
    button = "Change it"
    form_class = SideForm

    def form_options(self) -> dict[str, Any]:
        return {"initial": {"seat_one": self.table.seat_one}}

    def do(self, form: SideForm) -> str:
        table = tables.turn_table(table_id=self.table.pk, **form.entered, act=self.act(form))
        side = table.get_seat_one_display()
        side = side[:1].lower() + side[1:]
        return f"Seat 1 of {table} is at {side}."


class RetireTable(OfTable):
    title = "Retire"
    button = "Retire the table"
    danger = True

    def notes(self) -> Sequence[tuple[str, str]]:
        return (("What stays", "Its sessions stay in the books, and it can be brought back at any time."),)

    def do(self, form: FloorForm) -> str:
        return f"{tables.retire_table(table_id=self.table.pk, act=self.act(form))} is retired."


class RestoreTable(OfTable):
    title = "Bring back"
    button = "Bring the table back"

    def do(self, form: FloorForm) -> str:
        return f"{tables.restore_table(table_id=self.table.pk, act=self.act(form))} is in use again."


class ChooseGames(HouseActPage):
    rights = (MANAGE_HOUSE,)
    title = "Games on offer"
    button = "Offer these games"
    form_class = GamesForm
    home, back_to = "house", "House"
    template = "house/games.html"

    def find(self) -> None:
        self.sheets = games.games()

    def form_options(self) -> dict[str, Any]:
        without = games.taken_off(self.site)
        offered = [sheet.code for sheet in self.sheets if sheet.code not in without]
        return {
            "choices": {"games": [(sheet.code, games.title_of(sheet)) for sheet in self.sheets]},
            "initial": {"games": offered},
        }

    def facts(self, form: FloorForm) -> dict[str, Any]:
        changed = games.changed_games(self.sheets)
        return super().facts(form) | {"changed": changed.values(), "faults": games.house_sheets().faults}

    def do(self, form: GamesForm) -> str:
        changed = games.choose_games(site=self.site, codes=form.cleaned_data["games"], act=self.act(form))
        return "The choice holds from the next opening on." if changed else "The choice was this already."


# By code: the page, and its label.
ANSWERS = {
    "tables": ("add-table", "Enter a table"),
    "authorised": ("house-particulars", "Enter the number"),
    "sheets": ("house-games", "See the games"),
    "rates": ("publish-rate", "Publish a rate"),
    "reasons": ("publish-reason", "Publish a reason"),
    "staff": ("staff-hire", "Hire somebody"),
    "pins": ("staff", "See who"),
    "terminals": ("terminals", "Enrol a device"),
    "chips": ("stock-cage", "Open the vault"),
    "checkpoint": ("audit-log", "Take a checkpoint"),
}
WHO = {
    (MANAGE_HOUSE,): "manager",
    (RUN_FLOOR, MANAGE_HOUSE): "floor or manager",
    (WORK_CAGE,): "cashier",
    (READ_BOOKS,): "manager or regulator",
}


@dataclass(frozen=True)
class ToDo:
    """A line of the checklist; `href` is empty for people without the right, `who` has it."""

    sentence: str
    href: str
    action: str
    who: str


def checklist(user: Any, site: Any, now: datetime) -> list[ToDo]:
    found = []
    for lack in lacks(site, now):
        page, action = ANSWERS[lack.code]
        href = reverse(page) if any(map(user.has_perm, lack.rights)) else ""
        found.append(ToDo(lack.sentence, href, action, WHO[lack.rights]))
    return found
