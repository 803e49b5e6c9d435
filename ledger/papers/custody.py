"""The papers of custody: steps of documents, cashiers' drawers, and what was counted over or short. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ledger.chart import EntryKind
from ledger.money import amount_text
from ledger.papers.cells import cell, cells, line_of, mapping, number
from ledger.papers.counted import Counted, CountedOfDays, figures_of
from ledger.papers.counting import pieces_in_words
from ledger.papers.paper import Paper, PaperGroup, PaperSource, declare_papers
from ledger.records.findings import Body
from ledger.rules.bank_signing import BANKS
from ledger.rules.documents import COUNTED, POSTED_AS, Step
from ledger.rules.local_time import LocalTime
from ledger.rules.receipts import OF_RECEIPTS

_ASSETS = ("chips", "cash")


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
        self._local = LocalTime(setting.offsets)
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
        over = self._over.get(number(body.get("entry"))) if step in COUNTED else None
        return line_of(
            [
                *cells(body, "gaming_day"),
                self.setting.shift(body.get("gaming_day"), body.get("at")),
                *cells(body, "series", "number", "place"),
                *cells(body, "step", "person", "second", "at"),
                self._local.of(body.get("at")),
                *cells(body, "terminal", "reason", "reference"),
                *(amount_text(number(said[name])) if name in said else "" for name in _CENTS),
                *(map(amount_text, over) if over else ("", "")),
                *cells(body, "entry"),
            ]
        )


@dataclass(slots=True)
class _Sums:
    """What came into a drawer and went out of it, in cents: chips and cash each, without its closing."""

    came: dict[str, int]
    went: dict[str, int]


class DrawersPaper(Paper):
    """A line for each drawer of a cashier that was closed, when it is: what came into it, what went out, what
    the books expected, and what was counted (4 CCR 12386)."""

    name = "drawers.csv"
    title = "Cashiers' drawers"
    purpose = "Each cashier's drawer: what came in and went out, what it should have held, what was counted"
    law = "4 CCR 12386"
    sums = ("chips_in", "cash_in", "chips_out", "cash_out", "over_chips", "over_cash")
    signs = ("Cashier", "Verified by")
    columns = (
        *("gaming_day", "shift", "number", "cashier", "opened_at", "closed_at", "chips_in", "cash_in"),
        *(
            "chips_out",
            "cash_out",
            "expected_chips",
            "expected_cash",
            "counted_chips",
            "counted_cash",
            "over_chips",
        ),
        *("over_cash", "first", "second", "entry"),
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
            self._accounts |= dict.fromkeys(_accounts_of(body), sums)
        elif body.get("kind") == EntryKind.DRAWER_CLOSE:
            yield from self._closed(body)
        else:
            self._move(body)

    def _move(self, entry: Body) -> None:
        transfers = entry.get("transfers")
        for line in map(mapping, transfers if isinstance(transfers, list) else []):
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
        sums, _ = (self._accounts.pop(account, None) for account in _accounts_of(drawer))
        chips, cash, over_chips, over_cash = figures_of(entry)
        both = (*sums.came.values(), *sums.went.values()) if sums is not None else (0,) * 4
        expected = (chips - over_chips, cash - over_cash)
        first, second = _pair(said.get("counted_by"))
        yield line_of(
            [
                *cells(drawer, "gaming_day"),
                self.setting.shift(drawer.get("gaming_day"), drawer.get("opened_at")),
                *cells(drawer, "number", "cashier", "opened_at"),
                *cells(entry, "recorded_at"),
                *map(amount_text, (*both, *expected, chips, cash, over_chips, over_cash)),
                cell(first),
                cell(second),
                *cells(entry, "id"),
            ]
        )


def _accounts_of(drawer: Body) -> tuple[int, int]:
    return number(drawer.get("chips")), number(drawer.get("cash"))


def _pair(people: Any) -> tuple[Any, Any]:
    return (people[0], people[1]) if isinstance(people, list) and len(people) == 2 else (None, None)


_CENTS = tuple(f"{asset}_cents" for asset in _ASSETS)


class OverShortPaper(Paper):
    """What was counted against the books: drop boxes, tables' banks, cashiers' drawers, the vault, and
    documents that were received with a difference. The lines of a day are written when it is closed, and its
    sums last."""

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

    def __init__(self, setting: PaperSource) -> None:
        super().__init__(setting)
        self._counted = CountedOfDays()

    def take(self, body: Body) -> Iterator[bytes]:
        for day, counted in self._counted.take(body):
            yield from self._written(day, counted)

    def finish(self) -> Iterator[bytes]:
        for day, counted in self._counted.ended(None):
            yield from self._written(day, counted)

    def _written(self, day: str, counted: list[Counted]) -> Iterator[bytes]:
        sums = [0] * 4
        for one in counted:
            sums = [a + b for a, b in zip(sums, one.figures, strict=True)]
            shift = self.setting.shift(day, one.begun)
            yield line_of(
                [cell(day), shift, *one.named, *_amounts(one.figures), *_why(one.entry, one.signed)]
            )
        yield line_of([cell(day), "", "together", "", *_amounts(sums), "", "", "", ""])


def _amounts(figures: list[int]) -> Iterator[str]:
    chips, cash, over_chips, over_cash = figures
    expected = (chips - over_chips, cash - over_cash)
    return map(amount_text, (*expected, *figures, over_chips + over_cash))


def _why(entry: Body, signed: Mapping[str, Any] | None) -> list[str]:
    """Return cause, its two signers and entry. The receiver's entry has the cause; for a bank the cage
    signs it later."""
    if signed is not None:
        return [*cells(signed, "cause", "signed_by", "signed_with"), *cells(entry, "id")]
    if entry.get("kind") in BANKS:
        return ["", "", "", *cells(entry, "id")]
    return cells(entry, "reason", "actor", "approver", "id")


class ReceiptsPaper(Paper):
    """A line for each receipt of the window: what crossed it, in which chips, and whose."""

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

    def __init__(self, setting: PaperSource) -> None:
        super().__init__(setting)
        self._local = LocalTime(setting.offsets)

    def take(self, body: Body) -> Iterator[bytes]:
        said = mapping(body.get("evidence"))
        if body.get("kind") not in OF_RECEIPTS or "receipt" not in said:
            return
        lines = body.get("transfers")
        moved = mapping(lines[0]) if isinstance(lines, list) and lines else said
        yield line_of(
            [
                *cells(body, "gaming_day"),
                self.setting.shift(body.get("gaming_day"), body.get("occurred_at")),
                *cells(said, "receipt"),
                *cells(body, "kind", "recorded_at"),
                self._local.of(body.get("recorded_at")),
                amount_text(number(moved.get("cents"))),
                *pieces_in_words(said),
                *pieces_in_words({"pieces": said.get("given")}),
                *cells(said, "player"),
                *cells(body, "actor", "approver", "id"),
            ]
        )


declare_papers(DocumentsPaper, DrawersPaper, OverShortPaper, ReceiptsPaper)
