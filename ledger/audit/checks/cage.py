"""The float of the cage in the log: slips numbered without gaps, counted by two people alike, and posted as counted. Pure.

Only slips whose first count is in the records at hand can be judged. A slip is dropped when it has ended.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ledger.audit.denominations import Pieces, compared, pieces_of, value_text
from ledger.audit.findings import Finding, name_of
from ledger.money import dollars

_WAYS = {"float_issue": "in", "float_return": "out"}
_NAMED = ("slip", "number", "way", "pieces", "counted_by")


@dataclass(frozen=True, slots=True)
class _Slip:
    """A slip that waits for its second count."""

    number: int
    way: str
    counted_by: int
    pieces: Pieces


class CageSlips:
    """The cage slips of a log."""

    def __init__(self, *, whole: bool) -> None:
        self._whole = whole
        self._slips: dict[int, _Slip] = {}
        self._entries: dict[int, Mapping[str, Any]] = {}  # by slip: an entry whose result comes next
        self._last: int | None = 0 if whole else None
        self.counted = self.posted = self.older = 0

    def take(self, place: int, body: Mapping[str, Any]) -> Iterator[Finding]:
        """A slip, or its end."""
        if body["record"] == "cage_slip":
            yield from self._first(place, body)
        else:
            yield from self._end(place, body)

    def entry(self, place: int, body: Mapping[str, Any]) -> Iterable[Finding]:
        """An entry, if it is one of the float: it moves what its denominations come to, and names both people."""
        return self._posted(place, body) if body["kind"] in _WAYS else ()

    def _posted(self, place: int, body: Mapping[str, Any]) -> Iterator[Finding]:
        evidence = body["evidence"]
        if missing := [name for name in _NAMED if name not in evidence]:
            yield _finding("no_slip", f"It names no {missing[0].replace('_', ' ')}.", place, body)
            return
        pieces = pieces_of(evidence["pieces"])
        yield from self._moved(place, body, pieces)
        if body["approver"] is not None and evidence["counted_by"] != [body["actor"], body["approver"]]:
            yield _finding("second_person", "It was not posted by the two who counted it.", place, body)
        slip = self._slips.get(evidence["slip"])
        if slip is None:
            if self._whole:
                yield _finding("no_slip", f"Cage slip {evidence['number']} was not waiting.", place, body)
        elif (slip.number, slip.way, slip.counted_by) != (evidence["number"], evidence["way"], body["actor"]):
            yield _finding("wrong_slip", f"It is not what cage slip {slip.number} was.", place, body)
        else:
            yield from _unlike(place, body, slip, pieces)
        self._entries[evidence["slip"]] = body

    def finish(self) -> Iterator[Finding]:
        """Entries of slips that never ended."""
        for body in self._entries.values():
            yield Finding("no_slip", "Its cage slip was not posted.", None, name_of(body))

    def _first(self, place: int, body: Mapping[str, Any]) -> Iterator[Finding]:
        number = body["number"]
        if self._last is not None and number != self._last + 1:
            yield _finding(
                "number_gap", f"It is cage slip {number}; {self._last + 1} comes next.", place, body
            )
        self._last = number
        self.counted += 1
        pieces = pieces_of(body["pieces"])
        yield from _summed(place, body, pieces)
        self._slips[body["id"]] = _Slip(number, body["way"], body["counted_by"], pieces)

    def _end(self, place: int, body: Mapping[str, Any]) -> Iterator[Finding]:
        slip, entry = self._slips.pop(body["slip"], None), self._entries.pop(body["slip"], None)
        pieces = pieces_of(body["pieces"])
        yield from _summed(place, body, pieces)
        if slip is None and not self._whole:
            self.older += 1
            return
        if (entry and entry["id"]) != body["entry"] or (body["outcome"] == "posted") != (entry is not None):
            yield _finding(
                "wrong_slip", f"It was {body['outcome']}, which its entry does not say.", place, body
            )
        if slip is None:
            yield _finding("no_slip", "It ends a cage slip that was not waiting.", place, body)
            return
        if body["outcome"] == "withdrawn":
            if not body["reason"].strip():
                yield _finding(
                    "reason_required", f"Cage slip {slip.number} was withdrawn without a reason.", place, body
                )
            return
        self.posted += body["outcome"] == "posted"
        yield from _counted_twice(place, body, slip, pieces, entry)

    def _moved(self, place: int, body: Mapping[str, Any], pieces: Pieces) -> Iterator[Finding]:
        """What the transfers move has to be what the pieces come to, and go the way of its kind."""
        moved = {"chips": 0, "cash": 0}
        for line in body["transfers"]:
            moved[line["asset"]] += line["cents"]
        for asset, cents in (("chips", pieces.chips_cents), ("cash", pieces.cash_cents)):
            if moved[asset] != cents:
                sentence = f"Its {asset} come to {dollars(cents)}; it moves {dollars(moved[asset])}."
                yield _finding("wrong_sum", sentence, place, body)
        if body["evidence"]["way"] != _WAYS[body["kind"]]:
            yield _finding("wrong_slip", "Its slip goes the other way.", place, body)


def _summed(place: int, body: Mapping[str, Any], pieces: Pieces) -> Iterator[Finding]:
    for asset, cents in (("chips", pieces.chips_cents), ("cash", pieces.cash_cents)):
        if body[f"{asset}_cents"] != cents:
            sentence = f"Its {asset} come to {dollars(cents)}, not to {dollars(body[f'{asset}_cents'])}."
            yield _finding("wrong_sum", sentence, place, body)


def _counted_twice(
    place: int, body: Mapping[str, Any], slip: _Slip, pieces: Pieces, entry: Mapping[str, Any] | None
) -> Iterator[Finding]:
    if body["person"] == slip.counted_by or (entry is not None and entry["approver"] != body["person"]):
        yield _finding("second_person", f"Cage slip {slip.number} was not counted by two.", place, body)
    if body["outcome"] == "posted":
        yield from _unlike(place, body, slip, pieces)
    elif pieces == slip.pieces:
        yield _finding("wrong_slip", f"Both counts of cage slip {slip.number} agree.", place, body)


def _unlike(place: int, body: Mapping[str, Any], slip: _Slip, pieces: Pieces) -> Iterator[Finding]:
    """The first denomination of which there are not as many as were counted first."""
    line = next((line for line in compared(slip.pieces, pieces) if line.differs), None)
    if line is not None:
        sentence = (
            f"Of {value_text(line.value)} in {line.asset}, cage slip {slip.number} has {line.first} pieces,"
            f" and this has {line.second}."
        )
        yield _finding("wrong_denomination", sentence, place, body)


def _finding(code: str, sentence: str, place: int, body: Mapping[str, Any]) -> Finding:
    return Finding(code, sentence, place, name_of(body))
