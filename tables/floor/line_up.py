"""The dealers' line-up: read from pushes and the floor's orders, each a record of the log, and ordered."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db import transaction
from django.db.models import Count, Q, QuerySet

from ledger.journal import house_events, posting
from ledger.journal.acts import Act
from ledger.journal.days import day_bounds, gaming_day
from ledger.journal.staff import holders
from ledger.rights import require
from tables.errors import DealerDeals, NotADealer, NothingChanges
from tables.live import HOUSE, publish
from tables.models import Round, TableEvent, TableSession
from tables.rights import DEAL, RUN_FLOOR
from tables.rules.table import line_up as rules

ORDERED = "line_ordered"
# From so many days before its end a licence is shown as ending.
LICENCE_SOON = 30


def order_line(*, site: Any, dealer: Any, does: str, act: Act) -> None:
    """Put a dealer in line or first, on a break, or off for the day, as the floor says. Refuses
    `not_a_dealer`, `dealer_deals` for one who is at a table, `nothing_changes`, `key_reused`."""
    require(act.actor, RUN_FLOOR)
    posting.check_texts(act)
    data = {"dealer": dealer.pk, "does": does}
    with transaction.atomic():
        posting.lock_house(site)
        if house_events.noted_before(site, ORDERED, act, data):
            return
        if not (dealer.is_active and dealer.has_perm(DEAL)):
            raise NotADealer(f"{dealer} does not deal here.", field="dealer")
        standing = standings(site, act.now).get(dealer.pk)
        if standing is not None and standing.place == rules.DEALING:
            raise DealerDeals(f"{dealer} is dealing: push somebody in at that table first.", field="dealer")
        if not rules.may_order(standing, does):
            raise NothingChanges(f"{dealer} is there already, or is not in line.")
        house_events.note(site, ORDERED, act=act, key=act.key, **data)
        publish(HOUSE)


def standings(site: Any, now: datetime) -> dict[int, rules.LineStanding]:
    """Return where each dealer is on this gaming day, by id; three queries."""
    start = day_bounds(site, gaming_day(site, now))[0]
    tables = _sessions(site, start)
    pushes = TableEvent.objects.filter(session__in=tables, kind=TableEvent.Kind.PUSHED).order_by("pk")
    said: list[tuple[datetime, int, rules.LineAct]] = []  # at one moment pushes come first, then closings
    for at, recorded, session, data in pushes.values_list("at", "recorded_at", "session", "data"):
        if data["previous"] is not None:
            said.append((recorded, 0, rules.LineAct(data["previous"], rules.GOES, at, session)))
        if data["dealer"] is not None:
            said.append((recorded, 0, rules.LineAct(data["dealer"], rules.COMES, at, session)))
    for pk, closed, dealer in tables.exclude(dealer=None).values_list("pk", "closed_at", "dealer"):
        if closed is not None:
            said.append((closed, 1, rules.LineAct(dealer, rules.GOES, closed, pk)))
    orders = site.events.filter(kind=ORDERED, recorded_at__gte=start).order_by("pk")
    for at, data in orders.values_list("at", "data"):
        said.append((at, 2, rules.LineAct(data["dealer"], data["does"], at)))
    return rules.line_up((one[-1] for one in sorted(said, key=lambda one: one[:2])), start)


def _sessions(site: Any, start: datetime) -> QuerySet[TableSession]:
    return TableSession.objects.filter(Q(closed_at=None) | Q(closed_at__gte=start), table__site=site)


def licence_days(person: Any, day: date) -> int | None:
    """Return for how many more days a licence is valid: 0 on its last one, None if none is noted."""
    return None if person.badge_expires is None else (person.badge_expires - day).days


def proposed(site: Any, now: datetime, leaving: int | None = None) -> Any | None:
    """Return the dealer whom a push proposes at the table that `leaving` leaves, or None."""
    people = {one.pk: one for one in holders(DEAL)}
    found = standings(site, now).values()
    coming = rules.next_in_line(
        found, licensed=_licensed(people.values(), gaming_day(site, now)), leaving=leaving
    )
    return None if coming is None else people[coming]


def _licensed(people: Iterable[Any], day: date) -> frozenset[int]:
    return frozenset(one.pk for one in people if (licence_days(one, day) or 0) >= 0)


@dataclass(frozen=True)
class LineRow:
    """A dealer in the line-up: `standing` (None: not here today), `table`, minutes there, days of licence
    left, seconds at tables, rounds and hands dealt today."""

    dealer: Any
    standing: rules.LineStanding | None
    table: TableSession | None
    minutes: int
    licence_days: int | None
    dealt_seconds: int
    rounds: int
    hands: int
    is_next: bool = False

    @property
    def licence_ends(self) -> bool:
        return self.licence_days is not None and self.licence_days <= LICENCE_SOON

    @property
    def dealt(self) -> str:
        """Hours and minutes at tables today."""
        minutes = self.dealt_seconds // 60
        return f"{minutes // 60}:{minutes % 60:02d}"


def line_rows(site: Any, now: datetime) -> list[LineRow]:
    """Return every dealer: at tables by table, then in line in their order, on break, off, and not here; a
    fixed number of queries."""
    day = gaming_day(site, now)
    start, found = day_bounds(site, day)[0], standings(site, now)
    tables = {one.pk: one for one in _sessions(site, start).select_related("table")}
    dealt = _dealt(tables, start)
    people = list(holders(DEAL).order_by("username"))
    coming = rules.next_in_line(found.values(), licensed=_licensed(people, day))
    order = {one.dealer: number for number, one in enumerate(rules.in_order(found.values()))}
    rows = []
    for dealer in people:
        standing = found.get(dealer.pk)
        rounds, hands = dealt.get(dealer.pk, (0, 0))
        rows.append(
            LineRow(
                dealer,
                standing,
                tables.get(standing.session) if standing and standing.session else None,
                int((now - standing.since).total_seconds()) // 60 if standing else 0,
                licence_days(dealer, day),
                standing.dealt_seconds(start, now) if standing else 0,
                rounds,
                hands,
                coming == dealer.pk,
            )
        )
    places = [None, rules.DEALING, rules.IN_LINE, rules.ON_BREAK, rules.OFF]
    return sorted(
        rows,
        key=lambda row: (
            places.index(row.standing.place if row.standing else None),
            row.table.table.number if row.table else order.get(row.dealer.pk, 0),
        ),
    )


def _dealt(tables: Any, start: datetime) -> dict[int, tuple[int, int]]:
    rounds = Round.objects.filter(session__in=list(tables), started_at__gte=start).order_by()
    sums = rounds.values_list("dealer").annotate(Count("pk", distinct=True), Count("hands"))
    return {dealer: (dealt, hands) for dealer, dealt, hands in sums}
