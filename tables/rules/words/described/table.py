"""What holds at the table in any game: seats and button, buy-in, nine points, the fee (R50-R53, R60, R61)."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from tables.rules.game.sheet import Sheet
from tables.rules.table.buy_ins import BUY_IN_POINTS, DEALT_IN_POINTS
from tables.rules.table.downs import DOWN, HALF_FROM
from tables.rules.words.described.rows import Saying, Section

_MINUTE: Final = timedelta(minutes=1)


def table_section(sheet: Sheet) -> Section:
    sayings = [
        Saying(
            "The button begins at the first occupied seat, from the house dealer's left. After each round it"
            " moves clockwise to the next player who can be dealt in.",
            ("R50",),
        ),
        Saying(
            f"The first buy-in is at least {BUY_IN_POINTS} times the limit, before any fee, and at most the"
            " table's maximum. Up to that maximum chips are added between rounds.",
            ("R52",),
        ),
        Saying(
            f"A player who has fewer than {DEALT_IN_POINTS} points when a round starts ({DEALT_IN_POINTS}"
            " times the limit) is not dealt in.",
            ("R53",),
        ),
        Saying(
            f"The house takes a fee from each player for every {DOWN // _MINUTE} minutes: whole from those"
            f" who sit down before or in the first {HALF_FROM // _MINUTE} of them, half from those who come"
            " later. The rate card has the amount for each limit; it is never a share of wagers or winnings.",
            ("R60", "R61"),
        ),
    ]
    if sheet.hands_per_player != 2:
        fifth = Saying(
            "At most four of the five seats are dealt in: the button and the three players clockwise from it."
            " The fifth waits, and is the first to replace one who declines.",
            ("R51",),
        )
        sayings.insert(1, fifth)
    return Section("table", "At the table", tuple(sayings))
