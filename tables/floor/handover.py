"""The handover of the floor at a change of shift: what waits, item by item, signed by the person who takes
over."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction

from ledger import lengths
from ledger.errors import SecondPerson
from ledger.journal import house_events, posting, withholding
from ledger.journal.acts import Act
from ledger.records import canonical
from ledger.rights import require
from tables.errors import BadEntry
from tables.floor.attention import waiting_now
from tables.floor.disputes import open_disputes
from tables.floor.needs import TAKERS, Which, need_standings
from tables.models import Attention, Dispute
from tables.rules.table.needs import wrong_signers

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
    comes: Any = act.approver
    if wrong := wrong_signers(act.actor.pk, comes and comes.pk):
        raise SecondPerson(wrong, field="approver")
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
        waits = to_hand_over(site, act.now)
        for one in waits:
            if one.which not in notes:
                raise BadEntry(f"This has come up meanwhile: {one.sentence}")
        number = house_events.next_number(site, HANDED)
        said = _as_signed(site, number, list(notes), waits, act.now)
        house_events.note(site, HANDED, act=act, number=number, key=act.key, said=said, **data)
    return number


def _as_signed(site: Any, number: int, items: list[Which], waits: Iterable[Handed], now: datetime) -> str:
    """Withhold what each item says now, since a sentence has names; return the commitment to it."""
    said = _sentences(site, items) | {one.which: one.sentence for one in waits}
    sentences = [said[which] for which in items]
    text = {"number": number, "sentences": sentences}
    return withholding.withhold(site, withholding.HANDED_OVER, text, now).commitment


@dataclass(frozen=True)
class KeptHandover:
    """A handover as it was signed: `lines` are what was handed over, with its note."""

    number: int
    at: datetime
    gave: Any
    came: Any
    lines: tuple[tuple[str, str], ...]


def handovers(site: Any) -> Any:
    """Return the rows of all handovers, the newest first."""
    return site.events.filter(kind=HANDED).select_related("actor").order_by("-pk")


def kept_handovers(site: Any, found: Sequence[Any]) -> list[KeptHandover]:
    """Return what these rows of handovers say."""
    people = get_user_model().objects.in_bulk({event.data["approver"] for event in found})
    signed = _signed(site, found)
    older = [event for event in found if event.data.get("said") not in signed]
    later = _sentences(site, [which for event in older for which in _items(event)])
    return [
        KeptHandover(
            event.data["number"],
            event.at,
            event.actor,
            people[event.data["approver"]],
            tuple(
                zip(_lines(event, signed, later), (one["note"] for one in event.data["items"]), strict=True)
            ),
        )
        for event in found
    ]


def _lines(event: Any, signed: Mapping[str, list[str]], later: Mapping[Which, str]) -> list[str]:
    """Return the sentences of a handover as signed; of one from before they were kept, as last said."""
    if (said := event.data.get("said")) in signed:
        return signed[said]
    return [later[which] for which in _items(event)]


def _items(event: Any) -> list[Which]:
    return [(one["need"], one["subject"]) for one in event.data["items"]]


def _signed(site: Any, events: Iterable[Any]) -> dict[str, list[str]]:
    """Return the sentences that were withheld as these were signed, by the commitment in each record."""
    at = {event.recorded_at for event in events if "said" in event.data}
    rows = site.withheld.filter(what=withholding.HANDED_OVER, recorded_at__in=at)
    true = (row for row in rows if canonical.commitment(row.salt, row.text) == row.commitment)
    return {row.commitment: withholding.payload_of(row)["sentences"] for row in true}


def _sentences(site: Any, items: Iterable[Which]) -> dict[Which, str]:
    said = {(need, subject): need.replace("_", " ").capitalize() for need, subject in items}
    disputes = [int(subject) for need, subject in said if need == DISPUTE]
    said |= {(DISPUTE, str(one.pk)): str(one) for one in Dispute.objects.filter(site=site, pk__in=disputes)}
    told = Attention.objects.filter(site=site, subject__in={subject for _, subject in said}).order_by()
    for _, kind, subject, sentence in sorted(told.values_list("pk", "kind", "subject", "sentence")):
        if (kind, subject) in said:
            said[kind, subject] = sentence
    return said
