"""The entry point of the rules: a round in, its settlement out, with every point and its reason.

    deal = parse_round(json_value, library())
    result = score(deal)
    result.payments, result.net_cents, result.as_json()

Pure functions over immutable values. Players' names, accounts and databases are not known here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from tables.rules.game.answer import answer_text
from tables.rules.game.comparing import Line
from tables.rules.game.entry import Deal, DealtHand, parse_round
from tables.rules.game.scoring import HandRow, HandScore, claims, hand_score, race_points, showdown
from tables.rules.game.setting import Setting, describe
from tables.rules.game.settlement import Payment, settle
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

# The version of this code: raised whenever it would settle any round otherwise than before.
RULES_VERSION: Final = 1


class RoundScore(NamedTuple):
    """A settled round. `rows` are its hands by position.

    `payments` are in the order of R31 and each above 0 points; `pushed` are the comparisons whose lines came out
    even. `net_cents` has every seat of the round and sums to 0 (R34). In a race (R42) there is no money, and
    `race` has the points of this round by seat; elsewhere it is None.
    """

    deal: Deal
    rows: tuple[HandRow, ...]
    payments: tuple[Payment, ...]
    pushed: tuple[Payment, ...]
    net_cents: Mapping[int, int]
    race: Mapping[int, int] | None

    @property
    def hands(self) -> tuple[HandScore, ...]:
        """The hands from position 1 on."""
        return tuple(map(hand_score, self.rows))

    def as_text(self) -> str:
        """The answer in the score format (docs/rules.md, section 9) as one line of JSON."""
        return answer_text(self.deal.sheet, self.rows, self.payments, self.net_cents, self.race)

    def as_json(self) -> dict[str, Any]:
        """The same answer as a JSON value."""
        answer: dict[str, Any] = json.loads(self.as_text())
        return answer


def score(deal: Deal) -> RoundScore:
    """The settlement of a round (R10-R36, R41), or its points in a race (R42)."""
    rows, laid = showdown(deal)
    if deal.sheet.race_to:
        race = race_points(list(map(hand_score, rows)))
        return RoundScore(deal, tuple(rows), (), (), dict.fromkeys(race, 0), race)
    payments, pushed, net_cents = settle(deal, claims(deal, rows, laid))
    return RoundScore(deal, tuple(rows), tuple(payments), tuple(pushed), net_cents, None)
