"""Documents of custody as one person may see them: somebody who is to count what arrives does not see what
was sent."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ledger.cage.documents import DocumentStep, DocumentTrail
from ledger.rules.denominations import Compared, compared, pieces_of
from ledger.rules.documents import COUNTED, Rule, Step, next_step

_BADGES = {Step.RECEIVED: "good", Step.DIFFERED: "bad", Step.VOIDED: "off"}


@dataclass(frozen=True)
class DocumentRow:
    """A document for one reader. `mine` is the step that the reader may take now, `may_void` whether they
    may end it instead; `blind` hides the amounts."""

    trail: DocumentTrail
    mine: Rule | None
    may_void: bool
    blind: bool

    @property
    def state(self) -> str:
        return self.trail.kind.state(self.trail.last.step)

    @property
    def steps(self) -> list[tuple[str, DocumentStep, str]]:
        """Each step: its words in the trade, the step itself, and the label of its reference."""
        rules = {rule.step.value: rule for rule in self.trail.kind.rules}
        return [(rules[step.step].title, step, rules[step.step].reference) for step in self.trail.steps]

    @property
    def place(self) -> str:
        """The other end within a sentence: `Table 1`, `the bank`."""
        named = self.trail.document.place
        return named[:1].lower() + named[1:] if self.trail.kind.is_beyond else named

    @property
    def badge(self) -> str:
        return _BADGES.get(Step(self.trail.last.step), "warn")

    @property
    def next_words(self) -> str:
        """The next step and who takes it; empty once the document has ended."""
        return next_step(self.trail.kind, self.trail.last.step)

    @property
    def lines(self) -> list[Compared]:
        """The pieces asked for or sent, and those counted on arrival, by denomination."""
        received = self.trail.received
        counted = pieces_of(received.pieces) if received else self.trail.pieces
        return list(compared(self.trail.pieces, counted))

    @property
    def cents(self) -> int:
        """What was asked for or sent, chips and cash together."""
        return sum(line.cents for line in self.lines)

    @property
    def over_cents(self) -> int:
        """Counted minus sent, chips and cash together; 0 until it was counted."""
        return sum(line.over for line in self.lines)


def row_for(trail: DocumentTrail, person: Any) -> DocumentRow:
    possible = trail.next_for(person)
    mine = next((rule for rule in possible if rule.step != Step.VOIDED), None)
    may_void = any(rule.step == Step.VOIDED for rule in possible)
    return DocumentRow(trail, mine, may_void, _is_blind(trail, person))


def _is_blind(trail: DocumentTrail, person: Any) -> bool:
    """Return whether to hide the amounts from a person who may count what arrives: while it is under way, and
    before that unless they may send it."""
    theirs = {rule.step for rule in trail.kind.rules if any(person.has_perm(right) for right in rule.rights)}
    sends = theirs - COUNTED - {Step.VOIDED}
    return trail.kind.blind and not trail.ended and bool(theirs & COUNTED) and (trail.under_way or not sends)


def rows_for(trails: Iterable[DocumentTrail], person: Any) -> list[DocumentRow]:
    return [row_for(trail, person) for trail in trails]
