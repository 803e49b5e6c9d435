"""The API's entries as JSON Schema, for those who build devices: what `entries.py` parses.

tools/openapi.py makes docs/openapi.json of it; tests compare it with the parsers and the answers.
"""

from collections.abc import Mapping
from typing import Any, Final

from ledger import lengths
from tables.api.entries import (
    KEY_LENGTH,
    LONGEST_DECLARATION,
    LONGEST_SEGMENT,
    MARKS,
    MOST_HANDS,
)
from tables.rules.game.cards import DECK
from tables.rules.game.sheet import SEGMENTS
from tables.rules.game.shuffle import LONGEST_NOTE, NOTES

Schema = Mapping[str, Any]

PRINTED: Final = r"^[ -~]*$"
SAID: Final = r"^ *[!-~][ -~]*$"
AMOUNT: Final = {"type": "string", "pattern": r"^[0-9]{1,11}\.[0-9]{2}$", "example": "10.00"}
SEAT: Final = {"type": "integer", "minimum": 1, "maximum": 5}
SEATS: Final = {"type": "array", "items": SEAT}
KEY: Final = {"type": "string", "minLength": 8, "maxLength": KEY_LENGTH, "pattern": PRINTED}
REASON: Final = {"type": "string", "maxLength": lengths.REASON, "pattern": PRINTED}
CARDS: Final = {"type": "string", "maxLength": LONGEST_SEGMENT, "pattern": PRINTED}
FLAG: Final = {"type": "boolean"}
VERSION: Final = {"type": "integer", "minimum": 0, "maximum": 2**31}


def entry(properties: Mapping[str, Schema], *required: str) -> dict[str, Any]:
    """Return the schema of an object with these keys and no others."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


HAND: Final = entry(
    {
        "seat": {"type": "integer", "minimum": 0, "maximum": 5},
        "position": {"type": ["integer", "null"], "minimum": 0, "maximum": 4},
        **dict.fromkeys((*SEGMENTS, "dealt"), CARDS),
        "declares": {"type": ["string", "null"], "maxLength": LONGEST_DECLARATION, "pattern": PRINTED},
        **dict.fromkeys(MARKS, FLAG),
        "royalties": {"type": ["array", "null"], "items": {"enum": list(SEGMENTS)}},
    },
    "seat",
)
HANDS: Final = {"type": "array", "items": HAND, "maxItems": MOST_HANDS}
DEALT: Final = "([2-9TJQKA][cdhs]|-)"
SHUFFLE: Final = entry(
    {
        "order": {
            "type": "string",
            "pattern": f"^ *{DEALT}( +{DEALT}){{0,{len(DECK) - 1}}} *$",
            "example": "As Td - 2c",
        },
        **{name: {"type": "string", "maxLength": LONGEST_NOTE, "pattern": SAID} for name in NOTES},
    }
) | {"minProperties": 1}
STAKE: Final = entry(
    {"seats": {"type": "array", "items": SEAT, "minItems": 2, "maxItems": 2}, "limit": AMOUNT},
    "seats",
    "limit",
)
START: Final = entry(
    {
        "key": KEY,
        **dict.fromkeys(("decline", "cash", "two_hands"), SEATS),
        "pair_stakes": {"type": "array", "items": STAKE},
        "reserved": FLAG,
        "match_stake": {**AMOUNT, "type": ["string", "null"]},
    },
    "key",
)

# What may be sent to each view.
ENTRIES: Final[Mapping[str, Schema]] = {
    "RoundsView": START,
    "DraftView": entry({"version": VERSION, "hands": HANDS}, "version", "hands"),
    "SettleView": entry({"key": KEY, "hands": HANDS, "shuffle": SHUFFLE}, "key", "hands"),
    "VoidView": entry({"key": KEY, "reason": REASON}, "key"),
    "CorrectionsView": entry({"key": KEY, "hands": HANDS, "reason": REASON}, "key", "hands"),
    "CheckCorrectionView": entry({"hands": HANDS}, "hands"),
    "ApproveView": entry({"key": KEY}, "key"),
    "RefuseView": entry({"reason": REASON}),
}
REFUSAL: Final = {
    "type": "object",
    "properties": {
        "code": {"type": "string"},
        "error": {"type": "string"},
        "field": {"type": ["string", "null"]},
    },
    "required": ["code", "error", "field"],
}
"""Every answer from 400 on; 409 of a stale draft adds the newer one."""
CREATED: Final = frozenset({"RoundsView", "CorrectionsView"})
REFUSED_WITH: Final = (400, 403, 404, 409, 413, 415, 503)
CHOICE: Final = r"^[1-5]?(,[1-5]?)*$"
