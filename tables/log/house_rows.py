"""The rows that a manager keeps, compared with the log: the tables, and the games on offer. Reads only."""

from collections.abc import Iterator
from typing import Any

from ledger.proof.log.following import (
    Body,
    Follows,
    Question,
    Says,
    at_end,
    data,
    declared,
    fields,
    following,
    nothing,
    of,
)
from ledger.records.findings import Finding
from tables.models import GameOffer, WaitingPlace

ADDED, TURNED, RETIRED, RESTORED = (
    ("house_event", kind) for kind in ("table_added", "table_turned", "table_retired", "table_restored")
)
CHOSEN, PLACE = ("house_event", "games_offered"), ("house_event", "place_changed")


def tables() -> Follows:
    added = declared(ADDED, "tables.Table") | nothing("retired_at")
    key = (data("table"),)
    says = {
        ADDED: Says(key, added, begins=True),
        TURNED: Says(key, declared(TURNED, "tables.Table")),
        RETIRED: Says(key, fields(of, retired_at="recorded_at")),
        RESTORED: Says(key, nothing("retired_at")),
    }
    return Follows("tables.Table", says, open={})


def places() -> Follows:
    """Match a place on a waiting list with its last event. The expiry task does not change who changed it
    last."""

    def joined(body: Body) -> Iterator[Body]:
        if body["data"]["joined"]:
            yield body

    def by_somebody(body: Body) -> Iterator[Body]:
        if body["actor"] is not None:
            yield body

    key = (data("place"),)
    now = declared(PLACE, "tables.WaitingPlace") | {"changed_at": of("recorded_at")}
    says = (
        Says(key, now, begins=True),
        Says(key, fields(of, changed_by_id="actor"), each=by_somebody),
        Says(key, fields(of, joined_at="recorded_at", joined_by_id="actor"), each=joined),
    )
    over = ("seated", "left")
    standing = [state for state in WaitingPlace.State.values if state not in over]
    return Follows("tables.WaitingPlace", {PLACE: says}, open={"state__in": standing})


def _chosen(body: Body, known: dict[Any, Any]) -> None:
    for field, offered in (("offered", True), ("taken_off", False)):
        known |= dict.fromkeys(body["data"].get(field, ()), offered)


def offers(site: Any, known: dict[Any, Any]) -> Iterator[Finding]:
    """Compare the house's games with the last choice that named each."""
    there = dict(GameOffer.objects.filter(site=site).values_list("code", "offered"))
    for code in sorted(there.keys() | known.keys()):
        if there.get(code) != known.get(code):
            here, recorded = (_WORDS[chosen.get(code)] for chosen in (there, known))
            sentence = f"{code} is {here}, but {recorded} in the log."
            yield Finding("row_differs", sentence, None, "games on offer")


_WORDS = {True: "on offer", False: "taken off", None: "not named"}


_OFFERS = {"tables.GameOffer": ("site_id", "code", "offered")}

QUESTIONS: tuple[Question, ...] = (
    ("tables against their events", following(tables)),
    ("waiting lists against their events", following(places)),
    ("games on offer against their events", at_end(offers, _OFFERS, {CHOSEN: _chosen})),
)
