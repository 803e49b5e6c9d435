"""What was changed last about the house, its people, tables, games and reasons, from the audit log's events, in words."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ledger.cage.names import isolated
from ledger.journal import records
from ledger.money import dollars
from tables.models import Rate

SHOWN = 12
LABELS = {
    "name": "Name",
    "licence": "Licence",
    "jurisdiction": "Jurisdiction",
    "time_zone": "Time zone",
    "day_starts_at": "Hour at which a gaming day starts",
    "authorised_tables": "Tables authorised",
    "return_minutes": "Minutes a buy-in is remembered",
    "hold_minutes": "Minutes a seat is held",
    "chip_values": "Chips",
}
SENTENCES = {
    "house_opened": "The house was set up: {name}, licence {licence}.",
    "table_added": "Table {number} was entered.",
    "table_turned": "Seat 1 of table {number} is now at the dealer's {seat_one}.",
    "table_retired": "Table {number} was retired.",
    "table_restored": "Table {number} was brought back.",
    "waiver_reason_published": "A reason for waivers was published: {text}.",
    "waiver_reason_withdrawn": "The reason for waivers {code} was withdrawn.",
}
PERSON = {
    "roles": "roles",
    "full_name": "name",
    "badge": "badge",
    "badge_expires": "badge until",
    "is_active": "works here",
}
SET_UP = "set-up"
"""The part of the house that its first events come from."""
KINDS = (*SENTENCES, "house_changed", "games_offered", "staff_changed")


@dataclass(frozen=True)
class Change:
    """One change: when, by whom (None where nobody is known), and what."""

    at: datetime
    actor: Any
    sentence: str


def last_changes(site: Any) -> list[Change]:
    """Return the newest changes, the latest first; three queries."""
    events = site.events.filter(kind__in=KINDS).select_related("actor").order_by("-pk")[:SHOWN]
    changes = [
        Change(event.at, _by(event), words_of(event.kind, event.data) or event.get_kind_display())
        for event in events
    ]
    return sorted([*changes, *_rates(site)], key=lambda change: change.at, reverse=True)[:SHOWN]


def _by(event: Any) -> Any:
    """Who acted; nobody was known yet where the house was set up."""
    set_up = event.actor is None and event.terminal.split(" ")[0] == SET_UP
    return "the set-up address" if set_up else event.actor


def _rates(site: Any) -> list[Change]:
    """Return the rates published last. A rate's row does not say when it was published; its audit record does."""
    published = records.kept_last(site.pk, "rate", SHOWN)
    rates = Rate.objects.filter(pk__in=published).select_related("published_by")
    return [
        Change(
            published[rate.pk],
            rate.published_by,
            f"{rate} was published: fee {dollars(rate.fee_cents)} at limit {dollars(rate.limit_cents)},"
            f" from {rate.effective_from:%Y-%m-%d}.",
        )
        for rate in rates
    ]


def words_of(kind: str, data: Mapping[str, Any]) -> str:
    """Return what an event changed, from what to what where it says so; empty where it does not."""
    if kind == "house_changed":
        before = data.get("before") or {}
        return " ".join(
            f"{label}: {_given(before[name])} → {_given(data.get(name))}."
            for name, label in LABELS.items()
            if name in before
        )
    if kind == "games_offered":
        return _games(data)
    if kind == "staff_changed":
        return _person(data)
    try:
        return SENTENCES[kind].format_map(data)
    except KeyError:
        return ""


def _given(value: Any) -> Any:
    return "the usual ones" if value == "" else value


def _games(data: Mapping[str, Any]) -> str:
    before, after = set(data["before"]["offered"]), set(data["offered"])
    said = [(after - before, "put on offer"), (before - after, "taken off")]
    return " ".join(f"{', '.join(sorted(codes)).capitalize()} {what}." for codes, what in said if codes)


def _person(data: Mapping[str, Any]) -> str:
    before, after = data.get("before") or {}, data.get("after") or {}
    name = isolated(after.get("username") or "")
    if not before:
        return f"{name} works here: {_plain(after.get('roles'))}."
    changed = [
        f"{label} {_plain(before.get(key))} → {_plain(after.get(key))}"
        for key, label in PERSON.items()
        if before.get(key) != after.get(key)
    ]
    return f"{name}: {', '.join(changed)}." if changed else ""


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(value) or "no role"
    return {True: "yes", False: "no", None: "none", "": "none"}.get(value, isolated(str(value)))
