"""Calling a verb with an act that a test puts together from parts."""

from dataclasses import replace
from datetime import datetime
from inspect import signature
from typing import Any

from ledger.journal.acts import Act
from ledger.journal.posting import EntryDraft

PARTS = ("actor", "now", "key", "terminal", "approver", "reason")


def acting(verb: Any, *args: Any, **sent: Any) -> Any:
    """Call a verb; what it takes as one `act` may be sent in parts, as `actor`, `now`, `key` and so on."""
    takes = signature(verb).parameters
    if "act" not in takes:
        return verb(*args, **sent)
    parts = {part: sent.pop(part) for part in PARTS if part in sent and part not in takes}
    parts.setdefault("actor", None)
    return verb(*args, act=Act(**parts), **sent)


def recorded_at(draft: EntryDraft, now: datetime) -> EntryDraft:
    """The same entry, recorded at another moment; when it occurred stays."""
    return replace(draft, act=draft.act.at(now))
