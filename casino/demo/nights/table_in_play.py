"""The interface of a simulated table that floor work and mistakes use.

They depend on this protocol only, so that `playing` imports them and they do not import `playing`.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from random import Random
from typing import Any, Protocol

from casino.demo.nights.house import SimulatedHouse
from casino.demo.nights.people import Guest
from tables.models import Round, Sitting, TableSession
from tables.rules.game.sheet import Sheet
from tables.state.plan import RoundPlan
from tables.state.table_state import TableState


class TableInPlay(Protocol):
    """One open table of a simulated night: its guests, its rounds, and how its staff act."""

    house: SimulatedHouse
    sheet: Sheet
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

    def session_now(self) -> TableSession:
        """Return the table's session as it is now: its limit may have changed with the last down (R64)."""

    def end_match(self) -> None:
        """Call a running match off, so that its players may leave (R42)."""

    def plan(self) -> RoundPlan:
        """Return what starting a round now would do."""

    def state(self) -> TableState:
        """Return the table's current state."""

    def fresh_state(self) -> TableState:
        """Return the table's state, read again."""

    def free_seats(self) -> list[int]:
        """Return the free seats."""

    def chips_of(self, guest: Guest) -> tuple[int, str]:
        """Return a guest's buy-in in cents, and its source."""

    def sits(self, guest: Guest, sitting: Sitting) -> None:
        """Note that a guest has taken a seat here."""

    def gone(self, guest: Guest) -> None:
        """Note that a guest has left the table."""

    def to_the_cage(self, guest: Guest) -> None:
        """Send a guest to the cage with the chips taken away."""
