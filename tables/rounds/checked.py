"""What the rules say of hands while they are being entered, and their score once they are whole.

The house asks it of its rows (scoring.py), a dealer's tablet without the network of what it was told
(on_tablet.py): no row, no clock."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ledger.money import amount_text
from tables.errors import FantasyLandNotEarned, HandMissing, TableError
from tables.rounds.entry import Dealt, dealt_hand, hand_name, match_hands, normal_form
from tables.rules.errors import DuplicateCard, RuleError
from tables.rules.game.rounds import Deal, Library, RoundScore, Setting, Sheet, describe, parse_round, score
from tables.rules.game.setting import SEGMENT_SIZES, describe_dealt
from tables.rules.game.sheet import SEGMENTS


@dataclass(frozen=True, slots=True)
class HandCheck:
    """One hand as entered so far: its `setting`, or the `error` that prevents one."""

    seat: int
    position: int | None
    surrendered: bool
    setting: Setting | None
    error: TableError | RuleError | None

    def as_json(self) -> dict[str, Any]:
        setting = self.setting
        return {
            "seat": self.seat,
            "position": self.position,
            "surrendered": self.surrendered,
            **{
                found: setting and getattr(setting, found)
                for found in (*SEGMENTS, "foul", "fantasy_land_next")
            },
            "bonus": setting.bonus if setting else {},
            "clean_sweeps": list(setting.clean_sweeps) if setting else [],
            "error": self.error.as_json() if self.error else None,
        }


@dataclass(frozen=True, slots=True)
class EntryCheck:
    """The hands as entered so far; `error` says what prevents a score once they are complete."""

    hands: tuple[HandCheck, ...]
    score: RoundScore | None
    error: TableError | RuleError | None

    def as_json(self, version: int) -> dict[str, Any]:
        """Return what the tablet shows of it; `version` is that of the draft."""
        return {
            "version": version,
            "hands": [hand.as_json() for hand in self.hands],
            "complete": self.score is not None,
            "score": self.score.as_json() if self.score else None,
            "error": self.error.as_json() if self.error else None,
        }


def check_hands(
    dealt: Sequence[Dealt],
    entered: Sequence[Mapping[str, Any]],
    sheet: Sheet,
    score_whole: Callable[[Sequence[Mapping[str, Any]]], RoundScore],
    used_before: frozenset[str] = frozenset(),
) -> EntryCheck:
    """Check the hands entered so far, and have them scored once they are complete; `used_before` are cards of
    a round that shares the deck (R43)."""
    hands = normal_form(dealt, entered)
    lies_in: dict[str, Dealt] = {}
    checks = tuple(_check_hand(hand, dealt, sheet, used_before, lies_in) for hand in hands)
    complete = {
        check.position for check, hand in zip(checks, hands, strict=True) if _is_complete(hand, sheet)
    }
    if any(check.error for check in checks) or complete != {hand.position for hand in dealt}:
        return EntryCheck(checks, None, None)
    try:
        return EntryCheck(checks, score_whole(hands), None)
    except (TableError, RuleError) as error:
        return EntryCheck(checks, None, error)


def score_hands(
    about: Mapping[str, Any],
    dealt: Sequence[Dealt],
    entered: Sequence[Mapping[str, Any]],
    own: Library,
    before: Deal | None = None,
) -> tuple[dict[str, Any], RoundScore]:
    """Score whole hands of the round `about`, in the score format without its hands; return it with them, and
    its score. `before` is the round whose deck it shares (R43). Refuses as `score_entry` does."""
    matched = match_hands(dealt, normal_form(dealt, entered))
    for hand, fields in matched:
        if fields.get("fantasy_land") and not hand.fantasy_land:
            raise FantasyLandNotEarned(
                f"Fantasy land has not been earned for the {hand_name(dealt, hand)}.", field="fantasy_land"
            )
    there = {hand.position for hand, _ in matched}
    missing = sorted(
        (hand for hand in dealt if hand.position not in there), key=lambda hand: (hand.seat, hand.position)
    )
    if missing:
        raise HandMissing(f"The {hand_name(dealt, missing[0])} is missing.", field="hands")
    deal = {**about, "hands": [_scored_hand(hand, fields) for hand, fields in matched]}
    return deal, score(parse_round(deal, own, reserved_from=before))


def _scored_hand(dealt: Dealt, entered: Mapping[str, Any]) -> dict[str, Any]:
    hand = {name: value for name, value in entered.items() if name not in ("fantasy_land", "position")}
    hand["stack"] = amount_text(dealt.stack_cents)
    # Fantasy land counts even without an announcement (R56).
    if dealt.fantasy_land:
        hand["fantasy_land"] = True
    return hand


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
    dealt: Sequence[Dealt],
    sheet: Sheet,
    used_before: frozenset[str],
    lies_in: dict[str, Dealt],
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
