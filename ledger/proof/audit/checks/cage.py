"""Cage slips and the window in the log. Pure. Slips are numbered without gaps, counted alike by two people,
and posted as counted; receipts have no gaps, chips make up their amount, and a large amount has its patron.
Only slips whose first count is in the given records can be judged. A slip is dropped when it has ended."""

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass

from ledger.chart import OF_DOCUMENTS, AccountKind, EntryKind
from ledger.money import dollars
from ledger.records.findings import Body, Finding, Numbering, Problem, name_of
from ledger.rules.cash_of_day import KINDS, CashOfDay, is_of_tokes
from ledger.rules.denominations import Pieces, compared, parse_values, pieces_of, value_text
from ledger.rules.slip_ways import NEWER, ON_DOCUMENT, POSTED_AS, STAYS, needs_document
from ledger.rules.window import (
    AT_THE_WINDOW,
    OF_RECEIPTS,
    has_receipt,
    is_stranger,
    unknown_chips,
    wrong_patron,
    wrong_pieces,
)

_POSTS = frozenset(POSTED_AS.values())
_STAY = frozenset(POSTED_AS[way] for way in STAYS)
_OUTCOMES = frozenset(("posted", "differed", "withdrawn"))
_NAMED = ("slip", "number", "way", "pieces", "counted_by")


@dataclass(frozen=True, slots=True)
class _Slip:
    number: int
    way: str
    drawer: int | None
    counted_by: int
    pieces: Pieces

    @property
    def said(self) -> tuple[int, str, int | None, int]:
        return self.number, self.way, self.drawer, self.counted_by


class CageSlips:
    def __init__(self, *, whole: bool) -> None:
        self._whole = whole
        self._stocked = self.newer = False  # whether the vault was moved, and whether by what is new
        self._slips: dict[int, _Slip] = {}
        self._entries: dict[int, Body] = {}  # by slip: an entry whose result comes next
        self._numbers = Numbering("cage slip", whole=whole)
        self.counted = self.posted = self.older = 0

    def take(self, body: Body) -> Iterator[Problem]:
        return self._first(body) if body["record"] == "cage_slip" else self._end(body)

    def entry(self, body: Body) -> Iterable[Problem]:
        kind = body["kind"]
        if kind in OF_DOCUMENTS:
            self.newer |= body["evidence"]["kind"] in NEWER
        found = tuple(self._posted(body, stocked=self._stocked)) if kind in _POSTS else ()
        self._stocked = self._stocked or any(map(_of_vault, body["transfers"]))
        return found

    def _posted(self, body: Body, *, stocked: bool) -> Iterator[Problem]:
        evidence = body["evidence"]
        if missing := [name for name in _NAMED if name not in evidence]:
            yield "no_slip", f"It names no {missing[0].replace('_', ' ')}."
            return
        way = evidence["way"]
        if needs_document(way, stocked=stocked, newer=self.newer):
            yield "needs_document", ON_DOCUMENT
        self.newer |= way == "opening"
        pieces = pieces_of(evidence["pieces"])
        yield from _moved(body, pieces)
        if body["approver"] is not None and evidence["counted_by"] != [body["actor"], body["approver"]]:
            yield "second_person", "It was not posted by the two who counted it."
        slip = self._slips.get(evidence["slip"])
        if slip is None:
            if self._whole:
                yield "no_slip", f"Cage slip {evidence['number']} was not waiting."
        elif slip.said != (evidence["number"], evidence["way"], evidence.get("drawer"), body["actor"]):
            yield "wrong_slip", f"It is not what cage slip {slip.number} was."
        else:
            yield from _unlike(slip, pieces)
        self._entries[evidence["slip"]] = body

    def finish(self) -> Iterator[Finding]:
        for body in self._entries.values():
            yield Finding("no_slip", "Its cage slip was not posted.", None, name_of(body))

    def _first(self, body: Body) -> Iterator[Problem]:
        yield from self._numbers.gap(body["number"])
        self.counted += 1
        pieces = pieces_of(body["pieces"])
        yield from _summed(body, pieces)
        self._slips[body["id"]] = _Slip(
            body["number"], body["way"], body["drawer"], body["counted_by"], pieces
        )

    def _end(self, body: Body) -> Iterator[Problem]:
        slip, entry = self._slips.pop(body["slip"], None), self._entries.pop(body["slip"], None)
        pieces = pieces_of(body["pieces"])
        yield from _summed(body, pieces)
        if slip is None and not self._whole:
            self.older += 1
            return
        if (entry and entry["id"]) != body["entry"] or (body["outcome"] == "posted") != (entry is not None):
            yield "wrong_slip", f"It was {body['outcome']}, which its entry does not say."
        if body["outcome"] not in _OUTCOMES or (body["outcome"] == "withdrawn" and pieces != Pieces()):
            yield "wrong_slip", "It says no way in which a cage slip ends, or counts what was withdrawn."
        if slip is None:
            yield "no_slip", "It ends a cage slip that was not waiting."
        elif body["outcome"] != "withdrawn":
            self.posted += body["outcome"] == "posted"
            yield from _counted_twice(body, slip, pieces, entry)
        elif not body["reason"].strip():
            yield "reason_required", f"Cage slip {slip.number} was withdrawn without a reason."


def _of_vault(line: Body) -> bool:
    return AccountKind.VAULT in (line["from_kind"], line["to_kind"])


def _moved(body: Body, pieces: Pieces) -> Iterator[Problem]:
    """Judge the transfers: the value of the pieces, in the direction of the kind. When a drawer
    is closed, the pieces go to the vault and the difference to over/short, or comes from there. A count of
    the vault, or of unclaimed chips, moves only the difference (vault.py)."""
    moved = {"chips": 0, "cash": 0}
    for line in body["transfers"]:
        if body["kind"] != EntryKind.DRAWER_CLOSE or line["to_kind"] == AccountKind.VAULT:
            moved[line["asset"]] += line["cents"]
    for asset, cents in (("chips", pieces.chips_cents), ("cash", pieces.cash_cents)):
        if moved[asset] != cents and body["kind"] not in _STAY:
            yield "wrong_sum", f"Its {asset} come to {dollars(cents)}; it moves {dollars(moved[asset])}."
    if POSTED_AS.get(body["evidence"]["way"]) != body["kind"]:
        yield "wrong_slip", "Its slip goes the other way."


def _summed(body: Body, pieces: Pieces) -> Iterator[Problem]:
    for asset, cents in (("chips", pieces.chips_cents), ("cash", pieces.cash_cents)):
        if (recorded := body[f"{asset}_cents"]) != cents:
            yield "wrong_sum", f"Its {asset} come to {dollars(cents)}, not to {dollars(recorded)}."


def _counted_twice(body: Body, slip: _Slip, pieces: Pieces, entry: Body | None) -> Iterator[Problem]:
    if body["person"] == slip.counted_by or (entry is not None and entry["approver"] != body["person"]):
        yield "second_person", f"Cage slip {slip.number} was not counted by two."
    if body["outcome"] == "posted":
        yield from _unlike(slip, pieces)
    elif pieces == slip.pieces:
        yield "wrong_slip", f"Both counts of cage slip {slip.number} agree."


def _unlike(slip: _Slip, pieces: Pieces) -> Iterator[Problem]:
    """Yield the first denomination that differs from the first count."""
    line = next((line for line in compared(slip.pieces, pieces) if line.differs), None)
    if line is not None:
        counts = f"cage slip {slip.number} has {line.first} pieces, and this has {line.second}."
        yield "wrong_denomination", f"Of {value_text(line.value)} in {line.asset}, {counts}"


_CODES = {"patron_missing": "no_patron"}


class AtTheWindowCheck:
    """`register` has the players of the records so far, or None in a part of a log; `usual` the chips of each
    jurisdiction, where they are at hand."""

    def __init__(
        self, *, whole: bool, register: Container[int] | None = None, usual: Mapping[str, tuple[int, ...]]
    ) -> None:
        self._whole, self._register, self._usual = whole, register, usual
        self._receipts = Numbering("receipt", whole=whole)
        self._in_pieces = {False: False, True: False}  # tokes or not; tokes are since later
        self._chips: tuple[int, ...] = ()
        self.in_pieces = 0
        self._cash: dict[str, CashOfDay] = {}

    def house(self, body: Body) -> None:
        """Take the house's chips; those usual in its jurisdiction are not in the records."""
        own = body["data"]["chip_values"].strip()
        self._chips = parse_values(own) if own else self._usual.get(body["data"]["jurisdiction"], ())

    def entry(self, body: Body) -> Iterator[Problem]:
        number = body["evidence"].get("receipt")
        if body["kind"] in OF_RECEIPTS and type(number) is int:
            yield from self._receipts.gap(number)
        elif has_receipt(body["kind"], ((line["from_kind"], line["to_kind"]) for line in body["transfers"])):
            yield "no_receipt", "Cash crossed the window without a receipt."
        if body["kind"] in AT_THE_WINDOW:
            yield from self._exchange(body)
        elif body["kind"] in KINDS:
            self._cash_of(body).take(body)

    def closed(self, day: str) -> None:
        self._cash = {one: cash for one, cash in self._cash.items() if one > day}

    def _known(self, body: Body) -> Body:
        """Return the entry that a receipt names; in part of a log one may be from before."""
        said = body["evidence"]
        if self._whole or "seen" not in said or self._cash_of(body).of_receipt(said["seen"]):
            return body
        return {**body, "evidence": {name: value for name, value in said.items() if name != "seen"}}

    def _cash_of(self, body: Body) -> CashOfDay:
        return self._cash.setdefault(body["gaming_day"], CashOfDay())

    def _exchange(self, body: Body) -> Iterator[Problem]:
        said = body["evidence"]
        of_tokes = is_of_tokes(body)
        if "pieces" not in said:
            if self._in_pieces[of_tokes]:
                yield "no_pieces", "It does not say which chips, as entries before it do."
            return
        self._in_pieces[of_tokes] = True
        self.in_pieces += 1
        given = pieces_of(said["given"]) if "given" in said else None
        handed = pieces_of(said["pieces"])
        if wrong := wrong_pieces(said["cents"], handed, given):
            yield "wrong_pieces", wrong
        for one in (handed, given):
            if self._chips and one is not None and (other := unknown_chips(one, self._chips)):
                yield "wrong_pieces", other
        if of_tokes:
            return  # a dealer's, who signs
        if "patron_from" not in said:
            yield "no_patron", "It does not say from which amount its patron is named."
        elif who := wrong_patron(self._cash_of(body), self._known(body)):
            yield _CODES.get(who[0], who[0]), who[1]
        if self._register is not None and is_stranger(said.get("player"), self._register):
            yield "no_patron", "The patron whom it names had not been entered in the register of players."
