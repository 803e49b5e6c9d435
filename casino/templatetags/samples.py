"""Made-up facts for the style page at /design/, so that every component can be looked at without a running house."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django import template

register = template.Library()

HAND = {"front": "Qs Qh 2c", "middle": "5c 6d 7h 8s 9s", "back": "Ad Kd 9d 4d 2d"}
ANSWER: dict[str, Any] = {
    "names": {"2": "Ann", "3": "Bob"},
    "hands": [
        {
            "position": 1,
            "seat": 2,
            "foul": False,
            "clean_sweep": None,
            "front": "pair",
            "middle": "straight",
            "back": "flush",
            "bonus": {"front": 7, "middle": 4, "back": 4},
            "fantasy_land_next": True,
        },
        {
            "position": 2,
            "seat": 3,
            "foul": False,
            "clean_sweep": None,
            "front": "high-card",
            "middle": "two-pairs",
            "back": "full-house",
            "bonus": {"front": 0, "middle": 0, "back": 6},
            "fantasy_land_next": False,
        },
    ],
    "payments": [
        {
            "from": 3,
            "to": 2,
            "positions": [2, 1],
            "points": 10,
            "due": "50.00",
            "paid": "45.00",
            "lines": [
                {"to": 2, "reason": "bonus_front", "points": 7},
                {"to": 2, "reason": "front", "points": 1},
                {"to": 2, "reason": "bonus_middle", "points": 4},
                {"to": 2, "reason": "middle", "points": 1},
                {"to": 2, "reason": "bonus_back", "points": 4},
                {"to": 3, "reason": "bonus_back", "points": 6},
                {"to": 3, "reason": "back", "points": 1},
            ],
        }
    ],
    "net": {"2": "45.00", "3": "-45.00"},
}
SEATS = (
    {"seat": 1, "player": "Ann", "cents": 28_500, "button": True, "fantasy_land": True},
    {"seat": 2, "player": "Bob", "cents": 4_000, "reason": "short"},
    {"seat": 3, "player": "Cat", "cents": 4_750, "reason": "fee_due"},
    {"seat": 4, "player": "Dan", "cents": 14_000, "reason": "sitting_out"},
    {"seat": 5, "href": "#seats"},
)


@register.filter
def words(text: str) -> list[str]:
    """The words of a text."""
    return text.split()


@register.simple_tag
def sample() -> dict[str, Any]:
    """A table, a hand and a round's answer; the table's down ends a little after now."""
    return {
        "hand": HAND,
        "says": ANSWER["hands"][0],
        "answer": ANSWER,
        "table": {
            "number": 7,
            "title": "Face-Up Chinese Poker",
            "limit_cents": 500,
            "fee_cents": 1_500,
            "href": "#table",
            "seats": SEATS,
            "round": "Round 12 since 21:04",
            "down": {"number": 3, "ends_at": datetime.now(UTC) + timedelta(minutes=4, seconds=20)},
        },
    }
