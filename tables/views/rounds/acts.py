"""Acts with a round: start, call time, void, correct, settle by hand, decide; call off a match."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from ledger.money import dollars
from ledger.views.pages import find_here
from tables.models import Claim, CorrectionRequest
from tables.reports.corrections import short_winner
from tables.rights import APPROVE_CORRECTIONS
from tables.rounds import by_hand, claims, corrections, matches, running
from tables.rounds.by_hand import names_of
from tables.rules.game.by_hand import MOST_POINTS
from tables.state.evidence import latest_standing
from tables.views.acts import RoundActPage, TablePanelActPage, find_session
from tables.views.fields import FloorForm, ReasonForm


class CallTimeForm(FloorForm):
    seat = forms.TypedChoiceField(coerce=int, widget=forms.RadioSelect, label="Whose hand")


class PointsForm(ReasonForm):
    beside = {"points": "points"}
    field_order = ("reason",)

    def __init__(self, *args: Any, names: Mapping[int, str], anew: bool = False, **options: Any) -> None:
        super().__init__(*args, **options)
        self.pairs = list(combinations(names, 2))
        for one, other in self.pairs:
            winner = forms.TypedChoiceField(
                label=f"{names[one]} and {names[other]}: who wins",
                choices=[("0", "Even"), (str(one), names[one]), (str(other), names[other])],
                coerce=int,
                widget=forms.RadioSelect,
            )
            points = forms.IntegerField(
                label="Points between them",
                min_value=1,
                max_value=MOST_POINTS,
                required=False,
                widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"}),
            )
            self.fields[f"winner_{one}_{other}"], self.fields[f"points_{one}_{other}"] = winner, points
        lost, wrong = "Why nobody knows the cards any more.", "What was wrong with the points until now."
        self.fields["reason"].help_text = wrong if anew else lost

    def clean(self) -> dict[str, Any]:
        """Require points where somebody wins, and none if even (`bad_entry`)."""
        cleaned = super().clean() or self.cleaned_data
        for one, other in self.pairs:
            name = f"points_{one}_{other}"
            winner, points = cleaned.get(f"winner_{one}_{other}"), cleaned.get(name)
            if winner and points is None and name not in self.errors:
                self.add_error(name, forms.ValidationError("How many points?", code="required"))
            elif winner == 0 and points:
                self.add_error(
                    name, forms.ValidationError("Even has no points: say who wins.", code="invalid")
                )
        return cleaned

    @property
    def points(self) -> list[tuple[int, int, int]]:
        """(seat, seat, what the first wins from the second), once for every pair."""
        pairs = []
        for one, other in self.pairs:
            winner = self.cleaned_data[f"winner_{one}_{other}"]
            points = self.cleaned_data[f"points_{one}_{other}"] or 0
            pairs.append((one, other, points if winner == one else -points if winner == other else 0))
        return pairs


class CallTime(RoundActPage):
    title = "Call time"
    button = "Call time: 60 seconds"
    form_class = CallTimeForm
    warning = "A hand that is then unfinished is entered as mis-set, without cards if need be."

    def form_options(self) -> dict[str, Any]:
        return {
            "choices": {"seat": [(seat, f"{seat}: {name}") for seat, name in names_of(self.round).items()]}
        }

    def do(self, form: FloorForm) -> str:
        seat = form.cleaned_data["seat"]
        called = running.call_time(round_id=self.round.pk, seat=seat, act=self.act(form))
        return f"Time is called on {names_of(self.round)[called.seat]}, seat {called.seat}."


class StartRound(TablePanelActPage):
    """Start the next round for the dealer; the form is the dealer's own and calls the tablet's API."""

    title = "Start round"
    template = "rounds/start.html"
    http_method_names = ("get", "head")

    def get(self, request: HttpRequest, **found_by: Any) -> HttpResponse:
        template = "rounds/_start.html" if self.by_piece else self.template
        return render(request, template, {"act": self, "heading": self.heading(), "back": self.back()})


class VoidRound(RoundActPage):
    title = "Void the round"
    danger = True
    form_class = ReasonForm
    warning = "Nobody wins or loses. Buttons and fantasy land stay as they were."

    def do(self, form: ReasonForm) -> str:
        voided = running.void_round(round_id=self.round.pk, act=self.act(form))
        return f"Round {voided.number} is void."


class CallOffMatch(TablePanelActPage):
    title = "Call the match off"
    danger = True
    form_class = ReasonForm
    warning = "Nobody pays, and its players may leave. The next round begins a new match."

    def notes(self) -> Sequence[tuple[str, str]]:
        standing = latest_standing(self.session.pk)
        if standing is None or not standing.running:
            return ()
        points = ", ".join(f"{sitting.player} {points}" for sitting, points in standing.table)
        return ((str(standing.match), points), ("Stake", dollars(standing.match.stake_cents)))

    def do(self, form: ReasonForm) -> str:
        match = matches.call_off(session_id=self.session.pk, act=self.act(form))
        return f"{match} is called off."


class AskSettlementByHand(RoundActPage):
    """Ask to settle by hand, or by other points: the floor enters what the players agree on."""

    title = "Settle by hand"
    button = "Ask for it"
    form_class = PointsForm

    def find(self, round_id: int) -> None:
        super().find(round_id)
        self.standing = by_hand.points_settled(self.round)

    def heading(self) -> str:
        title = "Settle by hand again" if self.standing else self.title
        return f"{title}: round {self.round.number}, {self.session.table}"

    def notes(self) -> Sequence[tuple[str, str]]:
        return _points_until_now(self.standing)

    @property
    def warning(self) -> str:
        if self.standing:
            return (
                "These points take the place of those above; even for everybody takes the settlement back."
                " Another person has to approve it, and the round stays marked for ever."
            )
        return (
            "Only where nobody knows the cards any more. Another person has to approve it, the round stays"
            " marked for ever, and it cannot be corrected by cards."
        )

    def form_options(self) -> dict[str, Any]:
        return {"names": names_of(self.round), "anew": bool(self.standing)}

    def do(self, form: PointsForm) -> str:
        asked = corrections.ask_settlement_by_hand(
            round_id=self.round.pk, points=form.points, act=self.act(form)
        )
        return f"Round {asked.round.number} waits for somebody else to approve its settlement by hand."


def _points_until_now(points: Sequence[tuple[str, str, int]]) -> list[tuple[str, str]]:
    """Return the points of a round settled by hand, a row for each pair."""
    return [
        (f"{winner} from {loser}", f"{won} points until now" if won > 1 else "1 point until now")
        if won
        else (f"{winner} and {loser}", "even until now")
        for winner, loser, won in points
    ]


class DecideCorrection(RoundActPage):
    rights = (APPROVE_CORRECTIONS,)
    titles: tuple[str, str]
    """Of a correction by cards, and of a settlement by hand."""

    def find(self, correction_id: int) -> None:
        found = CorrectionRequest.objects.select_related("round__session__sheet", "asked_by")
        self.asked = find_here(found, correction_id, "round__session__table__site")
        self.round = self.asked.round
        self.session = find_session(self.round.session_id)
        corrections.require_somebody_else(self.asked, self.request.user)
        self.title = self.titles[self.asked.by_hand]

    def notes(self) -> Sequence[tuple[str, str]]:
        rows = (("Asked for by", str(self.asked.asked_by)), ("Because", self.asked.reason))
        return [*rows, *(_what_points_come_to if self.asked.by_hand else _what_the_match_keeps)(self.asked)]


class ApproveCorrection(DecideCorrection):
    button = "Approve"
    titles = ("Approve the correction", "Approve the settlement by hand")

    @property
    def warning(self) -> str:
        if self.asked.by_hand:
            return (
                "Chips move at once; what is no longer on the table becomes a claim between the players. The"
                " round stays marked for ever and cannot be corrected by cards."
            )
        return "Chips move at once. What is no longer on the table becomes a claim between the players."

    def do(self, form: Any) -> str:
        corrections.approve_correction(request_id=self.asked.pk, act=self.act(form))
        if self.asked.by_hand:
            return f"Round {self.round.number} is settled by hand."
        return f"Round {self.round.number} is settled again."


class RefuseCorrection(DecideCorrection):
    button = "Refuse"
    titles = ("Refuse the correction", "Refuse the settlement by hand")
    form_class = ReasonForm

    def do(self, form: ReasonForm) -> str:
        corrections.refuse_correction(request_id=self.asked.pk, act=self.act(form))
        if self.asked.by_hand:
            return f"Round {self.round.number} is not settled by these points."
        return f"The settlement of round {self.round.number} stands."


class PayClaim(TablePanelActPage):
    title = "Claim paid"
    button = "I saw it paid"
    warning = (
        "They settle it between them: no stack changes, and nothing goes through the bank. It cannot be"
        " taken back."
    )

    def find(self, claim_id: int) -> None:
        found = Claim.objects.select_related("debtor", "creditor", "settlement__round")
        self.claim = find_here(found, claim_id, "settlement__round__session__table__site")
        self.session = find_session(self.claim.settlement.round.session_id)

    def heading(self) -> str:
        return f"Claim {self.claim.number}: {self.session.table}, round {self.claim.settlement.round.number}"

    def notes(self) -> Sequence[tuple[str, str]]:
        return [(f"{self.claim.debtor} pays {self.claim.creditor}", dollars(self.claim.cents))]

    def do(self, form: Any) -> str:
        paid = claims.mark_paid(claim_id=self.claim.pk, act=self.act(form))
        return f"Claim {paid.claim.number} is paid: {self.claim.debtor} to {self.claim.creditor}."


def _what_the_match_keeps(asked: CorrectionRequest) -> list[tuple[str, str]]:
    """Return a warning if a match stays won by a winner who no longer has the points (R42, R58)."""
    short = short_winner(asked)
    if short is None:
        return []
    return [
        (
            f"{short.name} won match {short.match} with",
            f"{short.before} points, of {short.race_to} that it takes",
        ),
        (
            "After this correction",
            f"{short.after} points: {short.name} stays the winner, and keeps what was paid",
        ),
    ]


def _what_points_come_to(asked: CorrectionRequest) -> list[tuple[str, str]]:
    """Return the current points, and the payments that the requested points lead to."""
    coming = by_hand.preview_by_hand(asked)
    paid = [
        (
            f"{payer} pays {receiver}",
            dollars(cents) if cents == due else f"{dollars(cents)} of {dollars(due)}, cut by table stakes",
        )
        for payer, receiver, cents, due in coming.payments
    ]
    return [*_points_until_now(coming.before), *(paid or [("Payments", "none: all is even")])]
