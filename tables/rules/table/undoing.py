"""Whether one person alone may still undo a fee, a waiver or a toke: not once something was built on it."""

from __future__ import annotations

from typing import Literal

BuiltOn = Literal["left", "round_started", "stack_changed"]


def why_not_undone(*, left: bool, round_started: bool, stack_changed: bool) -> BuiltOn | None:
    """Why it is not undone alone any more, or None.

    Since then the player has `left`, a `round_started` at the table, or another entry has moved the player's stack.
    """
    if left:
        return "left"
    if round_started:
        return "round_started"
    return "stack_changed" if stack_changed else None
