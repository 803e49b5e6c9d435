"""The custody of drop boxes in the log: installed empty, pulled by two, counted twice and alike, signed off by another. Pure.

Only boxes that were installed in the records at hand can be judged. The state of a box is dropped when it is signed off.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ledger.audit.checks.taking_back import is_slip
from ledger.audit.findings import Finding, name_of
from ledger.money import dollars

_TAKES_BACK = frozenset({"reversal", "undo", "correction"})
_BOX = "drop_box"


@dataclass
class _Box:
    """A box at a table, or one that waits to be counted and signed off."""

    number: int
    chips: int
    cash: int
    pulled_by: tuple[int, ...] = ()
    counts: list[tuple[int, int, int, int]] = field(default_factory=list)  # attempt, counter, chips, cash
    drop: tuple[int, int, int] | None = None  # entry, chips and cash that the box held by the books


class Boxes:
    """The boxes of a log. `held` returns an account's balance at the current record."""

    def __init__(self, *, whole: bool, held: Callable[[int], int]) -> None:
        self._whole = whole
        self._held = held
        self._boxes: dict[int, _Box] = {}
        self._box_of: dict[int, int] = {}
        self._last: int | None = 0 if whole else None
        self.installed = self.signed = self.older = 0

    def begins(self, body: Mapping[str, Any]) -> tuple[int, int] | None:
        """Return the chip and cash accounts of the box that this record installs; empty for other records."""
        data = body["data"]
        return (data["chips"], data["cash"]) if body["kind"] == "box_installed" else None

    def take(self, place: int, body: Mapping[str, Any]) -> Iterator[Finding]:
        """Judge a record other than an entry."""
        match body["record"], body.get("kind"):
            case "house_event", "box_installed":
                yield from self._install(place, body)
            case "house_event", "box_pulled":
                yield from self._pull(place, body)
            case "count", _:
                yield from self._count(place, body)
            case "sign_off", _:
                yield from self._sign_off(place, body)

    def entry(self, place: int, body: Mapping[str, Any]) -> Iterable[Finding]:
        """Judge an entry before its transfers are applied."""
        if body["kind"] == "drop":
            return self._drop(place, body)
        accounts = _boxes_in(body["transfers"])
        if accounts and (body["kind"] not in _TAKES_BACK or is_slip(body)):
            return self._used(place, body, accounts)
        return ()

    def _used(self, place: int, body: Mapping[str, Any], accounts: set[int]) -> Iterator[Finding]:
        for account in accounts:
            box = self._boxes.get(self._box_of.get(account, -1))
            if box is None and self._whole:
                yield _finding("unknown_box", f"Account {account} is of no box in use.", place, body)
            elif box is not None and box.pulled_by:
                yield _finding("box_pulled", f"Box {box.number} had been pulled.", place, body)

    def _install(self, place: int, body: Mapping[str, Any]) -> Iterator[Finding]:
        data = body["data"]
        number = data["number"]
        if self._last is not None and number != self._last + 1:
            yield _finding("number_gap", f"It is box {number}; {self._last + 1} comes next.", place, body)
        self._last = number
        box = _Box(number, data["chips"], data["cash"])
        if self._held(box.chips) or self._held(box.cash):
            yield _finding("box_not_empty", f"Box {number} was not empty.", place, body)
        self.installed += 1
        self._boxes[data["box"]] = box
        self._box_of[box.chips] = self._box_of[box.cash] = data["box"]

    def _pull(self, place: int, body: Mapping[str, Any]) -> Iterator[Finding]:
        data = body["data"]
        if body["actor"] is None or data["second"] in (None, body["actor"]):
            yield _finding("second_person", f"Box {data['number']} was not pulled by two.", place, body)
        box = self._known(data["box"])
        if box is None:
            if self._whole:
                yield _finding("unknown_box", f"Box {data['number']} was not in use.", place, body)
            return
        if box.pulled_by:
            yield _finding("box_pulled", f"Box {box.number} had been pulled before.", place, body)
        box.pulled_by = (body["actor"], data["second"])

    def _count(self, place: int, body: Mapping[str, Any]) -> Iterator[Finding]:
        box = self._known(body["box"])
        if box is not None:
            if not box.pulled_by:
                yield _finding("box_not_pulled", f"Box {box.number} was still in use.", place, body)
            box.counts.append((body["attempt"], body["counter"], body["chips_cents"], body["cash_cents"]))
        elif self._whole:
            yield _finding("unknown_box", "It counts a box that was not in use.", place, body)

    def _drop(self, place: int, body: Mapping[str, Any]) -> Iterator[Finding]:
        box = self._known(body["evidence"]["box"])
        if box is None:
            if self._whole:
                yield _finding("unknown_box", "It empties a box that was not in use.", place, body)
            return
        if not box.pulled_by:
            yield _finding("box_not_pulled", f"Box {box.number} was still in use.", place, body)
        if others := _boxes_in(body["transfers"]) - {box.chips, box.cash}:
            yield _finding("wrong_box", f"It empties box {box.number} and also {others}.", place, body)
        box.drop = (body["id"], self._held(box.chips), self._held(box.cash))
        counted = _agreed(box.counts)
        into_cage = {"chips": 0, "cash": 0}
        for line in body["transfers"]:
            if line["to_kind"] == "cage":
                into_cage[line["asset"]] += line["cents"]
        if counted is None:
            yield _finding("not_counted", f"Box {box.number} has no two equal counts.", place, body)
        elif counted != (into_cage["chips"], into_cage["cash"]):
            yield _finding(
                "wrong_count",
                f"Of box {box.number} {_amounts(counted)} were counted,"
                f" {_amounts((into_cage['chips'], into_cage['cash']))} went into the cage.",
                place,
                body,
            )

    def _sign_off(self, place: int, body: Mapping[str, Any]) -> Iterator[Finding]:
        box = self._known(body["box"])
        if box is None:
            if self._whole:
                yield _finding("unknown_box", "It signs off a box that was not in use.", place, body)
            return
        self.signed += 1
        del self._boxes[body["box"]]
        for account in (box.chips, box.cash):
            self._box_of.pop(account, None)
        yield from _signed(place, body, box, self._held)

    def _known(self, number: int) -> _Box | None:
        box = self._boxes.get(number)
        self.older += box is None and not self._whole
        return box


def _signed(place: int, body: Mapping[str, Any], box: _Box, held: Callable[[int], int]) -> Iterator[Finding]:
    expected = (body["expected_chips"], body["expected_cash"])
    counted = (body["counted_chips"], body["counted_cash"])
    if box.drop is None or box.drop[0] != body["entry"]:
        yield _finding("not_dropped", f"Entry {body['entry']} did not empty box {box.number}.", place, body)
    elif box.drop[1:] != expected:
        yield _finding(
            "wrong_expected",
            f"It expects {_amounts(expected)} in box {box.number}; by the books it held {_amounts(box.drop[1:])}.",
            place,
            body,
        )
    elif held(box.chips) or held(box.cash):
        yield _finding("box_not_empty", f"Box {box.number} is not empty after it.", place, body)
    if _agreed(box.counts) != counted:
        yield _finding("wrong_count", f"Box {box.number} was not counted twice as it says.", place, body)
    if body["signed_by"] in {*box.pulled_by, *(counter for _, counter, _, _ in box.counts)}:
        yield _finding("counted_by_signer", "Who pulled or counted the box has signed it off.", place, body)
    if expected != counted and not body["cause"].strip():
        yield _finding("cause_required", "Counted and expected differ without a cause.", place, body)


def _agreed(counts: list[tuple[int, int, int, int]]) -> tuple[int, int] | None:
    """Return the chips and cash on which two different counters agreed in the last attempt."""
    last = max((attempt for attempt, *_ in counts), default=0)
    found = [(counter, (chips, cash)) for attempt, counter, chips, cash in counts if attempt == last]
    if len(found) != 2 or found[0][0] == found[1][0] or found[0][1] != found[1][1]:
        return None
    return found[0][1]


def _boxes_in(transfers: Any) -> set[int]:
    """Return the drop box accounts that these transfers touch."""
    found: set[int] = set()
    for line in transfers:
        if line["from_kind"] == _BOX:
            found.add(line["from"])
        if line["to_kind"] == _BOX:
            found.add(line["to"])
    return found


def _amounts(amounts: tuple[int, int]) -> str:
    return f"{dollars(amounts[0])} in chips and {dollars(amounts[1])} in cash"


def _finding(code: str, sentence: str, place: int, body: Mapping[str, Any]) -> Finding:
    return Finding(code, sentence, place, name_of(body))
