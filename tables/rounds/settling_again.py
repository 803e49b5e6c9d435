"""Reverse a settlement and post the corrected one, as far as the stacks can move it; the rest is a claim
(R58)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Max

from ledger.journal import posting, records
from tables.models import (
    Claim,
    Round,
    Settlement,
    Sitting,
)

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class PairChange:
    """What a correction does between two seats: `owed` is what `payer` must give back, `moved` what is there for it.

    Cents; what is left over becomes a claim.
    """

    payer: int
    receiver: int
    owed: int
    moved: int


@dataclass(frozen=True, slots=True)
class Approved:
    """A new settlement as it was approved: under which key, who asked and who approved it, why, and what was sent."""

    key: str
    asked_by: Any
    approver: Any
    reason: str
    content: Mapping[str, Any]
    terminal: str

    def draft(self, now: datetime, **entry: Any) -> posting.EntryDraft:
        """Return one of its entries; `entry` has the kind, moves and evidence, and a key unless it is the approval's."""
        return posting.EntryDraft(
            **{"key": self.key} | entry,
            occurred_at=now,
            actor=self.asked_by,
            approver=self.approver,
            reason=self.reason,
            terminal=self.terminal,
            content=self.content,
        )


def settle_anew(
    round_: Round,
    standing: Settlement,
    sittings: Mapping[int, Sitting],
    payments: Iterable[tuple[int, int, int]],
    *,
    evidence: Mapping[str, Any],
    approved: Approved,
    now: datetime,
    by_hand: bool = False,
) -> Settlement:
    """Take the settlement that stands back and post the new one, as far as the stacks can move it; the rest is claimed (R58).

    `sittings` are by seat, `payments` (payer's seat, receiver's seat, cents). The entries are one act with one reason.
    """
    stacks = {seat: sitting.stack_id for seat, sitting in sittings.items()}
    seats = {account: seat for seat, account in stacks.items()}
    moved = standing.entry.transfers.all()
    before = _by_pair((seats[t.source_id], seats[t.target_id], t.cents) for t in moved)
    present = {
        seat: sitting.stack.balance_cents for seat, sitting in sittings.items() if sitting.left_at is None
    }
    changes = plan_changes(before, _by_pair(payments), present)
    says = {
        "corrects": standing.entry_id,
        "changes": [
            {"from": change.payer, "to": change.receiver, "owed": change.owed, "moved": change.moved}
            for change in changes
        ],
    }
    _, posted = posting.post_all(
        site=round_.session.table.site,
        drafts=[
            approved.draft(
                now,
                key=f"{approved.key}/reversal",
                kind="reversal",
                moves=posting.mirror(standing.entry),
                reverses=standing.entry,
                evidence={"reverses": standing.entry_id, "round_id": round_.pk},
            ),
            approved.draft(
                now,
                kind="correction",
                moves=_moves(before, changes, stacks),
                evidence={**evidence, **says},
            ),
        ],
        now=now,
    )
    settlement = Settlement.objects.create(
        round=round_, ordinal=standing.ordinal + 1, entry=posted, settled_at=now, by_hand=by_hand
    )
    _write_claims(settlement, changes, sittings, now)
    return settlement


def _by_pair(payments: Iterable[tuple[int, int, int]]) -> dict[Pair, int]:
    """Net payments by pair: {(lower seat, higher seat): cents the lower one pays; negative where it receives}."""
    net: dict[Pair, int] = {}
    for payer, receiver, cents in payments:
        pair, sign = ((payer, receiver), 1) if payer < receiver else ((receiver, payer), -1)
        net[pair] = net.get(pair, 0) + sign * cents
    return net


def plan_changes(
    before: Mapping[Pair, int], after: Mapping[Pair, int], present: Mapping[int, int]
) -> list[PairChange]:
    """Return what changes between each pair, and how much of it the stacks that are there can move.

    `present` gives the stacks of the players still seated; nothing moves from or to one who has left (R58).
    """
    owed = {}
    for pair in sorted(before.keys() | after.keys()):
        cents = after.get(pair, 0) - before.get(pair, 0)
        if cents:
            owed[pair if cents > 0 else pair[::-1]] = abs(cents)
    seated = {pair: cents for pair, cents in owed.items() if pair[0] in present and pair[1] in present}
    moved = _movable(seated, present)
    return [PairChange(*pair, cents, moved.get(pair, 0)) for pair, cents in owed.items()]


def _movable(owed: Mapping[Pair, int], stacks: Mapping[int, int]) -> dict[Pair, int]:
    """How much of what payers owe to receivers, {(payer, receiver): cents}, these stacks can move.

    All of it where every stack holds its own result. Otherwise pair by pair, again and again, because chips that
    come in from one pair can go out to the next.
    """
    left = dict(stacks)
    for (payer, receiver), cents in owed.items():
        left[payer] -= cents
        left[receiver] += cents
    if all(cents >= 0 for cents in left.values()):
        return dict(owed)
    left, moved = dict(stacks), dict.fromkeys(owed, 0)
    moving = True
    while moving:
        moving = False
        for (payer, receiver), cents in owed.items():
            part = min(cents - moved[payer, receiver], left[payer])
            if part:
                left[payer] -= part
                left[receiver] += part
                moved[payer, receiver] += part
                moving = True
    return moved


def _moves(
    before: Mapping[Pair, int], changes: Sequence[PairChange], stacks: Mapping[int, int]
) -> tuple[posting.Move, ...]:
    """Return the transfers of the new entry: what stood between each pair plus what could be moved of the change."""
    net = dict(before)
    for change in changes:
        pair, sign = (
            ((change.payer, change.receiver), 1)
            if change.payer < change.receiver
            else ((change.receiver, change.payer), -1)
        )
        net[pair] = net.get(pair, 0) + sign * change.moved
    return tuple(
        posting.Move(stacks[low], stacks[high], cents)
        if cents > 0
        else posting.Move(stacks[high], stacks[low], -cents)
        for (low, high), cents in sorted(net.items())
        if cents
    )


def _write_claims(
    settlement: Settlement, changes: Sequence[PairChange], sittings: Mapping[int, Sitting], now: datetime
) -> None:
    """Write the claims that this settlement leaves between its players, beyond those of the settlements before it.

    A correction that takes an earlier one back leaves a claim the other way, so that both together come to nothing.
    """
    seats = {sitting.player_id: seat for seat, sitting in sittings.items()}
    missing = _by_pair((change.payer, change.receiver, change.owed - change.moved) for change in changes)
    earlier = Claim.objects.filter(settlement__round=settlement.round_id)
    claimed = _by_pair((seats[claim.debtor_id], seats[claim.creditor_id], claim.cents) for claim in earlier)
    claims = {
        pair: missing.get(pair, 0) - claimed.get(pair, 0) for pair in sorted(missing.keys() | claimed.keys())
    }
    if not any(claims.values()):
        return
    site = settlement.round.session.table.site
    posting.lock_house(site)  # one at a time, so that claim numbers have no gaps
    number = Claim.objects.filter(site=site).aggregate(last=Max("number"))["last"] or 0
    for (low, high), cents in claims.items():
        if cents:
            number += 1
            debtor, creditor = (low, high) if cents > 0 else (high, low)
            claim = Claim.objects.create(
                site=site,
                number=number,
                settlement=settlement,
                debtor=sittings[debtor].player,
                creditor=sittings[creditor].player,
                cents=abs(cents),
            )
            records.keep(site.pk, now, claim)
