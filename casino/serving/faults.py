"""What the machine refuses rather than the house: a lock held elsewhere, a full disk, a database that is away.

Each is one sentence with the status 503 and when to try again, and a line in the log once a minute at most, however many ask.
"""

import errno
import logging
import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

from csp.middleware import CSPMiddleware
from django.core.management.base import CommandError
from django.db import DatabaseError, InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.middleware.clickjacking import XFrameOptionsMiddleware
from django.middleware.security import SecurityMiddleware
from django.template.loader import render_to_string

from casino.sign_in.hashing import TOO_BUSY
from ledger.errors import Refusal

STATUS = 503
LINE_SECONDS = 60

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of the machine: its `code`, the sentence on the page, after how many seconds to try again, and the sentence in
    which a command ends that meets it."""

    code: str
    sentence: str
    retry_seconds: int
    ending: str


AGAIN = "Sent again, it counts once."
BUSY = Fault(
    "busy",
    f"Somebody else is changing this at the moment: try again. {AGAIN}",
    2,
    "Somebody else holds the database: try again once they have finished",
)
DISK_FULL = Fault(
    "disk_full",
    f"The server's disk is full: call whoever runs the server. {AGAIN}",
    30,
    "The disk is full: make room, then start again",
)
NOT_WRITABLE = Fault(
    "not_writable",
    f"The server can't write its data: call whoever runs the server. {AGAIN}",
    30,
    "The data can't be written: give this user the database, what lies beside it and its folder to write",
)
AWAY = Fault(
    "database_away",
    f"The database does not answer: try again in a moment. {AGAIN}",
    5,
    "The database does not answer: start it, or set DATABASE_URL right",
)
CROWDED = Fault("too_busy", TOO_BUSY, 5, TOO_BUSY)
"""No fault of the machine: more strangers ask than it has room for (casino/serving/lanes.py)."""
OLDER = "The database is older than the program: run `manage.py prepare` first."

# By SQLSTATE, by the words of SQLite, and by the number of an error of the system.
_STATES = {
    **dict.fromkeys(("55P03", "57014", "40P01", "40001", "25P03"), BUSY),
    **dict.fromkeys(("53100", "53200", "53400"), DISK_FULL),
    "25006": NOT_WRITABLE,
}
_WORDS = {
    "database is locked": BUSY,
    "database table is locked": BUSY,
    "disk is full": DISK_FULL,
    "readonly database": NOT_WRITABLE,
    "disk I/O error": NOT_WRITABLE,
    "unable to open database file": NOT_WRITABLE,
}
_NOT_THERE = ("42P01", "42703")
_NUMBERS = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), DISK_FULL),
    **dict.fromkeys((errno.EROFS, errno.EACCES, errno.EPERM), NOT_WRITABLE),
}


def fault_of(error: BaseException | None) -> Fault | None:
    """Return the fault behind an error, or None where the error is our own."""
    if isinstance(error, OSError):
        return _NUMBERS.get(error.errno or 0)
    if not isinstance(error, DatabaseError | InterfaceError):
        return None
    cause = error.__cause__ or error
    state, words = getattr(cause, "sqlstate", None), str(error)
    if state in _STATES:
        return _STATES[state]
    if found := next((fault for said, fault in _WORDS.items() if said in words), None):
        return found
    return AWAY if isinstance(error, OperationalError | InterfaceError) else None


def ending(error: BaseException) -> str | None:
    """Return the sentence in which a command ends that met this error of the machine, or None where the error is our own."""
    cause = error.__cause__ or error
    if getattr(cause, "sqlstate", None) in _NOT_THERE or str(error).startswith(
        ("no such table", "no such column")
    ):
        return OLDER
    fault = fault_of(error)
    return None if fault is None else f"{fault.ending} ({' '.join(str(error).split())})."


@contextmanager
def refusals_end_it() -> Iterator[None]:
    """End a command in the sentence of whatever the house refuses it (CommandError)."""
    try:
        yield
    except Refusal as refused:
        raise CommandError(f"{refused.message} ({refused.code})") from refused


class Reports:
    """Says each fault once a minute, with how many requests have met it since it was said last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._said: dict[str, tuple[float, int]] = {}
        self._met: dict[str, float] = {}
        self._wrote_at = -math.inf

    def wrote(self) -> None:
        """Note that an act was written."""
        self._wrote_at = time.monotonic()

    def wrote_seconds_ago(self) -> float:
        """Return how long ago this process wrote an act."""
        return time.monotonic() - self._wrote_at

    def met(self) -> dict[str, float]:
        """Return how many seconds ago each fault was met last, of those that were met within the last minute."""
        now = time.monotonic()
        return {code: now - at for code, at in self._met.copy().items() if now - at < LINE_SECONDS}

    def report(self, fault: Fault, error: object) -> None:
        """Say it, or count it."""
        with self._lock:
            said_at, unsaid = self._said.get(fault.code, (-float(LINE_SECONDS), 0))
            now = self._met[fault.code] = time.monotonic()
            if now - said_at < LINE_SECONDS:
                self._said[fault.code] = (said_at, unsaid + 1)
                return
            self._said[fault.code] = (now, 0)
        reason = " ".join(str(error).split())
        more = f" ({unsaid} more requests since the last line)" if unsaid else ""
        log.error("%s: %s%s", fault.code, reason, more)


reports = Reports()


def answer(request: HttpRequest, error: BaseException | None) -> HttpResponse | None:
    """Answer a fault in the shape of the asker, or return None where the error is none. Asks no database."""
    fault = fault_of(error)
    if fault is None or error is None:
        return None
    reports.report(fault, error)
    return _told(fault, as_json=_is_api(request.path))


def refusal(path: str, fault: Fault) -> HttpResponse:
    """Answer a request that came no further than the door, as `answer` does. It costs next to nothing, however many come."""
    reports.report(fault, "refused at the door")
    return _ready_made(fault, _is_api(path))


@cache
def _ready_made(fault: Fault, as_json: bool) -> HttpResponse:
    """With the headers that every answer has."""
    told, asked = _told(fault, as_json=as_json), HttpRequest()
    told["Content-Length"] = str(len(told.content))
    for middleware in (SecurityMiddleware, XFrameOptionsMiddleware, CSPMiddleware):
        middleware(lambda _: told).process_response(asked, told)
    return told


def _is_api(path: str) -> bool:
    return path.startswith("/api/")


def _told(fault: Fault, *, as_json: bool) -> HttpResponse:
    # A page in place of a piece of one would not fit: htmx only says that the form was not sent.
    headers = {"Retry-After": str(fault.retry_seconds), "Cache-Control": "no-store", "HX-Reswap": "none"}
    if as_json:
        body = {"code": fault.code, "error": fault.sentence, "field": None}
        return JsonResponse(body, status=STATUS, headers=headers)
    page = render_to_string("503.html", {"code": fault.code, "sentence": fault.sentence})
    return HttpResponse(page, status=STATUS, headers=headers)
