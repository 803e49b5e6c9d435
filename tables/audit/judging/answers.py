"""Whether a recorded answer is the one that a round comes to, held against it without writing the answer down. Pure.

It is asked of every round of a log. What the answer is, `RoundScore.as_json` says, and tests hold this to that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any, Final

from ledger.money import amount_text
from tables.rules.game.by_hand import HandSettlement
from tables.rules.game.ranking import CATEGORIES, CATEGORY_SHIFT
from tables.rules.game.rounds import RoundScore
from tables.rules.game.scoring import HandRow, Told, written
from tables.rules.game.settlement import PaymentRow

_CATEGORIES: Final = CATEGORIES
_HAND: Final = itemgetter(
    *("position", "seat", "foul", "surrendered", "clean_sweep", "front", "middle", "back"),
    *("bonus", "fantasy_land_next"),
)
_PAYMENT: Final = itemgetter("from", "to", "positions", "points", "due", "paid", "lines")


def is_answer(said: Any, scored: RoundScore | HandSettlement) -> bool:
    """Whether `said` is the answer in the score format (docs/rules.md, section 9): all of it, and nothing besides."""
    if isinstance(scored, HandSettlement):
        return bool(said == scored.as_json())
    deal, rows, payments, _, net_cents, race = scored
    sheet = deal.sheet
    try:
        if (said["sheet"], said["version"]) != (sheet.code, sheet.version):
            return False
        if not _are_hands(said["hands"], rows, broken=sheet.bonus.broken):
            return False
        if race is not None:
            return len(said) == 4 and said["score"] == {str(seat): points for seat, points in race.items()}
        net = {str(seat): amount_text(cents) for seat, cents in net_cents.items()}
        return len(said) == 5 and said["net"] == net and _are_payments(said["payments"], payments)
    except (LookupError, TypeError):
        return False


def _are_hands(said: Sequence[Mapping[str, Any]], rows: Sequence[HandRow], *, broken: bool) -> bool:
    if len(said) != len(rows):
        return False
    for hand, row in zip(said, rows, strict=True):
        position, seat, foul, surrendered, _, sweep, (front, middle, back), bonuses, _, land = row
        bonus = {"front": bonuses[0], "middle": bonuses[1], "back": bonuses[2]}
        if broken:
            bonus["broken"] = bonuses[3]
        if len(hand) != 10 or _HAND(hand) != (
            position,
            seat,
            foul,
            surrendered,
            sweep.kind if sweep else None,
            _CATEGORIES[front >> CATEGORY_SHIFT] if front else None,
            _CATEGORIES[abs(middle) >> CATEGORY_SHIFT] if middle else None,
            _CATEGORIES[back >> CATEGORY_SHIFT] if back else None,
            bonus,
            land,
        ):
            return False
    return True


def _are_payments(said: Sequence[Mapping[str, Any]], payments: Sequence[PaymentRow]) -> bool:
    if len(said) != len(payments):
        return False
    for payment, (from_seat, to_seat, positions, points, due, paid, told) in zip(said, payments, strict=True):
        if len(payment) != 7 or _PAYMENT(payment) != (
            from_seat,
            to_seat,
            [*positions],
            points,
            amount_text(due),
            amount_text(paid),
            _lines(told),
        ):
            return False
    return True


@lru_cache(maxsize=1 << 13)
def _lines(told: Told) -> list[dict[str, Any]]:
    return [{"to": seat, "reason": reason, "points": points} for seat, reason, points in written(told)]
