"""Write docs/openapi.json, the dealer's API: `.venv/bin/python tools/openapi.py`."""

import json
import os
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "openapi.json"


def document() -> dict[str, Any]:
    from drf_spectacular.generators import SchemaGenerator
    from drf_spectacular.openapi import AutoSchema
    from drf_spectacular.utils import OpenApiParameter

    from tables.api import schema, urls, views

    class HouseSchema(AutoSchema):
        def get_operation_id(self) -> str:
            return type(self.view).__name__.removesuffix("View")

        def get_tags(self) -> list[str]:
            return ["dealer"]

        def get_override_parameters(self) -> list[Any]:
            if not isinstance(self.view, views.PlanView):
                return []
            choice = {"type": "string", "pattern": schema.CHOICE, "maxLength": 20}
            return [OpenApiParameter(name, choice, description="seats: 2,4") for name in views.CHOICES]

        def _get_request_body(self, direction: Any = "request") -> Any:
            declared = schema.ENTRIES.get(type(self.view).__name__)
            if declared is None:
                return None
            return {"content": {"application/json": {"schema": declared}}, "required": True}

        def get_response_serializers(self) -> Any:
            done = 201 if type(self.view).__name__ in schema.CREATED else 200
            return {str(done): {"type": "object"}} | {
                str(code): schema.REFUSAL for code in schema.REFUSED_WITH
            }

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
