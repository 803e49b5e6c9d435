"""Who closes a gaming day or a shift of it: two people, the second of whom signed off none of the day's
boxes. Pure."""

from collections.abc import Collection


def wrong_second(
    *, closer: int, second: int | None, signers: Collection[int], what: str = "gaming day"
) -> str:
    """Return why `second` may not close a day or shift with `closer`, as a sentence, or "". `signers` are the
    people who signed off a box of the closed days; the closer may be one of them."""
    if second is None:
        return f"Two people close a {what}: choose the second one."
    if second == closer:
        return f"Nobody closes a {what} with themselves: choose somebody else."
    if second in signers:
        return "The second person signed off a box of this day: choose somebody who signed off none."
    return ""
