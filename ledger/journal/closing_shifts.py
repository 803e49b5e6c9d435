"""Close the shifts of a gaming day, in a house that has several: their drawers are closed, their documents
ended, their boxes pulled. They are closed in order, and the last with its day."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from ledger import errors
from ledger.journal.acts import Act
from ledger.journal.closing import (
    GRACE,
    closing_of,
    last_steps,
    named,
    open_drawers,
    unsigned_boxes,
    write_closing,
)
from ledger.journal.days import clock_on, open_shift
from ledger.models import ClosedDay, ClosedShift, Document, Drawer, DropBox, Site
from ledger.rules.documents import KINDS, holds_day
from ledger.rules.shifts import bounds_of_shift, shift_name, wrong_shift

_REFUSALS = {
    one.code: one
    for one in (
        errors.NoSuchShift,
        errors.LastShift,
        errors.ShiftNotOver,
        errors.ShiftAlreadyClosed,
        errors.ShiftNotClosed,
    )
}


@dataclass(frozen=True)
class ShiftState:
    """How far a shift is from being closed. `closed` is the closing that covers it: its own, or that of a
    later shift or of its day. `wrong` is a code and a sentence if its order or its time is against it;
    `shift` an earlier one that comes first, and `shift_name` its name. `boxes` are those of it, or of before,
    still at their tables; `documents` wait for a step; those in `away` wait for somebody beyond the house and
    keep nothing open; `drawers` are the open ones."""

    day: date
    number: int
    name: str
    start: datetime
    end: datetime
    last: bool
    over: bool
    closed: ClosedShift | ClosedDay | None
    wrong: tuple[str, str] | None
    shift: int | None
    shift_name: str
    boxes: tuple[DropBox, ...]
    documents: tuple[Document, ...]
    drawers: tuple[Drawer, ...]
    away: tuple[Document, ...]

    @property
    def from_(self) -> datetime:
        """The earliest time to close it."""
        return self.end + GRACE

    @property
    def waits(self) -> int:
        return len(self.boxes) + len(self.documents) + len(self.drawers)

    @property
    def vault_counted(self) -> bool:
        """A shift asks for no count of the vault; its day does."""
        return True

    unclaimed_counted = vault_counted
    uncounted = ()

    @property
    def ready(self) -> bool:
        return self.wrong is None and not self.waits


def shift_states(site: Site, day: date, now: datetime) -> list[ShiftState]:
    """Return the shifts of a gaming day in order; none if the house has only one. Nine queries at most."""
    return states_beside(site, day, now, closing_of(site, day))


def states_beside(site: Site, day: date, now: datetime, with_day: ClosedDay | None) -> list[ShiftState]:
    """Return the same of a day whose closing is known."""
    clock = clock_on(site, with_day.closed_at if with_day else None)
    if clock.shifts == 1:
        return []
    own = ClosedShift.objects.filter(site=site, gaming_day=day).select_related("closed_by", "closed_with")
    by_themselves = list(own.order_by("number"))
    closed_to, open_ = (clock.shifts, None) if with_day else open_shift(site, day)
    at_tables = unsigned_boxes().filter(site=site, gaming_day__lte=day, pulled_at__isnull=True)
    boxes = at_tables.order_by("number")
    holds = {last.document_id: holds_day(KINDS[last.document.kind], last.step) for last in last_steps(site)}
    documents = Document.objects.filter(pk__in=holds).select_related("transit_chips").order_by("pk")
    drawers = open_drawers(site)
    states = []
    for number in range(1, clock.shifts + 1):
        start, end = bounds_of_shift(day, number, clock)
        earlier = open_ if open_ is not None and open_ < number else None
        closed = next((one for one in by_themselves if one.number >= number), with_day)
        states.append(
            ShiftState(
                day=day,
                number=number,
                name=shift_name(number, clock),
                start=start,
                end=end,
                last=number == clock.shifts,
                over=now >= end + GRACE,
                closed=closed,
                wrong=wrong_shift(day, number, clock, closed_to=closed_to, open_=open_, at=now - GRACE),
                shift=earlier,
                shift_name="" if earlier is None else shift_name(earlier, clock),
                boxes=tuple(one for one in boxes if one.installed_at < end),
                documents=tuple(one for one in documents if holds[one.pk] and _begun(one) < end),
                drawers=tuple(one for one in drawers if one.opened_at < end),
                away=tuple(one for one in documents if not holds[one.pk] and _begun(one) < end),
            )
        )
    return states


def shift_state(site: Site, day: date, number: int, now: datetime) -> ShiftState:
    """Return the state of one shift. Raises NoSuchShift."""
    for state in shift_states(site, day, now):
        if state.number == number:
            return state
    raise errors.NoSuchShift(f"Gaming day {day} has no shift {number}.")


def close_shift(*, site: Site, day: date, number: int, act: Act) -> ClosedShift:
    """Close a shift of a gaming day. The act's approver has one of the rights SECOND and signed off no box of
    the day. A repeated request returns the first closing. Raises SecondPerson, NotAllowed, NoSuchShift,
    LastShift, ShiftNotOver, ShiftAlreadyClosed, ShiftNotClosed, BoxNotPulled, DocumentUnderWay and DrawerOpen
    (which name what is missing), KeyReused."""

    def ready(locked: Site) -> dict[str, Any]:
        _require_ready(shift_state(locked, day, number, act.now))
        return {}

    return write_closing(ClosedShift, "shift", ready, site=site, act=act, gaming_day=day, number=number)


def _begun(document: Any) -> datetime:
    begun: datetime = document.transit_chips.opened_at
    return begun


def _require_ready(state: ShiftState) -> None:
    if state.wrong is not None:
        code, sentence = state.wrong
        raise _REFUSALS[code](sentence)
    if state.boxes:
        raise errors.BoxNotPulled(
            f"Still at its table: {named(state.boxes)}. Change the box of a table that plays on."
        )
    if state.documents:
        raise errors.DocumentUnderWay(f"Still under way: {named(state.documents)}.")
    if state.drawers:
        raise errors.DrawerOpen(f"Still open: {named(state.drawers)}.")
