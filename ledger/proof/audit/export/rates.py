"""The collection rates of an export: those its records publish, and older ones its tables name. Pure."""

from collections.abc import Mapping
from typing import Any

from ledger.proof.audit.export.manifest import rates_data
from ledger.records.findings import Body

_FIELDS = ("id", "option", "version", "limit_cents", "fee_cents", "approval_reference", "effective_from")


class Rates:
    """The rates so far: `published` has the records by id, `named` the ids that tables name."""

    def __init__(self) -> None:
        self.published: dict[int, Mapping[str, Any]] = {}
        self.named: set[int] = set()

    def take(self, body: Body) -> None:
        if body.get("record") == "rate" and type(number := body.get("id")) is int:
            self.published[number] = {name: body.get(name) for name in _FIELDS}
        elif (rate := rate_named(body)) is not None:
            self.named.add(rate)

    @property
    def data(self) -> bytes:
        return rates_data(self.published.values())


def rate_named(body: Body) -> int | None:
    """Return the id of the rate in a table's event: its own, an announced one, or one that takes effect."""
    data = body.get("data")
    rate = data.get("rate") if body.get("record") == "table_event" and isinstance(data, dict) else None
    number = rate.get("id") if isinstance(rate, dict) else None
    return number if type(number) is int else None
