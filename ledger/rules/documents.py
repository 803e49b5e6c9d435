"""Documents of custody: numbered papers under which chips and cash go from one place to another. Pure.

`KINDS` is the one table of them: places, steps in order, who may take a step, who must be somebody else. The
verb (ledger/cage/documents.py), the trigger (ledger/db/step_order.py), the offline check and the pages read
it, so a new kind is a new row. The model for every kind is the fill slip of a table: asked for, authorised,
sent by a cashier, received by a count."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import IntEnum, StrEnum

from ledger.chart import ONE_PER_SITE, AccountKind, Asset, EntryKind
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
    CLAIMED = "claimed"
    RELEASED = "released"


HANDED_ON = {Step.CLAIMED: AccountKind.PATRONS, Step.RELEASED: AccountKind.VAULT}
"""The steps by which chips held since their receipt leave, and where each takes them."""

ENDS = frozenset((Step.RECEIVED, Step.DIFFERED, Step.VOIDED, *HANDED_ON))
"""After one of these steps nothing is under way; the only step that may follow hands the chips on."""

BY_TWO = frozenset((Step.DIFFERED, Step.VOIDED, *HANDED_ON))
"""The steps with a reason and a second person."""

COUNTED = frozenset((Step.RECEIVED, Step.DIFFERED))
"""The steps of a receiver who counts without knowing what was sent."""

POSTED_AS = {
    Step.SENT: EntryKind.DOCUMENT_SENT,
    Step.RECEIVED: EntryKind.DOCUMENT_RECEIVED,
    Step.DIFFERED: EntryKind.DOCUMENT_RECEIVED,
    **dict.fromkeys(HANDED_ON, EntryKind.DOCUMENT_RECEIVED),
}


DONE = {
    Step.REQUESTED: "Requested",
    Step.AUTHORISED: "Authorised",
    Step.SENT: "Sent",
    Step.RECEIVED: "Received",
    Step.DIFFERED: "Differed",
    Step.VOIDED: "Voided",
    Step.CLAIMED: "Claimed",
    Step.RELEASED: "Released",
}
"""What a document is after a step, if its kind has no other word for it."""


class Apart(IntEnum):
    """Whom the person of a step must differ from."""

    NOBODY = 0
    BEFORE = 1  # who took the step before
    ALL = 2  # everybody who took a step of the document


@dataclass(frozen=True)
class Rule:
    """A step that may follow `after` (begin the document if that is empty), taken by somebody with one of the
    `rights`. `reference` is the label of what must be written down with it, `done` the trade's word for
    it."""

    after: str
    step: Step
    apart: Apart
    rights: tuple[str, ...]
    reference: str = ""
    done: str = ""

    @property
    def title(self) -> str:
        return self.done or DONE[self.step]

    @property
    def words(self) -> str:
        """The title within a sentence."""
        return self.title[0].lower() + self.title[1:]


@dataclass(frozen=True)
class DocumentKind:
    """`code` names the series, `title` the paper. Chips and cash go from a `source` to a `target`: kinds of
    accounts, of which one is the cage's and one that of the document's own place. `assets` are what it may
    move. `of_count`: the entry of a count in whose act it is begun and sent, with all that was counted. After
    the steps of `may_wait` it keeps no gaming day open. `blind`: who receives it counts without being told.
    `of_boxes`: it is the cash of signed-off boxes."""

    code: str
    title: str
    source: AccountKind
    target: AccountKind
    assets: tuple[Asset, ...]
    rules: tuple[Rule, ...]
    may_wait: tuple[Step, ...] = ()
    blind: bool = True
    of_boxes: bool = False
    of_count: EntryKind | None = None

    @property
    def place(self) -> AccountKind:
        return self.target if self.source == AccountKind.VAULT else self.source

    @property
    def is_beyond(self) -> bool:
        """Whether it goes out of the house, comes into it, or is kept sealed: no table is involved."""
        return self.place in ONE_PER_SITE

    @property
    def is_held(self) -> bool:
        """Whether what is received is held until it is claimed."""
        return self.target == AccountKind.UNCLAIMED

    @property
    def begins(self) -> Rule:
        return self.rules[0]

    def after(self, step: str) -> tuple[Rule, ...]:
        return tuple(rule for rule in self.rules if rule.after == step)

    def rule(self, after: str, step: str) -> Rule | None:
        return next((rule for rule in self.after(after) if rule.step == step), None)

    def words(self, step: str) -> str:
        return next(rule.words for rule in self.rules if rule.step == step)

    def state(self, step: str) -> str:
        return next(rule.title for rule in self.rules if rule.step == step)


_VAULT, _BANK = AccountKind.VAULT, AccountKind.TABLE_BANK
_MAKER, _RESERVE = AccountKind.CHIP_MAKER, AccountKind.RESERVE
_CHIPS, _CASH = (Asset.CHIPS,), (Asset.CASH,)
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
# All of a bank, as its table closes: who counted it second asks, and who closes sends, in the same moment.
_OUT_OF_BANK = (
    Rule("", Step.REQUESTED, Apart.NOBODY, _AT_TABLE),
    Rule(Step.REQUESTED, Step.SENT, Apart.BEFORE, (RUN_FLOOR,)),
    Rule(Step.SENT, Step.RECEIVED, Apart.ALL, _CAGE),
    Rule(Step.SENT, Step.DIFFERED, Apart.ALL, _CAGE),
)


def _beyond(
    begin: tuple[str, ...], authorise: tuple[str, ...], sent: Rule, received: Rule
) -> tuple[Rule, ...]:
    """Return the rules for a document out of the house or into it: asked for, authorised by somebody else,
    sent, received; voided before it is sent."""
    everybody = (*_FLOOR, *_CAGE)
    return (
        Rule("", Step.REQUESTED, Apart.NOBODY, begin),
        Rule(Step.REQUESTED, Step.AUTHORISED, Apart.BEFORE, authorise),
        sent,
        received,
        replace(received, step=Step.DIFFERED, done=""),
        Rule(Step.REQUESTED, Step.VOIDED, Apart.NOBODY, everybody),
        Rule(Step.AUTHORISED, Step.VOIDED, Apart.NOBODY, everybody),
    )


# In a house of one cashier, who prepares a deposit, orders chips and notes them, the floor and a manager take
# the steps between and after.
_NOT_SENT = (Step.REQUESTED, Step.AUTHORISED)
_EVERYBODY = (*_CAGE, *_FLOOR)
_DEPOSIT = _beyond(
    *(_CAGE, _EVERYBODY),
    Rule(Step.AUTHORISED, Step.SENT, Apart.BEFORE, _CAGE, "Carrier", "Handed to the carrier"),
    Rule(Step.SENT, Step.RECEIVED, Apart.BEFORE, _EVERYBODY, "Number of the bank's slip", "Confirmed"),
)
_PURCHASE = _beyond(
    *((*_CAGE, MANAGE_HOUSE), _FLOOR),
    Rule(Step.AUTHORISED, Step.SENT, Apart.BEFORE, _CAGE, "Number of the delivery note", "Delivered"),
    Rule(Step.SENT, Step.RECEIVED, Apart.BEFORE, _EVERYBODY, done="Counted into the vault"),
)
_DESTRUCTION = _beyond(
    *((*_CAGE, MANAGE_HOUSE), _FLOOR),
    Rule(Step.AUTHORISED, Step.SENT, Apart.BEFORE, _CAGE, done="Taken out of the vault"),
    Rule(Step.SENT, Step.RECEIVED, Apart.ALL, _EVERYBODY, "Number of the certificate", "Destroyed"),
)
# Cash of no box leaves the house for its owner: a manager says so, and who confirms it had no part in it.
_CAPITAL_OUT = _beyond(
    *((*_CAGE, MANAGE_HOUSE), (MANAGE_HOUSE,)),
    Rule(Step.AUTHORISED, Step.SENT, Apart.BEFORE, _CAGE, "Carrier", "Handed to the carrier"),
    Rule(Step.SENT, Step.RECEIVED, Apart.ALL, _EVERYBODY, "Number of the bank's slip", "Confirmed"),
)
_SEALS = "Number of each seal"
_SEALED = _beyond(
    *((*_CAGE, MANAGE_HOUSE), _FLOOR),
    Rule(Step.AUTHORISED, Step.SENT, Apart.BEFORE, _CAGE, done="Taken out of the vault"),
    Rule(Step.SENT, Step.RECEIVED, Apart.BEFORE, _EVERYBODY, _SEALS, "Sealed"),
)
_UNSEALED = _beyond(
    *((*_CAGE, MANAGE_HOUSE), _FLOOR),
    Rule(Step.AUTHORISED, Step.SENT, Apart.BEFORE, _CAGE, _SEALS, "Taken out of the reserve"),
    Rule(Step.SENT, Step.RECEIVED, Apart.BEFORE, _EVERYBODY, done="Counted into the vault"),
)

# Who counted first asks, who counted second picks up. Whichever cashier is at the window hands them to their
# owner; a manager releases them, who did not receive them.
_UNCLAIMED = (
    Rule("", Step.REQUESTED, Apart.NOBODY, _AT_TABLE, done="Counted"),
    Rule(Step.REQUESTED, Step.SENT, Apart.BEFORE, _AT_TABLE, done="Picked up"),
    Rule(Step.SENT, Step.RECEIVED, Apart.ALL, _CAGE, done="Received"),
    Rule(Step.SENT, Step.DIFFERED, Apart.ALL, _CAGE),
    Rule(Step.REQUESTED, Step.VOIDED, Apart.NOBODY, (DEAL, *_FLOOR)),
    *(
        rule
        for received in (Step.RECEIVED, Step.DIFFERED)
        for rule in (
            Rule(received, Step.CLAIMED, Apart.NOBODY, _CAGE, done="Handed to their owner"),
            Rule(
                *(received, Step.RELEASED, Apart.BEFORE, (MANAGE_HOUSE,)),
                *("Number of the report to the state", "Released as the law says"),
            ),
        )
    ),
)

KINDS: dict[str, DocumentKind] = {
    kind.code: kind
    for kind in (
        DocumentKind("opener", "Opener", _VAULT, _BANK, _CHIPS, _TO_TABLE),
        DocumentKind("fill", "Fill", _VAULT, _BANK, _CHIPS, _TO_TABLE),
        DocumentKind("credit", "Credit", _BANK, _VAULT, tuple(Asset), _FROM_TABLE),
        DocumentKind(
            *("closer", "Closer", _BANK, _VAULT, tuple(Asset), _OUT_OF_BANK), of_count=EntryKind.BANK_COUNT
        ),
        DocumentKind(
            *("deposit", "Deposit", _VAULT, AccountKind.BANK, _CASH, _DEPOSIT),
            may_wait=(*_NOT_SENT, Step.SENT),
            blind=False,
            of_boxes=True,
        ),
        DocumentKind("chip_purchase", "Chip purchase", _MAKER, _VAULT, _CHIPS, _PURCHASE, _NOT_SENT),
        DocumentKind("destruction", "Destruction", _VAULT, _MAKER, _CHIPS, _DESTRUCTION, _NOT_SENT),
        DocumentKind("cash_order", "Cash order", AccountKind.BANK, _VAULT, _CASH, _PURCHASE, _NOT_SENT),
        DocumentKind(
            *("capital_out", "Capital withdrawn", _VAULT, AccountKind.BANK, _CASH, _CAPITAL_OUT),
            may_wait=(*_NOT_SENT, Step.SENT),
        ),
        DocumentKind("reserve_set", "Reserve set", _VAULT, _RESERVE, _CHIPS, _SEALED, _NOT_SENT),
        DocumentKind("reserve_release", "Reserve release", _RESERVE, _VAULT, _CHIPS, _UNSEALED, _NOT_SENT),
        DocumentKind(
            *("unclaimed", "Unclaimed chips", AccountKind.PATRONS, AccountKind.UNCLAIMED, _CHIPS, _UNCLAIMED)
        ),
    )
}


_WHO = {DEAL: "the dealer", RUN_FLOOR: "the floor", WORK_CAGE: "a cashier", MANAGE_HOUSE: "a manager"}


def next_step(kind: DocumentKind, step: str) -> str:
    """Return the next step and who takes it: `To be sent by a cashier`; empty after the last."""
    follows = kind.after(step)
    if not follows:
        return ""
    *others, last = (_WHO[right] for right in follows[0].rights)
    whom = f"{', '.join(others)} or {last}" if others else last
    return f"To be {follows[0].words} by {whom}"


def next_words(kind: DocumentKind, step: str) -> str:
    """Return the next step within a sentence: `to be sent by a cashier`; empty after the last."""
    words = next_step(kind, step)
    return words[:1].lower() + words[1:]


def table_of(place: str) -> str:
    """Return the table of a place where unclaimed chips were found: `Table 1` for `Table 1, seat 3`."""
    return place.partition(",")[0]


def holds_day(kind: DocumentKind, step: str) -> bool:
    """Return whether a gaming day stays open while this is the last step of a document begun in it."""
    return step not in ENDS and step not in kind.may_wait


def unconfirmed(kind: DocumentKind, step: str, taken_on: date, day: date) -> bool:
    """Return whether something handed to somebody beyond the house on an earlier gaming day than `day`, which
    keeps no day open, is still not confirmed. `step` is the last of its document, of gaming day
    `taken_on`."""
    return step == Step.SENT and not holds_day(kind, step) and taken_on < day


def wrong_reference(rule: Rule, reference: str) -> bool:
    """Return whether a step lacks the reference that it needs, or has one that it does not."""
    return bool(rule.reference) != bool(reference.strip())


_SEAL = re.compile(r"[A-Z0-9-]*[0-9][A-Z0-9-]*", re.ASCII)


def seals_in(reference: str) -> frozenset[str]:
    """Return the seals that a reference names, each by its number: `seals 70001, 70002`."""
    return frozenset(_SEAL.findall(reference.upper()))


def seals_of(kind: DocumentKind, step: str, reference: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the seals that a step puts on sets of the reserve, and those that it breaks."""
    seals = seals_in(reference)
    sealed = kind.target == AccountKind.RESERVE and step in COUNTED
    broken = kind.source == AccountKind.RESERVE and step == Step.SENT
    return seals if sealed else frozenset(), seals if broken else frozenset()


def other_seals(kind: DocumentKind, step: str, kept: Collection[str], reference: str) -> bool:
    """Return whether a step breaks a seal that is not among those `kept` in the reserve."""
    return bool(seals_of(kind, step, reference)[1].difference(kept))


def wrong_seals(
    kind: DocumentKind,
    step: str,
    kept: Collection[str],
    reference: str,
    *,
    signed: tuple[int, int | None, str],
) -> tuple[str, str] | None:
    """Return a code and a sentence if a step may not seal or open reserve sets under these numbers, else
    None. `kept` are the seals in the reserve; `signed` is who takes the step, who with them, and why."""
    sealed, broken = seals_of(kind, step, reference)
    person, second, reason = signed
    asks = kind.target == AccountKind.RESERVE and step in COUNTED
    if (asks or (kind.source == AccountKind.RESERVE and step == Step.SENT)) and not sealed | broken:
        return "reference_required", "Write the number of each seal."
    if twice := sealed.intersection(kept):
        return "seal_in_use", f"Seal {min(twice)} is on a set in the reserve. Read the number again."
    if broken.difference(kept) and (not reason.strip() or second in (None, person)):
        said = (
            "A seal is not one of those in the reserve. Read it again; if it stays so, a second person signs"
        )
        return "seal_differs", f"{said} with you, and the reason is given."
    return None


def wrong_boxes(kind: DocumentKind, cash: int, counted: Sequence[int]) -> bool:
    """Return whether `cash` differs from the counts of the document's boxes; only some kinds have boxes."""
    return kind.of_boxes != bool(counted) or (kind.of_boxes and sum(counted) != cash)


def waits_on_floor(kind: DocumentKind, step: str) -> bool:
    """Return whether the next step is for somebody at the table or on the floor, and soon."""
    return any(
        {DEAL, RUN_FLOOR} & {*rule.rights} and (rule.step == Step.AUTHORISED or holds_day(kind, step))
        for rule in kind.after(step)[:1]
    )


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
    """Return why `second` may not sign a step of BY_TWO with `person`, as a sentence; "" if they may."""
    if second in (None, person):
        return "Somebody else must sign this too."
    if step == Step.DIFFERED and (Step.SENT, second) in taken:
        return "The sender cannot sign that something else has come: somebody else must."
    return ""


def due_after(day: date, years: int) -> date:
    """Return the day from which chips may be released if the cage has held them since `day`."""
    try:
        return day.replace(year=day.year + years)
    except ValueError:  # a 29 February
        return date(day.year + years, 3, 1)


def wrong_pick_up(stack_cents: int, counted_cents: int, reason: str) -> bool:
    """Return whether a stack was picked up with another amount than in the books, and without a reason."""
    return stack_cents != counted_cents and not reason.strip()


def wrong_hand_over(
    step: str, owner: int | None, claimed_by: int | None, due: str | None, day: str
) -> tuple[str, str] | None:
    """Return a code and a sentence if held chips cannot be handed on by this step on gaming day `day`.
    `owner` and `claimed_by` are players; chips without a known owner may be anybody's."""
    if step == Step.CLAIMED and owner is not None and claimed_by != owner:
        return "not_theirs", "These chips are held for another player."
    if step == Step.RELEASED and (due is None or day < due):
        return "not_due", f"These chips are held for their owner until {due}."
    return None


def vouched_for(
    step: str, owner: int | None, sent: tuple[int, int], moved: tuple[int, int]
) -> tuple[int, int] | None:
    """Return the cents of chips and of cash that, if large, need somebody uninvolved and evidence: everything
    that arrived without having been sent or the other way round, and everything handed on without a known
    owner. None for every other step."""
    if step == Step.DIFFERED:
        return moved[0] - sent[0], moved[1] - sent[1]
    return moved if step == Step.CLAIMED and owner is None else None


def wrong_closer(
    counted: Pieces,
    counted_by: Sequence[int],
    at: str,
    sent: Pieces | None,
    taken: Sequence[tuple[str, int, str]],
) -> str:
    """Return a sentence if the bank that two people counted `at` a table's closing did not go to the cage
    properly; "" if it did. `sent` and the (step, person, moment) `taken` are those of its closer, None if it
    has none."""
    if sent is None:
        return "" if counted == Pieces() else "What was counted in the bank went to the cage on no closer."
    if sent != counted:
        return "Its closer is not of what was counted in the bank."
    first, second = counted_by
    if list(taken) != [(Step.REQUESTED, second, at), (Step.SENT, first, at)]:
        return "Its closer was not sent at the closing by the two who counted the bank."
    return ""


def transfers(kind: DocumentKind, step: str, sent: Pieces, counted: Pieces) -> Iterator[Transfer]:
    """Yield the moves of a step. Sending puts everything under way; receiving moves what was counted to its
    place, and the difference to over/short: counted minus sent."""
    for asset in Asset:
        out, came = value_of(sent.of(asset)), value_of(counted.of(asset))
        if step == Step.SENT:
            moves = [(kind.source, AccountKind.TRANSIT, out)]
        elif step in HANDED_ON:
            moves = [(kind.target, HANDED_ON[Step(step)], came)]
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
