"""The handover of the floor at a change of shift: what waits, item by item, signed by the person who takes
over."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction

from ledger import lengths
from ledger.errors import SecondPerson
from ledger.journal import house_events, posting
from ledger.journal.acts import Act
from ledger.rights import require
from tables.errors import BadEntry
from tables.floor.attention import waiting_now
from tables.floor.disputes import open_disputes
from tables.floor.needs import LAST, TAKERS, Which, need_standings
from tables.models import Attention, Dispute

HANDED = "handed_over"
DISPUTE = "dispute"


@dataclass(frozen=True)
class Handed:
    """One thing to hand over: a need or an open dispute. `owner` has taken it; `place` is a table or the
    house."""

    which: Which
    place: str
    sentence: str
    owner: str = ""


def to_hand_over(site: Any, now: datetime) -> list[Handed]:
    """Return what must be handed over now, by table and, within, the most pressing first."""
    standings = need_standings(site, now)
    people = get_user_model().objects.in_bulk({one.owner for one in standings.values()} - {None})
    found: list[tuple[int, Handed]] = []
    for item in waiting_now(site, now, but=("log",)):
        which = item.kind, item.subject
        owner = people.get(standings[which].owner) if which in standings else None
        table = item.session.table if item.session else None
        place = str(table) if table else "The house"
        found.append((table.number if table else 0, Handed(which, place, item.sentence, str(owner or ""))))
    for one in open_disputes(site).select_related("session__table"):
        table = one.session.table if one.session else None
        said = f"{one}, {one.get_what_display().lower()}, is not decided."
        place = str(table) if table else "The house"
        found.append((table.number if table else 0, Handed((DISPUTE, str(one.pk)), place, said)))
    return [handed for _, handed in sorted(found, key=lambda pair: pair[0])]


def hand_over(*, site: Any, notes: Mapping[Which, str], act: Act) -> int:
    """Keep a handover under the next number, and return it. `notes` has a note, or an empty text, for each
    item that was gone through; the act's approver takes over. Refuses `second_person`, `bad_entry` if
    something that waits is missing there, `bad_text`, `key_reused`."""
    require(act.actor, *TAKERS)
    posting.check_texts(act)
    comes = act.approver
    if comes is None or comes.pk == act.actor.pk:
        raise SecondPerson("Who comes signs with their own PIN.", field="approver")
    require(comes, *TAKERS)
    items = [
        {
            "need": need,
            "subject": subject,
            "note": posting.checked_text(note.strip(), lengths.REASON, "note", empty=True),
        }
        for (need, subject), note in notes.items()
    ]
    data: dict[str, Any] = {"items": items, "approver": comes.pk}
    with transaction.atomic():
        posting.lock_house(site)
        if earlier := house_events.noted_before(site, HANDED, act, data):
            return int(earlier.data["number"])
        for one in to_hand_over(site, act.now):
            if one.which not in notes:
                raise BadEntry(f"This has come up meanwhile: {one.sentence}")
        number = house_events.next_number(site, HANDED)
        house_events.note(site, HANDED, act=act, number=number, key=act.key, **data)
    return number


@dataclass(frozen=True)
class KeptHandover:
    """A handover as it was signed: `lines` are what was handed over, with its note."""

    number: int
    at: datetime
    gave: Any
    came: Any
    lines: tuple[tuple[str, str], ...]


def kept_handovers(site: Any, number: int | None = None) -> list[KeptHandover]:
    """Return the last ten handovers, the newest first, or the one with this number."""
    events = site.events.filter(kind=HANDED).select_related("actor").order_by("-pk")
    found = list(events[:LAST] if number is None else events.filter(data__number=number))
    people = get_user_model().objects.in_bulk({event.data["approver"] for event in found})
    items = [(one["need"], one["subject"]) for event in found for one in event.data["items"]]
    said = _sentences(site, items)
    return [
        KeptHandover(
            event.data["number"],
            event.at,
            event.actor,
            people[event.data["approver"]],
            tuple((said[one["need"], one["subject"]], one["note"]) for one in event.data["items"]),
        )
        for event in found
    ]


def _sentences(site: Any, items: Iterable[Which]) -> dict[Which, str]:
    """Return the sentence that screens showed for each item. The record has none: a sentence may have
    names."""
    said = {(need, subject): need.replace("_", " ").capitalize() for need, subject in items}
    disputes = [int(subject) for need, subject in said if need == DISPUTE]
    said |= {(DISPUTE, str(one.pk)): str(one) for one in Dispute.objects.filter(site=site, pk__in=disputes)}
    told = Attention.objects.filter(site=site, subject__in={subject for _, subject in said}).order_by()
    for _, kind, subject, sentence in sorted(told.values_list("pk", "kind", "subject", "sentence")):
        if (kind, subject) in said:
            said[kind, subject] = sentence
    return said
