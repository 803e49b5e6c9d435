"""Cashiers' drawers: opening one at the window, its sheet, and the counts that fill it, give back from it and
close it."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from ledger.cage import drawers
from ledger.cage.drawers import Drawer
from ledger.reports import traces
from ledger.reports.cage_slips import sheet_of
from ledger.rights import READ_BOOKS, WORK_CAGE
from ledger.views.day import the_site
from ledger.views.fields import BooksForm
from ledger.views.pages import read_by
from tables.views.cage.stocking import CountFirst
from tables.views.cage.window import AtTheWindow


class OpenDrawer(AtTheWindow):
    """A cashier opens their drawer, and goes on to count what they take into it."""

    name = "refused_drawer"
    form_class = BooksForm

    def do(self, form: BooksForm) -> str:
        self.drawer = drawers.open_drawer(site=self.site, act=self.act(form))
        return ""

    def done(self, said: str, form: BooksForm) -> HttpResponse:
        return redirect(reverse("drawer-take", args=[self.drawer.pk]))


@read_by(WORK_CAGE, READ_BOOKS)
def drawer_page(request: HttpRequest, drawer_id: int) -> HttpResponse:
    """Show a drawer's slips and, once it is closed, its result."""
    site, person = the_site(), request.user
    drawer = _drawer(site, drawer_id)
    may_work = person.has_perm(WORK_CAGE)
    sheet = sheet_of(drawer)
    facts = {
        "site": site,
        "sheet": sheet,
        "traces": traces.traces(site, person, traces.of_drawer(drawer, sheet.slips)),
        "may_work": may_work,
        "mine": may_work and drawer.cashier_id == person.pk,
    }
    return render(request, "cage/drawer.html", facts)


class CountDrawer(CountFirst):
    """A cashier counts what moves between drawer and vault, or the whole drawer to close it."""

    def find(self, drawer_id: int) -> None:
        self.drawer = _drawer(self.site, drawer_id)


def _drawer(site: Any, drawer_id: int) -> Drawer:
    rows = Drawer.objects.filter(site=site).select_related("cashier", "chips", "cash")
    return get_object_or_404(rows, pk=drawer_id)
