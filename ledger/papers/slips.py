"""The papers of numbered documents, one line each with everybody who took a step: fills and credits,
deposits, chips of the chip maker, unclaimed chips. And chips beyond the books, which have no steps. Pure."""

import re
from collections.abc import Iterator
from typing import Any, ClassVar, Final

from ledger.chart import EntryKind
from ledger.papers.cells import mapping, mappings, number
from ledger.papers.counted import figures_of
from ledger.papers.counting import pieces_in_words
from ledger.papers.paper import DayPaper, Paper, PaperGroup, PaperSource, declare_papers
from ledger.records.findings import Body
from ledger.rules.documents import COUNTED, Step

_TABLE = re.compile(r"Table ([0-9]{1,9})", re.ASCII)
_PARTS: Final = {step.value: step.value for step in Step} | {Step.DIFFERED.value: Step.RECEIVED.value}
"""The columns of a step, before `_by` and `_at`."""
_VALUE: Final = ("chips_pieces", "cash_pieces", "chips", "cash")


def table_in(place: object) -> int | None:
    """Return the number of the table that is a place of the books: of `Table 7`, 7."""
    found = _TABLE.fullmatch(str(place))
    return int(found[1]) if found else None


def _by(*steps: Step) -> tuple[str, ...]:
    return tuple(f"{step}_{end}" for step in steps for end in ("by", "at"))


class DocumentLines(DayPaper):
    """A line for each document of some `series` on each gaming day on which it had a step: with the steps of
    that day and no others, so that it is the same wherever an export begins."""

    series: ClassVar[frozenset[str]]
    group = PaperGroup.CAGE
    later = True
    unprinted: ClassVar[tuple[str, ...]] = ("entry",)
    takes = frozenset({"document", "document_box", "document_step", "entry", "closed_day"})
    kinds = frozenset({EntryKind.DOCUMENT_RECEIVED})

    def __init__(self, setting: PaperSource) -> None:
        super().__init__(setting)
        self._asked: Body = {}
        self._arrived: Body = {}

    def follow(self, body: Body) -> None:
        match body.get("record"):
            case "document":
                self._asked = body
            case "document_box" if str(self._asked.get("kind")) in self.series:
                row = self.row(self._asked.get("gaming_day"), number(body.get("document")))
                row["boxes"] = number(row.get("boxes")) + 1
            case "entry":
                self._arrived = body
            case "document_step" if str(body.get("series")) in self.series:
                self._step(self.row(body.get("gaming_day"), number(body.get("document"))), body)

    def _step(self, row: dict[str, Any], body: Body) -> None:
        step = str(body.get("step"))
        if "kind" not in row:
            row["shift"] = self.setting.shift(body.get("gaming_day"), body.get("at"))
            row |= {"kind": body.get("series"), "number": body.get("number"), "place": body.get("place")}
            row["table"] = table_in(body.get("place"))
        part = _PARTS.get(step, step)
        row |= {"state": step, f"{part}_by": body.get("person"), f"{part}_at": body.get("at")}
        said = ("reason", "evidence", "player", "due", "entry", "second")
        row |= {name: body[name] for name in said if body.get(name)}
        if body.get("reference"):
            carried = step == Step.SENT and "carrier" in self.columns
            row["carrier" if carried else "reference"] = body["reference"]
        if step == Step.REQUESTED and body.get("document") == self._asked.get("id"):
            row |= _value(self._asked)
        elif step == Step.SENT or "chips" not in row:
            row |= _value(body)
        if step in COUNTED and body.get("entry") == self._arrived.get("id"):
            row["over_chips"], row["over_cash"] = figures_of(self._arrived)[2:]


def _value(said: Body) -> dict[str, Any]:
    if "chips_cents" not in said:
        return {}
    cents = (number(said.get(f"{asset}_cents")) for asset in ("chips", "cash"))
    return dict(zip(_VALUE, (*pieces_in_words(said), *cents), strict=True))


_BEGUN = ("gaming_day", "shift", "kind", "number")
_OVER = ("over_chips", "over_cash")


class SlipsPaper(DocumentLines):
    name = "slips.csv"
    title = "Fills, credits, openers and closers"
    purpose = "Each slip between the cage and a table, by denomination, with who asked, sent and received"
    law = "4 CCR 12386"
    signs = ("Cashier", "Floor")
    series = frozenset({"opener", "fill", "credit", "closer"})
    sums = ("chips", "cash")
    columns = (
        *(*_BEGUN, "table", "state", *_VALUE, *_by(Step.REQUESTED, Step.AUTHORISED, Step.SENT)),
        *(*_by(Step.RECEIVED, Step.VOIDED), *_OVER, "second", "reason", "evidence", "entry"),
    )
    unprinted = ("entry", "authorised_at", "sent_at")
    place = 460


class DepositsPaper(DocumentLines):
    name = "deposits.csv"
    title = "Deposits, cash orders and capital"
    purpose = "Cash on its way to the bank and from there: asked for, authorised, handed over, confirmed"
    law = "4 CCR 12386"
    signs = ("Prepared by", "Carrier")
    series = frozenset({"deposit", "cash_order", "capital_out"})
    columns = (
        *(*_BEGUN, "state", "boxes", "cash_pieces", "cash"),
        *(*_by(Step.REQUESTED, Step.AUTHORISED, Step.SENT), "carrier", *_by(Step.RECEIVED), "reference"),
        *(*_by(Step.VOIDED), "over_cash", "second", "reason", "evidence", "entry"),
    )
    sums = ("cash",)
    place = 470


class ChipStockPaper(DocumentLines):
    name = "chip_stock.csv"
    title = "Chips bought, sealed and destroyed"
    purpose = "Chips from the chip maker and back, and reserve sets sealed and opened, by denomination"
    signs = ("Cashier", "Manager")
    series = frozenset({"chip_purchase", "destruction", "reserve_set", "reserve_release"})
    columns = (
        *(*_BEGUN, "state", "chips_pieces", "chips"),
        *(*_by(Step.REQUESTED, Step.AUTHORISED, Step.SENT, Step.RECEIVED), "reference"),
        *(*_by(Step.VOIDED), "over_chips", "second", "reason", "evidence", "entry"),
    )
    sums = ("chips",)
    place = 480


class UnclaimedPaper(DocumentLines):
    name = "unclaimed_chips.csv"
    title = "Unclaimed chips"
    purpose = "Chips found or left behind: held for whom and until when, and who claimed them"
    signs = ("Cashier", "Manager")
    series = frozenset({"unclaimed"})
    columns = (
        *(*_BEGUN, "place", "state", "player", "chips_pieces", "chips"),
        *(*_by(Step.REQUESTED, Step.SENT, Step.RECEIVED), "due", *_by(Step.CLAIMED, Step.RELEASED)),
        *("reference", *_by(Step.VOIDED), "over_chips", "second", "reason", "evidence", "entry"),
    )
    sums = ("chips",)
    place = 490


_TAKEN_BACK = frozenset((EntryKind.REVERSAL, EntryKind.UNDO))


class BeyondBooksPaper(Paper):
    """A line for each acceptance of chips beyond the books, and for each that is taken back."""

    name = "beyond_books.csv"
    title = "Chips beyond the books"
    purpose = "Chips that patrons held and no entry had handed out: accepted by two people, and why"
    group = PaperGroup.CAGE
    later = True
    sums = ("amount",)
    signs = ("Cashier", "Manager")
    columns = (
        *("gaming_day", "shift", "number", "state", "recorded_at", "local_time", "amount", "actor"),
        *("approver", "reason", "reverses", "entry"),
    )
    unprinted = ("recorded_at",)
    place = 495
    takes = frozenset({"entry"})
    kinds = frozenset((EntryKind.CHIPS_BEYOND_BOOKS, *_TAKEN_BACK))

    def take(self, body: Body) -> Iterator[bytes]:
        evidence, back = mapping(body.get("evidence")), body.get("kind") in _TAKEN_BACK
        if back and evidence.get("of") != EntryKind.CHIPS_BEYOND_BOOKS:
            return
        moved = next(mappings(body.get("transfers")), {})
        yield self.written(
            {
                **body,
                **self.dated(body.get("gaming_day"), body.get("occurred_at")),
                "number": evidence.get("slip" if back else "number"),
                "state": "taken_back" if back else "accepted",
                "local_time": body.get("recorded_at"),
                "amount": number(moved.get("cents")) * (-1 if back else 1),
                "entry": body.get("id"),
            }
        )


declare_papers(SlipsPaper, DepositsPaper, ChipStockPaper, UnclaimedPaper, BeyondBooksPaper)
