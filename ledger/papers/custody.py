"""The papers of custody: steps of documents, cashiers' drawers, everything counted over or short, and the
log of drop boxes. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from ledger.chart import EntryKind
from ledger.papers.cells import mapping, mappings, number, pair
from ledger.papers.counted import Counted, PaperOfCounts, figures_of
from ledger.papers.counting import pieces_in_words
from ledger.papers.paper import DayPaper, Paper, PaperGroup, PaperSource, declare_papers
from ledger.papers.slips import table_in
from ledger.records.findings import Body
from ledger.rules.bank_signing import BANKS
from ledger.rules.documents import COUNTED, POSTED_AS, Step
from ledger.rules.window import OF_RECEIPTS

_ASSETS = ("chips", "cash")
_CENTS = {asset: f"{asset}_cents" for asset in _ASSETS}
_OVER = tuple(f"over_{asset}" for asset in _ASSETS)


class DocumentsPaper(Paper):
    """A line for each step of a document, in the gaming day in which it was taken."""

    name = "documents.csv"
    title = "Documents of custody"
    purpose = "Openers, fills, credits, closers, deposits, chips bought, destroyed or unclaimed, step by step"
    columns = (
        *("gaming_day", "shift", "kind", "number", "place", "step", "person", "second", "at", "local_time"),
        *("terminal", "reason", "reference", "chips", "cash", "over_chips", "over_cash", "entry"),
    )
    group = PaperGroup.CAGE
    place = 420
    takes = frozenset({"entry", "document", "document_step"})

    def __init__(self, setting: PaperSource) -> None:
        super().__init__(setting)
        self._asked: Body = {}
        self._over: dict[int, list[int]] = {}

    def take(self, body: Body) -> Iterator[bytes]:
        match body.get("record"):
            case "document":
                self._asked = body
            case "entry":
                if body.get("kind") == EntryKind.DOCUMENT_RECEIVED:
                    self._over = {number(body.get("id")): figures_of(body)[2:]}
            case _:
                yield self._line(body)

    def _line(self, body: Body) -> bytes:
        step = str(body.get("step"))
        asked = self._asked if body.get("document") == self._asked.get("id") else {}
        said = asked if step == Step.REQUESTED else body if step in POSTED_AS else {}
        over = self._over.get(number(body.get("entry")), ()) if step in COUNTED else ()
        return self.written(
            {
                **body,
                **self.dated(body.get("gaming_day"), body.get("at")),
                "kind": body.get("series"),
                **{asset: number(said[name]) if name in said else None for asset, name in _CENTS.items()},
                **dict(zip(_OVER, over, strict=False)),
            }
        )


@dataclass(slots=True)
class _Sums:
    """The cents that came into a drawer and went out of it, in chips and in cash, without its closing."""

    came: dict[str, int]
    went: dict[str, int]


class DrawersPaper(Paper):
    """A line for each cashier's drawer, written when it is closed: what came in, what went out, what the
    books expected, and the count (4 CCR 12386)."""

    name = "drawers.csv"
    title = "Cashiers' drawers"
    purpose = "Each cashier's drawer: what came in and went out, what it should have held, what was counted"
    law = "4 CCR 12386"
    sums = ("chips_in", "cash_in", "chips_out", "cash_out", "over_chips", "over_cash")
    signs = ("Cashier", "Verified by")
    columns = (
        *("gaming_day", "shift", "number", "cashier", "opened_at", "closed_at", "chips_in", "cash_in"),
        *("chips_out", "cash_out", "expected_chips", "expected_cash", "counted_chips", "counted_cash"),
        *("over_chips", "over_cash", "first", "second", "entry"),
    )
    group = PaperGroup.CAGE
    place = 430
    takes = frozenset({"drawer", "entry"})

    def __init__(self, setting: PaperSource) -> None:
        super().__init__(setting)
        self._open: dict[int, Body] = {}
        self._accounts: dict[int, _Sums] = {}

    def take(self, body: Body) -> Iterator[bytes]:
        if body.get("record") == "drawer":
            self._open[number(body.get("id"))] = body
            sums = _Sums(dict.fromkeys(_ASSETS, 0), dict.fromkeys(_ASSETS, 0))
            self._accounts |= dict.fromkeys(accounts_of(body), sums)
        elif body.get("kind") == EntryKind.DRAWER_CLOSE:
            yield from self._closed(body)
        else:
            self._move(body)

    def _move(self, entry: Body) -> None:
        for line in mappings(entry.get("transfers")):
            asset, cents = str(line.get("asset")), number(line.get("cents"))
            into, out_of = (self._accounts.get(number(line.get(end))) for end in ("to", "from"))
            if asset in _ASSETS and into is not None:
                into.came[asset] += cents
            if asset in _ASSETS and out_of is not None:
                out_of.went[asset] += cents

    def _closed(self, entry: Body) -> Iterator[bytes]:
        said = mapping(entry.get("evidence"))
        drawer = self._open.pop(number(said.get("drawer")), None)
        if drawer is None:
            return
        sums, _ = (self._accounts.pop(account, None) for account in accounts_of(drawer))
        both = (*sums.came.values(), *sums.went.values()) if sums is not None else (0,) * 4
        first, second = pair(said.get("counted_by"))
        yield self.written(
            {
                **drawer,
                **self.dated(drawer.get("gaming_day"), drawer.get("opened_at")),
                "closed_at": entry.get("recorded_at"),
                **dict(zip(("chips_in", "cash_in", "chips_out", "cash_out"), both, strict=True)),
                **_amounts(figures_of(entry)),
                "first": first,
                "second": second,
                "entry": entry.get("id"),
            }
        )


def accounts_of(drawer: Body) -> tuple[int, int]:
    return number(drawer.get("chips")), number(drawer.get("cash"))


class OverShortPaper(PaperOfCounts):
    """Everything counted against the books: drop boxes, tables' banks, cashiers' drawers, the vault, and
    documents received with a difference. The lines of a day are written when it is closed, and its sums
    last."""

    name = "over_short.csv"
    title = "Over and short"
    purpose = "Everything that was counted otherwise than the books expected, with its cause and who signed"
    law = "4 CCR 12386"
    signs = ("Prepared by", "Verified by")
    columns = (
        *("gaming_day", "shift", "what", "number", "expected_chips", "expected_cash", "counted_chips"),
        *("counted_cash", "over_chips", "over_cash", "over_short", "cause", "signed_by", "second", "entry"),
    )
    group = PaperGroup.CAGE
    place = 440
    takes = frozenset({"entry", "bank_sign_off", "closed_day"})

    def day_lines(self, day: str, counted: list[Counted]) -> Iterator[bytes]:
        sums = [0] * 4
        for one in counted:
            sums = [a + b for a, b in zip(sums, one.figures, strict=True)]
            about = {**self.dated(day, one.begun), "entry": one.entry.get("id")}
            about |= dict(zip(("what", "number"), one.named, strict=True))
            about |= dict(zip(("cause", "signed_by", "second"), _why(one.entry, one.signed), strict=True))
            yield self.written({**about, **_amounts(one.figures)})
        yield self.written({"gaming_day": day, "what": "together", **_amounts(sums)})


def _amounts(figures: list[int]) -> dict[str, int]:
    chips, cash, over_chips, over_cash = figures
    expected = {"expected_chips": chips - over_chips, "expected_cash": cash - over_cash}
    over = {"over_chips": over_chips, "over_cash": over_cash, "over_short": over_chips + over_cash}
    return {**expected, "counted_chips": chips, "counted_cash": cash, **over}


def _why(entry: Body, signed: Mapping[str, Any] | None) -> tuple[Any, Any, Any]:
    """Return the cause and its two signers. The receiver's entry has the cause; for a bank the cage signs it
    later."""
    if signed is not None:
        return signed.get("cause"), signed.get("signed_by"), signed.get("signed_with")
    if entry.get("kind") in BANKS:
        return None, None, None
    return entry.get("reason"), entry.get("actor"), entry.get("approver")


class ReceiptsPaper(Paper):
    """A line for each receipt of the window: the amount, its chips, and the patron."""

    name = "receipts.csv"
    title = "Receipts of the window"
    purpose = "What was sold, redeemed, changed or paid at the window, by number, with chips and patron"
    unprinted = ("recorded_at",)
    later = True
    columns = (
        *("gaming_day", "shift", "number", "kind", "recorded_at", "local_time", "amount", "chips_pieces"),
        *("cash_pieces", "given_chips", "given_cash", "player", "actor", "approver", "entry"),
    )
    group = PaperGroup.CAGE
    place = 450
    takes = frozenset({"entry"})

    def take(self, body: Body) -> Iterator[bytes]:
        said = mapping(body.get("evidence"))
        if body.get("kind") not in OF_RECEIPTS or "receipt" not in said:
            return
        moved = next(mappings(body.get("transfers")), said)
        given = pieces_in_words({"pieces": said.get("given")})
        yield self.written(
            {
                **body,
                **self.dated(body.get("gaming_day"), body.get("occurred_at")),
                "local_time": body.get("recorded_at"),
                "number": said.get("receipt"),
                "amount": number(moved.get("cents")),
                **dict(zip(("chips_pieces", "cash_pieces"), pieces_in_words(said), strict=True)),
                **dict(zip(("given_chips", "given_cash"), given, strict=True)),
                "player": said.get("player"),
                "entry": body.get("id"),
            }
        )


_WAYS: Final = {"storage": "stored", "count_room": "received"}
"""Places to which a box is brought, and their columns before `_by`, `_with` and `_at`."""


class BoxLogPaper(DayPaper):
    """A line for each drop box, in the gaming day for which it was installed."""

    name = "box_log.csv"
    title = "Drop box log"
    purpose = "Each drop box: installed, pulled and brought to the count by whom and when, with its seals"
    law = "4 CCR 12384"
    group = PaperGroup.CAGE
    later = True
    signs = ("Floor", "Count room")
    columns = (
        *("gaming_day", "shift", "box", "table", "installed_by", "installed_at", "seal"),
        *("pulled_by", "pulled_with", "pulled_at", "seal_read", "reason", "emergency"),
        *("stored_by", "stored_with", "stored_at", "received_by", "received_with", "received_at"),
        *("counted_by", "counted_with", "entry"),
    )
    unprinted = ("entry",)
    place = 390
    takes = frozenset({"house_event", "box_received", "entry", "closed_day"})
    kinds = frozenset({"box_installed", "box_pulled", EntryKind.DROP})

    def __init__(self, setting: PaperSource) -> None:
        super().__init__(setting)
        self._boxes: dict[int, dict[str, Any]] = {}

    def follow(self, body: Body) -> None:
        data = mapping(body.get("data"))
        match body.get("record"), body.get("kind"):
            case "house_event", "box_installed":
                box, day = number(data.get("box")), data.get("gaming_day")
                self._boxes[box] = row = self.row(day, box)
                row |= {"shift": self.setting.shift(day, body.get("at")), "box": data.get("number")}
                row |= {"table": table_in(data.get("place")), "seal": data.get("seal")}
                row |= {"installed_by": body.get("actor"), "installed_at": body.get("at")}
            case "house_event", _:
                row = self._boxes.get(number(data.get("box")), {})
                row |= {"pulled_by": body.get("actor"), "pulled_with": data.get("second")}
                row |= {"pulled_at": body.get("at"), "seal_read": data.get("seal")}
                row |= {"reason": data.get("seal_reason"), "emergency": data.get("emergency")}
            case "box_received", _:
                self._brought(body)
            case "entry", _:
                said = mapping(body.get("evidence"))
                counters = [one.get("counter") for one in mappings(said.get("counts"))]
                row = self._boxes.pop(number(said.get("box")), {})
                row |= dict(zip(("counted_by", "counted_with"), counters, strict=False))
                row["entry"] = body.get("id")

    def _brought(self, body: Body) -> None:
        row = self._boxes.get(number(body.get("box")), {})
        part = _WAYS.get(str(body.get("place")), "received")
        row |= {f"{part}_by": body.get("person"), f"{part}_with": body.get("second")}
        row[f"{part}_at"] = body.get("at")
        row["seal_read"] = body.get("seal") or row.get("seal_read")
        row["reason"] = "; ".join(str(one) for one in (row.get("reason"), body.get("reason")) if one)


declare_papers(DocumentsPaper, DrawersPaper, OverShortPaper, ReceiptsPaper, BoxLogPaper)
