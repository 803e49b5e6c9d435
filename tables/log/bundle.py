"""What the floor adds to an export, and the checks it registers with the ledger."""

from collections.abc import Iterator
from typing import Any

from ledger.audit.findings import Check
from tables.audit.charges import ChargesCheck
from tables.audit.main import checks
from tables.models import (
    Schedule,
    SheetVersion,
    TableSession,
)
from tables.rules.errors import RuleError


def game_checks(site: Any, *, whole: bool) -> list[Check]:
    """The checks that know the game: rounds worked out from their cards, fees from their times."""
    try:
        return checks(kept_sheets(site), whole=whole)
    except (
        RuleError
    ):  # a sheet that is none any more is named by `sheets`, and no round can be worked out from it
        return [ChargesCheck(whole=whole)]


# -- what goes into an export ---------------------------------------------------------------------------------


def kept_sheets(site: Any) -> dict[tuple[str, int], bytes]:
    """The game sheets that tables of this house were opened with: {(code, version): bytes}."""
    used = SheetVersion.objects.filter(pk__in=TableSession.objects.filter(table__site=site).values("sheet"))
    return {(sheet.code, sheet.version): bytes(sheet.raw) for sheet in used}


def published_schedules(site: Any) -> Iterator[dict[str, Any]]:
    """Every rate that the house has published, in the order of publishing."""
    for schedule in Schedule.objects.filter(site=site).order_by("pk"):
        yield {
            "id": schedule.pk,
            "option": schedule.option,
            "version": schedule.version,
            "limit_cents": schedule.limit_cents,
            "fee_cents": schedule.fee_cents,
            "approval_reference": schedule.approval_reference,
            "effective_from": schedule.effective_from.isoformat(),
        }
