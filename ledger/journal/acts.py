"""Who acts, when, under which key, from which terminal, approved by whom and why: one value for every verb."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from ledger.errors import ReasonRequired


@dataclass(frozen=True, slots=True)
class Act:
    """One act of one person.

    `now` is the moment it is recorded, in UTC. `key` is made by the client: the same key with the same content is the
    same act again. `approver` is the second person where an act takes two, `reason` is why, in words.
    """

    actor: Any
    now: datetime
    key: str = ""
    terminal: str = ""
    approver: Any = None
    reason: str = ""

    def under(self, key: str) -> "Act":
        """This act under a key of its own, for one of several entries that it makes."""
        return replace(self, key=key)

    def at(self, now: datetime) -> "Act":
        """This act at another moment: times that are recorded in an order have that order."""
        return replace(self, now=now)

    def stated(self, missing: str) -> "Act":
        """This act with its reason trimmed. Refuses one without a reason (`reason_required`), with this sentence."""
        if not self.reason.strip():
            raise ReasonRequired(missing, field="reason")
        return self.because(self.reason.strip())

    def because(self, reason: str) -> "Act":
        """This act for a reason that the verb knows."""
        return replace(self, reason=reason)
