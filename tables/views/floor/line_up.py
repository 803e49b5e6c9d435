"""The dealers' line-up: who deals where, who is next, on break or off, and the floor's orders."""

from typing import Any

from django.contrib.auth import get_user_model
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone

from ledger.views.day import the_site
from ledger.views.fields import new_key
from ledger.views.pages import read_by
from tables.floor.line_up import line_rows, order_line
from tables.rights import RUN_FLOOR
from tables.rules.table.line_up import DEALING, IN_LINE, OFF, ON_BREAK, ORDERS, may_order
from tables.views.acts import HouseActPage
from tables.views.fields import FloorForm

WORDS = {
    "line": ("Put in line", "is in line"),
    "first": ("Put first", "comes next"),
    "break": ("Send on break", "is on break"),
    "off": ("Off for the day", "is off for the day"),
}
PARTS = ((DEALING, "At the tables"), (IN_LINE, "In line"), (ON_BREAK, "On break"), (OFF, "Off for the day"))


@read_by(RUN_FLOOR)
def line_up(request: HttpRequest) -> HttpResponse:
    now, site = timezone.now(), the_site()
    rows = line_rows(site, now)
    acts = [
        (row, [(does, WORDS[does][0]) for does in ORDERS if may_order(row.standing, does)]) for row in rows
    ]
    parts = [
        (title, [one for one in acts if one[0].standing and one[0].standing.place == place])
        for place, title in PARTS
    ]
    shown = {"parts": parts, "absent": [one for one in acts if one[0].standing is None]}
    return render(request, "floor/line_up.html", shown | {"key": new_key(), "site": site})


class OrderLine(HouseActPage):
    """One order of the floor about one dealer, by a button in the line-up."""

    rights = (RUN_FLOOR,)
    home, back_to = "line-up", "Dealers"

    def find(self, dealer_id: int, does: str) -> None:
        if does not in ORDERS:
            raise Http404
        self.dealer, self.does = get_object_or_404(get_user_model(), pk=dealer_id), does
        self.title = WORDS[does][0]

    def heading(self) -> str:
        return f"{self.title}: {self.dealer}"

    def do(self, form: FloorForm) -> Any:
        order_line(site=self.site, dealer=self.dealer, does=self.does, act=self.act(form))
        return f"{self.dealer} {WORDS[self.does][1]}."
