"""How a hand is set: its three segments, whether they foul (R4-R6), the bonuses they hold (R13)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from tables.rules.errors import CardCount, DuplicateCard, UnsetHand
from tables.rules.game.cards import RANK_MASK, RANKS, SUITS, SUITS_SHIFT, check_cards, rank_counts, tally
from tables.rules.game.clean_sweeps import Tallies, kinds_held
from tables.rules.game.ranking import (
    CATEGORY_SHIFT,
    FIRST_RANK_SHIFT,
    FIVE_OF_A_SUIT,
    FRONT_STRENGTHS,
    QUADS,
    ROYAL_FLUSH,
    STRAIGHT_FLUSH,
    Strengths,
    category_name,
    high_table,
    low_table,
)
from tables.rules.game.sheet import SEGMENTS, Sheet

SEGMENT_SIZES: Final = (3, 5, 5)
# Every straight flush as cards, with its category; the ace is also low (R2).
_STRAIGHT_FLUSHES: Final = tuple(
    (frozenset(rank + suit for rank in run), ROYAL_FLUSH if run == RANKS[-5:] else STRAIGHT_FLUSH)
    for run in (("A" + RANKS)[low : low + 5] for low in range(10))
    for suit in SUITS
)


def segment_strengths(sheet: Sheet, tallies: Tallies) -> Strengths:
    """Return the strengths of front, middle and back; 0 for a segment whose tally is 0."""
    front, middle, back = tallies
    high = high_table(sheet.wheel)
    own = high if sheet.middle == "high" else low_table()
    return (
        FRONT_STRENGTHS[front & RANK_MASK] if front else 0,
        own[middle >> SUITS_SHIFT in FIVE_OF_A_SUIT][middle & RANK_MASK] if middle else 0,
        high[back >> SUITS_SHIFT in FIVE_OF_A_SUIT][back & RANK_MASK] if back else 0,
    )


def segment_tallies(segments: Iterable[Sequence[str]]) -> Tallies:
    """Return the tallies of the segments that hold 3, 5 and 5 cards, 0 for any other."""
    front, middle, back = (
        tally(cards) if len(cards) == size else 0 for cards, size in zip(segments, SEGMENT_SIZES, strict=True)
    )
    return front, middle, back


def is_foul(sheet: Sheet, strengths: Strengths) -> bool:
    """Return whether strengths break back > middle > front (R5, R6); False may change if one is unknown."""
    front, middle, back = strengths
    if sheet.middle == "low":
        return 0 < back <= front
    if middle and back and (back < middle or (back == middle and sheet.equal_segments == "foul")):
        return True
    return 0 < (middle or back) <= front


def held_bonuses(sheet: Sheet, strengths: Strengths) -> tuple[int, int, int]:
    """Return the points that front, middle and back hold by the sheet (R13); 0 for an unknown segment."""
    front, middle, back = strengths
    return (
        sheet.front_points[front >> FIRST_RANK_SHIFT],
        sheet.middle_points[abs(middle) >> CATEGORY_SHIFT] if middle else 0,
        sheet.back_points[back >> CATEGORY_SHIFT] if back else 0,
    )


def broken_bonus(sheet: Sheet, segments: Sequence[Sequence[str]]) -> int:
    """Return the back's bonus for quads or a straight flush that is whole in no segment (R13), or 0."""
    whole = [frozenset(segment) for segment in segments]
    cards = frozenset().union(*whole)
    best = 0
    for combination, category in (*_STRAIGHT_FLUSHES, *_quads_of(cards)):
        if combination <= cards and not any(combination <= segment for segment in whole):
            best = max(best, sheet.back_points[category])
    return best


def _quads_of(cards: frozenset[str]) -> list[tuple[frozenset[str], int]]:
    counts = rank_counts(tally(cards))
    return [
        (frozenset(rank + suit for suit in SUITS), QUADS)
        for rank, count in zip(RANKS, counts, strict=True)
        if count == 4
    ]


def earns_fantasy_land(sheet: Sheet, strengths: Strengths, *, already_in: bool) -> bool:
    """Return whether a set, regular hand puts its player in fantasy land next, or keeps them there (R41)."""
    least = sheet.stay_strengths if already_in else sheet.enter_strengths
    if least is None:
        return False
    front, middle, back = strengths
    return front >= least[0] or middle >= least[1] or back >= least[2]


@dataclass(frozen=True, slots=True)
class Setting:
    """What is known of a hand while it is being set; `foul` is None while it is open."""

    front: str | None
    middle: str | None
    back: str | None
    foul: bool | None
    bonus: dict[str, int]
    clean_sweeps: tuple[str, ...]
    fantasy_land_next: bool | None


def describe(
    front: Sequence[str],
    middle: Sequence[str],
    back: Sequence[str],
    sheet: Sheet,
    *,
    in_fantasy_land: bool = False,
) -> Setting:
    """Describe a hand with up to 3, 5 and 5 cards laid. Raises BadCard, CardCount and DuplicateCard."""
    segments = (front, middle, back)
    seen: set[str] = set()
    for name, size, cards in zip(SEGMENTS, SEGMENT_SIZES, segments, strict=True):
        _check_laid(name, size, cards, seen)
    tallies = segment_tallies(segments)
    strengths = segment_strengths(sheet, tallies)
    complete = all(tallies)
    foul = is_foul(sheet, strengths) or (False if complete else None)
    bonus = dict(zip(SEGMENTS, (0, 0, 0) if foul else held_bonuses(sheet, strengths), strict=True))
    if sheet.bonus.broken:
        bonus["broken"] = broken_bonus(sheet, segments) if foul is False and not bonus["back"] else 0
    sweeps: tuple[str, ...] = ()
    fantasy_land_next: bool | None = None
    if complete:
        if not (foul and sheet.clean_sweep.basis == "set"):
            sweeps = kinds_held(sheet, sum(tallies), tallies)
        fantasy_land_next = not foul and earns_fantasy_land(sheet, strengths, already_in=in_fantasy_land)
    names = [category_name(strength) for strength in strengths]
    return Setting(names[0], names[1], names[2], foul, bonus, sweeps, fantasy_land_next)


def describe_dealt(cards: Sequence[str], sheet: Sheet) -> Setting:
    """Describe an unset hand of up to 13 cards (R25). Raises UnsetHand where clean sweeps must be set."""
    if sheet.clean_sweep.basis == "set":
        raise UnsetHand("in this game every hand is set", field="dealt")
    whole = sum(SEGMENT_SIZES)
    _check_laid("dealt", whole, cards, set())
    bonus = dict.fromkeys((*SEGMENTS, "broken") if sheet.bonus.broken else SEGMENTS, 0)
    sweeps = kinds_held(sheet, tally(cards), (0, 0, 0)) if len(cards) == whole else ()
    return Setting(None, None, None, False, bonus, sweeps, False)


def _check_laid(segment: str, size: int, cards: Sequence[str], seen: set[str]) -> None:
    check_cards(cards, field=segment)
    for card in cards:
        if card in seen:
            raise DuplicateCard(f"{card} occurs twice", field=segment)
        seen.add(card)
    if len(cards) > size:
        raise CardCount(f"{segment} holds {size} cards, not {len(cards)}", field=segment)
