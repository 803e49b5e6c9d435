"""The floor's audit records: which of its rows have one; what it says is declared in `tables/audit/records/`."""

from ledger.journal.records import of_row, register
from tables.audit import records as _  # noqa: F401 (what the floor declares)
from tables.models import Charge, Claim, Down, PlayerChange, PlayerMerge, Rate, TableEvent


def register_floor() -> None:
    """Register the kinds of audit record that the floor writes."""
    register(of_row("table_event", TableEvent))
    register(of_row("down", Down))
    register(of_row("charge", Charge))
    register(of_row("claim", Claim))
    register(of_row("rate", Rate))
    register(of_row("player_change", PlayerChange))
    register(of_row("player_merge", PlayerMerge))
