"""The floor's audit records: which of its rows have one; `tables/audit/records/` declares their content."""

from ledger.journal.records import of_row, register
from tables.audit import records as _  # noqa: F401 (what the floor declares)
from tables.models import (
    Charge,
    Claim,
    Dispute,
    DisputeDecision,
    Down,
    PlayerChange,
    PlayerMerge,
    Rate,
    TableEvent,
)


def register_floor() -> None:
    register(of_row("table_event", TableEvent))
    register(of_row("down", Down))
    register(of_row("charge", Charge))
    register(of_row("claim", Claim))
    register(of_row("rate", Rate))
    register(of_row("player_change", PlayerChange))
    register(of_row("player_merge", PlayerMerge))
    register(of_row("dispute", Dispute))
    register(of_row("dispute_decision", DisputeDecision))
