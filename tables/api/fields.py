"""The fields of entries. What a field takes is its JSON Schema, which docs/openapi.json shows."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from ledger import money
from ledger.errors import Refusal
from tables.errors import BadEntry
from tables.rules.errors import BadLimit
from tables.rules.game.cards import quoted

Schema = Mapping[str, Any]
MISSING: Final[Any] = object()
TYPES: Final = {"string": str, "integer": int, "boolean": bool, "array": list}
PRINTED: Final = r"^[ -~]*$"
"""The pattern that the API's document shows for a text without one of its own. Other letters pass as well."""


def fits(schema: Schema, sent: Any) -> bool:
    """Return whether a value has the type and the bounds of a schema. An object is checked by its entry."""
    if "enum" in schema:
        return sent in schema["enum"]
    if schema["type"] == "object":
        return True
    if type(sent) is not TYPES[schema["type"]]:
        return False
    if type(sent) is int:
        return bool(schema["minimum"] <= sent <= schema["maximum"])
    if type(sent) is str:
        pattern = schema.get("pattern")
        within = schema.get("minLength", 0) <= len(sent) <= schema.get("maxLength", len(sent))
        return within and (sent.isprintable() if pattern is None else bool(re.fullmatch(pattern, sent)))
    if type(sent) is list:
        within = schema.get("minItems", 0) <= len(sent) <= schema.get("maxItems", len(sent))
        return within and all(fits(schema["items"], item) for item in sent)
    return True


@dataclass(frozen=True, slots=True)
class ApiField:
    """A value that fits `schema`, converted by `read`. With a `default` it may be left out; with the default
    None it may also be null. Other values are refused with "Its name must be `must_be`." or with `sentence`;
    the refusal names the field, or `about`. `into` is the verb's name for it, if that differs."""

    schema: Schema
    must_be: str = ""
    read: Callable[[Any], Any] = lambda sent: sent
    default: Any = MISSING
    into: str = ""
    sentence: str = "{label} must be {must_be}."
    refusal: type[Refusal] = BadEntry
    about: str = ""

    @property
    def form(self) -> Schema:
        """The schema as the API's document shows it: a field with the default None may be null."""
        form = ({"pattern": PRINTED} if self.schema["type"] == "string" else {}) | dict(self.schema)
        return form | {"type": [form["type"], "null"]} if self.default is None else form

    def value(self, name: str, sent: Any) -> Any:
        if sent is self.default is not MISSING:
            return sent
        if not fits(self.schema, sent):
            raise self.refused(name)
        return self.read(sent)

    def refused(self, name: str) -> Refusal:
        label = name.replace("_", " ").capitalize()
        sentence = self.sentence.format(name=name, label=label, must_be=self.must_be, schema=self.schema)
        return self.refusal(sentence, field=self.about or name)


def text(longest: int, **more: Any) -> ApiField:
    return ApiField(
        {"type": "string", "maxLength": longest}, f"a text of at most {longest} characters", **more
    )


def number(least: int, most: int, **more: Any) -> ApiField:
    schema = {"type": "integer", "minimum": least, "maximum": most}
    return ApiField(schema, f"a whole number from {least} to {most}", **more)


def amount(what: str, example: str, **more: Any) -> ApiField:
    """Return a field of an amount, read as cents. Refuses `bad_limit`."""
    schema = {"type": "string", "pattern": f"^{money.TEXT.pattern}$", "example": example}
    sentence = f"{what} is an amount with two places, as in {example}."
    return ApiField(schema, read=money.cents_of, sentence=sentence, refusal=BadLimit, **more)


class ApiEntry:
    """A JSON object of these fields and no others."""

    def __init__(self, **fields: ApiField) -> None:
        self.fields: Final = fields

    @property
    def schema(self) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": {name: field.form for name, field in self.fields.items()},
            "required": [name for name, field in self.fields.items() if field.default is MISSING],
            "additionalProperties": False,
        }

    def read(self, sent: Any, sentence: str = "Send one JSON object.", about: str | None = None) -> Any:
        """Return the values by the verb's names. Refuses `bad_entry`, also for an unknown key."""
        if not isinstance(sent, dict):
            raise BadEntry(sentence, field=about)
        unknown = next((key for key in sent if key not in self.fields), None)
        if unknown is not None:
            raise BadEntry(f"{quoted(unknown)} means nothing here. There is {', '.join(self.fields)}.")
        return {
            field.into or name: field.value(name, sent.get(name, field.default))
            for name, field in self.fields.items()
        }
