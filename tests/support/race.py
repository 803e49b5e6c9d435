"""Rounds of a race (R42). A hand that wins all segments scores four points among four, else three."""

from tests.support.game import PLAIN

STAKE = 5000
MISSET = {"misset": True}


def laid(round_, **by_seat):
    """Return cards by seat (`seat1=QUEENS`) in the order of positions; other seats are mis-set."""
    return [by_seat.get(f"seat{hand.seat}", MISSET) for hand in round_.hands.all()]


def scores(table, minute=None, declined=(), stake=None, **by_seat):
    if minute is not None:
        table.minute(minute)
    round_ = table.start(declined=declined, match_stake_cents=stake)
    return table.settle(round_, laid(round_, **by_seat))


def wins(table, seat, **options):
    """Play a round whose three segments this seat wins."""
    return scores(table, **{f"seat{seat}": PLAIN}, **options)
