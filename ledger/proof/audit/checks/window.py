"""The window in the log: receipts without gaps, chips by denomination that make up the amount and that the
house had, and the patron of a large amount. Pure. Early entries have no pieces; once one has, all later ones
must."""

from collections.abc import Container, Iterator, Mapping

from ledger.records.findings import Body, Numbering, Problem
from ledger.rules.cash_of_day import KINDS, CashOfDay, is_of_tokes
from ledger.rules.denominations import parse_values, pieces_of
from ledger.rules.window import (
    AT_THE_WINDOW,
    OF_RECEIPTS,
    has_receipt,
    is_stranger,
    unknown_chips,
    wrong_patron,
    wrong_pieces,
)

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
        yield from self._receipt(body)
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

    def _receipt(self, body: Body) -> Iterator[Problem]:
        number = body["evidence"].get("receipt")
        if body["kind"] in OF_RECEIPTS and type(number) is int:
            yield from self._receipts.gap(number)
        elif has_receipt(body["kind"], ((line["from_kind"], line["to_kind"]) for line in body["transfers"])):
            yield "no_receipt", "Cash crossed the window without a receipt."

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
