"""The one JSON shape in which a refusal leaves the building: {"code": ..., "error": ..., "field": ...}."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import exception_handler as drf_exception_handler

from ledger.errors import LedgerError
from tables.errors import TableError
from tables.rules.errors import RuleError

REFUSALS = (RuleError, TableError, LedgerError)
# The pure packages know nothing of the web, so the status of their refusals is said here; a class with a `status`
# of its own goes before this table, and whatever is in neither is 400.
STATUS = {
    "not_allowed": 403,
    "counted_by_signer": 403,
    "second_person": 403,
    "key_reused": 409,
    "insufficient_funds": 409,
    "account_closed": 409,
    "already_counted": 409,
    "already_reversed": 409,
    "box_installed": 409,
    "box_not_pulled": 409,
    "box_not_signed": 409,
    "box_pulled": 409,
    "box_signed": 409,
    "count_closed": 409,
    "count_open": 409,
    "day_already_closed": 409,
    "day_closed": 409,
    "day_not_over": 409,
    "earlier_day_open": 409,
    "not_sealed": 409,
    "reversal_of_reversal": 409,
}
# Our codes for what Django and its REST framework refuse.
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


def status_of(refusal: RuleError | TableError | LedgerError) -> int:
    """The HTTP status of one of REFUSALS."""
    own: int | None = getattr(refusal, "status", None)
    return own or STATUS.get(refusal.code, 400)


def refuse(exception: Exception, context: dict[str, Any]) -> Response | None:
    """REST framework's EXCEPTION_HANDLER; None for what is no refusal, which becomes a 500."""
    if isinstance(exception, REFUSALS):
        body = {"code": exception.code, "error": exception.message, "field": exception.field}
        return Response(body, status=status_of(exception))
    answer = drf_exception_handler(exception, context)
    if answer is None:
        return None
    code = next((code for kind, code in FRAMEWORK_CODES if isinstance(exception, kind)), "bad_request")
    field, sentence = first_error(answer.data)
    answer.data = {"code": code, "error": sentence, "field": field}
    return answer


def first_error(detail: Any) -> tuple[str | None, str]:
    """Find the first sentence in REST framework's nested errors, with its place as `hands.0.seat`; None for no place."""
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
