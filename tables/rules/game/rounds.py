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

# The version of this code: raised whenever it would settle any round otherwise than before.
RULES_VERSION: Final = 1


_named: Final = tuple.__new__  # quicker than a NamedTuple's own


class RoundScore(NamedTuple):
    """A settled round: its figures at once, what has a name or a line when somebody looks.

    `rows` are its hands by position. `paid` are its payments in the order of R31, each above 0 points; `even` are the
    comparisons that came to nothing. `net_cents` has every seat of the round and sums to 0 (R34). In a race (R42) there
    is no money, and `race` has the points of this round by seat; elsewhere it is None.
    """

    deal: Deal
    rows: list[HandRow]
    paid: list[PaymentRow]
    even: list[PaymentRow]
    net_cents: Mapping[int, int]
    race: Mapping[int, int] | None

    @property
    def hands(self) -> tuple[HandScore, ...]:
        """The hands from position 1 on."""
        return tuple(map(hand_score, self.rows))

    @property
    def payments(self) -> tuple[Payment, ...]:
        """The payments in their order, with their lines."""
        return with_lines(self.paid)

    @property
    def pushed(self) -> tuple[Payment, ...]:
        """The comparisons whose lines came out even, and those that have none."""
        return with_lines(self.even)

    def as_text(self) -> str:
        """The answer in the score format (docs/rules.md, section 9) as one line of canonical JSON."""
        return answer_text(self.deal.sheet, self.rows, self.paid, self.net_cents, self.race)

    def as_json(self) -> dict[str, Any]:
        """The same answer as a JSON value."""
        answer: dict[str, Any] = json.loads(self.as_text())
        return answer

    @property
    def answer_hash(self) -> str:
        """The hash of the answer's text, in hex."""
        return hash_of(self.as_text())

    @property
    def result(self) -> dict[str, list[int]]:
        """Points and cents of every seat, as the record of a round has them."""
        return result_of(self.net_cents, self.paid, self.race)


def score(deal: Deal) -> RoundScore:
    """The settlement of a round (R10-R36, R41), or its points in a race (R42)."""
    rows, laid = showdown(deal)
    if deal.sheet.race_to:
        race = race_points(list(map(hand_score, rows)))
        return RoundScore(deal, rows, [], [], dict.fromkeys(race, 0), race)
    paid, even, net_cents = settle(deal, claims(deal, rows, laid))
    return _named(RoundScore, (deal, rows, paid, even, net_cents, None))
