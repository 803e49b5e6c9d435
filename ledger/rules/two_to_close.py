"""The rule of who closes a gaming day: two people, the second of whom signed off none of its boxes. Pure."""

from collections.abc import Collection


def wrong_second(*, closer: int, second: int | None, signers: Collection[int]) -> str:
    """Return why `second` does not close a day with `closer`, in a sentence, or "". `signers` are those who
    signed off a box of the days that the closing covers; the closer may be one of them."""
    if second is None:
        return "Two people close a gaming day: choose the second one."
    if second == closer:
        return "Nobody closes a gaming day with themselves: choose somebody else."
    if second in signers:
        return "The second person signed off a box of this day: choose somebody who signed off none."
    return ""
