"""The auditor's pages: gaming day, round, down, player's day, table session, statements, patrons' cash,
where every chip is. Read-only. People who may not know what boxes should hold get no picture of it."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Max, QuerySet
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from ledger.journal.balances import asset_sums
from ledger.journal.bank_differences import bank_differences
from ledger.journal.days import gaming_day
from ledger.journal.particulars import limits_of
from ledger.reports import traces, trial_balance
from ledger.reports.box_log import BoxRow
from ledger.reports.cage_hours import CageHours, cage_hours
from ledger.reports.count_sheets import struck_lines
from ledger.reports.places import Holders, places_now
from ledger.rights import READ_BOOKS, SIGN_OFF_DROPS
from ledger.rules.places import sees_figures
from ledger.templatetags.figures import dollars, signed_dollars
from ledger.views.day import Day, asked_day, the_site
from ledger.views.downloads import csv_download
from ledger.views.pages import find_here, read_by
from ledger.views.pictures import Picture, Said, bars, differences, steps
from tables.floor.closing import closing_count
from tables.models import Down, Player, Sitting, TableSession
from tables.reports import days, reconciliation, rounds, statement_csv
from tables.reports.day_lines import day_lines
from tables.reports.days import DayHours, day_hours, day_people
from tables.reports.downs import name_dealers, name_rates
from tables.reports.patrons_cash import logged, patrons_of_day, reports_due
from tables.reports.session_report import session_report, sessions_to_report
from tables.reports.statements import Statement, moments_of, player_day, statement
from tables.reports.variance import Variance, variance
from tables.rights import READ_TABLES
from tables.rounds.pushes import require_sight
from tables.seats.chip_counts import variances_between
from tables.state.persons import entries_of
from tables.views.cage import day_lists
from tables.views.cage.day import custody_facts, day_facts

COLLECTION = Said(
    "collection",
    "Collection by hour and table",
    "Dollars of fees paid in each hour; beside each strip its sum and its highest hour.",
    dollars,
    empty="No fee was taken on this day.",
)
BOXES = Said(
    "boxes",
    "Over/short by box",
    "Dollars counted in each box, less those expected: hollow is short.",
    signed_dollars,
    column="Box",
    empty="No box of this day is counted yet.",
)
CAGE = Said(
    "cage",
    "The cage through the day",
    "Dollars in the vault and the drawers, and what is held for others.",
    dollars,
    column="At",
    empty="Nothing stood in the cage on this day.",
)
ROUNDS = Said(
    "rounds",
    "Rounds per hour",
    "Rounds begun in each hour at all tables, their sum and the highest hour.",
    lambda count: f"{count:,}",
    empty="No round was dealt on this day.",
)
WEEKS = Said(
    "weeks",
    "Over/short by week",
    "Dollars over or short in the boxes of each week, Monday to Sunday.",
    signed_dollars,
    column="Week from",
    empty="No box of these weeks is signed off yet.",
)
DEALERS = Said(
    "dealers",
    "Over/short by dealer",
    "Dollars over or short in boxes of downs that this dealer dealt, whole boxes, whoever else dealt there.",
    signed_dollars,
    column="Dealer",
    empty="No box of these weeks is signed off yet.",
)


def day_pictures(
    zone: ZoneInfo, hours: DayHours, cage: CageHours | None, boxes: Iterable[BoxRow], *, told: bool
) -> list[Picture]:
    """Return the pictures of a day; `cage` is None for a future day and for people who count the cage."""
    names = _clock(zone, hours.hours)
    tables = [("All tables", hours.taken_by_all)]
    tables += [(f"Table {number}", taken) for number, taken in hours.taken.items()]
    known = [(str(row.box), row.difference) for row in boxes if row.difference is not None]
    return [
        *([bars(COLLECTION, names, tables)] if told else []),
        differences(BOXES, known),
        *([_cage(zone, cage)] if cage is not None else []),
        bars(ROUNDS, names, [("All tables", hours.rounds)]),
    ]


def _cage(zone: ZoneInfo, cage: CageHours) -> Picture:
    return steps(CAGE, _clock(zone, cage.moments), [("Chips", cage.chips), ("Cash", cage.cash)])


def variance_pictures(variance: Variance) -> list[Picture]:
    """Return what was over or short by week and by dealer."""
    weeks = [(f"{week.first:%Y-%m-%d}, {_boxes(week.boxes)}", week.cents) for week in variance.weeks]
    dealers = [(f"{dealer.person}, {_boxes(dealer.boxes)}", dealer.cents) for dealer in variance.dealers]
    return [differences(WEEKS, weeks), differences(DEALERS, dealers)]


def _boxes(count: int) -> str:
    return f"{count} box" if count == 1 else f"{count} boxes"


def _clock(zone: ZoneInfo, moments: Sequence[datetime]) -> list[str]:
    return [f"{moment.astimezone(zone):%H:%M}" for moment in moments]


DAYS_SHOWN = 14


@read_by(READ_BOOKS)
def home(request: HttpRequest) -> HttpResponse:
    """A regulator's start: choose a gaming day, find a round or a player, see that the books balance."""
    if request.GET.get("day"):
        day = asked_day(request)
        if not day.form.errors:
            return redirect("audit-day", day=day.day)
    else:
        day = asked_day(request)
    facts = {
        "day": day,
        "days": trial_balance.days_with_entries(day.site, DAYS_SHOWN),
        "sums": asset_sums(day.site),
    }
    return render(request, "audit/home.html", facts, status=day.status)


@read_by(READ_BOOKS)
def day_page(request: HttpRequest, day: date) -> HttpResponse:
    chosen = asked_day(request, day)
    totals = trial_balance.day_totals(chosen.site, chosen.day)
    events = days.day_events(chosen.site, *chosen.bounds)
    name_rates(events.sessions)
    now = timezone.now()
    cage = cage_hours(chosen.site, *chosen.bounds, now) if sees_figures(request.user) else None
    facts = day_facts(chosen, request.user) | custody_facts(chosen, request.user)
    facts |= {
        "receipt_list": day_lists.receipts(request, facts),
        "document_list": day_lists.documents(request, facts),
    }
    facts |= {"events": events, "variances": variances_between(chosen.site, *chosen.bounds)}
    asked = (chosen.site, chosen.day, chosen.bounds, events.sessions)
    hours = day_hours(*asked)
    facts |= {
        "lines": day_lines(facts),
        "people": day_people(*asked),
        "dealers": hours.dealers,
        "now": now,
        "pictures": day_pictures(
            ZoneInfo(chosen.site.time_zone), hours, cage, facts["boxes"], told=facts["told"]
        ),
        "totals": totals,
        "total": {
            "entries": sum(kind.entries for kind in totals),
            "rows": sum(kind.rows for kind in totals),
            "chips": sum(kind.chips_cents for kind in totals),
            "cash": sum(kind.cash_cents for kind in totals),
        },
    }
    return render(request, "audit/day.html", facts, status=chosen.status)


@read_by(READ_BOOKS)
def variance_page(request: HttpRequest) -> HttpResponse:
    """Show what was over or short in the boxes of the eight weeks up to that of a gaming day."""
    day = asked_day(request)
    found = variance(day.site, day.day)
    facts = {"day": day, "variance": found, "pictures": variance_pictures(found)}
    return render(request, "audit/variance.html", facts, status=day.status)


@read_by(READ_TABLES, READ_BOOKS)
def round_page(request: HttpRequest, round_id: int) -> HttpResponse:
    round_ = find_here(rounds.rounds(), round_id, "session__table__site")
    require_sight(request.user, round_.session)
    site = round_.session.table.site
    record = rounds.round_record(round_)
    facts = {
        "record": record,
        "traces": traces.traces(site, request.user, rounds.moments_of(record)),
        "newest_first": record.settlements[::-1],
        "day": gaming_day(site, round_.started_at),
    }
    return render(request, "audit/round.html", facts)


@read_by(READ_TABLES, READ_BOOKS)
def down_page(request: HttpRequest, down_id: int) -> HttpResponse:
    """Show one down: what everybody owed, by which rule, how it was taken, and its rounds."""
    found = Down.objects.select_related(*(f"session__{name}" for name in ("table__site", "sheet")), "rate")
    down = find_here(found.defer("session__sheet__raw"), down_id, "session__table__site")
    require_sight(request.user, down.session)
    name_dealers(down.session, [down])
    charges = list(reconciliation.charges_of(down))
    site = down.session.table.site
    facts = {
        "down": down,
        "day": gaming_day(site, down.started_at),
        "charges": charges,
        "traces": traces.traces(
            site,
            request.user,
            [traces.Moment("Started", str(down.session.table), down.started_at, "down", down.pk)],
        ),
        "charged_cents": sum(charge.cents for charge in charges if charge.counts),
        "rounds": rounds.marked(down.rounds.select_related("dealer")).order_by("number"),
    }
    return render(request, "audit/down.html", facts)


@read_by(READ_BOOKS)
def player_page(request: HttpRequest, player_id: int) -> HttpResponse:
    """Show a player's sittings of a gaming day; the last day they played by default."""
    player = find_here(Player, player_id)
    sittings = Sitting.objects.filter(entries_of(player.merged_into_id or player.pk))
    last = sittings.aggregate(last=Max("entered_at"))["last"]
    day = asked_day(request, gaming_day(the_site(), last) if last else None)
    played = player_day(player, *day.bounds)
    name_rates([one.sitting.session for one in played.statements])
    facts = {
        "day": day,
        "player": player,
        "played": played,
        "days": _days_of(sittings, day),
        "entries": Player.objects.filter(merged_into=player.pk).order_by("pk"),
    }
    return render(request, "audit/player.html", facts, status=day.status)


@read_by(READ_BOOKS)
def table_session_page(request: HttpRequest, session_id: int) -> HttpResponse:
    """Show a table session: players, downs, rounds, bank and boxes, with proofs of the figures."""
    session = find_here(sessions_to_report(), session_id, "table__site")
    site = session.table.site
    report = session_report(session)
    name_dealers(session, [row.down for row in report.downs])
    name_rates([session])
    facts = {"report": report, "day": gaming_day(site, session.opened_at)}
    facts["closing"] = closing_count(session)
    facts["struck"] = struck_lines(session.bank_chips)
    if session.closed_at is not None:
        of_the_day = bank_differences(site, gaming_day=gaming_day(site, session.closed_at))
        facts["difference"] = next((one for one in of_the_day if one.session == session.pk), None)
    return render(request, "audit/table_session.html", facts)


def _days_of(sittings: QuerySet[Sitting], day: Day) -> list[date]:
    zone_days = {gaming_day(day.site, at) for at in sittings.values_list("entered_at", flat=True)}
    return sorted(zone_days, reverse=True)[:DAYS_SHOWN]


# -- statements: as a page that a player who asks is shown and gets on paper, and as CSV ---------------------


@read_by(READ_TABLES)
def sitting_page(request: HttpRequest, sitting_id: int) -> HttpResponse:
    statement = _statement(request, sitting_id)
    name_rates([statement.sitting.session])
    site = statement.sitting.session.table.site
    facts = {"statement": statement, "day": gaming_day(site, statement.sitting.entered_at)}
    facts["traces"] = traces.traces(site, request.user, moments_of(statement.sitting))
    return render(request, "audit/statement.html", facts)


@read_by(READ_TABLES)
def sitting_csv(request: HttpRequest, sitting_id: int) -> StreamingHttpResponse:
    lines = statement_csv.sitting_lines(_statement(request, sitting_id))
    return csv_download(request, lines, f"sitting-{sitting_id}.csv")


@read_by(READ_BOOKS)
def player_csv(request: HttpRequest, player_id: int) -> StreamingHttpResponse:
    """Download a player's day: the lines and fees of every sitting, and the claims."""
    player = find_here(Player, player_id)
    day = asked_day(request)
    lines = statement_csv.day_lines(player_day(player, *day.bounds))
    return csv_download(request, lines, f"player-{player.pk}-{day.day}.csv")


@read_by(READ_BOOKS)
def table_session_csv(request: HttpRequest, session_id: int) -> StreamingHttpResponse:
    session = find_here(sessions_to_report(), session_id, "table__site")
    return csv_download(
        request, statement_csv.session_lines(session_report(session)), f"table-session-{session.pk}.csv"
    )


def _statement(request: HttpRequest, sitting_id: int) -> Statement:
    shown = Sitting.objects.select_related("player", "stack", "session__table__site", "session__sheet")
    sitting = find_here(shown.defer("session__sheet__raw"), sitting_id, "session__table__site")
    require_sight(request.user, sitting.session)
    return statement(sitting)


@read_by(READ_BOOKS)
def patrons_cash(request: HttpRequest) -> HttpResponse:
    """Show the currency reports to file, and the cash log of the day in `?day=`."""
    day = asked_day(request)
    facts = {
        "day": day,
        "limits": limits_of(day.site),
        "due": reports_due(day.site, timezone.now()),
        "patrons": logged(day.site, patrons_of_day(day.site, day.day)),
    }
    return render(request, "audit/patrons_cash.html", facts, status=day.status)


@read_by(READ_BOOKS, SIGN_OFF_DROPS)
def places(request: HttpRequest) -> HttpResponse:
    """Show the tree of places now; figures only to somebody who counts none of them."""
    site = the_site()
    facts = {
        "now": timezone.now(),
        "places": places_now(site, _at_tables(site)),
        "figures": request.user.has_perm(READ_BOOKS) and sees_figures(request.user),
    }
    return render(request, "audit/places.html", facts)


def _at_tables(site: Any) -> Holders:
    """Return who deals at each open table, and whose the stacks are. Two queries."""
    holders: dict[int, tuple[Any, ...]] = {}
    for session in TableSession.objects.filter(table__site=site, closed_at=None).select_related("dealer"):
        holders[session.bank_chips_id] = (session.dealer,) if session.dealer is not None else ()
    seated = Sitting.objects.filter(session__table__site=site, left_at__isnull=True)
    for sitting in seated.select_related("player"):
        holders[sitting.stack_id] = (sitting.player,)
    return holders
