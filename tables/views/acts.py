"""One thing that staff do, as a page: GET shows its form, POST does it with one verb. What each does is said elsewhere.

Works as plain pages, and piece by piece with htmx: the form comes into a slot of the page, and an answer to a POST is
the panel around that slot, with the form in it again where something was refused.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views import View

from ledger.errors import Refusal
from ledger.journal.acts import Act
from ledger.journal.particulars import of_the_house
from ledger.rights import READ_BOOKS, require
from ledger.views.day import the_site
from ledger.views.fields import new_key
from ledger.views.terminal import act_of
from tables.collection.rates import newer_version
from tables.models import Sitting, TableSession
from tables.reports.corrections import waiting_corrections
from tables.reports.rounds import claims_at, recent_rounds
from tables.reports.undo_offers import UndoOffer, offer_of
from tables.rights import APPROVE_CORRECTIONS, ASK_CORRECTIONS, HANDLE_CHIPS, RUN_FLOOR
from tables.rounds.by_hand import waiting_by_hand
from tables.rounds.pushes import require_sight
from tables.rounds.running import called_times
from tables.seats.chip_counts import open_variance
from tables.state.table_state import WHOLE
from tables.views.fields import FloorForm, KeyForm
from tables.views.panels import TableFacts, table_facts
from tables.views.seat_acts import acts_at

# Dealers read the table they deal at; whoever runs the floor or reads the books sees all of them.
READERS = (RUN_FLOOR, READ_BOOKS)
ROOM = "floor"


def find_session(session_id: int) -> TableSession:
    """The session with everything its screens show, or 404."""
    session = WHOLE.first(session_id)
    if session is None:
        raise Http404
    return session


def seat_panel(person: Any, facts: TableFacts) -> dict[str, Any]:
    """What the panel of seats shows to this person. `key` is for the acts that are one press of a button."""
    may_run = person.has_perm(RUN_FLOOR)
    return {
        "facts": facts,
        "seats": [(seat, acts_at(seat, may_run=may_run)) for seat in facts.seats],
        "key": new_key(),
        "may_handle": person.has_perm(HANDLE_CHIPS),
        "may_run": may_run,
    }


def table_panel(person: Any, facts: TableFacts) -> dict[str, Any]:
    """What the panel of the table shows to this person."""
    return {
        "facts": facts,
        "corrections": waiting_corrections(facts.session),
        "rounds": recent_rounds(facts.session),
        "claims": claims_at(facts.session),
        "newer_rate": newer_version(facts.session, facts.plan.at),
        "by_hand": waiting_by_hand(facts.session),
        "times": called_times(facts.running_round) if facts.running_round else [],
        "variance": open_variance(facts.session),
        "may_run": person.has_perm(RUN_FLOOR),
        "may_ask": person.has_perm(ASK_CORRECTIONS),
        "may_decide": person.has_perm(APPROVE_CORRECTIONS),
    }


class ActPage(View):
    """One act at a table. Subclasses say what it is called, what is asked, and which verb does it.

    `panel` is the element whose inside an answer replaces; the form itself is in the element `desk`. `undone_at` is the
    page that undoes what was done, if that can be undone for ten seconds.
    """

    right: ClassVar[str]
    form_class: ClassVar[type[FloorForm]] = KeyForm
    title: str
    button: ClassVar[str] = ""
    danger: ClassVar[bool] = False
    panel: ClassVar[str]
    panel_template: ClassVar[str]
    page_template: ClassVar[str] = "_act_page.html"
    undone_at: ClassVar[str] = ""
    offer: UndoOffer | None = None

    session: TableSession
    now: datetime

    def dispatch(self, request: HttpRequest, *args: Any, **found_by: Any) -> HttpResponseBase:
        require(request.user, self.right)
        self.now = timezone.now()
        self.find(**found_by)
        self.require_sight()
        return super().dispatch(request, *args, **found_by)

    def find(self, *args: Any, **found_by: Any) -> None:
        """Fetch what the address names: at least `self.session`, or 404."""
        raise NotImplementedError

    def require_sight(self) -> None:
        """Refuse a dealer who is at another table (`not_your_table`)."""
        require_sight(self.request.user, self.session)

    def do(self, form: Any) -> str:
        """Do it with one verb, and say in a sentence what was done."""
        raise NotImplementedError

    def act(self, form: Any, *, approver: Any = None) -> Act:
        """Who acts here, when, under which key and from which terminal; the reason is that of the form, if it asks."""
        entry = form.cleaned_data
        reason = entry.get("reason")
        reason = reason if isinstance(reason, str) else ""
        return act_of(self.request, ROOM, key=entry["key"], reason=reason, approver=approver, now=self.now)

    def panel_facts(self) -> dict[str, Any]:
        """What the panel shows once the act has been done or refused."""
        raise NotImplementedError

    def heading(self) -> str:
        """What stands above the form."""
        return self.title

    def notes(self) -> Sequence[tuple[str, str]]:
        """What to know before doing it, as (label, text)."""
        return ()

    def warning(self) -> str:
        """What cannot be taken back, if anything."""
        return ""

    def quick_amounts(self) -> Sequence[str]:
        """Amounts that are likely here, for buttons that fill the field."""
        return ()

    def form_options(self) -> dict[str, Any]:
        """What the form needs besides what was sent."""
        return {}

    def form(self, data: Any = None) -> FloorForm:
        return self.form_class(data, auto_id="desk-%s", **self.form_options())

    @property
    def by_piece(self) -> bool:
        """Whether htmx asks for a piece of a page that this act has; else it gets whole pages."""
        by_htmx = bool(self.request.htmx)  # type: ignore[attr-defined]
        return by_htmx and hasattr(self, "panel_template")

    @property
    def back_to(self) -> str:
        """What the way back leads to, in words."""
        return str(self.session.table)

    def back(self) -> str:
        """The address of the page that the act belongs to."""
        if self.request.user.has_perm(RUN_FLOOR):
            return reverse("floor-session", args=[self.session.pk])
        return reverse("dealer-session", args=[self.session.pk])

    def get(self, request: HttpRequest, **found_by: Any) -> HttpResponse:
        template = "floor/_act.html" if self.by_piece else self.page_template
        return render(request, template, self.act_facts(self.form()))

    def post(self, request: HttpRequest, **found_by: Any) -> HttpResponse:
        form = self.form(request.POST)
        if not form.is_valid():
            return self.refused(form)
        try:
            said = self.do(form)
        except Refusal as refusal:
            form.refuse(refusal)
            return self.refused(form)
        if self.undone_at:
            self.offer = offer_of(the_site(), form.cleaned_data["key"], self.undone_at)
        return self.done(said)

    def act_facts(self, form: FloorForm) -> dict[str, Any]:
        """What the form's template shows."""
        return {
            "act": self,
            "form": form,
            "address": self.request.path,
            "heading": self.heading(),
            "notes": self.notes(),
            "warning": self.warning(),
            "quick": self.quick_amounts(),
            "back": self.back(),
        }

    def refused(self, form: FloorForm) -> HttpResponse:
        """The form again with what was typed and what is wrong; nothing has changed."""
        if not self.by_piece:
            return render(self.request, self.page_template, self.act_facts(form), status=form.status)
        facts = self.act_facts(form) | self.panel_facts()
        return render(self.request, self.panel_template, facts, status=form.status)

    def done(self, said: str) -> HttpResponse:
        """The panel as it is now, or the way back to it, with the offer to undo what was done."""
        if not self.by_piece:
            messages.success(self.request, said, extra_tags=self.offer.tag if self.offer else "")
            return redirect(self.back())
        facts = self.panel_facts() | {"said": said, "offer": self.offer}
        response = render(self.request, self.panel_template, facts)
        response["HX-Trigger"] = "table-changed"
        return response


class SeatPanelActPage(ActPage):
    """An act at a seat; the dealer's page has this panel too."""

    right = HANDLE_CHIPS
    panel = "seat-actions"
    panel_template = "seats/_seats.html"

    def panel_facts(self) -> dict[str, Any]:
        return seat_panel(self.request.user, table_facts(find_session(self.session.pk), self.now))


class SittingActPage(SeatPanelActPage):
    """An act with somebody who sits."""

    sitting: Sitting

    def find(self, sitting_id: int) -> None:
        self.sitting = get_object_or_404(
            Sitting.objects.select_related("player", "stack"),
            of_the_house("session__table__site"),
            pk=sitting_id,
        )
        self.session = find_session(self.sitting.session_id)

    def heading(self) -> str:
        return f"{self.title}: {self.sitting.player}, seat {self.sitting.seat}"


class TablePanelActPage(ActPage):
    """An act with the whole table."""

    right = RUN_FLOOR
    panel = "table-panel"
    panel_template = "floor/_panel.html"

    def find(self, session_id: int) -> None:
        self.session = find_session(session_id)

    def heading(self) -> str:
        return f"{self.title}: {self.session.table}"

    def panel_facts(self) -> dict[str, Any]:
        return table_panel(self.request.user, table_facts(find_session(self.session.pk), self.now))


def zone_of(session: TableSession) -> ZoneInfo:
    """The zone of the house's clocks."""
    return ZoneInfo(session.table.site.time_zone)
