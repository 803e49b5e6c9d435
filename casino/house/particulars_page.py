"""The page on which a manager changes the particulars of the house."""

from dataclasses import asdict
from typing import Any

from django.urls import reverse

from casino.house.changes import words_of
from casino.house.forms import ParticularsForm
from casino.house.particulars import change_particulars, mark_of
from ledger.journal.particulars import particulars_of
from ledger.views.day import the_site
from tables.rights import MANAGE_HOUSE
from tables.views.acts import ActPage


class ChangeParticulars(ActPage):
    """Changing the particulars."""

    right = MANAGE_HOUSE
    title = "Particulars of the house"
    button = "Change them"
    form_class = ParticularsForm
    back_to = "House"
    page_template = "house/change_particulars.html"

    def find(self) -> None:
        """The house."""
        self.site = the_site()

    def require_sight(self) -> None:
        """No table is concerned."""

    def back(self) -> str:
        return reverse("house")

    def form_options(self) -> dict[str, Any]:
        now = particulars_of(self.site)
        return {"initial": asdict(now) | {"seen": mark_of(now)}}

    def do(self, form: ParticularsForm) -> str:
        before = change_particulars(
            site=self.site, particulars=form.particulars, seen=form.cleaned_data["seen"], act=self.act(form)
        )
        said = words_of("house_changed", asdict(particulars_of(self.site)) | {"before": before})
        return said or "The house is as you entered it."
