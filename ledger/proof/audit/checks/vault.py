"""Counts of the vault in the log: each has what the vault holds, nothing moved it between the two who
counted, and no day is closed over what moved it after its last count. Pure. What it holds is known from the
first leaf or the first count on."""

from collections.abc import Iterable, Iterator

from ledger.chart import AccountKind, EntryKind
from ledger.money import dollars
from ledger.records.findings import Body, Problem
from ledger.rules.denominations import pieces_of

_VAULT = AccountKind.VAULT.value


class Vault:
    def __init__(self, *, whole: bool) -> None:
        self._held = dict.fromkeys(("chips", "cash"), 0) if whole else None
        self._begun: set[int] = set()  # slips with a first count, and nothing moved since
        self._overtaken: set[int] = set()
        self._moved: set[str] = set()  # days whose entries moved the vault since it was counted
        self.counted = 0

    def slip(self, body: Body) -> None:
        """Note the first count on a slip, or its end."""
        if body["record"] == "cage_slip_result":
            self._begun.discard(body["slip"])
            self._overtaken.discard(body["slip"])
        elif body["way"] == "count":
            self._begun.add(body["id"])

    def entry(self, body: Body) -> Iterable[Problem]:
        """Judge a count, and note what an entry moves."""
        moved = [(line["asset"], cents) for line in body["transfers"] if (cents := _into(line))]
        if self._held is not None:
            for asset, cents in moved:
                self._held[asset] += cents
        problems = tuple(self._count(body)) if body["kind"] == EntryKind.VAULT_COUNT else ()
        if moved:
            self._overtaken |= self._begun
            self._begun.clear()
            if body["kind"] != EntryKind.VAULT_COUNT:
                self._moved.add(body["gaming_day"])
        return problems

    def uncounted(self, day: str) -> Iterator[Problem]:
        """Judge the closing of a gaming day: the vault was counted after everything that moved it."""
        if any(moved <= day for moved in self._moved):
            yield "vault_not_counted", "The vault was not counted after what moved it last."

    def _count(self, body: Body) -> Iterator[Problem]:
        self.counted += 1
        pieces = pieces_of(body["evidence"]["pieces"])
        counted = {"chips": pieces.chips_cents, "cash": pieces.cash_cents}
        if body["evidence"]["slip"] in self._overtaken:
            yield "vault_moved", "Something moved the vault between its two counts."
        for asset, cents in counted.items():
            if self._held is not None and self._held[asset] != cents:
                held = dollars(self._held[asset])
                yield (
                    "wrong_sum",
                    f"It leaves the vault with {held} in {asset}; {dollars(cents)} was counted.",
                )
        self._held = counted
        self._moved.clear()


def _into(line: Body) -> int:
    """Return the cents that a transfer brings into the vault, below zero out of it."""
    cents: int = line["cents"]
    if line["from_kind"] == _VAULT:
        return -cents
    return cents if line["to_kind"] == _VAULT else 0
