"""One act of staff as a page: GET shows its form, POST does it with one verb.

Works as plain pages and with htmx: the form comes into a slot, and a POST answers with the panel around it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from ledger.money import amount_text
from ledger.rights import READ_BOOKS
from ledger.views.fields import new_key
from ledger.views.pages import FormPage, find_here, found_or_404
from tables.collection.rates import newer_version
from tables.models import Round, Sitting, TableSession, WaitingPlace
from tables.reports.corrections import waiting_corrections
from tables.reports.rounds import claims_at, recent_rounds
from tables.reports.undo_offers import offer_of
from tables.rights import APPROVE_CORRECTIONS, ASK_CORRECTIONS, HANDLE_CHIPS, RUN_FLOOR
from tables.rounds.by_hand import waiting_by_hand
from tables.rounds.pushes import require_sight
from tables.rounds.running import called_times
from tables.rules.table.dealing import SEATS
from tables.seats.chip_counts import open_variance
from tables.state.table_state import session_of_the_house, sessions
from tables.views.fields import FloorForm, KeyForm
from tables.views.panels import SeatFacts, TableFacts, table_facts

# The usual acts by reason to wait; in a round only sitting out matters.
MATTERS = {"short": ("add-on", "cash-out"), "fee_due": ("pay", "add-on"), "sitting_out": ("out", "cash-out")}
USUAL = ("add-on", "out")
# The obvious next act.
NEXT = {"short": "add-on", "fee_due": "pay"}


@dataclass(frozen=True)
class SeatAct:
    """One act; `spoken` is added for screen readers. `press` needs no form."""

    name: str
    address: str
    text: str
    spoken: str
    press: bool = False
    primary: bool = False


@dataclass(frozen=True)
class SeatActs:
    now: tuple[SeatAct, ...] = ()
    more: tuple[SeatAct, ...] = ()


def acts_at(seat: SeatFacts, *, may_run: bool) -> SeatActs:
    """Return the acts at this seat for a person who handles chips and may also run the floor."""
    if seat.sitting is None:
        return SeatActs()
    matters = USUAL if seat.in_round else MATTERS.get(seat.reason, USUAL)
    next_one = None if seat.in_round else NEXT.get(seat.reason)
    possible = {act.name: act for act in _possible(seat, seat.sitting, may_run)}
    first = tuple(replace(possible[name], primary=name == next_one) for name in matters if name in possible)
    rest = tuple(act for act in possible.values() if act.name not in matters)
    # A menu of one is a button.
    return SeatActs(first, rest) if len(rest) > 1 else SeatActs(first + rest)


def _possible(seat: SeatFacts, sitting: Sitting, may_run: bool) -> Iterator[SeatAct]:
    who = f"{sitting.player}"

    def act(name: str, view: str, text: str, spoken: str, **more: bool) -> SeatAct:
        return SeatAct(name, reverse(view, args=[sitting.pk]), text, spoken, **more)

    if seat.free and seat.fees_cents:
        yield act("pay", "pay-fee", "Fee", f" of {who}")
        if may_run:
            yield act("waive", "waive-fee", "Waive", f" the fee of {who}")
    if seat.free and may_run and seat.due_here_cents > seat.stack_cents:
        yield act("gone", "left-unpaid", "Left unpaid", f": {who}")
    if seat.free:
        yield act("add-on", "add-on", "Add-on", f" for {who}")
    view, text = ("return", "Back in") if sitting.sitting_out else ("sit-out", "Sit out")
    yield act("out", view, text, f": {who}", press=True)
    if seat.free and seat.stack_cents:
        yield act("toke", "toke", "Toke", f" from {who}")
    if may_run:
        if seat.free:
            yield act("seat", "change-seat", "Change seats", f": {who}")
        yield act("change", "table-change", "Wants a table", f": {who} asks for another one")
        if seat.may_leave:
            yield act("move", "move", "Move", f" {who} to another table")
    if seat.may_leave:
        yield act("cash-out", "cash-out", "Cash out", f" {who}")
        if may_run and seat.stack_cents:
            yield act("pick-up", "pick-up", "Pick up the stack", f" of {who}")


# Dealers read their own table; those who run the floor or read the books see all.
READERS = (RUN_FLOOR, READ_BOOKS)


def find_session(session_id: int) -> TableSession:
    return found_or_404(session_of_the_house(session_id))


def other_tables(session: TableSession) -> QuerySet[TableSession]:
    others = sessions().filter(closed_at__isnull=True, table__site=session.table.site)
    return others.exclude(pk=session.pk)


def seat_panel(person: Any, facts: TableFacts, key: str | None = None) -> dict[str, Any]:
    may_run = person.has_perm(RUN_FLOOR)
    return {
        "facts": facts,
        "seats": [(seat, acts_at(seat, may_run=may_run)) for seat in facts.seats],
        "key": new_key() if key is None else key,
        "may_handle": person.has_perm(HANDLE_CHIPS),
        "may_run": may_run,
    }


def table_panel(person: Any, facts: TableFacts) -> dict[str, Any]:
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
        "reader_id": person.pk,
    }


class ActPage(FormPage):
    """One act at a table.

    `panel` is the element whose inside an answer replaces; `undone_at` names the page that undoes the act.
    """

    room = "floor"
    form_class: ClassVar[type[FloorForm]] = KeyForm
    template = "_act_page.html"
    title: str = ""
    button: ClassVar[str] = ""
    """What its button says, if not the title."""
    danger: ClassVar[bool] = False
    panel: ClassVar[str]
    panel_template: ClassVar[str]
    undone_at: ClassVar[str] = ""
    said_level = messages.SUCCESS
    """How the page says what was done."""

    session: TableSession

    def find(self, *args: Any, **found_by: Any) -> None:
        self.session = find_session(found_by["session_id"])

    def require_sight(self) -> None:
        """Refuse a dealer who is at another table (`not_your_table`)."""
        require_sight(self.request.user, self.session)

    def panel_facts(self) -> dict[str, Any]:
        """Return the context of the panel once the act has been done or refused."""
        raise NotImplementedError

    def heading(self) -> str:
        return f"{self.title}: {self.session.table}"

    def notes(self) -> Sequence[tuple[str, str]]:
        return ()

    @property
    def warning(self) -> str:
        """What cannot be taken back, if anything."""
        return ""

    def quick_amounts(self) -> Sequence[str]:
        return ()

    def form_options(self) -> dict[str, Any]:
        """Return what the form needs besides the data and the request."""
        return {}

    def form(self, data: Any = None) -> FloorForm:
        return self.form_class(data, auto_id="desk-%s", request=self.request, **self.form_options())

    @property
    def by_piece(self) -> bool:
        """Whether htmx asks for a piece of a page; else the answer is a whole page."""
        by_htmx = bool(self.request.htmx)  # type: ignore[attr-defined]
        return by_htmx and hasattr(self, "panel_template")

    @property
    def back_to(self) -> str:
        return str(self.session.table)

    def back(self) -> str:
        if self.request.user.has_perm(RUN_FLOOR):
            return reverse("floor-session", args=[self.session.pk])
        return reverse("dealer-session", args=[self.session.pk])

    def get(self, request: HttpRequest, **found_by: Any) -> HttpResponse:
        template = "floor/_act.html" if self.by_piece else self.template
        return render(request, template, self.facts(self.form()))

    def facts(self, form: FloorForm) -> dict[str, Any]:
        return {
            "act": self,
            "form": form,
            "address": self.request.get_full_path(),
            "heading": self.heading(),
            "notes": self.notes(),
            "warning": self.warning,
            "quick": self.quick_amounts(),
            "back": self.back(),
        }

    def refused(self, form: FloorForm) -> HttpResponse:
        """Show the form again, within its panel for htmx."""
        if not self.by_piece:
            return super().refused(form)
        return render(
            self.request, self.panel_template, self.facts(form) | self.panel_facts(), status=form.status
        )

    def done(self, sentence: str, form: FloorForm) -> HttpResponse:
        key = form.cleaned_data["key"]
        offer = offer_of(self.site, key, self.undone_at) if self.undone_at else None
        if not self.by_piece:
            tag = offer.tag if offer else ""
            messages.add_message(self.request, self.said_level, sentence, extra_tags=tag)
            return redirect(self.back())
        level = messages.DEFAULT_TAGS[self.said_level]
        facts = self.panel_facts() | {"said": sentence, "said_level": level, "offer": offer}
        response = render(self.request, self.panel_template, facts)
        response["HX-Trigger"] = "table-changed"
        return response


class HouseActPage(ActPage):
    def find(self, *args: Any, **found_by: Any) -> None:
        """Fetch nothing, unless a subclass does."""

    def require_sight(self) -> None:
        """Allow it: no table is shown."""

    def heading(self) -> str:
        return self.title

    def back(self) -> str:
        return reverse(self.home)


class SeatPanelActPage(ActPage):
    rights = (HANDLE_CHIPS,)
    panel = "seat-actions"
    panel_template = "seats/_seats.html"

    def panel_facts(self) -> dict[str, Any]:
        return seat_panel(self.request.user, table_facts(find_session(self.session.pk), self.now))


class EmptySeatActPage(SeatPanelActPage):
    def find(self, session_id: int, seat: int) -> None:
        if seat not in SEATS:
            raise Http404
        self.session, self.seat = find_session(session_id), seat

    def heading(self) -> str:
        return f"{self.title}: {self.session.table}, seat {self.seat}"


class SittingActPage(SeatPanelActPage):
    sitting: Sitting

    def find(self, sitting_id: int) -> None:
        sittings = Sitting.objects.select_related("player", "stack")
        self.sitting = find_here(sittings, sitting_id, "session__table__site")
        self.session = find_session(self.sitting.session_id)

    def heading(self) -> str:
        return f"{self.title}: {self.sitting.player}, seat {self.sitting.seat}"

    def keeps(self, place: WaitingPlace) -> bool:
        return place.player_id == self.sitting.player_id


class TablePanelActPage(ActPage):
    rights = (RUN_FLOOR,)
    panel = "table-panel"
    panel_template = "floor/_panel.html"

    def panel_facts(self) -> dict[str, Any]:
        return table_panel(self.request.user, table_facts(find_session(self.session.pk), self.now))


class RoundActPage(TablePanelActPage):
    round: Round

    def find(self, round_id: int) -> None:
        self.round = find_here(Round, round_id, "session__table__site")
        self.session = find_session(self.round.session_id)

    def heading(self) -> str:
        return f"{self.title}: round {self.round.number}, {self.session.table}"


def typed_amounts(amounts: Iterable[int]) -> list[str]:
    """Return amounts in cents as people type them: 45, 7.50."""
    return [amount_text(cents).removesuffix(".00") for cents in amounts]
