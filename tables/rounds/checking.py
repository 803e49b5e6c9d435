"""Check hands against the rules while they are being entered, for the entry screen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tables.errors import TableError
from tables.models import Hand, Round, TableSession
from tables.rounds.entry import dealt_hand, hand_name, normal_form
from tables.rounds.scoring import round_before, score_entry
from tables.rules.errors import DuplicateCard, RuleError
from tables.rules.game.rounds import RoundScore, Setting, Sheet, describe
from tables.rules.game.setting import SEGMENT_SIZES, describe_dealt
from tables.rules.game.sheet import SEGMENTS, Library
from tables.state.table_state import sheet_of


@dataclass(frozen=True, slots=True)
class HandCheck:
    """One hand as entered so far: its `setting`, or the `error` that prevents one."""

    seat: int
    position: int | None
    surrendered: bool
    setting: Setting | None
    error: TableError | RuleError | None


@dataclass(frozen=True, slots=True)
class EntryCheck:
    """The hands as entered so far; `error` says what prevents a score once they are complete."""

    hands: tuple[HandCheck, ...]
    score: RoundScore | None
    error: TableError | RuleError | None


def check_entry(
    session: TableSession, round_: Round, dealt: Sequence[Hand], entered: Sequence[Mapping[str, Any]]
) -> EntryCheck:
    """Check the hands entered so far, and score them once they are complete."""
    sheet = sheet_of(session)
    hands = normal_form(dealt, entered)
    before = round_before(round_, Library.of(sheet_of(session)))
    used_before = before.cards if before else frozenset()
    lies_in: dict[str, Hand] = {}
    checks = tuple(_check_hand(hand, dealt, sheet, used_before, lies_in) for hand in hands)
    complete = {
        check.position for check, hand in zip(checks, hands, strict=True) if _is_complete(hand, sheet)
    }
    if any(check.error for check in checks) or complete != {hand.position for hand in dealt}:
        return EntryCheck(checks, None, None)
    try:
        return EntryCheck(checks, score_entry(session, round_, dealt, hands)[1], None)
    except (TableError, RuleError) as error:
        return EntryCheck(checks, None, error)


def _cards(hand: Mapping[str, Any], name: str) -> list[str]:
    return str(hand.get(name, "")).split()


def _segments(hand: Mapping[str, Any]) -> list[list[str]]:
    return [_cards(hand, segment) for segment in SEGMENTS]


def _is_complete(hand: Mapping[str, Any], sheet: Sheet) -> bool:
    """Whether enough of a hand has been entered to score it (R7, R20, R25, R27)."""
    if "dealt" in hand:
        return "declares" in hand and len(_cards(hand, "dealt")) == sum(SEGMENT_SIZES)
    counts = tuple(map(len, _segments(hand)))
    if hand.get("surrenders") and (hand.get("misset") or not any(counts)):
        return True
    return counts == SEGMENT_SIZES or bool(hand.get("misset") and not sheet.foul.plays)


def _check_hand(
    entered: Mapping[str, Any],
    dealt: Sequence[Hand],
    sheet: Sheet,
    used_before: frozenset[str],
    lies_in: dict[str, Hand],
) -> HandCheck:
    """Check one hand, and add its cards to `lies_in`; `used_before` are those of a shared deck (R43)."""
    seat, position = entered["seat"], None
    surrendered = bool(entered.get("surrenders"))
    try:
        hand = dealt_hand(dealt, entered)
        position = hand.position
        setting = _describe(entered, sheet, in_fantasy_land=hand.fantasy_land)
        for card in (card for name in (*SEGMENTS, "dealt") for card in _cards(entered, name)):
            if lies_in.setdefault(card, hand) != hand:
                raise DuplicateCard(
                    f"seat {seat}: {card} is already in the {hand_name(dealt, lies_in[card])}"
                )
            if card in used_before:
                raise DuplicateCard(f"seat {seat}: {card} was in the round before, which shares the deck")
    except (TableError, RuleError) as error:
        return HandCheck(seat, position, surrendered, None, error)
    return HandCheck(seat, position, surrendered, setting, None)


def _describe(hand: Mapping[str, Any], sheet: Sheet, *, in_fantasy_land: bool) -> Setting:
    """Return the setting of a hand as entered so far."""
    misset, surrenders = bool(hand.get("misset")), bool(hand.get("surrenders"))
    if "dealt" in hand:
        return _marked(describe_dealt(_cards(hand, "dealt"), sheet), misset=misset, surrenders=surrenders)
    segments = _segments(hand)
    if misset:
        # Segments may have any number of cards so far; only full ones have a category (R7).
        segments = [
            cards if len(cards) == size else [] for cards, size in zip(segments, SEGMENT_SIZES, strict=True)
        ]
    front, middle, back = segments
    setting = describe(front, middle, back, sheet, in_fantasy_land=in_fantasy_land)
    return _marked(setting, misset=misset, surrenders=surrenders)


def _marked(setting: Setting, *, misset: bool, surrenders: bool) -> Setting:
    """Return the setting of a hand, without bonuses and clean sweep if mis-set or surrendered."""
    if not misset and not surrenders:
        return setting
    return replace(
        setting,
        foul=not surrenders,
        bonus=dict.fromkeys(setting.bonus, 0),
        clean_sweeps=(),
        fantasy_land_next=False,
    )
