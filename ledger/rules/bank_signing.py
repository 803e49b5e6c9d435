"""The rule of who signs off a difference in a table's bank. Pure."""

from collections.abc import Collection


def wrong_signers(
    *, signer: int, second: int | None, counters: Collection[int | None], needs_two: bool
) -> tuple[str, str] | None:
    """Return the code and the sentence for why these people do not sign it off, or None. `counters` are
    those who counted the bank, of whom one closed its table."""
    if signer in counters or (second is not None and second in counters):
        return "counted_by_signer", "Nobody signs off a difference in a bank that they counted."
    if second == signer:
        return "second_person", "Nobody is their own second person: choose somebody else."
    if needs_two and second is None:
        return "second_person", "So large a difference is signed off by two people: choose the second one."
    return None


def needs_two(chips_cents: int, cash_cents: int, threshold_cents: int) -> bool:
    """Return whether two people sign; what is too much of one asset does not make up for the other."""
    return abs(chips_cents) + abs(cash_cents) >= threshold_cents
