"""One line of JSON for each request: when, what, how it ended, who, from where, and which entries it wrote.
Only the path is logged, neither query nor body, and of a waiting player's own page not even that, so no
password, PIN or token gets into it."""

import json
import logging
import secrets
import time
from collections.abc import Callable
from datetime import UTC, datetime

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from casino.serving import faults
from ledger.journal.trace import traced
from ledger.views.terminal import terminal_of

LOGGER = "casino.access"
HEADER = "X-Request-ID"
# Polled by monitors and browsers; not logged.
UNTOLD = ("/healthz", "/static/", "/favicon.ico")
TOLD_ALONE = "/wait/"
"""Below it the path is a token."""

log = logging.getLogger(LOGGER)


class AccessLog:
    """Gives each request an id, sent with the answer, and logs its line when the answer begins."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        began, number = time.monotonic(), secrets.token_hex(8)
        with traced() as entries:
            response = self.get_response(request)
        response[HEADER] = number
        if entries and response.status_code < 400:
            faults.reports.wrote()
        if not request.path.startswith(UNTOLD):
            # Log the person if something loaded them; loading them here would cost a query.
            person = getattr(request, "_cached_user", None)
            line = {
                "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
                "request": number,
                "method": request.method,
                "path": TOLD_ALONE if request.path.startswith(TOLD_ALONE) else request.path,
                "status": response.status_code,
                "ms": round((time.monotonic() - began) * 1000),
                "person": person.get_username() if person is not None else "",
                "terminal": terminal_of(request, ""),
                "entries": entries,
            }
            log.info(json.dumps(line))
        return response
