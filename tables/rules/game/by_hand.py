"""A round whose cards are gone, settled by points that people agreed on (R58), by the usual order and limits.

Its value is a round of the score format with `points` in place of cards:

    {"sheet": "face-up", "version": 1, "limit": "5.00", "button": 2,
     "hands": [{"seat": 3, "stack": "200.00"}, {"seat": 2, "stack": "45.00"}], "points": [[2, 3, -10]]}

`hands` are in order of position, two for a player who plays two; `points` are [lower seat, higher seat, what
the lower wins from the higher], once for every pair. The answer has payments and net; of the hands it has
only positions and seats.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, Final, NamedTuple

from ledger.money import cents_of
from tables.rules.errors import BadLimit, BadPoints, BadSeat, BadStack
from tables.rules.game.answer import hash_of, paid_text, result_of
from tables.rules.game.entry import NO_OPTIONS, Deal
from tables.rules.game.scoring import Claim, lines_to
from tables.rules.game.settlement import Payment, PaymentRow, settle, with_lines
from tables.rules.game.sheet import Sheet

REASON: Final = "by_hand"
MOST_POINTS: Final = 10_000
"""More points than a round of any sheet can come to between two players."""

Points = tuple[int, int, int]


class HandSettlement(NamedTuple):
    """A round settled by hand. `places` are (position, seat) of each player's first hand; whole cents."""

    sheet: Sheet
    places: tuple[tuple[int, int], ...]
    paid: list[PaymentRow]
    net_cents: Mapping[int, int]

    @property
    def payments(self) -> tuple[Payment, ...]:
        return with_lines(self.paid)

    def as_text(self) -> str:
        laid = ",".join([f'{{"position":{position},"seat":{seat}}}' for position, seat in self.places])
        return paid_text(self.sheet, laid, self.paid, self.net_cents)

    def as_json(self) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self.as_text())
        return answer

    @property
    def answer_hash(self) -> str:
        return hash_of(self.as_text())

    @property
    def result(self) -> dict[str, list[int]]:
        """Points and cents of every seat, as in the record of a round."""
        return result_of(self.net_cents, self.paid)


def normal_points(points: Iterable[Sequence[int]], seats: Iterable[int]) -> list[Points]:
    """Return points as recorded, one for every pair of seats, lower seat first. Refuses `bad_points`."""
    kept: dict[tuple[int, int], int] = {}
    for one in points:
        if len(one) != 3 or any(type(number) is not int for number in one) or abs(one[2]) > MOST_POINTS:
            sentence = f"points are a whole number between two seats, {MOST_POINTS:,} at most"
            raise BadPoints(sentence, field="points")
        first, second, won = one
        pair, sign = ((first, second), 1) if first < second else ((second, first), -1)
        if pair in kept:
            raise BadPoints(f"seats {pair[0]} and {pair[1]} have points twice", field="points")
        kept[pair] = sign * won
    pairs = list(combinations(sorted(set(seats)), 2))
    for first, second in pairs:
        if (first, second) not in kept:
            raise BadPoints(f"seats {first} and {second} have no points", field="points")
    if len(kept) > len(pairs):
        raise BadPoints("points are between two seats that were dealt in", field="points")
    return [(*pair, kept[pair]) for pair in pairs]


def settle_by_hand(entry: Mapping[str, Any], sheet: Sheet) -> HandSettlement:
    """Settle this value by points (R31-R34), never a race. Refuses `bad_limit`, `bad_stack`, `bad_points`."""
    if sheet.race_to:
        raise BadPoints("a race has points for seats, not between two of them", field="points")
    first: dict[int, int] = {}
    rows = []
    for position, hand in enumerate(entry["hands"], 1):
        stack = cents_of(hand["stack"])
        if stack is None:
            raise BadStack("a stack is an amount with two places", field="stack")
        first.setdefault(hand["seat"], position)
        rows.append((hand["seat"], stack, ("", "", ""), NO_OPTIONS, (0, 0, 0), False, None))
    deal = Deal(sheet, _limit(entry["limit"]), entry["button"], tuple(rows), (), _stakes(entry))
    claims: list[Claim] = []
    for one, other, points in normal_points(entry["points"], first):
        winner, loser = (one, other) if points > 0 else (other, one)
        if points:
            told = (lines_to, winner, REASON, abs(points))
            claims.append(((loser, winner, (first[loser], first[winner])), abs(points), told))
    claims.sort(key=lambda claim: sorted(claim[0][2]))
    paid, _, net_cents = settle(deal, claims)
    places = tuple((position, seat) for seat, position in first.items())
    return HandSettlement(sheet, places, paid, net_cents)


def _limit(text: object) -> int:
    cents = cents_of(text)
    if not cents:
        raise BadLimit("the limit is an amount above zero", field="limit")
    return cents


def _stakes(entry: Mapping[str, Any]) -> dict[tuple[int, int], int]:
    stakes = {}
    for stake in entry.get("pair_stakes", ()):
        low, high = sorted(stake["seats"])
        if low == high:
            raise BadSeat("a stake is between two seats", field="pair_stakes")
        stakes[low, high] = _limit(stake["limit"])
    return stakes
