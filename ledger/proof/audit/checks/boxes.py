"""Drop boxes in the log: installed empty, pulled by two, counted twice alike on one sheet, signed off by
another once that is signed. Pure. Only boxes installed in the given records can be judged. The state of a box
is dropped when it is signed off."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ledger.money import dollars
from ledger.proof.audit.checks.accounts import Accounts
from ledger.proof.audit.checks.banks import EvidenceGiven
from ledger.proof.audit.checks.count_sheets import CountSheets
from ledger.proof.audit.checks.taking_back import is_slip
from ledger.records.findings import Body, Numbering, Problem
from ledger.records.house import CLOCKS
from ledger.rules.bank_signing import needs_two, wrong_signers
from ledger.rules.box_custody import COUNT_ROOM, drop_times, is_emergency, wrong_bringers, wrong_seal
from ledger.rules.count_sheets import CountAttempt, agreed
from ledger.rules.denominations import pieces_of
from ledger.rules.gaming_days import clock_in

_TAKES_BACK = frozenset({"reversal", "undo", "correction"})
_BOX = "drop_box"


@dataclass
class _Box:
    """A box at a table, or waiting to be counted and signed off."""

    number: int
    chips: int
    cash: int
    gaming_day: str = ""
    place: str = ""
    installed_at: str = ""
    pulled_at: str = ""
    pulled_by: tuple[int, ...] = ()
    counts: list[CountAttempt] = field(default_factory=list)
    sheet: int = 0  # on which it was counted
    counted_at: list[str] = field(default_factory=list)  # of each count
    sure: bool = True  # no fault so far, so its drop is compared with it
    drop: tuple[int, int, int] | None = None  # entry, chips and cash in the box by the books
    dropped_by: tuple[int | None, int | None] = (None, None)
    seal: str = ""
    places: list[str] = field(default_factory=list)  # where it was received

    @property
    def agreed(self) -> tuple[int, int] | None:
        """The chips and cash in cents on which two counters agreed in the last attempt, piece by piece."""
        found = agreed(self.counts)
        return None if found is None else (found.chips_cents, found.cash_cents)


class Boxes:
    """The boxes of a log, and the balances of its `accounts` at the current record."""

    def __init__(self, accounts: Accounts, evidence: EvidenceGiven, *, whole: bool) -> None:
        self._whole = whole
        self._accounts = accounts
        self._boxes: dict[int, _Box] = {}
        self._box_of: dict[int, int] = {}
        self._numbers = Numbering("box", whole=whole)
        self._sheets = CountSheets(whole=whole)
        self._evidence = evidence
        self._days: dict[str, list[int]] = {}  # boxes of a gaming day: installed, pulled, counted
        self._house: Body = {}  # its particulars
        self._sure = True  # no act named a box that was not in use: it may have been about one that is
        self.installed = self.signed = self.older = 0

    def take(self, body: Body) -> Iterator[Problem]:
        data: Body = body.get("data", {})
        match body["record"], body.get("kind"):
            case "house_event", "box_installed":
                yield from self._install(body)
            case "house_event", "box_pulled":
                if body["actor"] is None or data["second"] in (None, body["actor"]):
                    yield "second_person", f"Box {data['number']} was not pulled by two."
                yield from self._at(data["box"], self._pull, body, f"Box {data['number']} was not in use.")
            case "count_sheet", _:
                yield from self._sheets.begin(body)
            case "count_note", _:
                yield from self._sheets.on_open(body)
            case "count_sheet_signed", _:
                yield from self._sheet_signed(body)
            case "count_sheet_received", _:
                yield from summed(body)
                yield from self._sheets.receive(body)
            case "struck_count", _:
                yield from summed(body)
                yield from self._sheets.struck(body)
            case "box_received", _:
                yield from self._at(body["box"], _received, body, "It receives a box that was not in use.")
            case "house_event", kind if kind in CLOCKS:
                self._house = data
            case "count", _:
                yield from summed(body)
                box = self._boxes.get(body["box"])
                yield from self._sheets.count(body, box.gaming_day if box else "")
                yield from self._at(body["box"], _count, body, "It counts a box that was not in use.")
            case "sign_off", _:
                yield from self._at(
                    body["box"], self._sign_off, body, "It signs off a box that was not in use."
                )

    def unsigned(self, day: str) -> Iterator[Problem]:
        """Judge the closing of a gaming day: its boxes, and those of the days before, are signed off."""
        self._days = {one: boxes for one, boxes in self._days.items() if one > day}
        yield from self._sheets.unsigned(day)
        for box in self._boxes.values():
            if self._sure and box.gaming_day <= day:
                yield "not_dropped", f"Box {box.number} of gaming day {box.gaming_day} was not signed off."

    def entry(self, body: Body) -> Iterable[Problem]:
        if body["kind"] == "drop":
            box = body["evidence"]["box"]
            return self._at(box, self._drop, body, "It empties a box that was not in use.")
        accounts = _boxes_in(body["transfers"])
        if accounts and (body["kind"] not in _TAKES_BACK or is_slip(body)):
            return self._used(accounts)
        return ()

    def _at(
        self, number: int, judge: Callable[[_Box, Body], Iterator[Problem]], body: Body, unknown: str
    ) -> Iterator[Problem]:
        """Judge an act on a box, if it was installed in these records."""
        if (box := self._boxes.get(number)) is not None:
            yield from judge(box, body)
        elif self._whole:
            self._sure = False
            yield "unknown_box", unknown
        else:
            self.older += 1

    def _used(self, accounts: set[int]) -> Iterator[Problem]:
        for account in accounts:
            box = self._boxes.get(self._box_of.get(account, -1))
            if box is None and self._whole:
                yield "unknown_box", f"Account {account} does not belong to a box in use."
            elif box is not None and box.pulled_by:
                yield "box_pulled", f"Box {box.number} had been pulled."

    def _install(self, body: Body) -> Iterator[Problem]:
        data = body["data"]
        for account, asset in ((data["chips"], "chips"), (data["cash"], "cash")):
            self._accounts.begin(account, (_BOX, asset), 0)
        box = _Box(data["number"], data["chips"], data["cash"], data["gaming_day"], data["place"], body["at"])
        gap = self._numbers.gap(box.number)
        box.sure = not gap
        yield from gap
        box.seal = data.get("seal", "")
        if not box.seal and self._house.get("box_seals"):
            yield "seal_required", f"Box {box.number} has no seal."
        alike = (one for one in self._boxes.values() if box.seal and one.seal == box.seal)
        if other := next(alike, None):
            yield "seal_in_use", f"Its seal is on box {other.number}."
        if any(self._holds(box)):
            yield "box_not_empty", f"Box {box.number} was not empty."
        self.installed += 1
        self._days.setdefault(box.gaming_day, [0, 0, 0])[0] += 1
        self._boxes[data["box"]] = box
        self._box_of[box.chips] = self._box_of[box.cash] = data["box"]

    def _drop(self, box: _Box, body: Body) -> Iterator[Problem]:
        if not box.pulled_by:
            yield "box_not_pulled", f"Box {box.number} was still in use."
        if others := _boxes_in(body["transfers"]) - {box.chips, box.cash}:
            yield "wrong_box", f"It empties box {box.number} and also {others}."
        box.drop = (body["id"], *self._holds(box))
        box.dropped_by = (body["actor"], body["approver"])
        counted = self._sheets.of_box(box.sheet, body["evidence"]["box"], box.agreed)
        moved = {"chips": 0, "cash": 0}
        for line in body["transfers"]:
            if line["to_kind"] == "vault":
                moved[line["asset"]] += line["cents"]
        into_cage = (moved["chips"], moved["cash"])
        if counted is None:
            yield "not_counted", f"Box {box.number} has no two equal counts."
        elif counted != into_cage and not self._sheets.is_unjudged(box.sheet):
            sentence = f"{_amounts(counted)} were counted, {_amounts(into_cage)} went into the cage."
            yield "wrong_count", f"Of box {box.number} {sentence}"
        elif box.sure and (other := _otherwise(box, counted, box.drop[1:], body)):
            yield "other_box", f"It says another {other} of box {box.number} than the records before it."

    def _sign_off(self, box: _Box, body: Body) -> Iterator[Problem]:
        self.signed += 1
        del self._boxes[body["box"]]
        for account in (box.chips, box.cash):
            self._box_of.pop(account, None)
        expected = (body["expected_chips"], body["expected_cash"])
        counted = (body["counted_chips"], body["counted_cash"])
        if box.drop is None or box.drop[0] != body["entry"]:
            yield "not_dropped", f"Entry {body['entry']} did not empty box {box.number}."
        elif box.drop[1:] != expected:
            sentence = f"It expects {_amounts(expected)} in box {box.number};"
            yield "wrong_expected", f"{sentence} by the books it held {_amounts(box.drop[1:])}."
        elif any(self._holds(box)):
            yield "box_not_empty", f"Box {box.number} is not empty after it."
        if not self._sheets.may_be_signed(box.sheet):
            yield "sheet_not_signed", f"The count sheet of box {box.number} was not signed before."
        received = self._sheets.of_box(box.sheet, body["box"], box.agreed)
        if self._sheets.is_unjudged(box.sheet):
            received = counted
        yield from self._sheets.sign_off(box.sheet, body["box"])
        if received != counted:
            yield "wrong_count", f"Box {box.number} was not counted twice by the people it names."
        signers = body["signed_by"], body["signed_with"]
        if box.drop is not None and box.dropped_by != signers:
            yield "second_person", "Others posted its drop."
        two = needs_two(counted[0] - expected[0], counted[1] - expected[1], body["threshold_cents"])
        handled = {*box.pulled_by, *(one.counter for one in box.counts)}
        if wrong := wrong_signers(signer=signers[0], second=signers[1], barred=handled, needs_two=two):
            yield wrong
        if wrong := self._evidence.wrong(body, needs_two=two):
            yield wrong
        if expected != counted and not body["cause"].strip():
            yield "cause_required", "Counted and expected differ without a cause."

    def _pull(self, box: _Box, body: Body) -> Iterator[Problem]:
        if box.pulled_by:
            yield "box_pulled", f"Box {box.number} had been pulled before."
        elif box.gaming_day in self._days:
            self._days[box.gaming_day][1] += 1
        if body["data"]["number"] != box.number and box.sure:
            box.sure = False
            yield "other_box", f"It is box {box.number}, and not {body['data']['number']}."
        box.sure = box.sure and body["data"]["second"] not in (None, body["actor"])
        data = body["data"]
        if wrong := wrong_seal(box.seal, data.get("seal", ""), data.get("seal_reason", "").strip()):
            yield wrong
        if not data.get("emergency", "").strip() and _is_emergency(self._house, body["at"]):
            yield "emergency_drop", f"Box {box.number} was pulled outside the filed times without a reason."
        box.pulled_at, box.pulled_by = body["at"], (body["actor"], body["data"]["second"])

    def _sheet_signed(self, body: Body) -> Iterator[Problem]:
        """Judge the signatures of a sheet: each pulled box of its day that is on no other sheet agrees, and
        the day's boxes are those that were installed, pulled and counted."""
        sheet = self._sheets.of(body)
        on = {pk: box for pk, box in self._boxes.items() if box.sheet == body["sheet"]}
        found = {pk: pieces for pk, box in on.items() if (pieces := agreed(box.counts)) is not None}
        yield from self._sheets.sign(body, found)
        if sheet is None:
            return
        of_day = [box for box in self._boxes.values() if box.gaming_day == sheet.day and box.pulled_by]
        of_sheet = [box for box in of_day if box.sheet in (0, body["sheet"])]
        for box in of_sheet:
            if box.agreed is None:
                yield "not_counted", f"Box {box.number} of its day had no two equal counts."
        days = self._days.setdefault(sheet.day, [0, 0, 0])
        days[2] += sum(box.agreed is not None for box in of_sheet)
        if self._whole and days != [body["installed"], body["pulled"], body["counted"]]:
            sentence = "Of its day {} boxes had been installed, {} pulled and {} counted."
            yield "wrong_count", sentence.format(*days)

    def _holds(self, box: _Box) -> tuple[int, int]:
        return self._accounts.held(box.chips), self._accounts.held(box.cash)


def _count(box: _Box, body: Body) -> Iterator[Problem]:
    if not box.pulled_by:
        yield "box_not_pulled", f"Box {box.number} was still in use."
    if box.seal and COUNT_ROOM not in box.places:
        yield "box_not_received", f"Box {box.number} had not been received in the count room."
    if box.sheet not in (0, body["sheet"]):
        yield "other_sheet", f"Box {box.number} had been counted on another sheet."
    box.sheet = body["sheet"]
    box.counts.append(CountAttempt(body["attempt"], body["counter"], pieces_of(body["pieces"])))
    box.counted_at.append(body["counted_at"])


def _received(box: _Box, body: Body) -> Iterator[Problem]:
    if not box.pulled_by:
        yield "box_not_pulled", f"Box {box.number} was still in use."
    if box.seal and COUNT_ROOM in box.places:
        yield "box_received", f"Box {box.number} had been received in the count room."
    box.places.append(body["place"])
    if body["ordinal"] != len(box.places):
        yield "number_gap", f"It is receipt {len(box.places)} of box {box.number}."
    pulled_by = box.pulled_by if len(box.places) == 1 else ()
    if wrong := wrong_bringers(body["place"], body["person"], body["second"], pulled_by):
        yield wrong
    if wrong := wrong_seal(box.seal, body["seal"], body["reason"].strip()):
        yield wrong


def _is_emergency(house: Body, at: str) -> bool:
    clock = clock_in(house) if house.get("drop_times") else None
    if clock is None:
        return False
    return is_emergency(_moment(at).astimezone(clock.zone), drop_times(house["drop_times"]))


def _otherwise(box: _Box, counted: tuple[int, int], expected: tuple[int, int], body: Body) -> str:
    """Return how the evidence of a drop contradicts its box, or "". The form check reports missing fields."""
    right = {
        "number": box.number,
        "place": box.place,
        "installed_at": _moment(box.installed_at),
        "pulled_at": _moment(box.pulled_at),
        "pulled_by": sorted(box.pulled_by),
        "counts": [
            (one.number, one.counter, one.pieces.chips_cents, one.pieces.cash_cents, _moment(at))
            for one, at in zip(box.counts, box.counted_at, strict=True)
        ],
        "counted": _by_asset(counted),
        "expected": _by_asset(expected),
        "cause": body["reason"],
    }
    evidence = dict(body["evidence"])
    for name in ("installed_at", "pulled_at"):
        evidence[name] = _moment(evidence[name])
    evidence["counts"] = [
        (one["attempt"], one["counter"], one["chips"], one["cash"], _moment(one["counted_at"]))
        for one in evidence["counts"]
    ]
    return next((name.replace("_", " ") for name, value in right.items() if evidence[name] != value), "")


def _by_asset(amounts: tuple[int, int]) -> dict[str, int]:
    return {"chips": amounts[0], "cash": amounts[1]}


def _moment(at: str) -> datetime:
    """Parse a recorded time, which evidence writes in another form."""
    return datetime.fromisoformat(at)


def summed(body: Body) -> Iterator[Problem]:
    """Judge the amounts of a count by its pieces."""
    pieces = pieces_of(body["pieces"])
    if (body["chips_cents"], body["cash_cents"]) != (pieces.chips_cents, pieces.cash_cents):
        yield "wrong_sum", "Its pieces do not come to its amounts."


def _boxes_in(transfers: Any) -> set[int]:
    accounts: set[int] = set()
    for line in transfers:
        if line["from_kind"] == _BOX:
            accounts.add(line["from"])
        if line["to_kind"] == _BOX:
            accounts.add(line["to"])
    return accounts


def _amounts(amounts: tuple[int, int]) -> str:
    return f"{dollars(amounts[0])} in chips and {dollars(amounts[1])} in cash"
