"""What needs attention on the floor, worked out from rows; stored only so that screens are told once.

The board works it out each time, so nothing depends on the scheduler."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from textwrap import shorten
from typing import Any

from django.db import transaction

from ledger.cage import boxes as drops, documents, exclusions, seals, struck
from ledger.db.compiled import Compiled, after
from ledger.journal import closing
from ledger.journal.days import gaming_day
from ledger.money import dollars
from ledger.proof.log.state import log_state
from ledger.rules import documents as custody
from tables.floor.disputes import reported_discrepancies
from tables.floor.house_clock import ahead_of
from tables.floor.must_move import turns
from tables.floor.tablets import silences
from tables.live import HOUSE, publish
from tables.models import Attention, CorrectionRequest, TableSession, WaitingPlace
from tables.rules.table.needs import PRIORITY
from tables.seats.chip_counts import ChipCount, latest_counts
from tables.seats.players import known_as
from tables.state.held_seats import KEEPING, clock_text, held_seats
from tables.state.plan import RoundPlan, plan_round
from tables.state.table_state import OPEN, TableState, load_states

# How long a clock may be stopped before it needs attention.
STOOD_LONG = timedelta(minutes=10)
# How long before a down begins at another rate its players should be told.
RATE_SOON = timedelta(minutes=5)
# How long an expired call or held seat is shown; after that nobody is expected to come.
RUN_OUT_FOR = timedelta(minutes=30)
# A round takes two to five minutes; after this long it was forgotten, or needs help.
ROUND_LONG = timedelta(minutes=15)
SENTENCE_LENGTH = Attention._meta.get_field("sentence").max_length or 0


@dataclass(frozen=True)
class Item:
    """One thing that needs attention: its `kind`, `subject` (an id or a day), and table, if any. `sentence`
    leaves out how long it has lasted, so that it stays the same."""

    kind: str
    subject: str
    sentence: str
    session: TableSession | None = None


def waiting_now(
    site: Any,
    now: datetime,
    tables: Iterable[tuple[TableState, RoundPlan]] | None = None,
    *,
    lists: Iterable[WaitingPlace] | None = None,
    but: Collection[str] = (),
) -> list[Item]:
    """Return what needs attention at a house, by kind, then by table; a fixed number of queries. Pass
    `tables` (the open ones with their plans) and `lists` (who waits) if they are already read. `but` are
    kinds to leave out."""
    if tables is None:
        states = load_states(one for one in OPEN.rows() if one.table.site_id == site.pk)
        tables = [(state, plan_round(state, now)) for state in states]
    known = list(tables)
    counts = latest_counts(state.session.pk for state, _ in known)
    found = [
        *_items(_log(site, now) if "log" not in but else ()),
        *_items(_clock(site, [state.session for state, _ in known], now)),
        *(
            item
            for state, plan in known
            for item in _items(_at_table(site, state, plan, now, counts.get(state.session.pk)), state.session)
        ),
        *_excluded(site, [state for state, _ in known], now),
        *_free_seats(on_lists(site) if lists is None else lists, [state for state, _ in known], now),
        *_requests(site),
        *_documents(site, [state.session for state, _ in known], now),
        *_places(site, now),
        *_boxes(site, [state.session for state, _ in known], now),
        *_days(site, [state.session for state, _ in known], now),
        *_items(_disputed(site)),
        *_discrepancies(site),
        *_silent(site, [state for state, _ in known], now),
        *_refused(site, [state.session for state, _ in known]),
    ]
    return sorted((item for item in found if item.kind not in but), key=lambda item: KINDS.index(item.kind))


KINDS = tuple(PRIORITY)
"""Every kind of item, the most urgent first."""

Found = Iterator[tuple[str, object, str]]
"""What was found at one table, or of the house: kinds, subjects and sentences."""


def _items(facts: Iterable[tuple[str, object, str]], session: TableSession | None = None) -> list[Item]:
    return [_item(*one, session) for one in facts]


def _item(kind: str, subject: object, sentence: str, session: TableSession | None) -> Item:
    return Item(kind, str(subject), shorten(sentence, SENTENCE_LENGTH, placeholder="..."), session)


def _at_table(site: Any, state: TableState, plan: RoundPlan, now: datetime, count: ChipCount | None) -> Found:
    session, stop, table = state.session, state.open_stop, state.session.table
    if stop is not None and now - stop.stopped_at > STOOD_LONG:
        since = clock_text(site, stop.stopped_at)
        yield "clock_stopped", stop.pk, f"The clock of {table} has been stopped since {since}: {stop.why}"
    yield from _round(site, state, now)
    for seat in plan.seats:
        subject, seated = seat.sitting.pk, f"{table}, seat {seat.seat}: {seat.sitting.player}"
        if not seat.sitting.stack.balance_cents and subject not in state.in_round:
            yield "busted", subject, f"{seated} has no chips left."
        if seat.fees and seat.due_cents:
            yield "fee_due", subject, f"{seated} owes {seat.due_words} that the stack cannot pay."
    yield from _rate_soon(site, state, now)
    if count is not None and count.off:
        off = ", ".join(
            f"seat {one.seat} {dollars(one.difference_cents)} over"
            if one.difference_cents > 0
            else f"seat {one.seat} {dollars(-one.difference_cents)} short"
            for one in count.off
        )
        at = clock_text(site, count.event.at)
        yield "variance", count.event.pk, f"{table}, chip count of {at}: {off}."
    bank, least = session.bank_chips.balance_cents, session.max_buy_in_cents
    if bank < least:
        yield "bank_low", session.pk, f"The bank of {table} has less than one buy-in of {dollars(least)}."


def _round(site: Any, state: TableState, now: datetime) -> Found:
    session, running = state.session, state.running_round
    if running is None:
        return
    which = f"{session.table}: round {running.number}"
    if session.dealer_id is None:
        yield "no_dealer", session.pk, f"{which} has no dealer."
    if now - running.started_at > ROUND_LONG:
        since = clock_text(site, running.started_at)
        yield "round_long", running.pk, f"{which} has been running since {since}."


_WAITING = Compiled(
    lambda site: WaitingPlace.objects.filter(site=site, state=WaitingPlace.State.WAITING).order_by(
        "joined_at", "pk"
    ),
    joined="player",
)


def on_lists(site: Any) -> list[WaitingPlace]:
    """Return who waits for a seat, the longest first."""
    return _WAITING.rows(site.pk)


def _free_seats(lists: Iterable[WaitingPlace], states: list[TableState], now: datetime) -> Iterator[Item]:
    """Yield tables with a free seat for their list, after must-move players (R55)."""
    first: dict[tuple[str, int], WaitingPlace] = {}
    for place in lists:
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


def _excluded(site: Any, states: list[TableState], now: datetime) -> Iterator[Item]:
    """Yield seats of people who have been put on the exclusion list since they sat down, under any name that
    they have or had, and of those who may have been. The list is not named."""
    seats = {seat.player_id: (state.session, seat) for state in states for seat in state.sittings}
    for player_id, how in exclusions.listed_among(site, lambda: known_as(seats), now).items():
        session, sitting = seats[player_id]
        who = f"{session.table}, seat {sitting.seat}: {sitting.player}"
        if how is exclusions.Likeness.SAME:
            yield _item("excluded", sitting.pk, f"{who} may no longer play here. See compliance.", session)
        else:
            sentence = f"{who} may be somebody on the exclusion list. Look at a document, and answer."
            yield _item("is_it_this_person", sitting.pk, sentence, session)


def _rate_soon(site: Any, state: TableState, now: datetime) -> Found:
    """Yield a down that begins at another rate within minutes, or once players come (R64)."""
    session, announced = state.session, state.announced(now)
    if announced is None or state.latest_down is None:
        return
    ends = state.down_ends_at(now)
    if ends is not None and ends - now > RATE_SOON:
        return
    number, rate = announced
    when = f"at {clock_text(site, ends)}" if ends else "as soon as the clock runs"
    terms = f"limit {dollars(rate.limit_cents)}, fee {dollars(rate.fee_cents)}"
    yield "rate_soon", f"{session.pk}/{number}", f"{session.table}: down {number} begins {when} with {terms}."


_ASKED = Compiled(
    lambda site: CorrectionRequest.objects.filter(site=site, state=CorrectionRequest.State.ASKED).order_by(
        "pk"
    ),
    joined="round round__session round__session__table asked_by",
)


def _requests(site: Any) -> Iterator[Item]:
    for request in _ASKED.rows(site.pk):
        session, number = request.round.session, request.round.number
        kind, what = ("correction", "a correction")
        if request.by_hand:
            kind, what = ("by_hand", "a settlement by hand")
        sentence = (
            f"{session.table}: {what} of round {number}, asked for by {request.asked_by}, waits for a second"
            " person."
        )
        yield _item(kind, request.pk, sentence, session)


def _documents(site: Any, sessions: list[TableSession], now: datetime) -> Iterator[Item]:
    """Yield documents that wait for the floor or a dealer, and those that a carrier was handed on an earlier
    gaming day and nobody has confirmed."""
    by_bank, day = {session.bank_chips_id: session for session in sessions}, gaming_day(site, now)
    for last in documents.last_steps(site):
        document, kind = last.document, custody.KINDS[last.document.kind]
        session = by_bank.get(document.chips_id)
        if (session or kind.is_beyond) and custody.waits_on_floor(kind, last.step):
            sentence = f"{document.place}: {document} is {custody.next_words(kind, last.step)}."
            yield _item("document", document.pk, sentence, session)
        if custody.unconfirmed(kind, last.step, last.gaming_day, day):
            sentence = (
                f"{document} was handed to the carrier on gaming day {last.gaming_day}, and is not confirmed."
            )
            yield _item("unconfirmed", document.pk, sentence, None)


_RUN_OUT = Compiled(
    lambda site: WaitingPlace.objects.filter(
        after("until"), site=site, state__in=[*KEEPING, WaitingPlace.State.EXPIRED]
    ).order_by("until", "pk"),
    joined="player session session__table",
)


def _places(site: Any, now: datetime) -> Iterator[Item]:
    """Yield calls whose player asks for more time, and those and held seats that expired a short while ago,
    marked or not."""
    for place in _RUN_OUT.rows(site.pk, now - RUN_OUT_FOR):
        if place.until is None or (place.until > now and place.more_at is None):
            continue
        seat = f"seat {place.seat} of {place.session.table}" if place.session and place.seat else "the list"
        waiter, until = f"{place.player} (place {place.number})", clock_text(site, place.until)
        kind, sentence = "place_over", f"{waiter} has not come: {seat} was held until {until}."
        if place.until > now:
            kind, sentence = "more_time", f"{waiter} asks for more time: {seat} is held until {until}."
        yield _item(kind, place.pk, sentence, place.session)


def _log(site: Any, now: datetime) -> Found:
    log = log_state(site, now)
    if log.status != "ok":
        says = log.refusal if log.status == "stopped" else "records wait to be sealed."
        yield "log", log.status, f"The audit log is {log.status}: {says}"


def _clock(site: Any, sessions: list[TableSession], now: datetime) -> Found:
    """Yield a clock that jumped or is behind a table's records, until the time is confirmed."""
    ahead = ahead_of(site, sessions, now)
    if site.clock_doubted_at is not None:
        shown = clock_text(site, site.clock_doubted_at)
        sentence = f"The server's clock jumped to {shown}: nothing is charged until the time is confirmed."
        yield "clock_doubted", site.pk, sentence
    elif ahead is not None:
        shown = clock_text(site, ahead)
        sentence = f"The server's clock is behind the newest record, of {shown}: confirm the time."
        yield "clock_doubted", site.pk, sentence


def _disputed(site: Any) -> Found:
    for state in drops.disputed(site):
        differ = "the counts have differed three times. The counters need a supervisor."
        yield "counts_differ", state.box.pk, f"{state.box}: {differ}"


def _discrepancies(site: Any) -> Iterator[Item]:
    """Yield what dealers' tablets worked out otherwise than the house, while it was away."""
    for session, told in reported_discrepancies(site):
        sentence = f"{session.table}: {told} was told by the tablet. {told.text}"
        yield _item("discrepancy", told.pk, sentence, session)


def _silent(site: Any, states: list[TableState], now: datetime) -> Iterator[Item]:
    """Yield tables whose tablet is silent while somebody deals there, and each time that it was."""
    sessions = {state.session.pk: state.session for state in states}
    dealt = [one.session.pk for one in states if one.session.dealer_id and len(one.sittings) > 1]
    for pk, found in silences(site, dealt, now).items():
        for one in found if pk in sessions else ():
            subject = f"{pk}/{one.until or one.since:%H:%M:%S}"
            yield _item("tablet_away", subject, one.said(site, sessions[pk].table), sessions[pk])


_NEEDS = "The people who count need a supervisor."


def _refused(site: Any, sessions: list[TableSession]) -> Iterator[Item]:
    """Yield what was counted wrongly so often that a supervisor is called: papers of what arrived, tables'
    banks, drawers and the vault."""
    by_bank = {session.bank_chips_id: session for session in sessions}
    for paper in struck.called(site):
        session = by_bank.get(paper.pk) if isinstance(paper, struck.Account) else None
        kind = "document_refused" if isinstance(paper, documents.Document) else "sheet_refused"
        if session is not None:
            sentence = f"{session.table}: two counts of its bank differed three times. {_NEEDS}"
            yield _item("bank_refused", session.pk, sentence, session)
        elif not isinstance(paper, struck.Account):
            sentence = f"{paper}: three counts of what arrived were refused. {_NEEDS}"
            yield _item(kind, paper.pk, sentence, None)
    for slip in struck.called_slips(site):
        sentence = f"{slip.drawer or 'Vault'}: two counts differed three times, last on {slip}. {_NEEDS}"
        yield _item("slip_refused", slip.pk, sentence, None)


def _boxes(site: Any, sessions: list[TableSession], now: datetime) -> Iterator[Item]:
    due = seals.due_boxes(site, [one.box_id for one in sessions], now)
    for one in sessions:
        if one.box_id in due:
            box, since = due[one.box_id]
            yield _item(
                "box_due", box.pk, f"Box {box.number} of {one.table} is due since {since:%H:%M}.", one
            )


def _days(site: Any, sessions: list[TableSession], now: datetime) -> Iterator[Item]:
    """Yield the first gaming day that is over and not closed, and the tables whose banks it waits for."""
    day = closing.earlier_open(site, gaming_day(site, now))
    if day is None:
        return
    state = closing.day_state(site, day, now)
    if state.over:
        boxes = len(state.boxes)
        signed = "its boxes are" if not boxes else "1 box is not" if boxes == 1 else f"{boxes} boxes are not"
        sentence = f"Gaming day {day} is over and not closed: {signed} signed off."
        yield _item("day_over", day.isoformat(), sentence, None)
        waits = {bank.pk for bank in state.uncounted}
        for one in sessions:
            if one.bank_chips_id in waits:
                sentence = f"{one.table} plays on: gaming day {day} waits for a count of its bank."
                yield _item("bank_uncounted", one.pk, sentence, one)


def tend(site: Any, now: datetime) -> int:
    """Raise new items, clear old ones, notify the screens; return how many rows changed. May run twice."""
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
