"""The answer to a round as a value, made without its text: every round of a log is compared with one. Pure.

It says what `RoundScore.as_json` says, and tests hold it to that.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from tables.rules.comparing import Line
from tables.rules.money import text_of
from tables.rules.ranking import CATEGORIES, CATEGORY_SHIFT
from tables.rules.rounds import RoundScore

_CATEGORIES: Final = CATEGORIES


def answer_of(scored: RoundScore) -> dict[str, Any]:
    """The answer in the score format (docs/rules.md, section 9). Shares its lines with others: not to be changed."""
    deal, rows, payments, _, net_cents, race = scored
    sheet = deal.sheet
    broken = sheet.bonus.broken
    hands = []
    for position, seat, foul, surrendered, _, sweep, (front, middle, back), bonuses, _, land in rows:
        bonus = {"front": bonuses[0], "middle": bonuses[1], "back": bonuses[2]}
        if broken:
            bonus["broken"] = bonuses[3]
        hands.append(
            {
                "position": position,
                "seat": seat,
                "foul": foul,
                "surrendered": surrendered,
                "clean_sweep": sweep.kind if sweep else None,
                "front": _CATEGORIES[front >> CATEGORY_SHIFT] if front else None,
                "middle": _CATEGORIES[abs(middle) >> CATEGORY_SHIFT] if middle else None,
                "back": _CATEGORIES[back >> CATEGORY_SHIFT] if back else None,
                "bonus": bonus,
                "fantasy_land_next": land,
            }
        )
    answer: dict[str, Any] = {"sheet": sheet.code, "version": sheet.version, "hands": hands}
    if race is not None:
        return answer | {"score": {str(seat): points for seat, points in race.items()}}
    answer["payments"] = [
        {
            "from": from_seat,
            "to": to_seat,
            "positions": [*positions],
            "points": points,
            "due": text_of(due),
            "paid": text_of(paid),
            "lines": _lines(lines),
        }
        for from_seat, to_seat, positions, points, due, paid, lines in payments
    ]
    answer["net"] = {str(seat): text_of(cents) for seat, cents in net_cents.items()}
    return answer


@lru_cache(maxsize=1 << 13)
def _lines(lines: tuple[Line, ...]) -> list[dict[str, Any]]:
    return [{"to": seat, "reason": reason, "points": points} for seat, reason, points in lines]


def first_difference(said: object, found: object, path: str = "answer") -> str:
    """Where two JSON values differ first, as a path; empty where they are equal."""
    if isinstance(said, dict) and isinstance(found, dict):
        for key in [*found, *(key for key in said if key not in found)]:
            if key not in said or key not in found:
                return f"{path}.{key}"
            if where := first_difference(said[key], found[key], f"{path}.{key}"):
                return where
        return ""
    if isinstance(said, list) and isinstance(found, list):
        if len(said) != len(found):
            return path
        for place, (one, other) in enumerate(zip(said, found, strict=True)):
            if where := first_difference(one, other, f"{path}.{place}"):
                return where
        return ""
    return "" if type(said) is type(found) and said == found else path
