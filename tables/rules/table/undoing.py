"""Whether one person alone may still undo a fee, a waiver or a toke: only while nothing was built on it."""

from __future__ import annotations

from typing import Literal

BuiltOn = Literal["left", "round_started", "stack_changed"]


def why_not_undone(*, left: bool, round_started: bool, stack_changed: bool) -> BuiltOn | None:
    """Return why it cannot be undone alone any more, or None."""
    if left:
        return "left"
    if round_started:
        return "round_started"
    return "stack_changed" if stack_changed else None
