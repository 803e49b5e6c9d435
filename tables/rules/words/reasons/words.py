"""The building blocks of reasons: one result of a round, and segments in words."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from tables.rules.game import ranking
from tables.rules.game.comparing import BONUS_REASONS, BROKEN
from tables.rules.game.scoring import HandScore
from tables.rules.game.sheet import Sheet
from tables.rules.words.names import CLEAN_SWEEP_NAMES, RANK_NAMES, REASON_NAMES, listed, points_text

COLLECTS: Final = "A clean sweep collects its value from every opponent and compares nothing."
NOTHING: Final = "nothing"
_SINGLES: Final = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")


class Reason(NamedTuple):
    """One result of a round: `points` for the hand at position `to`, or 0 and None if nothing was earned."""

    title: str
    fact: str
    rule: str
    says: str
    points: int = 0
    to: int | None = None


def segment_words(strength: int) -> str:
    """Describe a segment to the last card that counts: `pair of queens with 10-9-4`; empty for strength 0."""
    if not strength:
        return ""
    category = ranking.category_of(strength)
    ranks = [rank for place in range(16, -1, -4) if (rank := abs(strength) >> place & 15)]
    if category in (ranking.STRAIGHT, ranking.ROYAL_FLUSH - 1):
        # The second-best wheel counts as a king and a half (R2).
        top = 5 if len(ranks) == 2 else ranks[0]
        if category == ranking.STRAIGHT:
            return f"straight to the {_single(top)}"
        return f"straight flush to the {_single(top)}"
    if category == ranking.ROYAL_FLUSH:
        return "royal flush"
    if category in (ranking.HIGH_CARD, ranking.FLUSH):
        return f"high card {_singles(ranks)}" if category == ranking.HIGH_CARD else f"flush {_singles(ranks)}"
    if category == ranking.FULL_HOUSE:
        return f"full house, {_plural(ranks[0])} over {_plural(ranks[1])}"
    paired = 2 if category == ranking.TWO_PAIRS else 1
    same = {
        ranking.PAIR: f"pair of {_plural(ranks[0])}",
        ranking.TWO_PAIRS: f"two pairs of {listed([_plural(rank) for rank in ranks[:2]])}",
        ranking.TRIPS: f"three {_plural(ranks[0])}",
        ranking.QUADS: f"four {_plural(ranks[0])}",
    }[category]
    return f"{same} with {_singles(ranks[paired:])}" if ranks[paired:] else same


def _single(rank: int) -> str:
    return _SINGLES[rank - 2]


def _singles(ranks: Sequence[int]) -> str:
    return "-".join(map(_single, ranks))


def _plural(rank: int) -> str:
    return RANK_NAMES[rank - 2].lower()


def hand_name(hand: HandScore, hands: Iterable[HandScore]) -> str:
    """Return `seat 3`, or with two hands each `seat 3, second hand` (R35); `hands` are those of the round."""
    own = [other.position for other in hands if other.seat == hand.seat]
    if len(own) == 1:
        return f"seat {hand.seat}"
    return f"seat {hand.seat}, first hand" if own[0] == hand.position else f"seat {hand.seat}, second hand"


def sweep_words(kind: str) -> str:
    """Return a clean sweep for the middle of a sentence: `six pairs`."""
    return CLEAN_SWEEP_NAMES[kind].lower()


def pays_surrender(sheet: Sheet) -> str:
    return (
        f"A surrendered hand pays {points_text(sheet.surrender.points)} to every opponent and compares"
        " nothing."
    )


def bonus_title(place: int) -> str:
    return REASON_NAMES[BONUS_REASONS[place]][0]


def holding(hand: HandScore, place: int) -> str:
    return "a combination broken over segments" if place == BROKEN else segment_words(hand.strengths[place])
