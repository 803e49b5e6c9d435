"""Around every page: static files under ASGI, who asks from where, the way to sign-in, and refusals made into pages."""

import time
from collections.abc import Callable
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
from casino.sign_in import browsers, idle, places, terminals
from casino.sign_in.coming_in import MUST_ADD
from casino.views import TOO_OLD, error_page
from ledger.errors import FormExpired, OpenedByAnother, Refusal
from ledger.views.fields import OPENED_BY
from ledger.views.pages import FormPage
from tables.floor import house_clock

LARGEST_NUMBER = 2**63 - 1
PROGRAMS = ("/api/", "/live/")
"""What pages fetch and tablets send, and nobody opens by hand."""
# What also a reader may send: who they are, and their own password.
SETTING_UP = ("steps", "add-app", "add-passkey", "remove-step", "new-codes")
AT_THE_DOOR = ("sign-in", "second-step", "sign-out", "first", "password", "mail", "places", *SETTING_UP)


def has_session(request: HttpRequest) -> bool:
    """Whether this browser has been given a session, without asking the database for it."""
    return settings.SESSION_COOKIE_NAME in request.COOKIES


class StaticFiles(WhiteNoiseMiddleware):  # type: ignore[misc]
    """WhiteNoise, which opens the file and lets it be read piece by piece; under ASGI Django cannot do that.

    Our files are small, so they are handed over whole. What is no file is answered here too: whoever asks for files waits
    neither for the database nor for a session.
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer everything below the address of static files."""
        if request.path_info.startswith(settings.STATIC_URL) and request.path_info not in self.files:
            return HttpResponse("There is no such file.\n", status=404, content_type="text/plain")
        answer: HttpResponseBase = super().__call__(request)
        return answer

    @staticmethod
    def serve(static_file: Any, request: HttpRequest) -> HttpResponse:
        """The file's bytes with the headers that WhiteNoise chose."""
        piecewise = WhiteNoiseMiddleware.serve(static_file, request)
        whole = HttpResponse(piecewise.getvalue(), status=piecewise.status_code)
        piecewise.close()
        whole.headers = piecewise.headers
        return whole


class Health(MiddlewareMixin):
    """Answers /healthz before anything asks who wants to know, or for which host: probes come by address, without a session."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        """Answer at its addresses alone."""
        if not request.path.startswith(reverse("healthz")):
            return None
        try:
            view, _, kwargs = resolve(request.path)
        except Resolver404:
            return None
        answer: HttpResponse = view(request, **kwargs)
        return answer


class ClockWatched(MiddlewareMixin):
    """Looks at the server's clock before whatever changes something, so that no act is charged by one that has jumped."""

    def process_request(self, request: HttpRequest) -> None:
        """Compare it with the time that has passed; that costs no query."""
        if request.method not in ("GET", "HEAD", "OPTIONS"):
            house_clock.look()


class AskedAt(MiddlewareMixin):
    """`request.asked_at` is the moment of asking, in seconds since 1970, before anything was read for the answer. Live pages
    tell by it what has changed since, and which of two answers is the older.
    """

    def process_request(self, request: HttpRequest) -> None:
        """Note it."""
        request.asked_at = f"{time.time():.6f}"  # type: ignore[attr-defined]

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        """Say it to a page that asks for a piece of itself."""
        if "HX-Request" in request.headers:
            response.headers["X-Asked-At"] = request.asked_at  # type: ignore[attr-defined]
        return response


class KnownTerminal(MiddlewareMixin):
    """`request.terminal` is the enrolled device that asks, or None; it is looked up where something needs it."""

    def process_request(self, request: HttpRequest) -> None:
        """Nothing is looked up for a browser without the cookie of a terminal."""
        known = terminals.COOKIE in request.COOKIES
        request.terminal = SimpleLazyObject(lambda: terminals.find(request)) if known else None  # type: ignore[attr-defined]

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        """Renew the cookies by which a device is known, where somebody has signed in."""
        terminals.renew_cookie(request, response)
        browsers.keep_cookie(request, response)
        return response


class IdleSessions(MiddlewareMixin):
    """Signs people out who have done nothing for longer than their work allows, or whose terminal was revoked."""

    def process_request(self, request: HttpRequest) -> None:
        """Look at who has a session."""
        if has_session(request):
            idle.end_or_go_on(request, time.time())
            places.end_where_revoked(request)


class NothingIsKept(MiddlewareMixin):
    """No browser and no proxy keeps a page of somebody who is signed in: it holds money, names or both."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        """Say `no-store`, unless the view says something of its own."""
        if has_session(request):
            response.headers.setdefault("Cache-Control", "private, no-store")
        return response


class SignInRequired(LoginRequiredMiddleware):
    """Django's, but a page whose session has ended is told so: what was typed there must not be lost."""

    def handle_no_permission(  # type: ignore[override]
        self, request: HttpRequest, view_func: Callable[..., Any]
    ) -> HttpResponseBase:
        """Redirect; to htmx say where sign-in is, for it would put that page where the fragment belongs."""
        asked = HtmxDetails(request)
        if not asked:
            return super().handle_no_permission(request, view_func)
        page = asked.current_url_abs_path or "/"
        address = f"{settings.LOGIN_URL}?{urlencode({'next': page})}"
        return HttpResponse(status=401, headers={"X-Sign-In": address})


class TLSAlone(MiddlewareMixin):
    """Refuses what a program asks without TLS. A redirect would hide that it was sent where others can read it."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        """Answer 403 (`tls_only`)."""
        if not settings.SECURE_SSL_REDIRECT or request.is_secure() or not request.path.startswith(PROGRAMS):
            return None
        return error_page(request, 403, "This address answers over TLS alone (https).", "tls_only")


class TooLong(MiddlewareMixin):
    """Answers a request that the edge has refused, and whose body nobody has read."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        """Answer 408 (`body_too_slow`), 413 (`body_too_long`) or 414 (`address_too_long`) in the form of the door."""
        refused = getattr(request, "scope", {}).get(REFUSED)
        return error_page(request, *refused) if refused else None


class NothingThatFar(MiddlewareMixin):
    """Finds nothing under a number that no column holds, rather than asking the database for it."""

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: dict[str, Any]) -> None:
        """Raise Http404."""
        if any(isinstance(part, int) and part > LARGEST_NUMBER for part in kwargs.values()):
            raise Http404


def sent_to(address: str, request: HttpRequest, sentence: str, code: str) -> HttpResponse:
    """Send somebody to an address that comes before all others; the API answers 403."""
    if request.path.startswith("/api/"):
        return error_page(request, 403, sentence, code)
    return HttpResponseClientRedirect(address) if HtmxDetails(request) else HttpResponseRedirect(address)


class OwnPasswordFirst(MiddlewareMixin):
    """Whoever came by a one-time code sets a password and a PIN of their own before any other address answers."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        """Send them there; the API answers 403 (`own_password_first`)."""
        first = reverse("first")
        if request.path in (first, reverse("sign-out")):
            return None
        if not request.user.is_authenticated or not request.user.must_renew:
            return None
        return sent_to(first, request, "Set your own password and PIN first.", "own_password_first")


class SecondStepFirst(MiddlewareMixin):
    """Whoever has to set up a second step does so before any other address answers; coming in decides who has to."""

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> HttpResponse | None:
        """Send them there; the API answers 403 (`second_step_first`)."""
        here = request.resolver_match.url_name if request.resolver_match else None
        if here in (*SETTING_UP, "first", "sign-out") or not has_session(request):
            return None
        if not request.session.get(MUST_ADD):
            return None
        return sent_to(reverse("steps"), request, "Set up your second step first.", "second_step_first")


OPENED_BY_READERS = "open-withheld"
"""The one form that a regulator sends: it shows what the log withholds, and adds to the log that they saw it."""


class ReadersChangeNothing(MiddlewareMixin):
    """Refuses whatever a regulator sends besides asking for pages, at every address, before any view sees it.

    The verbs refuse them as well; this holds also where a view forgot to ask.
    """

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> HttpResponse | None:
        """Answer 403 (`not_allowed`), save at the door itself, and where they open what the log withholds, which only adds that."""
        if request.method in ("GET", "HEAD", "OPTIONS") or not only_reads(request.user):
            return None
        here = request.resolver_match.url_name if request.resolver_match else None
        if here in AT_THE_DOOR or (here == OPENED_BY_READERS and request.method == "POST"):
            return None
        return error_page(request, 403, "You read the books; nothing can be changed from here.")


class NoSuperusers(MiddlewareMixin):
    """Keeps superusers, who have every right at once, out of the house: they sign in and out, and nothing more."""

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> HttpResponse | None:
        """Answer 403 (`not_allowed`), save at the door itself."""
        here = request.resolver_match
        if here is None or here.url_name in AT_THE_DOOR or not getattr(request.user, "is_superuser", False):
            return None
        return error_page(
            request, 403, "An account with every right opens nothing here: have one with a role."
        )


# What is done there is done by whoever proves themselves there, or ends a session.
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
    """Refuses what a page sends that somebody else opened: its bar shows their name, and the act would be recorded under another.

    Every form says who opened its page, and every script by a header. A program that is no browser may say nothing.
    """

    def process_view(
        self, request: HttpRequest, view: Any, args: Any, kwargs: dict[str, Any]
    ) -> HttpResponseBase | None:
        """Answer 409 (`opened_by_another`), or 403 (`form_expired`) where a browser does not say who opened the page; with the form
        as it was filled where there is one."""
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
        if HtmxDetails(request):
            # The page is still the other person's, so its script says it beside the form, and all that was typed stays.
            return HttpResponse(
                refusal.message,
                status=refusal.status,
                content_type="text/plain; charset=utf-8",
                headers={"X-Refused": refusal.code},
            )
        page = getattr(view, "view_class", None)
        if page is not None and issubclass(page, FormPage):
            try:
                shown: HttpResponseBase = page.as_view(refusal=refusal)(request, *args, **kwargs)
                return shown
            except Refusal:
                pass  # they may not even see this form
        return error_page(request, refusal.status, refusal.message, refusal.code)


def opened_by_another(opened_by: str, person: Any) -> str:
    """Say who opened the page, and who is signed in."""
    found = (
        Staff.objects.filter(pk=opened_by).first() if opened_by.isdecimal() and len(opened_by) < 10 else None
    )
    opener = f"{found}" if found else "somebody else"
    return f"This page was opened by {opener}; you are signed in as {person}. Nothing was recorded."


class Refusals(MiddlewareMixin):
    """A verb refused and the view did not show it beside a form: the page of that status says the verb's sentence."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Answer the domain's own errors and the machine's faults; everything else stays an error of ours."""
        if not isinstance(exception, Refusal):
            return faults.answer(request, exception)
        return error_page(request, exception.status, exception.message, exception.code)
