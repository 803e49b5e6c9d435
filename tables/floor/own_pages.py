"""A waiting player's own page: the floor makes its address, the player answers there with nobody signed in.

The address has a token of one place, of which the hash alone is stored. A new one ends the old; it ends with
the place, or after a time (`PAGE_LASTS`). Nobody of the staff acts on it: its records have no actor."""

import secrets
from datetime import datetime
from typing import Any, Final

from django.db import transaction
from django.db.models import QuerySet

from ledger.journal import posting
from ledger.journal.acts import Act
from ledger.rights import require
from ledger.rules.access import digest
from tables.errors import BadEntry, PlaceUnknown, StalePage
from tables.floor.waiting import begin, keep_act, publish_place
from tables.models import WaitingPlace
from tables.rights import RUN_FLOOR
from tables.rules.table.waits import COMING, MORE, OFF, PAGE_LASTS, TAKEN_OFF, may_say
from tables.state.held_seats import State, expired, listed, note_place

TOKEN_BYTES: Final = 16
OVER: Final = "Nothing is kept at this address any more, or it is not right. Ask at the desk."


def make_page(*, place_id: int, act: Act) -> tuple[WaitingPlace, str]:
    """Make a place its page; return the place and the token, which is not stored. Refuses `place_gone` and,
    for a form that has made its page, `stale_page`."""
    require(act.actor, RUN_FLOOR)
    token = secrets.token_urlsafe(TOKEN_BYTES)
    with transaction.atomic():
        place, change = begin(place_id, "page", act)
        if change is None:
            raise StalePage("This code was shown once. Make another: it ends the first.")
        place.page_hash, place.page_at = digest(token), act.now
        keep_act(place, change, act, "page_hash", "page_at")
        publish_place(place)
    return place, token


def find(site: Any, token: str, now: datetime) -> WaitingPlace:
    """Return the place of a page. Refuses `place_unknown`, whether it was ever right or not."""
    place = _found(site, token, now).select_related("site", "session__table").first()
    if place is None:
        raise PlaceUnknown(OVER)
    return place


def say(*, site: Any, token: str, word: str, now: datetime) -> WaitingPlace:
    """Record what a player says on their own page; said again it changes nothing. Refuses `place_unknown`,
    and `bad_entry` for what cannot be said now."""
    with transaction.atomic():
        posting.lock_house(site)
        place = _found(site, token, now).select_for_update(of=("self",), no_key=True).first()
        if place is None:
            raise PlaceUnknown(OVER)
        if {COMING: place.coming_at, MORE: place.more_at}.get(word) is not None:
            return place
        if word not in words_of(place, now):
            raise BadEntry("The call is over. Ask at the desk.")
        if word == OFF:
            place.state, place.reason = State.LEFT, TAKEN_OFF
        elif word == MORE:
            place.more_at = now
        else:
            place.coming_at = now
        place.changed_at = now
        place.save(update_fields=["state", "reason", "coming_at", "more_at", "changed_at"])
        note_place(place, act=Act(actor=None, now=now, terminal="player's page"))
        publish_place(place)
    return place


def words_of(place: WaitingPlace, now: datetime) -> tuple[str, ...]:
    """Return what the player may still say."""
    state = State.EXPIRED if expired(place, now) else place.state
    return may_say(str(state), coming=place.coming_at is not None, more=place.more_at is not None)


def _found(site: Any, token: str, now: datetime) -> QuerySet[WaitingPlace]:
    return listed(site, now).filter(page_hash=digest(token), page_at__gt=now - PAGE_LASTS)
