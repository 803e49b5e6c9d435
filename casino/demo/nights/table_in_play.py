"""What the floor's work and the mistakes of a simulated night need of the table where they happen.

They are told of a table by this shape alone, so that only `playing` knows them, and they do not know `playing`.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from random import Random
from typing import Any, Protocol

from casino.demo.nights.house import SimulatedHouse
from casino.demo.nights.people import Guest
from tables.models import Round, Sitting, TableSession
from tables.state.plan import RoundPlan
from tables.state.table_state import TableState


class TableInPlay(Protocol):
    """One open table of a simulated night: who sits there, what runs, and how its staff act."""

    house: SimulatedHouse
    session: TableSession
    round: Round | None
    dealer: Any
    pushed_at: datetime
    rng: Random
    scene: Callable[[Any], Any] | None
    main: Any
    line: list[tuple[Guest, int]]
    present: dict[int, Guest]
    incidents: bool
    incident_seen: bool
    rates_change: bool
    closing: bool
    at_rest: bool

    def do(self, verb: Callable[..., Any], *, actor: Any, **what: Any) -> Any:
        """Call a verb at the night's time, under a key of its own."""

    def key(self) -> str:
        """Return a key that no other act of the night has."""

    def seconds(self, least: int, most: int) -> int:
        """Return some whole number of seconds."""

    def plan(self) -> RoundPlan:
        """Return what starting a round now would do."""

    def state(self) -> TableState:
        """Return what the table is right now."""

    def fresh_state(self) -> TableState:
        """Return the same, read again."""

    def free_seats(self) -> list[int]:
        """Return the seats in which nobody sits."""

    def chips_of(self, guest: Guest) -> tuple[int, str]:
        """Return what a guest buys in for, in cents, and from where."""

    def sits(self, guest: Guest, sitting: Sitting) -> None:
        """Note that a guest has taken a seat here."""

    def gone(self, guest: Guest) -> None:
        """Note that a guest has left the table."""

    def to_the_cage(self, guest: Guest) -> None:
        """Send a guest to the window with what was taken away."""
