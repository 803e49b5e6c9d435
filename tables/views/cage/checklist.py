"""The closing list of a gaming day or a shift: each thing to look at before it is closed, and where."""

from collections.abc import Iterable, Iterator, Mapping, Sized
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from ledger.journal.bank_differences import counts_of_banks
from ledger.journal.closing import unconfirmed_on
from ledger.journal.house_events import last_verified
from ledger.journal.vault_counts import reserve_counted_on
from ledger.money import dollars
from ledger.rights import READ_BOOKS, RUN_FLOOR
from ledger.rules.slip_ways import recount_due
from tables.models import TableSession
from tables.seats.chip_counts import variances_between


@dataclass(frozen=True)
class ClosingItem:
    """`waits`: somebody must still do something about it. `href` is empty if the reader may not open its
    page."""

    title: str
    says: str
    href: str
    waits: bool = False


def closing_list(facts: Mapping[str, Any], person: Any) -> dict[str, Any]:
    """Return the context of `cage/_checklist.html`, from that of a closing page. The log's own line is made
    there."""
    site, day, state = facts["site"], facts["day"], facts["state"]
    of_day = f"?{urlencode({'day': str(day.day)})}"
    vault, desk = reverse("cashier-vault") + of_day, reverse("cashier-day") + of_day
    boxes, banks = facts["boxes"], facts["banks"]
    signed = sum(row.state == "signed" for row in boxes)
    unsigned = [bank for bank in banks if bank.open]
    differ = len(banks) + len(facts["differed"]) + sum(bool(row.difference) for row in boxes)
    counts = variances_between(site, *day.bounds)
    books = reverse("audit-day", args=[day.day]) if person.has_perm(READ_BOOKS) else ""
    drawers, papers = state.drawers, (*state.documents, *state.away)
    items = [
        ClosingItem(
            "Drawers", _said(drawers, "{count} open", "all closed"), f"{vault}#drawers-heading", bool(drawers)
        ),
        ClosingItem(
            "Banks, drawers, vault",
            _said(unsigned, "{count} with a difference not signed off", "every difference is signed off"),
            f"{vault}#banks-heading" if banks else vault,
            bool(unsigned),
        ),
        *_playing(day, *_time_of(state, day), person),
        ClosingItem(
            *("Drop boxes", f"{signed} of {len(boxes)} signed off", f"{desk}#boxes-heading"),
            signed < len(boxes),
        ),
        ClosingItem(
            "Documents", _said(papers, "{count} under way", "none is under way"), vault, bool(papers)
        ),
        ClosingItem(
            "Over/short",
            f"{differ} counted otherwise than the books" if differ else "nothing so far",
            reverse("reconciliation", args=[day.day]),
        ),
        *_received_otherwise(facts["differed"], day.day),
        ClosingItem(
            "Variances of stacks",
            _said(counts, "{count} chip counts that differ", "no chip count differs"),
            books,
        ),
        ClosingItem(
            "Corrections",
            _said(facts["corrections"], "{count} waiting for the floor", "none waits"),
            "#look-first" if facts["corrections"] else "",
            bool(facts["corrections"]),
        ),
    ]
    items += [*_unconfirmed(site, day.day), *_reserve(site, day.day)]
    return {"items": items, "verified": last_verified(site)}


def _received_otherwise(steps: Iterable[Any], day: date) -> Iterator[ClosingItem]:
    """Yield the people whose count on receipt differed from what was sent: how often, and by how much."""
    found: dict[Any, list[int]] = {}
    for step in steps:
        found.setdefault(step.person, []).append(abs(step.over_chips) + abs(step.over_cash))
    if found:
        says = "; ".join(f"{person} {len(cents)}, {dollars(sum(cents))}" for person, cents in found.items())
        yield ClosingItem("Received otherwise", says, reverse("reconciliation", args=[day]))


def _unconfirmed(site: Any, day: date) -> Iterator[ClosingItem]:
    for last in unconfirmed_on(site, day):
        says = f"handed to the carrier on gaming day {last.gaming_day}, and not confirmed"
        yield ClosingItem(str(last.document), says, reverse("document", args=[last.document_id]), waits=True)


def _reserve(site: Any, day: date) -> Iterator[ClosingItem]:
    if (counted_on := reserve_counted_on(site)) is not None:
        due = recount_due(counted_on, day)
        says = f"counted last on gaming day {counted_on}"
        if due:
            says = f"counted last on gaming day {counted_on}, more than a month ago"
        yield ClosingItem("Reserve sets", says, reverse("reserve-count"), due)


def _time_of(state: Any, day: Any) -> tuple[datetime, datetime]:
    """Return when the shift begins and ends, or the day."""
    return getattr(state, "start", day.bounds[0]), getattr(state, "end", day.bounds[1])


def _playing(day: Any, start: datetime, end: datetime, person: Any) -> list[ClosingItem]:
    """Return the open tables whose banks have not been counted since the day or shift began: a line each for
    people who may count them, or one line that there are none."""
    counted = {count["session"] for at, count in counts_of_banks(day.site, day.day) if at >= start}
    playing = TableSession.objects.filter(table__site=day.site, opened_at__lt=end, closed_at__isnull=True)
    waits = playing.exclude(pk__in=counted).select_related("table").order_by("table__number")
    title, places = "Tables that play on", reverse("house-places")
    if not waits:
        return [ClosingItem(title, _said(playing, "{count} with a bank that was counted", "none"), places)]
    if not person.has_perm(RUN_FLOOR):
        named = ", ".join(str(one.table) for one in waits)
        says = f"nobody has counted the bank of {named} in this time"
        return [ClosingItem(title, says, places, True)]
    says = "nobody has counted its bank in this time"
    return [
        ClosingItem(f"{one.table} plays on", says, reverse("count-bank", args=[one.pk]), True)
        for one in waits
    ]


def _said(found: Sized, some: str, none: str) -> str:
    return some.format(count=len(found)) if len(found) else none
