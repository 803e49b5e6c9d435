"""Where a round that was scored again comes out otherwise than was recorded, in words."""

import json
from collections.abc import Mapping
from typing import Any

from tables.rules.errors import RuleError
from tables.rules.game.by_hand import HandSettlement, settle_by_hand
from tables.rules.game.rounds import Library, RoundScore, Sheet, parse_round, score

OTHER_FORM = "the recorded answer has another form"


def library_of(sheet: Sheet) -> Library:
    """This one sheet as a library."""
    return Library({(sheet.code, sheet.version): sheet}, {sheet.code: sheet})


def score_again(entry: object, sheets: Library) -> RoundScore | str:
    """The score of a recorded round, or in words why the rules refuse it."""
    try:
        return score(parse_round(entry, sheets))
    except RuleError as refusal:
        return f"the rules refuse it: {refusal.message} ({refusal.code})"


def settle_again(entry: Mapping[str, Any], sheet: Sheet) -> HandSettlement | str:
    """A recorded settlement by hand, worked out from its points once more (R58), or in words why the rules refuse it."""
    try:
        return settle_by_hand(entry, sheet)
    except RuleError as refusal:
        return f"the rules refuse it: {refusal.message} ({refusal.code})"


def plainly(sheet: Sheet, evidence: Mapping[str, Any]) -> list[str]:
    """Where the plain engine's answer is another than the recorded one, a sentence each."""
    scored: RoundScore | HandSettlement | str
    if evidence.get("by_hand"):
        scored = settle_again(evidence["input"], sheet)
    else:
        scored = score_again(evidence["input"], library_of(sheet))
    if isinstance(scored, str):
        return [scored]
    again, recorded = scored.as_json(), evidence["answer"]
    return [] if recorded == again else in_words(recorded, again)


def in_words(recorded: Any, again: Mapping[str, Any]) -> list[str]:
    """How two answers differ, a sentence each; at least one, whatever the recorded answer is."""
    try:
        return [
            *_other_words("", _hands(recorded), _hands(again)),
            *_other_words("", _payments(recorded), _payments(again)),
            *_other_words("net of ", _by_seat(recorded, "net"), _by_seat(again, "net")),
            *_other_words("score of ", _by_seat(recorded, "score"), _by_seat(again, "score")),
        ] or [OTHER_FORM]
    except (LookupError, TypeError, ValueError, AttributeError):
        return [OTHER_FORM]


def _other_words(prefix: str, recorded: Mapping[str, str], again: Mapping[str, str]) -> list[str]:
    return [
        f"{prefix}{name}: recorded {recorded.get(name, 'nothing')}, now {again.get(name, 'nothing')}"
        for name in {**recorded, **again}
        if recorded.get(name) != again.get(name)
    ]


def _hands(answer: Mapping[str, Any]) -> dict[str, str]:
    """What is said of every hand."""
    return {
        f"seat {hand['seat']} at position {hand['position']}: {name.replace('_', ' ')}": json.dumps(
            said, sort_keys=True
        )
        for hand in answer["hands"]
        for name, said in hand.items()
        if name not in ("seat", "position")
    }


def _payments(answer: Mapping[str, Any]) -> dict[str, str]:
    """What every pair of hands moved, and for what."""
    said = {}
    for payment in answer.get("payments", ()):
        first, second = sorted(zip(payment["positions"], (payment["from"], payment["to"]), strict=True))
        swept = any(line["reason"] == "clean_sweep" for line in payment["lines"])
        lines = ", ".join(f"{line['points']} to {line['to']} {line['reason']}" for line in payment["lines"])
        name = f"seats {first[1]} and {second[1]} (positions {first[0]} and {second[0]}{', clean sweep' * swept})"
        said[name] = (
            f"{payment['from']} pays {payment['to']} {payment['paid']} of {payment['due']}"
            f" for {payment['points']} points ({lines})"
        )
    return said


def _by_seat(answer: Mapping[str, Any], key: str) -> dict[str, str]:
    return {f"seat {seat}": str(amount) for seat, amount in answer.get(key, {}).items()}
