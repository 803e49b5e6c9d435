"""The over/short of a gaming day: counted minus what the books expected, below zero if any is missing."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Self

from ledger.chart import AccountKind
from ledger.journal.bank_differences import BankDifference
from ledger.models import DocumentStep, DropSignOff, Site
from ledger.reports.box_log import BoxRow
from ledger.rules.documents import Step


@dataclass(frozen=True, slots=True)
class OverShort:
    """The over/short in drop boxes, tables' banks, cashiers' drawers, the vault, unclaimed chips, reserve
    sets and arrivals under documents; in cents."""

    boxes: int
    banks: int
    drawers: int
    vault: int
    documents: int
    unclaimed: int = 0
    reserve: int = 0

    @classmethod
    def of(
        cls, boxes: Iterable[BoxRow], banks: Iterable[BankDifference], differed: Iterable[DocumentStep]
    ) -> Self:
        of: Counter[AccountKind] = Counter()
        for bank in banks:
            of[bank.place] += bank.cents
        return cls(
            boxes=sum(row.difference or 0 for row in boxes),
            banks=of[AccountKind.TABLE_BANK],
            drawers=of[AccountKind.DRAWER],
            vault=of[AccountKind.VAULT],
            unclaimed=of[AccountKind.UNCLAIMED],
            reserve=of[AccountKind.RESERVE],
            documents=sum(step.over for step in differed),
        )

    @property
    def cents(self) -> int:
        return sum(cents for cents, _ in self.in_words)

    @property
    def in_words(self) -> list[tuple[int, str]]:
        """Its parts: cents and place. Places without a difference are left out, except the boxes."""
        others = (
            (self.banks, "in table banks"),
            (self.drawers, "in drawers"),
            (self.vault, "in the vault"),
            (self.unclaimed, "in unclaimed chips"),
            (self.reserve, "in reserve sets"),
            (self.documents, "under documents"),
        )
        return [(self.boxes, "in boxes"), *((cents, place) for cents, place in others if cents)]


def differed_on(site: Site, **dated: object) -> list[DocumentStep]:
    """Return the steps with these dates (`gaming_day=...`) at which something else arrived than was sent."""
    of_entry = {f"entry__{name}": value for name, value in dated.items()}
    steps = DocumentStep.objects.filter(entry__site=site, step=Step.DIFFERED, **of_entry)
    return list(steps.select_related("document", "person", "second").order_by("pk"))


def signed_between(site: Site, first: date, last: date) -> list[DropSignOff]:
    """Return the sign-offs of the boxes of these gaming days, by box."""
    of_days = DropSignOff.objects.filter(
        box__site=site, box__gaming_day__gte=first, box__gaming_day__lte=last
    )
    return list(of_days.select_related("box").order_by("box__number"))
