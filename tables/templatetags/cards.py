"""Cards and the score format in words, for templates and for the dealer's script (`words_json`)."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django import template
from django.utils.translation import gettext

from ledger import lengths, money
from ledger.money import MINUS
from ledger.templatetags.figures import signed_dollars
from tables.rules.words.names import CATEGORY_NAMES, CLEAN_SWEEP_NAMES, REASON_NAMES, SEGMENT_NAMES

register = template.Library()

RANKS = {
    "2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "7": "seven", "8": "eight", "9": "nine",
    "T": "ten", "J": "jack", "Q": "queen", "K": "king", "A": "ace",
}  # fmt: skip
SUITS = {"s": "spade", "h": "heart", "d": "diamond", "c": "club"}
SPOKEN = "{rank} of {suit}s"
WHICH = ("first hand", "second hand")
ROWS = SEGMENT_NAMES | {"low_middle": "Middle, low", "dealt": "Unset"}
WORDS = {
    "ranks": RANKS,
    "suits": SUITS,
    "segments": ROWS,
    "categories": CATEGORY_NAMES,
    "sweeps": CLEAN_SWEEP_NAMES,
    "reasons": {reason: {"words": words, "rule": rule} for reason, (words, rule) in REASON_NAMES.items()},
    "reason_length": lengths.REASON,
}


@dataclass(frozen=True, slots=True)
class CardFace:
    rank: str
    suit: str

    @property
    def face(self) -> str:
        return "10" if self.rank == "T" else self.rank

    @property
    def suit_name(self) -> str:
        return SUITS[self.suit]

    @property
    def spoken(self) -> str:
        """Return what a screen reader says: `queen of spades`."""
        return SPOKEN.format(rank=RANKS[self.rank], suit=SUITS[self.suit])


@register.filter
def cards(text: str | None) -> list[CardFace]:
    """Return the cards of a text such as `Qs Qh 2c`, without anything else."""
    found = [CardFace(word[0], word[1]) for word in (text or "").split() if len(word) == 2]
    return [card for card in found if card.rank in RANKS and card.suit in SUITS]


@register.filter
def category_name(category: str | None) -> str:
    return CATEGORY_NAMES.get(category or "", category or "")


@register.filter
def sweep_name(kind: str | None) -> str:
    return CLEAN_SWEEP_NAMES.get(kind or "", kind or "")


@register.filter
def segments(hand: Mapping[str, str], says: Mapping[str, Any] | None) -> Iterator[tuple[str, str, str, int]]:
    """Yield a hand's rows: segment, cards as text, category in words, bonus in points."""
    for segment, name in SEGMENT_NAMES.items():
        category = category_name(says.get(segment)) if says else ""
        bonus = (says.get("bonus") or {}).get(segment, 0) if says else 0
        yield name, hand.get(segment) or "", category, bonus


def _name(answer: Mapping[str, Any], seat: int) -> str:
    return answer.get("names", {}).get(str(seat)) or f"Seat {seat}"


@register.filter
def payments(answer: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for payment in answer.get("payments", ()):
        yield _paid(answer, payment) | {
            "points_text": f"{payment['points']} point{'' if payment['points'] == 1 else 's'}",
            "hands": _hands(answer, payment),
            "lines": [_line(answer, payment, line) for line in payment["lines"]],
        }


def _paid(answer: Mapping[str, Any], payment: Mapping[str, Any]) -> dict[str, Any]:
    """Return payer, receiver, due and paid, and whether table stakes cut it."""
    return {
        "from_name": _name(answer, payment["from"]),
        "to_name": _name(answer, payment["to"]),
        "due": money.dollars(money.parse_amount(payment["due"])),
        "paid": money.dollars(money.parse_amount(payment["paid"])),
        "cut": payment["due"] != payment["paid"],
    }


def _hands(answer: Mapping[str, Any], payment: Mapping[str, Any]) -> str:
    """Return which hands of two each met: `second hand to first hand`; else empty (R35)."""
    which = {}
    for position in payment["positions"]:
        seat = next(hand["seat"] for hand in answer["hands"] if hand["position"] == position)
        own = [hand["position"] for hand in answer["hands"] if hand["seat"] == seat]
        which[position] = WHICH[own.index(position)] if len(own) > 1 else ""
    return " to ".join(filter(None, which.values()))


def _line(answer: Mapping[str, Any], payment: Mapping[str, Any], line: Mapping[str, Any]) -> dict[str, Any]:
    """Return one reason of a payment: the receiver's points count up, the payer's (`back`) down."""
    back = line["to"] == payment["from"]
    payer, receiver = payment["positions"]
    position = payer if back else receiver
    won: Mapping[str, Any] = next((hand for hand in answer["hands"] if hand["position"] == position), {})
    reason = line["reason"]
    kind = won.get("clean_sweep") if reason == "clean_sweep" else won.get(reason.removeprefix("bonus_"))
    words, rule = REASON_NAMES.get(reason, (reason, ""))
    return {
        "to_name": _name(answer, line["to"]),
        "back": back,
        "points_text": f"{MINUS if back else '+'}{line['points']}",
        "words": words,
        "what": (CLEAN_SWEEP_NAMES.get(kind) or CATEGORY_NAMES.get(kind, "")).lower()
        if isinstance(kind, str)
        else "",
        "rule": rule,
    }


@register.filter
def match_points(answer: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a match's points by seat: other rounds, this one (None if not dealt in), and total."""
    match = answer["match"]
    for seat in sorted(match["after"], key=int):
        yield {
            "seat": seat,
            "name": _name(answer, int(seat)),
            "before": match["before"][seat],
            "scored": answer["score"].get(seat),
            "after": match["after"][seat],
            "won": match["won_by"] == int(seat),
        }


@register.filter
def match_payments(answer: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for payment in answer["match"]["payments"]:
        yield _paid(answer, payment)


@register.filter
def nets(answer: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for seat, amount in sorted(answer.get("net", {}).items(), key=lambda item: int(item[0])):
        size = money.parse_amount(amount.removeprefix("-"))
        cents = -size if amount.startswith("-") else size
        yield {
            "seat": seat,
            "name": _name(answer, int(seat)),
            "cents": cents,
            "amount": signed_dollars(cents),
        }


@register.simple_tag
def words_json() -> str:
    """Return the words of this file, in the reader's language, as JSON for an attribute."""
    return json.dumps(_translated(WORDS), separators=(",", ":"))


def _translated(words: Any) -> Any:
    if isinstance(words, dict):
        return {name: _translated(word) for name, word in words.items()}
    return gettext(words) if words and isinstance(words, str) else words
