"""Players' disputes and complaints: what they are about, and who may decide them how. Pure."""

from collections.abc import Collection
from typing import Final, NamedTuple

WHAT: Final = {
    "cards": "Cards, or how they were set",
    "payment": "Who pays whom",
    "chips": "Chips or a stack",
    "fee": "A fee",
    "time": "Time or turn",
    "conduct": "Somebody's conduct",
    "other": "Something else",
}
"""What is disputed, in words."""


class Outcome(NamedTuple):
    """An outcome in words, `of` a `dispute` or a `complaint`. `corrects`: it refers to an entry that corrects
    something or takes it back."""

    words: str
    of: frozenset[str]
    corrects: bool = False


_BOTH: Final = frozenset(("dispute", "complaint"))
OUTCOMES: Final = {
    "as_dealt": Outcome("Stands as dealt", frozenset(("dispute",))),
    "corrected": Outcome("Corrected", frozenset(("dispute",)), corrects=True),
    "upheld": Outcome("The complaint is right", frozenset(("complaint",))),
    "not_upheld": Outcome("The complaint is not right", frozenset(("complaint",))),
    "referred": Outcome("Referred, to the house's management or the Bureau", _BOTH),
}
CORRECTING: Final = ("correction", "reversal", "undo")
"""The kinds of entries that an outcome may stand on."""


class Decided(NamedTuple):
    """A decision: its outcome, the entry it refers to, and who decides. Also the case: whether it came up at
    a table, who took it, and who entered the round, if it is about one; `left` are those who played it
    without the house, or sent it for another."""

    outcome: str
    entry: int | None
    by: int
    at_table: bool
    taken_by: int
    entered_by: int | None
    left: Collection[int | None] = ()


def wrong_decision(said: Decided) -> tuple[str, str] | None:
    """Return the code and the sentence of what is wrong with a decision. Nobody decides about a round that
    they entered, nor about a complaint that they took."""
    what = "dispute" if said.at_table else "complaint"
    outcome = OUTCOMES.get(said.outcome)
    if outcome is None or what not in outcome.of:
        return "bad_outcome", f"A {what} has no outcome {said.outcome!r}."
    if outcome.corrects and said.entry is None:
        return "not_corrected", "Nothing was corrected or taken back there since: do that first."
    if not outcome.corrects and said.entry is not None:
        return "bad_outcome", "Only a correction has an entry."
    if said.by == said.entered_by:
        return "second_person", "Nobody decides about a round that they entered."
    if said.by in said.left:
        return "second_person", "Nobody decides about a round that they played or sent for another."
    if what == "complaint" and said.by == said.taken_by:
        return "second_person", "Nobody decides about a complaint that they took."
    return None
