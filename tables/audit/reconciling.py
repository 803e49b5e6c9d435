"""The paper of reconciliation: the expected contents of each drop box and how they come about, the count, by
table and by shift; then banks, drawers, the vault, and the day together. Pure."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ledger.chart import AccountKind, EntryKind
from ledger.money import amount_text, percent_text
from ledger.papers.cells import cell, cells, mapping, mappings, number, pair
from ledger.papers.counted import Counted, PaperOfCounts
from ledger.papers.paper import PaperGroup, PaperSource, declare_papers
from ledger.records.findings import Body
from ledger.rules.bank_signing import BANKS
from tables.audit.papers import PaidAhead
from tables.rules.table.paying import Method

RECONCILIATION = "reconciliation.csv"
OF_FEES_AHEAD = ("seated", "left", "round_started")
"""The events at tables that decide whether a fee paid ahead becomes owed."""
OF_TABLES = ("opened", "box_changed", "rate_changed", "fee_uncollected", "closed", *OF_FEES_AHEAD)
TOGETHER = "together"
"""The label of a day's last line. It has no share in percent: the same dollar may be counted in several
places."""
_TAKES_BACK = (EntryKind.REVERSAL, EntryKind.UNDO)
_BY_FEES = ("full", "half", "waived", "uncollected", "recovered", "window")
_BY_CENTS = ("still_due", "in_other_boxes", "of_elsewhere")
_MADE_UP = (*(f"{name}_{of}" for name in _BY_FEES for of in ("fees", "amount")), *_BY_CENTS)
_ALWAYS = "full"
"""The columns that every box has. The others are only printed if there is something in them, so that they fit
on a page."""
_COUNTED = ("expected", "counted_amount", "over_chips", "over_cash", "over_short")


@dataclass(slots=True)
class _Fee:
    """A fee that was charged while a box stood at its table, and what has become of it so far."""

    box: int
    rule: str
    cents: int
    method: str = ""
    uncollected: bool = False


@dataclass(slots=True)
class _StandingBox:
    """A drop box: `fees` in it by charge, in cents, and whether each had been recorded as uncollected."""

    said: Mapping[str, Any]
    table: str = ""
    game: str = ""
    rates: list[tuple[str, str]] = field(default_factory=list)
    fees: dict[int, tuple[int, bool]] = field(default_factory=dict)


@dataclass(slots=True)
class _TableOfBox:
    table: str
    game: str
    rate: tuple[str, str]
    box: int | None


class _Boxes:
    """Follows boxes, what is charged where they stand, and what goes into them, as the records come."""

    def __init__(self) -> None:
        self.by_number: dict[int, _StandingBox] = {}
        self._by_account: dict[int, int] = {}
        self._tables: dict[int, _TableOfBox] = {}
        self._fees: dict[int, _Fee] = {}
        self._ahead: dict[int, PaidAhead] = {}

    def take(self, body: Body) -> None:
        match body.get("record"):
            case "house_event":
                self._house(body)
            case "table_event":
                self._event(str(body.get("kind")), number(body.get("session")), mapping(body.get("data")))
            case "charge":
                self._charge(body)
            case "entry":
                self._entry(body)

    def _house(self, body: Body) -> None:
        data = mapping(body.get("data"))
        one = number(data.get("number"))
        if body.get("kind") == "box_installed":
            self.by_number[one] = _StandingBox(data)
            self._by_account |= dict.fromkeys((number(data.get("chips")), number(data.get("cash"))), one)
        elif body.get("kind") == "box_pulled":
            for table in self._tables.values():
                table.box = None if table.box == one else table.box

    def _event(self, kind: str, session: int, data: Mapping[str, Any]) -> None:
        if kind == "opened":
            sheet = mapping(data.get("sheet"))
            game = " ".join(cells(sheet, "code", "version"))
            table = _TableOfBox(cell(data.get("table")), game, _rate(data), number(data.get("box")))
            self._tables[session] = table
        elif (known := self._tables.get(session)) is not None:
            if kind == "box_changed":
                known.box = number(data.get("installed"))
            elif kind == "rate_changed":
                known.rate = _rate(data)
        if kind in ("opened", "box_changed", "rate_changed"):
            self._stands(session)
        elif kind == "fee_uncollected" and (fee := self._fees.get(number(data.get("charge")))) is not None:
            fee.uncollected = True
        elif kind == "closed":
            self._tables.pop(session, None)
        elif kind in OF_FEES_AHEAD:
            for one in [one for one, fee in self._ahead.items() if fee.falls_due(kind, session, data)]:
                del self._ahead[one]

    def _stands(self, session: int) -> None:
        table = self._tables.get(session)
        box = self.by_number.get(table.box or 0) if table is not None else None
        if table is not None and box is not None:
            box.table, box.game = table.table, table.game
            if table.rate not in box.rates:
                box.rates.append(table.rate)

    def _charge(self, body: Body) -> None:
        table = self._tables.get(number(body.get("session")))
        if table is not None and table.box is not None:
            one = number(body.get("id"))
            self._fees[one] = _Fee(table.box, str(body.get("rule")), number(body.get("cents")))
            if body.get("round_id") is None:
                self._ahead[one] = PaidAhead(body)

    def _entry(self, entry: Body) -> None:
        kind, said = entry.get("kind"), mapping(entry.get("evidence"))
        back = kind in _TAKES_BACK and said.get("of") in (EntryKind.COLLECTION, EntryKind.WAIVER)
        if not back and kind not in (EntryKind.COLLECTION, EntryKind.WAIVER):
            return
        one = number(said.get("charge"))
        if (fee := self._fees.get(one)) is not None:
            fee.method = "" if back else str(said.get("method"))
        for line in mappings(entry.get("transfers")):
            number_of_box = self._by_account.get(number(line.get("from" if back else "to")))
            if (box := self.by_number.get(number_of_box or 0)) is None:
                continue
            if back:
                box.fees.pop(one, None)
            else:
                box.fees[one] = (number(line.get("cents")), "recovery" in said)

    def made_up(self, one: int) -> list[int]:
        """Return how the expected contents of a box come about, in the order of _MADE_UP, and forget the
        box."""
        box, sums = self.by_number.pop(one), dict.fromkeys(_MADE_UP, 0)
        own = {charge: fee for charge, fee in self._fees.items() if fee.box == one}
        for charge, fee in own.items():
            del self._fees[charge]
            ahead = self._ahead.pop(charge, None) is not None
            for name in _became(fee, ahead=ahead, in_it=charge in box.fees):
                for place, more in ((f"{name}_fees", 1), (f"{name}_amount", fee.cents), (name, fee.cents)):
                    if place in sums:
                        sums[place] += more
        for charge, (cents, recovered) in box.fees.items():
            sums["of_elsewhere"] += cents * (charge not in own)
            sums["recovered_fees"] += recovered
            sums["recovered_amount"] += cents * recovered
        self._by_account = {account: box for account, box in self._by_account.items() if box != one}
        return list(sums.values())


def _rate(data: Mapping[str, Any]) -> tuple[str, str]:
    """Return a rate as its limit, and as option and version."""
    rate = mapping(data.get("rate"))
    option, version = cells(rate, "option", "version")
    return amount_text(number(rate.get("limit_cents"))), f"{option}.{version}"


def _became(fee: _Fee, *, ahead: bool, in_it: bool) -> tuple[str, ...]:
    """Return what a fee counts as in the box that stood where it was charged; nothing if it was paid `ahead`,
    taken back and never owed. `in_it`: it went into that box."""
    match fee.method:
        case "":
            what = "uncollected" if fee.uncollected else "still_due"
            return (fee.rule, what) if fee.uncollected or not ahead else ()
        case Method.WAIVED:
            return fee.rule, "waived"
        case Method.CAGE:
            return fee.rule, "window"
    return (fee.rule,) if in_it else (fee.rule, "in_other_boxes")


class ReconciliationPaper(PaperOfCounts):
    """A line for each box that was signed off, by table; sums by table, by shift and of all boxes; a line for
    each bank, drawer, count of the vault and document that was counted, and the sum of the day. A box is in
    the shift in which it was installed, and is never split; `shift_to` is a later one in which it was pulled.
    The lines of a day are written when it is closed."""

    name = RECONCILIATION
    title = "Reconciliation"
    purpose = "What each box, table and shift should have held, how that comes about, and what was counted"
    law = "4 CCR 12312, 12386"
    signs = ("Prepared by", "Verified by")
    unprinted = ("gaming_day", "at", "recovered_fees", "window_fees", "over_chips", "over_cash", "entry")
    later = True
    columns = (
        *("gaming_day", "shift", "shift_to", "what", "number", "table", "game", "limit", "schedule"),
        *(*_MADE_UP, *_COUNTED, "percent"),
        *("cause", "evidence", "signed_by", "second", "at", "local_time", "entry"),
    )
    place = 445
    group = PaperGroup.COLLECTION
    takes = frozenset(
        (
            *("house_event", "table_event", "charge", "entry", "sign_off", "bank_sign_off"),
            *("document_step", "closed_day"),
        )
    )

    def __init__(self, setting: PaperSource) -> None:
        super().__init__(setting)
        self._boxes = _Boxes()

    def take(self, body: Body) -> Iterator[bytes]:
        self._boxes.take(body)
        yield from super().take(body)

    def day_lines(self, day: str, counted: list[Counted]) -> Iterator[bytes]:
        boxes = sorted(
            (self._box(day, one) for one in counted if one.entry.get("kind") == EntryKind.DROP), key=_order
        )
        others = [self._other(day, one) for one in counted if one.entry.get("kind") != EntryKind.DROP]
        others.sort(key=lambda line: (_PLACES.get(line.what, len(_PLACES)), _order(line)))
        tables = dict.fromkeys(line.table for line in boxes)
        shifts = sorted({line.shift for line in boxes})
        for line in (
            *boxes,
            *(_sum("table", (one for one in boxes if one.table == table), table=table) for table in tables),
            *(_sum("shift", (one for one in boxes if one.shift == shift), shift=shift) for shift in shifts),
            _sum("boxes", boxes),
            *others,
            _sum(TOGETHER, (*boxes, *others), boxes),
        ):
            yield self.written({"gaming_day": day, **line.said})

    def _box(self, day: str, counted: Counted) -> "_ReconciledLine":
        said = mapping(counted.entry.get("evidence"))
        one = number(said.get("number"))
        box = self._boxes.by_number.get(one, _StandingBox(said))
        made_up = self._boxes.made_up(one) if one in self._boxes.by_number else None
        shift, until = (self.setting.shift(day, said.get(at)) for at in ("installed_at", "pulled_at"))
        rates = zip(*box.rates, strict=True) if box.rates else ((), ())
        limits, schedules = ("; ".join(dict.fromkeys(told)) for told in rates)
        about = {"game": box.game, "limit": limits, "schedule": schedules}
        return _ReconciledLine(
            what=AccountKind.DROP_BOX.value,
            number=cell(said.get("number")),
            shift=shift,
            table=box.table,
            made_up=made_up,
            counted=_counted(counted),
            besides={"shift_to": until if until != shift else "", **about, **_signed(counted)},
        )

    def _other(self, day: str, counted: Counted) -> "_ReconciledLine":
        what, one = counted.named
        return _ReconciledLine(
            what=what,
            number=one,
            shift=self.setting.shift(day, counted.begun),
            table=one if what == AccountKind.TABLE_BANK else "",
            counted=_counted(counted),
            besides=_signed(counted),
        )


def _signed(counted: Counted) -> dict[str, Any]:
    """Return cause, evidence, who signed, and when. Without a difference nobody signs it off: then it is the
    two who counted."""
    entry, signed = counted.entry, counted.signed
    who = mapping(entry.get("evidence")).get("counted_by")
    if signed is not None:
        names = ("cause", "evidence", "signed_by")
        said = {name: signed.get(name) for name in names} | {"second": signed.get("signed_with")}
        at = signed.get("signed_at")
    elif who is None:
        people = {"signed_by": entry.get("actor"), "second": entry.get("approver")}
        said = {"cause": entry.get("reason"), **people}
        at = entry.get("recorded_at")
    else:
        differs = any(counted.figures[2:])
        first, second = pair(None if differs else who)
        said, at = {"signed_by": first, "second": second}, None if differs else entry.get("recorded_at")
    return {**said, "at": at, "local_time": at, "entry": entry.get("id")}


@dataclass(frozen=True)
class _ReconciledLine:
    """`made_up` in the order of _MADE_UP, `counted` in that of _COUNTED; cents. `besides`: other columns."""

    what: str
    counted: list[int]
    number: str = ""
    shift: str = ""
    table: str = ""
    made_up: list[int] | None = None
    besides: Mapping[str, Any] = field(default_factory=dict)

    @property
    def said(self) -> dict[str, Any]:
        made_up = dict(zip(_MADE_UP, self.made_up or (), strict=False))
        percent = "" if self.what == TOGETHER else percent_text(self.counted[-1], self.counted[0])
        return {
            "shift": self.shift,
            "what": self.what,
            "number": self.number,
            "table": self.table,
            **{name: figure for name, figure in made_up.items() if figure or name.startswith(_ALWAYS)},
            **dict(zip(_COUNTED, self.counted, strict=True)),
            "percent": percent,
            **self.besides,
        }


_PLACES = {kind.value: place for place, kind in enumerate(BANKS.values())}


def _order(line: _ReconciledLine) -> tuple[int, ...]:
    return tuple(
        int(text) if text.isdecimal() and len(text) < 19 else 0 for text in (line.table, line.number)
    )


def _counted(counted: Counted) -> list[int]:
    chips, cash, over_chips, over_cash = counted.figures
    over = over_chips + over_cash
    return [chips + cash - over, chips + cash, over_chips, over_cash, over]


def _sum(
    what: str,
    lines: Iterable[_ReconciledLine],
    of: Iterable[_ReconciledLine] = (),
    *,
    table: str = "",
    shift: str = "",
) -> _ReconciledLine:
    """Return the sum of lines; how it is made up, of the lines `of` alone, if there are such."""
    lines = list(lines)
    made = [line.made_up for line in (list(of) or lines) if line.made_up is not None]
    added = [sum(figures) for figures in zip(*(line.counted for line in lines), strict=True)]
    return _ReconciledLine(
        what=what,
        counted=added or [0] * len(_COUNTED),
        made_up=[sum(figures) for figures in zip(*made, strict=True)] if made else None,
        table=table,
        shift=shift,
    )


declare_papers(ReconciliationPaper)
