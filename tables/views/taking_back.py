"""Pages to take an act back (one person within ten seconds, or two people with a reason) and to correct
buy-ins, add-ons, tokes and cash-outs."""

import json
from collections.abc import Sequence
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.timezone import localtime

from ledger.cage import taking_back as cage
from ledger.chart import EntryKind
from ledger.journal.days import gaming_day
from ledger.money import dollars
from ledger.reports.statements import entry_of
from ledger.rights import WORK_CAGE
from ledger.views.pages import read_by
from tables.collection.taking_back import SECOND, SECOND_AT_CAGE, take_back_fee
from tables.models import FeePayment, Sitting
from tables.reports.reconciliation import fees_taken_at
from tables.reports.statements import word_of
from tables.rights import ASK_CORRECTIONS
from tables.rounds.pushes import require_sight
from tables.rules.table.paying import Method
from tables.seats.chip_corrections import correct_chips
from tables.seats.chip_entries import BROUGHT, TOKE, chip_entry, lines_at
from tables.seats.tokes import undo_toke
from tables.views.acts import READERS, ActPage, SeatPanelActPage, find_session
from tables.views.cage.day import ROOM
from tables.views.fields import TakeBackForm
from tables.views.seats.forms import SOURCES, CorrectChipsForm

WHAT = {
    "collection": "fee",
    "chip_sale": "sale of chips",
    "chip_redemption": "redemption of chips",
    "chip_change": "change",
    "chips_beyond_books": "acceptance of chips beyond the books",
    "toke_payout": "payout of tokes",
    "toke": "toke",
    "waiver": "waiver",
}
"""Kinds of entry in words; the others are words."""


class TakingBack(ActPage):
    """An entry is taken back. Subclasses set the desk, and whether two people are needed."""

    entry: Any
    payment: FeePayment | None

    def find(self, entry_id: int) -> None:
        entry = entry_of(self.site, entry_id)
        if entry is None or not self.belongs_here(entry):
            raise Http404
        self.entry = entry
        found = FeePayment.objects.select_related("charge__player", "charge__down")
        self.payment = found.filter(entry=entry).first()
        self.find_place()

    def belongs_here(self, entry: Any) -> bool:
        raise NotImplementedError

    def find_place(self) -> None:
        self.session = find_session(json.loads(self.entry.evidence)["session"])

    def heading(self) -> str:
        return f"{self.title}: {WHAT.get(self.entry.kind, self.entry.kind)}, {dollars(self.cents)}"

    @property
    def cents(self) -> int:
        if self.payment is not None:
            return self.payment.charge.cents
        return int(json.loads(self.entry.evidence)["cents"])

    def notes(self) -> Sequence[tuple[str, str]]:
        time = f"{localtime(self.entry.recorded_at, self.zone):%H:%M:%S}"
        rows = [("Entry", str(self.entry.pk)), ("By", f"{self.entry.actor} at {time}")]
        if self.payment is None:
            return rows
        charge = self.payment.charge
        return [("Player", f"{charge.player}"), ("Down", str(charge.down.number)), *rows]

    def do(self, form: Any) -> str:
        act = self.act(form, approver=getattr(form, "second_person", None))
        if self.payment is not None:
            slips = take_back_fee(payment_id=self.payment.pk, act=act)
        elif self.entry.kind == TOKE:
            slips = undo_toke(entry=self.entry, act=act)
        else:
            slips = cage.take_back_at_window(entry=self.entry, act=act)
        numbers = " and ".join(str(slip.number) for slip in slips)
        what = WHAT.get(self.entry.kind, self.entry.kind)
        if self.open_again:
            return f"Taken back: {what}. {self.open_again} Reversal slip {numbers}."
        return f"Taken back: {what}. Reversal slip {numbers}."

    @property
    def open_again(self) -> str:
        """The sentence on a fee whose payment is taken back (R61); else empty."""
        if self.payment is None:
            return ""
        charge = self.payment.charge
        if charge.is_owed():
            return "The fee is due again."
        return f"Nothing is owed unless a round of its down starts with {charge.player} at the table."


class AtTable(TakingBack):
    def belongs_here(self, entry: Any) -> bool:
        return entry.kind in (EntryKind.COLLECTION, EntryKind.WAIVER, EntryKind.TOKE)


class AtCage(TakingBack):
    rights = (WORK_CAGE,)
    room = ROOM
    back_to = "Cashier"

    def belongs_here(self, entry: Any) -> bool:
        at_cage = FeePayment.objects.filter(entry=entry, method=Method.CAGE)
        return entry.kind in cage.WINDOW or at_cage.exists()

    def find_place(self) -> None:
        """Fetch nothing: the cage has no table."""

    def require_sight(self) -> None:
        """Allow it: the desks of the cage show all of these."""

    def back(self) -> str:
        """Return the desk that lists the entry: the window its day, an earlier day its own."""
        day = self.entry.gaming_day
        if day == gaming_day(self.site, self.now):
            return reverse("cashier")
        return f"{reverse('cashier-day')}?day={day:%Y-%m-%d}"


class Undo(AtTable, SeatPanelActPage):
    title = "Undo"
    button = "Undo it"

    @property
    def by_two(self) -> str:
        """Where two people take it back after ten seconds, for those who may ask."""
        if not self.request.user.has_perm(ASK_CORRECTIONS):
            return ""
        return reverse("correct-chips" if self.entry.kind == TOKE else "take-back", args=[self.entry.pk])


class UndoAtCage(AtCage):
    title = "Undo"
    button = "Undo it"

    @property
    def by_two(self) -> str:
        return reverse("take-back-at-cage", args=[self.entry.pk])


class TakeBackFee(AtTable):
    rights = (ASK_CORRECTIONS,)
    title = "Take back"
    button = "Take it back"
    form_class = TakeBackForm

    def belongs_here(self, entry: Any) -> bool:
        return entry.kind in (EntryKind.COLLECTION, EntryKind.WAIVER)

    def form_options(self) -> dict[str, Any]:
        return {"signers": SECOND}

    @property
    def back_to(self) -> str:
        return f"Fees of {self.session.table}"

    def back(self) -> str:
        return reverse("fees", args=[self.session.pk])

    @property
    def warning(self) -> str:
        if self.open_again:
            return f"The money goes back. {self.open_again} Both entries stay in the books."
        return "The money goes back. Both entries stay in the books."


class TakeBackAtCage(AtCage):
    title = "Take back"
    button = "Take it back"
    form_class = TakeBackForm
    warning = "Chips and cash go back to where they came from. Both entries stay in the books."

    def form_options(self) -> dict[str, Any]:
        return {"signers": cage.SECOND if self.payment is None else SECOND_AT_CAGE}


@read_by(ASK_CORRECTIONS, *READERS)
def fees(request: HttpRequest, session_id: int) -> HttpResponse:
    session = find_session(session_id)
    require_sight(request.user, session)
    facts = {
        "session": session,
        "zone": session.table.site.time_zone,
        "payments": fees_taken_at(session),
        "may_ask": request.user.has_perm(ASK_CORRECTIONS),
    }
    return render(request, "collection/fees.html", facts)


STATEMENT = "statement"


@read_by(ASK_CORRECTIONS, *READERS)
def chips(request: HttpRequest, session_id: int) -> HttpResponse:
    session = find_session(session_id)
    require_sight(request.user, session)
    facts = {
        "session": session,
        "zone": session.table.site.time_zone,
        "lines": [(line, word_of(line.chips.kind)) for line in lines_at(session)],
        "may_ask": request.user.has_perm(ASK_CORRECTIONS),
    }
    return render(request, "seats/chips.html", facts)


class CorrectChips(ActPage):
    """Correct one entry; the second person signs on the spot. `?from=statement` leads back to the sitting."""

    rights = (ASK_CORRECTIONS,)
    title = "Correct"
    button = "Correct it"
    form_class = CorrectChipsForm

    def find(self, entry_id: int) -> None:
        entry = entry_of(self.site, entry_id)
        chips = chip_entry(entry) if entry is not None else None
        if chips is None or chips.kind == "table_move":
            raise Http404
        self.chips = chips
        self.sitting = Sitting.objects.select_related("player", "stack").get(pk=chips.sitting_id)
        self.session = find_session(self.sitting.session_id)

    def heading(self) -> str:
        return (
            f"Correct the {word_of(self.chips.kind).lower()}: {self.sitting.player}, seat {self.sitting.seat}"
        )

    def notes(self) -> Sequence[tuple[str, str]]:
        entry, sources = self.chips.entry, dict(SOURCES)
        entered = dollars(self.chips.cents)
        if self.chips.source in sources:
            entered = f"{dollars(self.chips.cents)}, {sources[self.chips.source].lower()}"
        time = f"{localtime(entry.occurred_at, self.zone):%H:%M}"
        rows = [("Entered", entered), ("By", f"{entry.actor} at {time}")]
        if self.sitting.left_at is None:
            return [*rows, ("Stack now", dollars(self.sitting.stack.balance_cents))]
        return [*rows, ("Went away with", dollars(self.sitting.taken_away_cents or 0))]

    @property
    def warning(self) -> str:
        if self.chips.kind == "cash_out":
            return "The difference to what left the stack goes to over/short. Both entries stay in the books."
        if self.chips.kind == TOKE:
            return "0 takes the toke back. Stack and tokes change at once. Both entries stay in the books."
        if self.sitting.left_at is not None:
            return "The player has left: what went away changes by as much. All entries stay in the books."
        return "The stack changes at once. Both entries stay in the books."

    def form_options(self) -> dict[str, Any]:
        source = (self.chips.source or SOURCES[0][0]) if self.chips.kind in BROUGHT else ""
        return {"source": source}

    @property
    def from_statement(self) -> bool:
        return self.request.GET.get("from") == STATEMENT

    @property
    def back_to(self) -> str:
        return (
            f"{self.sitting.player}’s statement" if self.from_statement else f"Chips of {self.session.table}"
        )

    def back(self) -> str:
        if self.from_statement:
            return reverse("sitting", args=[self.sitting.pk])
        return reverse("chips", args=[self.session.pk])

    def do(self, form: CorrectChipsForm) -> str:
        entry = form.cleaned_data
        correct_chips(
            entry=self.chips.entry,
            cents=entry["amount"],
            source=entry.get("source", ""),
            act=self.act(form, approver=form.second_person),
        )
        what = word_of(self.chips.kind).lower()
        return (
            f"The {what} of {self.sitting.player} is {dollars(entry['amount'])} now, not"
            f" {dollars(self.chips.cents)}."
        )
