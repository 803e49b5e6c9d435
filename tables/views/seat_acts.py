"""The acts at a seat: the one or two that matter now, and the others behind *More*.

Which are possible follows from the seat's facts and the viewer's rights.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from django.urls import reverse

from tables.models import Sitting
from tables.views.panels import SeatFacts

# The usual acts by reason to wait; in a round only sitting out matters.
MATTERS = {"short": ("add-on", "cash-out"), "fee_due": ("pay", "add-on"), "sitting_out": ("out", "cash-out")}
USUAL = ("add-on", "out")
# The obvious next act.
NEXT = {"short": "add-on", "fee_due": "pay"}


@dataclass(frozen=True)
class SeatAct:
    """One act; `spoken` is added for screen readers. `press` needs no form."""

    name: str
    address: str
    text: str
    spoken: str
    press: bool = False
    primary: bool = False


@dataclass(frozen=True)
class SeatActs:
    now: tuple[SeatAct, ...] = ()
    more: tuple[SeatAct, ...] = ()


def acts_at(seat: SeatFacts, *, may_run: bool) -> SeatActs:
    """Return the acts at this seat for a person who handles chips and may also run the floor."""
    if seat.sitting is None:
        return SeatActs()
    matters = USUAL if seat.in_round else MATTERS.get(seat.reason, USUAL)
    next_one = None if seat.in_round else NEXT.get(seat.reason)
    possible = {act.name: act for act in _possible(seat, seat.sitting, may_run)}
    first = tuple(replace(possible[name], primary=name == next_one) for name in matters if name in possible)
    rest = tuple(act for act in possible.values() if act.name not in matters)
    # A menu of one is a button.
    return SeatActs(first, rest) if len(rest) > 1 else SeatActs(first + rest)


def _possible(seat: SeatFacts, sitting: Sitting, may_run: bool) -> Iterator[SeatAct]:
    who = f"{sitting.player}"

    def act(name: str, view: str, text: str, spoken: str, **more: bool) -> SeatAct:
        return SeatAct(name, reverse(view, args=[sitting.pk]), text, spoken, **more)

    if seat.free and seat.fees_cents:
        yield act("pay", "pay-fee", "Fee", f" of {who}")
        if may_run:
            yield act("waive", "waive-fee", "Waive", f" the fee of {who}")
    if seat.free and may_run and seat.due_here_cents > seat.stack_cents:
        yield act("gone", "left-unpaid", "Left unpaid", f": {who}")
    if seat.free:
        yield act("add-on", "add-on", "Add-on", f" for {who}")
    view, text = ("return", "Back in") if sitting.sitting_out else ("sit-out", "Sit out")
    yield act("out", view, text, f": {who}", press=True)
    if seat.free and seat.stack_cents:
        yield act("toke", "toke", "Toke", f" from {who}")
    if may_run:
        if seat.free:
            yield act("seat", "change-seat", "Change seats", f": {who}")
        yield act("change", "table-change", "Wants a table", f": {who} asks for another one")
        if seat.may_leave:
            yield act("move", "move", "Move", f" {who} to another table")
    if seat.may_leave:
        yield act("cash-out", "cash-out", "Cash out", f" {who}")
        if may_run and seat.stack_cents:
            yield act("pick-up", "pick-up", "Pick up the stack", f" of {who}")
