"""Who signs off a drop box, or a difference in a table's bank, a cashier's drawer, the vault, the unclaimed
chips, the reserve sets or an arrival under a document, and what they must state; and who closes a gaming day
or a shift of it: two people, the second of whom signed off none of the day's boxes. Pure."""

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
"""The entries of counts by two people who do not know what the books expect, and the place of each."""
COUNTED_BLIND: Final = frozenset(BANKS.values())


def barred_by(evidence: Mapping[str, Any], cashier: int | None = None) -> tuple[Any, ...]:
    """Return the ids of the people who may not sign, by the entry of one of BANKS: the two who counted and,
    for a drawer, its `cashier`, even if others counted it in their place."""
    return *(evidence.get("counted_by") or ()), cashier


def wrong_signers(
    *, signer: int, second: int | None, barred: Collection[int | None], needs_two: bool
) -> tuple[str, str] | None:
    """Return a code and a sentence if these people may not sign it off, else None. `barred` are those of
    `barred_by`."""
    if signer in barred or (second is not None and second in barred):
        return "counted_by_signer", "Nobody signs off what they counted, pulled or worked from."
    if second == signer:
        return "second_person", "Nobody is their own second person: choose somebody else."
    if needs_two and second is None:
        return "second_person", "So large a difference is signed off by two people: choose the second one."
    return None


def ran_the_table(signer: int, second: int | None, ran: Collection[int | None]) -> tuple[str, str] | None:
    """Return a code and a sentence if these people may not sign off the box or bank of a table, else None.
    `ran` are those who dealt there or ran it meanwhile."""
    if signer in ran or (second is not None and second in ran):
        return "ran_the_table", "Nobody signs off the box or the bank of a table that they dealt at or ran."
    return None


def lacks_evidence(evidence: str, *, needs_two: bool) -> tuple[str, str] | None:
    """Return a code and a sentence if a large difference lacks evidence, else None. The cause is required at
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
    """Return a code and a sentence if `second` may not be the uninvolved signer, else None: of a large
    difference between what was sent under a document and what arrived, or of handing on a large amount
    without a known owner. `handled` are the people who took a step of the document or counted what arrived,
    `ran` those who dealt at its table or ran it."""
    return (
        wrong_signers(signer=second, second=None, barred=handled, needs_two=False)
        or ran_the_table(second, None, ran)
        or lacks_evidence(evidence, needs_two=True)
    )


def needs_two(chips_cents: int, cash_cents: int, threshold_cents: int) -> bool:
    """Return whether two people must sign; an overage in one asset does not offset the other."""
    return abs(chips_cents) + abs(cash_cents) >= threshold_cents


Counts = tuple[str, str, int]
Small = dict[Counts, int]


class Difference(NamedTuple):
    """The size of a difference between what was sent and what arrived, without its sign: `of` the receiver
    and the table, in which gaming day; from `threshold` cents on it is large."""

    of: tuple[Counts, ...]
    cents: int
    threshold: int


def difference(day: str, person: int, table: int | None, over: tuple[int, int], threshold: int) -> Difference:
    """Return a difference, `over` in chips and cash, of its receiver and of the `table` (its account)."""
    of = (day, "person", person), (day, "table", table or 0)
    return Difference(of[: 2 if table else 1], abs(over[0]) + abs(over[1]), threshold)


def is_large(one: Difference, small: Small) -> bool:
    """Return whether somebody uninvolved must sign a difference: it is large by itself, or together with the
    `small` ones, signed by nobody uninvolved, of the same person or table in the gaming day."""
    return one.cents + max(small.get(key, 0) for key in one.of) >= one.threshold


def small_ones(found: Iterable[Difference]) -> Small:
    """Return the cents of the small differences among those `found`, in their order."""
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


def wrong_second(
    *, closer: int, second: int | None, signers: Collection[int], what: str = "gaming day"
) -> str:
    """Return why `second` may not close a day or shift with `closer`, as a sentence, or "". `signers` are the
    people who signed off a box of the closed days; the closer may be one of them."""
    if second is None:
        return f"Two people close a {what}: choose the second one."
    if second == closer:
        return f"Nobody closes a {what} with themselves: choose somebody else."
    if second in signers:
        return "The second person signed off a box of this day: choose somebody who signed off none."
    return ""
