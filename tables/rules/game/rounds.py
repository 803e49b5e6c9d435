"""The entry point of the rules: a round in, its settlement out, with every point and its reason.

    deal = parse_round(json_value, library())
    result = score(deal)
    result.payments, result.net_cents, result.as_json()

Pure functions over immutable values, without names, accounts or databases.
"""

import json
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from tables.rules.game.answer import answer_text, hash_of, result_of
from tables.rules.game.comparing import Line
from tables.rules.game.entry import Deal, DealtHand, parse_round
from tables.rules.game.scoring import HandRow, HandScore, claims, hand_score, race_points, showdown
from tables.rules.game.setting import Setting, describe
from tables.rules.game.settlement import Payment, PaymentRow, settle, with_lines
from tables.rules.game.sheet import Library, Sheet, library, parse_sheet

__all__ = [
    "RULES_VERSION",
    "Deal",
    "DealtHand",
    "HandScore",
    "Library",
    "Line",
    "Payment",
    "RoundScore",
    "Setting",
    "Sheet",
    "describe",
    "library",
    "parse_round",
    "parse_sheet",
    "score",
]

# The version of this code: raised whenever it would settle any round differently.
RULES_VERSION: Final = 1


_named: Final = tuple.__new__  # faster than a NamedTuple's own


class RoundScore(NamedTuple):
    """A settled round: `paid` are payments in order (R31), `even` are comparisons that came to nothing.
    `net_cents` sums to 0 (R34). `race` has points by seat in a race (R42), else it is None."""

    deal: Deal
    rows: list[HandRow]
    paid: list[PaymentRow]
    even: list[PaymentRow]
    net_cents: Mapping[int, int]
    race: Mapping[int, int] | None

    @property
    def hands(self) -> tuple[HandScore, ...]:
        return tuple(map(hand_score, self.rows))

    @property
    def payments(self) -> tuple[Payment, ...]:
        return with_lines(self.paid)

    @property
    def pushed(self) -> tuple[Payment, ...]:
        """The comparisons that came out even or have no lines."""
        return with_lines(self.even)

    def as_text(self) -> str:
        return answer_text(self.deal.sheet, self.rows, self.paid, self.net_cents, self.race)

    def as_json(self) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self.as_text())
        return answer

    @property
    def answer_hash(self) -> str:
        return hash_of(self.as_text())

    @property
    def result(self) -> dict[str, list[int]]:
        """Points and cents of every seat, as in the record of a round."""
        return result_of(self.net_cents, self.paid, self.race)


def score(deal: Deal) -> RoundScore:
    """Settle a round (R10-R36, R41), or count its points in a race (R42)."""
    rows, laid = showdown(deal)
    if deal.sheet.race_to:
        race = race_points(list(map(hand_score, rows)))
        return RoundScore(deal, rows, [], [], dict.fromkeys(race, 0), race)
    paid, even, net_cents = settle(deal, claims(deal, rows, laid))
    return _named(RoundScore, (deal, rows, paid, even, net_cents, None))
