"""The JSON shape of every refusal: {"code": ..., "error": ..., "field": ...}; and the parser that refuses
malformed JSON in it."""

from collections.abc import Mapping
from typing import IO, Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from rest_framework import exceptions
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser
from rest_framework.response import Response
from rest_framework.views import exception_handler as drf_exception_handler

from casino.sign_in import tokens
from ledger.errors import Refusal
from ledger.journal.house_events import note_refused
from ledger.views.day import the_site
from ledger.views.terminal import act_of
from tables.rules.game.strict_json import BadJsonText, read_json

# The product's codes for exceptions of Django and REST framework.
FRAMEWORK_CODES: tuple[tuple[type[Exception], str], ...] = (
    (exceptions.ParseError, "bad_json"),
    (exceptions.ValidationError, "bad_entry"),
    (exceptions.NotAuthenticated, "not_signed_in"),
    (exceptions.AuthenticationFailed, "not_signed_in"),
    (exceptions.PermissionDenied, "not_allowed"),
    (PermissionDenied, "not_allowed"),
    (exceptions.NotFound, "not_found"),
    (Http404, "not_found"),
    (exceptions.MethodNotAllowed, "method_not_allowed"),
    (exceptions.UnsupportedMediaType, "unsupported_media_type"),
    (exceptions.Throttled, "too_many_attempts"),
)


def refuse(exception: Exception, context: dict[str, Any]) -> Response | None:
    """REST framework's EXCEPTION_HANDLER. Returns None for anything but a refusal, which becomes a 500."""
    answer = _refused(exception, context)
    if answer is not None:
        tokens.note_refused(context["request"]._request, answer.data["code"])
    return answer


def _refused(exception: Exception, context: dict[str, Any]) -> Response | None:
    if isinstance(exception, Refusal):
        if exception.asked is not None:
            data, request = context["request"].data, context["request"]
            key = str(data.get("key", "")) if isinstance(data, dict) else ""
            note_refused(the_site(), exception, act_of(request, "tablet", key=key))
        return Response(exception.as_json(), status=exception.status)
    answer = drf_exception_handler(exception, context)
    if answer is None:
        return None
    code = next((code for kind, code in FRAMEWORK_CODES if isinstance(exception, kind)), "bad_request")
    field, sentence = first_error(answer.data)
    answer.data = {"code": code, "error": sentence, "field": field}
    return answer


def first_error(detail: Any) -> tuple[str | None, str]:
    """Return the first sentence in REST framework's nested errors, with its path, `hands.0.seat`, or None."""
    place: list[str] = []
    while isinstance(detail, dict | list) and detail:
        if isinstance(detail, dict):
            key, detail = next(iter(detail.items()))
            if key not in ("detail", "non_field_errors"):
                place.append(str(key))
        else:
            index, detail = next((at, item) for at, item in enumerate(detail) if item)
            if isinstance(detail, dict):
                place.append(str(index))
    return ".".join(place) or None, str(detail)


class HouseJSONParser(JSONParser):
    """REST framework's parser with the house's strict JSON reader (`bad_json`)."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        try:
            return read_json(stream.read().decode("utf-8"))
        except UnicodeDecodeError as error:
            raise ParseError("This can't be read: it is not UTF-8.") from error
        except BadJsonText as error:
            raise ParseError(f"This can't be read: {error}.") from error
