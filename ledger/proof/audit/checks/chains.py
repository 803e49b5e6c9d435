"""Changes of the house, its staff and its players, each compared with the one before it. Pure."""

from collections.abc import Mapping
from typing import Any

from ledger.proof.audit.checks.spill import short_hash
from ledger.records.findings import UNREADABLE, Body
from ledger.records.house import CLOCKS

_Subject = tuple[str, int]
_NOTHING = short_hash(b"")


class Chains:
    """The last known state of each, in a part of a log with the records before it that belong to it. A change
    records the old values, so one that was left out is noticed at the next one. `players`: all changes of the
    named players are included. Whether a change is missing after the last one before the part cannot be
    known."""

    def __init__(self, *, players: bool) -> None:
        self._last: dict[_Subject, Any] = {}
        self._players = players
        self._house: dict[str, Any] = {}

    def __contains__(self, player: object) -> bool:
        return ("Player", player) in self._last

    def wrong(self, body: Body) -> str:
        """Return how a change contradicts the one before it; empty if it does not, or is not a change."""
        try:
            match body["record"], body.get("kind"):
                case "house_event", "staff_changed":
                    data = body["data"]
                    return self._follows(("Person", data["staff"]), data["before"], data["after"], None)
                case "house_event", kind if kind in CLOCKS:
                    return self._changed(body["data"])
                case "player_change", _ if self._players:
                    before, after = (short_hash(body[name].encode()) for name in ("before", "after"))
                    return self._follows(("Player", body["player"]), before, after, _NOTHING)
        except UNREADABLE:
            pass  # the checks report what cannot be read
        return ""

    def _follows(self, subject: _Subject, before: Any, after: Any, first: Any) -> str:
        last = self._last.get(subject, first)
        self._last[subject] = after
        what, number = subject
        return "" if last == before else f"{what} {number} had other values before it than it says."

    def _changed(self, body: Mapping[str, Any]) -> str:
        """Return which particular of the house contradicts the change before; empty if none does."""
        now = {name: value for name, value in body.items() if name not in ("before", "key")}
        last, self._house = self._house, now
        before = body.get("before")
        if not isinstance(before, dict) or not last:
            return ""
        other = [name for name, value in last.items() if {**now, **before}.get(name) != value]
        return f"The house's {other[0]} had another value before it than it says." if other else ""
