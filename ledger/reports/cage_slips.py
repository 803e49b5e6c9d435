"""Cage slips to read, by denomination. Nobody sees a count before the slip has ended."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from django.db.models import QuerySet

from ledger.models import CageSlip, CageSlipResult, Site
from ledger.rules.denominations import Compared, compared, pieces_of


@dataclass(frozen=True)
class SlipRow:
    """One cage slip; `result` is None while it waits for its second count."""

    slip: CageSlip
    result: CageSlipResult | None

    @property
    def state(self) -> str:
        return "Waits for the second count" if self.result is None else self.result.get_outcome_display()

    @property
    def outcome(self) -> str:
        return "" if self.result is None else str(self.result.outcome)

    @property
    def kind(self) -> str:
        return {"": "warn", "posted": "good", "differed": "bad", "withdrawn": ""}[self.outcome]

    @property
    def lines(self) -> list[Compared]:
        if self.result is None or self.outcome == "withdrawn":
            return []
        return list(compared(pieces_of(self.slip.pieces), pieces_of(self.result.pieces)))

    @property
    def over_chips(self) -> int:
        return 0 if self.result is None else self.result.chips_cents - self.slip.chips_cents

    @property
    def over_cash(self) -> int:
        return 0 if self.result is None else self.result.cash_cents - self.slip.cash_cents


def slips_of_day(site: Site, day: date) -> list[SlipRow]:
    return _rows(_slips().filter(site=site, gaming_day=day).order_by("number"))


def waiting(site: Site) -> list[SlipRow]:
    return _rows(_slips().filter(site=site, result__isnull=True).order_by("number"))


def first_is_due(site: Site) -> bool:
    """Return whether no slip was ever begun; a house begins by stocking its vault."""
    return not CageSlip.objects.filter(site=site, number=1).exists()


def slip_row(slip: CageSlip) -> SlipRow:
    return _rows(_slips().filter(pk=slip.pk))[0]


def _slips() -> QuerySet[CageSlip]:
    return CageSlip.objects.select_related("site", "counted_by", "result__person", "result__entry")


def _rows(slips: Iterable[CageSlip]) -> list[SlipRow]:
    return [SlipRow(slip, getattr(slip, "result", None)) for slip in slips]
