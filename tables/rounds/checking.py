"""What the rules say of hands that are still being entered, for the screen that enters them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tables.errors import TableError
from tables.models import Hand, Round, TableSession
from tables.rounds.entry import dealt_hand, hand_name, kept_form
from tables.rounds.scoring import library_of, round_before, score_entry
from tables.rules.errors import DuplicateCard, RuleError
from tables.rules.game.rounds import (
    RoundScore,
    Setting,
    Sheet,
    describe,
)
from tables.rules.game.setting import SEGMENT_SIZES, describe_dealt
from tables.rules.game.sheet import SEGMENTS
from tables.state.table_state import sheet_of


@dataclass(frozen=True, slots=True)
class HandCheck:
    """One hand as far as it is entered: its `setting`, or the `error` that keeps it from having one.

    `position` is None where the entry does not say which hand of the round it is.
    """

    seat: int
    position: int | None
    surrendered: bool
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
    said = kept_form(dealt, entered)
    before = round_before(round_, library_of(session))
    gone = before.cards if before else frozenset()
    lies: dict[str, Hand] = {}
    checks = tuple(_check_hand(hand, dealt, sheet, gone, lies) for hand in said)
    complete = {check.position for check, hand in zip(checks, said, strict=True) if _is_complete(hand, sheet)}
    if any(check.error for check in checks) or complete != {hand.position for hand in dealt}:
        return EntryCheck(checks, None, None)
    try:
        return EntryCheck(checks, score_entry(session, round_, dealt, said)[1], None)
    except (TableError, RuleError) as error:
        return EntryCheck(checks, None, error)


def _cards(hand: Mapping[str, Any], name: str) -> list[str]:
    return str(hand.get(name, "")).split()


def _segments(hand: Mapping[str, Any]) -> list[list[str]]:
    return [_cards(hand, segment) for segment in SEGMENTS]


def _is_complete(hand: Mapping[str, Any], sheet: Sheet) -> bool:
    """Whether nothing more need be entered of a hand for it to be scored (R7, R20, R25, R27)."""
    if "dealt" in hand:
        return "declares" in hand and len(_cards(hand, "dealt")) == sum(SEGMENT_SIZES)
    counts = tuple(map(len, _segments(hand)))
    if hand.get("surrenders") and (hand.get("misset") or not any(counts)):
        return True
    return counts == SEGMENT_SIZES or bool(hand.get("misset") and not sheet.foul.plays)


def _check_hand(
    said: Mapping[str, Any],
    dealt: Sequence[Hand],
    sheet: Sheet,
    gone: frozenset[str],
    lies: dict[str, Hand],
) -> HandCheck:
    """Describe one hand; `lies` is where each card of the hands before it lies, and takes this one's.

    `gone` are the cards of the round before, where both are dealt from one deck (R43).
    """
    seat, position = said["seat"], None
    surrendered = bool(said.get("surrenders"))
    try:
        hand = dealt_hand(dealt, said)
        position = hand.position
        setting = _describe(said, sheet, in_fantasy_land=hand.fantasy_land)
        for card in (card for name in (*SEGMENTS, "dealt") for card in _cards(said, name)):
            if lies.setdefault(card, hand) != hand:
                raise DuplicateCard(f"seat {seat}: {card} lies in the {hand_name(dealt, lies[card])} already")
            if card in gone:
                raise DuplicateCard(f"seat {seat}: {card} was in the round before, which shares the deck")
    except (TableError, RuleError) as error:
        return HandCheck(seat, position, surrendered, None, error)
    return HandCheck(seat, position, surrendered, setting, None)


def _describe(hand: Mapping[str, Any], sheet: Sheet, *, in_fantasy_land: bool) -> Setting:
    """What can be said of a hand as far as it is entered: what it says of itself comes before its cards."""
    if "dealt" in hand:
        return describe_dealt(_cards(hand, "dealt"), sheet)
    segments = _segments(hand)
    misset, surrenders = bool(hand.get("misset")), bool(hand.get("surrenders"))
    if misset:
        # Its segments may hold any number of cards; only those that lie right have a category (R7).
        segments = [
            cards if len(cards) == size else [] for cards, size in zip(segments, SEGMENT_SIZES, strict=True)
        ]
    front, middle, back = segments
    setting = describe(front, middle, back, sheet, in_fantasy_land=in_fantasy_land)
    if not misset and not surrenders:
        return setting
    return replace(
        setting,
        foul=not surrenders,
        bonus=dict.fromkeys(setting.bonus, 0),
        clean_sweeps=(),
        fantasy_land_next=False,
    )
