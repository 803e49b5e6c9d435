"""Where entered hands meet the rules: the sheet of a table, the score of a round, the check of a half-filled entry.

Nothing is written here. Points and cuts are worked out in `tables/rules`; the verbs in rounds.py and corrections.py
post what comes out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ledger import posting
from ledger.money import amount_text
from tables.errors import FantasyLandNotEarned, HandMissing, TableError
from tables.hands import dealt_hand, hand_name, match_hands
from tables.models import Hand, Round, SheetVersion, TableSession
from tables.rules.errors import DuplicateCard, RuleError
from tables.rules.rounds import (
    RULES_VERSION,
    Library,
    RoundScore,
    Setting,
    Sheet,
    describe,
    parse_round,
    parse_sheet,
    score,
)


@dataclass(frozen=True, slots=True)
class RoundEntry:
    """What a dealer confirms: the round, a key the tablet made, and each hand in the form of the score format.

    A hand has `seat`, `front`, `middle`, `back` as text, and `declares`, `misset`, `fantasy_land` where they apply;
    `position` says which hand of a player with two it is, and is needed only there.
    """

    round_id: int
    key: str
    hands: tuple[Mapping[str, Any], ...]


@lru_cache(maxsize=64)
def _sheet(sheet_id: int) -> Sheet:
    kept = SheetVersion.objects.get(pk=sheet_id)
    return parse_sheet(bytes(kept.raw), f"{kept.code}.toml")


def sheet_of(session: TableSession) -> Sheet:
    """Return the sheet the session was opened with, from the bytes kept at its first use."""
    return _sheet(session.sheet_id)


def score_entry(
    session: TableSession, round_: Round, dealt: Sequence[Hand], entered: Sequence[Mapping[str, Any]]
) -> tuple[dict[str, Any], RoundScore]:
    """Score entered hands against what was dealt; return the round in the score format, and its score.

    Refuses hands for seats that were not dealt in (`hand_for_empty_seat`), hands of a player with two that do not say
    which one they are (`wrong_position`), missing ones (`hand_missing`), fantasy land that was not earned (R41, for
    the first of two hands alone, R54), and whatever the rules refuse.
    """
    matched = match_hands(dealt, entered)
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
        "limit": amount_text(session.limit_cents),
        "button": round_.button_seat,
        "hands": [_scored_hand(hand, said) for hand, said in matched],
    }
    sheet = sheet_of(session)
    own = Library({(sheet.code, sheet.version): sheet}, {sheet.code: sheet})
    return deal, score(parse_round(deal, own))


def _scored_hand(dealt: Hand, entered: Mapping[str, Any]) -> dict[str, Any]:
    hand = {
        name: value
        for name, value in entered.items()
        if value not in (None, False) and name not in ("fantasy_land", "position")
    }
    hand["stack"] = amount_text(dealt.stack_cents)
    # A forgotten announcement forfeits nothing (R56): who earned fantasy land is in it, whatever the tablet says.
    if dealt.fantasy_land:
        hand["fantasy_land"] = True
    return hand


def payment_moves(scored: RoundScore, stacks: Mapping[int, int]) -> tuple[posting.Move, ...]:
    """Return the transfers of a score's payments; `stacks` gives each seat's stack account."""
    return tuple(
        posting.Move(stacks[payment.from_seat], stacks[payment.to_seat], payment.paid_cents)
        for payment in scored.payments
        if payment.paid_cents
    )


def settlement_evidence(round_: Round, deal: Mapping[str, Any], scored: RoundScore) -> dict[str, Any]:
    """Return everything needed to work the settlement out again."""
    return {
        "rules_version": RULES_VERSION,
        "session": round_.session_id,
        "round": round_.number,
        "round_id": round_.pk,
        "started_at": round_.started_at.isoformat(),
        "input": deal,
        "answer": scored.as_json(),
    }


@dataclass(frozen=True, slots=True)
class HandCheck:
    """One hand as far as it is entered: its `setting`, or the `error` that keeps it from having one.

    `position` is None where the entry does not say which hand of the round it is.
    """

    seat: int
    position: int | None
    setting: Setting | None
    error: TableError | RuleError | None


@dataclass(frozen=True, slots=True)
class EntryCheck:
    """What the rules say of hands that are still being entered.

    `score` is the whole score once every hand is complete, else `error` says what keeps it from being scored (None
    while cards are simply missing).
    """

    hands: tuple[HandCheck, ...]
    score: RoundScore | None
    error: TableError | RuleError | None


def check_entry(
    session: TableSession, round_: Round, dealt: Sequence[Hand], entered: Sequence[Mapping[str, Any]]
) -> EntryCheck:
    """Check hands as far as they are entered, and score them once they are complete."""
    sheet = sheet_of(session)
    lies: dict[str, Hand] = {}
    checks = tuple(_check_hand(said, dealt, sheet, lies) for said in entered)
    complete = {
        check.position
        for check, said in zip(checks, entered, strict=True)
        if said.get("misset") or _is_complete(said)
    }
    if any(check.error for check in checks) or complete != {hand.position for hand in dealt}:
        return EntryCheck(checks, None, None)
    try:
        return EntryCheck(checks, score_entry(session, round_, dealt, entered)[1], None)
    except (TableError, RuleError) as error:
        return EntryCheck(checks, None, error)


def _segments(hand: Mapping[str, Any]) -> list[list[str]]:
    return [str(hand.get(segment) or "").split() for segment in ("front", "middle", "back")]


def _is_complete(hand: Mapping[str, Any]) -> bool:
    return [len(cards) for cards in _segments(hand)] == [3, 5, 5]


def _check_hand(
    said: Mapping[str, Any], dealt: Sequence[Hand], sheet: Sheet, lies: dict[str, Hand]
) -> HandCheck:
    """Describe one hand; `lies` is where each card of the hands before it lies, and takes this one's."""
    seat, position = said["seat"], None
    segments = _segments(said)
    try:
        hand = dealt_hand(dealt, said)
        position = hand.position
        setting = describe(*segments, sheet, in_fantasy_land=hand.fantasy_land)
        for card in (card for cards in segments for card in cards):
            if lies.setdefault(card, hand) != hand:
                raise DuplicateCard(f"seat {seat}: {card} lies in the {hand_name(dealt, lies[card])} already")
    except (TableError, RuleError) as error:
        return HandCheck(seat, position, None, error)
    return HandCheck(seat, position, setting, None)
