"""Documents of custody: numbered papers under which chips and cash go from one place to another. Pure.

`KINDS` is the one table of them: places, steps in order, who may take a step, who must be somebody else. The
verb (ledger/cage/documents.py), the trigger (ledger/db/step_order.py), the offline check and the pages read
it, so that another kind is another row. The prototype of every kind is the fill slip of a table: asked for,
authorised, sent by a cashier, received by a count."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum

from ledger.chart import AccountKind, Asset, EntryKind
from ledger.rights import DEAL, MANAGE_HOUSE, RUN_FLOOR, WORK_CAGE
from ledger.rules.denominations import Pieces, value_of

Transfer = tuple[str, str, str, int]
"""Kind of source, kind of target, asset, cents."""


class Step(StrEnum):
    REQUESTED = "requested"
    AUTHORISED = "authorised"
    SENT = "sent"
    RECEIVED = "received"
    DIFFERED = "differed"
    VOIDED = "voided"


ENDS = frozenset((Step.RECEIVED, Step.DIFFERED, Step.VOIDED))
"""After one of these nothing follows, and nothing of the document is under way."""

BY_TWO = frozenset((Step.DIFFERED, Step.VOIDED))
"""The steps with a reason and a second person."""

COUNTED = frozenset((Step.RECEIVED, Step.DIFFERED))
"""The steps of somebody who counts what has arrived without being told what was sent."""

POSTED_AS = {
    Step.SENT: EntryKind.DOCUMENT_SENT,
    Step.RECEIVED: EntryKind.DOCUMENT_RECEIVED,
    Step.DIFFERED: EntryKind.DOCUMENT_RECEIVED,
}


class Apart(IntEnum):
    """Whom the person of a step must differ from."""

    NOBODY = 0
    BEFORE = 1  # who took the step before
    ALL = 2  # everybody who took a step of the document


@dataclass(frozen=True)
class Rule:
    """A step that may follow `after`, or begin the document if that is empty; by somebody with one of the
    `rights`."""

    after: str
    step: Step
    apart: Apart
    rights: tuple[str, ...]


@dataclass(frozen=True)
class DocumentKind:
    """`code` names the series, `title` the paper. Chips and cash go from a `source` to a `target`: kinds of
    accounts, of which one is the vault's and one that of the document's own place. `assets` are what it may
    move."""

    code: str
    title: str
    source: AccountKind
    target: AccountKind
    assets: tuple[Asset, ...]
    rules: tuple[Rule, ...]

    @property
    def begins(self) -> Rule:
        return self.rules[0]

    def after(self, step: str) -> tuple[Rule, ...]:
        return tuple(rule for rule in self.rules if rule.after == step)

    def rule(self, after: str, step: str) -> Rule | None:
        return next((rule for rule in self.after(after) if rule.step == step), None)


_VAULT, _BANK = AccountKind.VAULT, AccountKind.TABLE_BANK
_CHIPS = (Asset.CHIPS,)
_AT_TABLE = (DEAL, RUN_FLOOR)
_FLOOR = (RUN_FLOOR, MANAGE_HOUSE)
_CAGE = (WORK_CAGE,)

# A dealer may ask for a fill and receive it, so that a room of four people can fill a table at 3 a.m.; three
# people sign every fill all the same.
_TO_TABLE = (
    Rule("", Step.REQUESTED, Apart.NOBODY, _AT_TABLE),
    Rule(Step.REQUESTED, Step.AUTHORISED, Apart.BEFORE, _FLOOR),
    Rule(Step.AUTHORISED, Step.SENT, Apart.ALL, _CAGE),
    Rule(Step.SENT, Step.RECEIVED, Apart.BEFORE, _AT_TABLE),
    Rule(Step.SENT, Step.DIFFERED, Apart.BEFORE, _AT_TABLE),
    Rule(Step.REQUESTED, Step.VOIDED, Apart.NOBODY, (DEAL, *_FLOOR, *_CAGE)),
    Rule(Step.AUTHORISED, Step.VOIDED, Apart.NOBODY, (DEAL, *_FLOOR, *_CAGE)),
)
_FROM_TABLE = (
    Rule("", Step.REQUESTED, Apart.NOBODY, _AT_TABLE),
    Rule(Step.REQUESTED, Step.SENT, Apart.BEFORE, _AT_TABLE),
    Rule(Step.SENT, Step.RECEIVED, Apart.ALL, _CAGE),
    Rule(Step.SENT, Step.DIFFERED, Apart.ALL, _CAGE),
    Rule(Step.REQUESTED, Step.VOIDED, Apart.NOBODY, (DEAL, *_FLOOR)),
)

KINDS: dict[str, DocumentKind] = {
    kind.code: kind
    for kind in (
        DocumentKind("opener", "Opener", _VAULT, _BANK, _CHIPS, _TO_TABLE),
        DocumentKind("fill", "Fill", _VAULT, _BANK, _CHIPS, _TO_TABLE),
        DocumentKind("credit", "Credit", _BANK, _VAULT, tuple(Asset), _FROM_TABLE),
    )
}


_WHO = {
    DEAL: "the dealer",
    RUN_FLOOR: "the floor",
    WORK_CAGE: "a cashier",
    MANAGE_HOUSE: "a manager",
}


def next_words(kind: DocumentKind, step: str) -> str:
    """Return what comes after a step and who does it: `to be sent by a cashier`; empty after the last."""
    follows = kind.after(step)
    if not follows:
        return ""
    return f"to be {follows[0].step} by {' or '.join(_WHO[right] for right in follows[0].rights)}"


def waits_at_table(kind: DocumentKind, step: str) -> bool:
    """Return whether what comes after a step is for somebody at the table or the floor."""
    return any({DEAL, RUN_FLOOR} & {*rule.rights} for rule in kind.after(step)[:1])


def wrong_step(kind: DocumentKind, taken: Sequence[tuple[str, int]], step: str, person: int) -> str:
    """Return why this person cannot take this step after the (step, person) `taken` before: `wrong_step`,
    `second_person`, or "" if they can."""
    before = taken[-1][0] if taken else ""
    rule = kind.rule(before, step)
    if rule is None:
        return "wrong_step"
    apart = {Apart.NOBODY: [], Apart.BEFORE: taken[-1:], Apart.ALL: taken}[rule.apart]
    return "second_person" if any(person == other for _, other in apart) else ""


def wrong_second(taken: Sequence[tuple[str, int]], step: str, person: int, second: int | None) -> str:
    """Return why `second` does not sign a step of BY_TWO beside `person`, as a sentence; "" if they may."""
    if second in (None, person):
        return "Somebody else must sign this too."
    if step == Step.DIFFERED and (Step.SENT, second) in taken:
        return "Who sent it does not sign that something else has come: somebody else must."
    return ""


def transfers(kind: DocumentKind, step: str, sent: Pieces, counted: Pieces) -> Iterator[Transfer]:
    """Yield what a step moves. Sent, all of it is under way; received, what was counted arrives, and the
    difference is over/short: counted minus sent."""
    for asset in Asset:
        out, came = value_of(sent.of(asset)), value_of(counted.of(asset))
        if step == Step.SENT:
            moves = [(kind.source, AccountKind.TRANSIT, out)]
        elif step in COUNTED:
            moves = [
                (AccountKind.TRANSIT, kind.target, min(out, came)),
                (AccountKind.TRANSIT, AccountKind.OVER_SHORT, out - came),
                (AccountKind.OVER_SHORT, kind.target, came - out),
            ]
        else:
            moves = []
        for source, target, cents in moves:
            if cents > 0:
                yield source.value, target.value, asset.value, cents
