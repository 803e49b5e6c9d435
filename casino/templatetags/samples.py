"""Made-up data for the style page at /design/."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django import template

from tables.rules.game.rounds import library, parse_round, score

register = template.Library()

HAND = {"front": "Qs Qh 2c", "middle": "5c 6d 7h 8s 9s", "back": "Ad Kd 9d 4d 2d"}
OTHER = {"front": "Ah Kc 8h", "middle": "3c 3d 7s 7c 4h", "back": "Ts Th Tc 6h 6c"}
ROUND: dict[str, Any] = {
    "sheet": "face-up",
    "limit": "5.00",
    "button": 2,
    "hands": [{"seat": 2, "stack": "200.00", **HAND}, {"seat": 3, "stack": "45.00", **OTHER}],
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
    return text.split()


@register.simple_tag
def sample() -> dict[str, Any]:
    """Return a table, a hand and a scored round; the table's down ends a little after now."""
    answer = score(parse_round(ROUND, library())).as_json()
    return {
        "hand": HAND,
        "says": answer["hands"][0],
        "answer": answer | {"names": {"2": "Ann", "3": "Bob"}},
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
