"""Disputes and complaints as records: taken with three taps, closed with a sentence, listed."""

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from ledger import lengths
from ledger.rights import READ_BOOKS
from ledger.views.day import the_site
from ledger.views.fields import ReasonField
from ledger.views.listing import LongList, SortColumn, list_page
from ledger.views.pages import find_here, read_by
from tables.floor import disputes
from tables.models import Dispute
from tables.rights import MANAGE_HOUSE, RUN_FLOOR
from tables.rules.table.disputes import OUTCOMES, WHAT
from tables.state.table_state import sessions
from tables.views.acts import HouseActPage, TablePanelActPage
from tables.views.fields import FloorForm

DISPUTES = LongList(
    "-number",
    number=SortColumn("Number", "first to last", "last to first", ("number",)),
    what=SortColumn("Kind", "from A", "from Z", ("what", "number")),
    outcome=SortColumn("Outcome", "from A", "from Z", ("decision__outcome", "number")),
)
ROUNDS = 12
"""How many of the newest rounds the form offers; for an older one, its own page says what to do."""


class ComplaintForm(FloorForm):
    reason = ReasonField(
        label="What it is about",
        max_length=lengths.POSTED_REASON,
        help_text="Seats and what happened, no names of players: everybody who reads the books reads this.",
    )
    what = forms.ChoiceField(
        label="Kind", choices=[*WHAT.items()], widget=forms.RadioSelect, initial="conduct"
    )


class DisputeForm(FloorForm):
    what = forms.ChoiceField(label="What is disputed", choices=[*WHAT.items()], widget=forms.RadioSelect)
    round_id = forms.ChoiceField(label="Round", required=False)
    seats = forms.MultipleChoiceField(
        label="Who disputes it", required=False, widget=forms.CheckboxSelectMultiple
    )
    reason = forms.CharField(
        label="What they say",
        required=False,
        max_length=lengths.POSTED_REASON,
        help_text="Seats, no names of players.",
        widget=forms.Textarea(attrs={"rows": 2}),
    )


class DecideForm(FloorForm):
    outcome = forms.ChoiceField(label="Outcome", widget=forms.RadioSelect)
    reason = ReasonField(label="What was decided", max_length=lengths.POSTED_REASON)
    told = forms.BooleanField(label="The players were told", required=False, initial=True)


class TakeDispute(TablePanelActPage):
    title = "Dispute"
    button = "Note it"
    form_class = DisputeForm

    def form_options(self) -> dict[str, Any]:
        newest = list(self.session.rounds.order_by("-number")[:ROUNDS])
        self.rounds = {str(one.pk): one for one in newest}
        seats = self.session.sittings.filter(left_at=None).order_by("seat").values_list("seat", flat=True)
        choices = {
            "round_id": [*((pk, str(one)) for pk, one in self.rounds.items()), ("", "No round")],
            "seats": [(seat, f"Seat {seat}") for seat in seats],
        }
        return {"choices": choices, "initial": {"round_id": next(iter(self.rounds), "")}}

    def do(self, form: DisputeForm) -> str:
        entry = form.cleaned_data
        taken = disputes.take_dispute(
            site=self.site,
            session=self.session,
            round_=self.rounds.get(entry["round_id"]),
            seats=[int(seat) for seat in entry["seats"]],
            what=entry["what"],
            act=self.act(form),
        )
        return f"{taken} is noted. It is closed under Dispute, with a sentence."


class TakeComplaint(HouseActPage):
    rights = disputes.DECIDERS
    title = "Take a complaint"
    button = "Note it"
    form_class = ComplaintForm
    home, back_to = "disputes", "Disputes and complaints"

    def do(self, form: ComplaintForm) -> str:
        what = form.cleaned_data["what"]
        return f"{disputes.take_dispute(site=self.site, what=what, act=self.act(form))} is noted."


class DecideDispute(HouseActPage):
    rights = disputes.DECIDERS
    button = "Close it"
    form_class = DecideForm
    home, back_to = "disputes", "Disputes and complaints"
    dispute: Dispute

    def find(self, dispute_id: int) -> None:
        rows = Dispute.objects.select_related("site", "session__table", "round", "taken_by")
        self.dispute = find_here(rows, dispute_id)

    def heading(self) -> str:
        return f"Decide {self.dispute}"

    def notes(self) -> list[tuple[str, str]]:
        taken = self.dispute
        where = f"{taken.session.table}{f', {taken.round}' if taken.round else ''}" if taken.session else ""
        said = [("Where", where), ("What", taken.get_what_display()), ("They say", taken.text)]
        return [(label, text) for label, text in said if text]

    def form_options(self) -> dict[str, Any]:
        of = "complaint" if self.dispute.session_id is None else "dispute"
        offered = [(code, one.words) for code, one in OUTCOMES.items() if of in one.of]
        return {"choices": {"outcome": offered}}

    def do(self, form: DecideForm) -> str:
        entry = form.cleaned_data
        disputes.decide_dispute(
            dispute=self.dispute, outcome=entry["outcome"], told=entry["told"], act=self.act(form)
        )
        return f"{self.dispute} is closed."


def _words(one: Dispute) -> str:
    decision = getattr(one, "decision", None)
    words = (decision.get_outcome_display(), decision.text, decision.decided_by) if decision else ("Open",)
    where = f"{one.session.table} {one.round or ''}" if one.session else ""
    return f"{one} {where} {one.get_what_display()} {one.text} {one.taken_by} " + " ".join(map(str, words))


@read_by(RUN_FLOOR, MANAGE_HOUSE, READ_BOOKS)
def listed(request: HttpRequest) -> HttpResponse:
    site = the_site()
    facts = {
        "open": disputes.open_disputes(site).select_related("session__table", "round", "taken_by"),
        "list": list_page(request, DISPUTES, disputes.disputes_of(site), _words),
        "tables": sessions().filter(closed_at=None, table__site=site).order_by("table__number"),
        "may_decide": any(map(request.user.has_perm, disputes.DECIDERS)),
        "back": reverse("dispute"),
    }
    return render(request, "dispute/disputes.html", facts)
