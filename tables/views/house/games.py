"""The games on offer: which of the sheets a table can be opened with."""

from typing import Any

from django.urls import reverse

from ledger.views.day import the_site
from tables.floor import games
from tables.rights import MANAGE_HOUSE
from tables.views.acts import ActPage
from tables.views.fields import FloorForm
from tables.views.house.forms import GamesForm


class ChooseGames(ActPage):
    """Putting games on offer, and taking them off."""

    right = MANAGE_HOUSE
    title = "Games on offer"
    button = "Offer these games"
    form_class = GamesForm
    back_to = "House"
    page_template = "house/games.html"

    def find(self) -> None:
        """The games that the program and the house have sheets of."""
        self.sheets = games.games()

    def require_sight(self) -> None:
        """No table is concerned."""

    def back(self) -> str:
        return reverse("house")

    def form_options(self) -> dict[str, Any]:
        without = games.taken_off(the_site())
        offered = [sheet.code for sheet in self.sheets if sheet.code not in without]
        return {
            "choices": [(sheet.code, games.title_of(sheet)) for sheet in self.sheets],
            "initial": {"games": offered},
        }

    def act_facts(self, form: FloorForm) -> dict[str, Any]:
        changed = games.changed_games(self.sheets)
        return super().act_facts(form) | {
            "changed": changed.values(),
            "faults": games.house_sheets().faults,
        }

    def do(self, form: GamesForm) -> str:
        changed = games.choose_games(site=the_site(), codes=form.cleaned_data["games"], act=self.act(form))
        return "The choice holds from the next opening on." if changed else "The choice was this already."
