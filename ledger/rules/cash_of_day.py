"""Patrons' cash of a gaming day, cash in and cash out apart, added up by person (31 CFR 1021.311, 1021.313).
Pure. It never raises, whatever an entry contains."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from ledger.chart import AccountKind, EntryKind

Body = Mapping[str, Any]
Person = tuple[str, int]
"""A patron: the number in the register of players or, without one, their first receipt of the day."""
PLAYER, UNKNOWN = "player", "receipt"

CHIPS_BOUGHT, CHIPS_REDEEMED, EXCHANGED_IN, EXCHANGED_OUT, OTHER_IN, OTHER_OUT = 18, 28, 14, 15, 997, 998
"""The kinds of transaction of FinCEN Report 112."""
_IN: Final = {
    EntryKind.CHIP_SALE: CHIPS_BOUGHT,
    EntryKind.BUY_IN: CHIPS_BOUGHT,
    EntryKind.ADD_ON: CHIPS_BOUGHT,
    EntryKind.CHIP_CHANGE: EXCHANGED_IN,
}
_OUT: Final = {EntryKind.CHIP_REDEMPTION: CHIPS_REDEEMED, EntryKind.CHIP_CHANGE: EXCHANGED_OUT}
KINDS: Final = (
    *(EntryKind.CHIP_SALE, EntryKind.CHIP_REDEMPTION, EntryKind.CHIP_CHANGE, EntryKind.BUY_IN),
    *(EntryKind.ADD_ON, EntryKind.COLLECTION, EntryKind.CORRECTION, EntryKind.REVERSAL, EntryKind.UNDO),
)
"""The kinds of entry by which cash may come from a patron or go to one."""


@dataclass(frozen=True, slots=True)
class Crossing:
    """Cash that one entry brought in (`came`) and paid out (`went`), in cents, below zero if it takes an
    earlier entry back; `kind` is then that of the earlier one."""

    person: Person
    kind: str
    came: int
    went: int
    body: Body

    @property
    def parts(self) -> Iterator[tuple[int, int, int]]:
        """Yield the kind of transaction with the cash that came and that went."""
        if self.came:
            yield _IN.get(self.kind, OTHER_IN), self.came, 0  # type: ignore[call-overload]
        if self.went:
            yield _OUT.get(self.kind, OTHER_OUT), 0, self.went  # type: ignore[call-overload]


class CashOfDay:
    """Takes the entries of one gaming day in order. Entries are of one person by their number in the register
    of players; without it, by the earlier receipt (`seen`) that they name."""

    def __init__(self) -> None:
        self.crossings: list[Crossing] = []
        self._by_entry: dict[int, Crossing] = {}
        self._by_receipt: dict[int, Person] = {}
        self._same: dict[Person, Person] = {}
        self._sums: dict[Person, tuple[int, int]] = {}

    def one(self, person: Person) -> Person:
        while person in self._same:
            person = self._same[person]
        return person

    def join(self, person: Person, into: Person) -> None:
        """Note that two are one person, as when their entries of the register are merged."""
        person, into = self.one(person), self.one(into)
        if person != into:
            self._same[person] = into
            self._add(into, *self._sums.pop(person, (0, 0)))

    def of_receipt(self, receipt: Any) -> Person | None:
        """Return the patron of an earlier receipt of the day, or None if it is not a patron's."""
        found = self._by_receipt.get(_number(receipt))
        return None if found is None else self.one(found)

    def take(self, body: Body) -> Crossing | None:
        """Take an entry in; return what cash it moved between the house and a patron, if any."""
        undone = self._by_entry.pop(_number(body.get("reverses")), None)
        if undone is not None:
            crossing = replace(undone, came=-undone.came, went=-undone.went, body=body)
        else:
            person, (came, went) = self._person(body), _cash(body)
            if person is None or not (came or went):
                return None
            crossing = Crossing(person, _kind(body), came, went, body)
            self._by_entry[_number(body.get("id"))] = crossing
        self.crossings.append(crossing)
        self._add(self.one(crossing.person), crossing.came, crossing.went)
        return crossing

    def sums(self, person: Person) -> tuple[int, int]:
        """Return the cash in and the cash out of a person so far."""
        return self._sums.get(self.one(person), (0, 0))

    def _add(self, person: Person, came: int, went: int) -> None:
        before = self._sums.get(person, (0, 0))
        self._sums[person] = (before[0] + came, before[1] + went)

    def people(self) -> dict[Person, list[Crossing]]:
        """Return each person's crossings, people in the order in which they were first seen."""
        found: dict[Person, list[Crossing]] = {}
        for each in self.crossings:
            found.setdefault(self.one(each.person), []).append(each)
        return found

    def _person(self, body: Body) -> Person | None:
        said = _mapping(body.get("evidence"))
        player, receipt, seen = said.get("player"), said.get("receipt"), self.of_receipt(said.get("seen"))
        if is_of_tokes(body):
            return None
        if type(player) is int:
            person = (PLAYER, player)
            if seen is not None and seen[0] == UNKNOWN:
                self.join(seen, person)
        elif seen is not None:
            person = seen
        elif type(receipt) is int:
            person = (UNKNOWN, receipt)
        else:
            return None
        if type(receipt) is int:
            self._by_receipt[receipt] = person
        return person


def is_of_tokes(body: Body) -> bool:
    """Return whether a redemption is of a dealer's tokes, who signs for it beside the cashier."""
    return body.get("kind") == EntryKind.CHIP_REDEMPTION and body.get("approver") is not None


def reached(sums: tuple[int, int], crossing: Crossing) -> int:
    """Return the larger of cash in and cash out so far, of the sums to which this crossing adds."""
    came, went = sums
    return max(came if crossing.came > 0 else 0, went if crossing.went > 0 else 0)


def _kind(body: Body) -> str:
    """Return the kind of entry; for one posted again, the kind that it corrects."""
    kind = body.get("kind")
    return str(_mapping(body.get("evidence")).get("of") if kind == EntryKind.CORRECTION else kind)


def _cash(body: Body) -> tuple[int, int]:
    """Return the cash that came from the public and that went to it; for change, by its pieces."""
    if body.get("kind") == EntryKind.CHIP_CHANGE:
        said = _mapping(body.get("evidence"))
        return _worth(said.get("pieces")), _worth(said.get("given"))
    came = went = 0
    lines = body.get("transfers")
    for line in map(_mapping, lines if isinstance(lines, list) else ()):
        cents = line.get("cents")
        if type(cents) is int:
            came += cents * (line.get("from_kind") == AccountKind.PUBLIC)
            went += cents * (line.get("to_kind") == AccountKind.PUBLIC)
    return came, went


def _worth(pieces: Any) -> int:
    lines = _mapping(pieces).get("cash")
    whole = [line for line in (lines if isinstance(lines, list) else ()) if _is_line(line)]
    return sum(value * number for value, number in whole)


def _number(value: Any) -> int:
    return value if type(value) is int else 0


def _is_line(line: Any) -> bool:
    return isinstance(line, list) and len(line) == 2 and all(type(part) is int for part in line)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
