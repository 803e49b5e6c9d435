"""The floor's own screens: opening a table, the page of one table, and what is done with it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone

from ledger.money import dollars
from ledger.rights import require
from ledger.views.day import the_site
from ledger.views.terminal import terminal_of
from tables import collection, corrections, games, matches, opening, rounds, schedules
from tables.forms import FillForm, FloorForm, OpenTableForm, ReasonForm, TwoPeopleForm
from tables.models import CorrectionRequest, Round, Schedule, Table, TableSession
from tables.rules.described import described
from tables.rules.rounds import Sheet
from tables.standings import latest_standing
from tables.views.acts import READERS, ROOM, Act, TablePanelAct, find_session, seat_panel, table_panel
from tables.views.panels import free_tables, table_facts


def openings(site: Any, now: datetime) -> dict[str, Any]:
    """What keeps the next table from being opened: what is missing, or that no more are authorised."""
    full = "" if opening.open_places(site) else opening.too_many(site)
    return {"missing": opening.missing(site, now), "full": full}


def session_page(request: HttpRequest, session_id: int) -> HttpResponse:
    """One table: its seats, its clock, its money, its rounds, and what waits for somebody."""
    require(request.user, *READERS)
    facts = table_facts(find_session(session_id), timezone.now())
    return render(request, "floor/table.html", seat_panel(request, facts) | table_panel(request, facts))


def panel(request: HttpRequest, session_id: int) -> HttpResponse:
    """The part of that page that is about the whole table."""
    require(request.user, *READERS)
    facts = table_facts(find_session(session_id), timezone.now())
    return render(request, "floor/_panel.html", table_panel(request, facts))


class OpenTable(Act):
    """Opening a table."""

    right = "tables.run_floor"
    form_class = OpenTableForm
    title = "Open a table"
    button = "Open the table"
    panel = "open"
    page_template = "floor/open.html"

    session: TableSession | None = None

    def find(self) -> None:
        """No table is there yet: only the games, and what keeps some of them from being opened."""
        self.games = games.games()
        self.changed = games.changed_games(self.games)
        self.offered = [
            (sheet.code, _game_label(sheet)) for sheet in self.games if sheet.code not in self.changed
        ]

    def require_sight(self) -> None:
        """There is no table yet."""

    def form_options(self) -> dict[str, Any]:
        return {
            "tables": Table.objects.select_related("site").order_by("number"),
            "free": free_tables(),
            "schedules": _rates_in_force(self.now),
            "games": [(sheet.code, _game_label(sheet)) for sheet in self.games],
            "offered": self.offered,
            "initial": {name: self.request.GET.get(name) for name in ("table", "game")},
        }

    def back(self) -> str:
        return reverse("floor-session", args=[self.session.pk]) if self.session else reverse("floor")

    def act_facts(self, form: FloorForm) -> dict[str, Any]:
        chosen = next((sheet for sheet in self.games if sheet.code == form["game"].value()), None)
        return super().act_facts(form) | {
            "games": self.offered,
            "chosen": chosen and described(chosen),
            "changed": self.changed.values(),
            "faults": games.house_sheets().faults,
            **openings(the_site(), self.now),
        }

    def do(self, form: OpenTableForm) -> str:
        entry = form.cleaned_data
        self.session = opening.open_table(
            table=entry["table"],
            game=entry["game"],
            schedule=entry["schedule"],
            max_buy_in_cents=entry["max_buy_in"],
            opener_cents=entry["opener"],
            key=entry["key"],
            actor=self.request.user,
            now=self.now,
            terminal=terminal_of(self.request, ROOM),
        )
        return f"{self.session.table} is open."

    def done(self, said: str) -> HttpResponse:
        messages.success(self.request, said)
        return redirect(self.back())


def _game_label(sheet: Sheet) -> str:
    title = games.title_of(sheet)
    return title if games.is_built_in(sheet) else f"{title} (the house's own, version {sheet.version})"


def _rates_in_force(now: Any) -> QuerySet[Schedule]:
    """The rates in force at every house that has tables, to choose one."""
    sites = {table.site for table in Table.objects.select_related("site")}
    held = [rate.pk for site in sites for rate in schedules.rates_in_force(site, now)]
    return Schedule.objects.filter(pk__in=held).order_by("limit_cents", "option")


class StopClock(TablePanelAct):
    """Stopping the table's clock for an incident."""

    title = "Stop the clock"
    button = "Stop the clock"
    form_class = ReasonForm

    def do(self, form: ReasonForm) -> str:
        collection.stop_clock(
            session_id=self.session.pk,
            reason=form.cleaned_data["reason"],
            key=form.cleaned_data["key"],
            actor=self.request.user,
            now=self.now,
        )
        return f"The clock of {self.session.table} stands still."


class StartClock(TablePanelAct):
    """Letting the clock run again."""

    title = "Start the clock"
    button = "Start the clock"

    def do(self, form: Any) -> str:
        collection.start_clock(
            session_id=self.session.pk,
            key=form.cleaned_data["key"],
            actor=self.request.user,
            now=self.now,
        )
        return f"The clock of {self.session.table} runs again."


class FillBank(TablePanelAct):
    """Bringing chips from the cage."""

    title = "Fill the bank"
    button = "Fill the bank"
    form_class = FillForm

    def notes(self) -> Sequence[tuple[str, str]]:
        return (("Chips in the bank", dollars(self.session.bank_chips.balance_cents)),)

    def do(self, form: FillForm) -> str:
        cents = form.cleaned_data["amount"]
        opening.fill_bank(
            session_id=self.session.pk,
            cents=cents,
            key=form.cleaned_data["key"],
            actor=self.request.user,
            now=self.now,
            terminal=terminal_of(self.request, ROOM),
        )
        return f"{dollars(cents)} in chips came to {self.session.table}."


class ChangeBox(TablePanelAct):
    """Pulling the drop box and installing an empty one."""

    title = "Change the box"
    button = "Change the box"
    form_class = TwoPeopleForm

    def form_options(self) -> dict[str, Any]:
        return {"request": self.request}

    def notes(self) -> Sequence[tuple[str, str]]:
        return (("Box at the table", f"No. {self.session.box.number}"),)

    def do(self, form: TwoPeopleForm) -> str:
        session = opening.change_box(
            session_id=self.session.pk,
            second=form.second_person,
            key=form.cleaned_data["key"],
            actor=self.request.user,
            now=self.now,
        )
        return f"Box {session.box.number} is at {session.table} now."


class StartRound(TablePanelAct):
    """Starting the next round for the table's dealer. Its form is the dealer's own, which speaks to the tablet's doors."""

    title = "Start round"
    page_template = "floor/start.html"
    http_method_names = ("get", "head")

    def get(self, request: HttpRequest, **found_by: Any) -> HttpResponse:
        template = "floor/_start.html" if self.by_piece else self.page_template
        return render(request, template, {"act": self, "heading": self.heading(), "back": self.back()})


class VoidRound(TablePanelAct):
    """Voiding a round that has not been settled."""

    title = "Void the round"
    button = "Void the round"
    danger = True
    form_class = ReasonForm

    def find(self, round_id: int) -> None:
        self.round = get_object_or_404(Round, pk=round_id)
        self.session = find_session(self.round.session_id)

    def heading(self) -> str:
        return f"{self.title}: round {self.round.number}, {self.session.table}"

    def warning(self) -> str:
        return "Nobody wins or loses. Buttons and fantasy land stay as they were."

    def do(self, form: ReasonForm) -> str:
        voided = rounds.void_round(
            round_id=self.round.pk,
            reason=form.cleaned_data["reason"],
            key=form.cleaned_data["key"],
            actor=self.request.user,
            now=self.now,
        )
        return f"Round {voided.number} is void."


class CallOffMatch(TablePanelAct):
    """Calling off the match of a race."""

    title = "Call the match off"
    button = "Call the match off"
    danger = True
    form_class = ReasonForm

    def notes(self) -> Sequence[tuple[str, str]]:
        standing = latest_standing(self.session.pk)
        if standing is None or not standing.running:
            return ()
        points = ", ".join(f"{sitting.player} {points}" for sitting, points in standing.table)
        return ((str(standing.match), points), ("Stake", dollars(standing.match.stake_cents)))

    def warning(self) -> str:
        return "Nobody pays, and its players may leave. The next round begins a new match."

    def do(self, form: ReasonForm) -> str:
        match = matches.call_off(
            session_id=self.session.pk,
            reason=form.cleaned_data["reason"],
            key=form.cleaned_data["key"],
            actor=self.request.user,
            now=self.now,
        )
        return f"{match} is called off."


class DecideCorrection(TablePanelAct):
    """Deciding on a correction that somebody else asked for."""

    right = "tables.approve_corrections"

    def find(self, correction_id: int) -> None:
        self.asked = get_object_or_404(
            CorrectionRequest.objects.select_related("round", "asked_by"), pk=correction_id
        )
        self.session = find_session(self.asked.round.session_id)

    def heading(self) -> str:
        return f"{self.title}: round {self.asked.round.number}, {self.session.table}"

    def notes(self) -> Sequence[tuple[str, str]]:
        return (("Asked for by", str(self.asked.asked_by)), ("Because", self.asked.reason))


class ApproveCorrection(DecideCorrection):
    """Approving it: the settlement is taken back and made anew."""

    title = "Approve the correction"
    button = "Approve"

    def warning(self) -> str:
        return "Chips move at once. What is no longer on the table becomes a claim between the players."

    def do(self, form: Any) -> str:
        corrections.approve_correction(
            request_id=self.asked.pk,
            key=form.cleaned_data["key"],
            actor=self.request.user,
            now=self.now,
            terminal=terminal_of(self.request, ROOM),
        )
        return f"Round {self.asked.round.number} is settled anew."


class RefuseCorrection(DecideCorrection):
    """Refusing it: the settlement stands."""

    title = "Refuse the correction"
    button = "Refuse"
    form_class = ReasonForm

    def do(self, form: ReasonForm) -> str:
        corrections.refuse_correction(
            request_id=self.asked.pk,
            reason=form.cleaned_data["reason"],
            actor=self.request.user,
            now=self.now,
        )
        return f"The settlement of round {self.asked.round.number} stands."
