"""Points: what every pair of hands owes each other, line by line (R10-R14, R20-R27), and the race (R42).

Money, its order and its limits are `settlement`. Which declarations count was found out by `entry`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from .clean_sweeps import CleanSweep, beats
from .entry import DealtHand
from .ranking import ROYAL_FLUSH, STRAIGHT_FLUSH, category_name, category_of
from .setting import Strengths, broken_bonus, earns_fantasy_land, held_bonuses, is_foul, segment_strengths
from .sheet import SEGMENTS, Sheet

BonusPoints = tuple[int, int, int, int]

BONUS_REASONS: Final = ("bonus_front", "bonus_middle", "bonus_back", "bonus_broken")
BROKEN: Final = 3  # place of the broken bonus behind those of the three segments
NO_BONUSES: Final = (0, 0, 0, 0)
_FIRST_OF_EQUALS: Final = (2, BROKEN, 1, 0)  # R13: of two alike back, broken, middle, front


class Line(NamedTuple):
    """Points that one hand's player collects from the other's, and for what."""

    to_seat: int
    reason: str
    points: int


class HandScore(NamedTuple):
    """One hand at the showdown.

    `compares` says whether its segments are compared with others', `wins_ties` whether it then wins equal ones (R10).
    `strengths` are 0 for segments that are not known; `bonuses` what front, middle, back and the broken hand
    hold by the sheet, `counted` what of it can be collected (R13).
    """

    position: int
    seat: int
    foul: bool
    surrendered: bool
    compares: bool
    wins_ties: bool
    sweep: CleanSweep | None
    strengths: Strengths
    bonuses: BonusPoints
    counted: BonusPoints
    fantasy_land_next: bool

    @property
    def clean_sweep(self) -> str | None:
        """The kind of the clean sweep that counts, if any."""
        return None if self.sweep is None else self.sweep.kind

    @property
    def front(self) -> str | None:
        """The category of the front, None if it is not known."""
        return category_name(self.strengths[0])

    @property
    def middle(self) -> str | None:
        """The category of the middle, None if it is not known."""
        return category_name(self.strengths[1])

    @property
    def back(self) -> str | None:
        """The category of the back, None if it is not known."""
        return category_name(self.strengths[2])


def show(hand: DealtHand, position: int, sheet: Sheet, button: int) -> HandScore:
    """The hand as it stands at the showdown: foul or not, with its bonuses (R5, R13, R20, R23, R27, R41)."""
    strengths = segment_strengths(sheet, hand.tallies)
    said = hand.said
    given_up = said.surrenders or hand.clean_sweep is not None
    foul = not given_up and (said.misset or hand.false_declaration or is_foul(sheet, strengths))
    bonuses = counted = NO_BONUSES
    fantasy_land_next = False
    if said.is_set and not (foul or said.surrenders):
        front, middle, back = held_bonuses(sheet, strengths)
        if front or middle or back or sheet.bonus.broken:
            bonuses = counted = (front, middle, back, 0 if back else _broken(hand, sheet))
            if sheet.bonus.declared or sheet.bonus.one_per_hand:
                counted = _counted(bonuses, hand, sheet)
        if sheet.fantasy_land is not None:
            fantasy_land_next = earns_fantasy_land(sheet, strengths, already_in=said.fantasy_land)
    return HandScore(
        position,
        hand.seat,
        foul,
        said.surrenders,
        not given_up and (not foul or sheet.foul.plays),
        hand.seat == button and sheet.ties == "button",
        hand.clean_sweep,
        strengths,
        bonuses,
        counted,
        fantasy_land_next,
    )


def _broken(hand: DealtHand, sheet: Sheet) -> int:
    if not sheet.bonus.broken or (sheet.bonus.declared and "back" not in hand.said.announced):
        return 0
    return broken_bonus(sheet, [segment.split() for segment in hand.segments])


def _counted(bonuses: BonusPoints, hand: DealtHand, sheet: Sheet) -> BonusPoints:
    """What of the bonuses held can be collected: only those announced, only the highest, where the sheet says so."""
    counted = list(bonuses)
    if sheet.bonus.declared:
        counted[:3] = [
            points if name in hand.said.announced else 0
            for name, points in zip(SEGMENTS, bonuses, strict=False)
        ]
    if sheet.bonus.one_per_hand:
        best = max(_FIRST_OF_EQUALS, key=counted.__getitem__)  # max keeps the first of equals
        counted = [points if place == best else 0 for place, points in enumerate(counted)]
    return counted[0], counted[1], counted[2], counted[3]


class Verdict(NamedTuple):
    """What two hands owe each other: the lines, and the points of them all, netted in favour of the first (R14)."""

    points: int
    lines: tuple[Line, ...]


NOTHING: Final = Verdict(0, ())


def clean_sweep_verdict(sheet: Sheet, holder: HandScore, other: HandScore) -> Verdict:
    """What a clean sweep collects from another hand before the pairs are settled (R21, R23, R24, R27)."""
    sweep = holder.sweep
    if sweep is None or (other.surrendered and sheet.surrender.before_clean_sweep):
        return NOTHING
    if other.sweep is not None:
        return (
            _all_to(holder.seat, [("clean_sweep", sweep.points)])
            if beats(sheet, sweep, other.sweep)
            else NOTHING
        )
    reasons = [("clean_sweep", sweep.points)]
    if sheet.clean_sweep.with_bonuses:
        reasons += zip(BONUS_REASONS, holder.counted, strict=True)
    return _all_to(holder.seat, reasons)


def pair_verdict(sheet: Sheet, one: HandScore, other: HandScore) -> Verdict:
    """What two hands owe each other in the order of the pairs, whatever a clean sweep collected before (R31)."""
    if one.compares and other.compares:
        return _compared(sheet, one, other)
    owed_by_one = _penalty(sheet, one, other)
    owed_by_other = _penalty(sheet, other, one)
    return Verdict(owed_by_other.points - owed_by_one.points, owed_by_one.lines + owed_by_other.lines)


def _penalty(sheet: Sheet, payer: HandScore, opponent: HandScore) -> Verdict:
    """What a surrendered or foul hand pays an opponent, with no segment compared (R20, R21, R27)."""
    if payer.surrendered:
        collected_before = opponent.sweep is not None and not sheet.surrender.before_clean_sweep
        if opponent.surrendered or collected_before:
            return NOTHING
        return _all_to(opponent.seat, [("surrender", sheet.surrender.points)])
    if not payer.foul or sheet.foul.plays or opponent.foul or opponent.surrendered:
        return NOTHING
    reasons = [("foul", sheet.foul.points)]
    if opponent.sweep is not None:
        return (
            _all_to(opponent.seat, reasons)
            if sheet.foul.against_clean_sweep == "value_and_penalty"
            else NOTHING
        )
    if sheet.foul.pays_bonuses:
        reasons += zip(BONUS_REASONS, opponent.counted, strict=True)
    return _all_to(opponent.seat, reasons)


def _all_to(seat: int, reasons: list[tuple[str, int]]) -> Verdict:
    lines = tuple(Line(seat, reason, points) for reason, points in reasons if points)
    return Verdict(sum(points for _, points in reasons), lines)


def _compared(sheet: Sheet, one: HandScore, other: HandScore) -> Verdict:
    """Two hands segment by segment (R10-R13)."""
    front, middle, back = one.strengths
    other_front, other_middle, other_back = other.strengths
    tie = one.wins_ties - other.wins_ties
    won = (
        (front > other_front) - (front < other_front) or tie,
        (middle > other_middle) - (middle < other_middle) or tie,
        (back > other_back) - (back < other_back) or tie,
    )
    doubled = _doubled(sheet, one, other) if sheet.bonus.double_same_category else _NOTHING_DOUBLED
    return _verdict(sheet, one.seat, other.seat, won, doubled, one.counted, other.counted)


Outcomes = tuple[int, int, int]  # by segment: 1 won by the first of two hands, -1 by the second, 0 a push
_NOTHING_DOUBLED: Final = (1, 1, 1)


@lru_cache(maxsize=1 << 15)
def _verdict(
    sheet: Sheet,
    seat: int,
    other: int,
    won: Outcomes,
    factors: Outcomes,
    held: BonusPoints,
    other_held: BonusPoints,
) -> Verdict:
    """The lines between two hands, given who won which segment and the bonuses that count.

    A night meets the same few outcomes over and over, so those met are kept.
    """
    lines: list[Line] = []
    for place, outcome in enumerate(won):
        paid, other_paid = _paid_bonuses(sheet, held[place], other_held[place], outcome, factors[place])
        winner_paid = paid if outcome > 0 else other_paid
        lines.append(Line(seat, BONUS_REASONS[place], paid))
        lines.append(Line(other, BONUS_REASONS[place], other_paid))
        if outcome and not (winner_paid and sheet.bonus.mode == "replace"):
            lines.append(Line(seat if outcome > 0 else other, SEGMENTS[place], 1))
    lines.append(Line(seat, BONUS_REASONS[BROKEN], held[BROKEN]))
    lines.append(Line(other, BONUS_REASONS[BROKEN], other_held[BROKEN]))
    for needed, reason, points in ((2, "majority", sheet.majority), (3, "scoop", sheet.scoop)):
        if won.count(1) >= needed:
            lines.append(Line(seat, reason, points))
        elif won.count(-1) >= needed:
            lines.append(Line(other, reason, points))
    lines = [line for line in lines if line.points]
    return Verdict(sum(line.points if line.to_seat == seat else -line.points for line in lines), tuple(lines))


def _paid_bonuses(sheet: Sheet, held: int, other_held: int, outcome: int, factor: int) -> tuple[int, int]:
    """What each of two hands is paid for its bonus in a segment; `factor` is 2 where the winner's doubles (R13)."""
    if sheet.bonus.cancel and held and other_held:
        return 0, 0
    to_holder = sheet.bonus.to == "holder"
    paid = held * factor if outcome > 0 else held if to_holder else 0
    other_paid = other_held * factor if outcome < 0 else other_held if to_holder else 0
    return paid, other_paid


def _doubled(sheet: Sheet, one: HandScore, other: HandScore) -> Outcomes:
    """By segment 2 where the winner's bonus doubles, else 1 (R13). A tie that the button wins never doubles (R10)."""
    front, middle, back = (
        2
        if strength != other_strength
        and _category(sheet, place, strength) == _category(sheet, place, other_strength)
        else 1
        for place, (strength, other_strength) in enumerate(zip(one.strengths, other.strengths, strict=True))
    )
    return front, middle, back


def _category(sheet: Sheet, place: int, strength: int) -> int:
    """The category for doubling: a royal flush is a straight flush where it has no bonus of its own (R13)."""
    category = category_of(strength)
    own = "royal-flush" in (sheet.bonus.middle if place == 1 else sheet.bonus.back)
    return STRAIGHT_FLUSH if category == ROYAL_FLUSH and not own else category


def race_points(hands: tuple[HandScore, ...]) -> dict[int, int]:
    """The points of one round of a race, by seat (R42): the best segment at the table, alone, scores one."""
    best: dict[int, list[int]] = {hand.seat: [] for hand in hands}
    for place in range(len(SEGMENTS)):
        laid = [(hand.strengths[place], hand.seat) for hand in hands if hand.compares]
        top = max(laid, default=(0, 0))
        if [strength for strength, _ in laid].count(top[0]) == 1:
            best[top[1]].append(place)
    four_players = len(hands) == 4
    return {
        seat: len(places) + (1 if four_players and len(places) == len(SEGMENTS) else 0)
        for seat, places in best.items()
    }
