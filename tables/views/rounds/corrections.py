"""Asking for corrections and settlements by hand, and deciding on them."""

from collections.abc import Sequence
from typing import Any

from django.shortcuts import get_object_or_404

from ledger.money import dollars
from ledger.views.terminal import terminal_of
from tables.models import CorrectionRequest, HandSettlementRequest, Round
from tables.rounds import corrections, hand_settlements
from tables.views.acts import ROOM, TablePanelAct, find_session
from tables.views.fields import ReasonForm
from tables.views.rounds.forms import HandSettlementForm


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


class AskHandSettlement(TablePanelAct):
    """Asking for it, or for other points than a round was settled by: the floor enters what the players agree on."""

    title = "Settle by hand"
    button = "Ask for it"
    form_class = HandSettlementForm

    def find(self, round_id: int) -> None:
        self.round = get_object_or_404(Round, pk=round_id)
        self.session = find_session(self.round.session_id)
        self.names = hand_settlements.names_of(self.round)
        self.standing = hand_settlements.points_settled(self.round)

    def heading(self) -> str:
        anew = " anew" if self.standing else ""
        return f"{self.title}{anew}: round {self.round.number}, {self.session.table}"

    def notes(self) -> Sequence[tuple[str, str]]:
        return in_words(self.standing)

    def warning(self) -> str:
        if self.standing:
            return (
                "These points take the place of those above; even for everybody takes the settlement back. Another person"
                " has to approve it, and the round stays marked for ever."
            )
        return (
            "Only where nobody knows the cards any more. Another person has to approve it, the round stays marked"
            " for ever, and it cannot be corrected by cards."
        )

    def form_options(self) -> dict[str, Any]:
        return {"names": self.names, "anew": bool(self.standing)}

    def do(self, form: HandSettlementForm) -> str:
        asked = hand_settlements.ask_hand_settlement(
            round_id=self.round.pk,
            points=form.points,
            reason=form.cleaned_data["reason"],
            key=form.cleaned_data["key"],
            actor=self.request.user,
            now=self.now,
        )
        return f"Round {asked.round.number} waits for somebody else to approve its settlement by hand."


def in_words(points: Sequence[tuple[str, str, int]]) -> list[tuple[str, str]]:
    """The points by which a round was settled, a row for every two players."""
    return [
        (f"{winner} from {loser}", f"{won} point{'s' if won > 1 else ''} until now")
        if won
        else (f"{winner} and {loser}", "even until now")
        for winner, loser, won in points
    ]


class DecideHandSettlement(TablePanelAct):
    """Deciding on what somebody else asked for."""

    right = "tables.approve_corrections"

    def find(self, request_id: int) -> None:
        self.asked = get_object_or_404(
            HandSettlementRequest.objects.select_related("round__session__sheet", "asked_by"), pk=request_id
        )
        self.round = self.asked.round
        self.session = find_session(self.round.session_id)

    def heading(self) -> str:
        return f"{self.title}: round {self.round.number}, {self.session.table}"

    def notes(self) -> Sequence[tuple[str, str]]:
        rows = [("Asked for by", str(self.asked.asked_by)), ("Because", self.asked.reason)]
        paid = [
            (
                f"{payer} pays {receiver}",
                dollars(cents)
                if cents == due
                else f"{dollars(cents)} of {dollars(due)}, cut by table stakes",
            )
            for payer, receiver, cents, due in hand_settlements.preview(self.asked).payments
        ]
        standing = in_words(hand_settlements.preview(self.asked).before)
        return [*rows, *standing, *(paid or [("Payments", "none: all is even")])]


class ApproveHandSettlement(DecideHandSettlement):
    """Approving it: chips move."""

    title = "Approve the settlement by hand"
    button = "Approve"

    def warning(self) -> str:
        return (
            "Chips move at once; what is no longer on the table becomes a claim between the players. The round stays"
            " marked for ever and cannot be corrected by cards."
        )

    def do(self, form: Any) -> str:
        hand_settlements.approve_hand_settlement(
            request_id=self.asked.pk,
            key=form.cleaned_data["key"],
            actor=self.request.user,
            now=self.now,
            terminal=terminal_of(self.request, ROOM),
        )
        return f"Round {self.round.number} is settled by hand."


class RefuseHandSettlement(DecideHandSettlement):
    """Refusing it: the round runs on, or stays settled as it was."""

    title = "Refuse the settlement by hand"
    button = "Refuse"
    form_class = ReasonForm

    def do(self, form: ReasonForm) -> str:
        hand_settlements.refuse_hand_settlement(
            request_id=self.asked.pk,
            reason=form.cleaned_data["reason"],
            key=form.cleaned_data["key"],
            actor=self.request.user,
            now=self.now,
        )
        return f"Round {self.round.number} is not settled by these points."
