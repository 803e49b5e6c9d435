"""Middleware: static files, who is asking and from where, forced steps after sign-in, refusals,
and a line in the access log."""

import json
import logging
import secrets
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.urls import Resolver404, resolve, reverse
from django.utils.deprecation import MiddlewareMixin
from django.utils.functional import SimpleLazyObject
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails
from whitenoise.middleware import WhiteNoiseMiddleware

from casino.models import Staff
from casino.roles import only_reads
from casino.serving import faults
from casino.serving.edge import REFUSED
from casino.sign_in import browsers, places, terminals
from casino.sign_in.coming_in import MUST_ADD
from casino.views import TOO_OLD, error_page
from ledger.errors import FormExpired, OpenedByAnother, Refusal
from ledger.journal.trace import traced
from ledger.views.fields import OPENED_BY
from ledger.views.pages import FormPage
from ledger.views.terminal import terminal_of
from tables.floor import house_clock

LARGEST_NUMBER = 2**63 - 1
PROGRAMS = ("/api/", "/live/")
"""Paths requested by scripts and tablets, never opened by hand."""
# Pages that readers may post to as well: their own sign-in.
SETTING_UP = ("steps", "add-app", "add-passkey", "remove-step", "new-codes")
AT_THE_DOOR = ("sign-in", "second-step", "sign-out", "first", "password", "mail", "places", *SETTING_UP)


def has_session(request: HttpRequest) -> bool:
    return settings.SESSION_COOKIE_NAME in request.COOKIES


class StaticFiles(WhiteNoiseMiddleware):  # type: ignore[misc]
    """Serve static files whole: Django under ASGI cannot stream WhiteNoise's. Answer missing ones."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path_info.startswith(settings.STATIC_URL) and request.path_info not in self.files:
            return HttpResponse("There is no such file.\n", status=404, content_type="text/plain")
        answer: HttpResponseBase = super().__call__(request)
        return answer

    @staticmethod
    def serve(static_file: Any, request: HttpRequest) -> HttpResponse:
        piecewise = WhiteNoiseMiddleware.serve(static_file, request)
        whole = HttpResponse(piecewise.getvalue(), status=piecewise.status_code)
        piecewise.close()
        whole.headers = piecewise.headers
        return whole


class Health(MiddlewareMixin):
    """Answer /healthz before sessions and host checks: probes come by IP address, without a session."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        if not request.path.startswith(reverse("healthz")):
            return None
        try:
            view, _, kwargs = resolve(request.path)
        except Resolver404:
            return None
        answer: HttpResponse = view(request, **kwargs)
        return answer


class ClockWatched(MiddlewareMixin):
    """Check the server's clock before a change, so that no clock that jumped charges a fee."""

    def process_request(self, request: HttpRequest) -> None:
        if request.method not in ("GET", "HEAD", "OPTIONS"):
            house_clock.look()


class AskedAt(MiddlewareMixin):
    """Set `request.asked_at`, seconds since 1970, before anything is read; live pages order answers by it."""

    def process_request(self, request: HttpRequest) -> None:
        request.asked_at = f"{time.time():.6f}"  # type: ignore[attr-defined]

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        if "HX-Request" in request.headers:
            response.headers["X-Asked-At"] = request.asked_at  # type: ignore[attr-defined]
        return response


class KnownTerminal(MiddlewareMixin):
    """Set `request.terminal` to the enrolled device that asks, or None; looked up lazily."""

    def process_request(self, request: HttpRequest) -> None:
        known = terminals.COOKIE in request.COOKIES
        terminal = SimpleLazyObject(lambda: terminals.find(request)) if known else None
        request.terminal = terminal  # type: ignore[attr-defined]

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        """Renew the cookies that identify the device after a sign-in."""
        terminals.renew_cookie(request, response)
        browsers.keep_cookie(request, response)
        return response


class IdleSessions(MiddlewareMixin):
    """Sign people out who were idle too long, whose terminal was revoked, or who came in by PIN elsewhere."""

    def process_request(self, request: HttpRequest) -> None:
        if has_session(request):
            places.end_or_go_on(request, time.time())
            places.end_elsewhere(request, terminals.hash_of(request))


class NothingIsKept(MiddlewareMixin):
    """Keep pages of signed-in people, with money or names on them, out of all caches."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        if has_session(request):
            response.headers.setdefault("Cache-Control", "private, no-store")
        return response


class SignInRequired(LoginRequiredMiddleware):
    """Django's, but tells htmx pages that the session ended, so that what was typed there is not lost."""

    def handle_no_permission(  # type: ignore[override]
        self, request: HttpRequest, view_func: Callable[..., Any]
    ) -> HttpResponseBase:
        """Send htmx the sign-in page's address: a redirect would put the page in place of the fragment."""
        asked = HtmxDetails(request)
        if not asked:
            return super().handle_no_permission(request, view_func)
        page = asked.current_url_abs_path or "/"
        address = f"{settings.LOGIN_URL}?{urlencode({'next': page})}"
        return HttpResponse(status=401, headers={"X-Sign-In": address})


class TLSAlone(MiddlewareMixin):
    """Refuse programs without TLS (`tls_only`): a redirect would hide that others could read the call."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        if not settings.SECURE_SSL_REDIRECT or request.is_secure() or not request.path.startswith(PROGRAMS):
            return None
        return error_page(request, 403, "This address answers over TLS alone (https).", "tls_only")


class TooLong(MiddlewareMixin):
    """Answer what the edge refused: `body_too_slow`, `body_too_long`, `address_too_long`."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        refused = getattr(request, "scope", {}).get(REFUSED)
        return error_page(request, *refused) if refused else None


class NothingThatFar(MiddlewareMixin):
    """Answer 404 for a number beyond any database column, without a query."""

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: dict[str, Any]) -> None:
        if any(isinstance(part, int) and part > LARGEST_NUMBER for part in kwargs.values()):
            raise Http404


def sent_to(address: str, request: HttpRequest, sentence: str, code: str) -> HttpResponse:
    """Redirect to a page that comes before all others; the API answers 403."""
    if request.path.startswith("/api/"):
        return error_page(request, 403, sentence, code)
    return HttpResponseClientRedirect(address) if HtmxDetails(request) else HttpResponseRedirect(address)


class OwnPasswordFirst(MiddlewareMixin):
    """After a one-time code, require an own password and PIN before anything else (`own_password_first`)."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        first = reverse("first")
        if request.path in (first, reverse("sign-out")):
            return None
        if not request.user.is_authenticated or not request.user.must_renew:
            return None
        return sent_to(first, request, "Set your own password and PIN first.", "own_password_first")


class SecondStepFirst(MiddlewareMixin):
    """Require a second step to be set up first of all, if sign-in asked for it (`second_step_first`)."""

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> HttpResponse | None:
        here = request.resolver_match.url_name if request.resolver_match else None
        if here in (*SETTING_UP, "first", "sign-out") or not has_session(request):
            return None
        if not request.session.get(MUST_ADD):
            return None
        return sent_to(reverse("steps"), request, "Set up your second step first.", "second_step_first")


OPENED_BY_READERS = ("open-withheld", "keep-paper", "keep-replay", "cancel-paper")
"""The forms a regulator may send: they show what the log withholds, or have a paper made, and log it."""


class ReadersChangeNothing(MiddlewareMixin):
    """Refuse whatever regulators send, before any view (403 `not_allowed`), except their own sign-in and
    OPENED_BY_READERS. The verbs refuse too; this also holds where a view forgot to ask."""

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> HttpResponse | None:
        if request.method in ("GET", "HEAD", "OPTIONS") or not only_reads(request.user):
            return None
        here = request.resolver_match.url_name if request.resolver_match else None
        if here in AT_THE_DOOR or (here in OPENED_BY_READERS and request.method == "POST"):
            return None
        return error_page(request, 403, "You read the books; nothing can be changed from here.")


class NoSuperusers(MiddlewareMixin):
    """Let superusers, who have every permission, only sign in and out (403 `not_allowed`)."""

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> HttpResponse | None:
        here = request.resolver_match
        if here is None or here.url_name in AT_THE_DOOR or not getattr(request.user, "is_superuser", False):
            return None
        return error_page(
            request, 403, "A superuser may open nothing here: sign in with an account that has a role."
        )


# Pages where people authenticate or end a session, whoever opened them.
PROVED_THERE = (
    "sign-in",
    "sign-in-badge",
    "sign-in-passkey",
    "second-step",
    "sign-out",
    "set-up",
    "set-up-manager",
)


class OpenedByWhoActs(MiddlewareMixin):
    """Refuse a form from a page that somebody else opened: the act would be recorded under another name.
    Every form or script says who opened its page; programs other than browsers may omit it."""

    def process_view(
        self, request: HttpRequest, view: Any, args: Any, kwargs: dict[str, Any]
    ) -> HttpResponseBase | None:
        """Answer `opened_by_another`, or `form_expired` if a browser says nothing; keep the filled form."""
        here = request.resolver_match.url_name if request.resolver_match else None
        if request.method in ("GET", "HEAD", "OPTIONS") or here in PROVED_THERE:
            return None
        if not request.user.is_authenticated:
            return None
        is_api = request.path.startswith("/api/")
        opened_by = request.headers.get("X-Opened-By") or (not is_api and request.POST.get(OPENED_BY)) or ""
        if opened_by == str(request.user.pk):
            return None
        if not opened_by and "Sec-Fetch-Site" not in request.headers:
            return None
        refusal = (
            OpenedByAnother(opened_by_another(opened_by, request.user)) if opened_by else FormExpired(TOO_OLD)
        )
        page = getattr(view, "view_class", None)
        if page is not None and issubclass(page, FormPage) and not HtmxDetails(request):
            try:
                shown: HttpResponseBase = page.as_view(refusal=refusal)(request, *args, **kwargs)
                return shown
            except Refusal:
                pass  # they may not even see this form
        return error_page(request, refusal.status, refusal.message, refusal.code)


def opened_by_another(opened_by: str, person: Any) -> str:
    found = (
        Staff.objects.filter(pk=opened_by).first() if opened_by.isdecimal() and len(opened_by) < 10 else None
    )
    opener = f"{found}" if found else "somebody else"
    return f"This page was opened by {opener}; you are signed in as {person}. Nothing was recorded."


class Refusals(MiddlewareMixin):
    """Turn the product's refusals, and faults of the machine, into pages. Other exceptions stay errors."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, Refusal):
            return faults.answer(request, exception)
        return error_page(request, exception.status, exception.message, exception.code)


LOGGER = "casino.access"
HEADER = "X-Request-ID"
# Polled by monitors and browsers; not logged.
UNTOLD = ("/healthz", "/static/", "/favicon.ico")
TOLD_ALONE = "/wait/"
"""Below it the path is a token."""

log = logging.getLogger(LOGGER)


class AccessLog:
    """Gives each request an id, sent with the answer, and logs a line of JSON when the answer begins. Of the
    address only the path is logged, of a waiting player's own page not even that: no secret gets into it."""

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
