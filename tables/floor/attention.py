"""What needs somebody's attention on the floor, worked out from rows, and stored as rows so that screens are notified once.

Nothing is decided here and nothing depends on it: the board works it out each time it is shown, so it is right whether
or not the scheduler runs. `tend` only raises and clears rows and notifies the tables' screens.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from textwrap import shorten
from typing import Any

from django.db import transaction

from ledger.db.compiled import Compiled, after
from ledger.journal import closing
from ledger.journal.days import gaming_day
from ledger.log.state import log_state
from ledger.money import dollars
from tables.floor.house_clock import ahead_of
from tables.floor.must_move import turns
from tables.live import HOUSE, publish
from tables.models import Attention, CorrectionRequest, TableSession, WaitingPlace
from tables.seats.chip_counts import ChipCount, latest_counts
from tables.state.held_seats import KEEPING, clock_text, held_seats
from tables.state.plan import RoundPlan, plan_round
from tables.state.table_state import OPEN, TableState, load_states

# How long a clock may be stopped before it needs attention.
STOOD_LONG = timedelta(minutes=10)
# How long before a down begins at another rate its players should be told.
RATE_SOON = timedelta(minutes=5)
# How long an expired call or held seat is shown; after that nobody is expected to come.
RUN_OUT_FOR = timedelta(minutes=30)
# A round takes two to five minutes; one that has run this long has been forgotten, or somebody needs help with it.
ROUND_LONG = timedelta(minutes=15)
SENTENCE_LENGTH = Attention._meta.get_field("sentence").max_length or 0


@dataclass(frozen=True)
class Item:
    """One thing that needs attention: its `kind`, its `subject` (an id or a day), and its table if it is at one.

    `sentence` never says for how long, so that it stays the same while the item is open.
    """

    kind: str
    subject: str
    sentence: str
    session: TableSession | None = None


def waiting_now(
    site: Any,
    now: datetime,
    tables: Iterable[tuple[TableState, RoundPlan]] | None = None,
    *,
    but: Collection[str] = (),
) -> list[Item]:
    """Return what needs attention at a house, by kind, then by table number; as many queries for 5 tables as for 50.

    `tables` are the open ones with their round plans, if the caller has them already; `but` are kinds to leave out.
    """
    if tables is None:
        states = load_states(one for one in OPEN.rows() if one.table.site_id == site.pk)
        tables = [(state, plan_round(state, now)) for state in states]
    known = list(tables)
    counts = latest_counts(state.session.pk for state, _ in known)
    found = [
        *(() if "log" in but else _log(site, now)),
        *_clock(site, [state.session for state, _ in known], now),
        *(
            item
            for state, plan in known
            for item in _at_table(site, state, plan, now, counts.get(state.session.pk))
        ),
        *_free_seats(site, [state for state, _ in known], now),
        *_requests(site),
        *_places(site, now),
        *_days(site, now),
    ]
    order = {kind: place for place, kind in enumerate(KINDS)}
    return sorted((item for item in found if item.kind not in but), key=lambda item: order[item.kind])


KINDS = (
    *(
        "log",
        "clock_doubted",
        "clock_stopped",
        "no_dealer",
        "variance",
        "correction",
        "by_hand",
        "round_long",
    ),
    *("fee_due", "busted", "free_seat", "rate_soon", "place_over", "bank_low", "day_over"),
)
"""Every kind of item, the most urgent first."""


def _at_table(
    site: Any, state: TableState, plan: RoundPlan, now: datetime, count: ChipCount | None
) -> Iterator[Item]:
    session, stop = state.session, state.open_stop
    if stop is not None and now - stop.stopped_at > STOOD_LONG:
        since = clock_text(site, stop.stopped_at)
        yield _item(
            "clock_stopped",
            stop.pk,
            f"The clock of {session.table} has been stopped since {since}: {stop.reason}",
            session,
        )
    yield from _round(site, state, now)
    for seat in plan.seats:
        if not seat.sitting.stack.balance_cents and seat.sitting.pk not in state.in_round:
            who = f"{session.table}, seat {seat.seat}: {seat.sitting.player}"
            yield _item("busted", seat.sitting.pk, f"{who} has no chips left.", session)
        if seat.fees and seat.due_cents:
            who = f"{session.table}, seat {seat.seat}: {seat.sitting.player}"
            yield _item(
                "fee_due",
                seat.sitting.pk,
                f"{who} owes {seat.due_words} that the stack cannot pay.",
                session,
            )
    yield from _rate_soon(site, state, now)
    if count is not None and count.off:
        off = ", ".join(
            f"seat {one.seat} {dollars(abs(one.difference_cents))} {'over' if one.difference_cents > 0 else 'short'}"
            for one in count.off
        )
        at = clock_text(site, count.event.at)
        yield _item("variance", count.event.pk, f"{session.table}, chip count of {at}: {off}.", session)
    bank = session.bank_chips.balance_cents
    if bank < session.max_buy_in_cents:
        yield _item(
            "bank_low",
            session.pk,
            f"The bank of {session.table} has {dollars(bank)}, less than one buy-in of {dollars(session.max_buy_in_cents)}.",
            session,
        )


def _round(site: Any, state: TableState, now: datetime) -> Iterator[Item]:
    """Yield a round that runs without a dealer, or far longer than usual."""
    session, running = state.session, state.running_round
    if running is None:
        return
    if session.dealer_id is None:
        yield _item(
            "no_dealer", session.pk, f"{session.table}: round {running.number} has no dealer.", session
        )
    if now - running.started_at > ROUND_LONG:
        since = clock_text(site, running.started_at)
        yield _item(
            "round_long",
            running.pk,
            f"{session.table}: round {running.number} has been running since {since}.",
            session,
        )


_WAITING = Compiled(
    lambda site: (
        WaitingPlace.objects.filter(site=site, state=WaitingPlace.State.WAITING)
        .select_related("player")
        .order_by("joined_at", "pk")
    )
)


def _free_seats(site: Any, states: list[TableState], now: datetime) -> Iterator[Item]:
    """Yield tables with a seat for somebody on their list: neither held nor for the players of a must-move table (R55)."""
    first: dict[tuple[str, int], WaitingPlace] = {}
    for place in _WAITING.rows(site.pk):
        first.setdefault((place.game, place.limit_cents), place)
    held = held_seats([state.session.pk for state in states], now)
    going = turns(states, held)
    for state in states:
        session = state.session
        wanted = first.get((session.sheet.code, session.limit_cents))
        if wanted is None or not state.free_seats(held) or going.get(session.pk, ([], None))[0]:
            continue
        sentence = (
            f"{session.table} has a free seat, and {wanted.player} (place {wanted.number}) waits for one."
        )
        yield _item("free_seat", session.pk, sentence, session)


def _rate_soon(site: Any, state: TableState, now: datetime) -> Iterator[Item]:
    """Yield a down that begins at another rate within minutes (R64), or at any moment if it waits for players."""
    session, announced = state.session, state.announced(now)
    if announced is None or state.latest_down is None:
        return
    ends = state.down_ends_at(now)
    if ends is not None and ends - now > RATE_SOON:
        return
    number, rate = announced
    when = f"at {clock_text(site, ends)}" if ends else "as soon as the clock runs"
    terms = f"limit {dollars(rate.limit_cents)}, fee {dollars(rate.fee_cents)}"
    yield _item(
        "rate_soon",
        f"{session.pk}/{number}",
        f"{session.table}: down {number} begins {when} with {terms}.",
        session,
    )


_ASKED = Compiled(
    lambda site: (
        CorrectionRequest.objects.filter(site=site, state=CorrectionRequest.State.ASKED)
        .select_related("round__session__table", "asked_by")
        .order_by("pk")
    )
)


def _requests(site: Any) -> Iterator[Item]:
    for request in _ASKED.rows(site.pk):
        session = request.round.session
        what = "settlement by hand" if request.by_hand else "correction"
        yield _item(
            "by_hand" if request.by_hand else "correction",
            request.pk,
            f"{session.table}: a {what} of round {request.round.number}, asked for by {request.asked_by}, "
            "waits for a second person.",
            session,
        )


_RUN_OUT = Compiled(
    lambda site: (
        WaitingPlace.objects.filter(
            after("until"), site=site, state__in=[*KEEPING, WaitingPlace.State.EXPIRED]
        )
        .select_related("player", "session__table")
        .order_by("until", "pk")
    )
)


def _places(site: Any, now: datetime) -> Iterator[Item]:
    """Yield calls and held seats that expired a short while ago, marked or not."""
    for place in _RUN_OUT.rows(site.pk, now - RUN_OUT_FOR):
        if place.until is None or place.until > now:
            continue
        seat = f"seat {place.seat} of {place.session.table}" if place.session and place.seat else "the list"
        sentence = f"{place.player} (place {place.number}) has not come: {seat} was held until {clock_text(site, place.until)}."
        yield _item("place_over", place.pk, sentence, place.session)


def _log(site: Any, now: datetime) -> Iterator[Item]:
    log = log_state(site, now)
    if log.status != "ok":
        says = log.refusal if log.status == "stopped" else "records wait to be sealed."
        yield _item("log", log.status, f"The audit log is {log.status}: {says}")


def _clock(site: Any, sessions: list[TableSession], now: datetime) -> Iterator[Item]:
    """Yield a clock that has jumped, or that is behind the records of a table, until somebody confirms the time."""
    ahead = ahead_of(site, sessions, now)
    if site.clock_doubted_at is not None:
        shown = clock_text(site, site.clock_doubted_at)
        sentence = f"The server's clock jumped to {shown}: nothing is charged until the time is confirmed."
        yield _item("clock_doubted", site.pk, sentence)
    elif ahead is not None:
        shown = clock_text(site, ahead)
        sentence = f"The server's clock is behind the newest record, of {shown}: confirm the time."
        yield _item("clock_doubted", site.pk, sentence)


def _days(site: Any, now: datetime) -> Iterator[Item]:
    """Yield the first gaming day that is over and not closed. People close it, and sign its boxes off."""
    day = closing.earlier_open(site, gaming_day(site, now))
    if day is None:
        return
    state = closing.day_state(site, day, now)
    if state.over:
        boxes = len(state.boxes)
        lacks = (
            f"{boxes} box{' is' if boxes == 1 else 'es are'} not signed off"
            if boxes
            else "its boxes are signed off"
        )
        yield _item("day_over", day.isoformat(), f"Gaming day {day} is over and not closed: {lacks}.")


def _item(kind: str, subject: object, sentence: str, session: TableSession | None = None) -> Item:
    return Item(kind, str(subject), shorten(sentence, SENTENCE_LENGTH, placeholder="..."), session)


def tend(site: Any, now: datetime) -> int:
    """Raise new items, clear those that are over, notify the screens; return how many rows changed.

    May run twice at once, or not at all: each item is raised once and cleared once.
    """
    wanted = {(item.kind, item.subject): item for item in waiting_now(site, now)}
    changed: list[int | None] = []
    with transaction.atomic():
        for row in Attention.objects.filter(site=site, cleared_at__isnull=True):
            item = wanted.pop((row.kind, row.subject), None)
            one = Attention.objects.filter(pk=row.pk, cleared_at__isnull=True)
            if item is None:
                changed += [row.session_id] * one.update(cleared_at=now)
            elif item.sentence != row.sentence:
                changed += [row.session_id] * one.exclude(sentence=item.sentence).update(
                    sentence=item.sentence
                )
        for item in wanted.values():
            _, raised = Attention.objects.get_or_create(
                site=site,
                kind=item.kind,
                subject=item.subject,
                cleared_at=None,
                defaults={"session": item.session, "sentence": item.sentence, "raised_at": now},
            )
            changed += [item.session.pk if item.session else None] * raised
        for session_id in {HOUSE, *(pk for pk in changed if pk is not None)} if changed else ():
            publish(session_id)
    return len(changed)
