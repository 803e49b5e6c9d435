"""The dealers' line-up, needs that somebody takes, and the handover of the floor."""

from itertools import groupby
from typing import Any

from django import forms
from django.contrib.auth import get_user_model
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone

from ledger import lengths
from ledger.rights import READ_BOOKS
from ledger.views.day import the_site
from ledger.views.fields import new_key
from ledger.views.pages import read_by
from tables.floor.attention import KINDS
from tables.floor.handover import hand_over, handovers, kept_handovers, to_hand_over
from tables.floor.line_up import line_rows, order_line
from tables.floor.needs import LAST, TAKERS, change_need, last_done
from tables.rights import RUN_FLOOR
from tables.rules.table.line_up import DEALING, IN_LINE, OFF, ON_BREAK, ORDERS, may_order
from tables.rules.table.needs import DEEDS, DISMISS, RECALL, RELEASE, TAKE
from tables.views.acts import HouseActPage
from tables.views.fields import FloorForm, SecondPersonForm

WORDS = {
    "line": ("Put in line", "{dealer} is in line."),
    "first": ("Put first", "{dealer} comes next."),
    "break": ("Send on break", "{dealer} is on break."),
    "off": ("Off for the day", "{dealer} is off for the day."),
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
    return render(request, "floor/line_up.html", shown | {"key": new_key()})


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
        return WORDS[self.does][1].format(dealer=self.dealer)
