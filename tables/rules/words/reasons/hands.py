"""Why a hand is foul, surrendered or a clean sweep, and which of its bonuses do not count."""

from tables.rules.game.cards import tally
from tables.rules.game.clean_sweeps import kinds_held
from tables.rules.game.entry import DealtHand
from tables.rules.game.scoring import HandScore
from tables.rules.game.setting import held_bonuses, is_foul
from tables.rules.game.sheet import Sheet
from tables.rules.words.names import CLEAN_SWEEP_NAMES, OR, at_least, listed, points_text
from tables.rules.words.reasons.words import (
    COLLECTS,
    Reason,
    bonus_title,
    holding,
    pays_surrender,
    segment_words,
    sweep_words,
)


def about_hand(sheet: Sheet, dealt: DealtHand, hand: HandScore) -> tuple[Reason, ...]:
    """Return why this hand is foul, surrendered or a clean sweep, and which of its bonuses do not count."""
    reasons: list[Reason] = []
    if hand.surrendered:
        reasons.append(Reason("Surrendered", "", "R27", pays_surrender(sheet)))
    if hand.clean_sweep is not None:
        reasons.append(_about_sweep(sheet, dealt, hand))
    elif not hand.surrendered and not sheet.race_to:
        reasons += _about_declaring(sheet, dealt, hand)
    if hand.foul:
        reasons += _about_foul(sheet, dealt, hand)
    reasons += _not_counted(sheet, hand)
    if hand.fantasy_land_next and sheet.fantasy_land is not None:
        reasons.append(_about_fantasy_land(sheet, dealt, hand))
    return tuple(reasons)


def _about_sweep(sheet: Sheet, dealt: DealtHand, hand: HandScore) -> Reason:
    kind, declared = str(hand.clean_sweep), str(dealt.options.declares)
    fact = f"declared, {points_text(sheet.clean_sweep.kinds[kind])} from each opponent"
    if kind != declared:
        fact = f"{sweep_words(declared)} declared; the highest clean sweep of the hand counts"
    return Reason(CLEAN_SWEEP_NAMES[kind], fact, "R23", COLLECTS)


def _about_declaring(sheet: Sheet, dealt: DealtHand, hand: HandScore) -> list[Reason]:
    declared = dealt.options.declares
    if declared is not None:
        fact = f"{sweep_words(declared)} declared, which the hand does not have"
        says = "A declaration that is not true makes the hand foul."
        if not dealt.false_declaration:
            says = (
                "A false declaration does not foul where an opponent surrenders: the hand plays as a regular"
                " one."
            )
            if dealt.options.misset:
                says = (
                    "A false declaration does not foul where an opponent surrenders, but a mis-set hand"
                    " stays foul."
                )
        return [Reason("False declaration", fact, "R22", says)]
    cards = dealt.cards
    if dealt.options.misset or len(cards) != 13 or (hand.foul and sheet.clean_sweep.basis == "set"):
        return []
    front, middle, back = (tally(text.split()) for text in dealt.segments)
    kinds = [sweep_words(kind) for kind in kinds_held(sheet, tally(cards), (front, middle, back))]
    if not kinds:
        return []
    says = "A clean sweep counts only if it was declared."
    return [Reason("Not declared", f"holds {listed(kinds)}", "R22", says)]


def _about_foul(sheet: Sheet, dealt: DealtHand, hand: HandScore) -> list[Reason]:
    reasons = []
    if dealt.options.misset:
        says = "A hand that lay wrongly on the table is foul, whatever its cards."
        reasons.append(Reason("Foul", "mis-set as it lay", "R7", says))
    elif is_foul(sheet, hand.strengths):
        order = "The back must beat the middle and the middle the front; equal is not enough."
        if sheet.equal_segments == "allowed":
            order = "The back must beat or equal the middle, and the middle beat the front."
        if sheet.middle == "low":
            order = "Where the middle is played low, the back must beat the front; equal is not enough."
        rule = "R6" if sheet.middle == "low" else "R5"
        reasons.append(Reason("Foul", "; ".join(_out_of_order(sheet, hand)), rule, order))
    if sheet.foul.plays:
        says = "A foul hand is compared as it lies, without bonuses."
    else:
        says = "A foul hand has no bonuses and no clean sweep."
    held = sum(held_bonuses(sheet, hand.strengths))
    if sheet.foul.plays or held:
        fact = f"{points_text(held)} of bonuses lost" if held else ""
        reasons.append(Reason("Foul" if sheet.foul.plays else "No bonuses", fact, "R20", says))
    return reasons


def _out_of_order(sheet: Sheet, hand: HandScore) -> list[str]:
    front, middle, back = hand.strengths
    if sheet.middle == "low":
        return [_does_not_beat("back", back, "front", front)]
    sentences = []
    if middle and back and back <= middle and (back < middle or sheet.equal_segments == "foul"):
        sentences.append(_does_not_beat("back", back, "middle", middle))
    if 0 < middle <= front:
        sentences.append(_does_not_beat("middle", middle, "front", front))
    if not sentences:
        sentences.append(_does_not_beat("back", back, "front", front))
    return sentences


def _does_not_beat(upper: str, strength: int, lower: str, other: int) -> str:
    verb = "only equals" if strength == other else "does not beat"
    return f"the {upper}, {segment_words(strength)}, {verb} the {lower}, {segment_words(other)}"


def _not_counted(sheet: Sheet, hand: HandScore) -> list[Reason]:
    """Return the bonuses that the hand holds but cannot collect (R13)."""
    reasons = []
    best = max(hand.counted)
    for place, (held, counts) in enumerate(zip(hand.bonuses, hand.counted, strict=True)):
        if held == counts:
            continue
        fact = f"{holding(hand, place)} would earn {held}"
        if sheet.bonus.one_per_hand and best and not counts:
            says = "Only the highest bonus of a hand counts."
            if sheet.bonus.declared:
                says = "Only the highest bonus that was announced before the showdown counts."
        else:
            says = "Only bonuses that were announced before the showdown count."
        reasons.append(Reason(bonus_title(place), fact, "R13", says))
    return reasons


def _about_fantasy_land(sheet: Sheet, dealt: DealtHand, hand: HandScore) -> Reason:
    rule = sheet.fantasy_land
    leasts = {} if rule is None else rule.stay if dealt.options.fantasy_land else rule.enter
    words = listed([at_least(segment, word) for segment, word in leasts.items()], OR)
    says = f"It is earned by {words}, in a hand that is not foul."
    if dealt.options.fantasy_land:
        says = f"A player in it stays by {words}, in a hand that is not foul."
    return Reason("Fantasy land next", "", "R41", says)
