"""Points: what every pair of hands owes each other, line by line (R10-R14, R20-R27), and the race (R42)."""

from functools import lru_cache, partial
from typing import Any, Final, NamedTuple

from tables.rules.game.clean_sweeps import CleanSweep, beats
from tables.rules.game.comparing import (
    BONUS_REASONS,
    BROKEN,
    FIRST,
    NO_BONUSES,
    SECOND,
    BonusPoints,
    Laid,
    Line,
    Lines,
    doubled,
    lines,
    outcome_tables,
)
from tables.rules.game.entry import NO_OPTIONS, Deal, DealtHand, DealtRow
from tables.rules.game.ranking import CATEGORY_SHIFT, FIRST_RANK_SHIFT, Strengths
from tables.rules.game.seating import Way
from tables.rules.game.setting import broken_bonus, is_foul
from tables.rules.game.sheet import SEGMENTS, Sheet

_FIRST_OF_EQUALS: Final = (2, BROKEN, 1, 0)  # R13: of equal bonuses back, broken, middle, front


class HandScore(NamedTuple):
    """One hand at the showdown: `bonuses` by the sheet, and `counted`, those that can be collected (R13)."""

    position: int
    seat: int
    foul: bool
    surrendered: bool
    compares: bool
    sweep: CleanSweep | None
    strengths: Strengths
    bonuses: BonusPoints
    counted: BonusPoints
    fantasy_land_next: bool

    @property
    def clean_sweep(self) -> str | None:
        """The kind of the clean sweep that counts, if any."""
        return None if self.sweep is None else self.sweep.kind


# A HandScore as a plain tuple (as DealtRow).
HandRow = tuple[int, int, bool, bool, bool, CleanSweep | None, Strengths, BonusPoints, BonusPoints, bool]
hand_score: Final = partial(tuple.__new__, HandScore)  # faster than calling HandScore


def showdown(deal: Deal) -> tuple[list[HandRow], list[Laid | None]]:
    """Return the hands at the showdown (R5, R13, R20, R23, R27, R41), and what is compared of each."""
    sheet = deal.sheet
    front_points, middle_points, back_points = sheet.front_points, sheet.middle_points, sheet.back_points
    fouls_play = sheet.foul.plays
    some_count = sheet.bonus.broken or sheet.bonus.declared or sheet.bonus.one_per_hand
    rows: list[HandRow] = []
    all_laid: list[Laid | None] = []
    for position, dealt in enumerate(deal.rows, 1):
        seat, _, _, options, strengths, false_declaration, sweep = dealt
        front, middle, back = strengths
        # Nearly every hand has this order; not a low middle or unknown segments.
        foul = not front < middle < back and is_foul(sheet, strengths)
        surrenders, holds_bonuses, least = False, not foul, sheet.enter_strengths
        if options is not NO_OPTIONS:
            surrenders = options.surrenders
            foul = not surrenders and sweep is None and (foul or options.misset or false_declaration)
            holds_bonuses = options.is_set and not (foul or surrenders)
            if options.fantasy_land:
                least = sheet.stay_strengths
        bonuses = counted = NO_BONUSES
        fantasy_land_next = False
        if holds_bonuses:
            # `held_bonuses` and `earns_fantasy_land` inlined: the calls would cost more than the work.
            bonuses = counted = (
                front_points[front >> FIRST_RANK_SHIFT],
                middle_points[abs(middle) >> CATEGORY_SHIFT],
                back_points[back >> CATEGORY_SHIFT],
                0,
            )
            if some_count:
                bonuses, counted = _counted(bonuses, dealt, sheet)
            if least:
                least_front, least_middle, least_back = least
                fantasy_land_next = front >= least_front or middle >= least_middle or back >= least_back
        compares = (not foul or fouls_play) and sweep is None and not surrenders
        all_laid.append((strengths, counted) if compares else None)
        rows.append(
            (
                position,
                seat,
                foul,
                surrenders,
                compares,
                sweep,
                strengths,
                bonuses,
                counted,
                fantasy_land_next,
            )
        )
    return rows, all_laid


def _counted(bonuses: BonusPoints, row: DealtRow, sheet: Sheet) -> tuple[BonusPoints, BonusPoints]:
    """Return the bonuses held, the broken one too, and those that can be collected, if not all can."""
    hand = DealtHand(*row)
    front, middle, back, _ = bonuses
    bonuses = (front, middle, back, 0 if back else _broken(hand, sheet))
    counted = list(bonuses)
    if sheet.bonus.declared:
        counted[:3] = [
            points if name in hand.options.announced else 0
            for name, points in zip(SEGMENTS, bonuses, strict=False)
        ]
    if sheet.bonus.one_per_hand:
        best = max(_FIRST_OF_EQUALS, key=counted.__getitem__)  # max keeps the first of equals
        counted = [points if place == best else 0 for place, points in enumerate(counted)]
    return bonuses, (counted[0], counted[1], counted[2], counted[3])


def _broken(hand: DealtHand, sheet: Sheet) -> int:
    if not sheet.bonus.broken or (sheet.bonus.declared and "back" not in hand.options.announced):
        return 0
    return broken_bonus(sheet, [segment.split() for segment in hand.segments])


# Lines not written yet: the function that writes them, and its arguments.
Told = tuple[Any, ...]
Verdict = tuple[int, Told]  # points, netted in favour of the first of two hands (R14), and their reasons
Claim = tuple[Way, int, Told]  # who pays whom, points, and their reasons


@lru_cache(maxsize=1 << 14)
def written(reasons: Told) -> Lines:
    """Write the lines. Cached: a game has few, and a night repeats them."""
    write, *about = reasons
    lines: Lines = write(*about)
    return lines


def claims(deal: Deal, rows: list[HandRow], all_laid: list[Laid | None]) -> list[Claim]:
    """Return what hands owe each other: clean sweeps by position, then pairs, even ones too (R31, R35)."""
    sheet, doubles = deal.sheet, deal.sheet.bonus.double_same_category
    fronts, middles, backs, ends = outcome_tables(sheet)
    claims: list[Claim] = []
    hands: list[HandScore] = []
    if None in all_laid:
        hands = [*map(hand_score, rows)]
        if sheet.clean_sweep.kinds:
            claims += _clean_sweep_claims(sheet, hands)
    for first, second, seats, tie, to_first, to_second in deal.pairs:
        one, other = all_laid[first], all_laid[second]
        if not one or not other:
            owed = _penalties(sheet, hands[first], hands[second])
            if owed:
                claims.append((to_first, *owed) if owed[0] > 0 else (to_second, -owed[0], owed[1]))
            continue
        if doubles:
            one, other = doubled(sheet, one, other), doubled(sheet, other, one)
        (front, middle, back), held = one
        (their_front, their_middle, their_back), their_held = other
        in_front, in_middle, in_back, broken = held
        f, m, b, their_broken = their_held
        front_won = FIRST if front > their_front else SECOND if front < their_front else tie
        middle_won = FIRST if middle > their_middle else SECOND if middle < their_middle else tie
        back_won = FIRST if back > their_back else SECOND if back < their_back else tie
        points = (
            fronts[in_front][f][front_won] + middles[in_middle][m][middle_won] + backs[in_back][b][back_won]
        )
        if broken or their_broken:
            points += broken - their_broken
        if ends:
            points += ends[front_won, middle_won, back_won]
        reasons = (lines, sheet, seats, held, their_held, front_won, middle_won, back_won)
        claims.append((to_first, points, reasons) if points > 0 else (to_second, -points, reasons))
    return claims


def _clean_sweep_claims(sheet: Sheet, hands: list[HandScore]) -> list[Claim]:
    """Return what each clean sweep collects, clockwise from its holder."""
    claims: list[Claim] = []
    for place, holder in enumerate(hands):
        if holder.sweep is None:
            continue
        for other in hands[place + 1 :] + hands[:place]:
            if other.seat != holder.seat:
                owed = _clean_sweep_verdict(sheet, holder.sweep, holder, other)
                if owed:
                    way = (other.seat, holder.seat, (other.position, holder.position))
                    claims.append((way, *owed))
    return claims


def _clean_sweep_verdict(
    sheet: Sheet, sweep: CleanSweep, holder: HandScore, other: HandScore
) -> Verdict | None:
    """Return what a clean sweep collects from another hand (R21, R23, R24, R27)."""
    if other.surrendered and sheet.surrender.before_clean_sweep:
        return None
    if other.sweep is not None:
        return _all_to(holder.seat, "clean_sweep", sweep.points) if beats(sheet, sweep, other.sweep) else None
    bonuses = holder.counted if sheet.clean_sweep.with_bonuses else NO_BONUSES
    return _all_to(holder.seat, "clean_sweep", sweep.points, bonuses)


def _penalties(sheet: Sheet, one: HandScore, other: HandScore) -> Verdict | None:
    """Return what two hands that do not compare owe each other, apart from clean sweeps."""
    if other.foul or other.surrendered:
        owed = _penalty(sheet, other, one)
        if owed or not (one.foul or one.surrendered):
            return owed
    owed = _penalty(sheet, one, other)
    return (-owed[0], owed[1]) if owed else None


def _penalty(sheet: Sheet, payer: HandScore, opponent: HandScore) -> Verdict | None:
    """Return what a surrendered or foul hand pays an opponent, with no segment compared (R20, R21, R27)."""
    if payer.surrendered:
        collected_before = opponent.sweep is not None and not sheet.surrender.before_clean_sweep
        if opponent.surrendered or collected_before:
            return None
        return _all_to(opponent.seat, "surrender", sheet.surrender.points)
    if not payer.foul or opponent.foul or opponent.surrendered or sheet.foul.plays:
        return None
    if opponent.sweep is not None:
        owes = sheet.foul.against_clean_sweep == "value_and_penalty"
        return _all_to(opponent.seat, "foul", sheet.foul.points) if owes else None
    bonuses = opponent.counted if sheet.foul.pays_bonuses else NO_BONUSES
    return _all_to(opponent.seat, "foul", sheet.foul.points, bonuses)


@lru_cache(maxsize=1 << 14)
def _all_to(seat: int, reason: str, points: int, bonuses: BonusPoints = NO_BONUSES) -> Verdict | None:
    """Return points and bonuses that all go to one seat, or None if there are none."""
    owed = points + sum(bonuses)
    return (owed, (lines_to, seat, reason, points, bonuses)) if owed else None


def lines_to(seat: int, reason: str, points: int, bonuses: BonusPoints = NO_BONUSES) -> Lines:
    reasons = [(reason, points), *zip(BONUS_REASONS, bonuses, strict=True)]
    return tuple([Line(seat, why, owed) for why, owed in reasons if owed])


def race_points(hands: list[HandScore]) -> dict[int, int]:
    """Return one round's race points by seat (R42): the best segment at the table, alone, scores one."""
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
