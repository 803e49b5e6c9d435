"""The answer to a round as one line of canonical JSON (docs/rules.md, section 9).

Written directly as text, without escaping: a long file of rounds spends most of its time here."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Any, Final

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
    broken = sheet.bonus.broken
    laid = ",".join([_hand_text(row, broken) for row in rows])
    if race is not None:
        points = ",".join([f'"{seat}":{scored}' for seat, scored in sorted(race.items())])
        return f'{{"hands":[{laid}],"score":{{{points}}},"sheet":"{sheet.code}","version":{sheet.version}}}'
    return paid_text(sheet, laid, payments, net_cents)


def paid_text(sheet: Sheet, laid: str, payments: Sequence[PaymentRow], net_cents: Mapping[int, int]) -> str:
    """Return the answer to a round in which money moves; `laid` is the text of its hands."""
    paid = ",".join([_payment_text(payment) for payment in payments])
    net = ",".join([f'"{seat}":"{amount_text(cents)}"' for seat, cents in net_cents.items()])
    return (
        f'{{"hands":[{laid}],"net":{{{net}}},"payments":[{paid}],'
        f'"sheet":"{sheet.code}","version":{sheet.version}}}'
    )


def hash_of(text: str) -> str:
    """Return the hash, in hex, by which a round's record names the answer."""
    return sha256(text.encode()).hexdigest()


def result_of(
    net_cents: Mapping[int, int], payments: Iterable[Sequence[Any]], race: Mapping[int, int] | None = None
) -> dict[str, list[int]]:
    """Return {seat: [points, cents]} as in a round's record; points before any cut by table stakes."""
    points = dict.fromkeys(net_cents, 0)
    for from_seat, to_seat, _, won, *_ in payments:
        points[from_seat] -= won
        points[to_seat] += won
    return {str(seat): [(race or points)[seat], cents] for seat, cents in net_cents.items()}


def _hand_text(row: HandRow, broken: bool) -> str:
    position, seat, foul, surrendered, _, sweep, (front, middle, back), bonuses, _, fantasy_land_next = row
    in_front, in_middle, in_back, from_broken = bonuses
    clean_sweep = f'"{sweep.kind}"' if sweep else "null"
    also = f'"broken":{from_broken},' if broken else ""
    return (
        f'{{"back":{_CATEGORIES[back >> CATEGORY_SHIFT] if back else "null"},'
        f'"bonus":{{"back":{in_back},{also}"front":{in_front},"middle":{in_middle}}},'
        f'"clean_sweep":{clean_sweep},"fantasy_land_next":{_FLAGS[fantasy_land_next]},"foul":{_FLAGS[foul]},'
        f'"front":{_CATEGORIES[front >> CATEGORY_SHIFT] if front else "null"},'
        f'"middle":{_CATEGORIES[abs(middle) >> CATEGORY_SHIFT] if middle else "null"},'
        f'"position":{position},"seat":{seat},"surrendered":{_FLAGS[surrendered]}}}'
    )


def _payment_text(payment: PaymentRow) -> str:
    from_seat, to_seat, (payer, receiver), points, due, paid, reasons = payment
    due_text = amount_text(due)
    return (
        f'{{"due":"{due_text}","from":{from_seat},"lines":[{_lines_text(reasons)}],'
        f'"paid":"{due_text if paid == due else amount_text(paid)}","points":{points},'
        f'"positions":[{payer},{receiver}],"to":{to_seat}}}'
    )


@lru_cache(maxsize=1 << 14)
def _lines_text(reasons: Told) -> str:
    return ",".join(
        [
            f'{{"points":{points},"reason":"{reason}","to":{seat}}}'
            for seat, reason, points in written(reasons)
        ]
    )
