"""The window in the log: receipts without gaps, chips by denomination that come to the amount and that the
house had, and the patron of a large amount. Pure. Entries of before the window wrote pieces down have none;
once one has, all later ones do."""

from collections.abc import Container, Iterator, Mapping

from ledger.chart import EntryKind
from ledger.records.findings import Body, Numbering, Problem
from ledger.rules.denominations import parse_values, pieces_of
from ledger.rules.receipts import OF_RECEIPTS, has_receipt
from ledger.rules.window import AT_THE_WINDOW, is_stranger, lacks_patron, unknown_chips, wrong_pieces


class AtTheWindowCheck:
    """`register` has the players of the records so far, or None in a part of a log; `usual` the chips of each
    jurisdiction, where they are at hand."""

    def __init__(
        self, *, whole: bool, register: Container[int] | None = None, usual: Mapping[str, tuple[int, ...]]
    ) -> None:
        self._register, self._usual = register, usual
        self._receipts = Numbering("receipt", whole=whole)
        self._in_pieces = False
        self._chips: tuple[int, ...] = ()
        self.in_pieces = 0

    def house(self, body: Body) -> None:
        """Take in which chips the house has; those usual in its jurisdiction are not in the records."""
        own = body["data"]["chip_values"].strip()
        self._chips = parse_values(own) if own else self._usual.get(body["data"]["jurisdiction"], ())

    def entry(self, body: Body) -> Iterator[Problem]:
        yield from self._receipt(body)
        if body["kind"] in AT_THE_WINDOW:
            yield from self._exchange(body)

    def _receipt(self, body: Body) -> Iterator[Problem]:
        number = body["evidence"].get("receipt")
        if body["kind"] in OF_RECEIPTS and type(number) is int:
            yield from self._receipts.gap(number)
        elif has_receipt(body["kind"], ((line["from_kind"], line["to_kind"]) for line in body["transfers"])):
            yield "no_receipt", "Cash crossed the window without a receipt."

    def _exchange(self, body: Body) -> Iterator[Problem]:
        said = body["evidence"]
        if "pieces" not in said:
            # The chips of a payout of tokes are known by their sum alone; its dealer signs.
            tokes = body["kind"] == EntryKind.CHIP_REDEMPTION and body["approver"] is not None
            if self._in_pieces and not tokes:
                yield "no_pieces", "It does not say which chips, as entries before it do."
            return
        self._in_pieces = True
        self.in_pieces += 1
        given = pieces_of(said["given"]) if "given" in said else None
        handed = pieces_of(said["pieces"])
        if wrong := wrong_pieces(said["cents"], handed, given):
            yield "wrong_pieces", wrong
        for one in (handed, given):
            if self._chips and one is not None and (other := unknown_chips(one, self._chips)):
                yield "wrong_pieces", other
        if "patron_from" not in said or lacks_patron(said["cents"], said["patron_from"], said.get("player")):
            yield "no_patron", "So large an amount names its patron."
        if self._register is not None and is_stranger(said.get("player"), self._register):
            yield "no_patron", "The patron whom it names had not been entered in the register of players."
