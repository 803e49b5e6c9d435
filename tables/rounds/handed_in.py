"""Rounds that one person played on a tablet while the house was away, and another sent (R57): the log names
both, and neither decides about them."""

from collections.abc import Iterable
from typing import Any

from django.contrib.auth import get_user_model

from ledger.journal.acts import Act
from tables.errors import BadEntry
from tables.models import Round, TableEvent, TableSession
from tables.rights import DEAL
from tables.state import runners
from tables.state.events import record

HANDED_IN = TableEvent.Kind.ROUND_HANDED_IN


def note_handed_in(session: TableSession, round_: Round, played_by: int | None, act: Act) -> None:
    """Record that the actor sends what another person played; nothing where nobody else did. Refuses
    `bad_entry` for somebody who cannot have dealt here."""
    if player_of(session, played_by, act) is not None:
        record(session, HANDED_IN, round=round_.number, round_id=round_.pk, played_by=played_by, act=act)


def player_of(session: TableSession, played_by: int | None, act: Act) -> Any | None:
    """Return the person whom a tablet names as having played what the actor sends; None for the actor."""
    if played_by in (None, act.actor.pk):
        return None
    person = get_user_model().objects.filter(pk=played_by).first()
    if person is None or not (person.has_perm(DEAL) or person.pk in runners.of_session(session.pk)):
        raise BadEntry("Whoever is named as having played this round does not deal here.", field="played_by")
    return person


def handed_in_by(round_: Round | None) -> list[tuple[int, int]]:
    """Return who played a round and who sent it for them, as ids; its start and its result apart."""
    if round_ is None:
        return []
    events: Iterable[TableEvent] = TableEvent.objects.filter(
        session=round_.session_id, kind=HANDED_IN, data__round_id=round_.pk
    ).order_by("pk")
    return [(event.data["played_by"], event.actor_id) for event in events]


def people_of(round_: Round | None) -> frozenset[int]:
    return frozenset(one for both in handed_in_by(round_) for one in both)
