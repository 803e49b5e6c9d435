"""How a long list is chosen and sorted by its address: `?table=3&sort=-started&page=2`. A list declares its
columns once; its form, the heads of its table and its pager follow, so that every choice is a link that can
be shared and needs no script. What is read whole is looked through by words, too: `list_page`."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, QueryDict

from ledger.cage.names import fold
from ledger.errors import BadText
from ledger.views.fields import DJANGO_CODES, StatusForm

SORT = "sort"
PLACES = frozenset({"page", "after", "before"})
"""Where in a list somebody is. It is left behind when another order or choice is asked for."""


BY_NUMBER = ("rising", "falling")


@dataclass(frozen=True)
class SortColumn:
    """A column to sort by: its label, what its rising and falling order are called, and the fields."""

    label: str
    rising: str
    falling: str
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a column: the address that sorts by it, or the other way round, and `aria-sort`."""

    query: str
    sorted: str = ""


@dataclass(frozen=True)
class ListShown:
    """A list as it was asked for. `order` are the fields for `order_by`; `query` goes before what a pager
    adds; `heads` are the columns that can be sorted by, by name."""

    order: tuple[str, ...]
    query: str
    heads: dict[str, Head]


class LongList:
    """The columns that a list is sorted by, by name, and its usual order (`-` in front: falling)."""

    def __init__(self, default: str, **columns: SortColumn) -> None:
        self.default, self.columns = default, columns

    def field(self) -> forms.ChoiceField:
        """Return the field that chooses the order, for the list's form; it must be called `sort`."""
        both = [
            (f"{sign}{name}", f"{column.label}, {word}")
            for name, column in self.columns.items()
            for sign, word in (("", column.rising), ("-", column.falling))
        ]
        both.sort(key=lambda choice: choice[0] != self.default)
        choices = [("" if value == self.default else value, label) for value, label in both]
        return forms.ChoiceField(label="Sorted by", required=False, choices=choices)

    def shown(self, form: forms.Form, *, without: Iterable[str] = ()) -> ListShown:
        """Return the list that a bound form asks for; unreadable orders, and `without`, are the usual one."""
        form.errors  # noqa: B018  (reads the form)
        asked = form.cleaned_data.get(SORT) or self.default
        name = asked.removeprefix("-")
        kept = [
            (key, value)
            for key in form.fields
            if key not in PLACES and key != SORT and (value := form.data.get(form.add_prefix(key)))
        ]
        out = frozenset(without)
        if name in out:
            asked, name = self.default, self.default.removeprefix("-")
        by = [(SORT, asked)] if asked != self.default else []
        return ListShown(
            tuple(f"{'-' if asked.startswith('-') else ''}{one}" for one in self.columns[name].fields),
            _query([*kept, *by]),
            {one: self._head(one, asked, kept) for one in self.columns if one not in out},
        )

    def _head(self, name: str, asked: str, kept: list[tuple[str, str]]) -> Head:
        falls = asked == f"-{name}"
        other = name if falls else f"-{name}" if asked == name else name
        by = [(SORT, other)] if other != self.default else []
        way = ("descending" if falls else "ascending") if asked.removeprefix("-") == name else ""
        return Head(_query([*kept, *by]), way)


def _query(pairs: list[tuple[str, str]]) -> str:
    query = QueryDict(mutable=True)
    for key, value in pairs:
        query[key] = value
    return f"{query.urlencode()}&" if pairs else ""


ROWS, FEW, WORDS_LENGTH = 50, 8, 80


class ListForm(StatusForm):
    """Words to look for in a list, and its order."""

    codes = dict.fromkeys((*DJANGO_CODES, "invalid_choice"), BadText.code)
    also_sent = frozenset({"page"})

    q = forms.CharField(
        label="Find in the list",
        required=False,
        max_length=WORDS_LENGTH,
        widget=forms.TextInput(attrs={"type": "search", "autocomplete": "off", "dir": "auto"}),
    )

    def __init__(self, data: Any, *, sort: forms.ChoiceField) -> None:
        super().__init__(data)
        self.fields[SORT] = sort


@dataclass(frozen=True)
class ListPage:
    """One page of a list that is read whole: `rows` of `total`. `finds`: it is long, or was searched."""

    form: ListForm
    shown: ListShown
    page: Page[Any]
    total: int

    @property
    def finds(self) -> bool:
        return self.total > FEW or bool(self.form.data)

    @property
    def rows(self) -> list[Any]:
        return list(self.page.object_list)


def list_page(
    request: HttpRequest, columns: LongList, rows: QuerySet[Any], text: Callable[[Any], str]
) -> ListPage:
    """Return the page of a list that the address asks for. Every word that is looked for is somewhere in a
    row's text, whatever its accents and case; what cannot be read finds everything."""
    form = ListForm(request.GET, sort=columns.field())
    shown = columns.shown(form)
    every = list(rows.order_by(*shown.order))
    words = fold(form.cleaned_data.get("q") or "").split()
    found = [row for row in every if all(word in fold(text(row)) for word in words)]
    return ListPage(form, shown, Paginator(found, ROWS).get_page(request.GET.get("page")), len(every))
