"""Published rates (R60): publish a new version, list those in force on a day, change a table's rate (R64)."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime, timedelta
from types import MappingProxyType
from typing import Any

from django.db import transaction
from django.db.models import Count

from ledger.db.compiled import Compiled
from ledger.errors import BadAmount
from ledger.journal import posting, records
from ledger.journal.acts import Act
from ledger.journal.days import gaming_day
from ledger.jurisdiction import jurisdiction
from ledger.money import checked_cents, dollars
from ledger.rights import require
from tables import errors
from tables.models import Down, Rate, TableEvent, TableSession
from tables.rights import MANAGE_HOUSE, RUN_FLOOR
from tables.rules.table.buy_ins import smallest_buy_in
from tables.state.clock import clock_kept
from tables.state.events import rate_data, record, recorded_before
from tables.state.locks import at_table, require_open

LICENSED: Mapping[int, tuple[int, int]] = MappingProxyType(
    {
        1: (100, 1000),
        2: (500, 1000),
        3: (1000, 1200),
        4: (2000, 1200),
        5: (3000, 1500),
        6: (4000, 1500),
        7: (5000, 1800),
        8: (10000, 1800),
    }
)
"""The options of R60: number -> limit and fee per player and down, in cents; a house's own follow."""
FIRST_OF_HOUSE = max(LICENSED) + 1
LAST_OPTION = 32767  # the largest value of the column
REFERENCE_LENGTH = Rate._meta.get_field("approval_reference").max_length or 0


@dataclass(frozen=True, slots=True)
class Published:
    """One version of a rate, in force to gaming day `effective_to`, or None."""

    rate: Rate
    effective_to: date | None

    @property
    def never_held(self) -> bool:
        """Whether a later version replaced it before any day in force."""
        return self.effective_to is not None and self.effective_to < self.rate.effective_from

    def holds_on(self, day: date) -> bool:
        return self.rate.effective_from <= day and (self.effective_to is None or day <= self.effective_to)


def published(rates: Iterable[Rate]) -> list[Published]:
    """Return each version with its last day in force, by option, newest first. `rates` must have all versions
    of each option."""
    found = []
    later: dict[int, date] = {}
    for one in sorted(rates, key=lambda rate: (rate.option, -rate.version)):
        begins = later.get(one.option)
        found.append(Published(one, None if begins is None else begins - timedelta(days=1)))
        later[one.option] = one.effective_from if begins is None else min(begins, one.effective_from)
    return found


def rate_history(site: Any) -> list[Published]:
    """Return every rate the house has published, by option, newest version first; one query."""
    return published(Rate.objects.filter(site=site).select_related("published_by"))


_PUBLISHED = Compiled(lambda site: Rate.objects.filter(site=site))


def rates_in_force(site: Any, now: datetime) -> list[Rate]:
    """Return the rates in force on the gaming day of `now`, one per option; one query."""
    day = gaming_day(site, now)
    holding = [one.rate for one in published(_PUBLISHED.rows(site.pk)) if one.holds_on(day)]
    return sorted(holding, key=lambda rate: (rate.limit_cents, rate.option))


def require_offered(rate: Rate, max_buy_in_cents: int, *, site: Any, now: datetime) -> None:
    """Require a rate in force and a maximum to match (`unknown_rate`, `bad_buy_in_maximum`; R52, R60)."""
    if rate not in rates_in_force(site, now):
        raise errors.UnknownRate("This rate is not published here for today.", field="rate")
    if max_buy_in_cents < smallest_buy_in(rate.limit_cents):
        raise errors.BadBuyInMaximum(
            "The maximum buy-in must be at least thirty times the limit.", field="max_buy_in"
        )


# -- publishing ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RateEntry:
    limit_cents: int
    fee_cents: int
    approval_reference: str
    effective_from: date


def publish_rate(*, site: Any, option: int | None = None, entry: RateEntry, act: Act) -> Rate:
    """Publish a rate as the next version of `option`; None: a new house option. An unchanged newest version
    is returned. Refuses `approval_required`, `bad_effective_date` before today, `bad_amount`, `other_limit`,
    `unknown_rate`, and `too_many_rates` if a limit would have more distinct fees than the law allows."""
    require(act.actor, MANAGE_HOUSE)
    reference = entry.approval_reference.strip()
    entry = replace(entry, approval_reference=reference)
    _require_amount(entry.limit_cents, "limit")
    _require_amount(entry.fee_cents, "fee")
    if not reference or len(reference) > REFERENCE_LENGTH:
        raise errors.ApprovalRequired(
            f"Enter the approval under which this rate is charged, in at most {REFERENCE_LENGTH} characters.",
            field="approval_reference",
        )
    with transaction.atomic():
        posting.lock_house(site)  # one at a time, so that versions have no gaps and the cap holds
        every = list(Rate.objects.filter(site=site))
        number = _option(every, option)
        newest = max(
            (one for one in every if one.option == number), key=lambda one: one.version, default=None
        )
        if newest is not None and all(
            getattr(newest, name) == value for name, value in asdict(entry).items()
        ):
            return newest
        _require_limit(number, newest, entry.limit_cents)
        if entry.effective_from < gaming_day(site, act.now):
            raise errors.BadEffectiveDate(
                "A rate can take effect today or later, not on an earlier day.", field="effective_from"
            )
        rate = Rate(
            site=site,
            option=number,
            version=1 if newest is None else newest.version + 1,
            published_by=act.actor,
            **asdict(entry),
        )
        _require_few_rates([*every, rate], rate, jurisdiction(site.jurisdiction).rates_per_limit)
        rate.save(force_insert=True)
        records.keep(site.pk, act.now, rate)
    return rate


def _require_amount(cents: int, field: str) -> None:
    try:
        if not checked_cents(cents):
            raise BadAmount("A limit and a fee must be above zero.")
    except BadAmount as error:
        error.field = field
        raise


def _option(every: Iterable[Rate], option: int | None) -> int:
    known = {rate.option for rate in every}
    if option is None:
        return max(known | {FIRST_OF_HOUSE - 1}) + 1
    if option not in known and option not in LICENSED and not FIRST_OF_HOUSE <= option <= LAST_OPTION:
        raise errors.UnknownRate(
            "Options 1 to 8 come with the rules; the house's own start at 9.", field="option"
        )
    return option


def _require_limit(option: int, newest: Rate | None, limit_cents: int) -> None:
    right = LICENSED[option][0] if option in LICENSED else newest.limit_cents if newest else limit_cents
    if limit_cents != right:
        raise errors.OtherLimit(
            f"Option {option} is for a limit of {dollars(right)}; use another option for another limit.",
            field="limit",
        )


def _require_few_rates(every: list[Rate], new: Rate, cap: int) -> None:
    """Refuse a rate that gives its limit too many distinct fees on any day from its first (R60)."""
    alike = published(one for one in every if one.limit_cents == new.limit_cents)
    days = {one.rate.effective_from for one in alike if one.rate.effective_from >= new.effective_from}
    for day in sorted(days):
        fees = {one.rate.fee_cents for one in alike if one.holds_on(day)}
        if len(fees) > cap:
            raise errors.TooManyRates(
                f"On {day} the limit of {dollars(new.limit_cents)} would have {len(fees)} different fees; "
                f"the law allows {cap}.",
                field="fee",
            )


# -- changing the rate of an open table ----------------------------------------------------------------------


def announce_rate(*, session_id: int, rate: Rate, max_buy_in_cents: int, act: Act) -> TableSession:
    """Announce another rate, limit or maximum buy-in, from the next down on (R64). Replaces an earlier
    announcement; a waiting clock may start a down at once. Refuses `table_closed`, `unknown_rate`,
    `bad_buy_in_maximum`, and `nothing_changes`."""
    require(act.actor, RUN_FLOOR)
    data = rate_data(rate, max_buy_in_cents)
    with at_table(session_id, act) as (session, act):
        if recorded_before(session, TableEvent.Kind.RATE_ANNOUNCED, act, **data):
            return session
        require_open(session)
        require_offered(rate, max_buy_in_cents, site=session.table.site, now=act.now)
        with clock_kept(session, act.now):
            if (session.rate_id, session.max_buy_in_cents) == (rate.pk, max_buy_in_cents):
                raise errors.NothingChanges("The table already has this rate and this maximum.", field="rate")
            _write_announced(session, rate, max_buy_in_cents)
            record(session, TableEvent.Kind.RATE_ANNOUNCED, key=act.key, act=act, **data)
    return session


def withdraw_rate(*, session_id: int, act: Act) -> TableSession:
    require(act.actor, RUN_FLOOR)
    with at_table(session_id, act) as (session, act):
        if recorded_before(session, TableEvent.Kind.RATE_WITHDRAWN, act):
            return session
        require_open(session)
        with clock_kept(session, act.now):
            rate, maximum = session.next_rate, session.next_max_buy_in_cents
            if rate is None or maximum is None:
                raise errors.NothingChanges("No announced change is pending.")
            data = rate_data(rate, maximum)
            _write_announced(session, None, None)
            record(session, TableEvent.Kind.RATE_WITHDRAWN, key=act.key, act=act, **data)
    return session


def _write_announced(session: TableSession, rate: Rate | None, max_buy_in_cents: int | None) -> None:
    session.next_rate, session.next_max_buy_in_cents = rate, max_buy_in_cents
    session.save(update_fields=["next_rate", "next_max_buy_in_cents"])


# -- what tables play at -------------------------------------------------------------------------------------


def tables_bound(site: Any) -> dict[int, list[tuple[int, str]]]:
    """Return each rate's open tables as (session, label), announced changes included; one query."""
    bound: dict[int, list[tuple[int, str]]] = {}
    open_ = TableSession.objects.filter(table__site=site, closed_at__isnull=True).select_related("table")
    for session in open_.order_by("table__number"):
        bound.setdefault(session.rate_id, []).append((session.pk, str(session.table)))
        if session.next_rate_id is not None:
            words = f"{session.table} from its next down"
            bound.setdefault(session.next_rate_id, []).append((session.pk, words))
    return bound


def downs_played(site: Any) -> dict[int, int]:
    downs = Down.objects.filter(session__table__site=site).values_list("rate")
    return dict(downs.annotate(played=Count("pk")).order_by("rate"))


def newer_version(session: TableSession, now: datetime) -> Rate | None:
    """Return the version in force that replaces a table's rate, or None; a table keeps its rate."""
    alike = Rate.objects.filter(site=session.table.site_id, option=session.rate.option)
    day = gaming_day(session.table.site, now)
    holding = next((one.rate for one in published(alike) if one.holds_on(day)), None)
    return holding if holding is not None and holding.version > session.rate.version else None
