"""Reverse a settlement and post the corrected one, as far as the stacks can move it; the rest is a claim
(R58)."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from ledger.journal import posting, records
from ledger.journal.acts import Act
from tables.models import (
    Claim,
    Settlement,
    Sitting,
)
from tables.rules.table.corrections import (
    PairChange,
    by_pair,
    new_claims,
    owing,
    plan_changes,
    standing_after,
)
from tables.state.numbering import next_number


def settle_again(
    standing: Settlement,
    sittings: Mapping[int, Sitting],
    payments: Iterable[tuple[int, int, int]],
    *,
    evidence: Mapping[str, Any],
    content: Mapping[str, Any],
    act: Act,
) -> Settlement:
    """Reverse the settlement in force and post the new one as far as the stacks can pay; the rest is claimed (R58).

    `sittings` are by seat, `payments` are (payer's seat, receiver's seat, cents). Both entries are one act: its actor
    asked for it, its approver approved it.
    """
    round_ = standing.round
    stacks = {seat: sitting.stack_id for seat, sitting in sittings.items()}
    seats = {account: seat for seat, account in stacks.items()}
    lines = standing.entry.transfers.all()
    before = by_pair((seats[line.source_id], seats[line.target_id], line.cents) for line in lines)
    present = {
        seat: sitting.stack.balance_cents for seat, sitting in sittings.items() if sitting.left_at is None
    }
    changes = plan_changes(before, by_pair(payments), present)
    moved = owing(standing_after(before, changes))
    says = {"corrects": standing.entry_id, "changes": [change.as_json() for change in changes]}
    _, posted = posting.post_all(
        site=round_.session.table.site,
        drafts=[
            posting.EntryDraft(
                act=act.under(f"{act.key}/reversal"),
                kind="reversal",
                moves=posting.mirror(standing.entry),
                reverses=standing.entry,
                evidence={"reverses": standing.entry_id, "round_id": round_.pk},
                content=content,
            ),
            posting.EntryDraft(
                act=act,
                kind="correction",
                moves=tuple(
                    posting.Move(stacks[payer], stacks[receiver], cents) for payer, receiver, cents in moved
                ),
                evidence={**evidence, **says},
                content=content,
            ),
        ],
    )
    settlement = Settlement.objects.create(
        round=round_,
        ordinal=standing.ordinal + 1,
        entry=posted,
        settled_at=act.now,
        by_hand="by_hand" in evidence,
    )
    _write_claims(settlement, changes, sittings, act.now)
    return settlement


def _write_claims(
    settlement: Settlement, changes: Sequence[PairChange], sittings: Mapping[int, Sitting], now: datetime
) -> None:
    """Write the claims that this settlement leaves between its players, in addition to earlier settlements' claims."""
    seats = {sitting.player_id: seat for seat, sitting in sittings.items()}
    earlier = Claim.objects.filter(settlement__round=settlement.round_id)
    claimed = by_pair((seats[claim.debtor_id], seats[claim.creditor_id], claim.cents) for claim in earlier)
    site = settlement.round.session.table.site
    for debtor, creditor, cents in new_claims(changes, claimed):
        claim = Claim.objects.create(
            site=site,
            number=next_number(Claim, site),
            settlement=settlement,
            debtor=sittings[debtor].player,
            creditor=sittings[creditor].player,
            cents=cents,
        )
        records.keep(site.pk, now, claim)
