"""Cage slips: the cashier's count, the second person's blind count, the slip, its withdrawal; and drawers,
which slips fill, give back from and close."""

from typing import Any, ClassVar, TypeVar

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from ledger.cage import drawers, stocking, struck
from ledger.cage.drawers import Drawer
from ledger.cage.stocking import CageSlip
from ledger.money import dollars
from ledger.reports import cage_slips, traces
from ledger.reports.cage_slips import sheet_of
from ledger.reports.count_sheets import struck_slips
from ledger.rights import READ_BOOKS, RUN_FLOOR, WORK_CAGE
from ledger.rules.count_sheets import calls_supervisor
from ledger.rules.slip_ways import STAYS
from ledger.views.day import the_site
from ledger.views.fields import BooksForm
from ledger.views.pages import FormOnPage, FormPage, read_by
from tables.views.cage.day import ROOM
from tables.views.cage.window import AtTheWindow
from tables.views.fields import FloorForm, ReasonForm, SecondPersonForm
from tables.views.pieces import CountPieces

WAYS = {
    "opening": "Open the vault",
    "to_drawer": "Take into your drawer",
    "from_drawer": "Give back from your drawer",
    "closing": "Close the drawer",
    "count": "Count the vault",
    "unclaimed": "Count the unclaimed chips",
    "reserve": "Count the reserve sets",
}

ADDRESSES = {
    CageSlip.Way.OPENING: "stock-cage",
    CageSlip.Way.TO_DRAWER: "drawer-take",
    CageSlip.Way.FROM_DRAWER: "drawer-give-back",
    CageSlip.Way.CLOSING: "drawer-close",
    CageSlip.Way.COUNT: "vault-count",
    CageSlip.Way.UNCLAIMED: "unclaimed-count",
    CageSlip.Way.RESERVE: "reserve-count",
}


class CountAgain(CountPieces, SecondPersonForm):
    signers = (WORK_CAGE, RUN_FLOOR)


Asked = TypeVar("Asked", bound=CountPieces)


def _asked(form: Asked, way: str) -> Asked:
    """Ask for a zero where all of a place is counted, and nothing is in it."""
    form.if_nothing = "If nothing is there, write 0." if way in (stocking.CLOSING, *STAYS) else ""
    return form


class CountFirst(FormPage):
    """The cashier counts what opens the vault, or all that is in a place (`way`), on a new slip."""

    rights = (WORK_CAGE,)
    room = ROOM
    template = "cage/stock.html"
    way = "opening"
    drawer: Drawer | None = None

    def form(self, data: Any = None) -> CountPieces:
        return _asked(CountPieces(data, denominations=stocking.counted_in(self.site, self.way)), self.way)

    def do(self, form: CountPieces) -> str:
        self.slip = stocking.count_first(
            site=self.site, way=self.way, pieces=form.pieces, drawer=self.drawer, act=self.act(form)
        )
        return ""

    def back(self) -> str:
        return reverse("cage-slip", args=[self.slip.pk])

    def facts(self, form: CountPieces) -> dict[str, Any]:
        return {
            "way": self.way,
            "title": WAYS[self.way],
            "drawer": self.drawer,
            "on_document": stocking.on_document(self.site, self.way),
            "struck": struck_slips(self.site, self.way, self.drawer),
        }


class Slip(FormPage):
    rights = (WORK_CAGE,)
    readers: ClassVar[tuple[str, ...]] = (READ_BOOKS,)
    room = ROOM
    template = "cage/slip.html"

    def find(self, *args: Any, slip_id: int) -> None:
        slips = self.site.cage_slips.select_related("drawer__chips", "drawer__cash", "counted_by")
        self.slip = get_object_or_404(slips, pk=slip_id)

    def form(self, data: Any = None) -> FloorForm:
        values = stocking.counted_in(self.site, self.slip.way)
        form = CountAgain(data, denominations=values, request=self.request, auto_id="again-%s")
        return _asked(form, self.slip.way)

    def do(self, form: Any) -> str:
        act = self.act(form, approver=form.second_person)
        result = stocking.count_second(slip=self.slip, pieces=form.pieces, act=act)
        if not result.entry_id:
            return ""
        total = dollars(result.chips_cents + result.cash_cents)
        return f"Both counts agree: {total}. Entry {result.entry_id}."

    def back(self) -> str:
        return reverse("cage-slip", kwargs=self.kwargs)

    def facts(self, form: FloorForm) -> dict[str, Any]:
        row, may_work = cage_slips.slip_row(self.slip), self.request.user.has_perm(WORK_CAGE)
        slip, before = row.slip, struck_slips(self.site, self.slip.way, self.slip.drawer, self.slip.number)
        return {
            "row": row,
            "traces": traces.traces(self.site, self.request.user, traces.of_slip(row.slip, row.result)),
            "struck": before,
            "called": row.outcome == "differed" and calls_supervisor(len(before) + 2, agree=False),
            "shown": row.outcome != "differed" or not may_work or struck.is_settled(slip),
            "again": _address(self.slip),
            "withdraw": ReasonForm(auto_id="withdraw-%s"),
            "may_work": may_work,
            "mine": may_work and row.result is None and row.slip.counted_by == self.request.user,
        }


def _address(slip: CageSlip) -> str:
    name = ADDRESSES.get(CageSlip.Way(slip.way), "cashier-vault")
    return reverse(name, args=[slip.drawer_id] if slip.drawer_id else [])


class WithdrawSlip(FormOnPage, Slip):
    beside = "withdraw"

    def form(self, data: Any = None) -> FloorForm:
        return ReasonForm(data, auto_id="withdraw-%s")

    def do(self, form: Any) -> str:
        stocking.withdraw_slip(slip=self.slip, act=self.act(form))
        return f"{self.slip} is withdrawn. Nothing was posted."


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
