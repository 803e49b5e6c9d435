"""A game in brief, as labels and texts, for staff who know the game."""

from typing import Final

from tables.rules.game.sheet import SEGMENTS, Sheet
from tables.rules.words.described.bonuses import has_bonuses
from tables.rules.words.names import CLEAN_SWEEP_NAMES, at_least, listed, points_text

_FIRST: Final = {
    "button": "the button",
    "left_of_button": "left of the button",
    "right_of_puck": "right of the puck",
}
_STAKES: Final = {
    "starting_stack": "nobody loses or wins more than the stack they began the round with",
    "running_stack": "each payment is limited by what both have then",
    "uncapped_win": "a payment is limited by what its payer has",
    "none": "scores only, no money moves",
}


def in_short(sheet: Sheet) -> tuple[tuple[str, str], ...]:
    """Return the game as (label, text), without what it does not have."""
    facts = [("Dealing", _dealing(sheet)), ("Middle", "low, deuce to seven" if sheet.middle == "low" else "")]
    facts.append(("5-4-3-2-A", "the second-best straight" if sheet.wheel == "second" else ""))
    facts.append(("Middle and back", "may be equal" if sheet.equal_segments == "allowed" else ""))
    facts += _race(sheet) if sheet.race_to else _play(sheet)
    if sheet.fantasy_land is not None:
        words = sheet.fantasy_land.enter
        land = [at_least(segment, words[segment]) for segment in SEGMENTS if segment in words]
        facts.append(("Fantasy land", f"by {listed(land, 'or')}" if land else ""))
    return tuple((label, text) for label, text in facts if text)


def _dealing(sheet: Sheet) -> str:
    how = "face up, card by card" if sheet.dealing == "open-face" else "face down"
    return f"{how}; two players, two hands each" if sheet.hands_per_player == 2 else how


def _race(sheet: Sheet) -> list[tuple[str, str]]:
    return [
        ("A segment", "1 point for the best at the table; a tie scores nobody"),
        ("All three of four players", "4 points"),
        ("The match", f"first to {sheet.race_to}; the others pay the match stake"),
    ]


def _play(sheet: Sheet) -> list[tuple[str, str]]:
    foul = "compared as it lies, without bonuses"
    if not sheet.foul.plays:
        also = ", and their bonuses" if sheet.foul.pays_bonuses and has_bonuses(sheet) else ""
        foul = f"{points_text(sheet.foul.points)} to each{also}"
    ties = "the button wins even ones" if sheet.ties == "button" else "even ones push"
    return [
        ("A segment", f"1 point; {ties}"),
        ("Two or three segments", f"{sheet.majority} more" if sheet.majority else ""),
        ("All three segments", f"{sheet.scoop} more" if sheet.scoop else ""),
        ("Bonuses", _bonuses(sheet) if has_bonuses(sheet) else "none"),
        ("Clean sweeps", _clean_sweeps(sheet) or "none"),
        ("Foul hand", foul),
        (
            "Surrender",
            f"{points_text(sheet.surrender.points)} to each" if sheet.surrender.allowed else "none",
        ),
        ("Position 1", _FIRST[sheet.first]),
        ("Pair stakes", "where two agree" if sheet.pair_stakes and sheet.stakes != "none" else "none"),
        ("Table stakes", _STAKES[sheet.stakes]),
    ]


def _bonuses(sheet: Sheet) -> str:
    tables = {
        "in front": sheet.front_points,
        "in the middle": sheet.middle_points,
        "in the back": sheet.back_points,
    }
    most = listed([f"{max(points)} {where}" for where, points in tables.items() if any(points)])
    to = "its holder" if sheet.bonus.to == "holder" else "the segment's winner"
    how = "in place of the point" if sheet.bonus.mode == "replace" else "on top of the point"
    flags = (
        ("announced ones alone", sheet.bonus.declared),
        ("the highest of a hand alone", sheet.bonus.one_per_hand),
        ("doubled over the same category", sheet.bonus.double_same_category),
        ("two in a segment cancel", sheet.bonus.cancel),
        ("broken hands too", sheet.bonus.broken),
    )
    return "; ".join([f"up to {most}", f"to {to}, {how}", *(words for words, holds in flags if holds)])


def _clean_sweeps(sheet: Sheet) -> str:
    return ", ".join(
        f"{CLEAN_SWEEP_NAMES[kind].lower()} {points}" for kind, points in sheet.clean_sweep.kinds.items()
    )
