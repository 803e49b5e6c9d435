"""The over/short of a gaming day: counted minus what the books expected, below zero if any is missing."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from ledger.journal.bank_differences import BankDifference
from ledger.reports.box_log import BoxRow


@dataclass(frozen=True, slots=True)
class OverShort:
    """In drop boxes and in tables' banks, in cents."""

    boxes: int
    banks: int

    @classmethod
    def of(cls, boxes: Iterable[BoxRow], banks: Iterable[BankDifference]) -> Self:
        return cls(sum(row.difference or 0 for row in boxes), sum(bank.cents for bank in banks))

    @property
    def cents(self) -> int:
        return self.boxes + self.banks
