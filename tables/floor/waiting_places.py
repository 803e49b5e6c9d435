"""A place on a waiting list under its lock: what an act on it needs, how it is marked, who hears of it."""

from datetime import datetime
from typing import Any

from ledger.errors import KeyReused
from ledger.journal import posting
from ledger.journal.acts import Act
from ledger.journal.posting import checked_text
from tables.errors import (
    OtherGame,
    PlaceGone,
)
from tables.live import publish
from tables.models import PlaceAct, Player, TableSession, WaitingPlace
from tables.seats.sitting import require_free
from tables.state.held_seats import KEEPING, State


def lock_place(place_id: int, key: str) -> WaitingPlace:
    """The place, locked after the house."""
    checked_text(key, posting.KEY_LENGTH, "key")
    posting.lock_house(WaitingPlace.objects.select_related("site").get(pk=place_id).site)
    found = WaitingPlace.objects.select_for_update(of=("self",), no_key=True)
    return found.select_related("player", "site").get(pk=place_id)


def change_of_place(state: str, key: str, actor: Any, **said: Any) -> dict[str, Any]:
    """What somebody does with a place: under which key, the state it comes to, and what else was said."""
    return {"key": key, "state": str(state), "actor": actor.pk, **said}


def done_before(place: WaitingPlace, change: dict[str, Any]) -> bool:
    """Whether this very act was done before, whatever became of the place since. Another one under its key is `key_reused`."""
    earlier = PlaceAct.objects.filter(site=place.site_id, key=change["key"]).first()
    another = earlier is not None and (earlier.place_id, earlier.said) != (place.pk, _said(change))
    if another or WaitingPlace.objects.filter(site=place.site_id, key=change["key"]).exists():
        raise KeyReused("This key was used for something else.", field="key")
    return earlier is not None


def _said(act: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in act.items() if name != "key"}


def require_standing(place: WaitingPlace) -> None:
    """Refuse a place that was seated or left (`place_gone`). One that expired can still be called, seated, put back."""
    if place.state == State.SEATED:
        raise PlaceGone(f"{place.player} has been seated.")
    if place.state == State.LEFT:
        raise PlaceGone(f"{place.player} has left the list.")


def require_same_list(place: WaitingPlace, session: TableSession) -> None:
    if (session.sheet.code, session.limit_cents) != (place.game, place.limit_cents):
        raise OtherGame(f"{session.table} plays another game or limit than this list.", field="place")


def require_keepable(session: TableSession, seat: int, player: Player, now: datetime) -> None:
    """Refuse a seat that cannot be promised; one whose promise to another has run out is free, and its place marked."""
    require_free(session, seat, player, now)
    over = WaitingPlace.objects.filter(session=session, seat=seat, state__in=KEEPING, until__lte=now)
    over.update(state=State.EXPIRED, changed_at=now)


def mark_place(place: WaitingPlace, change: dict[str, Any], *, act: Act) -> None:
    place.state, place.changed_at, place.changed_by = change["state"], act.now, act.actor
    PlaceAct.objects.create(site=place.site, place=place, key=change["key"], said=_said(change), at=act.now)
    place.save(
        update_fields=[
            "state",
            "session",
            "seat",
            "until",
            "reason",
            "changed_at",
            "changed_by",
        ]
    )


def publish_place(site: Any, place: WaitingPlace, *more: int | None) -> None:
    """Tell the screens of every table that a list is for, and of those that a seat was kept at."""
    tables = TableSession.objects.filter(table__site=site, closed_at__isnull=True)
    ids = set(
        tables.filter(sheet__code=place.game, limit_cents=place.limit_cents).values_list("pk", flat=True)
    )
    for session_id in ids | {pk for pk in (place.session_id, *more) if pk is not None}:
        publish(session_id)
