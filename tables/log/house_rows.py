"""The rows that a manager keeps, against the log: the tables, and the games on offer. Nothing is written."""

from collections.abc import Iterator
from typing import Any

from ledger.audit.findings import Finding
from ledger.log.following import Follows, Says, always, data, following, of
from ledger.log.row_checks import Question, SpooledRecords, at_end
from tables.models import GameOffer

ADDED, TURNED, RETIRED, RESTORED = (
    ("house_event", kind) for kind in ("table_added", "table_turned", "table_retired", "table_restored")
)
CHOSEN = ("house_event", "games_offered")


def tables() -> Follows:
    """A table is as a manager entered it, turned it, retired it or brought it back last."""
    added = {
        "site_id": of("site"),
        "number": data("number"),
        "seat_one": data("seat_one"),
        "retired_at": always(None),
    }
    key = (data("table"),)
    says = {
        ADDED: Says(key, added, begins=True),
        TURNED: Says(key, {"seat_one": data("seat_one")}),
        RETIRED: Says(key, {"retired_at": of("recorded_at")}),
        RESTORED: Says(key, {"retired_at": always(None)}),
    }
    return Follows("tables.Table", says, open={})


def offers(site: Any, log: SpooledRecords) -> Iterator[Finding]:
    """Compare the games that the house has taken off with the choice that was made last."""
    recorded: list[str] = []
    for event in log.of(*CHOSEN):
        recorded = event["data"].get("taken_off", [])
    rows = GameOffer.objects.filter(site=site, offered=False)
    there = sorted(rows.values_list("code", flat=True))
    if there != sorted(recorded):
        sentence = f"taken off are {there}, but {recorded} in the log."
        yield Finding("row_differs", sentence, None, "games on offer")


_OFFERS = {"tables.GameOffer": ("site_id", "code", "offered")}

QUESTIONS: tuple[Question, ...] = (
    ("tables against their events", following(tables)),
    ("games on offer against their events", at_end(offers, CHOSEN, holds=_OFFERS)),
)
