"""Acts taken back: numbered slips without gaps, and an undo in time by the same person. Pure. `kind_and_day`,
compared by books.py, checks that a slip has its entry's kind and day."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, Final

from ledger.chart import EntryKind
from ledger.proof.audit.checks.spill import short_hash
from ledger.records.findings import Body, Numbering, Problem
from ledger.rules.undoing import TAKEN_BACK, Doing, why_not_alone

_KINDS: Final = sorted(TAKEN_BACK)
_BACK: Final = frozenset((EntryKind.REVERSAL, EntryKind.UNDO))
_TOKE: Final = _KINDS.index(EntryKind.TOKE)
_BITS: Final = 3
_REMEMBERED: Final = timedelta(minutes=1)
_ALONE: Final = {
    "not_your_act": "It was undone by somebody else, or at another terminal.",
    "undo_too_late": "It was undone later than ten seconds after it was done.",
}


def kind_and_day(body: Body) -> int | None:
    """Return the kind and the gaming day of an entry as one number, None for a kind that gets no slip."""
    return _number(body["kind"], body["gaming_day"])


def slip_kind_and_day(body: Body) -> int | None:
    """Return the kind and the day in a slip, as `kind_and_day` does; None for an entry without a slip."""
    return _number(body["evidence"].get("of"), body["gaming_day"]) if is_slip(body) else None


def needs_slip(number: int) -> bool:
    """Return whether entries of this number need a slip: tokes can be corrected without one."""
    return number % (1 << _BITS) != _TOKE


def is_slip(body: Body) -> bool:
    return body["kind"] in _BACK and "slip" in body["evidence"]


def _number(kind: Any, day: str) -> int | None:
    return _hashed(kind, day) if kind in TAKEN_BACK else None


@lru_cache(maxsize=64)
def _hashed(kind: str, day: str) -> int:
    return short_hash(day.encode()) >> _BITS << _BITS | _KINDS.index(kind)


class TakingsBack:
    """The slips of a log, and the last minute's entries, which can be undone. `whole`: from leaf 0."""

    def __init__(self, *, whole: bool) -> None:
        self._numbers = Numbering("reversal slip", whole=whole)
        self._whole = whole
        self._first_id: int | None = None
        self._recent: OrderedDict[int, Doing] = OrderedDict()
        self.slips = self.older = 0

    def entry(self, body: Body) -> Iterable[Problem]:
        """Judge an entry, and remember it while it can be undone."""
        if self._first_id is None:
            self._first_id = body["id"]
        if body["kind"] in TAKEN_BACK:
            doing = _doing(body)
            self._recent[body["id"]] = doing
            while next(iter(self._recent.values())).at < doing.at - _REMEMBERED:
                self._recent.popitem(last=False)
        elif is_slip(body):
            return self._slip(body)
        elif body["kind"] == EntryKind.UNDO:
            return (("no_slip", "It was undone without a slip."),)
        return ()

    def _slip(self, body: Body) -> Iterator[Problem]:
        self.slips += 1
        evidence = body["evidence"]
        if type(evidence["slip"]) is not int:
            raise TypeError("a number is a whole number")
        yield from self._numbers.gap(evidence["slip"])
        if evidence["of"] not in TAKEN_BACK:
            yield "wrong_slip", "What it takes back is nothing that is taken back under a slip."
        if evidence["reverses"] != body["reverses"]:
            yield "wrong_slip", f"Its evidence is not about entry {body['reverses']}."
        if body["kind"] == EntryKind.UNDO:
            first = self._recent.get(body["reverses"])
            if first is None and not self._whole and body["reverses"] < (self._first_id or 0):
                self.older += 1
                return
            code = "undo_too_late" if first is None else why_not_alone(first, _doing(body))
            if code:
                yield code, _ALONE[code]
            elif body["approver"] is not None:
                yield "wrong_slip", "An undo has no second person: two people reverse."


def _doing(body: Body) -> Doing:
    return Doing(body["actor"], body["terminal"], datetime.fromisoformat(body["recorded_at"]))
