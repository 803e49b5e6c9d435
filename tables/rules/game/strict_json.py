"""Read JSON from outside, and refuse what most readers let pass in silence. Pure: no framework."""

import json
from typing import Any

LONGEST_KEY_SHOWN = 20


class BadJsonText(ValueError):
    """The text is not acceptable JSON; the message says why."""


def read_json(text: str) -> Any:
    """Return the value of a JSON text. Raises BadJsonText, and nothing else. It also refuses a key that
    occurs twice in an object (readers differ on which counts), NaN and Infinity, endless numbers, and nesting
    deeper than Python's stack."""
    try:
        return _decode(text)
    except BadJsonText:
        raise
    except RecursionError as error:
        raise BadJsonText("it is nested too deeply") from error
    except ValueError as error:  # not JSON, or a whole number of more than 4,300 digits
        raise BadJsonText("it is not JSON") from error


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise BadJsonText(f"the key {twice[:LONGEST_KEY_SHOWN]!a} occurs twice")
    return value


def _refuse_constant(name: str) -> Any:
    raise BadJsonText(f"{name} is not a number")


_decode = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_refuse_constant).decode
