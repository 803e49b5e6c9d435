"""Hands that do not simply compare: clean sweeps, fouls, surrender, fantasy land (R20-R27, R41)."""

from typing import Final

from tables.rules.game.sheet import SEGMENTS, FantasyLand, Sheet
from tables.rules.words.described.bonuses import has_bonuses, sweeps_by_segments
from tables.rules.words.described.rows import CleanSweepRow, Saying, Section
from tables.rules.words.names import CLEAN_SWEEP_NAMES, CLEAN_SWEEPS_ARE, at_least, listed, points_text

_ALL_OF_THEM: Final = "collects all its points, and nothing is taken off for the other"


def clean_sweep_section(sheet: Sheet) -> Section:
    kinds = sheet.clean_sweep.kinds
    if not kinds:
        return Section("clean-sweeps", "Clean sweeps", (Saying("This game has none."),))
    sayings = [
        Saying(
            "A clean sweep counts if it is declared before hands are compared; undeclared, the hand plays"
            f" like any other. {_false_declaration(sheet)}",
            ("R22",),
        ),
        Saying(_where_it_lies(sheet), ("R23", "R25")),
        Saying(
            "It collects its points from every opponent with a regular, foul or lesser hand and takes no"
            f" further part: no segments are compared, and it pays no bonuses.{_own_bonuses(sheet)}",
            ("R23",),
        ),
    ]
    if len(kinds) > 1:
        sayings.append(
            Saying(
                "Of several in one hand the one with the most points counts, then the one listed first.",
                ("R22",),
            )
        )
    sayings.append(Saying(_better(sheet), ("R24",)))
    rows = tuple(
        CleanSweepRow(kind, CLEAN_SWEEP_NAMES[kind], points, *CLEAN_SWEEPS_ARE[kind])
        for kind, points in kinds.items()
    )
    return Section("clean-sweeps", "Clean sweeps", tuple(sayings), clean_sweeps=rows)


def _false_declaration(sheet: Sheet) -> str:
    if sheet.clean_sweep.false_declaration == "refuse":
        return "The dealer confirms every declaration, and refuses one that is not true."
    if sheet.surrender.allowed:
        return (
            "One that is not true makes the hand foul, unless an opponent surrenders in the round: then it"
            " plays as a regular hand."
        )
    return "One that is not true makes the hand foul."


def _where_it_lies(sheet: Sheet) -> str:
    by_segments = sweeps_by_segments(sheet)
    if sheet.clean_sweep.basis == "dealt":
        split = f" {listed(by_segments).capitalize()} count in any split of the cards." if by_segments else ""
        return (
            "All 13 cards count as dealt: the hand need not be set, and one that was set in the wrong order"
            f" is not foul.{split} A hand that was mis-set on the table has none."
        )
    lie = f" {listed(by_segments).capitalize()} must lie in the segments as they were set."
    return f"The hand must be set and not foul.{lie if by_segments else ''}"


def _own_bonuses(sheet: Sheet) -> str:
    if not sheet.clean_sweep.with_bonuses or not has_bonuses(sheet):
        return ""
    others = "opponents without a clean sweep, foul ones too"
    if sheet.surrender.allowed:
        others += ", surrendered ones " + ("not" if sheet.surrender.before_clean_sweep else "too")
    cancels = " They never cancel." if sheet.bonus.cancel else ""
    unset = " A hand that was not set holds none." if sheet.clean_sweep.basis == "dealt" else ""
    return f" It also collects its own bonuses, from {others}.{cancels}{unset}"


def _better(sheet: Sheet) -> str:
    rule = sheet.clean_sweep
    if len(rule.kinds) == 1 and rule.compare != "strength":
        return "Two of them push."
    if rule.compare == "value":
        return f"Of two, the one with more points {_ALL_OF_THEM}; equal points push."
    if rule.compare == "rank":
        return f"Of two, the one listed first {_ALL_OF_THEM}; two of the same kind push."
    parts = []
    if "six-pairs" in rule.kinds:
        parts.append("six pairs by their pairs from the highest down, never by the odd card")
    by_segments = sweeps_by_segments(sheet)
    if by_segments:
        split = "the best split's " if rule.basis == "dealt" else ""
        front = " (in three straights by its top card)" if "three-straights" in rule.kinds else ""
        low = ", all as high hands" if sheet.middle == "low" else ""
        parts.append(f"{listed(by_segments)} by {split}back, then middle, then front{front}{low}")
    alike = f" Two of the same kind compare: {'; '.join(parts)}." if parts else ""
    if len(rule.kinds) == 1:
        return (
            f"Of two, the better one {_ALL_OF_THEM}.{alike} Equal ones push."
            if alike
            else "Two of them push."
        )
    return (
        f"Of two, the one with more points {_ALL_OF_THEM}.{alike} Whatever is still equal, and different"
        " kinds of equal points, push."
    )


def foul_section(sheet: Sheet) -> Section:
    rule, kinds = sheet.foul, sheet.clean_sweep.kinds
    own = listed([*(["bonuses"] if has_bonuses(sheet) else []), *(["clean sweep"] if kinds else [])], "or")
    has_none = f" It has no {own}." if own else ""
    if rule.plays:
        sayings = [
            Saying(
                "A foul hand pays no penalty: its segments are compared as they lie, also with another foul"
                f" hand. They must hold 3, 5 and 5 cards.{has_none}",
                ("R20",),
            )
        ]
        if kinds:
            sayings.append(Saying("To a clean sweep it pays what any other hand pays.", ("R20", "R21")))
    else:
        sayings = [
            Saying(
                "A hand in the wrong order is foul, and so is one that was mis-set on the table, whatever "
                "its cards. It pays each opponent "
                f"{points_text(rule.points)}{_their_bonuses(sheet)}.{has_none} Two foul hands owe each "
                "other nothing.",
                ("R7", "R20"),
            )
        ]
        if kinds:
            sayings.append(Saying(_foul_against_clean_sweep(sheet), ("R21", "R23")))
    return Section("fouls", "Foul hands", tuple(sayings))


def _their_bonuses(sheet: Sheet) -> str:
    if not sheet.foul.pays_bonuses or not has_bonuses(sheet):
        return ""
    bonus = sheet.bonus
    count = " that count" if bonus.declared or bonus.one_per_hand else ""
    undoubled = ", undoubled" if bonus.double_same_category else ""
    whoever = ", whoever would have won the segment" if bonus.to == "winner" else ""
    return f", and that opponent's bonuses{count}{undoubled}{whoever}"


def _foul_against_clean_sweep(sheet: Sheet) -> str:
    bonuses = " and bonuses" if sheet.clean_sweep.with_bonuses and has_bonuses(sheet) else ""
    if sheet.foul.against_clean_sweep == "value":
        return f"To a clean sweep it pays the clean sweep's points{bonuses} in place of the penalty."
    return (
        f"To a clean sweep it pays the clean sweep's points{bonuses}, and {points_text(sheet.foul.points)}"
        " besides."
    )


def surrender_section(sheet: Sheet) -> Section:
    rule = sheet.surrender
    if not rule.allowed:
        return Section("surrender", "Surrender", (Saying("This game has none.", ("R27",)),))
    sayings = [
        Saying(
            "Before the showdown, in turn clockwise from the dealer's left, a player may surrender the hand."
            f" It pays {points_text(rule.points)} to each opponent; nothing is compared, and it is never"
            " foul. Two surrendered hands owe each other nothing.",
            ("R27",),
        ),
        Saying("A foul hand collects a surrender and pays nothing to it.", ("R27",)),
    ]
    if sheet.clean_sweep.kinds:
        first = (
            "A surrendered hand owes a clean sweep the surrender alone."
            if rule.before_clean_sweep
            else "Clean sweeps are paid first, by surrendered hands too, and then take no surrender."
        )
        sayings.append(
            Saying(f"{first} Nobody may declare a clean sweep and surrender at once.", ("R22", "R27"))
        )
    return Section("surrender", "Surrender", tuple(sayings))


def fantasy_land_section(sheet: Sheet, rule: FantasyLand) -> Section:
    before = ", to be set before the others are dealt" if sheet.dealing == "open-face" else ""
    earned = {
        key: listed(
            # A low middle cannot reach a high hand.
            [
                at_least(segment, words[segment])
                for segment in SEGMENTS
                if segment in words and not (segment == "middle" and sheet.middle == "low")
            ],
            "or",
        )
        for key, words in (("enter", rule.enter), ("stay", rule.stay))
    }
    sayings = [
        Saying(
            f"A hand that is not foul and has {earned['enter']} brings fantasy land: in the next round that"
            " its player is dealt into without having left the table, all 13 cards come to them face"
            f" down{before}."
            if earned["enter"]
            else "No hand brings fantasy land.",
            ("R41", "R56"),
        ),
        Saying(
            f"A player who is in it stays with a hand that is not foul and has {earned['stay']}."
            if earned["stay"]
            else "Nobody stays in it.",
            ("R41",),
        ),
        Saying("Staying is announced; a forgotten announcement forfeits nothing.", ("R56",)),
    ]
    return Section("fantasy-land", "Fantasy land", tuple(sayings))
