"""Which records outside a part of a log go with it, what opens players' entries, and the rates that
tables name. Pure."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ledger.errors import NotCanonical
from ledger.proof.audit.export.manifest import rates_data
from ledger.records import canonical
from ledger.records.findings import Body
from ledger.records.house import CLOCKS

OF_STAFF = CLOCKS | {"staff_changed"}
"""Events of the house before a part of a log that it needs: who works here, and by which clock."""
KEY_NOTED, TIME_CONFIRMED = "audit_key", "time_confirmed"
OF_CHECKPOINTS = frozenset({KEY_NOTED, TIME_CONFIRMED})
"""Events of the house that go with every export: its keys, and until when its clock was ahead."""
OF_PLAYERS = frozenset({"player_change", "player_merge"})


def may_be_earlier(body: Body, *, players: bool) -> bool:
    """Return whether a part of the log may need this earlier record."""
    of_house = body["record"] == "house_event" and body["kind"] in OF_STAFF | OF_CHECKPOINTS
    return of_house or body["record"] == "rate" or (players and body["record"] in OF_PLAYERS)


def may_be_later(body: Body) -> bool:
    """Return whether a part of the log may need this later record: it is about the checkpoint."""
    return body["record"] == "house_event" and body["kind"] in OF_CHECKPOINTS


def players_in(body: Body) -> Iterator[int]:
    for part in (body, body.get("data"), body.get("evidence")):
        if isinstance(part, dict):
            for name in ("player", "debtor", "creditor", "merged", "into"):
                if type(number := part.get(name)) is int:
                    yield number


def line_that_opens(change: int, salt: str, text: str) -> bytes:
    return (
        json.dumps({"id": change, "salt": salt, "text": text}, ensure_ascii=False, sort_keys=True).encode()
        + b"\n"
    )


def opened_by(line: bytes, body: Body) -> Mapping[str, Any] | None:
    """Return what a line opens of a player's entry; None if the record has not committed to it."""
    try:
        fields = json.loads(line)
        text = fields["text"]
        if line_that_opens(body["id"], fields["salt"], text) != line:
            return None
        facts = canonical.decode(text.encode())
        return (
            facts
            if canonical.commitment(fields["salt"], text) == body["after"] and isinstance(facts, dict)
            else None
        )
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError, NotCanonical):
        return None


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
