"""Who can be dealt in, why a seat waits, why no round starts: the codes, in turn, and their words (R42, R51, R53, R54, R63).

What a seat's stack holds and what it owes is worked out elsewhere; here it is only asked in order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

FEWEST_PLAYERS: Final = 2
"""A round, and a new down, needs so many players who can be dealt in (R51, R61)."""

Wait = Literal["sitting_out", "short", "fee_due", "declined", "match", "fifth", "two_only"]
NoRound = Literal[
    "table_closed",
    "round_running",
    "clock_stopped",
    "too_few_players",
    "match_too_few_players",
    "two_hands_not_agreed",
]


class WaitWords(NamedTuple):
    """A reason to wait as the floor says it: on a `badge`, in the list of a round on `record`, and in a `sentence`.

    The sentence has places for `name`, `stack`, `nine` (what nine points are) and `due`.
    """

    badge: str
    record: str
    sentence: str


WAITS: Final[Mapping[str, WaitWords]] = {
    "sitting_out": WaitWords("Sits out", "sits out", "{name} sits out."),
    "short": WaitWords(
        "Short",
        "below nine points (R53)",
        "{name} has {stack} and needs {nine} (nine points) to be dealt in.",
    ),
    "fee_due": WaitWords("Fee due", "a fee is due (R63)", "{name} owes {due}: add on or pay it in cash."),
    "declined": WaitWords("Declines", "declines this round", "{name} declines this round."),
    "match": WaitWords("Next match", "waits for the next match (R42)", "{name} waits for the next match."),
    "fifth": WaitWords("Fifth, next in", "fifth player (R51)", "{name} waits as the fifth player."),
    "two_only": WaitWords(
        "Two play", "two play at a time (R35)", "{name} waits: two play at a time, with two hands each."
    ),
    # Said on screens alone: no round is recorded with them.
    "next_round": WaitWords("Waits", "waits for the next round", "{name} waits for the next round."),
    "ready": WaitWords("Ready", "can be dealt in", "{name} can be dealt in once another player can."),
}

NO_ROUND: Final[Mapping[str, str]] = {
    "table_closed": "This table has been closed.",
    "round_running": "The running round must be settled or voided first.",
    "clock_stopped": "The clock stands still; the floor starts it again.",
    "too_few_players": "A round needs two players who can be dealt in.",
    "match_too_few_players": (
        "A round of this match needs two of its players who can be dealt in; else the floor can call the match off."
    ),
    "two_hands_not_agreed": (
        "Two hands each are for exactly two players who can be dealt in, and both must agree; a race has none."
    ),
}
"""Why no round starts, as people read it."""


class SeatNow(NamedTuple):
    """An occupied seat before a round: whether its player sits out, has less than nine points, has a fee left that the stack
    cannot pay, declines, or is no player of the match that runs."""

    sits_out: bool = False
    is_short: bool = False
    owes: bool = False
    declines: bool = False
    outside_match: bool = False


class TableNow(NamedTuple):
    """A table before a round: whether it is closed, a round is running, its clock stands still, a match runs."""

    closed: bool = False
    round_running: bool = False
    clock_stopped: bool = False
    in_match: bool = False


def why_it_waits(seat: SeatNow) -> Wait | None:
    """Why a seat is not among those who can be dealt in, or None: what the player has to put right comes before what they choose."""
    if seat.sits_out:
        return "sitting_out"
    if seat.is_short:
        return "short"
    if seat.owes:
        return "fee_due"
    if seat.declines:
        return "declined"
    return "match" if seat.outside_match else None


def waits_its_turn(hands_per_player: int) -> Wait:
    """Why somebody waits who could be dealt in: four others are, or two where everybody has two hands (R35, R51)."""
    return "two_only" if hands_per_player == 2 else "fifth"


def why_no_round(table: TableNow, eligible: int) -> NoRound | None:
    """Why no round starts with so many players who can be dealt in, or None."""
    if table.closed:
        return "table_closed"
    if table.round_running:
        return "round_running"
    if table.clock_stopped:
        return "clock_stopped"
    if eligible >= FEWEST_PLAYERS:
        return None
    return "match_too_few_players" if table.in_match else "too_few_players"
