"""How a long list is chosen and sorted by its address: `?table=3&sort=-started&page=2`. A list declares its
columns once; its form, the heads of its table and its pager follow, so that every choice is a link that can
be shared and needs no script."""

from collections.abc import Iterable
from dataclasses import dataclass

from django import forms
from django.http import QueryDict

SORT = "sort"
PLACES = frozenset({"page", "after", "before"})
"""Where in a list somebody is. It is left behind when another order or choice is asked for."""


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
    """The columns that a list is sorted by, by name, and the order it has unless another is asked for: a
    name, with `-` in front for falling."""

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
        """Return the list that a bound form asks for: in the usual order if that cannot be read. Columns that
        cannot be sorted by now are `without`."""
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
