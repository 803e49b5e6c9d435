"""Count the chips on the felt. A difference from the books is a variance and moves no chips."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q

from ledger.errors import BadAmount
from ledger.journal.acts import Act
from ledger.rights import require
from tables.errors import CountIncomplete, RoundRunning
from tables.models import TableEvent, TableSession
from tables.rights import DEAL, RUN_FLOOR
from tables.state.events import newest_of, record, recorded_before
from tables.state.locks import at_table, require_open
from tables.state.table_state import state_of

Kind = TableEvent.Kind


@dataclass(frozen=True, slots=True)
class CountedStack:
    seat: int
    sitting: int
    counted_cents: int
    expected_cents: int

    @property
    def difference_cents(self) -> int:
        return self.counted_cents - self.expected_cents


@dataclass(frozen=True)
class ChipCount:
    event: TableEvent
    stacks: tuple[CountedStack, ...]

    @property
    def off(self) -> tuple[CountedStack, ...]:
        return tuple(stack for stack in self.stacks if stack.difference_cents)

    @property
    def difference_cents(self) -> int:
        return sum(stack.difference_cents for stack in self.stacks)


def count_chips(*, session_id: int, counted: Mapping[int, int], act: Act) -> ChipCount:
    """Record the chips counted at every seat, in cents, between rounds; it corrects nothing. Refuses
    `round_running`, `count_incomplete`, `bad_amount`, `table_closed`."""
    require(act.actor, RUN_FLOOR, DEAL)
    by_seat = {str(seat): counted[seat] for seat in sorted(counted)}
    with at_table(session_id, act) as (session, act):
        if recorded_before(session, Kind.CHIPS_COUNTED, act, counted=by_seat):
            return _count(session.events.get(key=act.key))
        require_open(session)
        state = state_of(session)
        if state.running_round:
            raise RoundRunning("Settle the running round first: its chips are still in play.")
        _require_whole({sitting.seat for sitting in state.sittings}, counted)
        event = record(
            session,
            Kind.CHIPS_COUNTED,
            counted=by_seat,
            stacks=[
                {
                    "seat": sitting.seat,
                    "sitting": sitting.pk,
                    "expected_cents": sitting.stack.balance_cents,
                    "difference_cents": counted[sitting.seat] - sitting.stack.balance_cents,
                }
                for sitting in state.sittings
            ],
            key=act.key,
            act=act,
        )
    return _count(event)


def _require_whole(seats: set[int], counted: Mapping[int, int]) -> None:
    if not seats:
        raise CountIncomplete("Nobody sits at this table.")
    for seat in sorted(seats ^ set(counted)):
        lacks = f"Count seat {seat} as well." if seat in seats else f"Nobody sits in seat {seat}."
        raise CountIncomplete(lacks, field=f"seat_{seat}")
    for seat, cents in counted.items():
        if type(cents) is not int or cents < 0:
            raise BadAmount("A stack is a whole number of cents.", field=f"seat_{seat}")


def _count(event: TableEvent) -> ChipCount:
    counted = event.data["counted"]
    return ChipCount(
        event,
        tuple(
            CountedStack(one["seat"], one["sitting"], counted[str(one["seat"])], one["expected_cents"])
            for one in event.data["stacks"]
        ),
    )


def latest_counts(session_ids: Iterable[int]) -> dict[int, ChipCount]:
    """Return the last count of each session that has one, in one query."""
    return {event.session_id: _count(event) for event in _LATEST.rows(list(session_ids))}


_LATEST = newest_of(Kind.CHIPS_COUNTED, joined="actor")


def open_variance(session: TableSession) -> ChipCount | None:
    count = latest_counts([session.pk]).get(session.pk)
    return count if count is not None and count.off else None


def counts_of(session: TableSession) -> list[ChipCount]:
    events = session.events.filter(kind=Kind.CHIPS_COUNTED).select_related("actor").order_by("pk")
    return [_count(event) for event in events]


def variances_between(site: Any, start: datetime, end: datetime) -> list[ChipCount]:
    """Return the counts from `start` up to `end` that found a difference, in order."""
    open_then = Q(closed_at__isnull=True) | Q(closed_at__gte=start)
    sessions = TableSession.objects.filter(open_then, table__site=site, opened_at__lt=end)
    # Filter by session first: events have no index by time.
    events = TableEvent.objects.filter(
        session__in=list(sessions.values_list("pk", flat=True)),
        kind=Kind.CHIPS_COUNTED,
        at__gte=start,
        at__lt=end,
    )
    events = events.select_related("actor", "session__table").order_by("pk")
    return [count for count in map(_count, events) if count.off]
