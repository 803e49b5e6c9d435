"""Who acts, when, under which key, at which terminal, approved by whom and why: one value for every verb."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from ledger.errors import ReasonRequired


@dataclass(frozen=True, slots=True)
class Act:
    """One act of one person. `now` is when it is recorded, in UTC. `key` comes from the client: the same key
    with the same content is the same act sent again. `approver` is the second person, if the act needs two;
    `reason` says why, in words; `evidence`, what shows it: the number of a camera's clip, of a paper."""

    actor: Any
    now: datetime
    key: str = ""
    terminal: str = ""
    approver: Any = None
    reason: str = ""
    evidence: str = ""

    def under(self, key: str) -> "Act":
        return replace(self, key=key)

    def at(self, now: datetime) -> "Act":
        """Return this act at another time, so that records made in sequence have times in sequence."""
        return replace(self, now=now)

    def stated(self, missing: str) -> "Act":
        """Return this act with its reason trimmed. Raises ReasonRequired, saying `missing`."""
        if not self.reason.strip():
            raise ReasonRequired(missing, field="reason")
        return self.because(self.reason.strip())

    def because(self, reason: str) -> "Act":
        return replace(self, reason=reason)
