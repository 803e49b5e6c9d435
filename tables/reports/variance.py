"""What was over or short in the drop boxes of the last weeks, by week and by dealer. Only boxes that are
signed off have a figure here. Reads only.

A box is over or short as a whole, and more than one dealer fills it: a dealer's figure is that of all boxes
that stood at the table while they dealt a round there, so the dealers' figures do not add up to that of the
boxes."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import Max, Min, Q

from ledger.reports.over_short import signed_between
from tables.models import Round, TableSession

WEEKS = 8


@dataclass(frozen=True, slots=True)
class WeekRow:
    """The signed boxes of a week from Monday `first`, and counted minus expected in them, in cents."""

    first: date
    boxes: int
    differing: int
    expected: int
    cents: int


@dataclass(frozen=True, slots=True)
class DealerRow:
    """The signed boxes of downs that a dealer dealt, how many of them differed, and by what, in cents."""

    person: Any
    boxes: int
    differing: int
    expected: int
    cents: int


@dataclass(frozen=True)
class Variance:
    """The variance of the weeks from Monday `first` to Sunday `last`."""

    first: date
    last: date
    weeks: tuple[WeekRow, ...]
    dealers: tuple[DealerRow, ...]


def variance(site: Any, day: date) -> Variance:
    """Return the variance of the eight weeks that end with that of a gaming day. Four queries."""
    last = day + timedelta(days=6 - day.weekday())
    first = last - timedelta(days=7 * WEEKS - 1)
    signed = signed_between(site, first, last)
    by_week: defaultdict[date, list[Any]] = defaultdict(list)
    for one in signed:
        by_week[one.box.gaming_day - timedelta(days=one.box.gaming_day.weekday())].append(one)
    by_dealer = _by_dealer(site, signed)
    people = get_user_model().objects.in_bulk(by_dealer)
    dealers = [DealerRow(people[pk], *_sums(boxes)) for pk, boxes in by_dealer.items()]
    return Variance(
        first,
        last,
        tuple(WeekRow(week, *_sums(boxes)) for week, boxes in sorted(by_week.items())),
        tuple(sorted(dealers, key=lambda row: (row.cents, str(row.person)))),
    )


def _sums(signed: Iterable[Any]) -> tuple[int, int, int, int]:
    """Return how many boxes, how many of them differed, what was expected in them, and the difference."""
    figures = [
        (
            one.expected_chips + one.expected_cash,
            one.counted_chips - one.expected_chips,
            one.counted_cash - one.expected_cash,
        )
        for one in signed
    ]
    differing = sum(bool(chips or cash) for _, chips, cash in figures)
    return len(figures), differing, sum(one[0] for one in figures), sum(one[1] + one[2] for one in figures)


def _by_dealer(site: Any, signed: Sequence[Any]) -> dict[int, list[Any]]:
    """Return the signed boxes by each dealer who began a round at a table while they stood there."""
    found: defaultdict[int, list[Any]] = defaultdict(list)
    if not signed:
        return found
    since = min(one.box.installed_at for one in signed)
    until = max(one.signed_at for one in signed)
    open_then = Q(closed_at__isnull=True) | Q(closed_at__gte=since)
    sessions = TableSession.objects.filter(open_then, table__site=site, opened_at__lte=until)
    places = {session.pk: str(session.table) for session in sessions.select_related("table").only("table")}
    dealt = Round.objects.filter(session__in=list(places)).order_by().values_list("session", "dealer", "down")
    at: defaultdict[str, list[tuple[Any, ...]]] = defaultdict(list)
    for session, dealer, _, first, last in dealt.annotate(first=Min("started_at"), last=Max("started_at")):
        at[places[session]].append((first, last, dealer))
    for one in signed:
        box = one.box
        there = {
            dealer
            for first, last, dealer in at[box.place]
            if first <= box.pulled_at and last >= box.installed_at
        }
        for dealer in there:
            found[dealer].append(one)
    return found
