"""The search box for programs that read the books: what it finds, by kind, with the page that shows it."""

from dataclasses import asdict

from django import forms
from django.http.response import HttpResponseBase
from django.utils import timezone
from rest_framework.request import Request

from ledger.views.api import BooksView, answer, checked
from ledger.views.day import the_site
from ledger.views.fields import DJANGO_CODES, CodedForm
from tables.reports import searching
from tables.reports.players import SEARCH_LENGTH


class WordsForm(CodedForm):
    """A text, as one types it into the box."""

    codes = DJANGO_CODES

    q = forms.CharField(required=False, max_length=SEARCH_LENGTH, label="What to find")


class FindView(BooksView):
    """What a text finds, as in the box of every page."""

    def get(self, request: Request) -> HttpResponseBase:
        text = checked(request, WordsForm(request._request.GET))["q"]
        search = searching.Search(the_site(), request.user, text, timezone.now())
        found = searching.results(search)
        kinds = [
            {"kind": kind.title, "more": kind.more, "lines": [*map(asdict, kind.lines)]} for kind in found
        ]
        return answer(request, {"found": kinds}, "search.json")
