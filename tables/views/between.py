"""Between rounds and around them, as pages: a toke, a chip count, time called on a hand, tokes paid out at the cage."""

from collections.abc import Sequence
from typing import Any

from django.contrib.auth import get_user_model
from django.shortcuts import get_object_or_404

from ledger.forms import ReceiptForm
from ledger.money import amount_text, dollars
from ledger.views.day import asked_day
from ledger.views.terminal import terminal_of
from tables import chip_counts, stalling, tokes
from tables.between_forms import CallTimeForm, ChipCountForm, TokeForm
from tables.forms import FloorForm
from tables.hand_settlements import names_of
from tables.models import Round, Sitting
from tables.views.acts import ROOM, SeatPanelAct, SittingAct, TablePanelAct, find_session
from tables.views.cashier import AtTheWindow, desk


class Toke(SittingAct):
    """A player gives the dealer chips."""

    title = "Toke"
    button = "Give it to the dealer"
    form_class = TokeForm

    def notes(self) -> Sequence[tuple[str, str]]:
        stack = ("Stack", dollars(self.sitting.stack.balance_cents))
        dealer = self.session.dealer
        return (stack, ("For", str(dealer))) if dealer else (stack,)

    def quick_amounts(self) -> Sequence[str]:
        stack = self.sitting.stack.balance_cents
        return [amount_text(cents).removesuffix(".00") for cents in (100, 200, 500) if cents <= stack]

    def do(self, form: Any) -> str:
        cents = form.cleaned_data["amount"]
        sitting = tokes.give_toke(
            sitting_id=self.sitting.pk,
            cents=cents,
            key=form.cleaned_data["key"],
            actor=self.request.user,
            now=self.now,
            terminal=terminal_of(self.request, ROOM),
        )
        return f"{sitting.player} gives the dealer {dollars(cents)}."


class CountChips(SeatPanelAct):
    """Counting every stack, on the floor's page and the dealer's. What the books expect is shown afterwards alone."""

    title = "Count the chips"
    button = "Enter the count"
    form_class = ChipCountForm

    def find(self, session_id: int) -> None:
        self.session = find_session(session_id)
        sittings = Sitting.objects.filter(session=self.session, left_at__isnull=True)
        self.sittings = list(sittings.select_related("player").order_by("seat"))

    def heading(self) -> str:
        return f"{self.title}: {self.session.table}"

    def form_options(self) -> dict[str, Any]:
        return {"sittings": self.sittings}

    def notes(self) -> Sequence[tuple[str, str]]:
        return (("Count", "what lies at each seat, by the chips alone"),)

    def do(self, form: ChipCountForm) -> str:
        count = chip_counts.count_chips(
            session_id=self.session.pk,
            counted=form.counted,
            key=form.cleaned_data["key"],
            actor=self.request.user,
            now=self.now,
        )
        if not count.off:
            return f"All {len(count.stacks)} stacks are what the books say."
        return " ".join(
            f"Seat {one.seat}: counted {dollars(one.counted_cents)}, expected {dollars(one.expected_cents)},"
            f" {dollars(abs(one.difference_cents))} {'over' if one.difference_cents > 0 else 'short'}."
            for one in count.off
        )


class CallTime(TablePanelAct):
    """Calling time on a stalled hand."""

    title = "Call time"
    button = "Call time: 60 seconds"
    form_class = CallTimeForm

    def find(self, round_id: int) -> None:
        self.round = get_object_or_404(Round, pk=round_id)
        self.session = find_session(self.round.session_id)
        self.names = names_of(self.round)

    def heading(self) -> str:
        return f"{self.title}: round {self.round.number}, {self.session.table}"

    def warning(self) -> str:
        return "A hand that is then unfinished is entered as mis-set, without cards if need be."

    def form_options(self) -> dict[str, Any]:
        return {"names": self.names}

    def do(self, form: FloorForm) -> str:
        called = stalling.call_time(
            round_id=self.round.pk,
            seat=form.cleaned_data["seat"],
            key=form.cleaned_data["key"],
            actor=self.request.user,
            now=self.now,
        )
        return f"Time is called on {self.names[called.seat]}, seat {called.seat}."


class PayOutTokes(AtTheWindow):
    """A dealer brings tokes to the cage and is paid in cash."""

    name = "tokes"
    form_class = ReceiptForm

    def do(self, entry: dict[str, Any], dealer_id: int) -> str:
        dealer = get_object_or_404(get_user_model(), pk=dealer_id)
        facts = self.verb_facts(entry)
        site = asked_day(self.request).site
        paid = tokes.pay_out_tokes(site=site, dealer=dealer, cents=entry["cents"], **facts)
        return f"Pay {dealer} {dollars(entry['cents'])} in cash for the tokes. Entry {paid.pk}."

    def refused(self, form: Any, status: int) -> Any:
        """The page as it is now, with what is wrong above the tokes."""
        return desk(self.request, status=status, refused_tokes=form)
