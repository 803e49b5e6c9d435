"""Faults of the machine: a lock held elsewhere, a full disk, a database that is away. Each is answered 503
with a sentence and Retry-After, and logged once a minute at most: a filter drops what repeats it."""

import errno
import logging
import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import redis
from celery.beat import SchedulingError
from celery.signals import after_task_publish, task_prerun
from csp.middleware import CSPMiddleware
from django.core.management.base import CommandError
from django.db import DatabaseError, InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.middleware.clickjacking import XFrameOptionsMiddleware
from django.middleware.security import SecurityMiddleware
from django.template.loader import render_to_string
from kombu.exceptions import OperationalError as NoBroker

from casino.sign_in.hashing import TOO_BUSY
from ledger.errors import Refusal
from tables.live.breaker import breaker

STATUS = 503
LINE_SECONDS = 60

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Fault:
    """`sentence` is for pages, `ending` for commands that stop because of it."""

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
"""Not a fault of the machine: more strangers than it has room for (casino/serving/lanes.py)."""
OLDER = "The database is older than the program: run `manage.py prepare` first."

# By SQLSTATE, by SQLite's message, and by errno.
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
    if isinstance(error, OSError):
        return _NUMBERS.get(error.errno or 0)
    if not isinstance(error, DatabaseError | InterfaceError):
        return None
    cause = error.__cause__ or error
    state, words = getattr(cause, "sqlstate", None), str(error)
    if state in _STATES:
        return _STATES[state]
    if found := next((fault for phrase, fault in _WORDS.items() if phrase in words), None):
        return found
    return AWAY if isinstance(error, OperationalError | InterfaceError) else None


def ending(error: BaseException) -> str | None:
    """Return the sentence with which a command stops at this error, or None for an error of our own."""
    cause = error.__cause__ or error
    if getattr(cause, "sqlstate", None) in _NOT_THERE or str(error).startswith(
        ("no such table", "no such column")
    ):
        return OLDER
    fault = fault_of(error)
    return None if fault is None else f"{fault.ending} ({' '.join(str(error).split())})."


@contextmanager
def refusals_end_it() -> Iterator[None]:
    try:
        yield
    except Refusal as refused:
        raise CommandError(f"{refused.message} ({refused.code})") from refused


class Reports:
    """Logs each fault once a minute, with the number of requests that met it since."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._said: dict[str, tuple[float, int]] = {}
        self._met: dict[str, float] = {}
        self._wrote_at = -math.inf

    def wrote(self) -> None:
        self._wrote_at = time.monotonic()

    def wrote_seconds_ago(self) -> float:
        return time.monotonic() - self._wrote_at

    def met(self) -> dict[str, float]:
        """Return how many seconds ago each fault of the last minute was last met, by code."""
        now = time.monotonic()
        return {code: now - at for code, at in self._met.copy().items() if now - at < LINE_SECONDS}

    def report(self, fault: Fault, error: object) -> None:
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
    """Answer an exception as JSON or as a page; None if it is not a fault. Reads no database."""
    fault = fault_of(error)
    if fault is None or error is None:
        return None
    reports.report(fault, error)
    return _told(fault, as_json=_is_api(request.path))


def refusal(path: str, fault: Fault) -> HttpResponse:
    """Answer a fault found before Django. It costs little, for many may come at once."""
    reports.report(fault, "refused at the door")
    return _ready_made(fault, _is_api(path))


@cache
def _ready_made(fault: Fault, as_json: bool) -> HttpResponse:
    """Return the response with the headers that the middleware would add."""
    told, asked = _told(fault, as_json=as_json), HttpRequest()
    told["Content-Length"] = str(len(told.content))
    for middleware in (SecurityMiddleware, XFrameOptionsMiddleware, CSPMiddleware):
        middleware(lambda _: told).process_response(asked, told)
    return told


def _is_api(path: str) -> bool:
    return path.startswith("/api/")


def _told(fault: Fault, *, as_json: bool) -> HttpResponse:
    # A whole page would not fit in place of a fragment: htmx only shows that the form was not sent.
    headers = {"Retry-After": str(fault.retry_seconds), "Cache-Control": "no-store", "HX-Reswap": "none"}
    if as_json:
        body = {"code": fault.code, "error": fault.sentence, "field": None}
        return JsonResponse(body, status=STATUS, headers=headers)
    page = render_to_string("503.html", {"code": fault.code, "sentence": fault.sentence})
    return HttpResponse(page, status=STATUS, headers=headers)


UNREACHED = (OSError, redis.RedisError, NoBroker)
TASKS = ("celery", "kombu")
POOL_TRIES = ("error connecting", "reconnection attempt")
WORDS = ("Connection to broker lost", "Cannot connect to", "Connection error", "Restoring connection")


class OncePerOutage(logging.Filter):
    """Drop repeated messages about faults that `faults` or the circuit breaker report once. Covered are
    failed requests and tasks, Celery without Redis, and the connection pool without a database. Other errors
    that keep beat from sending tasks, 200 lines each time, pass once a minute for each kind."""

    def __init__(self) -> None:
        super().__init__()
        self._sending: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name == "django.request":
            return getattr(record, "status_code", None) != STATUS
        if record.name == "psycopg.pool" and record.getMessage().startswith(POOL_TRIES):
            reports.report(AWAY, record.getMessage())
            return False
        if not record.name.startswith(TASKS):
            return True
        error = record.exc_info[1] if record.exc_info else None
        unsent = isinstance(error, SchedulingError)
        if error is not None and unsent:
            error = error.__cause__ or error.__context__
        if error is not None and record.name == "celery.app.trace" and (fault := fault_of(error)):
            reports.report(fault, error)
            return False
        if not isinstance(error, UNREACHED) and not any(words in record.getMessage() for words in WORDS):
            return not unsent or self._is_new(type(error).__name__)
        breaker.failed()
        return False

    def _is_new(self, kind: str) -> bool:
        now = time.monotonic()
        if now - self._sending.get(kind, -LINE_SECONDS) < LINE_SECONDS:
            return False
        self._sending[kind] = now
        return True


@after_task_publish.connect(weak=False)
@task_prerun.connect(weak=False)
def _answered(**_: Any) -> None:
    """Sending or receiving a task proves that Redis answers."""
    breaker.worked()
