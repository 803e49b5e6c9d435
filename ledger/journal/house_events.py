"""Record events of the site that involve neither money nor a table, each with its audit record."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from ledger.errors import KeyReused, Refusal
from ledger.journal import records
from ledger.journal.acts import Act
from ledger.models import HouseEvent as HouseEvent, Site
from ledger.records.house import HouseFacts

PARTICULARS = tuple(name for name in HouseFacts.__annotations__ if name != "demo")
"""The particulars of a house that a manager sets, by column."""

MOST_BEFORE = 20
"""How many newest attempts are searched for the same request."""


def note(site: Site, kind: str, *, at: datetime | None = None, act: Act, **data: Any) -> HouseEvent:
    """Write an event and its audit record in one transaction; `at` is when it happened, if not now."""
    with transaction.atomic():
        event = HouseEvent.objects.create(
            site=site,
            kind=kind,
            at=at or act.now,
            recorded_at=act.now,
            actor=act.actor,
            terminal=act.terminal,
            data=data,
        )
        records.keep(site.pk, act.now, event)
    return event


def noted_before(
    site: Site, kind: str, act: Act, data: Mapping[str, Any], *, among: Collection[str] = ()
) -> HouseEvent | None:
    """Return the event that the act's key has noted, of this kind or `among` others, if any. Raises KeyReused
    if it differs."""
    earlier = site.events.filter(kind__in=among or (kind,), data__key=act.key).first()
    if earlier is not None:
        same = earlier.kind == kind and act.actor is not None and earlier.actor_id == act.actor.pk
        if not same or any(earlier.data.get(name) != value for name, value in data.items()):
            raise KeyReused("This key was used for something else.", field="key")
    return earlier


def next_number(site: Site, kind: str) -> int:
    """Return the number of the next event of a numbered kind, from 1. The caller has locked the house."""
    return site.events.filter(kind=kind).count() + 1


def last_verified(site: Site) -> HouseEvent | None:
    """Return the last run of `audit verify`, with how many records it went through and what it found."""
    return site.events.filter(kind=HouseEvent.Kind.VERIFIED).order_by("pk").last()


def note_refused(site: Site, refusal: Refusal, act: Act) -> None:
    """Note a refused act: a place that is counted blind had not enough for it. So somebody who tries amounts
    until one fits is seen. The same request again is no new attempt. Call it outside the refused
    transaction."""
    if refusal.asked is None:
        return
    data: dict[str, Any] = dict(zip(("place", "asset", "cents"), refusal.asked, strict=True))
    data["key"] = act.key
    before = site.events.filter(kind=HouseEvent.Kind.ASKED_FOR_MORE).order_by("-pk")[:MOST_BEFORE]
    if not any(one.actor_id == act.actor.pk and one.data == data for one in before):
        note(site, HouseEvent.Kind.ASKED_FOR_MORE, act=act, **data)


def note_particulars(
    site: Site, *, act: Act, opened: bool, before: Mapping[str, Any] | None = None
) -> HouseEvent:
    """Record the site's licence, clock and limits, and whether it is a demo: at setup and after every change.
    `before` has the old values of those that changed, where known."""
    kind = HouseEvent.Kind.HOUSE_OPENED if opened else HouseEvent.Kind.HOUSE_CHANGED
    data: dict[str, Any] = {name: getattr(site, name) for name in HouseFacts.__annotations__}
    if before:
        data |= {"before": dict(before), "key": act.key}
    return note(site, kind, act=act, **data)
