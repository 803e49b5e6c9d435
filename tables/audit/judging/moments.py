"""When a record says that something happened, and why: held against when it was recorded. Pure."""

from __future__ import annotations

from tables.audit.floor.floor import Problem, Problems
from tables.audit.floor.sitting import Body


def wrong_moment(body: Body) -> Problems:
    """An event happens when it is recorded."""
    if body["at"] != body["recorded_at"]:
        yield Problem("other_time", "It happened at another time than it was recorded.")


def wrong_reason(body: Body) -> Problems:
    """An event that needs a reason has one (R58)."""
    if not str(body["data"]["reason"]).strip():
        yield Problem("reason_required", "It has no reason (R58).")
