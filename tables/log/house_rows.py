"""The rows that a manager keeps, against the log: the tables, and the games on offer. Nothing is written."""

from collections.abc import Iterator
from typing import Any

from ledger.audit.findings import Finding
from ledger.log.following import Body, Follows, Question, Says, at_end, data, fields, following, nothing, of
from tables.models import GameOffer

ADDED, TURNED, RETIRED, RESTORED = (
    ("house_event", kind) for kind in ("table_added", "table_turned", "table_retired", "table_restored")
)
CHOSEN = ("house_event", "games_offered")


def tables() -> Follows:
    """A table is as a manager entered it, turned it, retired it or brought it back last."""
    added = fields(of, site_id="site") | fields(data, "number", "seat_one") | nothing("retired_at")
    key = (data("table"),)
    says = {
        ADDED: Says(key, added, begins=True),
        TURNED: Says(key, fields(data, "seat_one")),
        RETIRED: Says(key, fields(of, retired_at="recorded_at")),
        RESTORED: Says(key, nothing("retired_at")),
    }
    return Follows("tables.Table", says, open={})


def _chosen(body: Body, known: dict[Any, Any]) -> None:
    known["taken_off"] = body["data"].get("taken_off", [])


def offers(site: Any, known: dict[Any, Any]) -> Iterator[Finding]:
    """Compare the games that the house has taken off with the choice that was made last."""
    recorded = known.get("taken_off", [])
    rows = GameOffer.objects.filter(site=site, offered=False)
    there = sorted(rows.values_list("code", flat=True))
    if there != sorted(recorded):
        sentence = f"taken off are {there}, but {recorded} in the log."
        yield Finding("row_differs", sentence, None, "games on offer")


_OFFERS = {"tables.GameOffer": ("site_id", "code", "offered")}

QUESTIONS: tuple[Question, ...] = (
    ("tables against their events", following(tables)),
    ("games on offer against their events", at_end(offers, _OFFERS, {CHOSEN: _chosen})),
)
