"""Write docs/openapi.json, the dealer's API: `.venv/bin/python tools/openapi.py`."""

import json
import os
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "openapi.json"


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
CREATED = frozenset({"RoundsView", "CorrectionsView"})
REFUSED_WITH = (400, 403, 404, 409, 413, 415, 503)


def document() -> dict[str, Any]:
    from drf_spectacular.generators import SchemaGenerator
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

    for address in urls.urlpatterns:
        shown: Any = address.callback
        shown.cls.schema = HouseSchema()
    generator: Any = SchemaGenerator
    made: dict[str, Any] = generator(patterns=urls.urlpatterns).get_schema(request=None, public=True)
    made["openapi"] = "3.1.0"  # nullable types are written as in 3.1
    made["info"] = {"title": "The dealer's API", "version": "1"}
    made["servers"] = [{"url": "/api"}]
    return made


def text() -> str:
    return json.dumps(document(), indent=1, sort_keys=True) + "\n"


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    os.environ["DJANGO_SETTINGS_MODULE"] = "casino.settings"
    import django

    django.setup()
    PAGE.write_text(text())
