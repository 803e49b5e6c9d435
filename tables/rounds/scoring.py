"""Score entered hands with the rules; return the payments, their transfers and the evidence. For the entry
screen, check them while they are being entered."""

from collections.abc import Mapping, Sequence
from typing import Any

from ledger.journal import posting
from tables.models import Hand, Round, Sitting, TableSession
from tables.rounds.by_hand import deal_of, evidence_of
from tables.rounds.checked import EntryCheck, check_hands, score_hands
from tables.rounds.matches import MatchOutcome
from tables.rules.errors import DuplicateCard
from tables.rules.game.by_hand import HandSettlement
from tables.rules.game.rounds import Deal, Library, RoundScore, parse_round
from tables.state.evidence import standing_evidence, standing_settlement
from tables.state.table_state import sheet_of


def score_entry(
    session: TableSession,
    round_: Round,
    dealt: Sequence[Hand],
    entered: Sequence[Mapping[str, Any]],
    shuffle: Mapping[str, Any] | None = None,
) -> tuple[dict[str, Any], RoundScore]:
    """Score entered hands; return the round in the score format, and its score. Refuses
    `hand_for_empty_seat`, `wrong_position`, `hand_missing`, fantasy land not earned (R41, R54),
    `duplicate_card` with a round of the same deck (R43), and whatever the rules refuse."""
    about = deal_of(session, round_, ())
    if shuffle is not None:
        about["shuffle"] = shuffle
    own = Library.of(sheet_of(session))
    deal, scored = score_hands(about, dealt, entered, own, round_before(round_, own))
    _require_unlike_after(round_, scored.deal, own)
    return deal, scored


def _standing_deal(round_: Round, own: Library) -> Deal:
    return parse_round(standing_evidence(round_)["input"], own)


def round_before(round_: Round, own: Library) -> Deal | None:
    """Return the round from whose deck this one's hands were reserved (R43), or None."""
    return _standing_deal(round_.reserved_from, own) if round_.reserved_from else None


def _require_unlike_after(round_: Round, deal: Deal, own: Library) -> None:
    """Refuse a card of the next round if dealt from the same deck (R43)."""
    if round_.state != Round.State.SETTLED:
        return
    after = round_.reserved_for.filter(state=Round.State.SETTLED).first()
    if after is None or standing_settlement(after).by_hand:
        return  # a round settled by hand has no cards
    gone = _standing_deal(after, own).cards
    for hand in deal.hands:
        for card in hand.cards:
            if card in gone:
                raise DuplicateCard(
                    f"seat {hand.seat}: {card} was in round {after.number}, which shares the deck",
                    field="hands",
                )


def who_pays(
    dealt: Sequence[Hand], scored: RoundScore, outcome: MatchOutcome | None
) -> tuple[RoundScore | MatchOutcome, dict[int, Sitting]]:
    """Return the result whose payments are settled, and the sittings by seat. A round of a race pays nothing;
    its match does, once won (R42)."""
    at_seats = {hand.seat: hand.sitting for hand in dealt}
    return (scored, at_seats) if outcome is None else (outcome, {**at_seats, **outcome.players})


def payment_moves(
    settled: RoundScore | MatchOutcome | HandSettlement, stacks: Mapping[int, int]
) -> tuple[posting.Move, ...]:
    """Return the transfers of the payments; `stacks` gives each seat's stack account."""
    return tuple(
        posting.Move(stacks[payment.from_seat], stacks[payment.to_seat], payment.paid_cents)
        for payment in settled.payments
        if payment.paid_cents
    )


def settlement_evidence(
    round_: Round, ordinal: int, deal: Mapping[str, Any], scored: RoundScore, outcome: MatchOutcome | None
) -> dict[str, Any]:
    """Return everything needed to work the settlement out again; `ordinal` counts from 1. The answer is a
    hash, since `answer_of` repeats it. With `reserved_from` (R43) and `match` (R42) if they apply."""
    race = {"match": outcome.says} if outcome else {}
    return evidence_of(round_, ordinal, deal, scored) | race


def check_entry(
    session: TableSession, round_: Round, dealt: Sequence[Hand], entered: Sequence[Mapping[str, Any]]
) -> EntryCheck:
    """Check the hands entered so far, and score them once they are complete."""
    sheet = sheet_of(session)
    before = round_before(round_, Library.of(sheet))
    return check_hands(
        dealt,
        entered,
        sheet,
        lambda hands: score_entry(session, round_, dealt, hands)[1],
        before.cards if before else frozenset(),
    )
