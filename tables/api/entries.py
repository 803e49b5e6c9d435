"""From a device's JSON to what a verb takes. No rule of the game and no row is known here."""

from collections.abc import Mapping
from typing import Any

from tables.errors import BadEntry
from tables.scoring import RoundEntry

KEY_LENGTH = 64
HAND_FIELDS = {"seat", "position", "front", "middle", "back", "declares", "misset", "fantasy_land"}


def parse_key(data: Mapping[str, Any]) -> str:
    """Return the key that the client made for this act: 8 to 64 characters. Refuses `bad_entry`."""
    key = data.get("key")
    if (
        not isinstance(key, str)
        or not 8 <= len(key) <= KEY_LENGTH
        or not key.isascii()
        or not key.isprintable()
    ):
        raise BadEntry("The key must be a text of 8 to 64 characters.", field="key")
    return key


def parse_text(data: Mapping[str, Any], name: str, longest: int = 200) -> str:
    """Return a text of at most `longest` characters, empty where it is missing. Refuses `bad_entry`."""
    text = data.get(name, "")
    if not isinstance(text, str) or len(text) > longest or not text.isprintable():
        raise BadEntry(
            f"{name.replace('_', ' ').capitalize()} must be a text of at most {longest} characters.",
            field=name,
        )
    return text


def parse_number(data: Mapping[str, Any], name: str, most: int) -> int:
    """Return a whole number from 0 to `most`. Refuses `bad_entry`."""
    number = data.get(name)
    if type(number) is not int or not 0 <= number <= most:
        raise BadEntry(f"{name.capitalize()} must be a whole number from 0 to {most}.", field=name)
    return number


def parse_seats(data: Mapping[str, Any], name: str) -> list[int]:
    """Return a list of seat numbers, empty where it is missing. Refuses `bad_entry`."""
    seats = data.get(name, [])
    if not isinstance(seats, list) or any(type(seat) is not int or not 1 <= seat <= 5 for seat in seats):
        raise BadEntry(
            f"{name.replace('_', ' ').capitalize()} must be a list of seats from 1 to 5.", field=name
        )
    return sorted(set(seats))


def parse_hands(data: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
    """Return the entered hands in the score format without stacks, with `position` where it came. Refuses `bad_entry`.

    Cards are only looked at as text here: which cards they are is for the rules to say.
    """
    hands = data.get("hands")
    if not isinstance(hands, list) or len(hands) > 4:
        raise BadEntry("Hands must be a list of at most four.", field="hands")
    parsed = [_parse_hand(hand) for hand in hands]
    # Of a seat's two hands each must say by its position which one it is; how many a seat has is for the round to say.
    for hand in parsed:
        own = [other.get("position") for other in parsed if other["seat"] == hand["seat"]]
        if len(own) > 1 and (None in own or len(set(own)) < len(own)):
            raise BadEntry("A seat has been entered twice.", field="seat")
    return tuple(sorted(parsed, key=lambda hand: (hand["seat"], hand.get("position", 0))))


def _parse_hand(hand: Any) -> dict[str, Any]:
    if not isinstance(hand, dict) or set(hand) - HAND_FIELDS:
        raise BadEntry(
            "A hand has seat, position, front, middle, back, declares, misset and fantasy_land.",
            field="hands",
        )
    parsed: dict[str, Any] = {"seat": parse_number(hand, "seat", 5)}
    if hand.get("position") is not None:
        parsed["position"] = parse_number(hand, "position", 4)
    for segment in ("front", "middle", "back"):
        parsed[segment] = " ".join(parse_text(hand, segment, 40).split())
    if hand.get("declares") is not None:
        parsed["declares"] = parse_text(hand, "declares", 30)
    for mark in ("misset", "fantasy_land"):
        value = hand.get(mark, False)
        if type(value) is not bool:
            raise BadEntry(f"{mark} must be true or false.", field=mark)
        if value:
            parsed[mark] = True
    return parsed


def parse_round_entry(round_id: int, data: Mapping[str, Any]) -> RoundEntry:
    """Return what the dealer confirms, in one form whatever the order it was sent in."""
    return RoundEntry(round_id, parse_key(data), parse_hands(data))
