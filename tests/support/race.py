"""Rounds of a race (R42) at a table that tests play at, with points as the test wants them.

With four hands a seat that wins all three segments scores four, else three; QUEENS and FULL_HOUSE together go two to one.
"""

from tests.support.game import PLAIN

STAKE = 5000
MISSET = {"misset": True}


def laid(round_, **by_seat):
    """Cards by seat (`seat1=QUEENS`), in the order of the positions; whoever is not named lies mis-set."""
    return [by_seat.get(f"seat{hand.seat}", MISSET) for hand in round_.hands.all()]


def scores(table, minute=None, declined=(), stake=None, **by_seat):
    """Play a round of the match in which these seats lie as named."""
    if minute is not None:
        table.minute(minute)
    round_ = table.start(declined=declined, match_stake_cents=stake)
    return table.settle(round_, laid(round_, **by_seat))


def wins(table, seat, **options):
    """Play a round whose three segments this seat wins: four points among four, else three."""
    return scores(table, **{f"seat{seat}": PLAIN}, **options)
