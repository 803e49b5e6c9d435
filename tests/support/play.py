"""Rounds as short text: `2: Qs Qh 2c / 5c 6d 7h 8s 9s / Ad Kd 9d 4d 2d` is a hand at seat 2. After the cards:
`misset`, `surrenders`, `fantasy`, `declares dragon`, `royalties back front`, `stack 45.00`. `dealt` before 13
cards without strokes is an unset hand."""

import json
import random
import tomllib
from collections import defaultdict

from tables.rules.game.cards import DECK
from tables.rules.game.rounds import HandScore, Library, RoundScore, library, parse_round, parse_sheet, score

SHEETS = library()
CODES = [sheet.code for sheet in SHEETS]


def hand(text: str) -> dict:
    seat, _, rest = text.partition(":")
    entry = {"seat": int(seat), "stack": "10000.00"}
    cards, *options = [part.strip() for part in rest.split(",")]
    if cards.startswith("dealt"):
        entry["dealt"] = cards.removeprefix("dealt").strip()
    elif cards:
        entry |= zip(("front", "middle", "back"), (part.strip() for part in cards.split("/")), strict=True)
    for option in options:
        word, *values = option.split()
        if word in ("misset", "surrenders"):
            entry[word] = True
        elif word == "fantasy":
            entry["fantasy_land"] = True
        elif word == "royalties":
            entry[word] = values
        else:
            entry[word] = values[0]
    return entry


def entry(sheet: str, *hands: str, button: int = 1, limit: str = "1.00", **more) -> dict:
    return {"sheet": sheet, "limit": limit, "button": button, "hands": [hand(text) for text in hands], **more}


def play(sheet: str, *hands: str, sheets=SHEETS, **more) -> RoundScore:
    return score(parse_round(entry(sheet, *hands, **more), sheets))


def variant(code: str, changes: str) -> Library:
    """Return the library with a sheet `house`: `code` changed by lines of TOML, as `majority = 1`."""
    document = tomllib.loads(SHEETS.find(code).raw.decode()) | {"code": "house"}
    for key, value in tomllib.loads(changes).items():
        document[key] = document.get(key, {}) | value if isinstance(value, dict) else value
    return SHEETS.with_sheet(parse_sheet(toml(document).encode(), "house.toml"))


def toml(document: dict) -> str:
    return "\n".join(f"{key} = {_toml_value(value)}" for key, value in document.items())


def _toml_value(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml_value(inner)}" for key, inner in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml_value, value)) + "]"
    return json.dumps(value)


def at(result: RoundScore, seat: int) -> HandScore:
    return next(hand for hand in result.hands if hand.seat == seat)


def points(result: RoundScore) -> dict[int, int]:
    """Return what every seat won or lost in points, before caps."""
    won = defaultdict(int)
    for payment in result.payments:
        won[payment.to_seat] += payment.points
        won[payment.from_seat] -= payment.points
    return {seat: won[seat] for seat in result.net_cents}


def reasons(result: RoundScore, to: int | None = None) -> list[tuple[int, str, int]]:
    """Return every line of the round as (seat that collects, reason, points)."""
    lines = [tuple(line) for payment in (*result.payments, *result.pushed) for line in payment.lines]
    return lines if to is None else [(reason, points) for seat, reason, points in lines if seat == to]


def random_hands(rng: random.Random, count: int) -> list[list[str]]:
    deck = list(DECK)
    rng.shuffle(deck)
    return [deck[13 * place : 13 * place + 13] for place in range(count)]
