"""The rule of who signs off a drop box, or a difference in a table's bank, a cashier's drawer, the vault,
the unclaimed chips, the reserve sets or what arrived under a document, and of what they say. Pure."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final, NamedTuple

from ledger.chart import AccountKind, EntryKind

BANKS: Final = {
    EntryKind.BANK_COUNT: AccountKind.TABLE_BANK,
    EntryKind.DRAWER_CLOSE: AccountKind.DRAWER,
    EntryKind.VAULT_COUNT: AccountKind.VAULT,
    EntryKind.UNCLAIMED_COUNT: AccountKind.UNCLAIMED,
    EntryKind.RESERVE_COUNT: AccountKind.RESERVE,
}
"""The entries of what two people counted who were not told what the books expect, and the place of each."""
COUNTED_BLIND: Final = frozenset(BANKS.values())


def barred_by(evidence: Mapping[str, Any], cashier: int | None = None) -> tuple[Any, ...]:
    """Return the ids of those who do not sign, by the entry of one of BANKS: the two who counted, and of a
    drawer the `cashier` whose it was, also where others counted it in their place."""
    return *(evidence.get("counted_by") or ()), cashier


def wrong_signers(
    *, signer: int, second: int | None, barred: Collection[int | None], needs_two: bool
) -> tuple[str, str] | None:
    """Return the code and the sentence for why these people do not sign it off, or None. `barred` are those
    of `barred_by`."""
    if signer in barred or (second is not None and second in barred):
        return "counted_by_signer", "Nobody signs off what they counted, pulled or worked from."
    if second == signer:
        return "second_person", "Nobody is their own second person: choose somebody else."
    if needs_two and second is None:
        return "second_person", "So large a difference is signed off by two people: choose the second one."
    return None


def ran_the_table(signer: int, second: int | None, ran: Collection[int | None]) -> tuple[str, str] | None:
    """Return the code and the sentence for why they do not sign off the box or bank of a table, or None.
    `ran` are those who dealt there or ran it meanwhile."""
    if signer in ran or (second is not None and second in ran):
        return "ran_the_table", "Nobody signs off the box or the bank of a table that they dealt at or ran."
    return None


def lacks_evidence(evidence: str, *, needs_two: bool) -> tuple[str, str] | None:
    """Return the code and the sentence for what a large difference lacks, or None. Its cause is asked for at
    any difference."""
    if needs_two and not evidence.strip():
        return (
            "evidence_required",
            "So large a difference needs its evidence: a camera's clip, a paper's number.",
        )
    return None


def wrong_witness(
    *, second: int, handled: Collection[int | None], ran: Collection[int | None], evidence: str
) -> tuple[str, str] | None:
    """Return the code and the sentence for why `second` does not sign, beside whoever received it, a large
    difference between what was sent under a document and what arrived, or beside whoever hands much out that
    had no known owner, or None. `handled` are those who took
    a step of the document or counted what arrived, `ran` those who dealt at its table or ran it."""
    return (
        wrong_signers(signer=second, second=None, barred=handled, needs_two=False)
        or ran_the_table(second, None, ran)
        or lacks_evidence(evidence, needs_two=True)
    )


def needs_two(chips_cents: int, cash_cents: int, threshold_cents: int) -> bool:
    """Return whether two people sign; what is too much of one asset does not make up for the other."""
    return abs(chips_cents) + abs(cash_cents) >= threshold_cents


Counts = tuple[str, str, int]
Small = dict[Counts, int]


class Difference(NamedTuple):
    """What arrived otherwise than it was sent, without its sign: `of` whom and where in which gaming day it
    counts, `threshold` from how many cents on a difference is large."""

    of: tuple[Counts, ...]
    cents: int
    threshold: int


def difference(day: str, person: int, table: int | None, over: tuple[int, int], threshold: int) -> Difference:
    """Return a difference `over` in chips and cash, of who received it and of the `table` (its account)."""
    of = (day, "person", person), (day, "table", table or 0)
    return Difference(of[: 2 if table else 1], abs(over[0]) + abs(over[1]), threshold)


def is_large(one: Difference, small: Small) -> bool:
    """Return whether somebody uninvolved signs a difference: it is large by itself, or with the `small` ones
    that nobody uninvolved signed, of the same person or at the same table in the gaming day."""
    return one.cents + max(small.get(key, 0) for key in one.of) >= one.threshold


def small_ones(found: Iterable[Difference]) -> Small:
    """Return the cents of the small differences among those `found`, in the order in which they were."""
    small: Small = {}
    for one in found:
        add_small(one, small)
    return small


def add_small(one: Difference, small: Small) -> bool:
    """Add a difference to the small ones; return whether it is one."""
    if is_large(one, small):
        return False
    small |= {key: small.get(key, 0) + one.cents for key in one.of}
    return True
