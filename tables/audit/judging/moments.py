"""Checks of records of many kinds: time, order, reason, seat. Pure."""

from ledger.records.books import EntryRecord
from ledger.records.findings import Body
from tables.audit.floor.floor import Floor, kind_of
from tables.audit.floor.house import moment
from tables.audit.floor.sitting import ReplayedSitting
from tables.audit.floor.table import ReplayedTable
from tables.audit.judging.contradiction import Contradiction
from tables.audit.records.rows import ChargeRecord, TableEventRecord
from tables.rules.table.moments import runs_back, was_under_way


def happened_when_recorded(record: EntryRecord | TableEventRecord) -> None:
    happened = record.get("at") or record.get("occurred_at")
    if happened != record["recorded_at"]:
        raise Contradiction("other_time", "It happened at another time than it was recorded.")


def in_turn(table: ReplayedTable, body: Body) -> None:
    """Judge that the record which had to come next at this table is not missing (R64)."""
    awaited, change = table.awaits, table.changed
    if awaited is not None and kind_of(body) not in awaited.kinds:
        raise Contradiction(awaited.code, awaited.sentence, awaited.mark)
    if change is not None and body["record"] != "down":
        raise Contradiction("wrong_down", "No down began with it (R64).", change.mark)


def in_order(table: ReplayedTable, body: Body) -> None:
    """The records of a table never run back in time (R65)."""
    at, newest = body["recorded_at"], table.newest_at
    if runs_back(moment(at), moment(newest)):
        sentence = f"It was recorded at {at}, after a record of {newest} at the same table (R65)."
        raise Contradiction("time_runs_back", sentence)
    table.newest_at = at


def clock_is_sure(floor: Floor, record: TableEventRecord | ChargeRecord) -> None:
    """Judge that no round started and nothing was charged while the clock was in doubt (R65). Whatever was
    under way may end; in a house whose records are known to be ahead, nothing is judged."""
    house, at = floor.house, moment(record["recorded_at"])
    if house.doubted is None or (house.ahead_until is not None and at <= house.ahead_until):
        return
    if not was_under_way(at, *house.doubted):
        clock = house.doubted[0].isoformat()
        raise Contradiction("clock_doubted", f"The clock had been in doubt since it showed {clock} (R65).")


def has_reason(reason: str) -> None:
    if not reason.strip():
        raise Contradiction("reason_required", "It has no reason (R58).")


def sits_there(sitting: ReplayedSitting, seat: int, player: int) -> None:
    if (seat, player) != (sitting.seat, sitting.player):
        sentence = f"It is player {sitting.player} who sits in seat {sitting.seat}."
        raise Contradiction("other_seat", sentence)


def between_rounds(table: ReplayedTable | None, sitting: ReplayedSitting) -> None:
    """Chips are moved between rounds (R52)."""
    if table is not None and table.is_dealt_in(sitting):
        raise Contradiction("round_running", "The player had a hand in a running round (R52).")
