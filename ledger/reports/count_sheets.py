"""Count sheets to read. Reads only. Before a sheet is signed, its figures are shown only to the people who
counted on it, once all its boxes agree."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from ledger.cage import struck
from ledger.cage.boxes import BoxesOfDay, CountState, boxes_of
from ledger.cage.count_sheets import is_ready
from ledger.models import (
    CageSlip,
    Count,
    CountNote,
    CountSheet,
    CountSheetReceipt,
    CountSheetSignature,
    Drawer,
    DropBox,
    Site,
    StruckCount,
)
from ledger.rights import WORK_CAGE
from ledger.rules.box_custody import together
from ledger.rules.denominations import Compared, Pieces, compared, pieces_of, value_text


@dataclass(frozen=True)
class StruckFigures:
    """One person's refused count, with their initials."""

    person: Any
    data: Mapping[str, Any]

    @property
    def initials(self) -> str:
        return initials_of(self.person)

    @property
    def pieces(self) -> str:
        return _in_words(self.data)

    @property
    def counted(self) -> Pieces:
        return pieces_of(self.data)


@dataclass(frozen=True)
class StruckLine:
    """A refused count, or two that differ; those of a drawer or of the vault are on a `slip`."""

    attempt: int
    at: datetime
    counts: tuple[StruckFigures, ...]
    slip: CageSlip | None = None


def initials_of(person: Any) -> str:
    name = person.get_full_name() or person.get_username()
    return "".join(part[0] for part in name.split()).upper()


def _in_words(data: Mapping[str, Any]) -> str:
    found = pieces_of(data)
    said = [
        f"{pieces} × {value_text(value)} {asset}"
        for asset in ("chips", "cash")
        for value, pieces in found.of(asset).items()
    ]
    return ", ".join(said) or "empty"


def struck_lines(paper: struck.Paper) -> list[StruckLine]:
    """Return the counts of a paper that were refused. Their figures are shown once it is received."""
    return [_struck_line(count) for count in struck.of(paper)]


def waiting_lines(paper: struck.Paper) -> list[StruckLine]:
    """Return the refused counts since two people last agreed, to show who has tried so far."""
    return [_struck_line(count) for count in struck.since_agreed(paper)]


def _struck_line(count: StruckCount) -> StruckLine:
    figures = [StruckFigures(count.person, count.pieces)]
    if count.second_pieces is not None:
        figures.append(StruckFigures(count.second, count.second_pieces))
    return StruckLine(count.attempt, count.at, tuple(figures))


def struck_slips(site: Site, way: str, drawer: Drawer | None, number: int | None = None) -> list[StruckLine]:
    """Return the attempts at a drawer or the vault whose counts differed before this slip, or until now."""
    slips = struck.slips_before(site, way, drawer, number)
    return [
        StruckLine(
            attempt,
            slip.result.at,
            (
                StruckFigures(slip.counted_by, slip.pieces),
                StruckFigures(slip.result.person, slip.result.pieces),
            ),
            slip,
        )
        for attempt, slip in enumerate(slips, 1)
    ]


@dataclass(frozen=True)
class CountLine:
    """One count of a box. It is `struck` through once a further attempt was begun."""

    count: Count
    struck: bool

    @property
    def initials(self) -> str:
        return initials_of(self.count.counter)

    @property
    def pieces(self) -> str:
        return _in_words(self.count.pieces)


@dataclass(frozen=True)
class BoxLine:
    """A box of the sheet's gaming day. It is `here` if it is on this sheet; otherwise `other` is the number
    of its sheet."""

    box: DropBox
    state: CountState | None
    here: bool
    other: int | None
    counts: tuple[CountLine, ...]


@dataclass(frozen=True)
class SheetRow:
    """A count sheet for one reader; without figures unless `shown`."""

    sheet: CountSheet
    signature: CountSheetSignature | None
    receipt: CountSheetReceipt | None
    boxes: tuple[BoxLine, ...]
    notes: tuple[CountNote, ...]
    ready: bool
    shown: bool

    @property
    def here(self) -> list[BoxLine]:
        return [line for line in self.boxes if line.here]

    @property
    def counted(self) -> Pieces:
        """What is in all boxes of the sheet together."""
        return together(pieces_of(line.counts[-1].count.pieces) for line in self.here)

    @property
    def over_chips(self) -> int:
        """The cashier's count minus the counters'."""
        return self.receipt.chips_cents - self.counted.chips_cents if self.receipt else 0

    @property
    def over_cash(self) -> int:
        return self.receipt.cash_cents - self.counted.cash_cents if self.receipt else 0

    @property
    def lines(self) -> list[Compared]:
        return list(compared(self.counted, Pieces()))

    @property
    def pulled(self) -> int:
        """How many boxes of the day were pulled, by now or when it was signed."""
        return self.signature.pulled if self.signature else sum(line.state is not None for line in self.boxes)

    @property
    def installed(self) -> int:
        return self.signature.installed if self.signature else len(self.boxes)

    @property
    def agreed(self) -> int:
        if self.signature:
            return self.signature.counted
        return sum(line.state is not None and line.state.agreed for line in self.boxes)

    @property
    def complete(self) -> bool:
        """Whether as many boxes were installed as pulled and counted."""
        return self.installed == self.pulled == self.agreed


def sheet_row(sheet: CountSheet, person: Any) -> SheetRow:
    signature = (
        CountSheetSignature.objects.filter(sheet=sheet).select_related("signed_by", "signed_with").first()
    )
    received = CountSheetReceipt.objects.filter(sheet=sheet).select_related("received_by", "received_with")
    receipt = received.first()
    found = boxes_of(sheet.site, sheet.gaming_day)
    mine = {state.box.pk for state in found.on(sheet)}
    counts = Count.objects.filter(sheet=sheet).select_related("counter").order_by("pk")
    by_box: dict[int, list[Count]] = {}
    for count in counts:
        by_box.setdefault(count.box_id, []).append(count)
    numbers = dict(CountSheet.objects.filter(pk__in=found.sheets.values()).values_list("pk", "number"))
    states = {state.box.pk: state for state in found.states}
    ready = is_ready(found.on(sheet))
    counted = person.pk in {count.counter_id for count in counts}
    return SheetRow(
        sheet,
        signature,
        receipt,
        tuple(
            _box_line(box, states.get(box.pk), box.pk in mine, numbers, found, by_box) for box in found.boxes
        ),
        tuple(sheet.notes.select_related("person").order_by("pk")),
        ready,
        _may_see(sheet, person, signed=signature is not None, received=receipt is not None)
        or (ready and counted),
    )


def _may_see(sheet: CountSheet, person: Any, *, signed: bool, received: bool) -> bool:
    """Return whether a reader sees the figures of a sheet; people of the cage do only once a cashier has
    counted the money."""
    waits = sheet.to_cashier and not received
    return signed and not (waits and person.has_perm(WORK_CAGE))


def _box_line(
    box: DropBox,
    state: CountState | None,
    here: bool,
    numbers: Mapping[int, int],
    found: BoxesOfDay,
    counts: Mapping[int, Sequence[Count]],
) -> BoxLine:
    attempt = state.attempt if state else 0
    lines = tuple(CountLine(count, count.attempt < attempt) for count in counts.get(box.pk, ()) if here)
    other = None if here or box.pk not in found.sheets else numbers[found.sheets[box.pk]]
    return BoxLine(box, state, here, other, lines)


def sheets_of_day(site: Site, day: date) -> list[CountSheet]:
    """Return the sheets of a gaming day's boxes, with `is_signed`."""
    return list(
        CountSheet.objects.filter(site=site, gaming_day=day)
        .select_related("signature", "receipt", "begun_by")
        .order_by("pk")
    )
