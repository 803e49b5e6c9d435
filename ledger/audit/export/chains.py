"""Changes of the house, its staff and its players, each held against the one before it. Pure."""

from collections.abc import Mapping
from typing import Any

from ledger.audit.export.register import CLOCKS
from ledger.audit.findings import UNREADABLE, Body

_Subject = tuple[str, int]


class Chains:
    """What each of them was said to be last, in a part of a log with the records before it that go with it.

    A change says what it was before, so one that was left out is noticed with the next one. `players`: all changes of the players
    that the part names go with it. Whether anything follows the newest change of before the part, nobody can tell.
    """

    def __init__(self, *, players: bool) -> None:
        self._last: dict[_Subject, Any] = {}
        self._players = players
        self._house: dict[str, Any] = {}

    def wrong(self, body: Body) -> str:
        """Return in what way a change does not follow from the one before it; nothing if it does, or is no change."""
        try:
            match body["record"], body.get("kind"):
                case "house_event", "staff_changed":
                    data = body["data"]
                    return self._follows(("Person", data["staff"]), data["before"], data["after"], None)
                case "house_event", kind if kind in CLOCKS:
                    return self._changed(body["data"])
                case "player_change", _ if self._players:
                    return self._follows(("Player", body["player"]), body["before"], body["after"], "")
        except UNREADABLE:
            pass  # the checks report what cannot be read
        return ""

    def _follows(self, subject: _Subject, before: Any, after: Any, first: Any) -> str:
        last = self._last.get(subject, first)
        self._last[subject] = after
        what, number = subject
        return "" if last == before else f"{what} {number} was otherwise before it than it says."

    def _changed(self, said: Mapping[str, Any]) -> str:
        """Return which particular of the house was another before a change than it says; a change may not say it of any."""
        now = {name: value for name, value in said.items() if name not in ("before", "key")}
        last, self._house = self._house, now
        before = said.get("before")
        if not isinstance(before, dict) or not last:
            return ""
        other = [name for name, value in last.items() if {**now, **before}.get(name) != value]
        return f"The house's {other[0]} was another before it than it says." if other else ""
