"""What patrons brought and took in cash on a gaming day, person by person, as the window and compliance read
it (31 CFR 1021)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.contrib.auth import get_user_model

from ledger.chart import EVENTS, EntryKind
from ledger.journal.cash_of_day import cash_of_days
from ledger.journal.days import gaming_day
from ledger.journal.particulars import limits_of
from ledger.jurisdiction import jurisdiction
from ledger.money import dollars
from ledger.rules.cash_of_day import PLAYER, Crossing, Person
from tables.models import Player, TableSession

REPORTS_SHOWN = timedelta(days=31)
"""For so long a day's reports stand on the work list."""


@dataclass(frozen=True)
class PatronOfDay:
    """One person's cash of a gaming day, in cents; without a `player`, somebody who was not identified."""

    day: date
    player: Player | None
    came: int
    went: int
    lines: tuple["CashLine", ...]
    due: date

    @property
    def receipts(self) -> list[int]:
        return [line.receipt for line in self.lines if line.receipt is not None]

    @property
    def recorded_by(self) -> list[Any]:
        return list(dict.fromkeys(line.actor for line in self.lines))

    @property
    def known_as(self) -> str:
        """Return who it is, as a cashier picks them again."""
        last = self.lines[-1]
        if self.player is None:
            return f"Receipt {last.receipt}, {last.title.lower()}, {dollars(last.came + last.went)}"
        return f"{self.player!s}, {dollars(self.came)} in, {dollars(self.went)} out"


@dataclass(frozen=True)
class CashLine:
    """Cash in or out, with the person's sums so far; `kind` is that of FinCEN Report 112."""

    entry: int
    title: str
    kind: int
    came: int
    went: int
    at: datetime
    place: str
    actor: Any
    receipt: int | None
    total_in: int
    total_out: int


def merged_players(site: Any) -> dict[int, int]:
    """Return the merged entries of the register, each with the one that stands for the person. One query."""
    merged = Player.objects.filter(site=site, merged_into__isnull=False).values_list("pk", "merged_into")
    return {one: into for one, into in merged if into is not None}


def patron_of_receipt(site: Any, receipt: int, now: datetime) -> Player | None:
    """Return the person of one of today's receipts, if they were identified."""
    day = gaming_day(site, now)
    person = cash_of_days(site, [day], merged_players(site))[day].of_receipt(receipt)
    return Player.objects.get(pk=person[1]) if person is not None and person[0] == PLAYER else None


def patrons_of_day(site: Any, day: date) -> list[PatronOfDay]:
    return patrons_of_days(site, [day])


def seen_today(site: Any, now: datetime) -> list[PatronOfDay]:
    """Return who was at the window today, the latest first, for the cashier to pick from."""
    people = [one for one in patrons_of_day(site, gaming_day(site, now)) if one.receipts]
    return sorted(people, key=lambda one: one.lines[-1].entry, reverse=True)


def logged(site: Any, patrons: Iterable[PatronOfDay]) -> list[PatronOfDay]:
    """Return the people whose cash reaches the amount from which the house logs it."""
    least = limits_of(site).patron_from
    return [one for one in patrons if max(one.came, one.went) >= least]


def reports_due(site: Any, now: datetime) -> list[PatronOfDay]:
    """Return who is to be reported, the earliest day first. Five queries."""
    today, above = gaming_day(site, now), jurisdiction(site.jurisdiction).report_above
    days = [today - timedelta(days=back) for back in range(REPORTS_SHOWN.days, -1, -1)]
    return [one for one in patrons_of_days(site, days) if max(one.came, one.went) > above]


def patrons_of_days(site: Any, days: Iterable[date]) -> list[PatronOfDay]:
    """Return everybody's cash of these days. Five queries."""
    found = [
        (day, person, own)
        for day, cash in cash_of_days(site, days, merged_players(site)).items()
        for person, own in cash.people().items()
    ]
    names = _Names.of([each for _, _, own in found for each in own], [person for _, person, _ in found])
    within = timedelta(days=jurisdiction(site.jurisdiction).report_days)
    return [
        PatronOfDay(
            day=day,
            player=names.players.get(person[1]) if person[0] == PLAYER else None,
            came=sum(each.came for each in own),
            went=sum(each.went for each in own),
            lines=tuple(names.lines(own)),
            due=day + within,
        )
        for day, person, own in found
    ]


@dataclass(frozen=True)
class _Names:
    players: Mapping[int, Player]
    staff: Mapping[int, Any]
    tables: Mapping[int, str]

    @classmethod
    def of(cls, crossings: Iterable[Crossing], people: Iterable[Person]) -> "_Names":
        bodies = [each.body for each in crossings]
        sessions = {body["evidence"].get("session") for body in bodies} - {None}
        at = TableSession.objects.filter(pk__in=sessions).select_related("table")
        return cls(
            Player.objects.in_bulk([number for what, number in people if what == PLAYER]),
            get_user_model().objects.in_bulk({body["actor"] for body in bodies}),
            {session.pk: str(session.table) for session in at},
        )

    def lines(self, own: Iterable[Crossing]) -> Iterable[CashLine]:
        total_in = total_out = 0
        for each in own:
            said = each.body["evidence"]
            for kind, came, went in each.parts:
                total_in, total_out = total_in + came, total_out + went
                yield CashLine(
                    entry=each.body["id"],
                    title=EVENTS[EntryKind(each.body["kind"])].title,
                    kind=kind,
                    came=came,
                    went=went,
                    at=datetime.fromisoformat(each.body["occurred_at"]),
                    place="Window" if "receipt" in said else self.tables.get(said.get("session"), "Window"),
                    actor=self.staff[each.body["actor"]],
                    receipt=said.get("receipt"),
                    total_in=total_in,
                    total_out=total_out,
                )
