"""Reading the JSON of a request: whatever is no JSON that a person's device would send is refused, never an error."""

from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser


class HouseJSONParser(JSONParser):
    """REST framework's own, which nesting deeper than Python's stack refuses as well (`bad_json`)."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        """Give the value of the body. Raises ParseError."""
        try:
            return super().parse(stream, media_type, parser_context)
        except RecursionError as error:
            raise ParseError("This is nested too deeply.") from error
