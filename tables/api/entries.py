"""Parse a device's JSON into what verbs take. It knows no rule of the game and no row."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ledger import lengths
from ledger.money import cents_of
from tables.errors import BadEntry
from tables.rounds.entry import NAMES, RoundEntry, announced
from tables.rounds.starting import StartEntry
from tables.rules.errors import BadLimit, BadSeat
from tables.rules.game.cards import quoted
from tables.rules.game.sheet import SEGMENTS
from tables.rules.game.shuffle import check_shuffle

KEY_LENGTH = 64
MARKS = ("surrenders", "misset", "fantasy_land")
HAND_FIELDS = (*NAMES, *SEGMENTS, "dealt", "declares", *MARKS, "royalties")
MOST_HANDS = 4
LONGEST_SEGMENT, LONGEST_DECLARATION = 60, 30
START_KEYS = ("key", "decline", "cash", "two_hands", "pair_stakes", "reserved", "match_stake")


def require_known(data: Mapping[str, Any], known: Sequence[str]) -> None:
    """Refuse a key that has no meaning here (`bad_entry`), because it would be ignored in silence."""
    unknown = next((key for key in data if key not in known), None)
    if unknown is not None:
        raise BadEntry(f"{quoted(unknown)} means nothing here. There is {', '.join(known) or 'no key'}.")


def _refusal(name: str, must_be: str) -> BadEntry:
    return BadEntry(f"{name.replace('_', ' ').capitalize()} must be {must_be}.", field=name)


def parse_key(data: Mapping[str, Any]) -> str:
    """Return the key that the client made for this act: 8 to 64 characters. Refuses `bad_entry`."""
    key = data.get("key")
    if isinstance(key, str) and 8 <= len(key) <= KEY_LENGTH and key.isascii() and key.isprintable():
        return key
    raise BadEntry("The key must be a text of 8 to 64 characters.", field="key")


def parse_text(data: Mapping[str, Any], name: str, longest: int = lengths.REASON) -> str:
    """Return a text of at most `longest` characters, empty where it is missing. Refuses `bad_entry`."""
    text = data.get(name, "")
    if not isinstance(text, str) or len(text) > longest or not text.isprintable():
        raise _refusal(name, f"a text of at most {longest} characters")
    return text


def parse_number(data: Mapping[str, Any], name: str, most: int) -> int:
    """Return a whole number from 0 to `most`. Refuses `bad_entry`."""
    number = data.get(name)
    if type(number) is not int or not 0 <= number <= most:
        raise _refusal(name, f"a whole number from 0 to {most}")
    return number


def parse_seats(data: Mapping[str, Any], name: str) -> list[int]:
    """Return a list of seat numbers, empty where it is missing. Refuses `bad_entry`."""
    seats = data.get(name, [])
    if not isinstance(seats, list) or not all(map(_is_seat, seats)):
        raise _refusal(name, "a list of seats from 1 to 5")
    return sorted(set(seats))


def _is_seat(value: object) -> bool:
    return type(value) is int and 1 <= value <= 5


def parse_flag(data: Mapping[str, Any], name: str) -> bool:
    """Return true or false, false where it is missing. Refuses `bad_entry`."""
    flag = data.get(name, False)
    if type(flag) is not bool:
        raise _refusal(name, "true or false")
    return flag


def parse_pair_stakes(data: Mapping[str, Any]) -> dict[tuple[int, int], int]:
    """Return the stakes of pairs of seats in cents, lower seat first.

    Refuses `bad_entry`, `bad_seat` for anything but two seats, `bad_limit` for anything but an amount as
    `10.00`.
    """
    listed = data.get("pair_stakes", [])
    if not isinstance(listed, list) or any(
        not isinstance(stake, dict) or set(stake) != {"seats", "limit"} for stake in listed
    ):
        raise _refusal("pair_stakes", "a list, each with seats and a limit")
    stakes: dict[tuple[int, int], int] = {}
    for stake in listed:
        seats, cents = stake["seats"], cents_of(stake["limit"])
        if not (isinstance(seats, list) and len(seats) == 2 and all(map(_is_seat, seats))):
            raise BadSeat("A stake is between two seats.", field="pair_stakes")
        if cents is None:
            raise BadLimit("A stake is an amount with two places, as in 10.00.", field="pair_stakes")
        pair = (min(seats), max(seats))
        if pair in stakes:
            raise BadEntry(f"Seats {pair[0]} and {pair[1]} have two stakes.", field="pair_stakes")
        stakes[pair] = cents
    return stakes


def parse_match_stake(data: Mapping[str, Any]) -> int | None:
    """Return the stake of a match in cents, None where it is missing. Refuses `bad_limit`."""
    stake = data.get("match_stake")
    cents = cents_of(stake)
    if stake is not None and cents is None:
        raise BadLimit("A match stake is an amount with two places, as in 50.00.", field="match_stake")
    return cents


def parse_hands(data: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
    """Return the entered hands in the score format, without stacks and with cards as plain text.

    `position` is kept if given. Refuses `bad_entry`.
    """
    hands = data.get("hands")
    if not isinstance(hands, list) or len(hands) > MOST_HANDS:
        raise _refusal("hands", f"a list of at most {MOST_HANDS}")
    parsed = [_parse_hand(hand) for hand in hands]
    # A hand of two must name its position; the round knows how many a seat has.
    for hand in parsed:
        own = [other.get("position") for other in parsed if other["seat"] == hand["seat"]]
        if len(own) > 1 and (None in own or len(set(own)) < len(own)):
            raise BadEntry("A seat has been entered twice.", field="seat")
    return tuple(sorted(parsed, key=lambda hand: (hand["seat"], hand.get("position", 0))))


def _parse_hand(hand: Any) -> dict[str, Any]:
    if not isinstance(hand, dict):
        raise BadEntry("A hand must be a JSON object.", field="hands")
    require_known(hand, HAND_FIELDS)
    parsed: dict[str, Any] = {"seat": parse_number(hand, "seat", 5)}
    if hand.get("position") is not None:
        parsed["position"] = parse_number(hand, "position", 4)
    for name in (*SEGMENTS, "dealt"):
        parsed[name] = " ".join(parse_text(hand, name, LONGEST_SEGMENT).split())
    if parsed["dealt"] and any(parsed[segment] for segment in SEGMENTS):
        raise BadEntry("A hand comes set, or as it was dealt, not both.", field="dealt")
    if hand.get("declares") is not None:
        parsed["declares"] = parse_text(hand, "declares", LONGEST_DECLARATION)
    parsed |= {mark: parse_flag(hand, mark) for mark in MARKS}
    royalties = [] if hand.get("royalties") is None else hand["royalties"]
    if not isinstance(royalties, list) or any(name not in SEGMENTS for name in royalties):
        raise _refusal("royalties", "a list of front, middle and back")
    parsed["royalties"] = announced(royalties)
    return {name: value for name, value in parsed.items() if value or name in NAMES or name in SEGMENTS}


def parse_start_entry(data: Mapping[str, Any]) -> StartEntry:
    require_known(data, START_KEYS)
    return StartEntry(
        declined=parse_seats(data, "decline"),
        in_cash=parse_seats(data, "cash"),
        two_hands=parse_seats(data, "two_hands"),
        pair_stakes=parse_pair_stakes(data),
        reserved=parse_flag(data, "reserved"),
        match_stake_cents=parse_match_stake(data),
    )


def parse_round_entry(round_id: int, data: Mapping[str, Any], *others: str) -> RoundEntry:
    """Return what the dealer confirms, in one canonical form; `others` are keys read elsewhere."""
    require_known(data, ("key", "hands", *others))
    return RoundEntry(round_id, parse_key(data), parse_hands(data))


def parse_settlement(round_id: int, data: Mapping[str, Any]) -> RoundEntry:
    entry = parse_round_entry(round_id, data, "shuffle")
    if data.get("shuffle") is None:
        return entry
    check_shuffle(data["shuffle"])
    return replace(entry, shuffle=data["shuffle"])
