"""The entries of the API: each of their fields is declared here, once, by its JSON Schema. Neither rules of
the game nor rows."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from ledger import lengths, money
from ledger.errors import Refusal
from tables.errors import BadEntry
from tables.rounds.entry import NAMES, announced
from tables.rules.errors import BadLimit, BadSeat
from tables.rules.game.cards import DECK, quoted
from tables.rules.game.sheet import SEGMENTS
from tables.rules.game.shuffle import LONGEST_NOTE, NOTES, check_shuffle

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


KEY: Final = ApiField(
    {"type": "string", "minLength": 8, "maxLength": 64, "pattern": lengths.SENT_KEY},
    sentence="The key must be a text of {schema[minLength]} to {schema[maxLength]} characters"
    " without a slash.",
)
REASON: Final = text(lengths.REASON, default="")
FLAG: Final = ApiField({"type": "boolean"}, "true or false", default=False)
SEATS: Final = ApiField(
    {"type": "array", "items": number(1, 5).schema},
    "a list of seats from 1 to 5",
    read=lambda sent: sorted(set(sent)),
    default=(),
)

CARDS: Final = text(60, read=lambda sent: " ".join(sent.split()), default="")
ROYALTIES: Final = {"type": "array", "items": {"enum": list(SEGMENTS)}}
HAND: Final = ApiEntry(
    seat=number(0, 5),
    position=number(0, 4, default=None),
    **dict.fromkeys((*SEGMENTS, "dealt"), CARDS),
    declares=text(30, default=None),
    **dict.fromkeys(("surrenders", "misset", "fantasy_land"), FLAG),
    royalties=ApiField(ROYALTIES, "a list of front, middle and back", read=announced, default=None),
)


def _hand(sent: Any) -> dict[str, Any]:
    hand = HAND.read(sent, "A hand must be a JSON object.", "hands")
    if hand["dealt"] and any(hand[segment] for segment in SEGMENTS):
        raise BadEntry("A hand comes set, or as it was dealt, not both.", field="dealt")
    named = {name for name in (*NAMES, *SEGMENTS) if hand[name] is not None}
    return {name: value for name, value in hand.items() if value or name in named}


def _hands(sent: Sequence[Any]) -> tuple[dict[str, Any], ...]:
    """Return hands in the score format: no stacks, cards as plain text, `position` if it was given."""
    hands = [_hand(one) for one in sent]
    # A hand of two must name its position; the round knows how many a seat has.
    for hand in hands:
        own = [other.get("position") for other in hands if other["seat"] == hand["seat"]]
        if len(own) > 1 and (None in own or len(set(own)) < len(own)):
            raise BadEntry("A seat has been entered twice.", field="seat")
    return tuple(sorted(hands, key=lambda hand: (hand["seat"], hand.get("position", 0))))


HANDS: Final = ApiField(
    {"type": "array", "items": HAND.schema, "maxItems": 4},
    sentence="{label} must be a list of at most {schema[maxItems]}.",
    read=_hands,
)


def _shuffle(sent: Any) -> Any:
    check_shuffle(sent)
    return sent


_CARD: Final = "([2-9TJQKA][cdhs]|-)"
_ORDER: Final = f"^ *{_CARD}( +{_CARD}){{0,{len(DECK) - 1}}} *$"
_NOTE: Final = {"type": "string", "maxLength": LONGEST_NOTE, "pattern": r"^ *[!-~][ -~]*$"}
_SHUFFLE: Final = ApiEntry(
    order=ApiField({"type": "string", "pattern": _ORDER, "example": "As Td - 2c"}, default=""),
    **{note: ApiField(_NOTE, default="") for note in NOTES},
)
SHUFFLE: Final = ApiField({**_SHUFFLE.schema, "minProperties": 1}, read=_shuffle, default=None)

STAKE: Final = ApiEntry(
    seats=ApiField(
        {**SEATS.schema, "minItems": 2, "maxItems": 2},
        read=lambda sent: (min(sent), max(sent)),
        sentence="A stake is between two seats.",
        refusal=BadSeat,
        about="pair_stakes",
    ),
    limit=amount("A stake", "10.00", about="pair_stakes"),
)


def _stakes(sent: Sequence[Any]) -> dict[tuple[int, int], int]:
    """Return the stakes of pairs of seats in cents, lower seat first."""
    if not all(isinstance(stake, dict) and stake.keys() == STAKE.fields.keys() for stake in sent):
        raise PAIR_STAKES.refused("pair_stakes")
    stakes: dict[tuple[int, int], int] = {}
    for stake in map(STAKE.read, sent):
        pair = stake["seats"]
        if pair in stakes:
            raise BadEntry(f"Seats {pair[0]} and {pair[1]} have two stakes.", field="pair_stakes")
        stakes[pair] = stake["limit"]
    return stakes


PAIR_STAKES: Final = ApiField(
    {"type": "array", "items": STAKE.schema}, "a list, each with seats and a limit", read=_stakes, default={}
)
PLAYED_BY: Final = number(1, 2**63 - 1, default=None)
"""Who played a round while the house was away, where somebody else sends it."""
START: Final = ApiEntry(
    key=KEY,
    decline=replace(SEATS, into="declined"),
    cash=replace(SEATS, into="in_cash"),
    two_hands=SEATS,
    pair_stakes=PAIR_STAKES,
    reserved=FLAG,
    match_stake=amount("A match stake", "50.00", into="match_stake_cents", default=None),
    played_by=PLAYED_BY,
)
NET: Final = ApiEntry(
    seat=number(1, 5),
    amount=ApiField({"type": "string", "pattern": f"^-?{money.TEXT.pattern}$"}, read=money.net_cents_of),
)


def _net(sent: Sequence[Any]) -> dict[int, int]:
    read = [NET.read(one, "A result must be a JSON object.", "net") for one in sent]
    return {one["seat"]: one["amount"] for one in read}


DISCREPANCY: Final = ApiEntry(
    key=KEY,
    number=number(1, 2**31),
    round=number(1, 2**63 - 1, default=None, into="round_id"),
    net=ApiField({"type": "array", "items": NET.schema, "maxItems": 5}, "a list of results", read=_net),
    why=text(lengths.REASON, default=""),
    played_at=ApiField({"type": "string", "pattern": r"^(\d\d:\d\d)?$"}, "a time, as 21:05", default=""),
    played_by=PLAYED_BY,
)
CHOICE: Final = ApiField(
    {"type": "string", "pattern": r"^[1-5]?(,[1-5]?)*$"},
    read=lambda sent: sorted({int(seat) for seat in sent.split(",") if seat}),
    default=(),
    sentence="{name} must be seats from 1 to 5 with commas between, as 2,4.",
)
PLAN: Final = ApiEntry(
    decline=replace(CHOICE, into="declined"),
    cash=replace(CHOICE, into="in_cash"),
    two_hands=CHOICE,
    tablet=ApiField(
        {"type": "string", "pattern": "^[0-9a-f-]{0,36}$"},
        default="",
        sentence="{name} is the number that the tablet gave itself.",
    ),
)
DRAFT: Final = ApiEntry(version=number(0, 2**31), hands=HANDS)
