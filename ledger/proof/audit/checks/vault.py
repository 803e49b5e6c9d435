"""Counts of the vault, and of the unclaimed chips, in the log: each has what its place holds, nothing moved
it between the two who counted, and no day is closed over what moved it after its last count. Pure. What it
holds is known from the first leaf or the first count on."""

from collections.abc import Iterable, Iterator
from datetime import date

from ledger.money import dollars
from ledger.records.findings import Body, Problem
from ledger.rules.by_denomination import contradiction
from ledger.rules.denominations import Pieces, pieces_of
from ledger.rules.slip_ways import POSTED_AS, STAYS, counted_for


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
        if body["evidence"]["slip"] in self._overtaken:
            yield "vault_moved", f"Something moved the {self._place} between its two counts."
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
