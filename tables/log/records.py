"""The floor's audit records: which of its rows have one, and with which fields."""

from collections.abc import Callable
from decimal import Decimal
from operator import attrgetter
from typing import Any

from ledger.journal.records import Recorded, moment, moment_or_none, register
from tables.models import Charge, Claim, Down, PlayerChange, PlayerMerge, Rate, TableEvent

BORROWED = frozenset({"down", "down_started_at", "rate"})


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
        "rate": down.rate_id,
        "started_at": moment(down.started_at),
        "waited_from": moment_or_none(down.waited_from),
    }


def _charge(charge: Charge) -> dict[str, Any]:
    minute, down, rate = charge.minute_seconds, charge.down, charge.rate
    return {
        "session": charge.session_id,
        "down": down.number,
        "down_id": charge.down_id,
        "down_started_at": moment(down.started_at),
        "sitting": charge.sitting_id,
        "player": charge.player_id,
        "entered_at": moment(charge.entered_at),
        "minute_seconds": None if minute is None else f"{Decimal(minute):.6f}",
        "rule": str(charge.rule),
        "fee_cents": charge.fee_cents,
        "cents": charge.cents,
        "rate": {"id": rate.pk, "option": rate.option, "version": rate.version},
        "charged_at": moment(charge.charged_at),
        "charged_by": charge.charged_by_id,
        "gaming_day": charge.gaming_day.isoformat(),
        "round_id": charge.round_id,
    }


def _rate(rate: Rate) -> dict[str, Any]:
    return {
        "option": rate.option,
        "version": rate.version,
        "limit_cents": rate.limit_cents,
        "fee_cents": rate.fee_cents,
        "approval_reference": rate.approval_reference,
        "effective_from": rate.effective_from.isoformat(),
        "published_by": rate.published_by_id,
    }


def _columns(**names: str) -> Callable[[Any], dict[str, Any]]:
    """Return what makes the body of a record: its fields, and the columns that they are."""
    read = attrgetter(*names.values())
    return lambda row: dict(zip(names, read(row), strict=True))


_claim = _columns(
    number="number",
    settlement="settlement_id",
    round_id="settlement.round_id",
    debtor="debtor_id",
    creditor="creditor_id",
    cents="cents",
)
_WHO = {"actor": "actor_id", "terminal": "terminal", "key": "key"}
_player_change = _columns(player="player_id", before="follows", after="commitment", **_WHO)
_player_merge = _columns(
    number="number", merged="merged_id", into="into_id", approver="approver_id", reason="reason", **_WHO
)


def register_floor() -> None:
    """Register the kinds of audit record that the floor writes."""
    register(Recorded("table_event", TableEvent, _event, free=frozenset({"data"})))
    register(Recorded("down", Down, _down))
    register(Recorded("charge", Charge, _charge, related=("down", "rate"), borrowed=BORROWED))
    register(Recorded("claim", Claim, _claim, related=("settlement",), borrowed=frozenset({"round_id"})))
    register(Recorded("rate", Rate, _rate))
    register(Recorded("player_change", PlayerChange, _player_change))
    register(Recorded("player_merge", PlayerMerge, _player_merge))
