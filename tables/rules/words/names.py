"""Names of categories, ranks, clean sweeps and reasons for points, each with a capital letter."""

from typing import Final

SEGMENT_NAMES: Final = {"front": "Front", "middle": "Middle", "back": "Back"}
CATEGORY_NAMES: Final = {
    "high-card": "High card",
    "pair": "Pair",
    "two-pairs": "Two pairs",
    "trips": "Three of a kind",
    "straight": "Straight",
    "flush": "Flush",
    "full-house": "Full house",
    "quads": "Four of a kind",
    "straight-flush": "Straight flush",
    "royal-flush": "Royal flush",
}
# In the plural, in ascending order.
RANK_NAMES: Final = (
    "Twos",
    "Threes",
    "Fours",
    "Fives",
    "Sixes",
    "Sevens",
    "Eights",
    "Nines",
    "Tens",
    "Jacks",
    "Queens",
    "Kings",
    "Aces",
)
CLEAN_SWEEP_NAMES: Final = {
    "super-dragon": "Super dragon",
    "dragon": "Dragon",
    "six-pairs": "Six pairs",
    "three-straights": "Three straights",
    "three-flushes": "Three flushes",
    "thirteen-colours": "Thirteen of a colour",
    "twelve-colours": "Twelve of a colour",
    "no-broadway": "No broadway",
    "no-people": "No people",
}
# Each kind (R26), with a sample: 13 cards, or the three segments.
CLEAN_SWEEPS_ARE: Final = {
    "super-dragon": ("Ace to king, all in one suit.", ("As Ks Qs Js Ts 9s 8s 7s 6s 5s 4s 3s 2s",)),
    "dragon": ("Ace to king, in any suits.", ("Ah Kc Qd Js Th 9c 8d 7s 6h 5c 4d 3s 2h",)),
    "six-pairs": (
        "Six pairs and an odd card. Four of a kind are two pairs, three of a kind a pair and the odd card.",
        ("Ah Ad Jc Js 9d 9s 8h 8d 8c 8s 4h 4c 2d",),
    ),
    "three-straights": (
        "A straight in each segment; three cards in front, from A-2-3 up to A-K-Q. Straight flushes are"
        " straights.",
        ("5d 6s 7h", "4c 5h 6d 7s 8c", "Td Jh Qc Ks Ad"),
    ),
    "three-flushes": (
        "Each segment in one suit. Straight flushes are flushes.",
        ("9h 5h 2h", "Kc 9c 7c 4c 3c", "As Ts 8s 6s 3s"),
    ),
    "thirteen-colours": ("All red, or all black.", ("Ah Ad Kd Jh 9h 9d 8d 7h 6d 5h 4d 3h 2d",)),
    "twelve-colours": (
        "Exactly twelve cards red, or exactly twelve black.",
        ("As Ac Kc Js 9s 9c 8c 7s 6c 5s 4c 3s 2h",),
    ),
    "no-broadway": ("No ten or higher.", ("9h 9s 8d 8c 7h 6s 6c 5d 4h 4c 3s 2d 2c",)),
    "no-people": ("No jack, queen or king.", ("Ah Ac Td Ts 9c 8h 7d 6s 5c 4h 3d 3s 2c",)),
}
# What a line of a payment is for, and its rule.
REASON_NAMES: Final = {
    "front": ("Front won", "R10"),
    "middle": ("Middle won", "R10"),
    "back": ("Back won", "R10"),
    "majority": ("Two of three segments or more", "R11"),
    "scoop": ("All three segments", "R12"),
    "bonus_front": ("Bonus in front", "R13"),
    "bonus_middle": ("Bonus in the middle", "R13"),
    "bonus_back": ("Bonus in back", "R13"),
    "bonus_broken": ("Bonus across segments", "R13"),
    "foul": ("Foul hand", "R20"),
    "clean_sweep": ("Clean sweep", "R23"),
    "surrender": ("Surrender", "R27"),
    "by_hand": ("Points entered by hand", "R58"),
}
OR: Final = "or"
_AT_LEAST_IN: Final = {"front": "in front", "middle": "in the middle", "back": "in the back"}


def points_text(points: int) -> str:
    if points == 1:
        return "1 point"
    return f"{points} points" if points else "no points"


def listed(parts: list[str] | tuple[str, ...], last: str = "and") -> str:
    return f" {last} ".join(part for part in (", ".join(parts[:-1]), *parts[-1:]) if part)


def at_least(segment: str, word: str) -> str:
    """Return the least hand in a segment, in words: `a pair of queens or better in front`."""
    group, _, rank = word.partition("-")
    in_segment = _AT_LEAST_IN[segment]
    if segment != "front":
        category = CATEGORY_NAMES[word].lower()
        if word == "royal-flush":
            return f"a royal flush {in_segment}"
        several = word in ("trips", "quads", "two-pairs")
        return f"{category} or better {in_segment}" if several else f"a {category} or better {in_segment}"
    ranks = RANK_NAMES["23456789TJQKA".index(rank)].lower() if rank else ""
    if group == "pair":
        return f"a pair of {ranks} or better {in_segment}" if ranks else f"a pair or better {in_segment}"
    if word in ("trips", "trips-2"):  # the lowest of them
        return f"three of a kind {in_segment}"
    return f"three {ranks} {in_segment}" if rank == "A" else f"three {ranks} or better {in_segment}"
