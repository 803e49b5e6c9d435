"""Around every page: static files under ASGI, the way to sign-in, and refusals that no view showed made into pages."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.deprecation import MiddlewareMixin
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails
from whitenoise.middleware import WhiteNoiseMiddleware

from casino.roles import only_reads
from casino.serving import faults
from casino.serving.edge import REFUSED
from casino.sign_in.pins import came_by_pin
from casino.views import error_page
from ledger.errors import Refusal
from tables.floor import house_clock

LARGEST_NUMBER = 2**63 - 1
# What also a reader may send: who they are, and their own password.
AT_THE_DOOR = ("sign-in", "sign-out", "first", "password")


class StaticFiles(WhiteNoiseMiddleware):  # type: ignore[misc]
    """WhiteNoise, which opens the file and lets it be read piece by piece; under ASGI Django cannot do that.

    Our files are small, so they are handed over whole.
    """

    @staticmethod
    def serve(static_file: Any, request: HttpRequest) -> HttpResponse:
        """The file's bytes with the headers that WhiteNoise chose."""
        piecewise = WhiteNoiseMiddleware.serve(static_file, request)
        whole = HttpResponse(piecewise.getvalue(), status=piecewise.status_code)
        piecewise.close()
        whole.headers = piecewise.headers
        return whole


class ClockWatched(MiddlewareMixin):
    """Looks at the server's clock before whatever changes something, so that no act is charged by one that has jumped."""

    def process_request(self, request: HttpRequest) -> None:
        """Compare it with the time that has passed; that costs no query."""
        if request.method not in ("GET", "HEAD", "OPTIONS"):
            house_clock.look()


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


class TooLong(MiddlewareMixin):
    """Answers a request that the edge has refused, and whose body nobody has read."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        """Answer 413 (`body_too_long`) or 414 (`address_too_long`) in the form of the door."""
        refused = getattr(request, "scope", {}).get(REFUSED)
        return error_page(request, *refused) if refused else None


class NothingThatFar(MiddlewareMixin):
    """Finds nothing under a number that no column holds, rather than asking the database for it."""

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: dict[str, Any]) -> None:
        """Raise Http404."""
        if any(isinstance(part, int) and part > LARGEST_NUMBER for part in kwargs.values()):
            raise Http404


class OwnPasswordFirst(MiddlewareMixin):
    """Whoever came by a one-time code sets a password and a PIN of their own before any other address answers."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        """Send them there; the API answers 403 (`own_password_first`). /healthz knows nobody."""
        first = reverse("first")
        if request.path in (first, reverse("sign-out")) or request.path.startswith(reverse("healthz")):
            return None
        if not request.user.is_authenticated or not request.user.must_renew:
            return None
        if request.path.startswith("/api/"):
            return error_page(request, 403, "Set your own password and PIN first.", "own_password_first")
        return HttpResponseClientRedirect(first) if HtmxDetails(request) else HttpResponseRedirect(first)


class ReadersChangeNothing(MiddlewareMixin):
    """Refuses whatever a regulator sends besides asking for pages, at every address, before any view sees it.

    The verbs refuse them as well; this holds also where a view forgot to ask.
    """

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> HttpResponse | None:
        """Answer 403 (`not_allowed`), save at the door itself."""
        if request.method in ("GET", "HEAD", "OPTIONS") or not only_reads(request.user):
            return None
        if request.resolver_match and request.resolver_match.url_name in AT_THE_DOOR:
            return None
        return error_page(request, 403, "You read the books; nothing can be changed from here.")


class PinStaysAtTheTable(MiddlewareMixin):
    """Keeps whoever was pushed in by PIN away from the manager's desk: a PIN is enough to deal, and for nothing else."""

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> HttpResponse | None:
        """Answer 403 (`not_allowed`) at every address below /house/."""
        if request.resolver_match is None or not request.resolver_match.route.startswith("house/"):
            return None
        if not came_by_pin(request):
            return None
        return error_page(request, 403, "Sign in with your password: a PIN does not open the manager's desk.")


class Refusals(MiddlewareMixin):
    """A verb refused and the view did not show it beside a form: the page of that status says the verb's sentence."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Answer the domain's own errors and the machine's faults; everything else stays an error of ours."""
        if not isinstance(exception, Refusal):
            return faults.answer(request, exception)
        return error_page(request, exception.status, exception.message, exception.code)
