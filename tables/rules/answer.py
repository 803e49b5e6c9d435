"""The answer to a round as one line of JSON, in the score format (docs/rules.md, section 9).

Written as text at once, because a long file of rounds spends most of its time here otherwise: nothing in it
needs escaping (codes of sheets, words of the rules, numbers). What the figures mean is `scoring` and `settlement`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache, partial
from typing import Final

from .comparing import Line
from .money import text_of
from .scoring import HandRow, HandScore
from .settlement import Payment
from .sheet import Sheet

_named: Final = partial(tuple.__new__, HandScore)
_FLAGS: Final = {False: "false", True: "true"}


def answer_text(
    sheet: Sheet,
    rows: tuple[HandRow, ...],
    payments: tuple[Payment, ...],
    net_cents: Mapping[int, int],
    race: Mapping[int, int] | None,
) -> str:
    """The answer as JSON text, without a line's end."""
    broken = sheet.bonus.broken
    opening = f'{{"sheet": "{sheet.code}", "version": {sheet.version}, "hands": ['
    laid = ", ".join([_hand_text(hand, broken) for hand in map(_named, rows)])
    if race is not None:
        points = ", ".join([f'"{seat}": {scored}' for seat, scored in race.items()])
        return f'{opening}{laid}], "score": {{{points}}}}}'
    paid = ", ".join([_payment_text(payment) for payment in payments])
    net = ", ".join([f'"{seat}": "{text_of(cents)}"' for seat, cents in net_cents.items()])
    return f'{opening}{laid}], "payments": [{paid}], "net": {{{net}}}}}'


def _word(word: str | None) -> str:
    return "null" if word is None else f'"{word}"'


def _hand_text(hand: HandScore, broken: bool) -> str:
    front, middle, back, from_broken = hand.bonuses
    also = f', "broken": {from_broken}' if broken else ""
    return (
        f'{{"position": {hand.position}, "seat": {hand.seat}, "foul": {_FLAGS[hand.foul]}, '
        f'"surrendered": {_FLAGS[hand.surrendered]}, "clean_sweep": {_word(hand.clean_sweep)}, '
        f'"front": {_word(hand.front)}, "middle": {_word(hand.middle)}, "back": {_word(hand.back)}, '
        f'"bonus": {{"front": {front}, "middle": {middle}, "back": {back}{also}}}, '
        f'"fantasy_land_next": {_FLAGS[hand.fantasy_land_next]}}}'
    )


def _payment_text(payment: Payment) -> str:
    from_seat, to_seat, (payer, receiver), points, due, paid, lines = payment
    return (
        f'{{"from": {from_seat}, "to": {to_seat}, "positions": [{payer}, {receiver}], "points": {points}, '
        f'"due": "{text_of(due)}", "paid": "{text_of(paid)}", "lines": [{_lines_text(lines)}]}}'
    )


@lru_cache(maxsize=1 << 14)
def _lines_text(lines: tuple[Line, ...]) -> str:
    return ", ".join(
        [f'{{"to": {seat}, "reason": "{reason}", "points": {points}}}' for seat, reason, points in lines]
    )
