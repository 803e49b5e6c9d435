"""Making a table a must-move table, and moving its players up."""

from collections.abc import Sequence
from typing import Any

from django.shortcuts import get_object_or_404
from django.urls import reverse

from ledger.journal.particulars import of_the_house
from tables.floor import must_move
from tables.models import Sitting
from tables.rights import RUN_FLOOR
from tables.state.held_seats import same_game
from tables.views.acts import (
    ActPage,
    TablePanelActPage,
)
from tables.views.fields import FloorForm
from tables.views.floor.forms import MoveUpForm, MustMoveForm
from tables.views.waiting.acts import other_tables


class MoveUp(ActPage):
    """Moving whose turn it is from the must-move table to the main game."""

    right = RUN_FLOOR
    title = "Must-move"
    button = "Move the player"
    form_class = MoveUpForm
    back_to = "Waiting lists"

    def find(self, sitting_id: int) -> None:
        found = Sitting.objects.select_related("player", "session__table")
        self.sitting = get_object_or_404(found, of_the_house("session__table__site"), pk=sitting_id)

    def require_sight(self) -> None:
        """Lists are the floor's: no table is looked at."""

    def back(self) -> str:
        return reverse("waiting")

    def heading(self) -> str:
        return f"{self.title}: {self.sitting.player}, {self.sitting.session.table}"

    def form(self, data: Any = None) -> FloorForm:
        return MoveUpForm(self.request.GET if data is None and self.request.GET else data)

    def do(self, form: MoveUpForm) -> str:
        session_id, seat = form.cleaned_data["place"]
        arrived = must_move.move_up(
            sitting_id=self.sitting.pk,
            to_session_id=session_id,
            seat=seat,
            act=self.act(form),
        )
        return f"{arrived.player} moves to {arrived.session.table}, seat {arrived.seat}."


class MustMove(TablePanelActPage):
    """Making the table the feeder of a main game, or of none any more."""

    title = "Must-move"
    button = "Set the main game"
    form_class = MustMoveForm

    def form_options(self) -> dict[str, Any]:
        mains = [one for one in other_tables(self.session) if same_game(one, self.session)]
        return {
            "tables": [(str(one.pk), str(one.table)) for one in mains],
            "initial": {"main": self.session.must_move_to_id},
        }

    def notes(self) -> Sequence[tuple[str, str]]:
        return (
            (
                "Then",
                "whoever has been here for longest goes to each seat that becomes free in the main game",
            ),
        )

    def do(self, form: MustMoveForm) -> str:
        session = must_move.set_must_move(
            session_id=self.session.pk,
            to_session_id=form.cleaned_data["main"],
            act=self.act(form),
        )
        if session.must_move_to is None:
            return f"{self.session.table} is no must-move table."
        return f"The players of {self.session.table} move to {session.must_move_to.table}."
