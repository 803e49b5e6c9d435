"""Acts on a whole table: opening, bank, box, clock, must-move, closing, breaking; confirming the time."""

from collections.abc import Sequence
from datetime import datetime
from functools import cached_property
from typing import Any, ClassVar
from urllib.parse import urlencode

from django.urls import reverse

from ledger.cage import seals, stocking
from ledger.journal.particulars import of_the_house
from ledger.money import amount_text, dollars
from ledger.reports.count_sheets import StruckLine, waiting_lines
from ledger.rules.count_sheets import calls_supervisor
from ledger.views.pages import find_here
from tables.collection import clock, rates
from tables.floor import banks, closing, games, house_clock, must_move, opening
from tables.floor.tablets import silences
from tables.models import Sitting, Table, TableSession
from tables.rights import RUN_FLOOR
from tables.rules.game.rounds import Sheet
from tables.rules.words.described import described
from tables.state.held_seats import same_game
from tables.state.table_state import state_of
from tables.views.acts import HouseActPage, TablePanelActPage, other_tables
from tables.views.fields import FloorForm, ReasonForm, places_at
from tables.views.floor.forms import BreakForm, CloseForm, MoveUpForm, MustMoveForm, OpenTableForm, SealedForm
from tables.views.floor.pages import obstacles
from tables.views.panels import free_tables
from tables.views.pieces import TwoCountsForm


class OpenTable(HouseActPage):
    rights = (RUN_FLOOR,)
    form_class = OpenTableForm
    title = "Open a table"
    button = "Open the table"
    home = "floor"
    template = "floor/open.html"

    opened: TableSession | None = None

    def find(self) -> None:
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
            "sealed": self.site.box_seals,
            "initial": {name: self.request.GET.get(name) for name in ("table", "game", "rate", "max_buy_in")},
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
            "last": self._last(form["table"].value()),
            **obstacles(self.site, self.now),
        }

    def _last(self, table: Any) -> list[tuple[TableSession, str]]:
        """Return the last session of each free table, or of this one, with the query that fills the form with
        its game, its maximum and the current version of its rate. Sessions that could not be opened today are
        left out."""
        rate_of = {rate.option: rate.pk for rate in rates.rates_in_force(self.site, self.now)}
        offered, found = dict(self.offered), []
        for one in opening.last_sessions(free_tables()):
            wanted = not table or str(one.table_id) == str(table)
            if wanted and one.sheet.code in offered and one.rate.option in rate_of:
                most = amount_text(one.max_buy_in_cents)
                says = {"table": one.table_id, "game": one.sheet.code, "rate": rate_of[one.rate.option]}
                found.append((one, urlencode(says | {"max_buy_in": most})))
        return found

    def do(self, form: OpenTableForm) -> str:
        entry = form.cleaned_data
        self.opened = opening.open_table(
            table=entry["table"],
            game=entry["game"],
            rate=entry["rate"],
            max_buy_in_cents=entry["max_buy_in"],
            seal=entry.get("new_seal", ""),
            act=self.act(form),
        )
        return f"{self.opened.table} is open. Its bank is empty: ask for the opener."


def _game_label(sheet: Sheet) -> str:
    title = games.title_of(sheet)
    return title if games.is_built_in(sheet) else f"{title} (the house's own, version {sheet.version})"


def asked_of(session: TableSession, now: datetime, *, next_one: bool) -> set[str]:
    """Return the fields to ask for when a table's box is pulled; `next_one`: another box takes its place."""
    site = session.table.site
    return {
        *(("seal", "seal_reason") if session.box.seal else ()),
        *(("emergency",) if next_one and seals.is_emergency(site, now) else ()),
        *(("new_seal",) if next_one and site.box_seals else ()),
    }


class ChangeBox(TablePanelActPage):
    title = "Change the box"
    form_class = SealedForm

    def form_options(self) -> dict[str, Any]:
        return {"asks": asked_of(self.session, self.now, next_one=True)}

    def notes(self) -> Sequence[tuple[str, str]]:
        return (("Box at the table", f"No. {self.session.box.number}"),)

    def do(self, form: SealedForm) -> str:
        session = opening.change_box(
            session_id=self.session.pk,
            second=form.second_person,
            noted=form.noted,
            new_seal=form.cleaned_data.get("new_seal", ""),
            act=self.act(form),
        )
        return f"Box {session.box.number} is at {session.table} now."


class StopClock(TablePanelActPage):
    title = "Stop the clock"
    form_class = ReasonForm

    def do(self, form: ReasonForm) -> str:
        clock.stop_clock(session_id=self.session.pk, act=self.act(form))
        return f"The clock of {self.session.table} stands still."


class StartClock(TablePanelActPage):
    title = "Start the clock"

    def do(self, form: Any) -> str:
        clock.start_clock(session_id=self.session.pk, act=self.act(form))
        return f"The clock of {self.session.table} runs again."


class ConfirmTime(HouseActPage):
    title = "Confirm the time"
    button = "The time is right"
    rights = (RUN_FLOOR,)
    home, back_to = "floor", "Floor"

    def notes(self) -> Sequence[tuple[str, str]]:
        here = self.now.astimezone(self.zone)
        compare = "Compare it with a clock that is not the server's. If it is wrong, have it set right first."
        return (
            ("The server's clock shows", f"{here:%A, %B %-d %Y, %H:%M:%S}"),
            ("Before you confirm", compare),
            ("What it does", "Rounds start and fees are charged by this time. Nothing recorded is changed."),
        )

    def do(self, form: Any) -> str:
        house_clock.confirm_time(site=self.site, reading=house_clock.read(), act=self.act(form))
        return "The time is confirmed: rounds start again."


class CountBank(TablePanelActPage):
    """Count the bank of a table that plays on. Its figures are not shown: two people count it blind."""

    title = "Count the bank"
    button = "Both have counted"
    form_class: ClassVar[type[FloorForm]] = TwoCountsForm

    def notes(self) -> Sequence[tuple[str, str]]:
        return (
            ("Bank", "two of you count it, each alone, and both enter their count"),
            ("Then", self.then()),
            *((f"Attempt {attempt}", self.who(one)) for attempt, one in enumerate(self.struck, 1)),
        )

    def then(self) -> str:
        return "it stays at the table as you counted it, and play goes on"

    @cached_property
    def struck(self) -> list[StruckLine]:
        return waiting_lines(self.session.bank_chips)

    @property
    def warning(self) -> str:
        called = calls_supervisor(len(self.struck) + 1, agree=False)
        return f"{len(self.struck)} counts differed. Call a supervisor." if called else ""

    def who(self, line: StruckLine) -> str:
        """Say who counted and when; the figures are on the paper of the table once it is closed."""
        both = " and ".join(one.initials for one in line.counts)
        time = f"{line.at.astimezone(self.zone):%H:%M:%S}"
        return f"struck, {both}, {time}"

    def form_options(self) -> dict[str, Any]:
        return {"denominations": stocking.denominations(self.site)}

    def do(self, form: Any) -> str:
        count, second_count = (one.pieces for one in form.counts)
        counts = {"count": count, "second_count": second_count, "second": form.second_person}
        session = closing.count_bank(session_id=self.session.pk, **counts, act=self.act(form))
        return f"The bank of {session.table} is counted."


class CloseTable(CountBank):
    title = "Close the table"
    button = ""
    danger = True
    form_class: ClassVar[type[FloorForm]] = CloseForm

    def notes(self) -> Sequence[tuple[str, str]]:
        bank, then, *struck = super().notes()
        return (bank, then, ("Box to be pulled", f"No. {self.session.box.number}"), *struck)

    @property
    def warning(self) -> str:
        """Say when the table's tablet was silent: what is on it and was not sent is in no book."""
        pk, table = self.session.pk, self.session.table
        said = [one.said(self.site, table) for one in silences(self.site, [pk], self.now).get(pk, ())]
        return " ".join((*said, super().warning)).strip()

    def then(self) -> str:
        return "it goes to the cage as you counted it, and a cashier counts it there"

    def form_options(self) -> dict[str, Any]:
        return super().form_options() | {"asks": asked_of(self.session, self.now, next_one=False)}

    def counted(self, form: CloseForm) -> dict[str, Any]:
        return {
            "session_id": self.session.pk,
            "second": form.second_person,
            "seal": form.noted,
            "act": self.act(form),
        }

    def do(self, form: Any) -> str:
        count, second_count = (one.pieces for one in form.counts)
        counts = {"count": count, "second_count": second_count}
        return _closed(closing.close_table(**counts, **self.counted(form)), "is closed")


class BreakTable(CloseTable):
    """Break a table: free seats of the same game and limit are proposed; the others cash out."""

    title = "Break the table"
    form_class = BreakForm

    @property
    def warning(self) -> str:
        said = "Everybody is moved or cashed out at once, and the table closes. Fantasy land stays behind."
        return f"{said} {super().warning}".rstrip()

    def form_options(self) -> dict[str, Any]:
        free = closing.free_seats(closing.other_tables(self.session), self.now)
        return super().form_options() | {
            "seated": state_of(self.session).sittings,
            "proposed": closing.proposed_places(self.session, self.now),
            "places": [
                places_at(
                    other, seats, f"{other.table}, {other.sheet.title}, limit {dollars(other.limit_cents)}"
                )
                for other, seats in free
                if seats
            ],
        }

    def do(self, form: BreakForm) -> str:
        first, second = (one.pieces for one in form.counts)
        session = closing.break_table(places=form.places, counts=(first, second), **self.counted(form))
        return _closed(session, "is broken and closed")


def _closed(session: TableSession, how: str) -> str:
    closer = banks.closer_of(session)
    if closer is None:
        return f"{session.table} {how}. Its bank was empty."
    return f"{session.table} {how}. Take its bank to the cage: {closer}, for a cashier to count."


class MoveUp(HouseActPage):
    rights = (RUN_FLOOR,)
    title = "Must-move"
    button = "Move the player"
    form_class = MoveUpForm
    home, back_to = "waiting", "Waiting lists"

    def find(self, sitting_id: int) -> None:
        found = Sitting.objects.select_related("player", "session__table")
        self.sitting = find_here(found, sitting_id, "session__table__site")

    def heading(self) -> str:
        return f"{self.title}: {self.sitting.player}, {self.sitting.session.table}"

    def form(self, data: Any = None) -> FloorForm:
        return MoveUpForm(self.request.GET if data is None and self.request.GET else data)

    def do(self, form: MoveUpForm) -> str:
        session_id, seat = form.cleaned_data["place"]
        arrived = must_move.move_up(
            sitting_id=self.sitting.pk, to_session_id=session_id, seat=seat, act=self.act(form)
        )
        return f"{arrived.player} moves to {arrived.session.table}, seat {arrived.seat}."


class MustMove(TablePanelActPage):
    title = "Must-move"
    button = "Set the main game"
    form_class = MustMoveForm

    def form_options(self) -> dict[str, Any]:
        mains = [one for one in other_tables(self.session) if same_game(one, self.session)]
        return {
            "choices": {"main": [(str(one.pk), str(one.table)) for one in mains]},
            "initial": {"main": self.session.must_move_to_id},
        }

    def notes(self) -> Sequence[tuple[str, str]]:
        longest = "the player who has been here longest takes the next free seat in the main game"
        return (("Then", longest),)

    def do(self, form: MustMoveForm) -> str:
        session = must_move.set_must_move(
            session_id=self.session.pk, to_session_id=form.cleaned_data["main"], act=self.act(form)
        )
        if session.must_move_to is None:
            return f"{self.session.table} is not a must-move table."
        return f"The players of {self.session.table} move to {session.must_move_to.table}."
