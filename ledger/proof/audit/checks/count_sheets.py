"""Count sheets in the log: numbered without gaps, one of a gaming day open at a time, nothing added to a
signed one, signed by two who counted, and received by a cashier's own count. boxes.py judges which boxes a
sheet has, and whether they agree. Pure. Only sheets that begin in the given records can be judged."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ledger.records.findings import Body, Numbering, Problem
from ledger.rules.box_custody import RECEIVED_BY_COUNTER, shares, together, wrong_receipt
from ledger.rules.count_sheets import wrong_signers, wrong_struck
from ledger.rules.denominations import Pieces, pieces_of


@dataclass(slots=True)
class OpenSheet:
    number: int
    day: str
    counters: set[int] = field(default_factory=set)
    to_cashier: bool = False  # not before 0.3.0
    boxes: dict[int, Pieces] = field(default_factory=dict)  # once it is signed
    unsigned: set[int] = field(default_factory=set)  # boxes that wait for their sign-off
    strangers: bool = False  # in part of a log, boxes on it were installed before
    unjudged: bool = False  # so nobody can say how a difference fell on its boxes
    received: dict[int, tuple[int, int]] | None = None  # chips and cash by box, once a cashier has them
    struck: int = 0  # a cashier's counts that were refused


class CountSheets:
    def __init__(self, *, whole: bool) -> None:
        self._whole = whole
        self._numbers = Numbering("count sheet", whole=whole)
        self._open: dict[int, OpenSheet] = {}
        self._ended: set[int] = set()
        self._handed: dict[int, OpenSheet] = {}
        self._to_cashier = False
        self.signed = 0

    def begin(self, body: Body) -> Iterator[Problem]:
        yield from self._numbers.gap(body["number"])
        if other := next((one for one in self._open.values() if one.day == body["gaming_day"]), None):
            yield "sheet_begun", f"Count sheet {other.number} of that day was open."
        sheet = OpenSheet(body["number"], body["gaming_day"], to_cashier=body.get("to_cashier", False))
        if self._to_cashier and not sheet.to_cashier:
            yield "sheet_not_received", "It is to be signed off without a cashier's count."
        self._to_cashier = self._to_cashier or sheet.to_cashier
        self._open[body["id"]] = sheet

    def count(self, body: Body, day: str) -> Iterator[Problem]:
        """Judge a count of a box of this gaming day; in part of a log the box may be unknown."""
        yield from self.on_open(body)
        if (sheet := self._open.get(body["sheet"])) is not None:
            sheet.counters.add(body["counter"])
            sheet.strangers = sheet.strangers or not (day or self._whole)
            if day and sheet.day != day:
                yield "other_sheet", f"Count sheet {sheet.number} is of gaming day {sheet.day}."

    def on_open(self, body: Body) -> Iterator[Problem]:
        """Judge a count or a note: its sheet is open."""
        if body["sheet"] in self._ended:
            yield "sheet_signed", "Its count sheet had been signed."
        elif self._whole and body["sheet"] not in self._open:
            yield "unknown_sheet", "Its count sheet was not begun."

    def of(self, body: Body) -> OpenSheet | None:
        return self._open.get(body["sheet"])

    def sign(self, body: Body, boxes: Mapping[int, Pieces]) -> Iterator[Problem]:
        """Judge the signatures of a sheet with these `boxes` as counted."""
        yield from self.on_open(body)
        sheet = self._open.pop(body["sheet"], None)
        self._ended.add(body["sheet"])
        self.signed += 1
        if sheet is not None and (
            wrong := wrong_signers(body["signed_by"], body["signed_with"], sheet.counters)
        ):
            yield wrong
        if sheet is not None and sheet.to_cashier and boxes:
            sheet.boxes, sheet.unsigned = dict(boxes), set(boxes)
            self._handed[body["sheet"]] = sheet

    def receive(self, body: Body) -> Iterator[Problem]:
        """Judge a cashier's own count against that of two counters, all boxes together."""
        sheet = self._handed.get(body["sheet"])
        if sheet is None:
            if self._whole or body["sheet"] in self._open:
                yield "sheet_not_signed", "What it receives was not counted and signed before."
            return
        if sheet.received is not None:
            yield "sheet_received", "What was counted on its sheet had been received."
            return
        people = (body["received_by"], body["received_with"], body["reason"].strip())
        if sheet.strangers:
            sheet.unjudged = any(people[1:])
            sheet.received = {box: (one.chips_cents, one.cash_cents) for box, one in sheet.boxes.items()}
            return
        received, counted = pieces_of(body["pieces"]), together(sheet.boxes.values())
        if wrong := wrong_receipt(counted, received, *people, sheet.counters):
            yield wrong
        chips = shares({box: one.chips_cents for box, one in sheet.boxes.items()}, received.chips_cents)
        cash = shares({box: one.cash_cents for box, one in sheet.boxes.items()}, received.cash_cents)
        sheet.received = {box: (chips[box], cash[box]) for box in sheet.boxes}

    def struck(self, body: Body) -> Iterator[Problem]:
        """Judge a cashier's refused count: it comes between the signatures and the receipt."""
        sheet = self._handed.get(body["sheet"])
        if sheet is None or sheet.received is not None:
            if sheet or self._whole or body["sheet"] in self._open:
                yield "sheet_not_signed", "What it counts did not wait for a cashier's count."
            return
        if body["person"] in sheet.counters:
            yield RECEIVED_BY_COUNTER
        expected = Pieces({0: -1}) if sheet.strangers else together(sheet.boxes.values())
        if wrong := wrong_struck(body["attempt"], sheet.struck, pieces_of(body["pieces"]), expected):
            yield wrong
        if body.get("place", name := f"Count sheet {sheet.number}") != name:
            yield "other_sheet", f"It names another sheet than {name}."
        sheet.struck += 1

    def of_box(self, sheet: int, box: int, counted: tuple[int, int] | None) -> tuple[int, int] | None:
        """Return the chips and cash that a cashier received from a box; the `counted` ones if there is no
        such receipt, as before 0.3.0."""
        handed = self._handed.get(sheet)
        return counted if handed is None or handed.received is None else handed.received.get(box, counted)

    def is_unjudged(self, sheet: int) -> bool:
        """Return whether part of a log leaves open what a cashier received from each box of a sheet."""
        return (handed := self._handed.get(sheet)) is not None and handed.unjudged

    def sign_off(self, sheet: int, box: int) -> Iterator[Problem]:
        handed = self._handed.get(sheet)
        if handed is None:
            return
        if handed.received is None:
            yield "sheet_not_received", f"No cashier had received what was counted on sheet {handed.number}."
        handed.unsigned.discard(box)
        if not handed.unsigned:
            del self._handed[sheet]

    def may_be_signed(self, sheet: int) -> bool:
        """Return whether a sheet is signed or, in part of a log, may be."""
        return sheet in self._ended or not (self._whole or sheet in self._open)

    def unsigned(self, day: str) -> Iterator[Problem]:
        """Judge the closing of a gaming day: the sheets of its boxes are signed."""
        for sheet in self._open.values():
            if sheet.day <= day:
                yield (
                    "sheet_not_signed",
                    f"Count sheet {sheet.number} of gaming day {sheet.day} was not signed.",
                )
