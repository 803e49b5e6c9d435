"""A table's rate, downs and charges by the log. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from sys import intern
from typing import Any, NamedTuple, TypeVar, cast

from tables.audit.floor.sitting import Mark, ReplayedSitting
from tables.audit.records.entries import Fee
from tables.audit.records.events import AtRate
from tables.audit.records.rows import ChargeRecord

Evidence = TypeVar("Evidence")


class ReplayedRate(NamedTuple):
    """A rate that a table has, or has announced, with its maximum buy-in; cents (R60, R64)."""

    id: int
    option: int
    version: int
    fee_cents: int
    limit_cents: int
    max_buy_in_cents: int


def rate_in(data: AtRate) -> ReplayedRate:
    rate = data["rate"]
    names = rate["id"], rate["option"], rate["version"], rate["fee_cents"], rate["limit_cents"]
    return ReplayedRate(*names, data["max_buy_in_cents"])


class RateChange(NamedTuple):
    """A change of rate that takes effect with the down that must begin next: its number, and when."""

    mark: Mark
    down: int
    at: str


@dataclass(slots=True, eq=False)
class ReplayedDown:
    """A down, with its rounds (start, id) and charges."""

    id: int
    number: int
    start: datetime
    rate: ReplayedRate
    rounds: list[tuple[datetime, int]] = field(default_factory=list)
    charges: list[ReplayedCharge] = field(default_factory=list)


class ReplayedPayment(NamedTuple):
    """The entry that paid or waived a charge, when, and its evidence."""

    entry: int
    kind: str
    at: str
    evidence: Fee


@dataclass(slots=True, eq=False)
class ReplayedCharge:
    """A fee that was charged. `uncollected` is the number under which its player left without paying. `paid`
    is the payment or waiver in force; `reopened`: an earlier one was taken back."""

    mark: Mark
    body: ChargeRecord
    sitting: ReplayedSitting
    down: ReplayedDown
    uncollected: int | None = None
    paid: ReplayedPayment | None = None
    reopened: bool = False

    @property
    def id(self) -> int:
        return self.body["id"]

    @property
    def session(self) -> int:
        return self.body["session"]

    @property
    def name(self) -> str:
        return self.mark.record


def remembered(evidence: Evidence) -> Evidence:
    """Return a record's values to keep, with shared field names: thousands are in memory at a time."""
    values = cast(dict[str, Any], evidence)
    kept = {intern(name): remembered(one) if isinstance(one, dict) else one for name, one in values.items()}
    return cast(Evidence, kept)
