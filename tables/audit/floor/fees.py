"""The rates of a table, and a change of them, as the log tells it (R60, R64). Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from tables.audit.floor.sitting import Mark

Body = Mapping[str, Any]


class ReplayedRate(NamedTuple):
    """A rate that a table has, or has announced, with its limit and the maximum buy-in; cents."""

    id: int
    option: Any
    version: int
    fee_cents: int
    limit_cents: int
    max_buy_in_cents: int

    @property
    def named(self) -> dict[str, Any]:
        """The rate as charges name it."""
        return {"id": self.id, "option": self.option, "version": self.version}


def rates_in(data: Body) -> tuple[ReplayedRate, ...]:
    """The rate that an event of a table has; two, of which either may be right, where its limit is not the rate's own."""
    rate, most = data["rate"], data["max_buy_in_cents"]
    limits = dict.fromkeys((data["limit_cents"], rate["limit_cents"]))
    if (
        type(most) is not int
        or type(rate["fee_cents"]) is not int
        or any(type(one) is not int for one in limits)
    ):
        raise TypeError("a rate is in whole cents")
    names = rate["id"], rate["option"], rate["version"], rate["fee_cents"]
    return tuple(ReplayedRate(*names, limit, most) for limit in limits)


class RateChange(NamedTuple):
    """A change of rate that takes effect with the down that has to begin next: its number, and when."""

    mark: Mark
    down: int
    at: str
