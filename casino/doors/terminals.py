"""The terminals page: devices of the house are enrolled and revoked here."""

from typing import Any, ClassVar

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from casino.models import LONGEST_TERMINAL
from casino.sign_in import places, terminals
from ledger.journal.acts import Act
from ledger.journal.particulars import of_the_house
from ledger.views.fields import BooksForm, PlainField
from ledger.views.listing import LongList, SortColumn, list_page
from ledger.views.pages import FormPage
from ledger.views.terminal import act_of
from tables.models import Table
from tables.rights import MANAGE_HOUSE, RUN_FLOOR


def _whose() -> list[tuple[str, str]]:
    numbers = Table.objects.filter(of_the_house("site")).order_by("number").values_list("number", flat=True)
    return [("", "No table"), *((f"{one}", f"Table {one}") for one in numbers)]


class EnrolForm(BooksForm):
    name = PlainField(
        max_length=LONGEST_TERMINAL,
        label="Name of this device",
        help_text="The books show it beside everything that is done here, for instance Table 3.",
    )
    table = forms.TypedChoiceField(
        coerce=int,
        choices=_whose,
        required=False,
        empty_value=None,
        label="Table",
        help_text="A dealer who signs in on a table's tablet by badge and PIN deals at that table.",
    )


class RevokeForm(BooksForm):
    terminal = forms.IntegerField(min_value=1, max_value=2**31 - 1, widget=forms.HiddenInput)


ENROLLED = LongList(
    "name",
    name=SortColumn("Name", "from A", "from Z", ("name", "pk")),
    table=SortColumn("Whose", "by table", "by table, the last first", ("table", "name", "pk")),
    enrolled=SortColumn("Enrolled", "first to last", "last to first", ("enrolled_at", "pk")),
    seen=SortColumn("Last sign-in or PIN", "longest ago first", "latest first", ("seen_at", "pk")),
)


class Terminals(FormPage):
    """POST enrols the device that shows the page."""

    home = "terminals"
    rights = (RUN_FLOOR, MANAGE_HOUSE)
    room = "floor"
    form_class: ClassVar[type[BooksForm]] = EnrolForm
    template = "doors/terminals.html"

    def act(self, form: Any, *, approver: Any = None) -> Act:
        return act_of(self.request, self.room)

    def do(self, form: EnrolForm) -> str:
        self.token = terminals.enrol(**form.entered, act=self.act(form))
        return "This device is a terminal now: it takes PINs."

    def done(self, sentence: str, form: BooksForm) -> HttpResponse:
        answer = super().done(sentence, form)
        terminals.keep_cookie(answer, self.token)
        if terminal := terminals.of_token(self.token):  # not revoked meanwhile
            places.stay_at(terminal, self.request)
        return answer

    def facts(self, form: BooksForm) -> dict[str, Any]:
        enrolled = terminals.in_service().select_related("enrolled_by")
        return {
            "form": form if isinstance(form, EnrolForm) else EnrolForm(),
            "refused": form if isinstance(form, RevokeForm) else None,
            "here": terminals.find(self.request),
            "list": list_page(self.request, ENROLLED, enrolled, str),
            "key": BooksForm()["key"],
        }


class RevokeTerminal(Terminals):
    form_class = RevokeForm

    def get(self, request: HttpRequest, **found_by: Any) -> HttpResponse:
        return redirect("terminals")

    def do(self, form: BooksForm) -> str:
        gone = terminals.revoke(terminal_id=form.cleaned_data["terminal"], act=self.act(form))
        return f"{gone} takes no PIN any more, and everybody is signed out there."

    def done(self, sentence: str, form: BooksForm) -> HttpResponse:
        return FormPage.done(self, sentence, form)
