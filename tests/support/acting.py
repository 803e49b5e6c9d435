"""Call a verb with the parts of its act."""

from dataclasses import fields, replace
from datetime import datetime
from inspect import signature
from typing import Any

from ledger.journal.acts import Act
from ledger.journal.posting import EntryDraft

PARTS = {field.name for field in fields(Act)}


def acting(call: Any, *args: Any, **sent: Any) -> Any:
    """Call a verb with its `act` given in parts (`actor`, `now`, `key` ...); call anything else as it is."""
    takes = signature(call).parameters
    if "act" not in takes or "act" in sent:
        return call(*args, **sent)
    parts = {part: sent.pop(part) for part in (PARTS - takes.keys()) & sent.keys()}
    return call(*args, act=Act(**{"actor": None} | parts), **sent)


def recorded_at(draft: EntryDraft, now: datetime) -> EntryDraft:
    """Return the entry recorded at another moment; when it occurred stays."""
    return replace(draft, act=draft.act.at(now))
