"""A table's bank: what was asked for, sent and received; and the paper of each document of custody."""

from dataclasses import replace
from typing import Any, ClassVar

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from ledger.cage import deposits, documents
from ledger.chart import AccountKind
from ledger.reports import traces
from ledger.reports.count_sheets import struck_lines
from ledger.reports.custody import row_for, rows_for
from ledger.rights import READ_BOOKS, WORK_CAGE
from ledger.rules.documents import COUNTED, HANDED_ON, KINDS, Step
from ledger.views.fields import ReasonField
from ledger.views.forms import EvidenceField
from ledger.views.listing import list_page
from ledger.views.pages import FormOnPage, FormPage, found_or_404, read_by
from tables.floor import banks, picking_up
from tables.reports.players import name_of
from tables.rights import DEAL, MANAGE_HOUSE, RUN_FLOOR
from tables.rounds.pushes import require_sight
from tables.seats.players import Person
from tables.views.acts import find_session
from tables.views.cage.day import ROOM as CAGE
from tables.views.cage.day_lists import ENDED, of_document
from tables.views.fields import FloorForm, SecondPersonForm, TwoPeopleForm
from tables.views.pieces import CountPieces

BUTTONS = {Step.AUTHORISED: "Authorise it", Step.SENT: "Send it", Step.RECEIVED: "Receive what I counted"}


class AskForm(CountPieces, SecondPersonForm):
    """The pieces asked for, by denomination; a dealer may sign as the one who asks."""

    second_needed = False
    signers = (DEAL,)


class DocumentStepForm(FloorForm):
    """A step; `reference` labels what must be written down with it, if anything. It is None for people who
    take no step, as they may have loaded the page before somebody else took it."""

    step = forms.CharField(widget=forms.HiddenInput)
    reference = forms.CharField(max_length=documents.REFERENCE)

    def __init__(self, *args: Any, reference: str | None = None, **options: Any) -> None:
        super().__init__(*args, **options)
        if reference is None:
            self.fields["reference"].required = False
        elif reference:
            self.fields["reference"].label = reference
            self.fields["reference"].error_messages["required"] = f"{reference}: this is missing."
        else:
            del self.fields["reference"]


class OpeningForm(DocumentStepForm, SecondPersonForm):
    """The seals that are broken, with a reason and a second person if one of them was never put on."""

    opens_seals = True
    second_needed = False
    signers = documents.SECOND

    reason = ReasonField(label="Why a seal differs", required=False)


class ArrivedForm(CountPieces, DocumentStepForm, SecondPersonForm):
    """The receiver's count; if it differs again, a reason and a second person, if by much, evidence."""

    if_nothing = "If nothing arrived, write 0."
    second_needed = False
    signers = documents.SECOND

    reason = ReasonField(label="Why it differs", required=False)
    evidence = EvidenceField(help_text=f"{EvidenceField.what} It is needed if the difference is large.")


class HandOnForm(DocumentStepForm, TwoPeopleForm):
    """What two people certify before held chips leave the cage; `claimed` names the player."""

    certified = True
    signers = documents.SECOND

    name = forms.CharField(required=False, max_length=80)
    number = forms.CharField(label="Card number", required=False, max_length=20)
    reason = ReasonField(label="On what ground")
    evidence = EvidenceField(help_text=f"{EvidenceField.what} If they are many, it is asked for.")

    field_order = ("name", "number", "reference", "reason", "evidence", "second", "second_pin")

    def __init__(self, *args: Any, claimed: bool, owned: bool, **options: Any) -> None:
        super().__init__(*args, **options)
        self.claimant_fields = claimed
        if owned or not claimed:
            del self.fields["evidence"]
        if claimed:
            self.fields["reason"].label = "Identity seen"
        else:
            del self.fields["name"], self.fields["number"]

    @property
    def claimant(self) -> Person:
        return Person(self.cleaned_data["name"], self.cleaned_data["number"])


class VoidForm(TwoPeopleForm):
    signers = documents.SECOND

    reason = ReasonField(label="Why it is voided")

    field_order = ("reason", "second", "second_pin")


@read_by(RUN_FLOOR, DEAL, READ_BOOKS)
def bank(request: HttpRequest, session_id: int) -> HttpResponse:
    """Show the documents of a table's bank, those that wait for a step first."""
    session = find_session(session_id)
    require_sight(request.user, session)
    rows = rows_for(documents.trails(banks.documents_of(session)), request.user)
    facts = {
        "session": session,
        "waiting": [row for row in rows if not row.trail.ended],
        "ended": list_page(request, ENDED, [row for row in rows if row.trail.ended], of_document),
        "may_ask": session.closed_at is None and _may_ask(request.user),
        "first": all(row.trail.last.step == Step.VOIDED for row in rows),
        "rows": rows,
    }
    return render(request, "floor/bank.html", facts)


def _may_ask(person: Any) -> bool:
    return any(person.has_perm(right) for right in KINDS["fill"].begins.rights)


class AskBank(FormPage):
    """Ask for an opener or a fill, or for the cage to take chips and cash back."""

    rights = (RUN_FLOOR, DEAL)
    room = "floor"
    template = "floor/ask_bank.html"

    def find(self, session_id: int, kind: str) -> None:
        if kind not in banks.ASKED_FOR:
            raise Http404
        self.session, self.kind = find_session(session_id), KINDS[kind]

    def require_sight(self) -> None:
        require_sight(self.request.user, self.session)

    def form(self, data: Any = None) -> AskForm:
        form = AskForm(
            data, denominations=documents.denominations_of(self.site, self.kind.code), request=self.request
        )
        if not self.request.user.has_perm(RUN_FLOOR):  # a dealer asks under their own name
            del form.fields["second"], form.fields["second_pin"]
        return form

    def do(self, form: AskForm) -> str:
        document = banks.ask(
            session_id=self.session.pk,
            kind=self.kind.code,
            pieces=form.pieces,
            dealer=form.second_person,
            act=self.act(form),
        )
        return f"{document} for {self.session.table} is asked for."

    def back(self) -> str:
        return reverse("bank", args=[self.session.pk])

    def facts(self, form: AskForm) -> dict[str, Any]:
        return {"session": self.session, "kind": self.kind}


class DocumentPage(FormPage):
    """The paper of a document, and the form of its next step for people who may take it."""

    rights = (RUN_FLOOR, DEAL, WORK_CAGE, MANAGE_HOUSE)
    readers: ClassVar[tuple[str, ...]] = (READ_BOOKS,)
    room = "floor"
    template = "cage/document.html"

    def find(self, document_id: int) -> None:
        self.document = found_or_404(documents.find(self.site, document_id))

    def require_sight(self) -> None:
        person, self.session = self.request.user, banks.session_of(self.document)
        banks.require_sight_of(person, self.document, self.session)
        self.room = CAGE if person.has_perm(WORK_CAGE) else "floor"  # type: ignore[misc]
        self.row = row_for(documents.trail_of(self.document), self.request.user)

    @property
    def counts(self) -> bool:
        asked = self.request.POST.get("step")
        return asked in COUNTED or (self.row.mine is not None and self.row.mine.step in COUNTED and not asked)

    def form(self, data: Any = None) -> Any:
        options: dict[str, Any] = {"request": self.request, "auto_id": "step-%s"}
        if self.row.mine is not None:
            options["initial"] = {"step": str(self.row.mine.step)}
            options["reference"] = self.row.mine.reference
        if self.row.mine is not None and self.row.mine.step in HANDED_ON:
            claimed, owned = self.row.mine.step == Step.CLAIMED, self.row.trail.owner is not None
            return HandOnForm(data, claimed=claimed, owned=owned, **options)
        if KINDS[self.document.kind].source == AccountKind.RESERVE and not self.counts:
            return OpeningForm(data, **options)
        if self.counts:
            return ArrivedForm(
                data, denominations=documents.denominations_of(self.site, self.document.kind), **options
            )
        return DocumentStepForm(data, **options)

    def do(self, form: Any) -> str:
        counted = form.pieces if self.counts else None
        act = self.act(form, approver=getattr(form, "second_person", None))
        act = replace(act, evidence=form.cleaned_data.get("evidence", ""))
        if form.cleaned_data["step"] == Step.CLAIMED and isinstance(form, HandOnForm):
            step = picking_up.claim(document=self.document, who=form.claimant, act=act)
        else:
            step = banks.take_step(
                document=self.document,
                step=form.cleaned_data["step"],
                pieces=counted,
                reference=form.cleaned_data.get("reference", ""),
                act=act,
            )
        kind, serial = KINDS[self.document.kind], self.document.number
        if step.step == Step.DIFFERED:
            return f"{kind.title} {serial} is received, with a difference."
        return f"{kind.title} {serial} is {kind.words(step.step)}."

    def back(self) -> str:
        return reverse("document", args=[self.document.pk])

    def facts(self, form: Any) -> dict[str, Any]:
        person, mine = self.request.user, self.row.mine
        return {
            "row": self.row,
            "traces": traces.traces(self.site, person, traces.of_document(self.row.trail)),
            "session": self.session,
            "button": (mine.done.capitalize() or BUTTONS.get(mine.step, "")) if mine else "",
            "owner": name_of(self.row.trail.owner),
            "boxes": deposits.signed_of(self.document),
            "struck": struck_lines(self.document),
            "at_closing": struck_lines(self.document.chips) if self.row.trail.kind.of_count else (),
            "void": VoidForm(request=self.request, auto_id="void-%s"),
            "at_cage": person.has_perm(WORK_CAGE),
            "at_table": person.has_perm(RUN_FLOOR) or person.has_perm(DEAL),
        }


class VoidDocument(FormOnPage, DocumentPage):
    """Voiding a document before anything was sent; the form is on the document's page."""

    beside = "void"

    def form(self, data: Any = None) -> VoidForm:
        return VoidForm(data, request=self.request, auto_id="void-%s")

    def do(self, form: Any) -> str:
        act = self.act(form, approver=form.second_person)
        banks.take_step(document=self.document, step=Step.VOIDED, act=act)
        return f"{self.document} is voided. Nothing had been sent."
