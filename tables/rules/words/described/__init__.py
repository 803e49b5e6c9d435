"""A sheet as players read it: frozen rows of plain sentences with rule numbers, and tables of points.

Driven by the sheet's data alone, so a house's own sheet has its page too. It never decides anything."""

from tables.rules.game.sheet import Sheet
from tables.rules.words.described.bonuses import bonus_section
from tables.rules.words.described.brief import in_short
from tables.rules.words.described.exceptions import (
    clean_sweep_section,
    fantasy_land_section,
    foul_section,
    surrender_section,
)
from tables.rules.words.described.play import (
    deal_section,
    points_section,
    race_section,
    setting_section,
    settling_section,
    table_section,
)
from tables.rules.words.described.rows import Described
from tables.rules.words.described.worked import worked_example


def described(sheet: Sheet) -> Described:
    sections = [deal_section(sheet), setting_section(sheet)]
    if sheet.race_to:
        sections.append(race_section(sheet))
    else:
        sections += [
            points_section(sheet),
            bonus_section(sheet),
            clean_sweep_section(sheet),
            foul_section(sheet),
            surrender_section(sheet),
        ]
    if sheet.fantasy_land is not None:
        sections.append(fantasy_land_section(sheet, sheet.fantasy_land))
    if not sheet.race_to:
        sections.append(settling_section(sheet))
    sections.append(table_section(sheet))
    return Described(
        sheet.code,
        sheet.version,
        sheet.title.strip() or sheet.code,
        in_short(sheet),
        tuple(sections),
        worked_example(sheet),
    )
