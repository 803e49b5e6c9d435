"""docs/openapi.json is what the API does: entries of its form are understood, all others refused,
and nothing fails."""

import json
from functools import cache

import pytest
from django.db import transaction
from hypothesis import HealthCheck, Phase, given, settings
from jsonschema import Draft202012Validator

from tables.api import urls
from tests.support.kept import kept
from tests.support.lengths import EXAMPLES, LONG
from tools import openapi
from tools.openapi import REFUSAL

DOCUMENT = json.loads(openapi.PAGE.read_text())
NAMES = [operation["operationId"] for path in DOCUMENT["paths"].values() for operation in path.values()]
FORMS = {
    view.__name__.removesuffix("View"): view.entry.schema
    for view in (address.callback.cls for address in urls.urlpatterns)
    if not hasattr(view, "get")
}
FORM_CODES = ("bad_json", "unsupported_media_type")
FEW = settings(
    max_examples=EXAMPLES // 4 if LONG else 2,
    phases=[Phase.explicit, Phase.generate],  # to shrink a request takes longer than to read it
    suppress_health_check=list(HealthCheck),
    database=None,
)


@cache
def operations():
    """By name. The library is loaded by the worker that asks, for it takes a second."""
    import schemathesis

    found = [operation.ok() for operation in schemathesis.openapi.from_dict(DOCUMENT).get_all_operations()]
    return {operation.definition.raw["operationId"]: operation for operation in found}


def generated(operation, mode):
    """Cases of a right form (POSITIVE), or of a wrong one (NEGATIVE)."""
    from schemathesis import GenerationMode

    return operation.as_strategy(generation_mode=GenerationMode[mode])


def test_the_page_is_made_from_the_addresses_and_the_declared_entries():
    assert openapi.PAGE.read_text() == openapi.text()  # .venv/bin/python tools/openapi.py


def test_the_page_of_the_books_is_made_from_the_forms_and_the_declared_papers():
    assert openapi.BOOKS_PAGE.read_text() == openapi.text(openapi.books())


def test_every_address_of_the_api_is_in_it():
    assert len(DOCUMENT["paths"]) == len(urls.urlpatterns)
    assert {*operations()} == {*NAMES}


@kept
def three(game):
    game.seat("Ann", "Bob", "Cat")
    return game


@pytest.fixture
def tablet(tablet_at, three):
    tablet = tablet_at(three)
    tablet.ids = {"session_id": tablet.session, "round_id": tablet.start()["id"], "correction_id": 1}
    return tablet


def asked(tablet, operation, case):
    """The answer to a generated case, at the table that is there or, for one in four, at any number."""
    number = next(iter(case.path_parameters.values()))
    ids = case.path_parameters if type(number) is int and number > 0 and number % 4 == 1 else tablet.ids
    path = f"/api{operation.path.format(**ids)}"
    options = {"query_params": dict(case.query or {})}
    if case.method != "GET":
        try:
            options |= {"data": json.dumps(case.body), "content_type": "application/json"}
        except TypeError:  # what was not generated is sent as nothing
            options |= {"data": "", "content_type": "application/json"}
    with transaction.atomic():
        answer = (
            tablet.client.generic(case.method, path, **options)
            if case.method != "GET"
            else (tablet.client.get(path, **options))
        )
        transaction.set_rollback(True)
    return answer


def check_form(operation, answer):
    """An answer is one that the page names, in the form that it names."""
    assert str(answer.status_code) in operation.definition.raw["responses"], answer.content
    if answer.status_code >= 400:
        Draft202012Validator(REFUSAL).validate(answer.json())


def has_point(value):
    """Whether a number has a point: JSON Schema takes 3.0 for a whole number, and the API does not."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return isinstance(value, float) or any(map(has_point, inside))


@pytest.mark.parametrize("name", NAMES)
def test_an_entry_of_its_form_is_understood(name, tablet):
    operation = operations()[name]

    @FEW
    @given(case=generated(operation, "POSITIVE"))
    def understood(case):
        answer = asked(tablet, operation, case)
        check_form(operation, answer)
        if answer.status_code >= 400:
            refused = answer.json()
            assert refused["code"] not in FORM_CODES, refused
            wrong_form = refused["code"] == "bad_entry" and " must be " in refused["error"]
            assert not wrong_form or has_point(case.body), refused

    understood()


@pytest.mark.parametrize("name", FORMS)
def test_an_entry_of_another_form_is_refused(name, tablet):
    operation, form = operations()[name], Draft202012Validator(FORMS[name])

    @FEW
    @given(case=generated(operation, "NEGATIVE"))
    def refused(case):
        answer = asked(tablet, operation, case)
        assert answer.status_code < 500
        if answer.status_code != 404 or answer["Content-Type"] == "application/json":
            Draft202012Validator(REFUSAL).validate(answer.json()) if answer.status_code >= 400 else None
        try:
            other = not form.is_valid(json.loads(json.dumps(case.body)))
        except (TypeError, ValueError):
            other = True
        if other:
            assert 400 <= answer.status_code < 500, (case.body, answer.content)

    refused()
