"""How a long list is chosen and sorted by its address: `?table=3&sort=-started&page=2`. A list declares its
columns once; its form, the heads of its table and its pager follow, so that every choice is a link that can
be shared and needs no script. What is read whole is looked through by words, too: `list_page`."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
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
            (form.add_prefix(key), value)
            for key in form.fields
            if key not in PLACES and key != SORT and (value := form.data.get(form.add_prefix(key)))
        ]
        kept += getattr(form, "also_kept", [])
        out = frozenset(without)
        if name in out:
            asked, name = self.default, self.default.removeprefix("-")

        def by(order: str) -> str:
            return _query([*kept, *([(form.add_prefix(SORT), order)] if order != self.default else [])])

        return ListShown(
            tuple(f"{'-' if asked.startswith('-') else ''}{one}" for one in self.columns[name].fields),
            by(asked),
            {one: _head(one, asked, by) for one in self.columns if one not in out},
        )


def _head(name: str, asked: str, by: Callable[[str], str]) -> Head:
    falls = asked == f"-{name}"
    other = name if falls else f"-{name}" if asked == name else name
    way = ("descending" if falls else "ascending") if asked.removeprefix("-") == name else ""
    return Head(by(other), way)


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

    def __init__(self, data: Any, *, sort: forms.ChoiceField, name: str = "") -> None:
        super().__init__(data, prefix=name or None)
        self.fields[SORT] = sort
        others = [key for key in data if name and not key.startswith(f"{name}-")]
        self.also_kept = [(key, data[key]) for key in others]  # of the page, and of its other lists
        if name:
            self.also_sent = frozenset((*others, self.add_prefix("page")))


@dataclass(frozen=True)
class ListPage:
    """One page of a list: `rows` of `total`. `finds` says whether it is looked through by words, and is long
    enough for that, or was. `place` is what its pager sets in the address."""

    form: ListForm
    shown: ListShown
    page: Page[Any]
    total: int
    is_read: bool = True

    @property
    def asked(self) -> bool:
        """Whether the address asks for something of this list."""
        return any(self.form.data.get(self.form.add_prefix(key)) for key in (*self.form.fields, "page"))

    @property
    def finds(self) -> bool:
        return self.is_read and (self.total > FEW or self.asked)

    @property
    def kept(self) -> str:
        """What stays in the address whatever is asked of the list."""
        return _query(self.form.also_kept)

    @property
    def place(self) -> str:
        return self.form.add_prefix("page")

    @property
    def rows(self) -> list[Any]:
        return list(self.page.object_list)


def list_page(
    request: HttpRequest,
    columns: LongList,
    rows: QuerySet[Any] | Sequence[Any],
    text: Callable[[Any], str] | None = None,
    *,
    name: str = "",
    most: int = ROWS,
) -> ListPage:
    """Return the page of a list that the address asks for. Every word that is looked for is somewhere in a
    row's text, whatever its accents and case; what cannot be read finds everything. Without `text` only the
    rows of the page are read. `name` tells it from other lists there, whose part of the address it keeps."""
    form = ListForm(request.GET, sort=columns.field(), name=name)
    shown = columns.shown(form)
    found = rows.order_by(*shown.order) if isinstance(rows, QuerySet) else _in_order(rows, shown.order)
    total = None
    if text is not None:
        found = list(found)
        total = len(found)
        words = fold(form.cleaned_data.get("q") or "").split()
        found = [row for row in found if all(word in fold(text(row)) for word in words)]
    page = Paginator(found, most).get_page(request.GET.get(form.add_prefix("page")))
    count = page.paginator.count if total is None else total
    return ListPage(form, shown, page, count, is_read=text is not None)


def _in_order(rows: Iterable[Any], order: Sequence[str]) -> list[Any]:
    """Return rows that were read already by these fields, as a database would; nothing comes last."""
    fields = [attrgetter(one.removeprefix("-").replace("__", ".")) for one in order]

    def key(row: Any) -> list[tuple[bool, Any]]:
        values = [field(row) for field in fields]
        return [(value is None, value) for value in values]

    return sorted(rows, key=key, reverse=order[0].startswith("-"))
