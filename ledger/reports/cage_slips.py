"""Cage slips to read: what came into the float of the cage or left it, by whom counted, denomination by denomination.

Nobody sees a count before the slip has ended.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from django.db.models import QuerySet

from ledger.audit.denominations import Compared, compared, pieces_of
from ledger.models import CageSlip, CageSlipResult, Site


@dataclass(frozen=True)
class SlipRow:
    """One cage slip; `result` is None while it waits for its second count."""

    slip: CageSlip
    result: CageSlipResult | None

    @property
    def state(self) -> str:
        """What became of it, in words."""
        return "Waits for the second count" if self.result is None else self.result.get_outcome_display()

    @property
    def outcome(self) -> str:
        """What became of it: `posted`, `differed` or `withdrawn`; empty while it waits."""
        return "" if self.result is None else str(self.result.outcome)

    @property
    def kind(self) -> str:
        """The kind of badge that shows the state."""
        return {"": "warn", "posted": "good", "differed": "bad", "withdrawn": ""}[self.outcome]

    @property
    def lines(self) -> list[Compared]:
        """Both counts by denomination, once both are there."""
        if self.result is None or self.outcome == "withdrawn":
            return []
        return list(compared(pieces_of(self.slip.pieces), pieces_of(self.result.pieces)))

    @property
    def over_chips(self) -> int:
        """What the second count has in chips beyond the first, in cents; negative if less."""
        return 0 if self.result is None else self.result.chips_cents - self.slip.chips_cents

    @property
    def over_cash(self) -> int:
        """What the second count has in cash beyond the first, in cents; negative if less."""
        return 0 if self.result is None else self.result.cash_cents - self.slip.cash_cents


def slips_of_day(site: Site, day: date) -> list[SlipRow]:
    """Return the slips begun on a gaming day, by number. One query."""
    return _rows(_slips().filter(site=site, gaming_day=day).order_by("number"))


def waiting(site: Site) -> list[SlipRow]:
    """Return the slips that wait for their second count, by number. One query."""
    return _rows(_slips().filter(site=site, result__isnull=True).order_by("number"))


def slip_row(slip: CageSlip) -> SlipRow:
    """Return what has become of a slip by now."""
    return _rows(_slips().filter(pk=slip.pk))[0]


def _slips() -> QuerySet[CageSlip]:
    return CageSlip.objects.select_related("site", "counted_by", "result__person", "result__entry")


def _rows(slips: Iterable[CageSlip]) -> list[SlipRow]:
    return [SlipRow(slip, getattr(slip, "result", None)) for slip in slips]
