"""Exceptions of some gaming days, as their paper has them, filtered by kind and person; and the record behind
each line, with its leaf."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django import forms
from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from ledger.errors import BadPeriod, NotSealed
from ledger.papers.exceptions import KINDS, ExceptionsPaper
from ledger.printing.reading import local_in, rows
from ledger.proof.log.exporting import papers_taken
from ledger.rights import READ_BOOKS
from ledger.views.day import the_site
from ledger.views.forms import PapersForm
from ledger.views.pages import read_by
from ledger.views.terminal import act_of

ROWS, FEW = 100, 20
"""Lines on a page of one kind, and of each of all kinds."""
MOST_DAYS = 31
LARGEST = 2**31 - 1


class ExceptionsForm(PapersForm):
    kind = forms.ChoiceField(label="Kind", required=False, choices=[("", "Every kind"), *KINDS.items()])
    person: Any = forms.ModelChoiceField(None, label="Who", required=False, empty_label="Everybody")
    page = forms.IntegerField(required=False, min_value=1, max_value=LARGEST, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        people = get_user_model().objects.order_by("username")
        self.fields["person"].queryset = people  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        given: dict[str, Any] = super().clean() or self.cleaned_data
        first, last = given.get("first"), given.get("last")
        if first and last and (last - first).days >= MOST_DAYS:
            sentence = f"Look at {MOST_DAYS} days at once, or take the paper for a longer time."
            self.add_error("last", ValidationError(sentence, code=BadPeriod.code))
        return given


@dataclass(frozen=True)
class ExceptionShown:
    """A line of the paper with the names of its people and the address of what it is about."""

    said: dict[str, str]
    at: Any
    actor: Any
    approver: Any
    address: str


@dataclass(frozen=True)
class KindShown:
    """The exceptions of one kind: how many there are, and the newest of them."""

    code: str
    total: int
    shown: list[ExceptionShown]

    @property
    def title(self) -> str:
        return KINDS.get(self.code, self.code)


@read_by(READ_BOOKS)
def listed(request: HttpRequest) -> HttpResponse:
    """Show the newest exceptions of each kind, folded, or all of one kind."""
    site = the_site()
    form = ExceptionsForm.of(request.GET, site)
    found = _found(request, form) if form.is_valid() else []
    query, asked = request.GET.copy(), form.cleaned_data.get("kind")
    query.pop("page", None)
    facts: dict[str, Any] = {"form": form}
    if asked:
        page = Paginator(found, ROWS).get_page(form.cleaned_data.get("page") or 1)
        facts |= {"page": page, "kinds": [KindShown(asked, len(found), _shown(page))] if found else []}
    else:
        query.pop("kind", None)
        facts["kinds"] = _folded(found)
    facts["query"] = f"{query.urlencode()}&" if query else ""
    return render(request, "audit/exceptions.html", facts, status=form.status)


def _folded(found: Iterable[dict[str, str]]) -> list[KindShown]:
    by_kind: dict[str, list[dict[str, str]]] = {code: [] for code in KINDS}
    for line in found:
        by_kind.setdefault(line["kind"], []).append(line)
    shown = iter(_shown(line for lines in by_kind.values() for line in lines[:FEW]))
    return [
        KindShown(code, len(lines), list(islice(shown, min(FEW, len(lines)))))
        for code, lines in by_kind.items()
        if lines
    ]


def _shown(lines: Iterable[dict[str, str]]) -> list[ExceptionShown]:
    said = list(lines)
    numbers = {line[name] for line in said for name in ("actor", "approver")} - {""}
    people = {str(pk): one for pk, one in get_user_model().objects.in_bulk(numbers).items()}
    return [
        ExceptionShown(
            line,
            local_in(line["local_time"]),
            people.get(line["actor"], line["actor"]),
            people.get(line["approver"], line["approver"]),
            _address(line),
        )
        for line in said
    ]


def _found(request: HttpRequest, form: ExceptionsForm) -> list[dict[str, str]]:
    given, name = form.cleaned_data, ExceptionsPaper.name
    person = str(given["person"].pk) if given["person"] else ""
    try:
        days = (given["first"], given["last"])
        with papers_taken(the_site(), days, only={name}, now=act_of(request, "books").now) as taken:
            every = [dict(zip(ExceptionsPaper.columns, row, strict=True)) for row in rows(taken.files[name])]
    except (BadPeriod, NotSealed):  # nothing was recorded in these days
        return []
    return [
        line
        for line in reversed(every)
        if given["kind"] in ("", line["kind"]) and person in ("", line["actor"], line["approver"])
    ]


def _address(line: dict[str, str]) -> str:
    if line["record"] == "entry":
        return reverse("entry", args=[line["record_id"]])
    return reverse("audit-record", args=[line["record"], line["record_id"]]) if line["record_id"] else ""
