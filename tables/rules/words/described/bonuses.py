"""The bonuses of a game as a section of its page (R13)."""

from tables.rules.game.ranking import CATEGORIES, PAIR, QUADS, ROYAL_FLUSH, STRAIGHT_FLUSH, TRIPS
from tables.rules.game.sheet import Sheet
from tables.rules.words.described.rows import PointsTable, Saying, Section
from tables.rules.words.names import CATEGORY_NAMES, CLEAN_SWEEP_NAMES, RANK_NAMES, SEGMENT_NAMES, listed


def has_bonuses(sheet: Sheet) -> bool:
    return any((*sheet.front_points, *sheet.middle_points, *sheet.back_points))


def sweeps_by_segments(sheet: Sheet) -> list[str]:
    """Return the names of this game's clean sweeps that need something of each segment (R26)."""
    kinds = ("three-straights", "three-flushes")
    return [CLEAN_SWEEP_NAMES[kind].lower() for kind in kinds if kind in sheet.clean_sweep.kinds]


def bonus_section(sheet: Sheet) -> Section:
    if not has_bonuses(sheet):
        return Section("bonuses", "Bonuses", (Saying("This game has none."),))
    bonus = sheet.bonus
    sayings = [Saying(_how_paid(sheet), ("R13",))]
    if bonus.declared:
        sayings.append(
            Saying(
                "Only bonuses that were announced before the showdown count: in turn, clockwise from the"
                " dealer's left, players name the segments.",
                ("R13", "R27"),
            )
        )
    if bonus.one_per_hand:
        sayings.append(Saying(_highest(sheet), ("R13",)))
    if bonus.double_same_category:
        sayings.append(Saying(_doubling(sheet), ("R10", "R13") if sheet.ties == "button" else ("R13",)))
    if bonus.cancel:
        sayings.append(Saying("Where both hands have a bonus in one segment, neither is paid.", ("R13",)))
    if _pays_broken(sheet):
        sayings.append(Saying(_broken(sheet), ("R13",)))
    if sheet.middle == "low":
        sayings.append(Saying("The low middle has no bonus.", ("R6",)))
    return Section("bonuses", "Bonuses", tuple(sayings), (*_front_table(sheet), *_five_card_table(sheet)))


def _how_paid(sheet: Sheet) -> str:
    replaces = sheet.bonus.mode == "replace"
    if sheet.bonus.to == "winner":
        return (
            f"A bonus is paid where its segment is won, {'in place of' if replaces else 'on top of'} its"
            " point."
        )
    lost_too = "A bonus is paid to its holder, also in a segment that is lost or tied"
    if replaces:
        return (
            f"{lost_too}. Where the segment is won it comes in place of the point; the loser's bonus is paid"
            " besides."
        )
    return f"{lost_too}, on top of the segment's point."


def _highest(sheet: Sheet) -> str:
    among = "announced " if sheet.bonus.declared else ""
    places = [
        "the back's",
        *(["the broken one"] if _pays_broken(sheet) else []),
        "the middle's",
        "the front's",
    ]
    return (
        f"Only the highest {among}bonus of a hand counts, whatever it meets; of equal ones"
        f" {', then '.join(places)}."
    )


def _doubling(sheet: Sheet) -> str:
    sentence = "A bonus doubles where its segment beats one of the same category."
    if sheet.ties == "button":
        sentence += " A tie that the button wins doubles nothing."
    alike = [
        f"the {segment}"
        for segment, own, points in (
            ("middle", sheet.bonus.middle, sheet.middle_points),
            ("back", sheet.bonus.back, sheet.back_points),
        )
        if "royal-flush" not in own and points[STRAIGHT_FLUSH]
    ]
    if alike:
        sentence += f" A royal flush counts as a straight flush in {listed(alike)}."
    return sentence


def _pays_broken(sheet: Sheet) -> bool:
    return sheet.bonus.broken and any(sheet.back_points[at] for at in (QUADS, STRAIGHT_FLUSH, ROYAL_FLUSH))


def _broken(sheet: Sheet) -> str:
    announced = " and the back was announced" if sheet.bonus.declared else ""
    never = " It never cancels." if sheet.bonus.cancel else ""
    return (
        "Broken hands: four of a kind or a straight flush among the 13 cards that lies whole in no segment"
        " still earns the back's bonus, the highest one once, if the hand has no bonus in its"
        f" back{announced}. It is always paid to its holder.{never}"
    )


def _cell(points: int) -> str:
    return str(points) if points else ""


def _front_table(sheet: Sheet) -> tuple[PointsTable, ...]:
    """Return the front's bonuses, by rank only where they differ."""
    earned = {
        category: [sheet.front_points[category << 4 | rank] for rank in range(2, 15)]
        for category in (PAIR, TRIPS)
    }
    earned = {category: points for category, points in earned.items() if any(points)}
    if not earned:
        return ()
    names = tuple(CATEGORY_NAMES[CATEGORIES[category]] for category in earned)
    if all(len(set(points)) == 1 for points in earned.values()):
        same = tuple((name, str(points[0])) for name, points in zip(names, earned.values(), strict=True))
        return (PointsTable("Front", ("Points",), same[::-1]),)
    by_rank = [
        (name, *map(_cell, cells))
        for name, *cells in zip(RANK_NAMES, *earned.values(), strict=True)
        if any(cells)
    ]
    return (PointsTable("Front", names, tuple(reversed(by_rank))),)


def _five_card_table(sheet: Sheet) -> tuple[PointsTable, ...]:
    columns = {
        name: points
        for name, points in (("middle", sheet.middle_points), ("back", sheet.back_points))
        if any(points)
    }
    if not columns:
        return ()
    rows = tuple(
        (CATEGORY_NAMES[CATEGORIES[place]], *(_five_card_cell(points, place) for points in columns.values()))
        for place in reversed(range(len(CATEGORIES)))
        if any(_five_card_cell(points, place) for points in columns.values())
    )
    heads = tuple(SEGMENT_NAMES[name] for name in columns)
    if len(heads) == 1:
        return (PointsTable(heads[0], ("Points",), rows),)
    return (PointsTable("Five cards", heads, rows),)


def _five_card_cell(points: tuple[int, ...], place: int) -> str:
    # Show 0 for a royal flush where straight flushes earn something.
    return str(points[place]) if place == ROYAL_FLUSH and points[STRAIGHT_FLUSH] else _cell(points[place])
