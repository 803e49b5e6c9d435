"""Every refusal has the same JSON shape and a fitting status."""

import json
import re
from pathlib import Path

import pytest
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.template import TemplateDoesNotExist
from django.test import Client, RequestFactory
from rest_framework import exceptions, serializers
from rest_framework.request import Request

from casino import views
from casino.requests import middleware
from casino.requests.refusals import FRAMEWORK_CODES, refuse
from casino.roles import RolesConflict
from ledger.errors import KeyReused, LedgerError, NotAllowed
from tables.errors import SeatTaken, StalePage, TableError
from tables.rules.errors import DuplicateCard

DOORS = (Path(settings.BASE_DIR) / "docs" / "errors.md").read_text().partition("\n## Of the doors\n")[2]


def answer(exception):
    response = refuse(exception, {"request": Request(RequestFactory().get("/"))})
    assert set(response.data) == {"code", "error", "field"}
    assert isinstance(response.data["error"], str)
    return response.status_code, response.data["code"], response.data["field"]


@pytest.mark.parametrize(
    ("refusal", "status"),
    [
        (NotAllowed("Dealers don't do this."), 403),
        (KeyReused("The key was used."), 409),
        (StalePage("The page is old."), 409),
        (SeatTaken("Seat 3 is taken.", field="seat"), 409),
        (RolesConflict("Nobody is both."), 409),
        (TableError("No."), 400),
        (LedgerError("No."), 400),
    ],
)
def test_the_house_s_own_refusals_keep_code_sentence_and_field(refusal, status):
    assert answer(refusal) == (status, refusal.code, refusal.field)


def test_a_refusal_by_the_rules_is_a_bad_request():
    assert answer(DuplicateCard("seat 3: 7h occurs twice", field="back")) == (400, "duplicate_card", "back")


@pytest.mark.parametrize(
    ("refusal", "status", "code"),
    [
        (exceptions.ParseError(), 400, "bad_json"),
        (exceptions.NotAuthenticated(), 403, "not_signed_in"),
        (exceptions.PermissionDenied(), 403, "not_allowed"),
        (PermissionDenied(), 403, "not_allowed"),
        (exceptions.NotFound(), 404, "not_found"),
        (Http404(), 404, "not_found"),
        (exceptions.MethodNotAllowed("PATCH"), 405, "method_not_allowed"),
        (exceptions.UnsupportedMediaType("text/plain"), 415, "unsupported_media_type"),
        (exceptions.Throttled(), 429, "too_many_attempts"),
    ],
)
def test_what_the_framework_refuses_has_the_same_shape(refusal, status, code):
    if isinstance(refusal, exceptions.NotAuthenticated):
        refusal.status_code = 403  # as the view does where no other way to sign in exists
    assert answer(refusal) == (status, code, None)
    assert re.search(rf"^\| `{code}` \| {status} \|", DOORS, re.MULTILINE)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("who", "status", "code"), [("counter1", 403, "not_allowed"), ("floor", 404, "not_found")]
)
def test_a_refusal_takes_no_place_of_a_piece_and_is_words_alone(request, game, who, status, code):
    client = Client()
    client.force_login(request.getfixturevalue(who))
    table = game.session.pk if status == 403 else 0
    address = f"/floor/sessions/{table}/panel/"
    piece = client.get(address, headers={"HX-Request": "true"})
    assert (piece.status_code, piece["X-Refused"]) == (status, code)
    assert piece["Content-Type"] == "text/plain; charset=utf-8"
    assert "<" not in piece.text
    page = client.get(address)
    assert (page.status_code, "<h1>" in page.text, "X-Refused" in page) == (status, True, False)


@pytest.mark.django_db
def test_a_piece_whose_token_is_too_old_is_told_in_words_alone(floor):
    client = Client(enforce_csrf_checks=True)
    client.force_login(floor)
    piece = client.post("/terminals/", {"name": "Table 3"}, headers={"HX-Request": "true"})
    assert (piece.status_code, piece["X-Refused"], piece.text) == (403, "form_expired", views.TOO_OLD)


def test_the_docs_name_every_code_for_what_the_framework_refuses():
    documented = set(re.findall(r"^\| `(\w+)` \|", DOORS, re.MULTILINE))
    assert {code for _, code in FRAMEWORK_CODES} <= documented


def test_an_entry_that_does_not_fit_names_its_first_field():
    class Hand(serializers.Serializer):
        seat = serializers.IntegerField()

    class Entry(serializers.Serializer):
        hands = Hand(many=True)

    entry = Entry(data={"hands": [{"seat": 2}, {"seat": "window"}]})
    with pytest.raises(exceptions.ValidationError) as refused:
        entry.is_valid(raise_exception=True)
    status, code, field = answer(refused.value)
    assert (status, code, field) == (400, "bad_entry", "hands.1.seat")


def test_a_defect_of_ours_is_no_refusal():
    assert refuse(ZeroDivisionError(), {}) is None


@pytest.mark.django_db
def test_a_refusal_that_no_view_showed_becomes_a_page(rf):
    guard = middleware.Refusals(lambda request: None)
    response = guard.process_exception(rf.get("/floor/"), NotAllowed("Counters don't see this."))
    assert response.status_code == 403
    assert b"Counters don" in response.content
    assert guard.process_exception(rf.get("/floor/"), ZeroDivisionError()) is None


@pytest.mark.parametrize("status", [400, 403, 404, 500])
def test_error_pages_need_no_template(rf, monkeypatch, status):
    def missing(name):
        raise TemplateDoesNotExist(name)

    monkeypatch.setattr(views, "get_template", missing)
    response = views.error_page(rf.get("/floor/"), status)
    assert response.status_code == status
    assert response["Content-Type"].startswith("text/plain")


def test_even_the_page_for_errors_may_fail(monkeypatch):
    def broken(name):
        raise RuntimeError

    monkeypatch.setattr(views, "get_template", broken)
    assert views.server_error(RequestFactory().get("/floor/")).status_code == 500


@pytest.mark.parametrize(("status", "code"), [(404, "not_found"), (500, "server_error")])
def test_below_api_errors_are_json(rf, status, code):
    body = json.loads(views.error_page(rf.get("/api/rounds/9"), status).content)
    assert (body["code"], body["field"]) == (code, None)


def test_an_unknown_address_is_a_404_for_whoever_is_signed_in(client, floor):
    client.force_login(floor)
    assert client.get("/nothing/here/").status_code == 404


@pytest.mark.django_db
def test_a_sentence_of_a_refusal_is_escaped(rf):
    response = views.error_page(rf.get("/floor/"), 403, "<script>alert(1)</script>")
    if response["Content-Type"].startswith("text/html"):
        assert b"<script>alert" not in response.content
    assert response.status_code == 403
