"""The page of the regulators' tokens: who has one, until when; made once, shown once, revoked."""

from datetime import date, timedelta
from typing import Any, ClassVar

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from casino.models import LONGEST_TERMINAL, ApiToken
from casino.sign_in import tokens
from casino.sign_in.own import AskedNow
from ledger.rights import READ_BOOKS
from ledger.rules.access import LONGEST
from ledger.views.fields import BooksForm, CalendarField, PlainField
from ledger.views.forms import day_of_a_house
from ledger.views.pages import FormPage

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
    form_class: ClassVar[type[BooksForm]] = TokenForm
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
        facts = {"site": self.site, "token": self.token, "secret": sentence}
        return render(self.request, "doors/token.html", facts)

    def facts(self, form: Any) -> dict[str, Any]:
        rows = ApiToken.objects.select_related("person", "made_by").order_by("-pk")
        return {
            "site": self.site,
            "form": form if isinstance(form, TokenForm) else self.form(),
            "refused": form if isinstance(form, RevokeTokenForm) else None,
            "may_make": any(self.request.user.has_perm(right) for right in self.rights),
            "tokens": [(row, row.revoked_at is None and self.now < row.until) for row in rows],
            "readers": tokens.readers().exists(),
            "key": BooksForm()["key"],
        }


class RevokeToken(Tokens):
    readers = ()
    form_class = RevokeTokenForm

    def get(self, request: HttpRequest, **found_by: Any) -> HttpResponse:
        return redirect("tokens")

    def form(self, data: Any = None) -> Any:
        return RevokeTokenForm(data) if data is not None else super().form()

    def do(self, form: Any) -> str:
        gone = tokens.revoke(token_id=form.cleaned_data["token"], act=self.act(form))
        return f"{gone} opens nothing any more."

    def done(self, sentence: str, form: Any) -> HttpResponse:
        return FormPage.done(self, sentence, form)
