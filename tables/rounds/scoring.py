"""Score entered hands with the rules, and say who pays whom and with which evidence."""

from collections.abc import Mapping, Sequence
from typing import Any

from ledger.journal import posting
from ledger.money import amount_text
from tables.errors import FantasyLandNotEarned, HandMissing
from tables.models import Hand, Round, Sitting, TableSession
from tables.rounds.entry import hand_name, kept_form, match_hands
from tables.rounds.matches import MatchOutcome
from tables.rules.errors import DuplicateCard
from tables.rules.game.by_hand import HandSettlement
from tables.rules.game.rounds import (
    RULES_VERSION,
    Deal,
    Library,
    RoundScore,
    parse_round,
    score,
)
from tables.state.evidence import standing_evidence, standing_settlement
from tables.state.table_state import sheet_of


def score_entry(
    session: TableSession, round_: Round, dealt: Sequence[Hand], entered: Sequence[Mapping[str, Any]]
) -> tuple[dict[str, Any], RoundScore]:
    """Score entered hands against what was dealt; return the round in the score format, and its score.

    Refuses hands for seats that were not dealt in (`hand_for_empty_seat`), hands of a player with two that do not say
    which one they are (`wrong_position`), missing ones (`hand_missing`), fantasy land that was not earned (R41, for
    the first of two hands alone, R54), cards of another round from the same deck (`duplicate_card`, R43), and whatever
    the rules refuse.
    """
    matched = match_hands(dealt, kept_form(dealt, entered))
    for hand, said in matched:
        if said.get("fantasy_land") and not hand.fantasy_land:
            raise FantasyLandNotEarned(
                f"Fantasy land has not been earned for the {hand_name(dealt, hand)}.", field="fantasy_land"
            )
    there = {hand.position for hand, _ in matched}
    missing = sorted(
        (hand for hand in dealt if hand.position not in there), key=lambda hand: (hand.seat, hand.position)
    )
    if missing:
        raise HandMissing(f"The {hand_name(dealt, missing[0])} is missing.", field="hands")
    deal = {
        "sheet": session.sheet.code,
        "version": session.sheet.version,
        "limit": amount_text(round_.limit_cents),
        "button": round_.button_seat,
        "hands": [_scored_hand(hand, said) for hand, said in matched],
    }
    if round_.pair_stakes:
        deal["pair_stakes"] = round_.pair_stakes
    own = library_of(session)
    parsed = parse_round(deal, own, reserved_from=round_before(round_, own))
    _require_unlike_after(round_, parsed, own)
    return deal, score(parsed)


def library_of(session: TableSession) -> Library:
    """The one sheet of the session, as a library."""
    sheet = sheet_of(session)
    return Library({(sheet.code, sheet.version): sheet}, {sheet.code: sheet})


def _standing_deal(round_: Round, own: Library) -> Deal:
    """The round as it stands settled."""
    return parse_round(standing_evidence(round_)["input"], own)


def round_before(round_: Round, own: Library) -> Deal | None:
    """The round from whose deck this one's hands were kept (R43), or None."""
    return _standing_deal(round_.reserved_from, own) if round_.reserved_from else None


def _require_unlike_after(round_: Round, deal: Deal, own: Library) -> None:
    """Refuse a correction that puts a card of the round after, dealt from the same deck, into this one (R43)."""
    if round_.state != Round.State.SETTLED:
        return
    after = round_.reserved_for.filter(state=Round.State.SETTLED).first()
    if after is None or standing_settlement(after).by_hand:
        return  # nobody knows the cards of a round that was settled by hand
    gone = _standing_deal(after, own).cards
    for hand in deal.hands:
        for card in hand.cards:
            if card in gone:
                raise DuplicateCard(
                    f"seat {hand.seat}: {card} was in round {after.number}, which shares the deck",
                    field="hands",
                )


def _scored_hand(dealt: Hand, entered: Mapping[str, Any]) -> dict[str, Any]:
    hand = {name: value for name, value in entered.items() if name not in ("fantasy_land", "position")}
    hand["stack"] = amount_text(dealt.stack_cents)
    # A forgotten announcement forfeits nothing (R56): who earned fantasy land is in it, whatever the tablet says.
    if dealt.fantasy_land:
        hand["fantasy_land"] = True
    return hand


def who_pays(
    dealt: Sequence[Hand], scored: RoundScore, outcome: MatchOutcome | None
) -> tuple[RoundScore | MatchOutcome, dict[int, Sitting]]:
    """Return what has the payments of a settlement, and the sitting at every seat that they may concern.

    A round of a race pays nothing of its own; its match does once it is won, also to or from a player of it who was not
    dealt into the round (R42).
    """
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
    """Return everything needed to work the settlement out again; `ordinal` is its place among those of the round.

    `reserved_from` is there where the hands were kept from the round before, whose cards may then not occur (R43), and
    `match` in a race, with the points and payments of the match (R42).
    """
    before = round_.reserved_from
    shared = {"reserved_from": {"round_id": before.pk, "round": before.number}} if before else {}
    race = {"match": outcome.as_json()} if outcome else {}
    return (
        shared
        | race
        | {
            "rules_version": RULES_VERSION,
            "session": round_.session_id,
            "round": round_.number,
            "round_id": round_.pk,
            "ordinal": ordinal,
            "started_at": round_.started_at.isoformat(),
            "input": deal,
            "answer": scored.as_json(),
        }
    )
