"""Cage slips to read: what came into the float of the cage or left it, by whom counted, denomination by denomination.

Nobody sees a count before the slip has ended.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from django.db.models import QuerySet

from ledger.audit.denominations import Compared, compared, pieces_of, value_text
from ledger.models import CageSlip, CageSlipResult, Site


@dataclass(frozen=True)
class SlipLine:
    """One denomination of a slip that has ended."""

    compared: Compared

    @property
    def label(self) -> str:
        """The denomination as it stands on the piece."""
        return value_text(self.compared.value)


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
    def kind(self) -> str:
        """The kind of badge that shows the state."""
        kinds = {"posted": "good", "differed": "bad", "withdrawn": ""}
        return "warn" if self.result is None else kinds[self.result.outcome]

    @property
    def posted(self) -> bool:
        return self.result is not None and self.result.outcome == CageSlipResult.Outcome.POSTED

    @property
    def differed(self) -> bool:
        return self.result is not None and self.result.outcome == CageSlipResult.Outcome.DIFFERED

    @property
    def withdrawn(self) -> bool:
        return self.result is not None and self.result.outcome == CageSlipResult.Outcome.WITHDRAWN

    @property
    def lines(self) -> list[SlipLine]:
        """Both counts by denomination, once both are there."""
        if self.result is None or self.withdrawn:
            return []
        both = compared(pieces_of(self.slip.pieces), pieces_of(self.result.pieces))
        return [SlipLine(line) for line in both]

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


def slip_row(slip_id: int) -> SlipRow | None:
    """Return one slip, or None if it does not exist."""
    return next(iter(_rows(_slips().filter(pk=slip_id))), None)


def _slips() -> QuerySet[CageSlip]:
    return CageSlip.objects.select_related("site", "counted_by", "result__person", "result__entry")


def _rows(slips: Iterable[CageSlip]) -> list[SlipRow]:
    return [SlipRow(slip, getattr(slip, "result", None)) for slip in slips]
