"""The floor's audit records: which of its rows have one, and with which fields."""

from decimal import Decimal
from typing import Any

from ledger.journal.records import Recorded, moment, moment_or_none, register
from tables.models import Charge, Claim, Down, Schedule, TableEvent

BORROWED = frozenset({"down", "down_started_at", "schedule"})


def _event(event: TableEvent) -> dict[str, Any]:
    return {
        "session": event.session_id,
        "kind": str(event.kind),
        "at": moment(event.at),
        "actor": event.actor_id,
        "data": event.data,
    }


def _down(down: Down) -> dict[str, Any]:
    return {
        "session": down.session_id,
        "number": down.number,
        "schedule": down.schedule_id,
        "started_at": moment(down.started_at),
        "waited_from": moment_or_none(down.waited_from),
    }


def _charge(charge: Charge) -> dict[str, Any]:
    minute, schedule = charge.minute_seconds, charge.schedule
    return {
        "session": charge.session_id,
        "down": charge.down.number,
        "down_id": charge.down_id,
        "down_started_at": moment(charge.down.started_at),
        "sitting": charge.sitting_id,
        "player": charge.player_id,
        "entered_at": moment(charge.entered_at),
        "minute_seconds": None if minute is None else f"{Decimal(minute):.6f}",
        "rule": str(charge.rule),
        "fee_cents": charge.fee_cents,
        "cents": charge.cents,
        "schedule": {"id": schedule.pk, "option": schedule.option, "version": schedule.version},
        "charged_at": moment(charge.charged_at),
        "charged_by": charge.charged_by_id,
        "gaming_day": charge.gaming_day.isoformat(),
        "round_id": charge.round_id,
    }


def _claim(claim: Claim) -> dict[str, Any]:
    return {
        "number": claim.number,
        "settlement": claim.settlement_id,
        "round_id": claim.settlement.round_id,
        "debtor": claim.debtor_id,
        "creditor": claim.creditor_id,
        "cents": claim.cents,
    }


def _schedule(schedule: Schedule) -> dict[str, Any]:
    return {
        "option": schedule.option,
        "version": schedule.version,
        "limit_cents": schedule.limit_cents,
        "fee_cents": schedule.fee_cents,
        "approval_reference": schedule.approval_reference,
        "effective_from": schedule.effective_from.isoformat(),
        "published_by": schedule.published_by_id,
    }


def register_floor() -> None:
    """Register the kinds of audit record that the floor writes."""
    register(Recorded("table_event", TableEvent, _event, free=frozenset({"data"})))
    register(Recorded("down", Down, _down))
    register(Recorded("charge", Charge, _charge, related=("down", "schedule"), borrowed=BORROWED))
    register(Recorded("claim", Claim, _claim, related=("settlement",), borrowed=frozenset({"round_id"})))
    register(Recorded("schedule", Schedule, _schedule))
