"""The offer to undo what was just done, shown with its message for ten seconds. The verb decides."""

import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from ledger.rules.undoing import ALONE_FOR, TAKEN_BACK

_TAG = "undo"


@dataclass(frozen=True)
class UndoOffer:
    """An entry that can be undone at this page until a moment. Every press sends the same `key`."""

    page: str
    entry: int
    until: datetime

    @property
    def key(self) -> str:
        return f"undo-entry-{self.entry}"

    @property
    def tag(self) -> str:
        return f"{_TAG}:{self.page}:{self.entry}:{self.until.timestamp()}"

    def seconds_left(self, now: datetime) -> int:
        """Return whole seconds, begun ones included; 0 when over."""
        return max(0, math.ceil((self.until - now) / timedelta(seconds=1)))


def offer_of(site: Any, key: str, page: str) -> UndoOffer | None:
    """Return the offer to undo what was done under a key, or None."""
    entry = site.entries.filter(key=key, kind__in=TAKEN_BACK).first()
    return None if entry is None else UndoOffer(page, entry.pk, entry.recorded_at + ALONE_FOR)


def offer_in(tag: str) -> UndoOffer | None:
    word, *rest = tag.split(":")
    if word != _TAG:
        return None
    page, entry, until = rest
    return UndoOffer(page, int(entry), datetime.fromtimestamp(float(until), UTC))
