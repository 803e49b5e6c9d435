"""Correcting a settled round (R58): one asks, another approves; the entry is reversed and a new one posted.

Later rounds are not scored again. A correction moves only chips that are on the table; the rest is a claim between
two players.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Max

from ledger import posting, records
from ledger.errors import KeyReused, SecondPerson
from ledger.rights import require
from tables.errors import (
    CorrectionDecided,
    CorrectionOpen,
    NothingChanges,
    NotSettled,
    ReasonRequired,
    RoundRunning,
    SettledByHand,
)
from tables.hands import kept_form
from tables.live import publish
from tables.models import (
    Claim,
    CorrectionRequest,
    Hand,
    Round,
    Settlement,
    Sitting,
    TableEvent,
    TableSession,
)
from tables.queries import state_of
from tables.rounds import mark_fantasy_land
from tables.rules.rounds import RoundScore
from tables.scoring import (
    RoundEntry,
    score_entry,
    settlement_evidence,
    standing_evidence,
    standing_settlement,
    who_pays,
)
from tables.sessions import clock_kept, lock_round, record
from tables.standings import net_of, outcome_of

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


def ask_correction(*, entry: RoundEntry, reason: str, actor: Any, now: datetime) -> CorrectionRequest:
    """Ask for a settled round to be scored again with other cards. The cards are checked at once.

    Refuses `reason_required`, `not_settled`, `settled_by_hand`, `correction_open`, `nothing_changes`, and whatever the
    rules refuse.
    """
    require(actor, "tables.ask_corrections")
    if not reason.strip():
        raise ReasonRequired("Say what was wrong.", field="reason")
    with transaction.atomic():
        session, round_ = lock_round(entry.round_id)
        dealt = list(round_.hands.all())
        hands = kept_form(dealt, entry.hands)
        earlier = CorrectionRequest.objects.filter(key=entry.key).first()
        if earlier is not None:
            if (earlier.round_id, earlier.hands, earlier.reason) != (round_.pk, hands, reason.strip()):
                raise KeyReused("This key asked for another correction.", field="key")
            return earlier
        if round_.state != Round.State.SETTLED:
            raise NotSettled(f"Round {round_.number} has not been settled.")
        if standing_settlement(round_).by_hand:
            raise SettledByHand(f"Round {round_.number} was settled by hand: there are no cards to correct.")
        if round_.corrections.filter(state=CorrectionRequest.State.ASKED).exists():
            raise CorrectionOpen(f"A correction of round {round_.number} waits for approval already.")
        deal, _ = score_entry(session, round_, dealt, hands)
        if kept_form(dealt, standing_evidence(round_)["input"]["hands"]) == deal["hands"]:
            raise NothingChanges("These are the cards that were settled.", field="hands")
        request = CorrectionRequest.objects.create(
            round=round_, key=entry.key, hands=hands, reason=reason.strip(), asked_by=actor, asked_at=now
        )
        record(
            session,
            TableEvent.Kind.CORRECTION_ASKED,
            actor=actor,
            now=now,
            round=round_.number,
            correction=request.pk,
            reason=reason.strip(),
        )
        publish(session.pk)
    return request


def approve_correction(
    *, request_id: int, key: str, actor: Any, now: datetime, terminal: str = ""
) -> CorrectionRequest:
    """Approve a correction that somebody else asked for: reverse the settlement and post the new one.

    Refuses `second_person`, `correction_decided`, and `round_running` while one of the round's players is dealt in.
    """
    require(actor, "tables.approve_corrections")
    with transaction.atomic():
        session, round_ = lock_round(
            CorrectionRequest.objects.values_list("round_id", flat=True).get(pk=request_id)
        )
        request = CorrectionRequest.objects.select_related("settlement__entry").get(pk=request_id)
        if request.state == request.State.APPROVED and request.settlement.entry.key == key:
            return request
        _require_open(request, actor)
        if state_of(session).running_round:
            raise RoundRunning("Settle the running round first: its stacks may not change.")
        with clock_kept(session, now):
            request.settlement = _post_correction(session, round_, request, key, actor, now, terminal)
        request.state = request.State.APPROVED
        request.decided_by, request.decided_at = actor, now
        request.save(update_fields=["state", "decided_by", "decided_at", "settlement"])
        publish(session.pk)
    return request


def _require_open(request: CorrectionRequest, actor: Any) -> None:
    if request.asked_by_id == actor.pk:
        raise SecondPerson("Somebody else must decide on a correction you asked for.")
    if request.state != request.State.ASKED:
        raise CorrectionDecided(f"This correction was {request.get_state_display().lower()} already.")


def _post_correction(
    session: TableSession,
    round_: Round,
    request: CorrectionRequest,
    key: str,
    actor: Any,
    now: datetime,
    terminal: str,
) -> Settlement:
    dealt = list(round_.hands.select_related("sitting__player", "sitting__stack"))
    deal, scored = score_entry(session, round_, dealt, request.hands)
    standing = standing_settlement(round_)
    outcome = outcome_of(round_, scored)
    paying, sittings = who_pays(dealt, scored, outcome)
    settlement = settle_anew(
        round_,
        standing,
        sittings,
        [(p.from_seat, p.to_seat, p.paid_cents) for p in paying.payments],
        evidence=settlement_evidence(round_, standing.ordinal + 1, deal, scored, outcome),
        approved=Approved(key, request.asked_by, actor, request.reason, {"correction": request.pk}, terminal),
        now=now,
    )
    mark_fantasy_land([hand for hand in dealt if not _played_since(hand, round_)], scored)
    return settlement


@dataclass(frozen=True, slots=True)
class Approved:
    """A new settlement as it was approved: under which key, who asked and who approved it, why, and what was sent."""

    key: str
    asked_by: Any
    approver: Any
    reason: str
    content: Mapping[str, Any]
    terminal: str


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
    common = {
        "occurred_at": now,
        "actor": approved.asked_by,
        "approver": approved.approver,
        "reason": approved.reason,
        "terminal": approved.terminal,
        "content": approved.content,
    }
    _, posted = posting.post_all(
        site=round_.session.table.site,
        drafts=[
            posting.EntryDraft(
                key=f"{approved.key}/reversal",
                kind="reversal",
                moves=posting.mirror(standing.entry),
                reverses=standing.entry,
                evidence={"reverses": standing.entry_id, "round_id": round_.pk},
                **common,
            ),
            posting.EntryDraft(
                key=approved.key,
                kind="correction",
                moves=_moves(before, changes, stacks),
                evidence={**evidence, **says},
                **common,
            ),
        ],
        now=now,
    )
    settlement = Settlement.objects.create(
        round=round_, ordinal=standing.ordinal + 1, entry=posted, settled_at=now, by_hand=by_hand
    )
    _write_claims(settlement, changes, sittings, now)
    return settlement


def _played_since(hand: Hand, round_: Round) -> bool:
    """Whether the sitting has been dealt into a later round that counts: then its fantasy land has been played."""
    later = hand.sitting.hands.filter(round__number__gt=round_.number)
    return later.exclude(round__state=Round.State.VOID).exists()


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


def refuse_correction(*, request_id: int, reason: str, actor: Any, now: datetime) -> CorrectionRequest:
    """Refuse a correction that somebody else asked for; the settlement stands."""
    require(actor, "tables.approve_corrections")
    if not reason.strip():
        raise ReasonRequired("Say why the correction is refused.", field="reason")
    with transaction.atomic():
        session, round_ = lock_round(
            CorrectionRequest.objects.values_list("round_id", flat=True).get(pk=request_id)
        )
        request = CorrectionRequest.objects.get(pk=request_id)
        if request.state == request.State.REFUSED and request.decided_by_id == actor.pk:
            return request
        _require_open(request, actor)
        request.state, request.decided_by, request.decided_at = request.State.REFUSED, actor, now
        request.decision_reason = reason.strip()
        request.save(update_fields=["state", "decided_by", "decided_at", "decision_reason"])
        record(
            session,
            TableEvent.Kind.CORRECTION_REFUSED,
            actor=actor,
            now=now,
            round=round_.number,
            correction=request.pk,
            reason=reason.strip(),
        )
        publish(session.pk)
    return request


def preview(request: CorrectionRequest) -> tuple[RoundScore, dict[int, int]]:
    """Return the score a correction would put in place, and by how many cents it changes each seat's result.

    In a race these are the seats and results of the match (R42).
    """
    round_ = request.round
    session = round_.session
    _, scored = score_entry(session, round_, list(round_.hands.all()), request.hands)
    after = (outcome_of(round_, scored) or scored).net_cents
    before = net_of(standing_evidence(round_))
    return scored, {seat: cents - before.get(seat, 0) for seat, cents in after.items()}
