"""Settle a round again as far as the stacks can pay; the rest is a claim between two players (R58).

They settle a claim among themselves; somebody of the floor marks it as paid."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from ledger.journal import posting, records
from ledger.journal.acts import Act
from ledger.rights import require
from tables.errors import ClaimPaid
from tables.models import Claim, ClaimPayment, Settlement, Sitting, TableEvent
from tables.rights import RUN_FLOOR
from tables.rules.game.matches import MatchPayment
from tables.rules.game.settlement import Payment
from tables.rules.table.corrections import (
    PairChange,
    by_pair,
    new_claims,
    owing,
    plan_changes,
    standing_after,
)
from tables.state.events import next_number, record, recorded_before
from tables.state.locks import at_table


def settle_again(
    standing: Settlement,
    sittings: Mapping[int, Sitting],
    payments: Iterable[Payment | MatchPayment],
    *,
    evidence: Mapping[str, Any],
    content: Mapping[str, Any],
    act: Act,
) -> Settlement:
    """Replace the settlement in force as far as the stacks can pay; the rest is claimed (R58). `sittings` are
    by seat. The actor asked for it, the approver approved it."""
    round_ = standing.round
    stacks = {seat: sitting.stack_id for seat, sitting in sittings.items()}
    seats = {account: seat for seat, account in stacks.items()}
    lines = standing.entry.transfers.all()
    before = by_pair((seats[line.source_id], seats[line.target_id], line.cents) for line in lines)
    present = {
        seat: sitting.stack.balance_cents for seat, sitting in sittings.items() if sitting.left_at is None
    }
    after = by_pair((one.from_seat, one.to_seat, one.paid_cents) for one in payments)
    changes = plan_changes(before, after, present)
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


def mark_paid(*, claim_id: int, act: Act) -> ClaimPayment:
    """Record that the actor saw the debtor pay the creditor; nothing in the books moves. Also after the table
    has closed. Refuses `claim_paid`."""
    require(act.actor, RUN_FLOOR)
    claim = Claim.objects.select_related("settlement__round").get(pk=claim_id)
    kind = TableEvent.Kind.CLAIM_PAID
    with at_table(claim.settlement.round.session_id, act) as (session, act):
        data: dict[str, Any] = {
            "claim": claim.pk,
            "number": claim.number,
            "debtor": claim.debtor_id,
            "creditor": claim.creditor_id,
            "cents": claim.cents,
        }
        if recorded_before(session, kind, act, **data):
            return claim.payment
        paid = ClaimPayment.objects.filter(claim=claim).select_related("seen_by").first()
        if paid is not None:
            raise ClaimPaid(f"Claim {claim.number} has been paid; {paid.seen_by} saw it.")
        event = record(session, kind, key=act.key, act=act, **data)
        return ClaimPayment.objects.create(claim=claim, event=event, seen_by=act.actor, seen_at=act.now)
