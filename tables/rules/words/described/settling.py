"""Who pays whom, in what order, and how much (R14, R30-R36)."""

from __future__ import annotations

from typing import Final

from tables.rules.game.sheet import Sheet
from tables.rules.words.described.rows import Saying, Section

_FIRST: Final = {
    "button": "The player with the button",
    "left_of_button": "The next player clockwise from the button",
    "right_of_puck": "The next player counter-clockwise from the button, at the right of the puck,",
}
TABLE_STAKES: Final = {
    "starting_stack": (
        "Table stakes: at no moment of the settlement has a player lost, or won, more than the stack they"
        " began the round with. A payment is cut to what both sides have left of that; what was won earlier"
        " in the settlement can be lost again. What is cut is never owed later."
    ),
    "running_stack": (
        "Table stakes: in each payment the payer pays at most their stack, and the receiver gets at most"
        " theirs, both as they stand after the payments before. What is cut is never owed later."
    ),
    "uncapped_win": (
        "Table stakes: the payer pays at most their stack as it stands; what the receiver gets is not"
        " limited. What is cut is never owed later."
    ),
}


def settling_section(sheet: Sheet) -> Section:
    positions = Saying(f"{_FIRST[sheet.first]} is position 1, the others follow clockwise.", ("R30",))
    if sheet.hands_per_player == 2:
        positions = Saying(
            f"{_FIRST[sheet.first]} has positions 1 and 3 with a first and a second hand, the other player 2"
            " and 4.",
            ("R30", "R35"),
        )
        pairs = "1 and 2, 1 and 4, 2 and 3, 3 and 4"
    else:
        pairs = "1 and 2, 1 and 3, 1 and 4, 2 and 3, 2 and 4, 3 and 4"
    first = (
        "Clean sweeps are paid first, by position, each collecting clockwise from its holder. Then positions"
        " settle"
        if sheet.clean_sweep.kinds
        else "Positions settle"
    )
    sayings = [
        positions,
        Saying(f"{first} two by two, all between them in one payment: {pairs}.", ("R14", "R31")),
    ]
    if sheet.stakes == "none":
        return Section(
            "settling", "Settling", (*sayings, Saying("Points are scored, and no money moves.", ("R33",)))
        )
    between_two = "; two players may agree on a stake of their own between them" if sheet.pair_stakes else ""
    sayings += [
        Saying(f"A point is worth the table's limit{between_two}.", ("R32",)),
        Saying(TABLE_STAKES[sheet.stakes], ("R33",)),
    ]
    return Section("settling", "Settling", tuple(sayings))
