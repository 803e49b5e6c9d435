"""Lock a place on a waiting list, check that an act on it is possible, mark it, notify screens."""

from datetime import datetime
from typing import Any

from ledger.errors import KeyReused
from ledger.journal import keys, posting
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
    """Return the place, locked after the house."""
    checked_text(key, posting.KEY_LENGTH, "key")
    posting.lock_house(WaitingPlace.objects.select_related("site").get(pk=place_id).site)
    found = WaitingPlace.objects.select_for_update(of=("self",), no_key=True)
    return found.select_related("player", "site").get(pk=place_id)


def change_of_place(state: str, key: str, actor: Any, **more: Any) -> dict[str, Any]:
    """Return a change of a place: its key, the new state, who makes it, and what else was entered."""
    return {"key": key, "state": str(state), "actor": actor.pk, **more}


def done_before(place: WaitingPlace, change: dict[str, Any]) -> bool:
    """Whether this act was done before, whatever the place's state now. Refuses `key_reused` if the key did another."""
    if not keys.known(place.site_id, [change["key"]]):
        return False
    earlier = PlaceAct.objects.filter(site=place.site_id, key=change["key"], place=place).first()
    if earlier is None or earlier.said != _without_key(change):
        raise KeyReused("This key was used for something else.", field="key")
    return True


def _without_key(change: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in change.items() if name != "key"}


def require_standing(place: WaitingPlace) -> None:
    """Refuse a place that was seated or left (`place_gone`). An expired one can still be called, seated or put back."""
    if place.state == State.SEATED:
        raise PlaceGone(f"{place.player} has been seated.")
    if place.state == State.LEFT:
        raise PlaceGone(f"{place.player} has left the list.")


def require_same_list(place: WaitingPlace, session: TableSession) -> None:
    if (session.sheet.code, session.limit_cents) != (place.game, place.limit_cents):
        raise OtherGame(f"{session.table} plays another game or limit than this list.", field="place")


def require_keepable(session: TableSession, seat: int, player: Player, now: datetime) -> None:
    """Refuse a seat that cannot be held; if it was held for somebody else and has expired, mark that place expired."""
    require_free(session, seat, player, now)
    over = WaitingPlace.objects.filter(session=session, seat=seat, state__in=KEEPING, until__lte=now)
    over.update(state=State.EXPIRED, changed_at=now)


def mark_place(place: WaitingPlace, change: dict[str, Any], *, act: Act) -> None:
    place.state, place.changed_at, place.changed_by = change["state"], act.now, act.actor
    PlaceAct.objects.create(
        site=place.site, place=place, key=change["key"], said=_without_key(change), at=act.now
    )
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
    """Notify the screens of every table that the list is for, and of tables where a seat was held."""
    tables = TableSession.objects.filter(table__site=site, closed_at__isnull=True)
    ids = set(
        tables.filter(sheet__code=place.game, limit_cents=place.limit_cents).values_list("pk", flat=True)
    )
    for session_id in ids | {pk for pk in (place.session_id, *more) if pk is not None}:
        publish(session_id)
