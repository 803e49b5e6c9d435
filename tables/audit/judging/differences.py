"""The differences between a record and its round scored again, in words."""

from collections.abc import Mapping
from typing import Any

from ledger.money import amount_text
from tables.rules.errors import RuleError
from tables.rules.game.by_hand import HandSettlement, settle_by_hand
from tables.rules.game.rounds import Library, RoundScore, Sheet, parse_round, score

MALFORMED = "the recorded result is malformed"
OTHER_ANSWER = "the result is the same, but the answer has another hash"


def score_again(
    evidence: Mapping[str, Any], sheets: Library, sheet: Sheet
) -> RoundScore | HandSettlement | str:
    """Return a round scored again, or settled by its points (R58); a sentence if the rules refuse it."""
    entry = evidence["input"]
    try:
        return settle_by_hand(entry, sheet) if evidence.get("by_hand") else score(parse_round(entry, sheets))
    except RuleError as refusal:
        return f"the rules refuse it: {refusal.message} ({refusal.code})"


def plainly(sheet: Sheet, evidence: Mapping[str, Any]) -> list[str]:
    return differences(evidence, score_again(evidence, Library.of(sheet), sheet))


def differences(evidence: Mapping[str, Any], scored: RoundScore | HandSettlement | str) -> list[str]:
    """Return how a round scored again differs from its results and hash, a sentence each."""
    if isinstance(scored, str):
        return [scored]
    recorded, again = evidence["result"], scored.result
    if recorded == again:
        return [] if evidence["answer_hash"] == scored.answer_hash else [OTHER_ANSWER]
    try:
        return [
            f"seat {seat}: recorded {_in_words(recorded.get(seat))}, now {_in_words(again.get(seat))}"
            for seat in sorted({*recorded, *again})
            if recorded.get(seat) != again.get(seat)
        ]
    except (LookupError, TypeError, ValueError, AttributeError):
        return [MALFORMED]


def _in_words(result: Any) -> str:
    if result is None:
        return "nothing"
    points, cents = result
    return f"{points} points and {amount_text(cents)}"
