"""Counts of drop boxes and their sheets: which count stands, and who signs (4 CCR 12385). Pure."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from ledger.rules.denominations import Pieces

CALLED_AT = 3
"""After so many attempts at a box whose counts differ, a supervisor is called."""


@dataclass(frozen=True, slots=True)
class CountAttempt:
    """One counter's count of a box, at the first attempt or a later one."""

    number: int
    counter: int
    pieces: Pieces


def agreed(attempts: Iterable[CountAttempt]) -> Pieces | None:
    """Return the pieces on which two counters agree in the last attempt; None if they do not."""
    attempts = list(attempts)
    last = max((one.number for one in attempts), default=0)
    newest = [one for one in attempts if one.number == last]
    if len(newest) != 2 or newest[0].counter == newest[1].counter:
        return None
    return newest[0].pieces if newest[0].pieces == newest[1].pieces else None


def calls_supervisor(attempt: int, *, agree: bool) -> bool:
    """Return whether the counters need a supervisor; `attempt` is the one that they have begun."""
    return attempt > CALLED_AT and not agree


def wrong_struck(attempt: int, before: int, counted: Pieces, expected: Pieces) -> tuple[str, str] | None:
    """Return a code and a sentence if a count cannot be the refused one that follows `before` others of its
    paper. `expected` is what was sent, what the counters found, or what the second person counted."""
    if attempt != before + 1:
        return "number_gap", f"It is attempt {before + 1}."
    if counted == expected:
        return "counts_differ", "It is what was expected, and was not to be refused."
    return None


def wrong_signers(first: int, second: int | None, counters: Collection[int]) -> tuple[str, str] | None:
    """Return a code and a sentence if these two may not sign a sheet on which `counters` counted."""
    if second in (None, first):
        return "second_person", "Two different people sign a count sheet."
    if first not in counters or second not in counters:
        return "did_not_count", "A count sheet is signed by two people who counted on it."
    return None
