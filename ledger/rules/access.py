"""The quarterly review of who has which rights. Pure."""

from __future__ import annotations

from datetime import date


def quarter_of(day: date) -> str:
    return f"{day.year}-Q{(day.month + 2) // 3}"


def wrong_reviewers(reviewer: int, second: int | None, *, gives_rights: bool) -> str:
    """Return why these two may not sign a review. Nobody who gives rights to others reviews them alone."""
    if second == reviewer:
        return "The second person is the first."
    if gives_rights and second is None:
        return "Nobody who gives rights to others reviews them alone."
    return ""
