"""The rule of taking back: which entries, and who may do it alone within ten seconds. Pure."""

from datetime import datetime, timedelta
from typing import NamedTuple

ALONE_FOR = timedelta(seconds=10)
TAKEN_BACK = frozenset(
    (
        *("collection", "waiver", "toke"),
        *("chip_sale", "chip_redemption", "chip_change", "chips_beyond_books", "toke_payout"),
    )
)
"""The kinds of entry that are taken back under a numbered slip."""


def key_of_act(key: str) -> str:
    """Return the key of the act that an entry belongs to: its own key up to the last slash, if any."""
    return key.rpartition("/")[0] or key


class Doing(NamedTuple):
    actor: int
    terminal: str
    at: datetime


def why_not_alone(first: Doing, back: Doing) -> str:
    """Return why an entry may not be undone alone like this (`not_your_act`, `undo_too_late`), or ""."""
    if (first.actor, first.terminal) != (back.actor, back.terminal):
        return "not_your_act"
    return "undo_too_late" if back.at - first.at > ALONE_FOR else ""
