"""The answer to a round as one line of JSON, in the score format (docs/rules.md, section 9).

Written as text at once, because a long file of rounds spends most of its time here otherwise: nothing in it
needs escaping (codes of sheets, words of the rules, numbers). What the figures mean is `scoring` and `settlement`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from ledger.money import amount_text
from tables.rules.game.ranking import CATEGORIES, CATEGORY_SHIFT
from tables.rules.game.scoring import HandRow, Told, written
from tables.rules.game.settlement import PaymentRow
from tables.rules.game.sheet import Sheet

_FLAGS: Final = {False: "false", True: "true"}
_CATEGORIES: Final = [f'"{category}"' for category in CATEGORIES]


def answer_text(
    sheet: Sheet,
    rows: Sequence[HandRow],
    payments: Sequence[PaymentRow],
    net_cents: Mapping[int, int],
    race: Mapping[int, int] | None,
) -> str:
    """The answer as JSON text, without a line's end."""
    broken = sheet.bonus.broken
    opening = f'{{"sheet": "{sheet.code}", "version": {sheet.version}, "hands": ['
    laid = ", ".join([_hand_text(row, broken) for row in rows])
    if race is not None:
        points = ", ".join([f'"{seat}": {scored}' for seat, scored in race.items()])
        return f'{opening}{laid}], "score": {{{points}}}}}'
    paid = ", ".join([_payment_text(payment) for payment in payments])
    net = ", ".join([f'"{seat}": "{amount_text(cents)}"' for seat, cents in net_cents.items()])
    return f'{opening}{laid}], "payments": [{paid}], "net": {{{net}}}}}'


def _hand_text(row: HandRow, broken: bool) -> str:
    position, seat, foul, surrendered, _, sweep, (front, middle, back), bonuses, _, fantasy_land_next = row
    in_front, in_middle, in_back, from_broken = bonuses
    clean_sweep = f'"{sweep.kind}"' if sweep else "null"
    also = f', "broken": {from_broken}' if broken else ""
    return (
        f'{{"position": {position}, "seat": {seat}, "foul": {_FLAGS[foul]}, '
        f'"surrendered": {_FLAGS[surrendered]}, "clean_sweep": {clean_sweep}, '
        f'"front": {_CATEGORIES[front >> CATEGORY_SHIFT] if front else "null"}, '
        f'"middle": {_CATEGORIES[abs(middle) >> CATEGORY_SHIFT] if middle else "null"}, '
        f'"back": {_CATEGORIES[back >> CATEGORY_SHIFT] if back else "null"}, '
        f'"bonus": {{"front": {in_front}, "middle": {in_middle}, "back": {in_back}{also}}}, '
        f'"fantasy_land_next": {_FLAGS[fantasy_land_next]}}}'
    )


def _payment_text(payment: PaymentRow) -> str:
    from_seat, to_seat, (payer, receiver), points, due, paid, told = payment
    due_text = amount_text(due)
    return (
        f'{{"from": {from_seat}, "to": {to_seat}, "positions": [{payer}, {receiver}], "points": {points}, '
        f'"due": "{due_text}", "paid": "{due_text if paid == due else amount_text(paid)}", '
        f'"lines": [{_lines_text(told)}]}}'
    )


@lru_cache(maxsize=1 << 14)
def _lines_text(told: Told) -> str:
    return ", ".join(
        [
            f'{{"to": {seat}, "reason": "{reason}", "points": {points}}}'
            for seat, reason, points in written(told)
        ]
    )
