"""The pages of the terminals, where devices of the house are enrolled and revoked, and of the regulators'
tokens: made once, shown once, revoked."""

from datetime import date, timedelta
from typing import Any, ClassVar

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from casino.models import LONGEST_TERMINAL, ApiToken
from casino.sign_in import places, terminals, tokens
from casino.sign_in.own import AskedNow
from ledger.journal.acts import Act
from ledger.journal.particulars import of_the_house
from ledger.rights import READ_BOOKS
from ledger.rules.access import LONGEST
from ledger.views.fields import BooksForm, CalendarField, PlainField
from ledger.views.forms import day_of_a_house
from ledger.views.listing import LongList, SortColumn, list_page
from ledger.views.pages import FormOnPage, FormPage
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
    form_class = EnrolForm
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
            "here": terminals.find(self.request),
            "list": list_page(self.request, ENROLLED, enrolled, str),
            "key": BooksForm()["key"],
        }


class RevokeTerminal(FormOnPage, Terminals):
    beside = "refused"

    def form(self, data: Any = None) -> RevokeForm:
        return RevokeForm(data)

    def do(self, form: BooksForm) -> str:
        gone = terminals.revoke(terminal_id=form.cleaned_data["terminal"], act=self.act(form))
        return f"{gone} takes no PIN any more, and everybody is signed out there."


USUAL = timedelta(days=29)


class TokenForm(AskedNow, BooksForm):
    field_order = ("person", "name", "last", "password")

    person = forms.TypedChoiceField(label="For", coerce=int)
    name = PlainField(max_length=LONGEST_TERMINAL, label="What it is for")
    last = CalendarField(label="Last day", help_text=f"At most {LONGEST.days} days from now.")

    def __init__(self, *args: Any, request: HttpRequest, **options: Any) -> None:
        self.request = request
        super().__init__(*args, **options)
        choices: Any = self.fields["person"]
        choices.choices = [(one.pk, str(one)) for one in tokens.readers()]

    def clean_last(self) -> date | None:
        return day_of_a_house(self.cleaned_data["last"])


class RevokeTokenForm(BooksForm):
    token = forms.IntegerField(min_value=1, max_value=2**31 - 1, widget=forms.HiddenInput)


class Tokens(FormPage):
    """Lists the tokens for readers of the books; POST makes one."""

    home = "tokens"
    rights = tokens.MAKERS
    readers: ClassVar[tuple[str, ...]] = (READ_BOOKS,)
    room = "books"
    template = "doors/tokens.html"

    def form(self, data: Any = None) -> Any:
        today = self.now.astimezone(self.zone).date()
        return TokenForm(data, request=self.request, initial={"last": today + USUAL})

    def do(self, form: Any) -> str:
        given = form.cleaned_data
        self.token, secret = tokens.make(
            person_id=given["person"], name=given["name"], last=given["last"], act=self.act(form)
        )
        return secret

    def done(self, sentence: str, form: Any) -> HttpResponse:
        """Show the token in the answer to the act that made it, and nowhere else."""
        facts = {"token": self.token, "secret": sentence}
        return render(self.request, "doors/token.html", facts)

    def facts(self, form: Any) -> dict[str, Any]:
        rows = ApiToken.objects.select_related("person", "made_by").order_by("-pk")
        return {
            "may_make": any(self.request.user.has_perm(right) for right in self.rights),
            "tokens": [(row, row.revoked_at is None and self.now < row.until) for row in rows],
            "readers": tokens.readers().exists(),
            "key": BooksForm()["key"],
        }


class RevokeToken(FormOnPage, Tokens):
    beside = "refused"

    def form(self, data: Any = None) -> RevokeTokenForm:
        return RevokeTokenForm(data)

    def do(self, form: Any) -> str:
        gone = tokens.revoke(token_id=form.cleaned_data["token"], act=self.act(form))
        return f"{gone} opens nothing any more."
