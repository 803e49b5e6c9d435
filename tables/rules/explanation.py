"""A settled round as a person would read it: who laid what, and every payment with its reasons.

For people at a terminal, a trainer or a regulator. Screens have pages of their own; programs read the answer.
"""

from __future__ import annotations

from typing import Final

from .entry import DealtHand
from .money import text_of
from .rounds import HandScore, Payment, RoundScore
from .sheet import SEGMENTS

_REASONS: Final = {
    "majority": "most segments",
    "scoop": "all segments",
    "bonus_front": "bonus for the front",
    "bonus_middle": "bonus for the middle",
    "bonus_back": "bonus for the back",
    "bonus_broken": "bonus for a broken hand",
    "foul": "foul hand",
    "clean_sweep": "clean sweep",
    "surrender": "surrender",
}


def explain(result: RoundScore) -> str:
    """The round in lines of plain English, without a line's end at the last one."""
    deal = result.deal
    sheet = deal.sheet
    lines = [
        f"{sheet.title or sheet.code} (version {sheet.version}), {text_of(deal.limit_cents)} a point, button {deal.button}"
    ]
    for dealt, hand in zip(deal.hands, result.hands, strict=True):
        lines += _hand_lines(dealt, hand)
    if result.race is not None:
        return "\n".join(
            [*lines, *(f"Seat {seat} scores {_points(points)}." for seat, points in result.race.items())]
        )
    for payment in result.payments:
        lines += _payment_lines(payment)
    for push in result.pushed:
        lines.append(f"Seats {push.from_seat} and {push.to_seat} come out even:")
        lines += _reason_lines(push)
    if not result.payments:
        lines.append("Nobody pays.")
    net = ", ".join(
        f"seat {seat} {'+' if cents > 0 else ''}{text_of(cents)}" for seat, cents in result.net_cents.items()
    )
    return "\n".join([*lines, f"Net: {net}"])


def _points(points: int) -> str:
    return f"{points} point{'' if points == 1 else 's'}"


def _hand_lines(dealt: DealtHand, hand: HandScore) -> list[str]:
    state = [f"stack {text_of(dealt.stack_cents)}"]
    if hand.foul:
        state.append("foul")
    if hand.surrendered:
        state.append("surrenders")
    if hand.clean_sweep is not None:
        state.append(f"clean sweep: {hand.clean_sweep}")
    if hand.fantasy_land_next:
        state.append("fantasy land next")
    lines = [f"Position {hand.position}, seat {hand.seat}: {', '.join(state)}"]
    if dealt.said.dealt:
        lines.append(f"  dealt  {dealt.said.dealt}")
    categories = (hand.front, hand.middle, hand.back)
    for name, cards, category, bonus in zip(SEGMENTS, dealt.segments, categories, hand.bonuses, strict=False):
        if cards:
            held = f", bonus {bonus}" if bonus else ""
            lines.append(f"  {name:6} {cards:14}  {category or 'not a full segment'}{held}")
    return lines


def _payment_lines(payment: Payment) -> list[str]:
    cut = (
        ""
        if payment.paid_cents == payment.due_cents
        else f" of {text_of(payment.due_cents)}, cut by table stakes"
    )
    opening = (
        f"Seat {payment.from_seat} pays seat {payment.to_seat} {text_of(payment.paid_cents)}{cut}"
        f" ({_points(payment.points)}):"
    )
    return [opening, *_reason_lines(payment)]


def _reason_lines(payment: Payment) -> list[str]:
    return [
        f"  {line.points:>3} to seat {line.to_seat}: {_REASONS.get(line.reason, line.reason)}"
        for line in payment.lines
    ]
