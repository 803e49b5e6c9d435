"""Tokes and chip counts."""

from collections.abc import Sequence
from typing import Any

from ledger.money import amount_text, dollars
from tables.models import Sitting
from tables.seats import chip_counts, tokes
from tables.views.acts import SeatPanelActPage, SittingActPage, find_session
from tables.views.seats.forms import ChipCountForm, TokeForm


class Toke(SittingActPage):
    """A player gives the dealer chips."""

    title = "Toke"
    undone_at = "undo"
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
            act=self.act(form),
        )
        return f"{sitting.player} gives the dealer {dollars(cents)}."


class CountChips(SeatPanelActPage):
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
            act=self.act(form),
        )
        if not count.off:
            return f"All {len(count.stacks)} stacks are what the books say."
        return " ".join(
            f"Seat {one.seat}: counted {dollars(one.counted_cents)}, expected {dollars(one.expected_cents)},"
            f" {dollars(abs(one.difference_cents))} {'over' if one.difference_cents > 0 else 'short'}."
            for one in count.off
        )
