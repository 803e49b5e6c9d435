"""The language of a request: of its page, where that is translated, as this device has chosen it."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.deprecation import MiddlewareMixin
from django.utils.translation.trans_real import parse_accept_lang_header
from rest_framework.renderers import JSONRenderer

from casino.languages import ASKED, ENGLISH, LANGUAGES, OF_OWN_DEVICES, PAGES, PAPER
from ledger.templatetags.languages import saying

COOKIE = f"{settings.COOKIE_PREFIX}language"
CODES = frozenset(code for code, _ in LANGUAGES)
KEPT = timedelta(weeks=57)  # the longest that browsers allow


def chosen(request: HttpRequest) -> str | None:
    """Return the language that the address chooses for this device (`?language=vi`), or None."""
    asked = request.GET.get(ASKED, "") if request.method in ("GET", "HEAD") else ""
    return asked if asked in CODES else None


def of_page(request: HttpRequest) -> str:
    """Return the language of a piece or an answer: that of the page that asks, which says it."""
    accepted = parse_accept_lang_header(request.headers.get("Accept-Language", ""))
    return next((code for code, _ in accepted if code in CODES), ENGLISH)


def language_of(request: HttpRequest) -> str:
    """Return the language of the answer; pages that are not translated, or are printed, are English."""
    if request.path.startswith("/api/") or "HX-Request" in request.headers:
        return of_page(request)
    here = request.resolver_match
    if here is None or here.url_name not in PAGES or PAPER in request.GET:
        return ENGLISH
    kept = request.COOKIES.get(COOKIE, "")
    own = translation.get_language_from_request(request) if here.url_name in OF_OWN_DEVICES else ENGLISH
    return chosen(request) or (kept if kept in CODES else own)


class PageLanguage(MiddlewareMixin):
    """Show each page in its language, and keep on the device which one was chosen there."""

    def process_request(self, request: HttpRequest) -> None:
        translation.activate(ENGLISH)  # the thread's last request may have had another

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> None:
        translation.activate(language_of(request))

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        language = chosen(request)
        if language is not None:
            response.set_cookie(
                COOKIE, language, max_age=KEPT, secure=settings.SECURE, httponly=True, samesite="Lax"
            )
        translation.activate(ENGLISH)
        return response


class HouseJSON(JSONRenderer):
    """The API's JSON, its sentences in the language of the page that asks."""

    def render(self, data: Any, *args: Any, **options: Any) -> Any:
        language = translation.get_language()
        translated = data if language in (None, ENGLISH) else saying(language).said_in(data)
        return super().render(translated, *args, **options)
