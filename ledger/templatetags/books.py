"""Filters of the books' papers: shares, and the names of kinds of entries and accounts."""

from datetime import date, datetime
from typing import Any

from django import template

from ledger.chart import EVENTS, TITLES, AccountKind, EntryKind
from ledger.journal.days import clocks_of
from ledger.money import MINUS, percent_text
from ledger.rules.shifts import shift_of
from ledger.templatetags.languages import said

register = template.Library()


@register.filter
def percent_of(cents: int | None, whole: int) -> str:
    """Return the share as `−0.50 %`; empty without a share or if the whole is zero."""
    share = "" if cents is None else percent_text(cents, whole)
    return share and share.replace("-", MINUS) + " %"


@register.simple_tag
def shift(site: Any, day: date, at: datetime) -> str:
    """Return `, shift 2` to follow something of this day; empty if the house had one shift then."""
    if getattr(site, "shown_clocks", None) is None:  # asked once for a page
        site.shown_clocks = clocks_of(site)
    clock = site.shown_clocks.at(at)
    if clock is None or clock.shifts <= 1:
        return ""
    number = shift_of(at, day, clock)
    return str(said(f", shift {number}"))


@register.filter
def entry_title(kind: str) -> str:
    return EVENTS[EntryKind(kind)].title if kind in set(EntryKind) else account_title(kind)


@register.filter
def account_title(kind: str) -> str:
    return TITLES[AccountKind(kind)] if kind in set(AccountKind) else kind
