"""Opening a table."""

from typing import Any

from django.urls import reverse

from ledger.journal.particulars import of_the_house
from tables.collection import rates
from tables.floor import games, opening
from tables.models import Table, TableSession
from tables.rights import RUN_FLOOR
from tables.rules.game.rounds import Sheet
from tables.rules.words.described import described
from tables.views.acts import HouseActPage
from tables.views.fields import FloorForm
from tables.views.floor.forms import OpenTableForm
from tables.views.floor.pages import openings
from tables.views.panels import free_tables


class OpenTable(HouseActPage):
    """Opening a table."""

    rights = (RUN_FLOOR,)
    form_class = OpenTableForm
    title = "Open a table"
    button = "Open the table"
    home = "floor"
    template = "floor/open.html"

    opened: TableSession | None = None

    def find(self) -> None:
        """No table is there yet: only the games, and what keeps some of them from being opened."""
        self.games = games.games()
        self.changed = games.changed_games(self.games)
        without = games.taken_off(self.site) | self.changed.keys()
        self.offered = [(sheet.code, _game_label(sheet)) for sheet in self.games if sheet.code not in without]

    def form_options(self) -> dict[str, Any]:
        return {
            "tables": Table.objects.filter(of_the_house()).select_related("site").order_by("number"),
            "free": free_tables(),
            "rates": rates.rates_in_force(self.site, self.now),
            "games": [(sheet.code, _game_label(sheet)) for sheet in self.games],
            "offered": self.offered,
            "initial": {name: self.request.GET.get(name) for name in ("table", "game")},
        }

    def back(self) -> str:
        return reverse("floor-session", args=[self.opened.pk]) if self.opened else super().back()

    def facts(self, form: FloorForm) -> dict[str, Any]:
        chosen = next((sheet for sheet in self.games if sheet.code == form["game"].value()), None)
        return super().facts(form) | {
            "games": self.offered,
            "chosen": chosen and described(chosen),
            "changed": self.changed.values(),
            "faults": games.house_sheets().faults,
            **openings(self.site, self.now),
        }

    def do(self, form: OpenTableForm) -> str:
        entry = form.cleaned_data
        self.opened = opening.open_table(
            table=entry["table"],
            game=entry["game"],
            rate=entry["rate"],
            max_buy_in_cents=entry["max_buy_in"],
            opener_cents=entry["opener"],
            act=self.act(form),
        )
        return f"{self.opened.table} is open."


def _game_label(sheet: Sheet) -> str:
    title = games.title_of(sheet)
    return title if games.is_built_in(sheet) else f"{title} (the house's own, version {sheet.version})"
