"""Write docs/openapi.json, the dealer's API, and docs/openapi-books.json, that of the books:
`.venv/bin/python tools/openapi.py`."""

import json
import os
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "openapi.json"
BOOKS_PAGE = ROOT / "docs" / "openapi-books.json"


REFUSAL = {
    "type": "object",
    "properties": {
        "code": {"type": "string"},
        "error": {"type": "string"},
        "field": {"type": ["string", "null"]},
    },
    "required": ["code", "error", "field"],
}
"""Every answer from 400 on; 409 of a stale draft adds the newer one."""
RECORD = {
    "type": "object",
    "properties": {
        "leaf": {"type": "integer"},
        "kind": {"type": "string"},
        "id": {"type": "integer"},
        "hash": {"type": "string", "description": "of the leaf (RFC 9162), in hex"},
        "record": {"type": ["string", "null"], "description": "its exact text; null while a count is blind"},
        "proof": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["leaf", "kind", "id", "hash", "record"],
}
"""A line of the sealed records."""
CREATED = frozenset({"RoundsView", "CorrectionsView"})
REFUSED_WITH = (400, 403, 404, 409, 413, 415, 503)


def document() -> dict[str, Any]:
    from drf_spectacular.openapi import AutoSchema
    from drf_spectacular.utils import OpenApiParameter

    from tables.api import urls

    class HouseSchema(AutoSchema):
        @property
        def entry(self) -> Any:
            view: Any = self.view
            return view.entry

        def get_operation_id(self) -> str:
            return type(self.view).__name__.removesuffix("View")

        def get_tags(self) -> list[str]:
            return ["dealer"]

        def get_override_parameters(self) -> list[Any]:
            asked = self.entry.fields.items() if self.method == "GET" else ()
            return [OpenApiParameter(name, field.form, description="seats: 2,4") for name, field in asked]

        def _get_request_body(self, direction: Any = "request") -> Any:
            if self.method == "GET":
                return None
            return {"content": {"application/json": {"schema": self.entry.schema}}, "required": True}

        def get_response_serializers(self) -> Any:
            done = 201 if type(self.view).__name__ in CREATED else 200
            return {str(done): {"type": "object"}} | {str(code): REFUSAL for code in REFUSED_WITH}

    return _made(urls.urlpatterns, HouseSchema, "The dealer's API", "/api")


def _made(addresses: Any, schema: Any, title: str, server: str) -> dict[str, Any]:
    from drf_spectacular.generators import SchemaGenerator

    for address in addresses:
        address.callback.cls.schema = schema()
    generator: Any = SchemaGenerator
    made: dict[str, Any] = generator(patterns=addresses).get_schema(request=None, public=True)
    made["openapi"] = "3.1.0"  # nullable types are written as in 3.1
    made["info"] = {"title": title, "version": "1"}
    made["servers"] = [{"url": server}]
    return made


def books() -> dict[str, Any]:
    """Return the API of the books: what is asked follows from its forms, what comes from the papers."""
    from django.urls import get_resolver

    from ledger.papers.paper import declared
    from ledger.proof.log.forms import slug
    from ledger.views.api import FORMS, BooksView

    every = _leaves(get_resolver())
    found = [one for one in every if issubclass(getattr(one.callback, "cls", object), BooksView)]
    made = _made(found, _books_schema(), "The API of the books", "")
    lines = {slug(one): _line(one) for one in declared(players=True)}
    bearer = {"token": {"type": "http", "scheme": "bearer"}}
    cells = {"Number": {"type": ["integer", "string", "null"]}, "Text": {"type": ["string", "null"]}}
    made["components"] = {"schemas": lines | cells, "securitySchemes": bearer}
    paper = made["paths"]["/api/books/papers/{name}.{form}"]["get"]
    for parameter in paper["parameters"]:
        if one_of := {"name": sorted(lines), "form": sorted(FORMS)}.get(parameter["name"]):
            parameter["schema"] = {"type": "string", "enum": one_of}
    any_line = {"anyOf": [{"$ref": f"#/components/schemas/{name}"} for name in lines]}
    paper["responses"]["200"]["content"] = {"application/jsonl": {"schema": any_line}, "text/csv": {}}
    record = made["paths"]["/api/books/records.jsonl"]["get"]["responses"]["200"]
    record["content"] = {"application/jsonl": {"schema": RECORD}}
    return made


def _line(paper: Any) -> dict[str, Any]:
    """Return the form of a line of a paper: a cell by its column."""
    from ledger.papers.pages import type_of

    cells = {column: "Number" if "integer" in type_of(column) else "Text" for column in paper.columns}
    return {
        "type": "object",
        "description": paper.purpose,
        "properties": {column: {"$ref": f"#/components/schemas/{cell}"} for column, cell in cells.items()},
    }


def _books_schema() -> Any:
    from drf_spectacular.openapi import AutoSchema
    from drf_spectacular.utils import OpenApiParameter

    from ledger.views.api import LinesForm, RecordsForm
    from tables.api.views import WordsForm

    forms = {"PaperView": LinesForm, "RecordsView": RecordsForm, "FindView": WordsForm}
    types: dict[str, Any] = {"IntegerField": {"type": "integer"}, "BooleanField": {"type": "boolean"}}
    types["DateField"] = {"type": "string", "format": "date"}
    text = {"type": "string"}

    class BooksSchema(AutoSchema):
        def get_operation_id(self) -> str:
            return type(self.view).__name__.removesuffix("View")

        def get_tags(self) -> list[str]:
            return ["books"]

        def get_auth(self) -> list[dict[str, Any]]:
            return [{"token": []}]

        def get_override_parameters(self) -> list[Any]:
            form: Any = forms.get(type(self.view).__name__)
            fields = form.base_fields.items() if form else ()
            return [
                OpenApiParameter(name, types.get(type(field).__name__, text), description=field.label)
                for name, field in fields
            ]

        def get_response_serializers(self) -> Any:
            refused = {str(code): REFUSAL for code in (400, 403, 404, 409, 429, 503)}
            return {"200": {"type": "object"}} | refused

    return BooksSchema


def _leaves(resolver: Any) -> list[Any]:
    found = []
    for one in resolver.url_patterns:
        found += _leaves(one) if hasattr(one, "url_patterns") else [one]
    return found


def text(made: dict[str, Any] | None = None) -> str:
    return json.dumps(made or document(), indent=1, sort_keys=True) + "\n"


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "casino.settings",
        "CASINO_DEMO": "1",
        "CASINO_VAR": ".venv/checking",
    }
    import django

    django.setup()
    PAGE.write_text(text())
    BOOKS_PAGE.write_text(text(books()))
