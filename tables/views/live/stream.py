"""The stream that sends a page its changed pieces.

A page names itself, its table and when it was rendered: `/live/?page=table&session=7&since=1763831234.5`.
"""

import time
from collections.abc import AsyncIterator, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.auth.models import AnonymousUser
from django.db import close_old_connections, connections
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse

from ledger.errors import NotAllowed
from ledger.rights import READ_BOOKS, SIGN_OFF_DROPS, require
from tables.live.hub import LISTENER, Listener, Viewer, event, hub
from tables.live.idle import is_over
from tables.rights import APPROVE_CORRECTIONS, ASK_CORRECTIONS, HANDLE_CHIPS, READ_TABLES, RUN_FLOOR
from tables.rounds.pushes import only_deals, own_tables
from tables.views.live import pieces

# Rights that pages look at.
RIGHTS = (
    READ_TABLES,
    RUN_FLOOR,
    READ_BOOKS,
    HANDLE_CHIPS,
    ASK_CORRECTIONS,
    APPROVE_CORRECTIONS,
    SIGN_OFF_DROPS,
)
BEGINNING = "retry: 2000\n\n"
FULL = (
    "As many screens listen as the house can serve at once. This one asks by itself, every quarter of a"
    " minute."
)
ENOUGH = (
    "You have as many pages open as one person may have. This one asks by itself, every quarter of a minute."
)
COME_AGAIN = "retry: 30000\n\n"


def reader_of(person: Any, page: str, session: int | None) -> Viewer:
    """Return what a person may hear on this page; dealers only their own table. Raises NotAllowed."""
    require(person, READ_TABLES)
    rights = frozenset(right for right in RIGHTS if person.has_perm(right))
    if not only_deals(person):
        return Viewer(page, session, rights, pk=_named(person, page))
    own = session is not None and any(table.pk == session for table in own_tables(person))
    return Viewer(page, session if own else None, rights, person.pk, _named(person, page))


def _named(person: Any, page: str) -> int | None:
    """Return the reader of a table's page, which says whether they asked for a correction themselves."""
    return int(person.pk) if page == "table" else None


def ask_again(by_key: Mapping[str, Collection[Viewer]]) -> dict[tuple[str, Viewer], Viewer | None]:
    """Read again what the people of these sessions may hear; None if they may not any more.

    That is after leaving, signing out, losing the role or idling; an open stream is no activity.
    """
    store = import_module(settings.SESSION_ENGINE).SessionStore
    found: dict[tuple[str, Viewer], Viewer | None] = {}
    with given_back():
        for key, readers in by_key.items():
            asked = HttpRequest()
            asked.session = store(key)
            over = is_over(asked.session, time.time())
            person: Any = AnonymousUser() if over else get_user(asked)
            for reader in readers:
                found[key, reader] = _still(person, reader)
    return found


def _still(person: Any, reader: Viewer) -> Viewer | None:
    """Keep a dealer's stream on the table that was theirs, so that they hear of being pushed out."""
    if not person.is_active or not person.has_perm(READ_TABLES):
        return None
    rights = frozenset(right for right in RIGHTS if person.has_perm(right))
    dealer = person.pk if only_deals(person) else None
    return replace(reader, rights=rights, dealer=dealer)


@contextmanager
def given_back() -> Iterator[None]:
    """Give the database connection back: this thread serves no request."""
    try:
        yield
    finally:
        close_old_connections()
        connections.close_all()


def _moment(text: str) -> float:
    """Return when the page was rendered, in seconds since 1970; 0 if it does not say."""
    return float(text) if text.replace(".", "", 1).isdecimal() and text.isascii() else 0.0


def make(changed: Collection[int], readers: Collection[Viewer], house: bool) -> Mapping[Viewer, Any]:
    with given_back():
        return pieces.pieces(changed, readers, house=house)


def overlooked() -> set[int]:
    with given_back():
        return pieces.overlooked()


hub.make, hub.ask_again, hub.overlooked = make, ask_again, overlooked


def stream(request: HttpRequest) -> HttpResponse | StreamingHttpResponse:
    """Begin the stream of a page, with a heartbeat every ten seconds.

    Rights are read again at each heartbeat, and at once after signing out or a change of roles. Without the
    link to other processes, `event: away` is sent instead. `tables/live/hub.py` continues it.
    """
    page, session = request.GET.get("page", ""), request.GET.get("session", "")
    known = page if page in pieces.PAGES else ""
    number = int(session) if session.isascii() and session.isdecimal() and len(session) < 19 else None
    try:
        reader = reader_of(request.user, known, number)
    except NotAllowed as refusal:
        return HttpResponse(status=refusal.status)
    if (language := request.GET.get("language", "")) in dict(settings.LANGUAGES):
        reader = replace(reader, language=language)
    scope, beginning = getattr(request, "scope", None), BEGINNING
    key, person = request.session.session_key or "", request.user.pk
    if hub.is_full or hub.has_enough(key, person):
        beginning = COME_AGAIN + event("away", [FULL if hub.is_full else ENOUGH])
    elif scope is not None:
        since = _moment(request.GET.get("since", ""))
        scope[LISTENER] = Listener(reader, key, since, person=person)

    async def words() -> AsyncIterator[str]:
        yield beginning

    response = StreamingHttpResponse(words(), content_type="text/event-stream")
    response["Cache-Control"] = "no-store"
    response["X-Accel-Buffering"] = "no"
    return response
