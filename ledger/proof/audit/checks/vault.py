"""Counts of the vault, and of the unclaimed chips, in the log: each agrees with its place, nothing moved the
place between the two counts, and no day is closed if something moved it after its last count. Pure. A place's
contents are known from the first leaf or the first count on."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import date

from ledger.chart import OF_DOCUMENTS, AccountKind, EntryKind
from ledger.money import dollars
from ledger.records.findings import Body, Problem
from ledger.rules.by_denomination import MADE, contradiction, not_destroyed
from ledger.rules.denominations import Pieces, pieces_of, value_text
from ledger.rules.documents import COUNTED, HANDED_ON, KINDS, Step
from ledger.rules.slip_ways import NEWER, POSTED_AS, STAYS, counted_for, overtaken


class Vault:
    way = "count"

    def __init__(self, *, whole: bool) -> None:
        self._kind, self._place = POSTED_AS[self.way].value, STAYS[self.way].value
        self._held = dict.fromkeys(("chips", "cash"), 0) if whole else None
        self._begun: set[int] = set()  # slips with a first count, and nothing moved since
        self._overtaken: set[int] = set()
        self._moved: set[str] = set()  # days whose entries moved the vault since it was counted
        self._pieces: Pieces | None = None  # as counted last, if nothing moved it since
        self.counted = 0

    def slip(self, body: Body) -> None:
        """Note the first count on a slip, or its end."""
        if body["record"] == "cage_slip_result":
            self._begun.discard(body["slip"])
            self._overtaken.discard(body["slip"])
        elif body["way"] == self.way:
            self._begun.add(body["id"])

    def entry(self, body: Body) -> Iterable[Problem]:
        """Judge a count, and note what an entry moves."""
        moved = [(line["asset"], cents) for line in body["transfers"] if (cents := self._into(line))]
        if self._held is not None:
            for asset, cents in moved:
                self._held[asset] += cents
        problems = tuple(self.count(body)) if body["kind"] == self._kind else ()
        if moved and body["kind"] != self._kind:
            self._pieces = None
        if moved:
            self._overtaken |= self._begun
            self._begun.clear()
            if body["kind"] != self._kind:
                self._moved.add(body["gaming_day"])
        return problems

    def uncounted(self, day: str) -> Iterator[Problem]:
        """Judge the closing of a gaming day: the vault was counted after everything that moved it."""
        if any(moved <= day for moved in self._moved):
            yield "vault_not_counted", "The vault was not counted after what moved it last."

    def count(self, body: Body) -> Iterator[Problem]:
        self.counted += 1
        pieces = pieces_of(body["evidence"]["pieces"])
        counted = {"chips": pieces.chips_cents, "cash": pieces.cash_cents}
        if self._pieces is not None and (wrong := contradiction(self._pieces, pieces)):
            yield "pieces_differ", wrong
        self._pieces = pieces
        if code := overtaken(self.way, moved=body["evidence"]["slip"] in self._overtaken):
            yield code, f"Something moved the {self._place} between its two counts."
        for asset, cents in counted.items():
            if self._held is not None and self._held[asset] != cents:
                held = dollars(self._held[asset])
                yield (
                    "wrong_sum",
                    f"It leaves the {self._place} with {held} in {asset}; {dollars(cents)} was counted.",
                )
        self._held = counted
        self._moved.clear()

    def _into(self, line: Body) -> int:
        """Return the cents that a transfer brings into the place, below zero out of it."""
        cents: int = line["cents"]
        if line["from_kind"] == self._place:
            return -cents
        return cents if line["to_kind"] == self._place else 0


class ReserveSets(Vault):
    """Chips kept sealed: counted whenever the house wants to know, and no day waits for it."""

    way = "reserve"

    def uncounted(self, day: str) -> Iterator[Problem]:
        return iter(())


class UnclaimedChips(Vault):
    """The chips that wait for their owners: counted for every day that is closed while some are held."""

    way = "unclaimed"

    def __init__(self, *, whole: bool) -> None:
        super().__init__(whole=whole)
        self._counted_on: date | None = None

    def uncounted(self, day: str) -> Iterator[Problem]:
        held = self._held is not None and self._held["chips"] > 0
        overtaken = any(moved <= day for moved in self._moved)
        late = self._counted_on is None or not counted_for(self._counted_on, date.fromisoformat(day))
        if held and (overtaken or late):
            yield "unclaimed_not_counted", "The unclaimed chips were not counted before it."

    def count(self, body: Body) -> Iterator[Problem]:
        self._counted_on = date.fromisoformat(body["gaming_day"])
        return super().count(body)


_STAY = {POSTED_AS[way].value: place.value for way, place in STAYS.items()}
_BY_AMOUNT = frozenset((AccountKind.CHIP_MAKER.value, AccountKind.OVER_SHORT.value))
_FLOAT = frozenset((EntryKind.FLOAT_ISSUE.value, EntryKind.FLOAT_RETURN.value))


class ChipsMade:
    """Chips by denomination. Once a paper says that some of a denomination are gone, the vault, the reserve,
    the unclaimed chips and those under way may not have more of it than were made: somebody who keeps chips
    that a certificate says were destroyed brings one too many back. Judged from the first leaf on; chips that
    came by amount alone may be any. A house of version 0.2.0 did not count so: it is judged once it has a
    record that only a later version writes."""

    def __init__(self) -> None:
        self._newer = False
        self._made: dict[int, int] = {}
        self._gone: dict[int, str] = {}  # by denomination: the last paper by which some left the house
        self._places: dict[str, dict[int, int]] = {}
        self._unknown = 0
        self._told: dict[int, int] = {}

    def entry(self, body: Body) -> Iterator[Problem]:
        kind, evidence = body["kind"], body["evidence"]
        made = kind in _FLOAT or (kind in OF_DOCUMENTS and evidence.get("kind") in MADE)
        for line in body["transfers"]:
            of_paper = made and line["from_kind"] == AccountKind.CHIP_MAKER
            if line["asset"] == "chips" and line["from_kind"] in _BY_AMOUNT and not of_paper:
                self._unknown += line["cents"]
        self._newer |= evidence.get("way") == "opening" or (
            kind in OF_DOCUMENTS and evidence.get("kind") in NEWER
        )
        if kind in _FLOAT and evidence.get("way") in MADE:
            self._of_paper(MADE[evidence["way"]], f"Cage slip {evidence['number']}", evidence)
        elif kind in OF_DOCUMENTS:
            self._moved(evidence)
        elif kind in _STAY:
            self._places[_STAY[kind]] = dict(pieces_of(evidence["pieces"]).chips)
        if kind == EntryKind.VAULT_COUNT and self._newer:
            yield from self._compared()

    def _moved(self, evidence: Body) -> None:
        kind = KINDS.get(evidence.get("kind", ""))
        if kind is None:
            return
        step, chips = evidence["step"], pieces_of(evidence["pieces"]).chips
        way = f"document {evidence['document']}"
        if step == Step.SENT:
            self._move(kind.source, chips, -1)
            if kind.source != AccountKind.CHIP_MAKER:  # until they are counted, none was made
                self._places[way] = dict(chips)
        elif step in COUNTED:
            self._places.pop(way, None)
            self._move(kind.target, chips, 1)
            if kind.code in MADE:
                self._of_paper(MADE[kind.code], f"{kind.title} {evidence['number']}", evidence)
        elif step in HANDED_ON:
            self._move(kind.target, chips, -1)

    def _move(self, place: AccountKind, chips: Mapping[int, int], sign: int) -> None:
        """Note the pieces that come and go where chips are counted by denomination."""
        if place in _STAY.values():
            _add(self._places.setdefault(place.value, {}), chips, sign)

    def _of_paper(self, sign: int, paper: str, evidence: Body) -> None:
        chips = pieces_of(evidence["pieces"]).chips
        _add(self._made, chips, sign)
        if sign < 0:
            self._gone |= dict.fromkeys(chips, paper)

    def _compared(self) -> Iterator[Problem]:
        places = {
            name: {value: max(one, 0) for value, one in at.items()} for name, at in self._places.items()
        }
        more = not_destroyed(self._made, self._gone, places, self._unknown)
        for value, number in more.items():
            if number > self._told.get(value, 0):
                said = f"{number} more of {value_text(value)} are counted than there can be"
                yield "pieces_differ", f"{said}: {self._gone[value]} says that some are gone."
        self._told = more


def _add(sums: dict[int, int], chips: Mapping[int, int], sign: int) -> None:
    for value, number in chips.items():
        sums[value] = sums.get(value, 0) + sign * number
