"""Why a seat waits and why no round starts: codes in order, and their words (R42, R51, R53, R54, R63)."""

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

FEWEST_PLAYERS: Final = 2
"""How many players who can be dealt in a round, and a new down, needs (R51, R61)."""

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
    """Words for a reason to wait; the sentence has the fields `name`, `stack`, `nine` and `due`."""

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
    # For screens only: no round is recorded with these.
    "next_round": WaitWords("Waits", "waits for the next round", "{name} waits for the next round."),
    "ready": WaitWords("Ready", "can be dealt in", "{name} can be dealt in once another player can."),
}

NO_ROUND: Final[Mapping[str, str]] = {
    "table_closed": "This table has been closed.",
    "round_running": "The running round must be settled or voided first.",
    "clock_stopped": "The clock stands still; the floor starts it again.",
    "too_few_players": "A round needs two players who can be dealt in.",
    "match_too_few_players": (
        "A round of this match needs two of its players who can be dealt in; else the floor can call the"
        " match off."
    ),
    "two_hands_not_agreed": (
        "Two hands each are for exactly two players who can be dealt in, and both must agree; a race has"
        " none."
    ),
}
"""Why no round starts, as people read it."""


class SeatNow(NamedTuple):
    """An occupied seat before a round. `owes`: a fee is left that the stack cannot pay."""

    sits_out: bool = False
    is_short: bool = False
    owes: bool = False
    declines: bool = False
    outside_match: bool = False


class TableNow(NamedTuple):
    closed: bool = False
    round_running: bool = False
    clock_stopped: bool = False
    in_match: bool = False


def why_it_waits(seat: SeatNow) -> Wait | None:
    """Return why a seat cannot be dealt in, or None; what the player must put right comes before choices."""
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
    """Return why an eligible player waits: a round deals four, or two with two hands each (R35, R51)."""
    return "two_only" if hands_per_player == 2 else "fifth"


def why_no_round(table: TableNow, eligible: int) -> NoRound | None:
    """Return why no round starts with so many eligible players, or None."""
    if table.closed:
        return "table_closed"
    if table.round_running:
        return "round_running"
    if table.clock_stopped:
        return "clock_stopped"
    if eligible >= FEWEST_PLAYERS:
        return None
    return "match_too_few_players" if table.in_match else "too_few_players"
