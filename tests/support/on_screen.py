"""Tables of a page as somebody reads them, and cells of a paper as a page shows them."""

import re
from datetime import datetime
from decimal import Decimal
from html.parser import HTMLParser

import time_machine
from django.urls import reverse

from ledger.models import Document
from ledger.printing.reading import local_in, moment_in
from tests.support.lengths import LONG
from tests.support.week import ZONE

AMOUNT = re.compile(r"([−+-]?)\$([\d,]+\.\d\d)")
TIMES = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")


SCREENS = {}
"""What finds, by paper, cells on pages of the portal, and the same cells in the paper."""


def screen_of(paper):
    def declare(compare):
        SCREENS[paper] = compare
        return compare

    return declare


class Tables(HTMLParser):
    """The rows of the tables of a page: each is its cells by what the page calls them, without those of the
    head. `under` has them by the last `id` before the table."""

    def __init__(self, html):
        super().__init__()
        self.tables, self.under, self._id = [], {}, ""
        self._heads, self._row, self._cell, self._label, self._span = [], [], None, "", 1
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        match tag:
            case "section" | "div" | "details":
                self._id = attrs.get("id") or self._id
            case "table":
                self.tables.append([])
                self.under.setdefault(self._id, []).append(self.tables[-1])
                self._heads = []
            case "tr":
                self._row = []
            case "td" | "th":
                self._cell, self._label = [], attrs.get("data-label", "")
                self._span = int(attrs.get("colspan", 1))
            case "br":
                self.handle_data(" ")

    def handle_endtag(self, tag):
        if tag in ("td", "th") and self._cell is not None:
            self._row.append((self._label, " ".join("".join(self._cell).split())))
            self._row += [None] * (self._span - 1)
            self._cell = None
        elif tag == "thead":
            self._heads = [cell[1] for cell in self._row if cell]
        elif tag == "tr" and self._row and self._heads:
            named = zip(self._row, self._heads, strict=False)
            self.tables[-1].append({cell[0] or head: cell[1] for cell, head in named if cell})

    def handle_data(self, data):
        if self._cell is not None:
            self._cell.append(data)


class Portal:
    """The portal of a house as somebody sees it, and its papers: `papers` has the lines of each, by column,
    `pages` what was read before. Pages of one thing each are read of the days in `looked_at`."""

    def __init__(self, client, week, papers, names, pages):
        self.client, self.week, self.papers, self.names = client, week, papers, names
        self.looked_at = week.days if LONG else week.days[1:2]
        self._pages = pages

    @property
    def days(self):
        return self.week.days

    def read(self, name, *args, by="compliance", **query):
        """Return the answer to an address and the tables of its page, as this person sees it."""
        address = reverse(name, args=args, query=query)
        if address not in self._pages:
            self.client.force_login(self.week.people[by])
            with time_machine.travel(self.week.now, tick=False):
                answer = self.client.get(address)
            assert answer.status_code == 200, address
            self._pages[address] = answer, Tables(answer.content.decode())
        return self._pages[address]

    def rows(self, name, *args, under=None, table=0, by="compliance", **query):
        """Return the rows of a table of a page; none if there is no such table."""
        _, tables = self.read(name, *args, by=by, **query)
        found = tables.tables if under is None else tables.under.get(under, [])
        return found[table] if table < len(found) else []

    def lines(self, paper, **where):
        found = self.papers[paper]
        return [line for line in found if all(line[name] == value for name, value in where.items())]

    def documents(self):
        """Return the documents that were asked for on the days in `looked_at`, by kind and number."""
        begun = [
            (line["kind"], line["number"])
            for line in self.lines("documents.csv", step="requested")
            if line["gaming_day"] in map(str, self.looked_at)
        ]
        found = Document.objects.filter(site=self.week.site)
        return {(kind, number): found.get(kind=kind, number=number) for kind, number in begun}

    def person(self, number):
        return self.names.staff[number] if number else ""

    def people(self, *numbers):
        return " and ".join(self.person(number) for number in numbers if number)


def shown_amount(text):
    """Return the first amount of a cell as a paper writes it; empty without one."""
    found = AMOUNT.search(text)
    return (found and ("-" if found[1] in ("−", "-") else "") + found[2].replace(",", "")) or ""


def at(text, form="%Y-%m-%d %H:%M:%S"):
    """Return a moment of a paper by the house's clock."""
    moment = local_in(text) if text[-6:-5] in ("-", "+") else moment_in(text, ZONE)
    return f"{moment:{form}}" if isinstance(moment, datetime) else ""


def number_in(text):
    """Return the first number of a cell."""
    found = re.search(r"\d+", text)
    return found[0] if found else ""


def together(lines, *columns):
    """Return what these columns of some lines of a paper come to."""
    return sum((Decimal(line[column] or 0) for line in lines for column in columns), Decimal(0))
