"""What goes out of the house or comes into it: deposits at the bank, chips bought and destroyed, unclaimed
chips, chips beyond the books. Steps of documents are taken on the document's page."""

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from django import forms
from django.urls import reverse

from ledger.cage import beyond, deposits, documents
from ledger.cage.documents import Document
from ledger.errors import ConfirmAmount, Refusal
from ledger.journal.closing import last_steps
from ledger.money import dollars
from ledger.reports import custody
from ledger.rights import MANAGE_HOUSE, READ_BOOKS, RUN_FLOOR, WORK_CAGE
from ledger.rules.documents import KINDS, DocumentKind
from ledger.views.fields import AmountField, ReasonField
from ledger.views.listing import LongList, SortColumn, list_page
from ledger.views.pages import FormPage
from tables.reports.players import name_of
from tables.views.cage.day import ROOM
from tables.views.fields import TwoPeopleForm
from tables.views.pieces import CountPieces

KINDS_BEYOND = {code: kind for code, kind in KINDS.items() if kind.is_beyond}
BY_ADDRESS = {code.replace("_", "-"): kind for code, kind in KINDS_BEYOND.items()}
SHOWN = 20
ENDED = LongList(
    "-begun",
    begun=SortColumn("Document", "first to last", "last to first", ("number",)),
    place=SortColumn("Place", "from A", "from Z", ("place", "number")),
)


class TickedBoxes(forms.CheckboxSelectMultiple):
    """A tick for each drop box, with its cash, so that sum.js adds up the ticked ones."""

    cents: Mapping[int, int] = {}

    def create_option(self, name: str, value: Any, *args: Any, **options: Any) -> dict[str, Any]:
        option: dict[str, Any] = super().create_option(name, value, *args, **options)
        option["attrs"]["data-cents"] = self.cents.get(value, 0)
        return option


class BoxesField(forms.MultipleChoiceField):
    """Ids of boxes; the verb knows which may be named."""

    widget = TickedBoxes

    def valid_value(self, value: str) -> bool:
        return re.fullmatch(r"[0-9]{1,18}", value, re.ASCII) is not None


class BeginForm(CountPieces):
    pass


class FoundForm(CountPieces):
    where = forms.CharField(label="Where they lay", max_length=documents.PLACE)


class DepositForm(CountPieces):
    boxes = BoxesField(label="Boxes whose cash it is")


def begun_at() -> list[tuple[DocumentKind, str]]:
    return [(kind, reverse(f"begin-{slug}")) for slug, kind in BY_ADDRESS.items()]


def waiting(site: Any, person: Any, code: str = "") -> list[custody.DocumentRow]:
    """Return the documents beyond the house, of one kind or of all, that wait for a step."""
    kinds = [code] if code else [*KINDS_BEYOND]
    found = (last.document for last in last_steps(site) if last.document.kind in kinds)
    return custody.rows_for(documents.trails(found), person)


class Begin(FormPage):
    """Begin a document of the kind `code`; those that wait, and the last that have ended."""

    code = ""
    readers: ClassVar[tuple[str, ...]] = (WORK_CAGE, RUN_FLOOR, MANAGE_HOUSE, READ_BOOKS)
    rights: ClassVar[tuple[str, ...]] = ()
    template = "cage/beyond_house.html"
    room = ROOM

    @property
    def kind(self) -> DocumentKind:
        return KINDS_BEYOND[self.code]

    def form(self, data: Any = None) -> CountPieces:
        denominations = documents.denominations_of(self.site, self.code)
        if self.kind.is_held:
            return FoundForm(data, denominations=denominations)
        if not self.kind.of_boxes:
            return BeginForm(data, denominations=denominations)
        self.boxes = list(deposits.undeposited(self.site))
        offered = [(one.box_id, f"{one.box}: {dollars(one.counted_cash)}") for one in self.boxes]
        form = DepositForm(data, denominations=denominations, choices={"boxes": offered})
        form.initial["boxes"] = [one.box_id for one in self.boxes]
        ticks: Any = form.fields["boxes"].widget
        ticks.cents = {one.box_id: one.counted_cash for one in self.boxes}
        return form

    def do(self, form: Any) -> str:
        boxes = [int(box) for box in form.cleaned_data.get("boxes", ())]
        document = documents.begin(
            site=self.site,
            kind=self.code,
            place=documents.LeftBehind(form.cleaned_data.get("where", "")),
            pieces=form.pieces,
            boxes=boxes,
            act=self.act(form),
        )
        self.begun = document.pk
        return f"{document} is asked for."

    def documents(self) -> dict[str, Any]:
        """Return this kind's documents for people who may read them; a dealer who found chips may not."""
        person = self.request.user
        if not any(person.has_perm(right) for right in self.readers):
            return {}
        ended = list_page(self.request, ENDED, documents.ended(self.site, self.code), most=SHOWN)
        rows = {row.trail.document.pk: row for row in custody.rows_for(documents.trails(ended.rows), person)}
        return {
            "waiting": waiting(self.site, person, self.code),
            "held": self.held(),
            "ended": [rows[one.pk] for one in ended.rows],
            "ended_list": ended,
        }

    def held(self) -> list[tuple[custody.DocumentRow, str]]:
        """Return what the cage holds under documents of this kind, with whose it is, the oldest first."""
        if not self.kind.is_held:
            return []
        found = Document.objects.filter(pk__in=documents.held(self.site))
        rows = custody.rows_for(documents.trails(found), self.request.user)
        return [(row, name_of(row.trail.owner)) for row in rows]

    def back(self) -> str:
        return reverse("document", args=[self.begun])

    def facts(self, form: Any) -> dict[str, Any]:
        person = self.request.user
        return self.documents() | {
            "kind": self.kind,
            "may_begin": any(person.has_perm(right) for right in self.rights),
            "boxes": getattr(self, "boxes", ()),
            "together": sum(one.counted_cash for one in getattr(self, "boxes", ())),
            "at_cage": person.has_perm(WORK_CAGE),
        }


class BeyondForm(TwoPeopleForm):
    """`asked_again` is the amount that was asked for once more."""

    signers = beyond.SECOND
    asked_again: int | None = None

    amount = AmountField(label="Chips")
    reason = ReasonField(label="Whose chips they are, and why the books do not know them")

    confirmed = forms.IntegerField(required=False, widget=forms.HiddenInput)

    field_order = ("amount", "reason", "second", "second_pin")

    def refuse(self, error: Refusal) -> None:
        if error.code == ConfirmAmount.code:
            self.asked_again = self.cleaned_data["amount"]
        super().refuse(error)


class AcceptChips(FormPage):
    home = "cashier-vault"
    rights = (WORK_CAGE,)
    readers = (READ_BOOKS,)
    room = ROOM
    form_class = BeyondForm
    template = "cage/beyond.html"

    def form(self, data: Any = None) -> BeyondForm:
        return BeyondForm(data, request=self.request)

    def do(self, form: BeyondForm) -> str:
        cents, act = form.cleaned_data["amount"], self.act(form, approver=form.second_person)
        entry = beyond.accept(site=self.site, cents=cents, confirmed=form.cleaned_data["confirmed"], act=act)
        return f"{dollars(cents)} in chips accepted. Entry {entry.pk}."

    def facts(self, form: BeyondForm) -> dict[str, Any]:
        return {
            "held": beyond.held(self.site),
            "accepted": beyond.accepted(self.site),
            "may_work": self.request.user.has_perm(WORK_CAGE),
        }
