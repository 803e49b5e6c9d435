"""Correcting buy-ins, add-ons, tokes and cash-outs: the list of a table, and one correction."""

from collections.abc import Sequence
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.timezone import localtime

from ledger.money import dollars
from ledger.reports.statements import entry_of
from ledger.views.pages import read_by
from tables.models import Sitting
from tables.reports.statements import word_of
from tables.rights import ASK_CORRECTIONS
from tables.rounds.pushes import require_sight
from tables.seats.chip_corrections import correct_chips
from tables.seats.chip_entries import BROUGHT, TOKE, chip_entry, lines_at
from tables.views.acts import READERS, ActPage, find_session
from tables.views.seats.forms import SOURCES, CorrectChipsForm

STATEMENT = "statement"


@read_by(ASK_CORRECTIONS, *READERS)
def listed(request: HttpRequest, session_id: int) -> HttpResponse:
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
