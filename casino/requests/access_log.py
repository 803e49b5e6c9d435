"""One line for each request, as JSON: when, what, how it ended, who, from where, and which entries it wrote.

Of the address only the path is written, never what was asked or sent, so no name, password, PIN or one-time token is in it.
The standard library writes it: one form for one kind of line needs no library of its own.
"""

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
# What monitors and browsers ask for all the time, and nobody did.
UNTOLD = ("/healthz", "/static/", "/favicon.ico")

log = logging.getLogger(LOGGER)


class AccessLog:
    """Gives each request an id, which goes with the answer, and writes its line when the answer begins."""

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
            # Who it was is known where somebody asked; nobody is asked for here.
            person = getattr(request, "_cached_user", None)
            line = {
                "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
                "request": number,
                "method": request.method,
                "path": request.path,
                "status": response.status_code,
                "ms": round((time.monotonic() - began) * 1000),
                "person": person.get_username() if person is not None else "",
                "terminal": terminal_of(request, ""),
                "entries": entries,
            }
            log.info(json.dumps(line))
        return response
