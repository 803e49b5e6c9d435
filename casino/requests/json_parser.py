"""The JSON parser of the API: malformed JSON is refused, never an error."""

from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

from tables.rules.game.strict_json import BadJsonText, read_json


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
