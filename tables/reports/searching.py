"""The search box: what a text may mean, found in each kind of thing that the reader may open. `KINDS` is the
one table of them: which rights open which page, and what finds its rows. A kind whose pages somebody may not
open is not searched, so a search shows nobody more than the pages do. Lines have names, numbers, times and
places, and no amount but the one asked for. Anything whose reading leaves a record, such as the exclusion
list, is not searched. Each kind reads a few rows by an index."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cached_property
from itertools import islice
from typing import Any
from zoneinfo import ZoneInfo

from django.urls import reverse
from django.utils.http import urlencode

from ledger.journal.days import clock_of
from ledger.rules.gaming_days import bounds_of, day_of
from ledger.rules.searches import Meant, read

LINES = 6
"""How many of a kind are shown; the list page of the kind has the others."""
DAYS_BACK = 3
"""Of so many gaming days are amounts without a date."""
Pages = tuple[tuple[str, str], ...]
"""A right, and the page that it opens; a person gets the first page that they have the right to."""


@dataclass(frozen=True, slots=True)
class FoundLine:
    """One thing that was found: the words of its line, and the page it opens. `exact`: it is exactly what was
    asked for, and the only one of its kind."""

    title: str
    detail: str
    address: str
    exact: bool = True


@dataclass(frozen=True)
class FoundKind:
    """The lines found of a kind. `more` is the address of all of them; "" where no page lists them."""

    title: str
    lines: tuple[FoundLine, ...]
    more: str


class Search:
    """A text, the person who searches for it and the moment, with what the kinds look up in common."""

    def __init__(self, site: Any, person: Any, text: str, now: datetime) -> None:
        self.site, self.person, self.now = site, person, now
        self.zone = ZoneInfo(site.time_zone)
        self.asked: Meant = read(text, now.astimezone(self.zone).date())

    @cached_property
    def moments(self) -> list[tuple[datetime, datetime]]:
        return self.asked.moments(self.zone, self.now)

    @cached_property
    def days(self) -> tuple[date, date]:
        """The first and last gaming day in question: that of the date, or the last few."""
        if self.moments:
            clock = clock_of(self.site)
            return day_of(self.moments[0][0], clock), day_of(self.moments[-1][0], clock)
        if self.asked.day is not None:
            return self.asked.day, self.asked.day
        today = day_of(self.now, clock_of(self.site))
        return today - timedelta(days=DAYS_BACK - 1), today

    @property
    def bounds(self) -> tuple[datetime, datetime] | None:
        """Start and end of the time that was asked for, or of the gaming day; None without either."""
        if self.moments:
            return self.moments[0][0], self.moments[-1][1]
        return bounds_of(self.asked.day, clock_of(self.site)) if self.asked.day is not None else None

    def shown(self, at: datetime) -> str:
        """Return a moment as papers show it."""
        return f"{at.astimezone(self.zone):%Y-%m-%d %H:%M:%S}"

    def may(self, *rights: str) -> bool:
        return any(self.person.has_perm(right) for right in rights)

    def page(self, pages: Pages) -> str:
        """Return the page of a kind that this person may open; "" if none."""
        return next((name for right, name in pages if self.person.has_perm(right)), "")


Finds = Callable[[Search, str], Iterable[FoundLine]]
"""Takes the search and the page that its finder may open."""


@dataclass(frozen=True)
class FindKind:
    """A kind of thing that a search finds: its `title`, the `pages` it opens on, what finds it, and the
    address of the page with all of them, if there is one."""

    title: str
    pages: Pages
    find: Finds
    more: Callable[[Search], str] = lambda search: ""


KINDS: list[FindKind] = []


def register(*kinds: FindKind) -> None:
    """Add kinds; each app's in its `ready`."""
    KINDS.extend(kinds)


def rights() -> list[str]:
    return list(dict.fromkeys(right for kind in KINDS for right, _ in kind.pages))


def results(search: Search) -> list[FoundKind]:
    """Return what a text finds for its reader, by kind. A few queries for each kind at most."""
    found = []
    for kind in KINDS:
        page = search.page(kind.pages) if search.asked.text else ""
        lines = tuple(islice(kind.find(search, page), LINES + 1)) if page else ()
        if lines:
            more = kind.more(search) if len(lines) > LINES else ""
            found.append(FoundKind(kind.title, lines[:LINES], more))
    return found


def exact(found: Iterable[FoundKind]) -> FoundLine | None:
    """Return the one thing that was meant, or None if several may be."""
    meant = [line for kind in found for line in kind.lines if line.exact]
    return meant[0] if len(meant) == 1 else None


def at(page: str, *args: Any, **query: Any) -> str:
    return reverse(page, args=args) + (f"?{urlencode(query)}" if query else "")


@dataclass(frozen=True)
class Series:
    """Things with a number: the `codes` of their series in a search, the rows of a site, and what an address
    takes of one."""

    codes: tuple[str, ...]
    rows: Callable[[Any], Any]
    args: Callable[[Any], Iterable[Any]] = lambda row: (row.pk,)
    detail: Callable[[Search, Any], str] = lambda search, row: ""
    by: str = "number"
    sees: Callable[[Search, Any], Any] | None = None
    """Narrows the rows to those that this person sees."""

    def __call__(self, search: Search, page: str) -> Iterator[FoundLine]:
        number = search.asked.numbered(*self.codes)
        if number is None:
            return
        rows = self.rows(search.site).filter(**{self.by: number}).order_by("-pk")
        for row in (self.sees(search, rows) if self.sees else rows)[: LINES + 1]:
            title = str(row)
            yield FoundLine(
                title[:1].upper() + title[1:], self.detail(search, row), at(page, *self.args(row))
            )
